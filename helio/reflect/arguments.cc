#include "helio/reflect/arguments.h"

namespace helio::reflect {
namespace {

std::uint64_t add_sizes(std::uint64_t a, std::uint64_t b) {
    return a > idl::kSizeUnlimited - b ? idl::kSizeUnlimited : a + b;
}

}  // namespace

Arguments::Arguments(const idl::Procedure& procedure) {
    if (procedure.arguments.size() == 1) {
        type_ = procedure.arguments.front();
        return;
    }
    if (procedure.arguments.empty()) return;  // made_ is void
    made_.kind = idl::Kind::structure;
    made_.name = procedure.name + " arguments";
    for (const idl::Type* const type : procedure.arguments) {
        idl::Field field;
        field.name = "arg" + std::to_string(made_.fields.size() + 1);
        field.type = type;
        made_.fields.push_back(std::move(field));
        made_.wire_min = add_sizes(made_.wire_min, type->wire_min);
        made_.wire_max = add_sizes(made_.wire_max, type->wire_max);
    }
}

}  // namespace helio::reflect
