// Rules: which calls pass a relay, as people write it.
//
//     [PROGRAM.]PROCEDURE[:WHAT=GLOB[,WHAT!=GLOB]…]
//
//     DomainDestroy                            one procedure
//     Domain*                                  all that begin so
//     qemu.*                                   all of another program than remote
//     DomainLookupByName:name=test-*           a field of the arguments, by its path in JSON
//     *:domain=prod-*                          any domain in the arguments, whatever the field
//     DomainSetMemory:domain=web,memory!=0     all of them have to hold
//
// In globs * is any text and ? any character; a backslash takes the next character as it is. Names
// of procedures are compared as RelayProcedure::plain. This is the text alone: policy.h knows what
// it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"

namespace helio::virt::relay {

// Rules of one relay: each is looked at for every procedure when it starts.
inline constexpr std::size_t kRelayRulesMax = 10'000;

enum class Effect : std::uint8_t { allow, deny };

struct Condition {
    std::string path;  // "dom.name", or "domain"
    bool equal = true;
    std::string glob;
};

struct Rule {
    Effect effect = Effect::allow;
    std::string text;       // as it was written, without "allow" and "deny"
    std::string program;    // a glob over "remote", "qemu" …
    std::string procedure;  // a glob over plain names
    std::vector<Condition> conditions;
};

// Or what is wrong with it.
Result<Rule, std::string> parse_rule(Effect effect, std::string_view text);
// A file of them: "allow RULE" or "deny RULE" on each line, with # before what is a comment.
Result<std::vector<Rule>, std::string> parse_rules(std::string_view text, std::string_view file);
// "deny DomainDestroy:domain=prod-*"
std::string to_text(const Rule& rule);

bool glob_matches(std::string_view glob, std::string_view text);
// There is no * and no ? in it, so that it means one word alone.
bool is_plain_glob(std::string_view glob);

}  // namespace helio::virt::relay
