// Describes a wrong word: its value, what was expected, and what it would mean if it were right.
#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/explain/explain_internal.h"
#include "helio/inspect/meaning.h"

namespace helio::inspect {
namespace {

using idl::Kind;
using reflect::Node;
using reflect::NodeIndex;
using reflect::Role;
using reflect::Tree;
using xdr::Fault;

constexpr std::size_t kChoicesShownMax = 8;

std::string shown_path(const Part& part, NodeIndex node) {
    return escaped(reflect::path(part.tree, node, part.root));
}

// The leaf at that offset; the last one if there are two.
NodeIndex leaf_at(const Tree& tree, std::uint32_t offset) {
    for (std::size_t i = tree.nodes.size(); i-- > 0;) {
        const Node& node = tree.nodes[i];
        if (reflect::is_leaf(node.role) && node.offset == offset) return static_cast<NodeIndex>(i);
    }
    return reflect::kNoNode;
}

// For a tree that ends too early: the field that should come next.
std::string missing_field(const Part& part) {
    const Tree& tree = part.tree;
    if (tree.nodes.empty()) return part.title;
    auto node = static_cast<NodeIndex>(tree.nodes.size() - 1);
    const auto first_of = [&](NodeIndex structure) {
        const idl::Type& type = idl::resolve(*tree.nodes[structure].type);
        std::string out = shown_path(part, structure);
        if (type.kind != Kind::structure || type.fields.empty()) return out;
        if (!out.empty()) out += '.';
        return out + type.fields[0].name;
    };
    if (!reflect::is_leaf(tree.nodes[node].role)) return first_of(node);
    for (;;) {
        const NodeIndex parent = tree.nodes[node].parent;
        if (parent == reflect::kNoNode) return shown_path(part, node);
        const Node& above = tree.nodes[parent];
        const idl::Type& type = idl::resolve(*above.type);
        if (above.role != Role::structure) {
            if (above.role != Role::union_ || tree.nodes[node].role == Role::discriminant)
                return shown_path(part, parent);
        } else if (const idl::Field* const field = tree.nodes[node].field) {
            const auto index = static_cast<std::size_t>(field - type.fields.data());
            if (index + 1 < type.fields.size()) {
                std::string out = shown_path(part, parent);
                if (!out.empty()) out += '.';
                return out + type.fields[index + 1].name;
            }
        }
        node = parent;
    }
}

std::string choices_of(const idl::Type& type) {
    std::string out = "one of ";
    for (std::size_t i = 0; i < type.enumerators.size(); ++i) {
        if (i == kChoicesShownMax && type.enumerators.size() > kChoicesShownMax + 1)
            return out + fmt::format(" and {} more", type.enumerators.size() - i);
        if (i != 0) out += ", ";
        out += fmt::format("{} ({})", type.enumerators[i].name, type.enumerators[i].value);
    }
    return out;
}

std::string cases_of(const Tree& tree, const Node& leaf) {
    const idl::Type& type = idl::resolve(*tree.nodes[leaf.parent].type);
    std::string out = "one of ";
    std::size_t count = 0;
    for (const idl::Arm& arm : type.arms)
        for (const idl::Arm::Case& one : arm.cases) {
            if (++count > kChoicesShownMax) return out + ", …";
            if (count != 1) out += ", ";
            out += one.name.empty() ? fmt::format("{}", one.value) : one.name;
            if (!arm.field.name.empty()) out += fmt::format(" (then {})", arm.field.name);
        }
    return out;
}

std::string expected(const Tree& tree, const Node& leaf, const xdr::DecodeError& error) {
    const idl::Type& type = idl::resolve(*leaf.type);
    switch (error.fault) {
        case Fault::bad_bool:
            return leaf.role == Role::presence ? "0 (nothing follows) or 1 (a value follows)"
                                               : "a boolean, 0 or 1";
        case Fault::bad_enum:
            return choices_of(type);
        case Fault::bad_discriminant:
            return cases_of(tree, leaf);
        case Fault::too_long:
            return fmt::format("at most {} {}{}", error.limit,
                               type.kind == Kind::array_variable ? "elements" : "bytes",
                               type.bound_name.empty() ? "" : " (" + type.bound_name + ")");
        case Fault::out_of_range:
            return "a number in the range of the type";
        case Fault::bad_padding:
            return "zeros";
        default:
            return std::string{xdr::name(error.fault)};
    }
}

// What the word would mean in a valid message.
std::string if_right(const Tree& tree, const Node& leaf, const xdr::DecodeError& error,
                     std::uint32_t part_offset) {
    if (error.fault == Fault::too_long)
        return fmt::format("; with this length it would end at byte {}",
                           std::uint64_t{part_offset} + error.offset + 4 + padded(error.got));
    const Node* at = &leaf;
    while (at->field == nullptr && at->parent != reflect::kNoNode) at = &tree.nodes[at->parent];
    std::string_view doc =
        at->field == nullptr ? std::string_view{} : first_sentence(at->field->doc);
    if (doc.empty()) doc = first_sentence(leaf.type->doc);
    if (doc.empty()) return {};
    return fmt::format("; purpose of the field: {}", escaped(doc));
}

}  // namespace

std::string describe_fault(const Part& part, const xdr::DecodeError& error, bool cut) {
    const Tree& tree = part.tree;
    const std::uint32_t at = part.offset + error.offset;
    if (error.fault == Fault::truncated) {
        const Node* const last = tree.nodes.empty() ? nullptr : &tree.nodes.back();
        if (last != nullptr && last->role == Role::body)
            return fmt::format("{} at byte {}, within {}, of which {} bytes are present",
                               cut ? "the copied text ends" : "the bytes end", at,
                               shown_path(part, static_cast<NodeIndex>(tree.nodes.size() - 1)),
                               last->size);
        return fmt::format("{} at byte {}, where {} should follow (at least {} bytes)",
                           cut ? "the copied text ends" : "the bytes end", at, missing_field(part),
                           error.got);
    }
    const NodeIndex leaf = leaf_at(tree, error.offset);
    if (leaf == reflect::kNoNode || error.fault == Fault::too_deep ||
        error.fault == Fault::out_of_memory)
        return fmt::format("at byte {}: {}", at, xdr::name(error.fault));
    const Node& node = tree.nodes[leaf];
    const bool number = error.fault == Fault::too_long || error.got <= 0x7fffffff;
    return fmt::format("the word at byte {} ({}) is {}; expected {}{}", at, shown_path(part, leaf),
                       number ? fmt::format("{}", error.got) : fmt::format("{:#010x}", error.got),
                       expected(tree, node, error), if_right(tree, node, error, part.offset));
}

}  // namespace helio::inspect
