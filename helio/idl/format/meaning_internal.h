// Everything in a Schema as text, for tests: two schemas with the same text mean the same.
// compare() in breaking.h is less strict, since it reports only changes that peers or code notice;
// this also includes documentation.
#pragma once

#include <fmt/format.h>

#include <string>

#include "helio/idl/breaking/breaking.h"
#include "helio/idl/schema.h"

namespace helio::idl {

inline std::string name_and_comments(const Documented& thing) {
    std::string text = fmt::format("{} \"{}\"", thing.name, thing.doc);
    for (const auto& annotation : thing.annotations) {
        text += fmt::format(" @{}({})", annotation.word, annotation.argument);
    }
    return text;
}

inline std::string meaning(const Type& type) {
    auto text = fmt::format("type {} kind {} bound {} {}", name_and_comments(type),
                            static_cast<int>(type.kind), type.bound, type.bound_name);
    if (type.element != nullptr) text += fmt::format(" of {}", spell(*type.element));
    for (const auto& one : type.enumerators) {
        text += fmt::format("\n  {} = {}", name_and_comments(one), one.value);
    }
    for (const auto& field : type.fields) {
        text += fmt::format("\n  {}: {}", name_and_comments(field), spell(*field.type));
    }
    if (type.kind == Kind::union_) {
        text += fmt::format("\n  switch {}: {}", name_and_comments(type.discriminant),
                            spell(*type.discriminant.type));
    }
    for (const auto& arm : type.arms) {
        text += arm.is_default ? "\n  default" : "\n  case";
        for (const auto& label : arm.cases) text += fmt::format(" {}({})", label.name, label.value);
        text += fmt::format(" {}: {}", name_and_comments(arm.field), spell(*arm.field.type));
    }
    return text + '\n';
}

inline std::string meaning(const Program& program) {
    auto text = fmt::format("program {} = {}\n", name_and_comments(program), program.number);
    for (const auto& version : program.versions) {
        text += fmt::format(" version {} = {}\n", name_and_comments(version), version.number);
        for (const auto& procedure : version.procedures) {
            text += fmt::format("  {} {} = {} (", spell(*procedure.result),
                                name_and_comments(procedure), procedure.number);
            for (const Type* argument : procedure.arguments) text += spell(*argument) + ", ";
            text += ")\n";
        }
    }
    return text;
}

inline std::string meaning(const Schema& schema) {
    auto text = fmt::format("schema {} \"{}\"\n", schema.name, schema.doc);
    for (const auto& part : schema.cpp_namespace) text += fmt::format("namespace {}\n", part);
    for (const auto& constant : schema.constants) {
        text += fmt::format("const {} = {}{}\n", name_and_comments(constant),
                            constant.negative ? "-" : "", constant.magnitude);
    }
    for (const auto& constant : schema.text_constants) {
        text += fmt::format("const {} = \"{}\"\n", name_and_comments(constant), constant.text);
    }
    for (const Type* type : schema.types) text += meaning(*type);
    for (const auto& program : schema.programs) text += meaning(program);
    for (const auto& line : schema.passthrough) text += fmt::format("%{}\n", line);
    return text;
}

}  // namespace helio::idl
