// helio describe: describes programs, procedures and types from the schemas.
#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/schemas.h"
#include "helio/base/text/escape.h"
#include "helio/reflect/print/describe.h"

namespace helio::cli {
namespace {

struct DescribeFlags {
    std::string name;
    std::vector<std::string> schemas;
};

constexpr const char* kDescribeExamples = R"(Examples:
  helio describe                       all programs that have a schema
  helio describe nfs3                  its procedures
  helio describe nfs3.READ             its arguments and results
  helio describe nfs4.OPEN             an operation of nfs4.COMPOUND
  helio describe mount.1.MNT           version 1. Default: the highest
  helio describe nfs3.fattr3           a type
  helio describe 100021                a program by its number
  helio describe --schema my.x my.HELLO

Exit status: 0 success, 2 no such name.)";

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void list_programs(const std::vector<SchemaEntry>& all) {
    std::vector<std::vector<std::string>> rows{{"number", "schema", "program", "versions"}};
    const idl::Program* last = nullptr;
    for (const SchemaEntry& one : all) {
        if (one.program != last)
            rows.push_back({fmt::format("{}", one.program->number), printable(one.schema->name),
                            printable(one.program->name), ""});
        auto& versions = rows.back().back();
        versions += fmt::format("{}{}", versions.empty() ? "" : " ", one.version->number);
        last = one.program;
    }
    print(aligned(rows));
}

bool has_parts(const idl::Type& type) {
    return type.kind == idl::Kind::structure || type.kind == idl::Kind::union_ ||
           type.kind == idl::Kind::enumeration;
}

// A procedure's type, and the types of its fields and arms: only one level, or half the schema
// would follow.
void add_with_parts(std::vector<const idl::Type*>& out, const idl::Type& type) {
    const auto add = [&out](const idl::Type& one) {
        if (!one.name.empty() && std::find(out.begin(), out.end(), &one) == out.end())
            out.push_back(&one);
    };
    const auto add_part = [&add](const idl::Type& one) {
        if (has_parts(resolve(one))) add(one);
    };
    add(type);
    const idl::Type& meant = resolve(type);
    if (meant.kind == idl::Kind::union_) add_part(*meant.discriminant.type);
    for (const auto& field : meant.fields) add_part(*field.type);
    for (const auto& arm : meant.arms) add_part(*arm.field.type);
}

void list_operations(const reflect::Compound& compound) {
    print("\noperations\n");
    std::vector<std::vector<std::string>> rows;
    for (const auto& one : compound.operations) {
        const idl::Type& type = *one.call->field.type;
        rows.push_back({fmt::format("{:>7}", one.call->cases[0].value), printable(one.name),
                        type.kind == idl::Kind::void_ ? "" : printable(type.name)});
    }
    print(aligned(rows));
}

void describe_procedure(const SchemaEntry& found, const std::vector<SchemaEntry>& all) {
    print(fmt::format("{}: program {} = {}, version {}\n", found.name(),
                      printable(found.program->name), found.program->number,
                      found.version->number));
    print(reflect::describe(*found.procedure));
    std::string others;
    for (const SchemaEntry& one : all)
        if (one.version != found.version) others += (others.empty() ? "" : ", ") + one.name();
    if (!others.empty()) print(fmt::format("  Also: {}\n", others));
    std::vector<const idl::Type*> types;
    for (const idl::Type* const argument : found.procedure->arguments)
        add_with_parts(types, *argument);
    add_with_parts(types, *found.procedure->result);
    for (const idl::Type* const type : types) print('\n' + reflect::describe(*type));
    if (const auto compound = reflect::compound_of(*found.procedure)) list_operations(*compound);
}

void describe_operation(const Schemas::FoundOperation& found) {
    print(fmt::format("{}: operation {} = {} of {}\n", found.name(),
                      printable(found.operation.call->cases[0].name),
                      found.operation.call->cases[0].value, found.carrier.name()));
    std::vector<const idl::Type*> types;
    add_with_parts(types, *found.operation.call->field.type);
    add_with_parts(types, *found.operation.reply->field.type);
    for (const idl::Type* const type : types) print('\n' + reflect::describe(*type));
}

void describe_programs(const std::vector<SchemaEntry>& found) {
    const idl::Program* last = nullptr;
    for (const SchemaEntry& one : found) {
        if (one.program != last) print(reflect::describe(*one.program));
        last = one.program;
    }
}

int run(const DescribeFlags& flags) {
    Schemas schemas{flags.schemas};
    if (flags.name.empty()) return list_programs(schemas.all()), kDone;
    // A type may follow its schema's name; numbers are never types or procedures.
    const auto programs = schemas.versions(flags.name);
    if (!programs.empty()) return describe_programs(programs), kDone;
    const auto types = schemas.types(flags.name);
    if (types.size() == 1) return print(reflect::describe(*types.front().type)), kDone;
    const auto procedures = schemas.procedures(flags.name);
    if (!procedures.empty())
        return describe_procedure(schemas.procedure(flags.name), procedures), kDone;
    const auto operations = schemas.operations(flags.name);
    if (types.empty() && operations.size() == 1)
        return describe_operation(operations.front()), kDone;
    if (types.empty()) throw std::runtime_error(schemas.missing(flags.name));
    std::string names;
    for (const auto& one : types)
        names += fmt::format("{}{}.{}", names.empty() ? "" : ", ", printable(one.schema->name),
                             printable(one.type->name));
    throw std::runtime_error(
        fmt::format("several schemas have a type '{}': {}", printable(flags.name), names));
}

}  // namespace

void add_describe(Command& app, int& exit_code) {
    auto flags = std::make_shared<DescribeFlags>();
    auto* const verb =
        app.add_subcommand("describe", "Describe a program, procedure or type: nfs3.READ");
    verb->add_option("NAME", flags->name,
                     "PROGRAM, PROGRAM.PROCEDURE or SCHEMA.TYPE. Default: list all");
    verb->add_option("--schema", flags->schemas,
                     "a .x file that is searched first; may be repeated")
        ->allow_extra_args(false)
        ->existing_file();
    verb->footer(kDescribeExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
