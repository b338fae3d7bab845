#include "helio/reflect/compound.h"

#include <algorithm>

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

// The union whose array is the field of that name.
const Type* union_in(const Type& declared, std::string_view name) {
    const Type& type = idl::resolve(declared);
    for (const idl::Field& field : type.fields) {
        const Type& array = idl::resolve(*field.type);
        if (field.name != name || array.kind != Kind::array_variable) continue;
        const Type& element = idl::resolve(*array.element);
        return element.kind == Kind::union_ ? &element : nullptr;
    }
    return nullptr;
}

}  // namespace

std::optional<Compound> compound_of(const idl::Procedure& procedure) {
    const idl::Annotation* const given = procedure.annotation("compound");
    if (given == nullptr || procedure.arguments.size() != 1) return std::nullopt;
    const std::string_view names = given->argument;
    const std::size_t space = names.find(' ');
    if (space == names.npos) return std::nullopt;
    Compound out;
    out.call = union_in(*procedure.arguments[0], names.substr(0, space));
    out.reply = union_in(*procedure.result, names.substr(space + 1));
    if (out.call == nullptr || out.reply == nullptr) return std::nullopt;
    const std::size_t prefix = operation_prefix(*out.call);
    for (const idl::Arm& arm : out.call->arms) {
        if (arm.cases.empty() || arm.cases[0].name.empty()) continue;
        const idl::Arm* const reply = out.reply->arm_for(arm.cases[0].value);
        if (reply == nullptr) continue;
        out.operations.push_back({std::string_view{arm.cases[0].name}.substr(prefix), &arm, reply});
    }
    return out;
}

std::size_t operation_prefix(const Type& operations) {
    std::string_view shared;
    bool first = true;
    for (const idl::Arm& arm : operations.arms) {
        for (const idl::Arm::Case& one : arm.cases) {
            if (first) shared = one.name;
            first = false;
            const auto [mine, theirs] =
                std::mismatch(shared.begin(), shared.end(), one.name.begin(), one.name.end());
            shared = shared.substr(0, static_cast<std::size_t>(mine - shared.begin()));
        }
    }
    return shared.rfind('_') + 1;  // 0 when there is none
}

}  // namespace helio::reflect
