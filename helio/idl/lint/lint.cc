#include "helio/idl/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "helio/idl/lint/lint_internal.h"
#include "helio/idl/syntax/comments_internal.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {
namespace {

constexpr auto kOn = LintRule::Default::on;
constexpr auto kOff = LintRule::Default::off;

// In the order of docs/fmt-lint-breaking.md, which has a paragraph for each.
constexpr std::array kRules{
    LintRule{"unbounded-string", kOn, "a string without a limit: a peer chooses its size"},
    LintRule{"unbounded-opaque", kOn, "opaque data without a limit: a peer chooses its size"},
    LintRule{"unbounded-array", kOn, "an array without a limit: a peer chooses its length"},
    LintRule{"unbounded-list", kOff, "a linked list, which a schema cannot limit"},
    LintRule{"unbounded-recursion", kOn, "a recursive type: a peer chooses its depth"},
    LintRule{"large-fixed", kOn, "a fixed array of more than 4 KiB, sent whole even when unused"},
    LintRule{"magic-bound", kOn, "the same literal number as the limit of several declarations"},
    LintRule{"open-union", kOn, "a union without default over an enum that is @open"},
    LintRule{"duplicate-value", kOn, "two enumerators with the same value"},
    LintRule{"nested-type", kOn, "an unnamed type inside a field"},
    LintRule{"nonstandard-type", kOff,
             "char or short: not in RFC 4506, and four bytes on the wire anyway"},
    LintRule{"cpp-keyword", kOn, "a name that is a C++ keyword"},
    LintRule{"reserved-name", kOn, "a name with '__' or '_X', which C++ reserves"},
    LintRule{"case-clash", kOn, "two names that differ only in case"},
    LintRule{"odd-prefix", kOn, "an enumerator whose prefix looks misspelt"},
    LintRule{"misspelt-annotation", kOn, "an @word that looks like a misspelt annotation"},
    LintRule{"missing-doc", kOff, "a type or procedure without a comment"},
    LintRule{"null-procedure", kOn, "a version without procedure 0, which clients call to ping it"},
    LintRule{"procedure-gap", kOff, "gaps in the procedure numbers"},
    LintRule{"program-number", kOn, "a program number from a reserved range"},
    LintRule{"unused-type", kOn, "an unused type in a file with a program"},
    LintRule{"unused-constant", kOff, "a constant that limits nothing"},
};

// Enough for every place in a real file, and bounded for hostile ones.
constexpr std::size_t kFindingsMax = 10'000;

bool names_rule(const std::vector<std::string>& names, std::string_view rule) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return name == "all" || name == rule; });
}

bool switches_off(const Documented& owner, std::string_view rule) {
    return std::any_of(owner.annotations.begin(), owner.annotations.end(), [&](const auto& note) {
        return note.word == "lint-off" && names_rule(lint_off_names(note.argument), rule);
    });
}

// The comments that a file begins with, if a blank line or another tool's line separates them.
Documented opening_comment(const Schema& schema) {
    Documented opening;
    Diagnostics unused;
    const auto tokens = tokenize(schema.sources, 0, unused);
    const std::string_view text = schema.sources.files.front().text;
    std::size_t end = 0;
    for (std::size_t i = 0; i < tokens.size() && is_comment(tokens[i]); ++i) {
        const auto after = tokens[i].where.offset + tokens[i].where.length;
        const auto gap = text.substr(after, tokens[i + 1].where.offset - after);
        const bool foreign = tokens[i + 1].kind == TokenKind::directive ||
                             tokens[i + 1].kind == TokenKind::passthrough;
        if (std::count(gap.begin(), gap.end(), '\n') > 1 || foreign) end = i + 1;
    }
    for (std::size_t i = 0; i < end; ++i) add_comment(tokens[i].text, opening);
    return opening;
}

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

const LintRule* lint_rule(std::string_view name) {
    const auto found = std::find_if(kRules.begin(), kRules.end(),
                                    [&](const LintRule& rule) { return rule.name == name; });
    return found == kRules.end() ? nullptr : &*found;
}

Diagnostics lint(const Schema& schema, const LintOptions& options) {
    Linter linter{schema, options};
    lint_sizes(linter);
    lint_shapes(linter);
    lint_names(linter);
    lint_programs(linter);
    return linter.take();
}

Linter::Linter(const Schema& schema, const LintOptions& options) : schema_{schema} {
    const Documented opening = opening_comment(schema);
    for (const auto& rule : kRules) {
        const bool wanted = rule.by_default == kOn || names_rule(options.enable, rule.name);
        if (wanted && !names_rule(options.disable, rule.name) &&
            !switches_off(opening, rule.name)) {
            active_.emplace(rule.name);
        }
    }
}

void Linter::report(std::string_view rule, std::initializer_list<const Documented*> owners,
                    Location where, std::string message, std::string hint) {
    if (!active_.contains(rule) || findings_.items.size() >= kFindingsMax) return;
    const bool silenced = std::any_of(owners.begin(), owners.end(), [&](const Documented* owner) {
        return switches_off(*owner, rule);
    });
    if (silenced) return;
    findings_.items.push_back(
        {Severity::warning, where, std::move(message), std::move(hint), std::string{rule}});
    ++findings_.warning_count;
}

Diagnostics Linter::take() {
    std::stable_sort(findings_.items.begin(), findings_.items.end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                         return std::pair{a.where.file, a.where.offset} <
                                std::pair{b.where.file, b.where.offset};
                     });
    return std::move(findings_);
}

std::vector<std::string> lint_off_names(std::string_view argument) {
    argument = argument.substr(0, argument.find(':'));
    std::vector<std::string> names(1);
    for (const char c : argument) {
        if (c == ',' || c == ' ' || c == '\t') {
            names.emplace_back();
        } else {
            names.back() += c;
        }
    }
    std::erase(names, std::string{});
    return names;
}

void for_each_use(const Schema& schema, const std::function<void(const Use&)>& visit) {
    for (const Type* type : schema.types) {
        if (!is_main(*type)) continue;
        if (type->kind == Kind::alias) {
            visit({*type, *type, *type->element, fmt::format("'{}'", type->name)});
        }
        const auto member = [&](const Field& field) {
            visit({*type, field, *field.type,
                   fmt::format("field '{}' of {}", field.name, type->name)});
        };
        for (const auto& field : type->fields) member(field);
        for (const auto& arm : type->arms) member(arm.field);
    }
    for (const auto& program : schema.programs) {
        if (!is_main(program)) continue;
        for (const auto& version : program.versions) {
            for (const auto& procedure : version.procedures) {
                visit({version, procedure, *procedure.result,
                       fmt::format("the result of {}", procedure.name)});
                for (const Type* argument : procedure.arguments) {
                    visit({version, procedure, *argument,
                           fmt::format("an argument of {}", procedure.name)});
                }
            }
        }
    }
}

void for_each_name(const Schema& schema, const std::function<void(const Named&)>& visit) {
    using Sort = Named::Sort;
    for (const Type* type : schema.types) {
        if (!is_main(*type)) continue;
        if (!type->nested) visit({Sort::type, *type, *type});
        for (const auto& field : type->fields) visit({Sort::member, *type, field});
        for (const auto& enumerator : type->enumerators) visit({Sort::value, *type, enumerator});
        if (type->kind == Kind::union_) visit({Sort::member, *type, type->discriminant});
        for (const auto& arm : type->arms) {
            if (!arm.field.name.empty()) visit({Sort::member, *type, arm.field});
        }
    }
    for (const auto& constant : schema.constants) {
        if (is_main(constant)) visit({Sort::value, constant, constant});
    }
    for (const auto& program : schema.programs) {
        if (!is_main(program)) continue;
        for (const auto& version : program.versions) {
            for (const auto& procedure : version.procedures) {
                visit({Sort::procedure, version, procedure});
            }
        }
    }
}

}  // namespace helio::idl
