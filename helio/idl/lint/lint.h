// Lint: advice about schemas that compile: what a peer could abuse, what another compiler would
// refuse, what the author probably did not mean. Each rule has a name. It can be switched off for a
// run, for a file, or for one definition by a comment, `@lint-off rule, rule`.
// docs/fmt-lint-breaking.md gives the reason for each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/json_writer.h"
#include "helio/idl/diagnostics.h"
#include "helio/idl/schema.h"

namespace helio::idl {

struct LintRule {
    std::string_view name;
    enum class Default : bool { off, on } by_default = Default::on;
    std::string_view summary;
};

std::span<const LintRule> lint_rules();
const LintRule* lint_rule(std::string_view name);  // nullptr when there is none

// Names of rules, or "all". A disabled rule stays disabled even if it is also enabled.
struct LintOptions {
    std::vector<std::string> enable;
    std::vector<std::string> disable;
};

// Findings in the main file, in source order, each with its rule. Imported files are not linted;
// lint each as the main file. All findings are warnings.
Diagnostics lint(const Schema& schema, const LintOptions& options = {});

// One finding as a JSON object: file, line, column, severity, rule, message, hint.
void put_json(JsonWriter& json, const Diagnostic& diagnostic, const SourceSet& sources);

}  // namespace helio::idl
