// Any text: parse() must end without a crash, and an accepted schema must be as schema.h promises.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "helio/base/assert.h"
#include "helio/idl/parse.h"

namespace {

using namespace helio::idl;

void check_name(const std::string& name) {
    HELIO_ASSERT(!name.empty() && name.size() <= kNameSizeMax);
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        HELIO_ASSERT(letter || (c >= '0' && c <= '9'));
    }
    HELIO_ASSERT(name[0] < '0' || name[0] > '9');
}

void check_sizes(const Type& type) {
    HELIO_ASSERT(type.wire_min <= type.wire_max);
    HELIO_ASSERT(type.wire_min == kSizeUnlimited || type.wire_min % 4 == 0);
    HELIO_ASSERT(type.wire_max == kSizeUnlimited || type.wire_max % 4 == 0);
}

// Descends through unnamed types; named ones are visited by themselves.
void check_use(const Type* type) {
    HELIO_ASSERT(type != nullptr);
    HELIO_ASSERT(resolve(*type).kind != Kind::alias);
    check_sizes(*type);
    if (type->name.empty() && type->element != nullptr) {
        check_use(type->element);
        const bool array = type->kind == Kind::array_fixed || type->kind == Kind::array_variable;
        HELIO_ASSERT(!array || type->element->wire_max > 0);
    }
}

void check_union(const Type& type) {
    check_use(type.discriminant.type);
    HELIO_ASSERT(!type.arms.empty());
    for (std::size_t i = 0; i < type.arms.size(); ++i) {
        const Arm& arm = type.arms[i];
        HELIO_ASSERT(!arm.is_default || i + 1 == type.arms.size());
        HELIO_ASSERT(arm.is_default == arm.cases.empty());
        check_use(arm.field.type);
        for (const Arm::Case& each : arm.cases) HELIO_ASSERT(type.arm_for(each.value) == &arm);
    }
}

void check_schema(const Schema& schema) {
    for (const Type* type : schema.types) {
        check_name(type->name);
        HELIO_ASSERT(schema.type(type->name) == type);
        check_sizes(*type);
        if (type->kind == Kind::alias) check_use(type->element);
        for (const Field& field : type->fields) {
            check_name(field.name);
            check_use(field.type);
            HELIO_ASSERT(field.type->wire_max > 0);
        }
        for (const Enumerator& each : type->enumerators) check_name(each.name);
        if (type->kind == Kind::union_) check_union(*type);
        HELIO_ASSERT(!type->list_node || type->recursive);
        HELIO_ASSERT(!type->recursive || type->wire_max == kSizeUnlimited);
    }
    for (const Constant& each : schema.constants) check_name(each.name);
    for (const Program& program : schema.programs) {
        for (const Version& version : program.versions) {
            for (const Procedure& procedure : version.procedures) {
                check_name(procedure.short_name);
                check_use(procedure.result);
                for (const Type* argument : procedure.arguments) check_use(argument);
                HELIO_ASSERT(procedure.arguments.size() == procedure.argument_names.size());
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    // An import gets the second half of the text: two files that may name each other.
    const std::string half = text.substr(size / 2);
    const Loader loader = [&](std::string_view name,
                              std::string_view) -> std::optional<LoadedText> {
        if (name.size() > 8) return std::nullopt;
        return LoadedText{std::string(name), half};
    };
    const Parsed parsed = parse("fuzz.x", text, loader);
    HELIO_ASSERT((parsed.schema == nullptr) == (parsed.diagnostics.error_count > 0));
    for (const char c : parsed.report()) HELIO_ASSERT(c == '\n' || c == '\t' || c < 0 || c >= ' ');
    if (parsed.schema != nullptr) check_schema(*parsed.schema);
    return 0;
}
