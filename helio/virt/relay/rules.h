// Rules: the text form of rules about which calls pass a relay.
//
//     [PROGRAM.]PROCEDURE[:WHAT=GLOB[,WHAT!=GLOB]…]
//
//     DomainDestroy                            one procedure
//     Domain*                                  all with this prefix
//     qemu.*                                   all of a program other than remote
//     DomainLookupByName:name=test-*           a field of the arguments, by its path in JSON
//     *:domain=prod-*                          any domain in the arguments, in any field
//     DomainSetMemory:domain=web,memory!=0     all conditions must hold
//
// In globs * is any text and ? any character; a backslash escapes the next character. Procedure
// names are compared as RelayProcedure::plain. This only parses the text; policy.h interprets it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"

namespace helio::virt::relay {

// Rules of one relay: each is checked against every procedure at start-up.
inline constexpr std::size_t kRelayRulesMax = 10'000;

enum class Effect : std::uint8_t { allow, deny };

struct Condition {
    std::string path;  // "dom.name", or "domain"
    bool equal = true;
    std::string glob;
};

struct Rule {
    Effect effect = Effect::allow;
    std::string text;       // as written, without "allow" and "deny"
    std::string program;    // a glob over "remote", "qemu" …
    std::string procedure;  // a glob over plain names
    std::vector<Condition> conditions;
};

// The error says what is wrong.
Result<Rule, std::string> parse_rule(Effect effect, std::string_view text);
// A file of rules: "allow RULE" or "deny RULE" on each line; # begins a comment.
Result<std::vector<Rule>, std::string> parse_rules(std::string_view text, std::string_view file);
// "deny DomainDestroy:domain=prod-*"
std::string to_text(const Rule& rule);

bool glob_matches(std::string_view glob, std::string_view text);
// True if it has no * and no ?, so that it matches one word only.
bool is_plain_glob(std::string_view glob);

}  // namespace helio::virt::relay
