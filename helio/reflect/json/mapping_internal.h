// The type-dependent decisions of docs/json-mapping.md; the writer, the encoder and the template
// must agree on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "helio/idl/schema.h"
#include "helio/reflect/rules_internal.h"

namespace helio::reflect {

// optional<optional<T>> and the like: {"value": …} keeps "absent" and "present but null" apart.
inline constexpr std::string_view kWrapKey = "value";

inline constexpr std::string_view kHexKey = "hex";
inline constexpr std::string_view kBase64Key = "base64";
inline constexpr std::string_view kTextKey = "text";
inline constexpr std::string_view kBitsKey = "bits";

inline constexpr std::uint32_t kFloatNan = 0x7fc00000;  // the only NaNs written "nan"
inline constexpr std::uint64_t kDoubleNan = 0x7ff8000000000000;

// Longer arrays of char are arrays: a short string must not ask for much memory.
inline constexpr std::uint32_t kCharTextMax = 4096;

// char x[N], which C programs use for text.
inline bool is_char_array(const idl::Type& type) {
    return type.kind == idl::Kind::array_fixed && type.bound <= kCharTextMax &&
           idl::resolve(*type.element).kind == idl::Kind::character;
}

// A sparse struct has a field of that name: {"hex": …} for its values means that field.
inline bool is_field(const idl::Type& type, std::string_view name) {
    return std::any_of(type.fields.begin(), type.fields.end(),
                       [&](const idl::Field& field) { return field.name == name; });
}

inline bool is_void(const idl::Type& type) { return idl::resolve(type).kind == idl::Kind::void_; }

// union switch (bool) { case TRUE: T x; case FALSE: void; }: an optional in disguise.
inline bool is_switched_optional(const idl::Type& type) {
    if (type.kind != idl::Kind::union_ ||
        idl::resolve(*type.discriminant.type).kind != idl::Kind::boolean) {
        return false;
    }
    const idl::Arm* const yes = type.arm_for(1);
    const idl::Arm* const no = type.arm_for(0);
    return yes != nullptr && no != nullptr && !is_void(*yes->field.type) &&
           is_void(*no->field.type);
}

// May its JSON be null? Then an optional of it is wrapped.
inline bool is_nullable(const idl::Type& declared) {
    const idl::Type& type = idl::resolve(declared);
    return type.kind == idl::Kind::void_ || is_switched_optional(type) ||
           (type.kind == idl::Kind::optional && !is_list(type));
}

}  // namespace helio::reflect
