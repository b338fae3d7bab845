// Sema: semantic analysis, from ast::File to Schema. It resolves names in two passes, so that uses
// may come before definitions, and reports what makes no sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/schema.h"
#include "helio/idl/sema/constants_internal.h"
#include "helio/idl/sema/names_internal.h"
#include "helio/idl/syntax/ast_internal.h"

namespace helio::idl {

class Sema final {
 public:
    // `files`: imported ones first. They and `sources` outlive this.
    Sema(const std::vector<ast::File>& files, const SourceSet& sources, Schema& schema,
         Diagnostics& diagnostics);

    // Everything except the layout pass, which needs this one's results.
    void run();

 private:
    enum class Role : std::uint8_t { field, arm, discriminant, alias, argument };

    // sema.cc: first pass, names
    void declare(const ast::File& file);
    void declare_constant(const ast::Constant& constant);
    void declare_type(const ast::TypeDefinition& defined);
    void declare_bodies(const ast::TypeName& type);
    void declare_names_in(const ast::Body& body);
    bool declare_type_name(std::string_view name, Location where, Type& type);
    void declare_program(const ast::Program& program);
    void check_name_is_free_word(const Documented& named);
    void build_constants(const ast::File& file);

    // sema_types.cc: second pass, types
    void build_type(const ast::TypeDefinition& defined);
    void build_body(Type& type, const ast::Body& body);
    void build_enum(Type& type, const ast::Body& body);
    void build_struct(Type& type, const ast::Body& body);
    const Type& converted(const ast::Declaration& declared, std::string_view outer, Role role);
    const Type& opaque_or_string(const ast::Declaration& declared, Role role);
    const Type& base_type(const ast::TypeName& type, const std::string& nested_name);
    const Type& named_type(const ast::TypeName& type);
    Type& nested_type(const ast::TypeName& type, const std::string& nested_name);
    std::string free_name(const std::string& wanted, Location where);
    void set_bound(Type& type, const ast::Declaration& declared);
    const Type& broken_type() const { return schema_.builtin(Kind::int_); }
    void check_tags();

    // sema_unions.cc: third pass, when resolve() is known to terminate
    void build_union_head(Type& type, const ast::Body& body);
    void finish_union(Type& type, const ast::Body& body);
    void finish_cases(Type& type, const ast::Body& body);
    bool fits_discriminant(const Type& discriminant, const Integer& value, const ast::Value& label);
    const std::unordered_set<std::int64_t>& values_of(const Type& enumeration);
    void check_arm_names(Type& type, const ast::Body& body);
    void check_all_values_have_arms(const Type& type);

    // sema_programs.cc
    void build_programs();
    void build_versions(Program& program, const ast::Program& from_program);
    void build_procedures(Version& version, const ast::Version& from_version);
    const Type& result_type(const ast::TypeName& type, const std::string& nested_name);
    void build_arguments(Procedure& procedure, const ast::Procedure& from);
    std::optional<std::uint32_t> program_number(const ast::Value& value, std::string_view what);
    void duplicate(Location where, std::string what, Location first);

    // sparse.cc: @sparse, @bit, @contents and @bits, once typedefs are known to end
    void resolve_bitmaps();
    void check_annotations_of(const Type& type);
    void number_bits(Type& type);
    std::optional<std::uint32_t> bit_number(const Field& field);
    std::optional<Integer> annotated_integer(const Documented& owner, std::string_view word,
                                             std::string_view written);
    void resolve_contents(Type& type);
    void resolve_mask(const Type& type, Field& field, std::string_view name,
                      const std::unordered_map<std::string_view, std::size_t>& earlier);
    const Type* bits_of(const Documented& owner, const Type& type);
    const Type* type_in(const Documented& owner, std::string_view name);
    void check_sparse_uses();
    void check_sparse_use(const Type* used, std::string_view as, const Documented& by);

    // flags.cc: @flags, once constants and enumerators are known
    struct FlagName {
        std::string_view name;
        std::optional<std::uint32_t> mask;  // empty: it does not fit a word
    };
    void resolve_flags();
    void misplaced_flags(const Documented& owner);
    const FlagSet* flags_of(const Documented& owner, const Type& type);
    const FlagSet* flag_set(const Documented& owner, std::string written);
    bool add_flags(const Documented& owner, std::string_view pattern, FlagSet& set);
    const std::vector<FlagName>& flag_names();

    // templates.cc: @template, once constants and enumerators are known
    void resolve_template_values();
    void misplaced_template(const Documented& owner);
    std::optional<std::uint64_t> template_value_of(const Field& field);

    const std::vector<ast::File>& files_;
    Schema& schema_;
    Diagnostics& diagnostics_;
    Names names_;
    Constants constants_;

    std::vector<Type*> types_;                        // by Symbol::index
    std::unordered_map<const void*, Type*> type_of_;  // ast::TypeDefinition or ast::Body → its Type
    std::unordered_map<const Documented*, std::size_t> node_of_;  // constants and enumerators
    std::vector<std::pair<Type*, const ast::Body*>> unions_;
    std::unordered_map<const Type*, std::unordered_set<std::int64_t>> enum_values_;
    struct TagUse {
        const Type* type;
        const ast::TypeName* written;
    };
    std::vector<TagUse> tag_uses_;
    std::vector<FlagName> flag_names_;  // by name; made when a @flags is met
    std::unordered_map<std::string, const FlagSet*> flag_sets_;
};

// u_int, int32_t and other names rpcgen knows without a definition.
bool is_well_known_type(std::string_view name);

// Sets READ for NFSPROC3_READ: C needed the prefix, a service class does not. Removes what all
// procedures of a version share up to a '_', as long as each still has a valid name.
void set_short_names(std::vector<Procedure>& procedures);

}  // namespace helio::idl
