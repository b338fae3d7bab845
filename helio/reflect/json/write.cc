// Writes a Tree as JSON.
#include <bit>

#include "helio/base/assert.h"
#include "helio/reflect/bits.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/json/mapping_internal.h"
#include "helio/reflect/json/values_internal.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::reflect {
namespace {

using idl::Kind;
using idl::Type;

// Recursive; kNestingMax bounds the tree's depth. In a tree with an error any node may lack its
// last children.
class TreeWriter {
 public:
    TreeWriter(std::string& out, const Tree& tree, const JsonOptions& options)
        : tree_(tree), base64_(options.base64), out_(out, options.layout()) {}

    void run() { value(0); }

 private:
    void value(NodeIndex node) {
        const Type& type = resolve(*at(node).type);
        switch (at(node).role) {
            case Role::structure:
                return fields(node);
            case Role::union_:
                return is_switched_optional(type) ? optional(node) : union_of(node);
            case Role::array:
                if (is_char_array(type) && put_char_text(node)) return;
                if (put_bitmap(node)) return;
                return elements(node);
            case Role::list:
                return elements(node);
            case Role::optional:
                return optional(node);
            case Role::bytes:
                return type.kind == Kind::string
                           ? put_string(out_, as_text(bytes_of(tree_, node)), base64_)
                           : put_opaque(out_, bytes_of(tree_, node), base64_);
            case Role::contents:
                return contents(node);
            default:
                if (put_bit_word(node)) return;
                return scalar(node, type);
        }
    }

    // An object if every byte is understood; else as any opaque.
    void contents(NodeIndex node) {
        if (is_understood(tree_, node)) return fields(node);
        const bool base64 = base64_ && !is_field(*at(node).field->contents, kBase64Key);
        put_opaque(out_, bytes_of(tree_, node), base64);
    }

    // A bitmap whose bits all have names, as a list of them. False: nothing was written.
    bool put_bitmap(NodeIndex node) {
        const Type* const meaning = bits_of(at(node).field, *at(node).type);
        if (meaning == nullptr || at(node).size < 8) return false;
        const ByteView words = bytes_of(tree_, node).subspan(4);
        if (xdr::load_u32(words.data() + words.size() - 4) == 0) return false;
        return put_names(*meaning, {words.data(), static_cast<std::uint32_t>(words.size() / 4)});
    }

    // A word of flags or bits that all have names. False: nothing was written.
    bool put_bit_word(NodeIndex node) {
        if (at(node).size != 4) return false;
        if (const idl::FlagSet* const flags = flags_of(at(node).field, *at(node).type))
            return put_flags(*flags, xdr::load_u32(bytes_of(tree_, node).data()));
        const Type* const meaning = bits_of(at(node).field, *at(node).type);
        if (meaning == nullptr) return false;
        return put_names(*meaning, {bytes_of(tree_, node).data(), 1});
    }

    bool put_names(const Type& meaning, const SetBits& bits) {
        SetBits all = bits;
        for (auto bit = all.next(); bit != SetBits::kNone; bit = all.next())
            if (bit_name(meaning, bit).empty()) return false;
        all = bits;
        out_.open('[');
        for (auto bit = all.next(); bit != SetBits::kNone; bit = all.next()) {
            out_.element();
            out_.plain(bit_name(meaning, bit));
        }
        out_.close(']');
        return true;
    }

    bool put_flags(const idl::FlagSet& flags, std::uint32_t word) {
        const SetFlags found = set_flags(flags, word);
        if (found.unnamed != 0) return false;
        out_.open('[');
        for (std::size_t i = 0; i < found.count; ++i) {
            out_.element();
            out_.plain(found.names[i]);
        }
        out_.close(']');
        return true;
    }

    void fields(NodeIndex node) {
        out_.open('{');
        for (NodeIndex child = tree_.first_child(node); child != kNoNode;
             child = tree_.next_sibling(child)) {
            if (at(child).field == nullptr) continue;  // length and padding of contents
            out_.key(at(child).field->name);
            value(child);
        }
        out_.close('}');
    }

    void elements(NodeIndex node) {
        out_.open('[');
        for (NodeIndex child = tree_.first_child(node); child != kNoNode;
             child = tree_.next_sibling(child)) {
            if (at(child).element == kNoElement) continue;  // the length, a presence word
            out_.element();
            value(child);
        }
        out_.close(']');
    }

    // char x[N] that holds text: printable ASCII up to the first NUL, and only NULs after it.
    // False: it holds something else, and nothing was written.
    bool put_char_text(NodeIndex node) {
        std::string text;
        bool ended = false;
        for (NodeIndex child = tree_.first_child(node); child != kNoNode;
             child = tree_.next_sibling(child)) {
            const std::uint32_t letter = xdr::load_u32(tree_.bytes.data() + at(child).offset);
            const bool printable = letter >= 0x20 && letter < 0x7f;
            ended = ended || letter == 0;
            if (ended ? letter != 0 : !printable) return false;
            if (!ended) text += static_cast<char>(letter);
        }
        if (element_count(tree_, node) != resolve(*at(node).type).bound) return false;  // cut off
        put_string(out_, text, base64_);
        return true;
    }

    // Only the child after the presence word or the bool is written.
    void optional(NodeIndex node) {
        const NodeIndex presence = tree_.first_child(node);
        const NodeIndex child = presence != kNoNode ? tree_.next_sibling(presence) : kNoNode;
        if (child == kNoNode) return out_.raw("null");
        const bool wrap = is_nullable(*at(child).type);
        if (!wrap) return value(child);
        out_.open('{');
        out_.key(kWrapKey);
        value(child);
        out_.close('}');
    }

    void union_of(NodeIndex node) {
        const Type& type = resolve(*at(node).type);
        const NodeIndex discriminant = tree_.first_child(node);
        out_.open('{');
        if (discriminant == kNoNode) return out_.close('}');
        out_.key(type.discriminant.name);
        value(discriminant);
        if (const NodeIndex child = tree_.next_sibling(discriminant); child != kNoNode) {
            out_.key(at(child).field->name);
            value(child);
        }
        out_.close('}');
    }

    void scalar(NodeIndex node, const Type& type) {
        const std::byte* const from = tree_.bytes.data() + at(node).offset;
        switch (type.kind) {
            case Kind::void_:
                return out_.raw("null");
            case Kind::hyper:
                return out_.number(xdr::load_i64(from));
            case Kind::unsigned_hyper:
                return out_.number(xdr::load_u64(from));
            case Kind::float_:
                return put_real(out_, xdr::load_float(from));
            case Kind::double_:
                return put_real(out_, xdr::load_double(from));
            case Kind::quadruple:
                return put_opaque(out_, bytes_of(tree_, node), base64_);
            case Kind::boolean:
                if (xdr::load_u32(from) > 1) return out_.number(std::int64_t{xdr::load_u32(from)});
                return out_.raw(xdr::load_u32(from) != 0 ? "true" : "false");
            case Kind::enumeration:
                if (const auto* known = type.enumerator(std::int64_t{xdr::load_i32(from)})) {
                    return out_.plain(known->name);
                }
                return out_.number(std::int64_t{xdr::load_i32(from)});
            default:
                return out_.number(number_in(type, xdr::load_u32(from)));
        }
    }

    const Node& at(NodeIndex node) const { return tree_.nodes[node]; }

    const Tree& tree_;
    const bool base64_;
    JsonWriter out_;
};

}  // namespace

std::string to_json(const Tree& tree, const JsonOptions& options) {
    HELIO_ASSERT(tree.ok() && !tree.nodes.empty());
    std::string out;
    TreeWriter{out, tree, options}.run();
    return out;
}

void append_json(std::string& out, const Tree& tree, const JsonOptions& options) {
    HELIO_ASSERT(!tree.nodes.empty());
    TreeWriter{out, tree, options}.run();
}

}  // namespace helio::reflect
