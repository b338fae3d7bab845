// Rules about names and comments.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "helio/base/text/nearest.h"
#include "helio/idl/lint/lint_internal.h"
#include "helio/idl/sema/names_internal.h"

namespace helio::idl {
namespace {

// C++20 [lex.key] and the alternative tokens. Words that are keywords of the .x language cannot be
// names.
constexpr auto kKeywords = std::to_array<std::string_view>({
    "alignas",       "alignof",     "and",
    "and_eq",        "asm",         "auto",
    "bitand",        "bitor",       "bool",
    "break",         "case",        "catch",
    "char",          "char16_t",    "char32_t",
    "char8_t",       "class",       "co_await",
    "co_return",     "co_yield",    "compl",
    "concept",       "const",       "const_cast",
    "consteval",     "constexpr",   "constinit",
    "continue",      "decltype",    "default",
    "delete",        "do",          "double",
    "dynamic_cast",  "else",        "enum",
    "explicit",      "export",      "extern",
    "false",         "float",       "for",
    "friend",        "goto",        "if",
    "inline",        "int",         "long",
    "mutable",       "namespace",   "new",
    "noexcept",      "not",         "not_eq",
    "nullptr",       "operator",    "or",
    "or_eq",         "private",     "protected",
    "public",        "register",    "reinterpret_cast",
    "requires",      "return",      "short",
    "signed",        "sizeof",      "static",
    "static_assert", "static_cast", "struct",
    "switch",        "template",    "this",
    "thread_local",  "throw",       "true",
    "try",           "typedef",     "typeid",
    "typename",      "union",       "unsigned",
    "using",         "virtual",     "void",
    "volatile",      "wchar_t",     "while",
    "xor",           "xor_eq",
});

// Annotations that Heliograph uses (docs/schema-language.md).
constexpr auto kAnnotations = std::to_array<std::string_view>({
    "acl",
    "aclfilter",
    "bit",
    "bits",
    "bulk",
    "compound",
    "contents",
    "flags",
    "idempotent",
    "lint-off",
    "open",
    "overwrites",
    "priority",
    "sparse",
    "template",
});

std::string folded(std::string_view name) {
    std::string lower{name};
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return lower;
}

void spelling_of_name(Linter& linter, const Named& named) {
    const std::string& name = named.self.name;
    const auto owners = {&named.definition, &named.self};
    if (std::binary_search(kKeywords.begin(), kKeywords.end(), name)) {
        linter.report("cpp-keyword", owners, named.self.where,
                      fmt::format("'{}' is a C++ keyword", name),
                      "helio gen appends an underscore; other compilers fail");
    }
    const bool capital = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
    if (capital || name.find("__") != std::string::npos) {
        linter.report("reserved-name", owners, named.self.where,
                      fmt::format("'{}' is a name that C and C++ reserve", name));
    }
}

// Only among names of the same kind: an enumerator FOO beside a type foo is customary.
class CaseClash {
 public:
    void check(Linter& linter, const Named& named) {
        if (named.sort != Named::Sort::type && named.sort != Named::Sort::value) return;
        const auto key = std::pair{named.sort, folded(named.self.name)};
        const auto [known, is_new] = first_.emplace(key, named.self.name);
        if (is_new || known->second == named.self.name) return;
        linter.report(
            "case-clash", {&named.definition, &named.self}, named.self.where,
            fmt::format("'{}' and '{}' differ only in case", named.self.name, known->second));
    }

 private:
    std::map<std::pair<Named::Sort, std::string>, std::string> first_;
};

std::string_view prefix_of(std::string_view name) { return name.substr(0, name.find('_')); }

// NSF3ERR_IO among NFS3ERR_PERM, NFS3ERR_NOENT, …: differs by one letter from the prefix of most
// others.
void odd_prefix(Linter& linter, const Type& type) {
    constexpr std::size_t kPrefixSize = 3;  // shorter ones are similar to everything
    std::map<std::string_view, std::size_t> count;
    for (const auto& enumerator : type.enumerators) {
        if (enumerator.name.find('_') != std::string::npos) ++count[prefix_of(enumerator.name)];
    }
    const auto most =
        std::max_element(count.begin(), count.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most == count.end() || most->second < 3 || most->first.size() < kPrefixSize) return;
    for (const auto& enumerator : type.enumerators) {
        const auto prefix = prefix_of(enumerator.name);
        const auto found = count.find(prefix);
        if (found == count.end() || found->second > 1 || prefix.size() < kPrefixSize) continue;
        if (edit_distance(prefix, most->first, 1) != 1) continue;
        linter.report("odd-prefix", {&type, &enumerator}, enumerator.where,
                      fmt::format("'{}' begins with {}, but {} others begin with {}",
                                  enumerator.name, prefix, most->second, most->first));
    }
}

// An annotation that nothing reads is probably a mistake.
void annotations(Linter& linter, const Documented& definition, const Documented& self) {
    for (const auto& annotation : self.annotations) {
        const bool known = std::find(kAnnotations.begin(), kAnnotations.end(), annotation.word) !=
                           kAnnotations.end();
        if (annotation.word == "lint-off") {
            for (const auto& name : lint_off_names(annotation.argument)) {
                if (name == "all" || lint_rule(name) != nullptr) continue;
                linter.report("misspelt-annotation", {&definition, &self}, self.where,
                              fmt::format("@lint-off: unknown rule '{}'", name),
                              "helio lint --list-rules lists all rules");
            }
        }
        if (known) continue;
        const auto near =
            std::find_if(kAnnotations.begin(), kAnnotations.end(), [&](std::string_view word) {
                const std::size_t limit = word.size() > 4 ? 2 : 1;
                return edit_distance(folded(annotation.word), word, limit) <= limit;
            });
        if (near == kAnnotations.end()) continue;
        linter.report("misspelt-annotation", {&definition, &self}, self.where,
                      fmt::format("@{} is not an annotation", annotation.word),
                      fmt::format("did you mean @{}?", *near));
    }
}

void missing_doc(Linter& linter, const Named& named) {
    const bool wants = named.sort == Named::Sort::type || named.sort == Named::Sort::procedure;
    if (!wants || !named.self.doc.empty()) return;
    linter.report("missing-doc", {&named.definition, &named.self}, named.self.where,
                  fmt::format("'{}' has no comment", named.self.name),
                  "a comment before it, or after it on the same line, becomes its documentation");
}

}  // namespace

void lint_names(Linter& linter) {
    CaseClash case_clash;
    for_each_name(linter.schema(), [&](const Named& named) {
        spelling_of_name(linter, named);
        case_clash.check(linter, named);
        annotations(linter, named.definition, named.self);
        missing_doc(linter, named);
    });
    for (const Type* type : linter.schema().types) {
        if (is_main(*type)) odd_prefix(linter, *type);
    }
}

}  // namespace helio::idl
