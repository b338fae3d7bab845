// Linter: what the rules share: the schema, and a report function that respects @lint-off. Private.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/lint/lint.h"

namespace helio::idl {

class Linter {
 public:
    Linter(const Schema& schema, const LintOptions& options);

    const Schema& schema() const { return schema_; }

    // `owners` are the definition and, inside it, the member concerned: a @lint-off in either
    // silences the rule.
    void report(std::string_view rule, std::initializer_list<const Documented*> owners,
                Location where, std::string message, std::string hint = {});

    // In source order.
    Diagnostics take();

 private:
    const Schema& schema_;
    std::set<std::string, std::less<>> active_;
    Diagnostics findings_;
};

// A declaration in the main file: a field, an arm, the target of a typedef, an argument or a
// result.
struct Use {
    const Documented& definition;
    const Documented& member;  // the definition itself if the use is not in a member
    const Type& type;
    std::string subject;  // "field 'data' of READ3resok"
};

void for_each_use(const Schema& schema, const std::function<void(const Use&)>& visit);

// Everything with a name in the main file, with the definition that contains it.
struct Named {
    enum class Sort { type, member, value, procedure };
    Sort sort;
    const Documented& definition;
    const Documented& self;
};

void for_each_name(const Schema& schema, const std::function<void(const Named&)>& visit);

inline bool is_main(const Documented& thing) { return thing.where.file == 0; }

// The names in the argument of a @lint-off; text after a ':' is a reason and is skipped.
std::vector<std::string> lint_off_names(std::string_view argument);

// The rules, by subject.
void lint_sizes(Linter& linter);     // lint_size.cc
void lint_shapes(Linter& linter);    // lint_shape.cc
void lint_names(Linter& linter);     // lint_names.cc
void lint_programs(Linter& linter);  // lint_program.cc

}  // namespace helio::idl
