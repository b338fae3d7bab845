#define TOML_IMPLEMENTATION
#include "helio/base/text/toml.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "helio/base/text/escape.h"

namespace helio {
namespace {

struct NotToml {};

// The first letter beyond ASCII that is outside strings and comments, or ends an escape: TOML
// allows none there, and toml++ 3.3 does not handle some of them (its table of white space ends in
// "unreachable").
std::optional<TomlProblem> stray_letter(std::string_view text) {
    constexpr std::string_view kMark = "\xef\xbb\xbf";  // the byte order mark, which may come first
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
                // A single-line string that does not end on its line is not a string.
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
            const std::size_t after =
                at + 1;  // a backslash at the end of a line is followed by white space
            at = std::min(text.find_first_not_of(kSpace, after), text.size());
            if (is_stray()) break;
            if (at == after && at < text.size()) ++at;
        } else if (one == '\n' && quote.size() == 1) {
            quote = {};  // a string without an end, which the parser will report
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

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t begin = std::min(text.find_first_not_of(kBlank), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

std::string_view line_of(std::string_view text, std::uint32_t number) {
    for (std::uint32_t i = 1; i < number; ++i)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return trimmed(text.substr(0, text.find('\n')));
}

// The line without its comment, and whether it ends within a string.
struct Scanned {
    std::string_view code;
    bool has_open_string = false;
};
Scanned scan(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char one = line[i];
        if (quote != 0 && one == '\\' && quote == '"')
            ++i;
        else if (quote != 0 && one == quote)
            quote = 0;
        else if (quote == 0 && (one == '"' || one == '\''))
            quote = one;
        else if (quote == 0 && one == '#')
            return {trimmed(line.substr(0, i)), false};
    }
    return {line, quote != 0};
}

bool is_in(std::string_view set, char one) { return set.find(one) != std::string_view::npos; }

// A guess at the mistake in the value of a key; or nothing.
std::string mistake_in_value(std::string_view key, std::string_view value) {
    constexpr std::string_view kValueBegins = "\"'[{+-0123456789";
    if (value.empty()) return fmt::format("'{}' has no value behind its '='", key);
    if (value == "True" || value == "False" || value == "TRUE" || value == "FALSE")
        return fmt::format("'{}' is true or false, in small letters", key);
    const bool is_word = value == "true" || value == "false" || value == "inf" || value == "nan";
    // Addresses begin like numbers.
    const bool looks_like_address =
        std::count(value.begin(), value.end(), '.') > 1 || is_in(value, '/');
    const bool is_quoted = is_in("\"'[{", value[0]);
    if (!is_word && !is_quoted && (!is_in(kValueBegins, value[0]) || looks_like_address))
        return fmt::format("the value of '{0}' is text and needs quotes: {0} = \"{1}\"", key,
                           value);
    return {};
}

// A guess at the mistake in this line; or nothing.
std::string mistake_in(std::string_view line) {
    const auto [code, has_open_string] = scan(line);
    if (has_open_string) return "a string has no closing quote";
    if (code.starts_with("[[") != code.ends_with("]]") && code.starts_with('['))
        return "a header in brackets has as many of them at its end as at its beginning: "
               "[[export]]";
    if (code.starts_with('[')) return {};
    const std::size_t equals = code.find('=');
    if (equals == std::string_view::npos) return fmt::format("'{}' has no '=' and no value", code);
    const std::string_view key = trimmed(code.substr(0, equals));
    if (key.empty()) return "there is no key in front of the '='";
    return mistake_in_value(key, trimmed(code.substr(equals + 1)));
}

// toml++'s own sentence, for mistakes that we do not recognise.
std::string sentence_of(std::string_view description) {
    constexpr std::string_view kBegin = "Error while parsing ";
    if (description.starts_with(kBegin)) description.remove_prefix(kBegin.size());
    return fmt::format("this is not TOML ({})", description);
}

TomlProblem explain(std::string_view text, const toml::parse_error& error) {
    const auto& at = error.source().begin;
    const std::string_view line = line_of(text, at.line);
    const bool is_twice = error.description().find("redefine") != std::string_view::npos;
    std::string reason = line.empty() || is_twice ? "" : mistake_in(line);
    if (is_twice) reason = "this is there twice";
    if (reason.empty()) reason = sentence_of(error.description());
    if (!line.empty()) reason += fmt::format("; the line reads: {}", line);
    return {at.line, at.column, printable(reason)};
}

}  // namespace

void refuse_toml() { throw NotToml{}; }

Result<toml::table, TomlProblem> parse_toml(std::string_view text) {
    if (auto stray = stray_letter(text)) return fail(std::move(*stray));
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        return fail(explain(text, error));
    } catch (const NotToml&) {
        return fail(TomlProblem{0, 0, "not valid TOML"});
    }
}

}  // namespace helio
