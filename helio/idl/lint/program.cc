// Rules about programs, and about unused definitions of a schema with a program.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "helio/idl/lint/lint_internal.h"

namespace helio::idl {
namespace {

// RFC 5531 §8.3. IANA assigns numbers up to 0x1fffffff, followed by the site's own; schemas may use
// both.
constexpr std::uint32_t kTransientFirst = 0x40000000;
constexpr std::uint32_t kReservedFirst = 0x60000000;

void program_number(Linter& linter, const Program& program) {
    const auto number = program.number;
    std::string_view range;
    if (number == 0 || number >= kReservedFirst) range = "is reserved";
    if (number >= kTransientFirst && number < kReservedFirst) {
        range = "is transient: programs choose such numbers at run time";
    }
    if (range.empty()) return;
    linter.report("program-number", {&program}, program.where,
                  fmt::format("program number {:#x} {}", number, range),
                  "0x20000000 to 0x3fffffff are free for everyone (RFC 5531 §8.3)");
}

// By convention procedure 0 takes nothing and returns nothing, as in the example of RFC 5531 §12.1.
// rpcinfo, health checks and clients that look for a version call it. A procedure 0 of another type
// is one of the compiler's own warnings.
void null_procedure(Linter& linter, const Program& program, const Version& version) {
    if (version.procedure(0) != nullptr) return;
    linter.report(
        "null-procedure", {&program, &version}, version.where,
        fmt::format("version '{}' has no procedure 0", version.name),
        "add `void NAME(void) = 0;`, which clients call to ping a server or to find a version");
}

void procedure_gap(Linter& linter, const Program& program, const Version& version) {
    const Procedure* before = nullptr;
    for (const auto& procedure : version.procedures) {
        if (before != nullptr && procedure.number > before->number + 1) {
            linter.report("procedure-gap", {&program, &version, &procedure}, procedure.where,
                          fmt::format("'{}' is {}, but the procedure before it is {}",
                                      procedure.name, procedure.number, before->number));
        }
        before = &procedure;
    }
}

struct References {
    std::set<const Type*> types;
    std::set<std::string, std::less<>> bounds;

    void add(const Type& type, const Type* by) {
        const Type* inner = &type;
        for (; inner->name.empty() && inner->element != nullptr; inner = inner->element) {
            if (!inner->bound_name.empty()) bounds.insert(inner->bound_name);
        }
        if (!inner->bound_name.empty()) bounds.insert(inner->bound_name);
        if (inner != by) types.insert(inner);  // a list does not count as a use of itself
    }
    void add(const Field& field, const Type* by) {
        add(*field.type, by);
        if (field.contents != nullptr) add(*field.contents, by);
        if (field.bits != nullptr) add(*field.bits, by);
    }
};

References references(const Schema& schema) {
    References found;
    for (const Type* type : schema.types) {
        if (type->kind == Kind::alias) found.add(*type->element, type);
        if (type->bits != nullptr) found.add(*type->bits, type);
        for (const auto& field : type->fields) found.add(field, type);
        if (type->kind == Kind::union_) found.add(*type->discriminant.type, type);
        for (const auto& arm : type->arms) found.add(arm.field, type);
    }
    for (const auto& program : schema.programs) {
        for (const auto& version : program.versions) {
            for (const auto& procedure : version.procedures) {
                found.add(*procedure.result, nullptr);
                for (const Type* argument : procedure.arguments) found.add(*argument, nullptr);
            }
        }
    }
    return found;
}

// A file without a program is meant to be imported: all its definitions are for others.
void unused(Linter& linter) {
    const Schema& schema = linter.schema();
    const bool has_program = std::any_of(schema.programs.begin(), schema.programs.end(),
                                         [](const Program& program) { return is_main(program); });
    if (!has_program) return;
    const auto used = references(schema);
    for (const Type* type : schema.types) {
        if (!is_main(*type) || type->nested || used.types.contains(type)) continue;
        linter.report("unused-type", {type}, type->where,
                      fmt::format("'{}' is not used", type->name));
    }
    for (const auto& constant : schema.constants) {
        if (!is_main(constant) || used.bounds.contains(constant.name)) continue;
        linter.report("unused-constant", {&constant}, constant.where,
                      fmt::format("'{}' limits nothing", constant.name));
    }
}

}  // namespace

void lint_programs(Linter& linter) {
    for (const auto& program : linter.schema().programs) {
        if (!is_main(program)) continue;
        program_number(linter, program);
        for (const auto& version : program.versions) {
            null_procedure(linter, program, version);
            procedure_gap(linter, program, version);
        }
    }
    unused(linter);
}

}  // namespace helio::idl
