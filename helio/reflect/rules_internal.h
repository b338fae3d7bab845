// Rules of the wire format, shared by the decoder, the JSON encoder and the value generator.
#pragma once

#include <cstdint>

#include "helio/idl/schema.h"
#include "helio/xdr/error.h"

namespace helio::reflect {

// The word as a number: sign-extended except for the unsigned kinds.
inline std::int64_t number_in(const idl::Type& type, std::uint32_t word) {
    switch (type.kind) {
        case idl::Kind::unsigned_int:
        case idl::Kind::unsigned_character:
        case idl::Kind::unsigned_short:
            return word;
        default:
            return static_cast<std::int32_t>(word);
    }
}

// Most enumerations have no gaps: the first guess is the index the value would then have, which
// saves a search.
inline bool is_enumerator(const idl::Type& type, std::uint32_t word) {
    const auto& all = type.enumerators;
    if (all.empty()) return false;
    const std::uint32_t guess = word - static_cast<std::uint32_t>(all.front().value);
    if (guess < all.size() && static_cast<std::uint32_t>(all[guess].value) == word) return true;
    return type.enumerator(std::int64_t{static_cast<std::int32_t>(word)}) != nullptr;
}

// Does the word fit the (resolved) type of a value or a discriminant? RFC 4506 §4.3, §4.4; C types
// shorter than an int keep their range although they are sent as an int.
inline xdr::Fault fault_of(const idl::Type& type, std::uint32_t word) {
    using idl::Kind;
    using xdr::Fault;
    const auto number = static_cast<std::int32_t>(word);
    const auto in = [number](std::int32_t low, std::int32_t high) {
        return number >= low && number <= high ? Fault::none : Fault::out_of_range;
    };
    switch (type.kind) {
        case Kind::boolean:
            return word <= 1 ? Fault::none : Fault::bad_bool;
        case Kind::enumeration:
            return is_enumerator(type, word) || type.open() ? Fault::none : Fault::bad_enum;
        case Kind::character:
            return in(-128, 127);
        case Kind::unsigned_character:
            return in(0, 255);
        case Kind::short_:
            return in(-32768, 32767);
        case Kind::unsigned_short:
            return in(0, 65535);
        default:
            return Fault::none;
    }
}

// entry *x, where entry ends in `entry *next`: decoded in a loop, shown as an array.
inline bool is_list(const idl::Type& type) {
    return type.kind == idl::Kind::optional && idl::resolve(*type.element).list_node;
}

// Counts towards xdr::kDepthMax, as in the generated codecs: a value of a recursive type, and a
// whole list. A list's nodes share its level.
inline bool is_level(const idl::Type& type) {
    if (is_list(type)) return true;
    return type.recursive && !type.list_node &&
           (type.kind == idl::Kind::structure || type.kind == idl::Kind::union_);
}

}  // namespace helio::reflect
