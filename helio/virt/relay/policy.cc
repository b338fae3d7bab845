// Policy: rules bound to procedures, and the verdict on a call.
#include "helio/virt/relay/policy.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/nearest.h"
#include "helio/reflect/decode.h"
#include "helio/virt/relay/objects_internal.h"
#include "helio/virt/relay/values_internal.h"
#include "helio/xdr/wire.h"

namespace helio::virt::relay {

// One condition, for one procedure.
struct Policy::BoundCondition {
    const Condition* condition = nullptr;
    std::string glob;                // UUIDs without hyphens
    std::vector<std::string> path;   // empty: any object of `kind`
    std::optional<ObjectKind> kind;  // the value is the name of such an object
    Lookup lookup = Lookup::none;
    bool cannot_tell = false;     // the arguments concern such objects but name none
    bool named_by_field = false;  // ... name one in a plain field, if at all
};

struct Policy::BoundRule {
    std::size_t rule = 0;  // in rules_
    std::vector<BoundCondition> conditions;
};

// What is known about a call.
struct Policy::Evidence {
    const reflect::Tree& tree;
    const Answers& answers;
};

Policy::Policy(const Procedures& procedures, Options options)
    : procedures_(procedures),
      rules_(std::move(options.rules)),
      read_only_(options.read_only),
      by_procedure_(procedures.all().size()) {
    for (const Rule& one : rules_)
        has_allow_rules_ = has_allow_rules_ || one.effect == Effect::allow;
}

Policy::~Policy() = default;

// ---- Binding ----

Result<std::unique_ptr<Policy>, std::string> Policy::make(const Procedures& procedures,
                                                          Options options) {
    if (options.rules.size() > kRelayRulesMax)
        return fail(fmt::format("{} rules; the limit is {}", options.rules.size(), kRelayRulesMax));
    std::unique_ptr<Policy> out{new Policy(procedures, std::move(options))};
    for (std::size_t i = 0; i < out->rules_.size(); ++i)
        if (const auto done = out->bind(i); !done) return fail(done.error());
    return out;
}

Result<bool, std::string> Policy::bind(std::size_t rule) {
    const Rule& text = rules_[rule];
    bool named = false;
    bool bound = false;
    std::string why;
    Nearest nearest{text.procedure};
    for (const RelayProcedure& one : procedures_.all()) {
        if (one.event) continue;
        nearest.offer(one.plain);
        if (!glob_matches(text.program, one.schema) || !glob_matches(text.procedure, one.plain))
            continue;
        // A wildcard must not cut off connections: such a procedure has to be named.
        if (one.essential && text.effect == Effect::deny && !is_plain_glob(text.procedure))
            continue;
        named = true;
        bound = bind_to(rule, one, why) || bound;
    }
    if (bound) return true;
    const auto wrong = [&](std::string_view problem) {
        return fail(fmt::format("rule '{}': {}", text.text, problem));
    };
    if (named) return wrong(why);
    std::string near;
    for (const RelayProcedure& one : procedures_.all())
        if (one.plain == nearest.found()) near = fmt::format("; {}?", one.name);
    return wrong("no procedure has that name" + near);
}

bool Policy::bind_to(std::size_t rule, const RelayProcedure& procedure, std::string& why) {
    BoundRule out;
    out.rule = rule;
    for (const Condition& one : rules_[rule].conditions) {
        BoundCondition bound;
        std::string problem;
        if (!bind_condition(one, procedure, bound, problem)) {
            why = fmt::format("{} of {}: {}", escaped(one.path), procedure.name, problem);
            return false;
        }
        out.conditions.push_back(std::move(bound));
    }
    by_procedure_[procedure.index].push_back(std::move(out));
    return true;
}

bool Policy::bind_condition(const Condition& condition, const RelayProcedure& procedure,
                            BoundCondition& out, std::string& why) const {
    out.condition = &condition;
    out.glob = condition.glob;
    if (const auto kind = object_kind_named(condition.path)) {
        out.kind = kind;
        out.lookup = lookup_of(procedure, *kind);
        if (out.lookup != Lookup::none || may_contain(*procedure.arguments, *kind)) return true;
        why = fmt::format("it does not refer to a {}", condition.path);
        if (!is_about(procedure, *kind)) return false;
        out.named_by_field = may_identify(procedure, *kind);
        out.cannot_tell = !out.named_by_field;
        return true;
    }
    out.path = split_path(condition.path);
    const auto end = follow(*procedure.arguments, out.path, why);
    if (!end) return false;
    if (const auto kind = object_kind_of(*end->type)) {  // an object is compared by its name
        out.kind = kind;
        out.path.emplace_back("name");
        return true;
    }
    if (end->parent != nullptr) {
        const std::string& field = out.path.back();
        const auto kind = object_kind_of(*end->parent);
        if (kind && field == "name") out.kind = kind;
        if (const std::string_view instead = what_counts_instead(*end->parent, field);
            !instead.empty()) {
            why = fmt::format(
                "the daemon ignores this field, so a client can put anything there; use {}",
                instead);
            return false;
        }
    }
    if (end->type->kind == idl::Kind::opaque_fixed)
        out.glob.erase(std::remove(out.glob.begin(), out.glob.end(), '-'), out.glob.end());
    return true;
}

// ---- Judging ----

namespace {

Judgement denied(std::size_t rule, std::string reason, VirtError error) {
    Judgement out;
    out.kind = Judgement::Kind::denied;
    out.rule = rule;
    out.reason = std::move(reason);
    out.error = std::move(error);
    return out;
}

// "operation denied: DomainDestroy, by the relay's rule 2 (deny DomainDestroy)"
VirtError denial(const RelayProcedure& procedure, std::string_view why) {
    return virt_error(VIR_ERR_OPERATION_DENIED, VIR_FROM_RPC,
                      fmt::format("{}: {}", procedure.name, why));
}

}  // namespace

Judgement Policy::judge(const frame::VirnetHeader& call, ByteView arguments,
                        const Answers& answers) const {
    if (!in_force()) return {};
    const RelayProcedure* const procedure =
        procedures_.find(call.program, call.version, call.procedure);
    // Worded so that libvirt's clients try an older call.
    if (procedure == nullptr || procedure->event)
        return denied(0, "unknown procedure",
                      virt_error(VIR_ERR_RPC, VIR_FROM_RPC,
                                 fmt::format("unknown procedure: {}",
                                             static_cast<std::int32_t>(call.procedure))));
    if (read_only_) {
        Judgement out = denied_to_readers(*procedure, arguments);
        if (out.kind == Judgement::Kind::denied) return out;
    }
    return judge_by_rules(*procedure, arguments, answers);
}

// The rules of libvirt's read-only sockets.
Judgement Policy::denied_to_readers(const RelayProcedure& procedure, ByteView arguments) const {
    using Readers = RelayProcedure::Readers;
    if (procedure.readers == Readers::allowed) return {};
    if (procedure.readers != Readers::denied) {
        const auto found = procedure.readers_field.find(arguments);
        if (!found)
            return denied(0, "read-only, and the arguments cannot be decoded",
                          denial(procedure, "the arguments cannot be decoded"));
        const auto number = static_cast<std::uint32_t>(found->number);
        const bool hit = procedure.readers == Readers::denied_by_bits
                             ? (number & procedure.readers_number) != 0
                             : number == procedure.readers_number;
        if (!hit) return {};
    }
    const std::string& function = procedure.api.empty() ? procedure.name : procedure.api;
    return denied(0, "read-only",
                  virt_error(VIR_ERR_OPERATION_DENIED, domain_of_function(function),
                             fmt::format("read only access prevents {}", function)));
}

Judgement Policy::judge_by_rules(const RelayProcedure& procedure, ByteView arguments,
                                 const Answers& answers) const {
    const std::vector<BoundRule>& bound = by_procedure_[procedure.index];
    const auto by_rule = [&](const BoundRule& one) {
        const std::string text = to_text(rules_[one.rule]);
        return denied(one.rule + 1, text,
                      denial(procedure, fmt::format("denied by rule {} of the relay, {}",
                                                    one.rule + 1, escaped(text))));
    };
    bool conditions = false;
    for (const BoundRule& one : bound) {
        conditions = conditions || !one.conditions.empty();
        if (one.conditions.empty() && rules_[one.rule].effect == Effect::deny) return by_rule(one);
    }
    reflect::Tree tree;
    if (conditions) {
        tree = reflect::decode(arguments, *procedure.arguments,
                               {.strict = false, .nodes_max = kRelayNodesMax});
        if (!tree.ok()) {
            const std::string why =
                fmt::format("the arguments cannot be decoded: {}", to_string(tree.error));
            return denied(0, why, denial(procedure, why));
        }
    }
    const Evidence evidence{tree, answers};
    Judgement out;
    for (const BoundRule& one : bound)
        for (const BoundCondition& condition : one.conditions) {
            std::vector<std::string> values;
            gather(condition, evidence, values, out.questions);
        }
    if (!out.questions.empty()) {
        std::sort(out.questions.begin(), out.questions.end());
        out.questions.erase(std::unique(out.questions.begin(), out.questions.end()),
                            out.questions.end());
        out.kind = Judgement::Kind::ask;
        return out;
    }
    for (const BoundRule& one : bound)
        if (rules_[one.rule].effect == Effect::deny && holds(one, evidence)) return by_rule(one);
    if (procedure.essential || !has_allow_rules_) return out;
    for (const BoundRule& one : bound) {
        if (rules_[one.rule].effect != Effect::allow || !holds(one, evidence)) continue;
        out.rule = one.rule + 1;
        out.reason = to_text(rules_[one.rule]);
        return out;
    }
    return denied(0, "no rule allows it", denial(procedure, "no rule of the relay allows it"));
}

bool Policy::holds(const BoundRule& rule, const Evidence& evidence) const {
    for (const BoundCondition& one : rule.conditions)
        if (!holds(one, rules_[rule.rule].effect, evidence)) return false;
    return true;
}

// For deny, one matching value is enough; for allow, all must match and there must be one. A
// missing value is unequal to everything.
bool Policy::holds(const BoundCondition& condition, Effect effect, const Evidence& evidence) const {
    const bool denies = effect == Effect::deny;
    std::vector<std::string> values;
    std::vector<Question> questions;
    if (!gather(condition, evidence, values, questions) || !questions.empty()) return denies;
    const auto fits = [&](const std::string& value) {
        return glob_matches(condition.glob, value) == condition.condition->equal;
    };
    if (values.empty()) return denies && !condition.condition->equal;
    return denies ? std::any_of(values.begin(), values.end(), fits)
                  : std::all_of(values.begin(), values.end(), fits);
}

// The values that a condition compares, and the questions to ask before all of them are known.
// False: undecidable.
bool Policy::gather(const BoundCondition& condition, const Evidence& evidence,
                    std::vector<std::string>& values, std::vector<Question>& questions) const {
    if (condition.cannot_tell) return false;
    ValuesOf of{evidence.tree, evidence.answers, values, questions};
    if (condition.lookup != Lookup::none) return of.looked_up(condition.lookup, *condition.kind);
    if (!condition.path.empty()) {
        of.at(condition.path, condition.kind);
        return true;
    }
    of.objects(*condition.kind);
    const auto named = of.fields(*condition.kind);
    return named != ValuesOf::Named::undecidable &&
           (!condition.named_by_field || named == ValuesOf::Named::identified);
}

}  // namespace helio::virt::relay
