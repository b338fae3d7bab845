#include "helio/reflect/bits.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/idl/parse.h"
#include "helio/reflect/rules_internal.h"

namespace helio::reflect {

using idl::Kind;

const idl::Type* bits_of(const idl::Field* field, const idl::Type& declared) {
    if (field != nullptr && field->bits != nullptr) return field->bits;
    for (const idl::Type* type = &declared; type->kind == Kind::alias; type = type->element)
        if (type->bits != nullptr) return type->bits;
    return nullptr;
}

BitWord bit_word(const Tree& tree, NodeIndex leaf) {
    const Node& node = tree.nodes[leaf];
    if (node.role != Role::value || resolve(*node.type).kind != Kind::unsigned_int) return {};
    if (const idl::Type* const own = bits_of(node.field, *node.type)) return {own, 0};
    if (node.element == kNoElement || node.parent == kNoNode) return {};
    const Node& array = tree.nodes[node.parent];
    return {bits_of(array.field, *array.type), std::uint64_t{node.element} * 32};
}

std::string_view bit_name(const idl::Type& meaning, std::uint64_t bit) {
    if (bit >= idl::kSparseBitsMax) return {};
    if (meaning.sparse) {
        const idl::Field* const field = meaning.field_for_bit(static_cast<std::uint32_t>(bit));
        return field != nullptr ? std::string_view{field->name} : std::string_view{};
    }
    const idl::Enumerator* const known = meaning.enumerator(static_cast<std::int64_t>(bit));
    return known != nullptr ? std::string_view{known->name} : std::string_view{};
}

std::int64_t bit_number(const idl::Type& meaning, std::string_view name) {
    for (const idl::Field& field : meaning.fields)
        if (meaning.sparse && field.name == name) return field.bit;
    const idl::Enumerator* const known = meaning.enumerator(name);
    const bool fits = known != nullptr && known->value >= 0 &&
                      static_cast<std::uint32_t>(known->value) < idl::kSparseBitsMax;
    return fits ? known->value : -1;
}

std::string bit_names(const idl::Type& meaning, std::uint64_t first, std::uint32_t word) {
    std::string out;
    for (std::uint32_t i = 0; i < 32; ++i) {
        if ((word >> i & 1) == 0) continue;
        if (!out.empty()) out += ", ";
        const std::string_view known = bit_name(meaning, first + i);
        if (known.empty())
            fmt::format_to(std::back_inserter(out), "bit {}", first + i);
        else
            out += escaped(known);
    }
    return out;
}

const idl::FlagSet* flags_of(const idl::Field* field, const idl::Type& declared) {
    if (field != nullptr && field->flags != nullptr) return field->flags;
    for (const idl::Type* type = &declared; type->kind == Kind::alias; type = type->element)
        if (type->flags != nullptr) return type->flags;
    return nullptr;
}

SetFlags set_flags(const idl::FlagSet& set, std::uint32_t word) {
    SetFlags out;
    std::array<std::uint32_t, 32> masks{};
    out.unnamed = word;
    for (const auto& flag : set.flags) {
        if ((out.unnamed & flag.mask) != flag.mask) continue;
        out.unnamed &= ~flag.mask;
        std::size_t at = out.count++;
        for (; at > 0 && std::countr_zero(masks[at - 1]) > std::countr_zero(flag.mask); --at) {
            masks[at] = masks[at - 1];
            out.names[at] = out.names[at - 1];
        }
        masks[at] = flag.mask;
        out.names[at] = flag.name;
    }
    return out;
}

const idl::FlagSet::Flag* flag_named(const idl::FlagSet& set, std::string_view name) {
    for (const auto* list : {&set.flags, &set.aliases})
        for (const auto& flag : *list)
            if (flag.name == name) return &flag;
    return nullptr;
}

void append_flags(std::string& out, const idl::FlagSet& set, std::uint32_t word) {
    if (word == 0) out += "none";
    const SetFlags found = set_flags(set, word);
    for (std::size_t i = 0; i < found.count; ++i) {
        if (i != 0) out += '|';
        out += escaped(found.names[i]);
    }
    if (found.unnamed == 0) return;
    fmt::format_to(std::back_inserter(out), "{}{:#x}", found.count != 0 ? "|" : "", found.unnamed);
}

bool is_understood(const Tree& tree, NodeIndex contents) {
    const Node& node = tree.nodes[contents];
    const Node* const mask = mask_of(tree.nodes, node.parent, *node.field);
    if (mask == nullptr) return false;
    std::uint64_t values = 0;
    for (NodeIndex child = tree.first_child(contents); child != kNoNode;
         child = tree.next_sibling(child)) {
        if (tree.nodes[child].role == Role::body) return false;
        if (tree.nodes[child].field != nullptr) ++values;
    }
    std::uint64_t selected = 0;
    SetBits bits{tree.bytes, *mask};
    while (bits.next() != SetBits::kNone) ++selected;
    return values == selected && node.size >= 4;
}

}  // namespace helio::reflect
