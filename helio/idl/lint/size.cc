// Rules about sizes that a peer chooses, or that every message pays for.
#include <fmt/format.h>

#include <map>
#include <vector>

#include "helio/idl/lint/lint_internal.h"

namespace helio::idl {
namespace {

// A page: smaller values cost one page fault to receive, and no real fixed array is larger by
// design.
constexpr std::uint64_t kLargeFixedBytes = 4096;

// Below this a number explains itself: x<1>, a pair, an address.
constexpr std::uint32_t kSmallBound = 4;

bool is_variable(Kind kind) {
    return kind == Kind::string || kind == Kind::opaque_variable || kind == Kind::array_variable;
}

// Visits types written inside the declaration itself; named types are checked where they are
// defined.
template <class Visit>
void for_each_inline(const Use& use, const Visit& visit) {
    for (const Type* type = &use.type; type != nullptr && type->name.empty();
         type = type->element) {
        visit(*type);
    }
}

void unbounded(Linter& linter, const Use& use) {
    for_each_inline(use, [&](const Type& type) {
        if (!is_variable(type.kind) || type.bound != kUnbounded) return;
        const bool string = type.kind == Kind::string;
        const bool array = type.kind == Kind::array_variable;
        const auto rule = string  ? "unbounded-string"
                          : array ? "unbounded-array"
                                  : "unbounded-opaque";
        linter.report(rule, {&use.definition, &use.member}, use.member.where,
                      fmt::format("{} has no limit: a peer may send up to 4294967295 {}",
                                  use.subject, array ? "elements" : "bytes"),
                      "add the limit you accept, as in name<LIMIT>");
    });
}

void large_fixed(Linter& linter, const Use& use) {
    for_each_inline(use, [&](const Type& type) {
        const bool fixed = type.kind == Kind::opaque_fixed || type.kind == Kind::array_fixed;
        if (!fixed || type.wire_min <= kLargeFixedBytes) return;
        linter.report("large-fixed", {&use.definition, &use.member}, use.member.where,
                      fmt::format("{} always takes {} bytes or more", use.subject, type.wire_min),
                      "with <> instead of [], only the used part is sent");
    });
}

void recursion(Linter& linter, const Type& type) {
    if (!is_main(type) || !type.recursive || type.kind == Kind::alias) return;
    if (type.list_node) {
        linter.report("unbounded-list", {&type}, type.where,
                      fmt::format("'{}' is a linked list: a peer chooses its length", type.name),
                      "an array with a limit can be checked before it is read");
        return;
    }
    linter.report("unbounded-recursion", {&type}, type.where,
                  fmt::format("'{}' is recursive: a peer chooses its depth", type.name));
}

// The same number in several places should be a named constant: one day only some of them would be
// changed.
void magic_bounds(Linter& linter) {
    struct Place {
        const Documented* definition;
        const Documented* member;
    };
    std::map<std::uint32_t, std::vector<Place>> places;
    for_each_use(linter.schema(), [&](const Use& use) {
        for_each_inline(use, [&](const Type& type) {
            const bool number = is_variable(type.kind) && type.bound_name.empty() &&
                                type.bound != kUnbounded && type.bound > kSmallBound;
            if (number) places[type.bound].push_back({&use.definition, &use.member});
        });
    });
    for (const auto& [bound, uses] : places) {
        if (uses.size() < 2) continue;
        linter.report("magic-bound", {uses.front().definition, uses.front().member},
                      uses.front().member->where,
                      fmt::format("the number {} is the limit in {} places", bound, uses.size()),
                      "name it with const");
    }
}

}  // namespace

void lint_sizes(Linter& linter) {
    for_each_use(linter.schema(), [&](const Use& use) {
        unbounded(linter, use);
        large_fixed(linter, use);
    });
    for (const Type* type : linter.schema().types) recursion(linter, *type);
    magic_bounds(linter);
}

}  // namespace helio::idl
