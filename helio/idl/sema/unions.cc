// Unions. Their cases are processed last: the discriminant's values must be known.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {

void Sema::build_union_head(Type& type, const ast::Body& body) {
    static_cast<Documented&>(type.discriminant) = body.discriminant;
    type.discriminant.type = &converted(body.discriminant, type.name, Role::discriminant);
    for (const ast::Arm& from : body.arms) {
        Arm& made = type.arms.emplace_back();
        made.is_default = from.is_default;
        static_cast<Documented&>(made.field) = from.field;
        made.field.type = &converted(from.field, type.name, Role::arm);
    }
    unions_.emplace_back(&type, &body);
}

void Sema::finish_union(Type& type, const ast::Body& body) {
    if (body.discriminant.type.form == ast::TypeName::Form::broken) return;
    const Type& discriminant = resolve(*type.discriminant.type);
    switch (discriminant.kind) {
        case Kind::int_:
        case Kind::unsigned_int:
        case Kind::boolean:
        case Kind::enumeration:
            break;
        default:
            diagnostics_.error(body.discriminant.type.where,
                               fmt::format("union '{}' cannot switch on this type", type.name),
                               "a discriminant must be int, unsigned int, bool or an enum");
            return;
    }
    if (body.discriminant.shape != ast::Shape::plain) return;  // reported above: an optional
    if (type.arms.empty() && !body.broken) {
        diagnostics_.error(type.where, fmt::format("union '{}' has no arms", type.name));
    }
    check_arm_names(type, body);
    finish_cases(type, body);
    std::stable_partition(type.arms.begin(), type.arms.end(),
                          [](const Arm& arm) { return !arm.is_default; });
    if (!body.broken) check_all_values_have_arms(type);
}

void Sema::finish_cases(Type& type, const ast::Body& body) {
    const Type& discriminant = resolve(*type.discriminant.type);
    std::unordered_map<std::int64_t, Location> seen;
    const ast::Arm* default_arm = nullptr;
    for (std::size_t i = 0; i < body.arms.size(); ++i) {
        const ast::Arm& from = body.arms[i];
        Arm& made = type.arms[i];
        if (from.is_default && std::exchange(default_arm, &from) != nullptr) {
            diagnostics_.error(from.where,
                               fmt::format("union '{}' has two default arms", type.name));
        }
        for (const ast::Value& label : from.cases) {
            const auto value = constants_.evaluate(label, "case");
            if (!value || !fits_discriminant(discriminant, *value, label)) continue;
            const auto magnitude = static_cast<std::int64_t>(value->magnitude);
            const std::int64_t number = value->negative ? -magnitude : magnitude;
            const auto [first, is_new] = seen.emplace(number, label.where);
            if (!is_new) {
                diagnostics_.error(label.where,
                                   fmt::format("case {} appears twice in '{}'", number, type.name),
                                   fmt::format("the first is at {}", names_.place(first->second)));
            }
            // `case A: default:`: the default already covers A.
            if (made.is_default) continue;
            const bool by_name = label.form == ast::Value::Form::name;
            made.cases.push_back(
                {number, by_name ? std::string(label.name) : std::string(), label.where});
        }
    }
}

bool Sema::fits_discriminant(const Type& discriminant, const Integer& value,
                             const ast::Value& label) {
    const auto refuse = [&](std::string why, std::string hint = {}) {
        diagnostics_.error(label.where, std::move(why), std::move(hint));
        return false;
    };
    switch (discriminant.kind) {
        case Kind::unsigned_int:
            return value.as_uint32() ||
                   refuse(fmt::format("case {} is not an unsigned int", value.text()));
        case Kind::boolean:
            return (!value.negative && value.magnitude <= 1) ||
                   refuse(fmt::format("case {} is not a bool", value.text()));
        case Kind::enumeration: {
            const auto number = value.as_int32();
            const bool listed =
                number && (discriminant.open() || values_of(discriminant).contains(*number));
            return listed || refuse(fmt::format("case {} is not a value of enum '{}'", value.text(),
                                                discriminant.name),
                                    fmt::format("the enum is defined at {}",
                                                names_.place(discriminant.where)));
        }
        default:
            return value.as_int32() || refuse(fmt::format("case {} is not an int", value.text()));
    }
}

// Made once for each enum: a union may have as many cases as its enum has values.
const std::unordered_set<std::int64_t>& Sema::values_of(const Type& enumeration) {
    const auto [found, is_new] = enum_values_.try_emplace(&enumeration);
    if (is_new) {
        for (const Enumerator& each : enumeration.enumerators) found->second.insert(each.value);
    }
    return found->second;
}

// RFC 4506 §6.4: names are unique within a scope, and a union is a scope that includes its
// discriminant. But RFC 5531 §9 itself gives an arm of rejected_reply the same name as the
// discriminant, and rpcgen accepts that, so here such an arm gets an underscore.
void Sema::check_arm_names(Type& type, const ast::Body& body) {
    std::unordered_map<std::string_view, Location> seen;
    for (std::size_t i = 0; i < body.arms.size(); ++i) {
        const auto& field = body.arms[i].field;
        if (field.name.empty()) continue;
        const auto [first, is_new] = seen.emplace(field.name, field.where);
        if (!is_new) {
            diagnostics_.error(
                field.where, fmt::format("two arms of '{}' are named '{}'", type.name, field.name),
                fmt::format("the first is at {}", names_.place(first->second)));
        }
    }
    for (std::size_t i = 0; i < body.arms.size(); ++i) {
        const auto& field = body.arms[i].field;
        if (field.name.empty() || field.name != body.discriminant.name) continue;
        std::string& name = type.arms[i].field.name;
        do name += '_';
        while (seen.contains(name));
        diagnostics_.warning(
            field.where, fmt::format("arm '{}' has the same name as the discriminant", field.name),
            fmt::format("it is called '{}' in C++ and JSON", name));
    }
}

void Sema::check_all_values_have_arms(const Type& type) {
    if (type.arms.empty() || type.arms.back().is_default) return;
    const Type& discriminant = resolve(*type.discriminant.type);
    std::unordered_set<std::int64_t> covered;
    for (const Arm& arm : type.arms) {
        for (const Arm::Case& one : arm.cases) covered.insert(one.value);
    }
    std::vector<std::string> missing;
    if (discriminant.kind == Kind::boolean) {
        if (!covered.contains(0)) missing.emplace_back("FALSE");
        if (!covered.contains(1)) missing.emplace_back("TRUE");
    }
    for (const Enumerator& each : discriminant.enumerators) {
        if (covered.insert(each.value).second) missing.push_back(each.name);
    }
    if (missing.empty()) return;
    constexpr std::size_t kNamedMax = 3;
    std::string list = missing.front();
    for (std::size_t i = 1; i < std::min(missing.size(), kNamedMax); ++i) list += ", " + missing[i];
    if (missing.size() > kNamedMax) list += fmt::format(" and {} more", missing.size() - kNamedMax);
    diagnostics_.warning(type.where, fmt::format("union '{}' has no arm for {}", type.name, list),
                         "messages with that value are rejected; 'default: void;' accepts them");
}

}  // namespace helio::idl
