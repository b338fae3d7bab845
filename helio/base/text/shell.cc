#include "helio/base/text/shell.h"

#include <algorithm>

namespace helio {

std::string shell_quoted(std::string_view word) {
    const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view{"/:._-+=@[],%"}.find(c) != std::string_view::npos;
    });
    if (is_plain) return std::string{word};
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

}  // namespace helio
