#include "helio/nfs/server/user_names.h"

#include <charconv>

namespace helio::nfs {

bool parse_number(std::string_view text, std::uint32_t& out) {
    if (text.starts_with('0') && text.size() > 1) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace helio::nfs
