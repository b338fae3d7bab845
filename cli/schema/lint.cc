// helio lint: warns about legal but unwise schemas.
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "helio/base/text/json_writer.h"
#include "helio/idl/lint/lint.h"
#include "helio/idl/parse.h"

namespace helio::cli {
namespace {

struct LintFlags {
    std::vector<std::string> files;
    idl::LintOptions rules;
    bool list_rules = false;
    bool json = false;
};

constexpr const char* kLintExamples = R"(Examples:
  helio lint schema/*.x
  helio lint --disable unbounded-string,unbounded-opaque nfs3.x
  helio lint --enable missing-doc nfs3.x
  helio lint --list-rules

A comment on a definition, or at the start of the file, disables rules:
  /* @lint-off unbounded-string: RFC 1813 has no limit here */
Exit status: 0 nothing found, 1 findings or errors in a file, 2 wrong usage.)";

void list_rules() {
    for (const auto& rule : idl::lint_rules()) {
        std::cout << fmt::format("{:<20} {:<4} {}\n", rule.name,
                                 rule.by_default == idl::LintRule::Default::on ? "" : "off",
                                 rule.summary);
    }
}

std::string check_rule(const std::string& name) {
    if (name == "all" || idl::lint_rule(name) != nullptr) return {};
    return "unknown rule; helio lint --list-rules lists them";
}

int run(const LintFlags& flags) {
    if (flags.list_rules) return list_rules(), 0;
    if (flags.files.empty()) {
        std::fputs("helio lint: no files given; see helio lint --help\n", stderr);
        return 2;
    }
    bool clean = true;
    std::string text;
    JsonWriter json{text};
    json.open('[');
    for (const auto& path : flags.files) {
        const auto parsed = idl::parse_file(path);
        if (!parsed.schema) {
            std::fputs(parsed.report().c_str(), stderr);
            clean = false;
            continue;
        }
        auto findings = parsed.diagnostics.items;  // the compiler's own warnings
        const auto advice = idl::lint(*parsed.schema, flags.rules).items;
        findings.insert(findings.end(), advice.begin(), advice.end());
        for (const auto& finding : findings) {
            clean = false;
            if (flags.json) {
                json.new_line();
                json.element();
                put_json(json, finding, parsed.schema->sources);
            } else {
                std::cout << render(finding, parsed.schema->sources);
            }
        }
    }
    json.close(']');
    if (flags.json) std::cout << "{\"findings\": " << text << "}\n";
    return clean ? 0 : 1;
}

}  // namespace

void add_lint(Command& app, int& exit_code) {
    auto flags = std::make_shared<LintFlags>();
    auto* verb = app.add_subcommand("lint", "Find legal but risky constructs in .x files");
    verb->add_option("FILES", flags->files, "schemas")->existing_file();
    verb->add_option("--disable", flags->rules.disable,
                     "rules to disable, separated by commas, or all")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(check_rule, "RULE");
    verb->add_option("--enable", flags->rules.enable, "rules to enable that are off by default")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(check_rule, "RULE");
    verb->add_flag("--list-rules", flags->list_rules, "list all rules");
    verb->add_flag("--json", flags->json, "print the findings as JSON (docs/fmt-lint-breaking.md)");
    verb->footer(kLintExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
