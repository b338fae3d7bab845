// Rules about the structure of types.
#include <fmt/format.h>

#include <map>

#include "helio/idl/lint/lint_internal.h"

namespace helio::idl {
namespace {

// A discriminant that decodes but selects no arm fails the whole message, which is surprising: the
// enum said that new values are allowed. Listed values without an arm are one of the compiler's own
// warnings.
void open_union(Linter& linter, const Type& type) {
    const bool has_default = !type.arms.empty() && type.arms.back().is_default;
    if (type.kind != Kind::union_ || has_default) return;
    const Type& discriminant = resolve(*type.discriminant.type);
    if (discriminant.kind != Kind::enumeration || !discriminant.open()) return;
    linter.report("open-union", {&type}, type.where,
                  fmt::format("union '{}' has no default, but {} is @open: a value that is not "
                              "listed can be decoded but has no arm",
                              type.name, discriminant.name),
                  "add `default: void;`");
}

void duplicate_value(Linter& linter, const Type& type) {
    std::map<std::int64_t, const Enumerator*> first;
    for (const auto& enumerator : type.enumerators) {
        const auto [known, is_new] = first.emplace(enumerator.value, &enumerator);
        if (is_new) continue;
        linter.report("duplicate-value", {&type, &enumerator}, enumerator.where,
                      fmt::format("'{}' is {}, like '{}'", enumerator.name, enumerator.value,
                                  known->second->name));
    }
}

// rpcgen rejects these, and other compilers invent different names for them.
void nested_type(Linter& linter, const Type& type) {
    if (!type.nested) return;
    linter.report(
        "nested-type", {&type}, type.where,
        fmt::format("an unnamed type inside another; generated code calls it '{}'", type.name),
        "define it separately: rpcgen requires that, and other compilers choose other names");
}

void nonstandard_type(Linter& linter, const Use& use) {
    const Type* type = &use.type;
    while (type->name.empty() && type->element != nullptr) type = type->element;
    const bool short_word = type->kind == Kind::character ||
                            type->kind == Kind::unsigned_character || type->kind == Kind::short_ ||
                            type->kind == Kind::unsigned_short;
    if (!short_word) return;
    linter.report("nonstandard-type", {&use.definition, &use.member}, use.member.where,
                  fmt::format("{} has a type that is not in RFC 4506", use.subject),
                  "it takes four bytes like int; use int or unsigned int");
}

}  // namespace

void lint_shapes(Linter& linter) {
    for (const Type* type : linter.schema().types) {
        if (!is_main(*type)) continue;
        open_union(linter, *type);
        duplicate_value(linter, *type);
        nested_type(linter, *type);
    }
    for_each_use(linter.schema(), [&](const Use& use) { nonstandard_type(linter, use); });
}

}  // namespace helio::idl
