#include "helio/virt/relay/rules.h"

#include <fmt/format.h>

#include "helio/virt/relay/procedures.h"

namespace helio::virt::relay {

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const std::size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// The text before the first unescaped `end`.
std::string_view up_to(std::string_view text, char end) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == end)
            return text.substr(0, i);
    }
    return text;
}

Result<Condition, std::string> parse_condition(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0)
        return fail(
            fmt::format("'{}' is not a condition; expected FIELD=GLOB or FIELD!=GLOB", text));
    Condition out;
    out.equal = text[equals - 1] != '!';
    out.path = trimmed(text.substr(0, out.equal ? equals : equals - 1));
    out.glob = text.substr(equals + 1);
    if (out.path.empty()) return fail(fmt::format("'{}': the field is missing", text));
    return out;
}

}  // namespace

Result<Rule, std::string> parse_rule(Effect effect, std::string_view text) {
    Rule out;
    out.effect = effect;
    out.text = text;
    const auto wrong = [&](std::string_view why) {
        return fail(fmt::format("rule '{}': {}", text, why));
    };
    const std::size_t colon = text.find(':');
    const std::string_view name = trimmed(text.substr(0, colon));
    if (name.empty()) return wrong("the procedure is missing; * matches all of them");
    const std::size_t dot = name.find('.');
    // A lone asterisk matches all programs; otherwise the default program is remote.
    out.program = dot != std::string_view::npos ? name.substr(0, dot)
                  : name == "*"                 ? "*"
                                                : "remote";
    out.procedure =
        plain_procedure_name(dot != std::string_view::npos ? name.substr(dot + 1) : name);
    if (out.procedure.empty()) return wrong("the procedure is missing");
    if (colon == std::string_view::npos) return out;
    std::string_view rest = text.substr(colon + 1);
    if (trimmed(rest).empty()) return wrong("the condition after the colon is missing");
    while (true) {
        const std::string_view one = up_to(rest, ',');
        auto condition = parse_condition(one);
        if (!condition) return wrong(condition.error());
        out.conditions.push_back(std::move(*condition));
        if (one.size() == rest.size()) return out;
        rest.remove_prefix(one.size() + 1);
    }
}

Result<std::vector<Rule>, std::string> parse_rules(std::string_view text, std::string_view file) {
    std::vector<Rule> out;
    for (std::size_t line = 1; !text.empty(); ++line) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view whole = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (whole.empty() || whole.front() == '#') continue;
        const std::size_t blank = std::min(whole.find_first_of(" \t"), whole.size());
        const std::string_view word = whole.substr(0, blank);
        if (word != "allow" && word != "deny")
            return fail(fmt::format("{}:{}: expected 'allow RULE' or 'deny RULE', not '{}'", file,
                                    line, word));
        auto rule = parse_rule(word == "allow" ? Effect::allow : Effect::deny,
                               trimmed(whole.substr(blank)));
        if (!rule) return fail(fmt::format("{}:{}: {}", file, line, rule.error()));
        out.push_back(std::move(*rule));
    }
    return out;
}

std::string to_text(const Rule& rule) {
    return fmt::format("{} {}", rule.effect == Effect::allow ? "allow" : "deny", rule.text);
}

// Backtracks to the last asterisk only: time is at worst the product of both lengths.
bool glob_matches(std::string_view glob, std::string_view text) {
    constexpr std::size_t kNone = std::string_view::npos;
    std::size_t g = 0, t = 0, star = kNone, from = 0;
    while (t < text.size()) {
        if (g < glob.size() && glob[g] == '*') {
            star = g++;
            from = t;
            continue;
        }
        if (g < glob.size()) {
            const bool taken_as_is = glob[g] == '\\' && g + 1 < glob.size();
            const std::size_t at = taken_as_is ? g + 1 : g;
            if ((!taken_as_is && glob[g] == '?') || glob[at] == text[t]) {
                g = at + 1;
                ++t;
                continue;
            }
        }
        if (star == kNone) return false;
        g = star + 1;
        t = ++from;
    }
    while (g < glob.size() && glob[g] == '*') ++g;
    return g == glob.size();
}

bool is_plain_glob(std::string_view glob) {
    return glob.find_first_of("*?\\") == std::string_view::npos;
}

}  // namespace helio::virt::relay
