#include "helio/inspect/meaning.h"

#include <array>
#include <bit>
#include <charconv>

#include <boost/unordered/unordered_flat_set.hpp>

#include "helio/base/hash.h"
#include "helio/base/text/byte_text.h"
#include "helio/base/text/escape.h"
#include "helio/inspect/meaning_internal.h"
#include "helio/reflect/bits.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using idl::Kind;
using reflect::Node;
using reflect::NodeIndex;
using reflect::Role;
using reflect::Tree;

constexpr std::size_t kTextShownMax = 96;   // bytes of a string shown on one line
constexpr std::size_t kOpaqueShownMax = 8;  // bytes: a verifier, a cookie

ByteView range_of(const Tree& tree, const Node& node) {
    return tree.bytes.subspan(node.offset, node.size);
}

std::uint32_t word_of(const Tree& tree, const Node& node) {
    return xdr::load_u32(tree.bytes.data() + node.offset);
}

std::uint64_t number_of(const Tree& tree, const Node& node) {
    if (node.size == 4) return word_of(tree, node);
    return node.size == 8 ? xdr::load_u64(tree.bytes.data() + node.offset) : 0;
}

struct StyleKey {
    const idl::Field* field = nullptr;
    const idl::Type* type = nullptr;
    Role role = Role::value;
};

struct StyleHash {
    using is_transparent = void;
    using is_avalanching = void;
    std::size_t operator()(const auto& one) const {
        const auto field = reinterpret_cast<std::uintptr_t>(one.field);
        const auto type = reinterpret_cast<std::uintptr_t>(one.type);
        return folded_product(field * 31 + type + static_cast<std::uint64_t>(one.role));
    }
};

struct StyleEqual {
    using is_transparent = void;
    bool operator()(const auto& one, const auto& other) const {
        return one.field == other.field && one.type == other.type && one.role == other.role;
    }
};

bool shows_itself(std::string_view text) {
    for (const char c : text)
        if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
    return true;
}

void append_text(std::string& out, std::string_view text) {
    const std::size_t left_out = text.size() - std::min(text.size(), kTextShownMax);
    text = text.substr(0, kTextShownMax);
    out += '"';
    append_shown(out, text);
    out += '"';
    if (left_out != 0) {
        out += " and ";
        append_number(out, left_out);
        out += " more";
    }
}

// The struct or union that contains the field.
const idl::Type* structure_of(const Tree& tree, const Node& leaf) {
    const Node* at = &leaf;
    while (at->field == nullptr && at->parent != reflect::kNoNode) at = &tree.nodes[at->parent];
    if (at->field == nullptr || at->parent == reflect::kNoNode) return nullptr;
    return &idl::resolve(*tree.nodes[at->parent].type);
}

void append_mode(std::string& out, std::uint32_t mode) {
    constexpr std::string_view kTypes = "?pc?d?b?-?l?s???";
    const std::uint32_t type = mode >> 12 & 15;
    char octal[8];
    std::size_t count = 0;
    for (std::uint32_t left = mode & 0177777; left != 0 || count < 4; left >>= 3)
        octal[count++] = static_cast<char>('0' + (left & 7));
    while (count > 0) out += octal[--count];
    out += ' ';
    if (type != 0) out += kTypes[type];
    for (int shift = 6; shift >= 0; shift -= 3) {
        const std::uint32_t bits = mode >> shift;
        const bool special = (mode & (shift == 6 ? 04000u : shift == 3 ? 02000u : 01000u)) != 0;
        const char set = shift == 0 ? 't' : 's';
        out += (bits & 4) != 0 ? 'r' : '-';
        out += (bits & 2) != 0 ? 'w' : '-';
        if (special)
            out += (bits & 1) != 0 ? set : static_cast<char>(set - 'a' + 'A');
        else
            out += (bits & 1) != 0 ? 'x' : '-';
    }
    if (mode > 0177777) out += " and undefined bits";
}

void append_identity(std::string& out, std::uint64_t number, std::string_view root) {
    if (number == 0) out += root;
    if (number == 65534 || number == 0xfffffffe) out += "nobody";
    if (number == 0xffffffff) out += "unchanged";
}

// "192.0.2.1.8.1" is port 2049 of 192.0.2.1 (RFC 5665 §5.2.3.3).
void append_universal_address(std::string& out, std::string_view text) {
    const std::size_t low = text.rfind('.');
    const std::size_t high =
        low == std::string_view::npos || low == 0 ? low : text.rfind('.', low - 1);
    if (high == std::string_view::npos || low == std::string_view::npos) return;
    unsigned parts[2] = {};
    const std::string_view texts[2] = {text.substr(high + 1, low - high - 1), text.substr(low + 1)};
    for (int i = 0; i < 2; ++i) {
        const char* const end = texts[i].data() + texts[i].size();
        const auto read = std::from_chars(texts[i].data(), end, parts[i]);
        if (read.ec != std::errc{} || read.ptr != end || parts[i] > 255) return;
    }
    if (!shows_itself(text.substr(0, high))) return;
    out += text.substr(0, high);
    out += " port ";
    append_number(out, parts[0] << 8 | parts[1]);
}

void append_uuid(std::string& out, ByteView bytes) {
    if (bytes.size() != 16) return;
    for (std::size_t i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        append_hex(out, bytes.subspan(i, 1));
    }
}

// In sattr2 (RFC 1094 §2.3.6): leave this attribute unchanged.
constexpr std::uint32_t kUnchanged = 0xffffffff;

// The fraction of a second: ".000250 s". Values above a second have no meaning.
void append_fraction(std::string& out, std::uint32_t number, std::size_t digits) {
    std::array<char, 9> text{};
    for (std::size_t i = digits; i-- > 0; number /= 10)
        text[i] = static_cast<char>('0' + number % 10);
    if (number != 0) return;
    out += '.';
    out.append(text.data(), digits);
    out += " s";
}

// IANA's protocol numbers, as rpcbind uses them.
std::string_view protocol_name(std::uint32_t number) {
    constexpr std::uint32_t kTcp = 6;
    constexpr std::uint32_t kUdp = 17;
    return number == kTcp ? "TCP" : number == kUdp ? "UDP" : "";
}

// RFC 5531 §11.
void append_record_mark(std::string& out, std::uint32_t mark) {
    constexpr std::uint32_t kLastFragment = 0x80000000;
    out += (mark & kLastFragment) != 0 ? "last fragment, " : "fragment, more follow, ";
    append_number(out, mark & ~kLastFragment);
    out += " bytes";
}

// The schema's comment on an enumerator.
void append_enumerator_meaning(std::string& out, const idl::Type& type, std::uint32_t word) {
    if (type.kind != Kind::enumeration) return;
    const idl::Enumerator* const known =
        type.enumerator(std::int64_t{static_cast<std::int32_t>(word)});
    if (known == nullptr) return;
    const std::string_view sentence = first_sentence(known->doc);
    if (shows_itself(sentence)) out += sentence;
}

// The names of the bits that are set in a word of a bitmap, or in a word alone.
void append_bits(std::string& out, const Tree& tree, const Node& node, const idl::Type& meaning) {
    const std::uint64_t first =
        node.element == reflect::kNoElement ? 0 : std::uint64_t{node.element} * 32;
    const std::uint32_t word = word_of(tree, node);
    out += word == 0 ? "none" : reflect::bit_names(meaning, first, word);
}

void append_length_meaning(std::string& out, std::uint64_t bytes) {
    if (bytes == 0) return;
    append_number(out, padded(bytes) / 4);
    out += padded(bytes) == 4 ? " word" : " words";
    if (const std::uint64_t fill = padded(bytes) - bytes; fill != 0) {
        out += ", ";
        append_number(out, fill);
        out += fill == 1 ? " byte of padding" : " bytes of padding";
    }
    if (bytes >= 1024) {
        out += "; ";
        append_size(out, bytes);
    }
}

}  // namespace

void append_shown(std::string& out, std::string_view text) {
    if (shows_itself(text))
        out += text;
    else
        out += escaped(text);
}

const idl::Field* field_of(const Tree& tree, const Node& leaf) {
    const Node* at = &leaf;
    for (int up = 0; at->field == nullptr && up < 4; ++up) {
        if (at->parent == reflect::kNoNode) return nullptr;
        const Node& parent = tree.nodes[at->parent];
        if (at->element == reflect::kNoElement && at->role < Role::length) break;
        at = &parent;
    }
    return at->field;
}

struct Meanings::Styles {
    boost::unordered_flat_set<Style, StyleHash, StyleEqual> all;
};

Meanings::~Meanings() = default;

Meanings::Meanings(const Catalogue& catalogue, HandleName handle_name)
    : catalogue_(catalogue),
      handle_name_(std::move(handle_name)),
      styles_(std::make_unique<Styles>()) {
    for (const Procedure& one : catalogue.procedures())
        (one.shape == Shape::onc ? programs_ : virnet_programs_)
            .try_emplace(one.program->number, one.program->name);
}

std::string_view Meanings::program_name(Shape shape, std::uint32_t program) const {
    const auto& names = shape == Shape::onc ? programs_ : virnet_programs_;
    const auto found = names.find(program);
    return found == names.end() ? std::string_view{} : found->second;
}

const Meanings::Style& Meanings::style(const Tree& tree, NodeIndex leaf) {
    const Node& node = tree.nodes[leaf];
    const idl::Field* const field = field_of(tree, node);
    const auto found = styles_->all.find(StyleKey{field, node.type, node.role});
    return found != styles_->all.end() ? *found : learn(tree, leaf, field);
}

const Meanings::Style& Meanings::learn(const Tree& tree, NodeIndex leaf, const idl::Field* field) {
    const Node& node = tree.nodes[leaf];
    Style made;
    made.field = field;
    made.type = node.type;
    made.role = node.role;
    made.resolved = &idl::resolve(*node.type);
    const idl::Type* const structure = structure_of(tree, node);
    const Meant* const meant =
        find_meant(node.type->name, structure == nullptr ? std::string_view{} : structure->name,
                   field == nullptr ? std::string_view{} : field->name);
    if (meant != nullptr) {
        made.sense = meant->sense;
        if (meant->sense == Sense::flags) made.prefix = bits_named(meant->prefix);
    }
    if (node.role == Role::value && made.resolved->kind == Kind::unsigned_int) {
        made.flags = reflect::flags_of(field, *node.type);
        made.bits = reflect::bit_word(tree, leaf).meaning;
        if (made.flags != nullptr || made.bits != nullptr) made.sense = Sense::flags;
    }
    // Enumerators and owners need no comment.
    if (field != nullptr) made.doc = first_sentence(field->doc);
    const bool speaks = made.resolved->kind == Kind::enumeration || made.sense == Sense::user ||
                        made.sense == Sense::group;
    if (made.doc.empty() && !speaks) made.doc = first_sentence(node.type->doc);
    made.doc_is_value = made.doc.find(' ') == std::string_view::npos;
    if (!shows_itself(made.doc) && escaped(made.doc) != made.doc) made.doc = {};
    return *styles_->all.insert(made).first;
}

std::uint32_t Meanings::bits_named(std::string_view prefix) {
    for (std::size_t i = 0; i < bits_prefix_.size(); ++i)
        if (bits_prefix_[i] == prefix) return static_cast<std::uint32_t>(i);
    bits_prefix_.push_back(prefix);
    std::vector<Bit>& bits = bits_.emplace_back();
    for (const auto& schema : catalogue_.schemas())
        for (const idl::Constant& one : schema->constants) {
            // Masks and combinations of bits have names, too.
            if (!one.name.starts_with(prefix) || !std::has_single_bit(one.magnitude)) continue;
            bool known = false;
            for (const Bit& bit : bits) known = known || bit.mask == one.magnitude;
            if (!known) bits.push_back({static_cast<std::uint32_t>(one.magnitude), one.name});
        }
    return static_cast<std::uint32_t>(bits_.size() - 1);
}

void Meanings::append_value(std::string& out, const Tree& tree, NodeIndex leaf,
                            const Style& style) const {
    const Node& node = tree.nodes[leaf];
    const Kind kind = style.resolved->kind;
    switch (node.role) {
        case Role::value:
        case Role::discriminant:
            if (kind == Kind::unsigned_int || kind == Kind::unsigned_hyper) {
                append_number(out, number_of(tree, node));
            } else if (kind == Kind::enumeration) {
                const auto value = static_cast<std::int32_t>(word_of(tree, node));
                const idl::Enumerator* const known =
                    style.resolved->enumerator(std::int64_t{value});
                if (known == nullptr) {
                    out += reflect::text(tree, leaf);
                    return;
                }
                out += known->name;
                out += " (";
                append_signed(out, value);
                out += ')';
            } else if (kind == Kind::int_) {
                append_signed(out, static_cast<std::int32_t>(word_of(tree, node)));
            } else if (kind == Kind::boolean && word_of(tree, node) <= 1) {
                out += word_of(tree, node) == 1 ? "true" : "false";
            } else {
                out += reflect::text(tree, leaf);
            }
            return;
        case Role::length: {
            const std::uint32_t count = word_of(tree, node);
            const bool array = kind == Kind::array_variable;
            out += "length: ";
            append_number(out, count);
            out += array ? " element" : " byte";
            if (count != 1) out += 's';
            return;
        }
        case Role::body:
            if (kind == Kind::string) {
                append_text(out, as_text(range_of(tree, node)));
            } else if (node.size <= kOpaqueShownMax) {
                append_hex(out, range_of(tree, node));
            } else {
                append_number(out, node.size);
                out += " bytes";
            }
            return;
        case Role::presence: {
            const std::uint32_t word = word_of(tree, node);
            const bool list = tree.nodes[node.parent].role == Role::list;
            if (word > 1)
                out += reflect::text(tree, leaf);
            else if (list)
                out += word == 1 ? "one more" : "end of list";
            else
                out += word == 1 ? "present" : "absent";
            return;
        }
        default:
            out += reflect::text(tree, leaf);
    }
}

void Meanings::append_meaning(std::string& out, const Tree& tree, NodeIndex leaf,
                              const Style& style, const MeaningContext& context) const {
    const Node& node = tree.nodes[leaf];
    switch (node.role) {
        case Role::length:
            if (style.resolved->kind != Kind::array_variable) {
                append_length_meaning(out, word_of(tree, node));
                return;
            }
            out += style.doc;
            return;
        case Role::presence:
        case Role::padding:
            return;
        case Role::body:
            if (!append_body_meaning(out, tree, leaf, style)) out += style.doc;
            return;
        default:
            break;
    }
    const std::size_t before = out.size();
    append_scalar_meaning(out, tree, leaf, style, context);
    // The comment "2." beside a 2 adds nothing; nor does "CALL." beside CALL.
    if (out.size() == before && !style.doc_is_value) out += style.doc;
}

void Meanings::append_scalar_meaning(std::string& out, const Tree& tree, NodeIndex leaf,
                                     const Style& style, const MeaningContext& context) const {
    const Node& node = tree.nodes[leaf];
    const std::uint64_t number = number_of(tree, node);
    const auto word = static_cast<std::uint32_t>(number);
    switch (style.sense) {
        case Sense::identifier:
        case Sense::hexadecimal:
        case Sense::steering_tag:
            append_hex_number(out, number, static_cast<int>(node.size) * 2);
            return;
        case Sense::seconds:
            if (node.size == 4 && word == kUnchanged)
                out += "unchanged";
            else
                append_time(out, node.size == 8 ? static_cast<std::int64_t>(number) : word);
            return;
        case Sense::nanoseconds:
            return append_fraction(out, word, 9);
        case Sense::microseconds:
            return append_fraction(out, word, 6);
        case Sense::mode:
            if (node.size == 4 && word == kUnchanged)
                out += "unchanged";
            else
                append_mode(out, word);
            return;
        case Sense::flags:
            if (style.flags != nullptr) return reflect::append_flags(out, *style.flags, word);
            if (style.bits != nullptr) return append_bits(out, tree, node, *style.bits);
            return append_flags(out, word, bits_[style.prefix]);
        case Sense::size:
            append_size(out, number);
            return;
        case Sense::user:
            append_identity(out, number, "root");
            return;
        case Sense::group:
            append_identity(out, number, "root's group");
            return;
        case Sense::program:
            out += program_name(Shape::onc, word);
            return;
        case Sense::virnet_program:
            out += program_name(Shape::virnet, word);
            return;
        case Sense::procedure:
            if (context.procedure != nullptr && context.procedure->procedure->number == word)
                out += context.procedure->name;
            else
                out += context.procedure_name;
            return;
        case Sense::protocol:
            out += protocol_name(word);
            return;
        case Sense::record_mark:
            return append_record_mark(out, word);
        default:
            append_enumerator_meaning(out, *style.resolved, word);
    }
}

// The names of the bits that are set; unknown bits as a number.
void Meanings::append_flags(std::string& out, std::uint32_t word, const std::vector<Bit>& bits) {
    std::uint32_t left = word;
    for (const Bit& bit : bits) {
        if ((left & bit.mask) == 0) continue;
        if (left != word) out += '|';
        out += bit.name;
        left &= ~bit.mask;
    }
    if (left != 0 && left != word) out += '|';
    if (left != 0) append_hex_number(out, left, 0);
    if (word == 0) out += "none";
}

bool Meanings::append_body_meaning(std::string& out, const Tree& tree, NodeIndex leaf,
                                   const Style& style) const {
    const ByteView body = range_of(tree, tree.nodes[leaf]);
    switch (style.sense) {
        case Sense::handle: {
            if (handle_name_) {
                name_.clear();
                handle_name_(name_, body);
                if (!name_.empty()) {
                    append_shown(out, name_);
                    return true;
                }
            }
            out += "handle ";
            append_hex_digits(out, handle_hash(body), 8);
            return true;
        }
        case Sense::universal_address:
            append_universal_address(out, as_text(body));
            return true;
        case Sense::uuid:
            append_uuid(out, body);
            return true;
        default:
            return false;
    }
}

}  // namespace helio::inspect
