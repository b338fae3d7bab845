#include "helio/idl/sema/layout_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "helio/idl/parse.h"
#include "helio/idl/sema/type_graph_internal.h"

namespace helio::idl {
namespace {

// RFC 4506 §3: all sizes are multiples of four bytes.
constexpr std::uint64_t kWord = 4;

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > kSizeUnlimited - b ? kSizeUnlimited : a + b;
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > kSizeUnlimited / b ? kSizeUnlimited : a * b;
}

std::uint64_t padded_size(std::uint64_t size) { return add(size, (kWord - size % kWord) % kWord); }

// Beyond 2^63 a size is no useful limit.
std::uint64_t as_limit(std::uint64_t size) { return size >> 63 != 0 ? kSizeUnlimited : size; }

struct Size {
    std::uint64_t min = 0;
    std::uint64_t max = 0;
};

Size size_of(const Type* type) { return {type->wire_min, type->wire_max}; }

Size union_size(const Type& type) {
    Size arms{kSizeUnlimited, 0};
    for (const Arm& arm : type.arms) {
        const Size size = size_of(arm.field.type);
        arms.min = std::min(arms.min, size.min);
        arms.max = std::max(arms.max, size.max);
    }
    if (type.arms.empty()) arms = {};
    return {add(kWord, arms.min), add(kWord, arms.max)};
}

// Computed from the sizes of its members.
Size computed_size(const Type& type) {
    switch (type.kind) {
        case Kind::opaque_fixed:
            return {padded_size(type.bound), padded_size(type.bound)};
        case Kind::opaque_variable:
        case Kind::string:
            return {kWord, add(kWord, padded_size(type.bound))};
        case Kind::array_fixed:
            return {multiply(type.bound, type.element->wire_min),
                    multiply(type.bound, type.element->wire_max)};
        case Kind::array_variable:
            return {kWord, add(kWord, multiply(type.bound, type.element->wire_max))};
        case Kind::optional:
            return {kWord, add(kWord, type.element->wire_max)};
        case Kind::alias:
            return size_of(type.element);
        case Kind::union_:
            return union_size(type);
        case Kind::structure: {
            Size size;
            for (const Field& field : type.fields) {
                size.min = add(size.min, field.type->wire_min);
                size.max = add(size.max, field.type->wire_max);
            }
            return size;
        }
        default:
            return {kWord, kWord};  // an enum; builtins already have their size
    }
}

bool is_list_node(const Type& type) {
    if (type.kind != Kind::structure || type.fields.empty()) return false;
    const Type& last = resolve(*type.fields.back().type);
    return last.kind == Kind::optional && &resolve(*last.element) == &type;
}

// A type without bytes is harmless alone, as an argument or an arm. Inside a struct or an array it
// would let a short message cause any amount of work: 2^32 elements of nothing, or sixty structs
// that each contain the previous one twice.
void check_no_empty_parts(const Type& type, Diagnostics& diagnostics) {
    const bool is_array = type.kind == Kind::array_fixed || type.kind == Kind::array_variable;
    if (is_array && type.element->wire_max == 0) {
        diagnostics.error(type.where, "the array's elements take no bytes on the wire");
    }
    if (type.kind != Kind::structure) return;
    for (const Field& field : type.fields) {
        if (field.type->wire_max != 0) continue;
        const bool reported = field.type->kind == Kind::array_fixed && field.type->bound != 0;
        if (reported || field.type->kind == Kind::void_) continue;
        diagnostics.error(field.where,
                          fmt::format("field '{}' takes no bytes on the wire", field.name));
    }
}

std::string cycle_text(const std::vector<Type*>& cycle) {
    constexpr std::size_t kNamesMax = 8;
    std::vector<std::string_view> names;
    for (const Type* type : cycle) {
        if (!type->name.empty()) names.push_back(type->name);
    }
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) {
        out += fmt::format("{} -> ", names[i]);
    }
    if (names.size() > kNamesMax) out += fmt::format("({} more) -> ", names.size() - kNamesMax);
    return out + std::string(names.empty() ? "itself" : names.front());
}

void report_cycle(const std::vector<Type*>& cycle, Diagnostics& diagnostics) {
    const auto named =
        std::find_if(cycle.begin(), cycle.end(), [](const Type* t) { return !t->name.empty(); });
    const Type& first = named == cycle.end() ? *cycle.front() : **named;
    const bool only_aliases = std::all_of(cycle.begin(), cycle.end(),
                                          [](const Type* t) { return t->kind == Kind::alias; });
    if (only_aliases) {
        diagnostics.error(first.where, fmt::format("typedef '{}' refers to itself: {}", first.name,
                                                   cycle_text(cycle)));
    } else {
        diagnostics.error(first.where,
                          fmt::format("'{}' contains itself: {}", first.name, cycle_text(cycle)),
                          "put an optional (*) or an array (<>) between them");
    }
}

}  // namespace

void check_containment(Schema& schema, Diagnostics& diagnostics) {
    const Type& harmless = schema.builtin(Kind::int_);
    walk_contained(schema, [&](const std::vector<Type*>& cycle) {
        report_cycle(cycle, diagnostics);
        // Break the cycle where it closes, so that following typedefs terminates.
        if (cycle.back()->kind == Kind::alias) cycle.back()->element = &harmless;
    });
}

void lay_out(Schema& schema, Diagnostics& diagnostics) {
    // The minimum size follows containment by value, which has no cycles.
    for (Type* type : contained_first(schema)) type->wire_min = computed_size(*type).min;

    // The maximum follows every member. Types that lead back to themselves have no limit.
    bool too_deep = false;
    for (const Component& component : components_of(schema)) {
        for (Type* type : component.types) {
            type->recursive = component.circular;
            type->list_node = component.circular && is_list_node(*type);
            type->wire_max =
                component.circular ? kSizeUnlimited : as_limit(computed_size(*type).max);
        }
        if (component.depth > kTypeDepthMax && !std::exchange(too_deep, true)) {
            diagnostics.error(component.types.front()->where,
                              fmt::format("types nested deeper than {}", kTypeDepthMax));
        }
    }
    for (const Type* type : schema.all_types()) check_no_empty_parts(*type, diagnostics);
}

}  // namespace helio::idl
