// Whatever parses can be formatted, means the same afterwards, and a second run changes nothing.
#include <cstddef>
#include <cstdint>
#include <string>

#include "helio/base/assert.h"
#include "helio/idl/breaking/breaking.h"
#include "helio/idl/format/format.h"
#include "helio/idl/format/layout_internal.h"
#include "helio/idl/format/meaning_internal.h"
#include "helio/idl/lint/lint.h"
#include "helio/idl/parse.h"
#include "helio/idl/syntax/token.h"

namespace {

using namespace helio::idl;

std::string laid_out(const std::string& text) {
    SourceSet sources;
    sources.add("fuzz.x", text);
    Diagnostics unused;
    return lay_out(sources.files.front().text, tokenize(sources, 0, unused));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text{reinterpret_cast<const char*>(data), size};
    const auto parsed = parse("fuzz.x", text);
    const auto once = format("fuzz.x", text);
    HELIO_ASSERT(once.text.has_value() == (parsed.schema != nullptr));
    if (!parsed.schema) {
        laid_out(text);  // must not crash, whatever the tokens are
        return 0;
    }
    const auto again = format("fuzz.x", *once.text);
    HELIO_ASSERT(again.text.has_value());
    HELIO_ASSERT(*again.text == *once.text);

    const auto reparsed = parse("fuzz.x", *once.text);
    HELIO_ASSERT(reparsed.schema != nullptr);
    HELIO_ASSERT(meaning(*parsed.schema) == meaning(*reparsed.schema));
    HELIO_ASSERT(compare(*parsed.schema, *reparsed.schema).empty());
    lint(*parsed.schema, {.enable = {"all"}, .disable = {}});
    return 0;
}
