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
    std::vector<std::string> schemas;
    bool base64 = false;
    bool compact = false;
};

constexpr const char* kTemplateExamples = R"(Examples:
  helio template nfs3.READ
  helio template nfs3.READ > read.json   then edit it, and:   helio call HOST nfs3.READ @read.json
  helio template nfs3.CREATE3args
  helio template --schema my.x my.HELLO

The template is valid input: zeros, the first enumerator, the first arm of each union, one element in
each array. docs/json-mapping.md describes the other forms.
Exit status: 0 success, 1 the template would be too long, 2 wrong usage.)";

int print(const TemplateFlags& flags, const idl::Type& type) {
    const auto json =
        reflect::template_json(type, {.base64 = flags.base64, .indent = flags.compact ? 0 : 2});
    if (!json) {
        fmt::print(stderr, "helio: {}: {}\n", flags.name, to_string(json.error()));
        return kNo;
    }
    fmt::print("{}\n", *json);
    return kDone;
}

int run(const TemplateFlags& flags) {
    Schemas schemas{flags.schemas};
    // A procedure, or a type; a name is rarely both.
    const auto types = schemas.procedures(flags.name).empty() ? schemas.types(flags.name)
                                                              : std::vector<Schemas::FoundType>{};
    if (types.size() > 1)
        throw std::runtime_error(
            fmt::format("several schemas have a type '{}'; name one of them, as in {}.{}",
                        printable(flags.name), types.front().schema->name, printable(flags.name)));
    if (!types.empty()) return print(flags, *types.front().type);
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
