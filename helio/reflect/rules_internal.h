// Rules of the wire format, shared by the decoder, the JSON encoder and the value generator.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/tree.h"
#include "helio/xdr/error.h"
#include "helio/xdr/wire.h"

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

// The bits that are set in a bitmap of `count` words, in order.
class SetBits {
 public:
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};

    SetBits() = default;
    SetBits(const std::byte* words, std::uint32_t count) : words_(words), count_(count) {}
    // Of an array node: its length word, then the bitmap's.
    SetBits(ByteView bytes, const Node& array)
        : SetBits(bytes.data() + array.offset + 4, array.size < 4 ? 0 : array.size / 4 - 1) {}

    std::uint64_t next() {
        while (left_ == 0) {
            if (word_ == count_) return kNone;
            left_ = xdr::load_u32(words_ + std::size_t{word_++} * 4);
        }
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(left_));
        left_ &= left_ - 1;
        return (std::uint64_t{word_} - 1) * 32 + bit;
    }

 private:
    const std::byte* words_ = nullptr;
    std::uint32_t count_ = 0;
    std::uint32_t word_ = 0;  // words taken
    std::uint32_t left_ = 0;  // bits of the last of them
};

// The bitmap that selects the values in a field with @contents: a child of the same node. It stands
// before that field, so it is complete when the field is read. Null if it has no node.
inline const Node* mask_of(const std::vector<Node>& nodes, NodeIndex parent,
                           const idl::Field& field) {
    if (parent == kNoNode) return nullptr;
    const idl::Type& type = idl::resolve(*nodes[parent].type);
    if (type.kind != idl::Kind::structure || field.contents_mask >= type.fields.size())
        return nullptr;
    const idl::Field* const wanted = &type.fields[field.contents_mask];
    for (NodeIndex child = parent + 1; child < nodes.size(); child = nodes[child].next) {
        if (nodes[child].field == wanted) return &nodes[child];
        if (nodes[child].field == &field) return nullptr;
    }
    return nullptr;
}

}  // namespace helio::reflect
