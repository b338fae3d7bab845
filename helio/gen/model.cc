#include "helio/gen/model_internal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace helio::gen {

namespace {

std::string stem_of(std::string_view path) {
    const std::size_t slash = path.find_last_of("/\\");
    if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
    path = path.substr(0, path.find('.'));
    std::string stem;
    for (const char c : path) stem += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (stem.empty() || std::isdigit(static_cast<unsigned char>(stem.front()))) stem.insert(0, "x");
    return stem;
}

bool composite(Kind kind) {
    switch (kind) {
        case Kind::opaque_fixed:
        case Kind::opaque_variable:
        case Kind::string:
        case Kind::array_fixed:
        case Kind::array_variable:
        case Kind::optional:
            return true;
        default:
            return false;
    }
}

}  // namespace

Model::Model(const idl::Schema& schema, const Options& options)
    : schema_(schema),
      options_(options),
      stem_(stem_of(schema.sources.files.at(0).name)),
      namespace_(file_namespace(0)) {
    order();
}

std::string Model::file_namespace(std::uint32_t file) const {
    if (file == 0 && !schema_.cpp_namespace.empty()) {
        std::vector<std::string> parts;
        for (const auto& part : schema_.cpp_namespace) parts.push_back(cpp_name(part));
        return fmt::format("{}", fmt::join(parts, "::"));
    }
    auto parts = options_.namespaces;
    parts.push_back(cpp_name(stem_of(schema_.sources.files.at(file).name)));
    return fmt::format("{}", fmt::join(parts, "::"));
}

std::string Model::include(std::string_view file) const {
    return options_.include_prefix + std::string{file};
}

std::vector<std::string> Model::imported_stems() const {
    std::vector<std::string> stems;
    for (const std::uint32_t file : schema_.imports)
        stems.push_back(stem_of(schema_.sources.files.at(file).name));
    return stems;
}

std::string Model::qualified(const Type& named, std::string_view prefix) const {
    auto name = std::string{prefix} + cpp_name(named.name);
    if (named.where.file == 0) return name;
    return "::" + file_namespace(named.where.file) + "::" + name;
}

std::string Model::constant(std::string_view bound_name, std::uint64_t value) const {
    if (!bound_name.empty()) {
        if (const auto* named = schema_.constant(bound_name); named != nullptr) {
            if (named->where.file == 0) return cpp_name(bound_name);
            return "::" + file_namespace(named->where.file) + "::" + cpp_name(bound_name);
        }
    }
    return value == idl::kUnbounded ? "xdr::kUnbounded" : fmt::format("{}", value);
}

bool Model::by_value(const Type& type) {
    return type.kind == Kind::opaque_fixed ? type.bound <= kOpaqueByValueMax
                                           : type.bound <= kArrayByValueMax;
}

std::string Model::cpp_type(const Type& type) const {
    if (!type.name.empty()) return qualified(type);
    switch (type.kind) {
        case Kind::void_:
            return "void";
        case Kind::int_:
            return "std::int32_t";
        case Kind::unsigned_int:
            return "std::uint32_t";
        case Kind::hyper:
            return "std::int64_t";
        case Kind::unsigned_hyper:
            return "std::uint64_t";
        case Kind::float_:
            return "float";
        case Kind::double_:
            return "double";
        case Kind::quadruple:
            return "std::array<std::byte, 16>";
        case Kind::boolean:
            return "bool";
        case Kind::character:
            return "std::int8_t";
        case Kind::unsigned_character:
            return "std::uint8_t";
        case Kind::short_:
            return "std::int16_t";
        case Kind::unsigned_short:
            return "std::uint16_t";
        case Kind::opaque_fixed:
            if (!by_value(type)) return "::helio::ByteView";
            return fmt::format("std::array<std::byte, {}>", constant(type.bound_name, type.bound));
        case Kind::opaque_variable:
            return "::helio::ByteView";
        case Kind::string:
            return "std::string_view";
        case Kind::array_fixed:
            if (!by_value(type)) return fmt::format("xdr::Array<{}>", cpp_type(*type.element));
            return fmt::format("std::array<{}, {}>", cpp_type(*type.element),
                               constant(type.bound_name, type.bound));
        case Kind::array_variable:
            return fmt::format("xdr::Array<{}>", cpp_type(*type.element));
        case Kind::optional:
            return fmt::format("const {}*", cpp_type(*type.element));
        case Kind::alias:
            return cpp_type(*type.element);
        case Kind::enumeration:
        case Kind::structure:
        case Kind::union_:
            break;  // always named
    }
    return "void";
}

std::string Model::cpp_type(const idl::Field& field) const {
    const bool payload =
        field.has("bulk") && idl::resolve(*field.type).kind == Kind::opaque_variable;
    return payload ? "::helio::Payload" : cpp_type(*field.type);
}

const idl::Arm* Model::optional_arm(const Type& type) {
    if (type.kind != Kind::union_ || idl::resolve(*type.discriminant.type).kind != Kind::boolean)
        return nullptr;
    const idl::Arm* something = type.arm_for(1);
    const idl::Arm* nothing = type.arm_for(0);
    if (something == nullptr || nothing == nullptr || something == nothing) return nullptr;
    const bool fits = idl::resolve(*something->field.type).kind != Kind::void_ &&
                      idl::resolve(*nothing->field.type).kind == Kind::void_;
    return fits ? something : nullptr;
}

bool Model::flat(const Type& any) const {
    const Type& type = idl::resolve(any);
    switch (type.kind) {
        case Kind::opaque_variable:
        case Kind::string:
        case Kind::array_variable:
        case Kind::optional:
        case Kind::union_:
            return false;
        case Kind::array_fixed:
            return flat(*type.element);
        case Kind::structure:
            break;
        default:
            return true;
    }
    if (const auto known = flat_.find(&type); known != flat_.end()) return known->second;
    flat_[&type] = false;  // a struct that contains itself does so through a type that is not flat
    const bool all =
        std::ranges::all_of(type.fields, [this](const auto& field) { return flat(*field.type); });
    flat_[&type] = all;
    return all;
}

std::uint64_t Model::lead(const Type& any) const {
    const Type& type = idl::resolve(any);
    if (flat(type)) return type.wire_min;
    if (type.kind == Kind::structure) return lead(type.fields);
    return type.kind == Kind::array_fixed ? 0 : 4;
}

std::uint64_t Model::lead(const std::vector<idl::Field>& fields) const {
    std::uint64_t sum = 0;
    for (const auto& field : fields) {
        sum += lead(*field.type);
        if (!flat(*field.type)) break;
    }
    return sum;
}

bool Model::bounded(const Type& any) {
    const Type& type = idl::resolve(any);
    return type.wire_max <= kReserveMax && !type.recursive;
}

std::uint64_t Model::reserve(const Type& any) const {
    const Type& type = idl::resolve(any);
    if (bounded(type)) return type.wire_max;
    return type.kind == Kind::structure && !flat(type) ? reserve(type.fields) : lead(type);
}

std::uint64_t Model::reserve(const std::vector<idl::Field>& fields) const {
    std::uint64_t sum = 0;
    for (const auto& field : fields) {
        sum += reserve(*field.type);
        if (!bounded(*field.type) && !flat(*field.type)) break;
    }
    return sum;
}

const Type& Model::codec_type(const Type& type) {
    const Type* at = &type;
    while (at->kind == Kind::alias && !(at->element->name.empty() && composite(at->element->kind)))
        at = at->element;
    return *at;
}

bool Model::word_sized(const Type& element) {
    const Kind kind = idl::resolve(element).kind;
    return kind == Kind::int_ || kind == Kind::unsigned_int || kind == Kind::float_;
}

std::uint32_t Model::steps(const Type& any) const {
    const Type& type = idl::resolve(any);
    switch (type.kind) {
        case Kind::opaque_variable:
        case Kind::string:
            return 2;
        case Kind::array_fixed:
        case Kind::array_variable:
        case Kind::optional:
            return 4;
        case Kind::structure:
        case Kind::union_:
            break;
        default:
            return 1;
    }
    if (flat(type)) return 2;
    if (const auto known = steps_.find(&type); known != steps_.end()) return known->second;
    steps_[&type] = kInlineStepsMax;  // recursion: never inlined
    std::uint32_t sum = 0;
    for (const auto& field : type.fields) sum += std::min(steps(*field.type), kInlineStepsMax);
    for (const auto& arm : type.arms) sum += 2 + std::min(steps(*arm.field.type), kInlineStepsMax);
    steps_[&type] = sum;
    return sum;
}

bool Model::out_of_line(const Type& any) const {
    const Type& type = idl::resolve(any);
    if (type.kind != Kind::structure && type.kind != Kind::union_) return false;
    return !flat(type) && (type.recursive || steps(type) > kInlineStepsMax);
}

// C++ requires a type to be defined before it is used by value, and a typedef before any use.
// Pointers and Arrays need only a forward declaration, which every struct and union gets.
void Model::visit(const Type& type, std::unordered_set<const Type*>& seen) {
    if (type.name.empty()) {
        if (type.element == nullptr) return;
        const bool by_reference = type.kind == Kind::optional ||
                                  type.kind == Kind::array_variable ||
                                  (type.kind == Kind::array_fixed && !by_value(type));
        if (!by_reference || type.element->kind == Kind::alias ||
            type.element->kind == Kind::enumeration)
            visit(*type.element, seen);
        return;
    }
    if (type.where.file != 0 || !seen.insert(&type).second) return;
    if (type.element != nullptr) visit(*type.element, seen);
    for (const auto& field : type.fields) visit(*field.type, seen);
    if (type.discriminant.type != nullptr) visit(*type.discriminant.type, seen);
    for (const auto& arm : type.arms) visit(*arm.field.type, seen);
    ordered_.push_back(&type);
}

void Model::order() {
    std::unordered_set<const Type*> seen;
    for (const Type* type : schema_.types) visit(*type, seen);
}

}  // namespace helio::gen
