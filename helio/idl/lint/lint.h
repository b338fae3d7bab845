// Advice about schemas that compile: what a peer could abuse, what another compiler would refuse,
// what the author probably did not mean. Each rule has a name; it can be switched off for a run,
// for a file, or for one definition by a comment, `@lint-off rule, rule`. docs/fmt-lint-breaking.md
// says of each why it is there.
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

// Names of rules, or "all". What is disabled stays so, whatever is enabled.
struct LintOptions {
    std::vector<std::string> enable;
    std::vector<std::string> disable;
};

// Findings in the main file, in source order, each with its rule; what it imports is linted where
// it is the main file. All are warnings.
Diagnostics lint(const Schema& schema, const LintOptions& options = {});

// One finding as a JSON object: file, line, column, severity, rule, message, hint.
void put_json(JsonWriter& json, const Diagnostic& diagnostic, const SourceSet& sources);

}  // namespace helio::idl
