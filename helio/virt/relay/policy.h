// Policy: decides whether a call may pass a relay. Rules are bound to procedures once; then each
// call is judged by its number and, only if a rule needs them, by its arguments.
//
// A call that matches a deny rule is denied. If there are allow rules, a call must also match one
// of them, unless it is one that every connection needs. If it is undecidable whether a rule
// matches (arguments that do not decode, ambiguous XML), the call is denied.
//
// libvirt's daemons find a domain by its UUID (some drivers by its name), and a client may send the
// name of one domain with the UUID of another. So a rule on names checks both: the name that was
// sent, and the name that the daemon has for that UUID. The latter is a Question, which the relay
// asks the daemon for each call, since names change. For deny, one matching name is enough; for
// allow, both must match.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/result.h"
#include "helio/virt/relay/procedures.h"
#include "helio/virt/relay/rules.h"
#include "helio/virt/wire/envelope.h"

namespace helio::virt::relay {

// Nodes of an argument tree: 16,384 domains, the most that one call names, take 100,000. 40 bytes
// each; larger arguments are denied.
inline constexpr std::uint32_t kRelayNodesMax = 1u << 20;

// Objects that have both a name and a UUID.
enum class ObjectKind : std::uint8_t { domain, network, pool, filter };

// What is this object's name? Asked by UUID, and for domains also by number.
struct Question {
    ObjectKind kind = ObjectKind::domain;
    bool by_number = false;
    std::array<std::byte, 16> uuid{};
    std::int32_t number = 0;

    friend auto operator<=>(const Question&, const Question&) = default;
};
// The call that asks the question: a procedure of the remote program, and its arguments.
std::uint32_t procedure_of(const Question& question);
std::vector<std::byte> arguments_of(const Question& question);
// The name in the results of that call.
Result<std::string, std::string> answer_in(ByteView results);

using Answers = std::map<Question, std::string>;

struct Judgement {
    enum class Kind : std::uint8_t { allowed, denied, ask };
    Kind kind = Kind::allowed;
    std::size_t rule = 0;             // the rule that decided, from 1; 0: none
    std::string reason;               // "deny DomainDestroy:domain=prod-*", "read-only"
    VirtError error;                  // denied: the client's answer
    std::vector<Question> questions;  // ask: the open ones; then judge again
};

class Policy final {
 public:
    struct Options {
        std::vector<Rule> rules;
        bool read_only = false;
    };
    // The error says what is wrong with a rule, such as an unknown procedure.
    static Result<std::unique_ptr<Policy>, std::string> make(const Procedures& procedures,
                                                             Options options);
    ~Policy();
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;

    // False: everything passes, even unknown procedures.
    bool in_force() const { return !rules_.empty() || read_only_; }
    Judgement judge(const frame::VirnetHeader& call, ByteView arguments,
                    const Answers& answers) const;
    const std::vector<Rule>& rules() const { return rules_; }
    const Procedures& procedures() const { return procedures_; }

 private:
    struct BoundCondition;
    struct BoundRule;
    struct Evidence;

    Policy(const Procedures& procedures, Options options);
    Result<bool, std::string> bind(std::size_t rule);
    bool bind_to(std::size_t rule, const RelayProcedure& procedure, std::string& why);
    bool bind_condition(const Condition& condition, const RelayProcedure& procedure,
                        BoundCondition& out, std::string& why) const;
    Judgement denied_to_readers(const RelayProcedure& procedure, ByteView arguments) const;
    Judgement judge_by_rules(const RelayProcedure& procedure, ByteView arguments,
                             const Answers& answers) const;
    bool holds(const BoundRule& rule, const Evidence& evidence) const;
    bool holds(const BoundCondition& condition, Effect effect, const Evidence& evidence) const;
    bool gather(const BoundCondition& condition, const Evidence& evidence,
                std::vector<std::string>& values, std::vector<Question>& questions) const;

    const Procedures& procedures_;
    std::vector<Rule> rules_;
    bool read_only_ = false;
    bool has_allow_rules_ = false;
    std::vector<std::vector<BoundRule>> by_procedure_;  // by RelayProcedure::index
};

}  // namespace helio::virt::relay
