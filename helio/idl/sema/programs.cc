// Programs, versions, procedures (RFC 5531 §12).
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "helio/idl/sema/sema_internal.h"

namespace helio::idl {
namespace {

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

// The end of "PROC_" or "PROC<digits>_"; 0 if the name has neither.
std::size_t end_of_proc_prefix(std::string_view name) {
    const std::size_t found = name.find("PROC");
    if (found == std::string_view::npos) return 0;
    std::size_t at = found + 4;
    while (at < name.size() && is_decimal_digit(name[at])) ++at;
    return at < name.size() && name[at] == '_' ? at + 1 : 0;
}

std::size_t common_prefix(const std::vector<Procedure>& procedures) {
    std::string_view prefix = procedures.front().name;
    for (const Procedure& each : procedures) {
        const auto differ =
            std::mismatch(prefix.begin(), prefix.end(), each.name.begin(), each.name.end());
        prefix = prefix.substr(0, static_cast<std::size_t>(differ.first - prefix.begin()));
    }
    const std::size_t underscore = prefix.rfind('_');
    return underscore == std::string_view::npos ? 0 : underscore + 1;
}

bool leaves_names(const std::vector<Procedure>& procedures, std::size_t prefix) {
    return std::all_of(procedures.begin(), procedures.end(), [prefix](const Procedure& each) {
        return each.name.size() > prefix && starts_name(each.name[prefix]);
    });
}

// Finds two with the same number or name. `earlier` remembers the first of each.
template <class Key>
class Unique {
 public:
    // Null if it is new, otherwise the location of the first.
    const Location* first_of(const Key& key, Location where) {
        const auto [found, is_new] = seen_.emplace(key, where);
        return is_new ? nullptr : &found->second;
    }

 private:
    std::unordered_map<Key, Location> seen_;
};

}  // namespace

void set_short_names(std::vector<Procedure>& procedures) {
    if (procedures.empty()) return;
    std::size_t prefix = procedures.size() == 1 ? end_of_proc_prefix(procedures.front().name)
                                                : common_prefix(procedures);
    // FOO_1ST, FOO_2ND: a name that would begin with a digit keeps the word before it.
    while (prefix > 0 && !leaves_names(procedures, prefix)) {
        const std::size_t shorter =
            prefix < 2 ? std::string::npos : procedures.front().name.rfind('_', prefix - 2);
        prefix = shorter == std::string::npos ? 0 : shorter + 1;
    }
    for (Procedure& each : procedures) each.short_name = each.name.substr(prefix);
}

// A program may be spread over files, each with its own versions: nfs2.x and nfs3.x. Within one
// file a second one is an error.
void Sema::build_programs() {
    std::unordered_map<std::uint32_t, std::size_t> by_number;
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (const ast::File& file : files_) {
        for (const ast::Program& from : file.programs) {
            const auto number = program_number(from.number, "program");
            const std::size_t next = schema_.programs.size();
            const std::size_t same_name = by_name.emplace(from.name, next).first->second;
            const std::size_t same_number =
                number ? by_number.emplace(*number, next).first->second : same_name;
            if (same_name == next && same_number == next) {
                Program& made = schema_.programs.emplace_back();
                static_cast<Documented&>(made) = from;
                made.number = number.value_or(0);
            } else if (same_name == next || same_name != same_number ||
                       schema_.programs[same_name].where.file == from.where.file) {
                const bool is_name = same_name != next;
                const Program& first = schema_.programs[is_name ? same_name : same_number];
                duplicate(is_name ? from.where : from.number.where,
                          is_name ? fmt::format("program '{}'", from.name)
                                  : fmt::format("program number {}", *number),
                          first.where);
                Program unused;  // its own errors are still reported
                build_versions(unused, from);
                continue;
            }
            build_versions(schema_.programs[same_name], from);
        }
    }
}

void Sema::build_versions(Program& program, const ast::Program& from_program) {
    Unique<std::uint32_t> numbers;
    Unique<std::string_view> names;
    for (const Version& earlier : program.versions) numbers.first_of(earlier.number, earlier.where);
    for (const ast::Version& from : from_program.versions) {
        Version& made = program.versions.emplace_back();
        static_cast<Documented&>(made) = from;
        const auto number = program_number(from.number, "version");
        made.number = number.value_or(0);
        if (const Location* first = names.first_of(from.name, from.where)) {
            duplicate(from.where, fmt::format("version '{}'", from.name), *first);
        } else if (const Location* same =
                       number ? numbers.first_of(*number, from.where) : nullptr) {
            duplicate(from.number.where, fmt::format("version number {}", made.number), *same);
        }
        build_procedures(made, from);
    }
}

void Sema::build_procedures(Version& version, const ast::Version& from_version) {
    Unique<std::uint32_t> numbers;
    Unique<std::string_view> names;
    for (const ast::Procedure& from : from_version.procedures) {
        Procedure& made = version.procedures.emplace_back();
        static_cast<Documented&>(made) = from;
        const auto number = program_number(from.number, "procedure");
        made.number = number.value_or(0);
        if (const Location* first = names.first_of(from.name, from.where)) {
            duplicate(from.where, fmt::format("procedure '{}'", from.name), *first);
        } else if (const Location* same =
                       number ? numbers.first_of(*number, from.where) : nullptr) {
            duplicate(from.number.where, fmt::format("procedure number {}", made.number), *same);
        }
        made.result = &result_type(from.result, from.name + "_result");
        build_arguments(made, from);
        const bool is_null = made.result->kind == Kind::void_ && made.arguments.empty();
        if (number == 0u && !is_null) {
            diagnostics_.warning(
                from.where, fmt::format("procedure 0 '{}' is not void -> void", from.name),
                "clients call procedure 0 to check that a server answers (RFC 5531 §12.1)");
        }
    }
    std::stable_sort(version.procedures.begin(), version.procedures.end(),
                     [](const Procedure& a, const Procedure& b) { return a.number < b.number; });
    set_short_names(version.procedures);
}

// A bare `string` or `opaque` has any length.
const Type& Sema::result_type(const ast::TypeName& type, const std::string& nested_name) {
    using Form = ast::TypeName::Form;
    if (type.form != Form::opaque && type.form != Form::string) return base_type(type, nested_name);
    Type& made = schema_.new_type(type.form == Form::opaque ? Kind::opaque_variable : Kind::string);
    made.where = type.where;
    return made;
}

void Sema::build_arguments(Procedure& procedure, const ast::Procedure& from) {
    for (const ast::Declaration& argument : from.arguments) {
        const Type& type = converted(argument, from.name, Role::argument);
        if (type.kind == Kind::void_) {
            if (from.arguments.size() > 1) {
                diagnostics_.error(argument.type.where,
                                   "void cannot be combined with other arguments");
            }
            continue;
        }
        procedure.arguments.push_back(&type);
        procedure.argument_names.push_back(argument.name);
    }
}

std::optional<std::uint32_t> Sema::program_number(const ast::Value& value, std::string_view what) {
    const auto number = constants_.evaluate(value, fmt::format("{} number", what));
    if (!number) return std::nullopt;
    const auto fits = number->as_uint32();
    if (!fits) {
        diagnostics_.error(
            value.where, fmt::format("{} number {} does not fit in 32 bits", what, number->text()));
    }
    return fits;
}

void Sema::duplicate(Location where, std::string what, Location first) {
    diagnostics_.error(where, fmt::format("{} is used twice", what),
                       fmt::format("the first is at {}", names_.place(first)));
}

}  // namespace helio::idl
