#include "helio/inspect/catalogue.h"

#include <algorithm>

#include <fmt/format.h>

#include "helio/reflect/compound.h"

namespace helio::inspect {
namespace {

using idl::Kind;
using idl::Type;

// A procedure's number is an index into a table; real programs stay under 500.
constexpr std::uint32_t kProcedureNumberMax = 65535;

// Search depth for nested fields; real arguments and results need five.
constexpr int kSearchDepthMax = 8;

// The path to the first field, in wire order, for which `wanted` is true. Descends into structs and
// union arms, not into arrays and lists. Empty if there is none.
template <class Wanted>
bool find_path(const Type& declared, const Wanted& wanted, std::string& path, int depth = 0) {
    const Type& type = idl::resolve(declared);
    if (depth >= kSearchDepthMax) return false;
    const auto into = [&](const idl::Field& field) {
        const std::size_t before = path.size();
        if (before != 0) path += '.';
        path += field.name;
        if (wanted(field) || find_path(*field.type, wanted, path, depth + 1)) return true;
        path.resize(before);
        return false;
    };
    if (type.kind == Kind::structure)
        return std::any_of(type.fields.begin(), type.fields.end(), into);
    if (type.kind != Kind::union_) return false;
    return std::any_of(type.arms.begin(), type.arms.end(), [&](const idl::Arm& arm) {
        return arm.field.type->kind != Kind::void_ && into(arm.field);
    });
}

template <class Wanted>
reflect::FieldPlan plan_to(const Type& type, const Wanted& wanted) {
    std::string path;
    if (!find_path(type, wanted, path)) return {};
    return reflect::FieldPlan::to(type, path);
}

// File handles of NFS versions 2, 3 and 4.
bool is_handle(const Type& type) {
    return type.name == "nfs_fh3" || type.name == "fhandle" || type.name == "nfs_fh4";
}

reflect::FieldPlan handle_plan(const Type& arguments) {
    if (is_handle(arguments)) return reflect::FieldPlan::to(arguments, "");
    return plan_to(arguments, [](const idl::Field& field) { return is_handle(*field.type); });
}

// Fields that RDMA may carry separately (RFC 8267) are exactly the "bytes read" and "bytes
// written".
reflect::FieldPlan data_plan(const Type& type) {
    return plan_to(type, [](const idl::Field& field) { return field.has("bulk"); });
}

void plan_status(Procedure& procedure) {
    const Type& result = idl::resolve(*procedure.result);
    if (result.kind == Kind::union_) {
        procedure.status = reflect::FieldPlan::to(result, result.discriminant.name);
    } else if (result.kind == Kind::enumeration) {
        procedure.status = reflect::FieldPlan::to(result, "");
    } else if (result.kind == Kind::structure && !result.fields.empty() &&
               idl::resolve(*result.fields[0].type).kind == Kind::enumeration) {
        procedure.status = reflect::FieldPlan::to(result, result.fields[0].name);
    }
    procedure.status_type = procedure.status.type();
    procedure.status_first = procedure.status_type != nullptr;
}

// The array of operations in a call or reply: of unions that an enumeration switches.
bool open_side(Operations::Side& side, const Type& type, std::string_view path) {
    side.array = reflect::FieldPlan::to(type, path);
    if (side.array.empty() || side.array.type()->kind != Kind::array_variable) return false;
    side.element = &idl::resolve(*side.array.type()->element);
    side.by_arm.resize(side.element->arms.size());
    return side.element->kind == Kind::union_ &&
           idl::resolve(*side.element->discriminant.type).kind == Kind::enumeration;
}

// "nfs3" for "/home/me/nfs3.x".
std::string stem(std::string_view file) {
    if (const std::size_t slash = file.rfind('/'); slash != std::string_view::npos)
        file.remove_prefix(slash + 1);
    if (file.ends_with(".x")) file.remove_suffix(2);
    return std::string{file};
}

// The name that `helio call` takes, so that it can be pasted there.
std::string name_of_version(const std::string& schema_name, const idl::Schema& schema,
                            const idl::Program& program, const idl::Version& version) {
    std::string out = schema_name;
    const auto beside = [&](const idl::Program& one) {
        return one.where.file == program.where.file;
    };
    if (std::count_if(schema.programs.begin(), schema.programs.end(), beside) > 1)
        out += '.' + program.name;
    if (program.versions.size() > 1) out += fmt::format(".{}", version.number);
    return out;
}

}  // namespace

std::uint64_t Catalogue::key(Shape shape, std::uint32_t program, std::uint32_t version) {
    return std::uint64_t{program} << 32 | std::uint64_t{version & 0x7fffffff} << 1 |
           (shape == Shape::virnet ? 1 : 0);
}

void Catalogue::add(std::unique_ptr<const idl::Schema> owned, Shape shape, Imports imports) {
    const idl::Schema& schema = *schemas_.emplace_back(std::move(owned));
    for (const idl::Program& program : schema.programs) {
        const std::uint32_t file = program.where.file;
        if (file != 0 && imports == Imports::left_out) continue;
        const std::string schema_name =
            file == 0 ? schema.name : stem(schema.sources.files[file].name);
        (shape == Shape::onc ? programs_ : virnet_programs_)
            .try_emplace(program.number, program.name);
        for (const idl::Version& version : program.versions) {
            const auto [place, fresh] =
                versions_.try_emplace(key(shape, program.number, version.number));
            if (!fresh) continue;
            place->second.name = name_of_version(schema_name, schema, program, version);
            for (const idl::Procedure& procedure : version.procedures) {
                if (procedure.number > kProcedureNumberMax) continue;
                Procedure& made = add_procedure(
                    {schema, schema_name, program, version, shape, place->second.name}, procedure,
                    arguments_.emplace_back(procedure).type());
                auto& by_number = place->second.by_number;
                if (by_number.size() <= procedure.number) by_number.resize(procedure.number + 1);
                by_number[procedure.number] = &made;
                if (procedure.has("compound")) add_operations(made);
            }
        }
    }
}

Procedure& Catalogue::add_procedure(const Scope& scope, const idl::Procedure& procedure,
                                    const Type& arguments) {
    Procedure& made = procedures_.emplace_back();
    made.schema = &scope.schema;
    made.schema_name = scope.schema_name;
    made.program = &scope.program;
    made.version = &scope.version;
    made.procedure = &procedure;
    made.arguments = &arguments;
    made.result = procedure.result;
    made.shape = scope.shape;
    made.number = static_cast<std::uint32_t>(procedures_.size() - 1);
    made.name = scope.version_name + '.' + procedure.short_name;
    made.handle = handle_plan(arguments);
    made.call_bytes = data_plan(arguments);
    made.reply_bytes = data_plan(*procedure.result);
    plan_status(made);
    return made;
}

// Each arm of the call's union is an operation; its result is the reply's arm of the same number.
void Catalogue::add_operations(Procedure& compound) {
    const std::string_view arrays = compound.procedure->annotation("compound")->argument;
    const std::size_t space = arrays.find(' ');
    if (space == arrays.npos) return;
    auto operations = std::make_unique<Operations>();
    if (!open_side(operations->call, *compound.arguments, arrays.substr(0, space)) ||
        !open_side(operations->reply, *compound.result, arrays.substr(space + 1)))
        return;
    const Type& call = *operations->call.element;
    const Type& reply = *operations->reply.element;
    const std::size_t prefix = reflect::operation_prefix(call);
    const std::string scope = compound.name.substr(0, compound.name.rfind('.'));
    for (const idl::Arm& arm : call.arms) {
        if (arm.cases.empty() || arm.cases[0].name.empty()) continue;
        const idl::Arm* const answer = reply.arm_for(arm.cases[0].value);
        if (answer == nullptr) continue;
        idl::Procedure& as_procedure = operations_.emplace_back();
        as_procedure.name = arm.cases[0].name;
        as_procedure.short_name = arm.cases[0].name.substr(prefix);
        as_procedure.number = static_cast<std::uint32_t>(arm.cases[0].value);
        as_procedure.result = answer->field.type;
        Procedure& made = add_procedure({*compound.schema, compound.schema_name, *compound.program,
                                         *compound.version, compound.shape, scope},
                                        as_procedure, *arm.field.type);
        made.carried_by = &compound;
        operations->call.by_arm[static_cast<std::size_t>(&arm - call.arms.data())] = &made;
        operations->reply.by_arm[static_cast<std::size_t>(answer - reply.arms.data())] = &made;
    }
    operations->call.index();
    operations->reply.index();
    compound.operations = std::move(operations);
}

const Catalogue::ByNumber* Catalogue::procedures_of(Shape shape, std::uint32_t program,
                                                    std::uint32_t version) const {
    const auto found = versions_.find(key(shape, program, version));
    return found != versions_.end() ? &found->second.by_number : nullptr;
}

const Procedure* Catalogue::find(Shape shape, std::uint32_t program, std::uint32_t version,
                                 std::uint32_t procedure) const {
    const ByNumber* const all = procedures_of(shape, program, version);
    return all != nullptr && procedure < all->size() ? (*all)[procedure] : nullptr;
}

std::string Catalogue::name_of(Shape shape, std::uint32_t program, std::uint32_t version) const {
    if (const auto found = versions_.find(key(shape, program, version)); found != versions_.end())
        return found->second.name;
    const auto& names = shape == Shape::onc ? programs_ : virnet_programs_;
    if (const auto found = names.find(program); found != names.end())
        return fmt::format("{} version {}", found->second, version);
    return fmt::format("program {} version {}", program, version);
}

std::string Catalogue::name_of(Shape shape, std::uint32_t program, std::uint32_t version,
                               std::uint32_t procedure) const {
    if (const Procedure* const known = find(shape, program, version, procedure)) return known->name;
    return fmt::format("{} procedure {}", name_of(shape, program, version), procedure);
}

const idl::Type* Catalogue::type(std::string_view schema, std::string_view name) const {
    for (const auto& one : schemas_)
        if (one->name == schema) return one->type(name);
    return nullptr;
}

}  // namespace helio::inspect
