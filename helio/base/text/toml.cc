#define TOML_IMPLEMENTATION
#include "helio/base/text/toml.h"

#include <algorithm>
#include <optional>

#include "helio/base/text/escape.h"

namespace helio {
namespace {

struct NotToml {};

// The first letter beyond ASCII that is in no string and no comment, or ends an escape: TOML has
// none there, and toml++ 3.3 has no case for some of them (its table of white space ends in
// "unreachable").
std::optional<TomlProblem> stray_letter(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // of UTF-8, which may come first
    constexpr std::string_view kSpace = " \t\r\n";
    constexpr std::string_view kBeforeStrings = " \t\r\n=,[{.";
    std::size_t at = text.starts_with(kMark) ? kMark.size() : 0;
    std::string_view quote;  // of the string we are in
    const auto is_stray = [&] {
        return at < text.size() && static_cast<signed char>(text[at]) < 0;
    };
    while (at < text.size()) {
        const char one = text[at];
        if (quote.empty()) {
            if (is_stray()) break;
            if (one == '#') {
                at = std::min(text.find('\n', at), text.size());
            } else if ((one == '"' || one == '\'') &&
                       (at == 0 || kBeforeStrings.find(text[at - 1]) != std::string_view::npos)) {
                const std::string_view three = text.substr(at, 3);
                const bool long_one = three.size() == 3 && three[1] == one && three[2] == one;
                quote = long_one ? three : three.substr(0, 1);
                // A string of one line that has no end there is none.
                const std::size_t line_end = std::min(text.find('\n', at), text.size());
                if (quote.size() == 1 &&
                    text.substr(at + 1, line_end - at - 1).find(one) == std::string_view::npos)
                    quote = {};
                at += long_one ? 3 : 1;
            } else {
                ++at;
            }
        } else if (text.substr(at).starts_with(quote)) {
            at += quote.size();
            quote = {};
        } else if (one == '\\' && quote[0] == '"') {
            const std::size_t after = at + 1;  // at the end of a line space follows
            at = std::min(text.find_first_not_of(kSpace, after), text.size());
            if (is_stray()) break;
            if (at == after && at < text.size()) ++at;
        } else if (one == '\n' && quote.size() == 1) {
            quote = {};  // a string without an end, which the parser will say
            ++at;
        } else {
            ++at;
        }
    }
    if (at >= text.size()) return std::nullopt;
    const std::string_view before = text.substr(0, at);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return TomlProblem{
        static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n') + 1),
        static_cast<std::uint32_t>(at - line_begin + 1),
        "a letter beyond ASCII, which only strings and comments may have"};
}

}  // namespace

void refuse_toml() { throw NotToml{}; }

Result<toml::table, TomlProblem> parse_toml(std::string_view text) {
    if (auto stray = stray_letter(text)) return fail(std::move(*stray));
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        return fail(TomlProblem{error.source().begin.line, error.source().begin.column,
                                printable(error.description())});
    } catch (const NotToml&) {
        return fail(TomlProblem{0, 0, "not valid TOML"});
    }
}

}  // namespace helio
