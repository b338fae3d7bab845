#include "helio/gen/parts_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace helio::gen {

std::string banner(const Model& model) {
    return fmt::format(
        "Made by `helio gen` from {}.x. Changes belong there; this file is written anew.",
        model.stem());
}

void open_namespace(const Model& model, Text& out) {
    out.line("namespace {} {{", model.open_namespace());
    out.blank();
    out.put("namespace xdr = ::helio::xdr;");
    out.blank();
}

void close_namespace(const Model& model, Text& out) {
    out.blank();
    out.line("}}  // namespace {}", model.open_namespace());
}

namespace {

// All members that one name of the schema becomes.
std::vector<std::string> members(const std::string& name) {
    std::vector<std::string> all{name};
    for (const auto* prefix : {"has_", "if_", "emplace_", "raw_", "of_", "stored_"})
        all.push_back(prefix + name);
    return all;
}

std::string unique_name(std::string name, std::set<std::string>& taken) {
    const auto clashes = [&taken](const std::string& member) { return taken.contains(member); };
    while (std::ranges::any_of(members(name), clashes)) name += '_';
    for (auto& member : members(name)) taken.insert(std::move(member));
    return name;
}

}  // namespace

UnionNames::UnionNames(const Type& type) {
    // Names that the class itself uses, and its own name, which would declare a constructor.
    std::set<std::string> taken{cpp_name(type.name), "set", "of", "has_nothing", "value", "which"};
    discriminant_ = unique_name(cpp_name(type.discriminant.name), taken);
    for (const auto& arm : type.arms)
        if (!is_void(arm)) arms_.emplace(&arm, unique_name(cpp_name(arm.field.name), taken));
}

SparseNames::SparseNames(const Type& type) {
    std::set<std::string> taken{cpp_name(type.name), "present", "Bits", "bit", "kKnown"};
    for (const auto& field : type.fields) {
        std::string name = cpp_name(field.name);
        while (!taken.insert(name).second) name += '_';
        fields_.emplace(&field, std::move(name));
    }
}

std::string case_label(const Model& model, const Type& union_type, const idl::Arm::Case& one) {
    const Type& type = idl::resolve(*union_type.discriminant.type);
    if (type.kind == Kind::boolean) return one.value != 0 ? "true" : "false";
    if (type.kind == Kind::enumeration) {
        if (const auto* named = type.enumerator(one.value); named != nullptr) {
            const auto full = model.qualified(type);
            const auto cut = full.rfind("::");
            return (cut == std::string::npos ? "" : full.substr(0, cut + 2)) +
                   cpp_name(named->name);
        }
        return fmt::format("static_cast<{}>({})", model.qualified(type), one.value);
    }
    if (type.kind == Kind::unsigned_int)
        return fmt::format("{}u", static_cast<std::uint32_t>(one.value));
    return one.value == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("{}", one.value);
}

namespace {

std::string one_of(const Model& model, const Type& type, const idl::Arm& arm,
                   std::string_view discriminant) {
    std::string text;
    for (const auto& one : arm.cases) {
        if (!text.empty()) text += " || ";
        text += fmt::format("{} == {}", discriminant, case_label(model, type, one));
    }
    return text;
}

// The condition of the default arm: none of the other arms' cases.
std::string none_of(const Model& model, const Type& type, std::string_view discriminant) {
    std::string text;
    for (const auto& arm : type.arms)
        for (const auto& one : arm.cases) {
            if (!text.empty()) text += " && ";
            text += fmt::format("{} != {}", discriminant, case_label(model, type, one));
        }
    return text.empty() ? "true" : text;
}

}  // namespace

std::string selects(const Model& model, const Type& type, const idl::Arm& arm,
                    std::string_view discriminant) {
    return arm.is_default ? none_of(model, type, discriminant)
                          : one_of(model, type, arm, discriminant);
}

std::string selects_void(const Model& model, const Type& type, std::string_view discriminant) {
    std::string text;
    for (const auto& arm : type.arms) {
        if (!is_void(arm)) continue;
        if (!text.empty()) text += " || ";
        const auto one = selects(model, type, arm, discriminant);
        text += arm.is_default ? "(" + one + ")" : one;
    }
    return text;
}

}  // namespace helio::gen
