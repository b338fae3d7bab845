// helio breaking: what changed between two versions of a schema, and what that breaks.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <string>

#include "cli/command.h"
#include "helio/base/text/json_writer.h"
#include "helio/idl/breaking/breaking.h"
#include "helio/idl/parse.h"

namespace helio::cli {
namespace {

struct BreakingFlags {
    std::string before;
    std::string after;
    bool json = false;
    bool ignore_source = false;
};

constexpr const char* kBreakingExamples = R"(Examples:
  helio breaking nfs3.old.x nfs3.x
  git show HEAD~1:schema/nfs3.x > /tmp/old.x && helio breaking /tmp/old.x schema/nfs3.x
  helio breaking --ignore-source --json old.x new.x

wire-breaking    an old and a new peer misread or refuse each other
source-breaking  the bytes are the same, but code for the old schema must change
compatible       nothing breaks; listed for information
Exit status: 0 nothing breaks, 1 something does, 2 wrong usage or errors in a file.)";

struct Counts {
    std::array<std::size_t, 3> by_impact{};
    std::size_t& operator[](idl::Impact impact) {
        return by_impact[static_cast<std::size_t>(impact)];
    }
};

int run(const BreakingFlags& flags) {
    const auto before = idl::parse_file(flags.before);
    const auto after = idl::parse_file(flags.after);
    if (!before.schema || !after.schema) {
        std::fputs(before.report().c_str(), stderr);
        std::fputs(after.report().c_str(), stderr);
        return 2;
    }
    using idl::Impact;
    Counts counts;
    std::string text;
    JsonWriter json{text};
    if (flags.json) json.open('[');
    for (const auto& change : idl::compare(*before.schema, *after.schema)) {
        if (flags.ignore_source && change.impact == Impact::source) continue;
        ++counts[change.impact];
        if (flags.json) {
            json.new_line();
            json.element();
            put_json(json, change, *before.schema, *after.schema);
        } else {
            text += render(change, *before.schema, *after.schema);
        }
    }
    if (flags.json) {
        json.close(']');
        std::string out;
        JsonWriter summary{out};
        summary.open('{');
        summary.member("wire_breaking", counts[Impact::wire]);
        summary.member("source_breaking", counts[Impact::source]);
        summary.member("compatible", counts[Impact::compatible]);
        summary.key("changes");
        summary.raw(text);
        summary.close('}');
        std::cout << out << '\n';
    } else {
        std::cout << text
                  << fmt::format("{} wire-breaking, {} source-breaking, {} compatible\n",
                                 counts[Impact::wire], counts[Impact::source],
                                 counts[Impact::compatible]);
    }
    return counts[Impact::wire] + counts[Impact::source] == 0 ? 0 : 1;
}

}  // namespace

void add_breaking(Command& app, int& exit_code) {
    auto flags = std::make_shared<BreakingFlags>();
    auto* verb = app.add_subcommand("breaking",
                                    "Find incompatible changes between two versions of a schema");
    verb->add_option("OLD", flags->before, "old version of the schema")
        ->required()
        ->existing_file();
    verb->add_option("NEW", flags->after, "new version of the schema")->required()->existing_file();
    verb->add_flag("--json", flags->json, "print the changes as JSON (docs/fmt-lint-breaking.md)");
    verb->add_flag("--ignore-source", flags->ignore_source,
                   "report only changes on the wire, not in generated code");
    verb->footer(kBreakingExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
