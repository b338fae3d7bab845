// Bitmaps: names of their bits (@bits), and the values that a bitmap selects (@contents). Words of
// flags (@flags). See docs/schema-language.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/idl/schema.h"
#include "helio/reflect/tree.h"

namespace helio::reflect {

// What the bits of one word mean: bit 0 of the word is bit `first` of `meaning`, a sparse struct or
// an enum; null when the schema says nothing about them.
struct BitWord {
    const idl::Type* meaning = nullptr;
    std::uint64_t first = 0;
};

// Of a leaf: an unsigned int with @bits, or a word of such an array.
BitWord bit_word(const Tree& tree, NodeIndex leaf);

// The @bits of a field (or null) of that declared type, its own or its typedef's; null if none.
const idl::Type* bits_of(const idl::Field* field, const idl::Type& declared);

// The field or enumerator with that number; empty if there is none.
std::string_view bit_name(const idl::Type& meaning, std::uint64_t bit);
// The number of the field or enumerator of that name, below idl::kSparseBitsMax; -1 if there is
// none.
std::int64_t bit_number(const idl::Type& meaning, std::string_view name);

// The bits that are set, in order: "type, size, bit 94". Empty for 0.
std::string bit_names(const idl::Type& meaning, std::uint64_t first, std::uint32_t word);

// The @flags of a field (or null) of that declared type, its own or its typedef's; null if none.
const idl::FlagSet* flags_of(const idl::Field* field, const idl::Type& declared);

// What is set in a word, by its lowest bits. A name for several bits takes precedence over names
// for some of them.
struct SetFlags {
    std::array<std::string_view, 32> names;
    std::size_t count = 0;
    std::uint32_t unnamed = 0;
};
SetFlags set_flags(const idl::FlagSet& set, std::uint32_t word);
// The mask of that name, or null if there is none.
const idl::FlagSet::Flag* flag_named(const idl::FlagSet& set, std::string_view name);
// "ACCESS4_READ|ACCESS4_LOOKUP|0x1000"; "none" for 0.
void append_flags(std::string& out, const idl::FlagSet& set, std::uint32_t word);

// Of a Role::contents node: its values are all that the bitmap selects, and no bytes are left over.
bool is_understood(const Tree& tree, NodeIndex contents);

}  // namespace helio::reflect
