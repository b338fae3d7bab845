// The implementation of breaking.h, one function per kind of definition.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/idl/breaking/breaking.h"

namespace helio::idl {

class Comparison {
 public:
    Comparison(const Schema& before, const Schema& after) : before_{before}, after_{after} {}

    std::vector<Change> run();

 private:
    // Something that both schemas have, with its name in the report.
    struct Place {
        std::string subject;
        const Documented& before;
        const Documented& after;
    };

    struct EnumIndex {
        explicit EnumIndex(const Type& of);
        const Type& type;
        std::unordered_map<std::string_view, const Enumerator*> by_name;
        std::unordered_map<std::int64_t, const Enumerator*> by_value;
    };

    // breaking_program.cc
    void constants();
    void text_constants();
    void programs();
    void program(const Program& before, const Program& after);
    void version(const Program& of, const Version& before, const Version& after);
    void procedure(const std::string& of, const Procedure& before, const Procedure& after);
    void arguments(const Place& place, const Procedure& before, const Procedure& after);

    // breaking_type.cc
    void types();
    void find_renamed_types();
    void type(const Type& before, const Type& after);
    void structure(const Type& before, const Type& after);
    void sparse_structure(const Type& before, const Type& after);
    void field(const Type& of, const Field& before, const Field& after);
    void contents(const Type& of, const Field& before, const Field& after);
    void field_gone(const Type& of, const Field& field);
    void field_new(const Type& of, const Field& field);
    void enumeration(const Type& before, const Type& after);
    void enumerator_gone(const EnumIndex& before, const EnumIndex& after, const Enumerator& gone);
    void enumerator_new(const EnumIndex& before, const EnumIndex& after, const Enumerator& added);

    // breaking_union.cc
    void union_type(const Type& before, const Type& after);
    void arm(const std::string& subject, const Arm& before, const Arm& after);
    void default_arm(const Type& before, const Type& after, const Arm* old_arm, const Arm* new_arm);

    // breaking.cc: one type in one place, whatever its name.
    void use_of_type(const Place& place, const Type& before, const Type& after);
    bool bound(const Place& place, const Type& before, const Type& after);
    bool is_renamed(const Type& before, const Type& after) const;
    bool same_source(const Type& before, const Type& after) const;
    void annotations(const Place& place);

    Change& add(Impact impact, std::string rule, const Place& place, std::string message,
                std::string reason = {});
    Change& add_removed(Impact impact, std::string rule, std::string subject,
                        const Documented& gone, std::string reason = {});
    Change& add_added(Impact impact, std::string rule, std::string subject, const Documented& added,
                      std::string reason = {});

    const Schema& before_;
    const Schema& after_;
    std::vector<Change> changes_;
    std::unordered_map<std::string, std::string> renamed_types_;  // old name → new name
    std::set<std::string> renamed_to_;
};

std::string_view kind_word(const Type& type);  // "struct", "union", "enum", "typedef"

}  // namespace helio::idl
