// helio template: prints a procedure's arguments, or a type, as JSON to fill in.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/common.h"
#include "cli/schemas.h"
#include "helio/base/text/escape.h"
#include "helio/reflect/arguments.h"
#include "helio/reflect/json/json.h"

namespace helio::cli {
namespace {

struct TemplateFlags {
    std::string name;
    std::vector<std::string> operations;
    std::vector<std::string> schemas;
    bool base64 = false;
    bool compact = false;
};

constexpr const char* kTemplateExamples = R"(Examples:
  helio template nfs3.READ
  helio template nfs3.READ > read.json   then edit it, and:   helio call HOST nfs3.READ @read.json
  helio template nfs3.CREATE3args
  helio template nfs4.COMPOUND SEQUENCE PUTROOTFH GETATTR
  helio template nfs4.OPEN               an operation, to add to the argarray of a COMPOUND
  helio template --schema my.x my.HELLO

The template is valid input: zeros, the first enumerator, the first arm of each union, one element in
each array, unless the schema suggests a value (@template). docs/json-mapping.md describes the other
forms.
Exit status: 0 success, 1 the template would be too long, 2 wrong usage.)";

int print(const TemplateFlags& flags, const idl::Type& type,
          const reflect::TemplateArms& arms = {}) {
    const auto json = reflect::template_json(
        type, arms, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2});
    if (!json) {
        fmt::print(stderr, "helio: {}: {}\n", flags.name, to_string(json.error()));
        return kNo;
    }
    fmt::print("{}\n", *json);
    return kDone;
}

// An operation by itself: an element of the array that carries it.
int print(const TemplateFlags& flags, const Schemas::FoundOperation& found) {
    return print(flags, *found.compound.call, {found.compound.call, {found.operation.call}});
}

// A procedure with the operations that were named.
int print_compound(const TemplateFlags& flags, const SchemaEntry& found) {
    const auto compound = reflect::compound_of(*found.procedure);
    if (!compound)
        throw std::runtime_error(fmt::format("{} carries no operations, and '{}' came after it",
                                             found.name(), printable(flags.operations.front())));
    reflect::TemplateArms chosen{compound->call, {}};
    for (const std::string& name : flags.operations)
        chosen.arms.push_back(Schemas::operation_of(found, *compound, name).call);
    return print(flags, reflect::Arguments{*found.procedure}.type(), chosen);
}

int run(const TemplateFlags& flags) {
    Schemas schemas{flags.schemas};
    if (!flags.operations.empty()) return print_compound(flags, schemas.procedure(flags.name));
    // A procedure, or a type; a name is rarely both.
    const auto types = schemas.procedures(flags.name).empty() ? schemas.types(flags.name)
                                                              : std::vector<Schemas::FoundType>{};
    if (types.size() > 1)
        throw std::runtime_error(
            fmt::format("several schemas have a type '{}'; name one of them, as in {}.{}",
                        printable(flags.name), types.front().schema->name, printable(flags.name)));
    if (!types.empty()) return print(flags, *types.front().type);
    if (schemas.procedures(flags.name).empty())
        if (const auto operations = schemas.operations(flags.name); operations.size() == 1)
            return print(flags, operations.front());
    const SchemaEntry found = schemas.procedure(flags.name);
    return print(flags, reflect::Arguments{*found.procedure}.type());
}

}  // namespace

void add_template(Command& app, int& exit_code) {
    auto flags = std::make_shared<TemplateFlags>();
    auto* const verb = app.add_subcommand(
        "template", "Print a procedure's arguments, or a type, as JSON to fill in");
    verb->add_option("NAME", flags->name, "a procedure, nfs3.READ, or a type, nfs3.CREATE3args")
        ->required();
    verb->add_option("OPERATION", flags->operations,
                     "operations that the procedure carries, in order: SEQUENCE PUTROOTFH");
    verb->add_option("--schema", flags->schemas,
                     "a .x file that is searched first; may be repeated")
        ->allow_extra_args(false)
        ->existing_file();
    verb->add_flag("--base64", flags->base64, "print opaque data as base64");
    verb->add_flag("--compact", flags->compact, "print JSON on one line");
    verb->footer(kTemplateExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
