#include "helio/reflect/tree.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/base/text/escape.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;

ByteView range_of(const Tree& tree, NodeIndex node) {
    return tree.bytes.subspan(tree.nodes[node].offset, tree.nodes[node].size);
}

// Everything between the length and the padding.
ByteView contents_of(const Tree& tree, NodeIndex node) {
    ByteView bytes = range_of(tree, node);
    for (NodeIndex child = tree.first_child(node); child != kNoNode;
         child = tree.next_sibling(child)) {
        if (tree.nodes[child].role == Role::padding)
            bytes = bytes.first(bytes.size() - tree.nodes[child].size);
    }
    return bytes.subspan(std::min<std::size_t>(4, bytes.size()));
}

std::string text_of_word(const Tree& tree, NodeIndex node) {
    const idl::Type& type = resolve(*tree.nodes[node].type);
    const std::uint32_t word = xdr::load_u32(range_of(tree, node).data());
    if (type.kind == Kind::boolean && word <= 1) return word == 1 ? "true" : "false";
    if (type.kind == Kind::float_) return fmt::format("{}", as_double(tree, node));
    if (type.kind == Kind::enumeration) {
        const idl::Enumerator* const known = type.enumerator(number_in(type, word));
        if (known != nullptr) return fmt::format("{} ({})", escaped(known->name), known->value);
        const auto value = static_cast<std::int32_t>(word);
        return type.open() ? fmt::format("{}", value)
                           : fmt::format("{} (not in {})", value, escaped(type.name));
    }
    if (const idl::FlagSet* const flags =
            tree.nodes[node].role == Role::value
                ? flags_of(tree.nodes[node].field, *tree.nodes[node].type)
                : nullptr;
        flags != nullptr && word != 0) {
        std::string out = fmt::format("{} (", word);
        append_flags(out, *flags, word);
        return out + ')';
    }
    if (const BitWord bits = bit_word(tree, node); bits.meaning != nullptr && word != 0)
        return fmt::format("{} ({})", word, bit_names(*bits.meaning, bits.first, word));
    return fmt::format("{}", number_in(type, word));
}

std::string text_of_value(const Tree& tree, NodeIndex node) {
    const idl::Type& type = resolve(*tree.nodes[node].type);
    switch (tree.nodes[node].size) {
        case 0:
            return "void";
        case 4:
            return text_of_word(tree, node);
        case 8:
            if (type.kind == Kind::double_) return fmt::format("{}", as_double(tree, node));
            if (type.kind == Kind::hyper) return fmt::format("{}", as_i64(tree, node));
            return fmt::format("{}", as_u64(tree, node));
        default: {
            std::string out = "0x";
            append_hex(out, range_of(tree, node));
            return out;
        }
    }
}

std::string text_of_body(const Tree& tree, NodeIndex node, std::size_t bytes_max) {
    ByteView body = range_of(tree, node);
    const std::size_t left_out = body.size() - std::min(body.size(), bytes_max);
    body = body.first(body.size() - left_out);
    std::string out;
    if (resolve(*tree.nodes[node].type).kind == Kind::string) {
        out = '"' + escaped(as_text(body)) + '"';
    } else {
        append_hex(out, body);
    }
    if (left_out != 0) fmt::format_to(std::back_inserter(out), " … {} more", left_out);
    return out;
}

std::string counted(std::uint32_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

std::string_view name(Role role) {
    switch (role) {
        case Role::structure:
            return "struct";
        case Role::union_:
            return "union";
        case Role::array:
            return "array";
        case Role::list:
            return "list";
        case Role::optional:
            return "optional";
        case Role::bytes:
            return "bytes";
        case Role::contents:
            return "contents";
        case Role::value:
            return "value";
        case Role::length:
            return "length";
        case Role::discriminant:
            return "discriminant";
        case Role::presence:
            return "presence";
        case Role::body:
            return "body";
        case Role::padding:
            return "padding";
    }
    return "unknown";
}

ByteView bytes_of(const Tree& tree, NodeIndex node) {
    if (tree.nodes[node].role == Role::contents) return contents_of(tree, node);
    if (tree.nodes[node].role != Role::bytes) return range_of(tree, node);
    for (NodeIndex part = node + 1; part < tree.nodes[node].next; ++part) {
        if (tree.nodes[part].role == Role::body) return range_of(tree, part);
    }
    return {};
}

std::uint64_t as_u64(const Tree& tree, NodeIndex node) {
    const ByteView bytes = range_of(tree, node);
    if (bytes.size() == 4) return xdr::load_u32(bytes.data());
    return bytes.size() == 8 ? xdr::load_u64(bytes.data()) : 0;
}

std::int64_t as_i64(const Tree& tree, NodeIndex node) {
    const ByteView bytes = range_of(tree, node);
    if (bytes.size() == 4) return xdr::load_i32(bytes.data());
    return bytes.size() == 8 ? xdr::load_i64(bytes.data()) : 0;
}

double as_double(const Tree& tree, NodeIndex node) {
    const ByteView bytes = range_of(tree, node);
    const idl::Type& type = resolve(*tree.nodes[node].type);
    switch (type.kind) {
        case Kind::float_:
            return bytes.size() == 4 ? xdr::load_float(bytes.data()) : 0;
        case Kind::double_:
            return bytes.size() == 8 ? xdr::load_double(bytes.data()) : 0;
        case Kind::unsigned_hyper:
            return static_cast<double>(as_u64(tree, node));
        case Kind::hyper:
            return static_cast<double>(as_i64(tree, node));
        default:
            return static_cast<double>(
                number_in(type, static_cast<std::uint32_t>(as_u64(tree, node))));
    }
}

std::uint32_t element_count(const Tree& tree, NodeIndex node) {
    std::uint32_t count = 0;
    for (NodeIndex child = tree.first_child(node); child != kNoNode;
         child = tree.next_sibling(child)) {
        if (tree.nodes[child].element != kNoElement) ++count;
    }
    return count;
}

std::string path(const Tree& tree, NodeIndex node, std::string_view root) {
    std::vector<NodeIndex> steps;
    for (; node != kNoNode; node = tree.nodes[node].parent) steps.push_back(node);
    std::string out{root};
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        const Node& at = tree.nodes[*step];
        if (at.element != kNoElement) fmt::format_to(std::back_inserter(out), "[{}]", at.element);
        if (at.field == nullptr || at.field->name.empty()) continue;
        if (!out.empty()) out += '.';
        out += at.field->name;
    }
    return out;
}

std::string text(const Tree& tree, NodeIndex node, const TextOptions& options) {
    const Node& at = tree.nodes[node];
    switch (at.role) {
        case Role::value:
        case Role::discriminant:
            return text_of_value(tree, node);
        case Role::length: {
            const bool array = resolve(*at.type).kind == Kind::array_variable;
            return "length: " + counted(static_cast<std::uint32_t>(as_u64(tree, node)),
                                        array ? "element" : "byte");
        }
        case Role::presence: {
            const std::uint64_t word = as_u64(tree, node);
            const bool list = tree.nodes[at.parent].role == Role::list;
            if (word > 1) return fmt::format("{} (neither 0 nor 1)", word);
            if (list) return word == 1 ? "one more" : "end of list";
            return word == 1 ? "present" : "absent";
        }
        case Role::body:
            return text_of_body(tree, node, options.bytes_max);
        case Role::padding:
            return "padding";
        case Role::array:
        case Role::list:
            return counted(element_count(tree, node), "element");
        case Role::bytes:
        case Role::contents:
            return counted(static_cast<std::uint32_t>(bytes_of(tree, node).size()), "byte");
        case Role::structure:
        case Role::union_:
        case Role::optional:
            return escaped(at.type->name);
    }
    return {};
}

WordIterator::WordIterator(const Tree& tree) : tree_(tree) {
    word_.leaf = next_leaf(0);
    settle();
}

NodeIndex WordIterator::next_leaf(NodeIndex from) const {
    for (; from < tree_.nodes.size(); ++from) {
        if (is_leaf(tree_.nodes[from].role) && tree_.nodes[from].size != 0) return from;
    }
    return kNoNode;
}

void WordIterator::advance() {
    word_.offset += word_.size;
    if (word_.padding != kNoNode) word_.leaf = word_.padding;
    const Node& owner = tree_.nodes[word_.leaf];
    if (owner.offset + owner.size <= word_.offset) word_.leaf = next_leaf(word_.leaf + 1);
    settle();
}

// Finds the word's size and owners, starting at the leaf that owns its first byte.
void WordIterator::settle() {
    word_.padding = kNoNode;
    if (word_.leaf == kNoNode) return;
    const Node& owner = tree_.nodes[word_.leaf];
    word_.size = std::min<std::uint32_t>(4, tree_.consumed - word_.offset);
    if (owner.offset + owner.size < word_.offset + word_.size) word_.padding = word_.leaf + 1;
}

}  // namespace helio::reflect
