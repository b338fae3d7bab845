// Tree: a decoded value whose every byte has a name. It is a flat vector in preorder; an inner node
// (struct, union, array …) covers its children, and every byte read belongs to exactly one leaf:
// values, length words, discriminants, presence words, bodies and padding. Made by reflect::decode.
//
// A Tree borrows the bytes and the Schema.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/xdr/error.h"

namespace helio::reflect {

enum class Role : std::uint8_t {
    // Inner nodes.
    structure,
    union_,
    array,     // children: the length (variable arrays only), then the elements
    list,      // an optional list node: presence, element, presence, element, …, presence (0)
    optional,  // presence, then the value when it is 1
    bytes,     // opaque or string: length (when variable), body, padding
    contents,  // opaque with @contents: length, the values that its bitmap selects, a body if not
               // all of it is understood, padding
    // Leaves.
    value,
    length,        // the count word of a string, opaque or array
    discriminant,  // of a union
    presence,      // of an optional or a list: 1 when a value follows
    body,          // the bytes of a string or opaque, without padding
    padding,       // one to three bytes that fill the last word of a body
};

constexpr bool is_leaf(Role role) { return role >= Role::value; }
std::string_view name(Role role);

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();
inline constexpr std::uint32_t kNoElement = std::numeric_limits<std::uint32_t>::max();

struct Node {
    // The declared type, with typedefs: `cookie3` says more than `unsigned hyper`. A part of a
    // value (length, presence, body, padding) has the type of that value.
    const idl::Type* type = nullptr;
    const idl::Field* field = nullptr;  // the field it is the value of; null for elements and parts
    std::uint32_t offset = 0;
    std::uint32_t size = 0;  // in bytes; an inner node covers its children
    NodeIndex parent = kNoNode;
    NodeIndex next = 0;                  // one past the subtree: the next sibling, if any
    std::uint32_t element = kNoElement;  // index in its array or list
    Role role = Role::value;
    std::uint16_t depth = 0;  // the root's is 0
};

struct Tree {
    ByteView bytes;              // all of the input
    std::vector<Node> nodes;     // nodes[0] is the whole value; empty only if nothing could be read
    std::uint32_t consumed = 0;  // the leaves tile [0, consumed)
    xdr::DecodeError error;      // the first fault; the tree then holds everything before it

    bool ok() const { return error.fault == xdr::Fault::none; }

    NodeIndex first_child(NodeIndex node) const {
        return nodes[node].next > node + 1 ? node + 1 : kNoNode;
    }
    NodeIndex next_sibling(NodeIndex node) const {
        const NodeIndex parent = nodes[node].parent;
        return parent != kNoNode && nodes[node].next < nodes[parent].next ? nodes[node].next
                                                                          : kNoNode;
    }
};

// The bytes of a node. For Role::bytes and Role::contents: without length and padding.
ByteView bytes_of(const Tree& tree, NodeIndex node);

// The number in a leaf of one or two words: sign-extended, zero-extended, or as the leaf's type
// requires. Leaves of other sizes give 0.
std::int64_t as_i64(const Tree& tree, NodeIndex node);
std::uint64_t as_u64(const Tree& tree, NodeIndex node);
double as_double(const Tree& tree, NodeIndex node);  // float and double; else the integer converted

// How many elements an array or list node holds.
std::uint32_t element_count(const Tree& tree, NodeIndex node);

// "entries[3].name"; the root's path is `root`. A part has the path of its value.
std::string path(const Tree& tree, NodeIndex node, std::string_view root = {});

struct TextOptions {
    std::size_t bytes_max = 32;  // more bytes of a body are omitted, and counted
};

// A leaf's value on one line, safe for a terminal: 4096, NFS3_OK, true, "name", 0102…, "length 5".
std::string text(const Tree& tree, NodeIndex node, const TextOptions& options = {});

// One 4-byte word and its owner. Only the last word of a body may have two owners: the body and the
// padding. The last word of a cut message may be short.
struct Word {
    std::uint32_t offset = 0;
    std::uint32_t size = 4;
    NodeIndex leaf = kNoNode;
    NodeIndex padding = kNoNode;  // second owner, or kNoNode
};

// for (WordIterator words{tree}; words.more(); words.advance()) use(words.word());
class WordIterator {
 public:
    explicit WordIterator(const Tree& tree);
    bool more() const { return word_.leaf != kNoNode; }
    const Word& word() const { return word_; }
    void advance();

 private:
    void settle();
    NodeIndex next_leaf(NodeIndex after) const;
    const Tree& tree_;
    Word word_;
};

}  // namespace helio::reflect
