// The value of a field in templates: @template (docs/schema-language.md).
#include <fmt/format.h>

#include <limits>

#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {
namespace {

// The integers that are values of a type: from -`below` to `above`.
struct Range {
    std::uint64_t below = 0;
    std::uint64_t above = 0;
};

template <class Number>
constexpr Range range_of() {
    constexpr auto above = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    return {std::numeric_limits<Number>::is_signed ? above + 1 : 0, above};
}

// Empty for types that have no integers.
std::optional<Range> range_of(const Type& type) {
    switch (type.kind) {
        case Kind::boolean:
            return Range{0, 1};
        case Kind::int_:
        case Kind::enumeration:
            return range_of<std::int32_t>();
        case Kind::unsigned_int:
            return range_of<std::uint32_t>();
        case Kind::hyper:
            return range_of<std::int64_t>();
        case Kind::unsigned_hyper:
            return range_of<std::uint64_t>();
        case Kind::character:
            return range_of<std::int8_t>();
        case Kind::unsigned_character:
            return range_of<std::uint8_t>();
        case Kind::short_:
            return range_of<std::int16_t>();
        case Kind::unsigned_short:
            return range_of<std::uint16_t>();
        default:
            return std::nullopt;
    }
}

std::uint64_t twos_complement(const Integer& value) {
    return value.negative ? 0 - value.magnitude : value.magnitude;
}

}  // namespace

void Sema::resolve_template_values() {
    for (Type* type : schema_.all_types()) {
        misplaced_template(*type);
        misplaced_template(type->discriminant);
        for (Field& field : type->fields) field.template_value = template_value_of(field);
        for (Arm& arm : type->arms) arm.field.template_value = template_value_of(arm.field);
    }
}

void Sema::misplaced_template(const Documented& owner) {
    if (owner.has("template"))
        diagnostics_.error(owner.where,
                           "@template is for fields and arms that are integers, bools or enums");
}

std::optional<std::uint64_t> Sema::template_value_of(const Field& field) {
    const Annotation* const given = field.annotation("template");
    if (given == nullptr) return std::nullopt;
    const Type& type = resolve(*field.type);
    const auto range = range_of(type);
    if (!range) {
        misplaced_template(field);
        return std::nullopt;
    }
    if (given->argument.empty() || given->argument.find(' ') != std::string::npos) {
        diagnostics_.error(field.where, "@template needs one value",
                           "write a number or the name of a constant: '@template 1'");
        return std::nullopt;
    }
    const auto value = annotated_integer(field, "template", given->argument);
    if (!value) return std::nullopt;
    const bool listed = type.kind != Kind::enumeration || type.open() ||
                        (value->as_int32() && values_of(type).contains(*value->as_int32()));
    if (listed && value->magnitude <= (value->negative ? range->below : range->above))
        return twos_complement(*value);
    diagnostics_.error(field.where, fmt::format("@template: {} is not a value of the type of '{}'",
                                                given->argument, field.name));
    return std::nullopt;
}

}  // namespace helio::idl
