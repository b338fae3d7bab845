// Policy: whether a call may pass a relay. Rules are bound to procedures once; then each call is
// judged by its number and, only where a rule wants to know, by its arguments.
//
// Any deny rule that holds denies. Without allow rules everything else passes; with them, what one
// of them allows, and what a connection cannot do without. Where it cannot be told whether a
// rule holds — arguments that do not decode, XML that could be read in two ways — it is taken to
// deny.
//
// libvirt's daemons find a domain by its UUID (some drivers by its name), and nothing keeps a
// client from sending the name of one with the UUID of another. So a rule on names looks at
// both: the name that was sent, and the name that the daemon has for that UUID. The latter is a
// Question, which the relay puts to the daemon for each call anew, since names change. To deny, one
// of the names is enough; to allow, both have to fit.
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

// Nodes of a tree of arguments: 16,384 domains, the most that one call names, take 100,000. 40
// bytes each; arguments beyond it are denied.
inline constexpr std::uint32_t kRelayNodesMax = 1u << 20;

// What has both a name and a UUID.
enum class ObjectKind : std::uint8_t { domain, network, pool, filter };

// What is this object's name? Asked by UUID, and of domains also by number.
struct Question {
    ObjectKind kind = ObjectKind::domain;
    bool by_number = false;
    std::array<std::byte, 16> uuid{};
    std::int32_t number = 0;

    friend auto operator<=>(const Question&, const Question&) = default;
};
// The call that asks it: a procedure of the remote program, with these arguments.
std::uint32_t procedure_of(const Question& question);
std::vector<std::byte> arguments_of(const Question& question);
// The name, out of the results of that call.
Result<std::string, std::string> answer_in(ByteView results);

using Answers = std::map<Question, std::string>;

struct Judgement {
    enum class Kind : std::uint8_t { allowed, denied, ask };
    Kind kind = Kind::allowed;
    std::size_t rule = 0;             // the rule that decided it, from 1; 0: none did
    std::string reason;               // "deny DomainDestroy:domain=prod-*", "read-only"
    VirtError error;                  // denied: what the client is told
    std::vector<Question> questions;  // ask: those without an answer, and then judge again
};

class Policy final {
 public:
    struct Options {
        std::vector<Rule> rules;
        bool read_only = false;
    };
    // Or what is wrong with a rule: a name that no procedure has.
    static Result<std::unique_ptr<Policy>, std::string> make(const Procedures& procedures,
                                                             Options options);
    ~Policy();
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;

    // False: everything passes, what nobody knows too.
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
