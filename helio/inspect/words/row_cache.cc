#include "helio/inspect/words/row_cache_internal.h"

#include <algorithm>
#include <array>

#include "helio/base/hash.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using idl::Kind;
using reflect::Node;
using reflect::NodeIndex;
using reflect::Role;

// All steps together: a few hundred for each procedure in use. With paths and edges 3 MiB.
constexpr std::size_t kStepsMax = 16384;
// Longer parts, such as directory listings, do not repeat.
constexpr std::size_t kPartStepsMax = 2048;
// Edges of one branch; they are searched linearly.
constexpr std::size_t kEdgesMax = 32;
constexpr std::size_t kPathsBytesMax = 1u << 20;  // before a part is learned, which adds its own
constexpr std::size_t kPathSizeMax = 256;
constexpr int kTailBits = 13;  // 8192 tails of 192 bytes: fits the cache of a core
constexpr std::size_t kCredentialBody = 32;
// Clients times procedures in use at a time. All together 3 MiB.
constexpr std::size_t kHeadersMax = 512;
constexpr std::size_t kHeaderBytesMax = 512;
constexpr std::size_t kHeaderRowsMax = 6144;

// Text is copied in blocks of this size, past its end if need be: faster than an exact memcpy.
constexpr std::size_t kChunk = 16;
constexpr std::uint32_t kWordSize = 4;
constexpr std::uint32_t kWideSize = 8;
// Width before the path: an offset of eight digits, four bytes in hexadecimal.
constexpr std::size_t kOffsetColumn = 10;
constexpr std::size_t kBeforePath = 23;
constexpr std::size_t kBytesRow = 22;         // a row with bytes alone
constexpr std::size_t kOffsetTextsMax = 512;  // offsets whose text is made at compile time

struct OffsetText {
    char text[kChunk];
};

constexpr std::array<OffsetText, kOffsetTextsMax> offset_texts() {
    std::array<OffsetText, kOffsetTextsMax> out{};
    for (std::size_t i = 0; i < kOffsetTextsMax; ++i) {
        for (char& c : out[i].text) c = ' ';
        std::size_t number = 4 * i;
        std::size_t at = 8;
        do out[i].text[--at] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
    }
    return out;
}
constexpr std::array<OffsetText, kOffsetTextsMax> kOffsetTexts = offset_texts();

// "8f  ": four characters per byte; the next byte's text overwrites the last one.
constexpr std::array<std::array<char, 4>, 256> hex_quads() {
    std::array<std::array<char, 4>, 256> out{};
    for (std::size_t i = 0; i < 256; ++i)
        out[i] = {"0123456789abcdef"[i >> 4], "0123456789abcdef"[i & 15], ' ', ' '};
    return out;
}
constexpr std::array<std::array<char, 4>, 256> kHexQuads = hex_quads();

// Offset and bytes. Writes kBeforePath characters, and no more than kBytesRow + kChunk.
inline void write_word(char* to, std::uint32_t offset, const std::byte* word) {
    if (offset < 4 * kOffsetTextsMax) {
        std::memcpy(to, kOffsetTexts[offset / 4].text, kChunk);
    } else {
        std::memset(to, ' ', kOffsetColumn);
        char* at = to + 8;
        do *--at = static_cast<char>('0' + offset % 10);
        while ((offset /= 10) != 0);
    }
    for (std::size_t i = 0; i < 4; ++i)
        std::memcpy(to + kOffsetColumn + 3 * i,
                    kHexQuads[std::to_integer<std::size_t>(word[i])].data(), 4);
}

inline void copy_chunks(char* to, const char* from, std::size_t size) {
    for (std::size_t at = 0; at < size; at += kChunk) std::memcpy(to + at, from + at, kChunk);
}

// Forged collisions only slow down the capture that contains them; the output stays correct.
std::uint64_t header_hash(ByteView bytes) {
    std::uint64_t mixed = bytes.size();
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
        mixed = (mixed ^ xdr::load_u64(bytes.data() + at)) * kGoldenRatio;
        mixed ^= mixed >> 29;
    }
    return mixed ^ xdr::load_u32(bytes.data() + bytes.size() - 4);
}

bool is_array_length(const Node& node) {
    return node.role == Role::length && idl::resolve(*node.type).kind == Kind::array_variable;
}

}  // namespace

TextBlock::TextBlock(std::size_t size, const WriteText& write)
    : write_(write), size_(size), data_(std::make_unique<char[]>(size)) {}

void TextBlock::flush() {
    if (used_ != 0) write_({data_.get(), used_});
    used_ = message_begin_ = 0;
}

char* TextBlock::make_room(std::size_t size) {
    if (message_begin_ == 0 || size > size_ - (used_ - message_begin_)) return nullptr;
    write_({data_.get(), message_begin_});
    used_ -= message_begin_;
    std::memmove(data_.get(), data_.get() + message_begin_, used_);
    message_begin_ = 0;
    return data_.get() + used_;
}

RowCache::RowCache(const Catalogue& catalogue, const WordsOptions& options, Meanings& meanings,
                   RowWalker& walker, RowSink& sink, std::string& rows)
    : plain_bytes_max_(4 * options.body_words_max),
      meanings_(meanings),
      walker_(walker),
      sink_(sink),
      rows_(rows),
      roots_(kHeaders + 2 * catalogue.procedures().size()),
      leaves_(1),
      tails_(std::size_t{1} << kTailBits),
      headers_(kHeadersMax) {
    steps_.reserve(kStepsMax);
    edges_.reserve(kStepsMax);
    forget();
}

void RowCache::forget() {
    for (Root& root : roots_) root.step = 0;
    steps_.assign(1, {});
    edges_.assign(1, {});
    paths_.assign(kChunk, ' ');
}

bool RowCache::write_header(Header header, ByteView message, std::uint32_t end,
                            const Procedure& procedure, TextBlock& out) {
    // One client's calls of one procedure have the same header except for the xid, and all replies
    // have the same header.
    const Root& root = roots_[static_cast<std::size_t>(header)];
    const ByteView behind_xid = message.subspan(4, end - 4);
    std::uint32_t at = 0;
    if (behind_xid.size() > kHeaderBytesMax)
        return write(root, message, at, procedure, out) && at == end;
    CachedHeader& cached = headers_[header_hash(behind_xid) % kHeadersMax];
    if (root.step != 0 && cached.bytes.size() == behind_xid.size() &&
        std::memcmp(cached.bytes.data(), behind_xid.data(), behind_xid.size()) == 0)
        return out.append(root.title) &&
               write_row(steps_[root.step], message, 0, procedure, kWordSize, out) &&
               out.append(cached.rows);
    const std::size_t before = out.message().size();
    if (!write(root, message, at, procedure, out) || at != end) return false;
    std::string_view rows = out.message().substr(before + root.title.size());
    rows.remove_prefix(rows.find('\n') + 1);  // that of the xid
    if (rows.size() > kHeaderRowsMax) return true;
    cached.bytes.assign(behind_xid.begin(), behind_xid.end());
    cached.rows = rows;
    return true;
}

bool RowCache::write_body(Body body, ByteView message, std::uint32_t& at,
                          const Procedure& procedure, TextBlock& out) {
    return write(body_root(body, procedure), message, at, procedure, out);
}

void RowCache::learn_header(Header header, const Part& part) {
    learn(roots_[static_cast<std::size_t>(header)], part,
          header == Header::sys_call ? Credential::auth_sys : Credential::none);
}

void RowCache::learn_body(Body body, const Part& part, const Procedure& procedure) {
    learn(body_root(body, procedure), part, Credential::none);
}

bool RowCache::write(const Root& root, ByteView message, std::uint32_t& at,
                     const Procedure& procedure, TextBlock& out) {
    if (root.step == 0 || !out.append(root.title)) return false;
    for (std::uint32_t number = root.step;;) {
        const Step& step = steps_[number];
        const std::size_t left = message.size() - at;
        if (step.after_credential && at != kCredentialBody + xdr::load_u32(message.data() + 28))
            return false;
        switch (step.kind) {
            case Step::Kind::nothing:
                return false;
            case Step::Kind::end:
                return true;
            case Step::Kind::word: {
                if (left < 4 || !write_row(step, message, at, procedure, kWordSize, out))
                    return false;
                at += 4;
                number = step.next;
                break;
            }
            case Step::Kind::wide:
                if (left < 8 || !write_row(step, message, at, procedure, kWideSize, out))
                    return false;
                at += 8;
                number = step.next;
                break;
            case Step::Kind::branch: {
                if (left < 4) return false;
                const std::uint32_t word = xdr::load_u32(message.data() + at);
                std::uint32_t edge = step.next;
                while (edge != 0 && edges_[edge].word != word) edge = edges_[edge].next;
                if (edge == 0 || !write_row(step, message, at, procedure, kWordSize, out))
                    return false;
                at += 4;
                number = edges_[edge].step;
                break;
            }
            case Step::Kind::bytes:
                if (!write_bytes(step, message, at, procedure, out)) return false;
                number = step.next;
                break;
        }
    }
}

bool RowCache::write_row(const Step& step, ByteView message, std::uint32_t at,
                         const Procedure& procedure, std::uint32_t value_size, TextBlock& out) {
    const std::byte* const word = message.data() + at;
    const bool wide = value_size == kWideSize;
    std::uint64_t value = wide ? xdr::load_u64(word) : xdr::load_u32(word);
    const Leaf& leaf = leaves_[step.leaf];
    // The only field whose meaning depends on another: the procedure number.
    if (leaf.style.sense == Sense::procedure) value |= std::uint64_t{procedure.number} << 32;
    const std::uint64_t mixed =
        value * kGoldenRatio ^ step.leaf * std::uint64_t{0xd1b54a32d192ed03u};
    CachedTail& cached = tails_[mixed >> (64 - kTailBits)];
    const char* tail = cached.tail;
    std::size_t size = cached.size;
    const bool once = leaf.style.sense == Sense::identifier;  // an xid: never repeats
    if (once || cached.leaf != step.leaf || cached.value != value) {
        if (!wide && leaf.node.role == Role::value &&
            reflect::fault_of(*leaf.style.resolved, xdr::load_u32(word)) != xdr::Fault::none)
            return false;
        make_tail(leaf, message, at, value_size, procedure);
        size = tail_.size();
        if (size <= kTailMax && !once) {
            cached.leaf = step.leaf;
            cached.value = value;
            cached.size = static_cast<std::uint32_t>(size);
            std::memcpy(cached.tail, tail_.data(), size);
        } else {
            tail_.append(kChunk, ' ');
            tail = tail_.data();
        }
    }
    return put_row(step, message, at, wide ? 2 : 1, {tail, size}, out);
}

// A row, and below it rows of bytes alone.
bool RowCache::put_row(const Step& step, ByteView message, std::uint32_t at, std::size_t words,
                       std::string_view tail, TextBlock& out) {
    char* const to =
        out.room(kBeforePath + step.path_room + tail.size() + words * kBytesRow + 2 * kChunk);
    if (to == nullptr) return false;
    const std::byte* const first = message.data() + at;
    write_word(to, at, first);
    copy_chunks(to + kBeforePath, paths_.data() + step.path, step.path_room);
    char* end = to + kBeforePath + (tail.size() == 1 ? step.path_size : step.path_room);
    copy_chunks(end, tail.data(), tail.size());
    end += tail.size();
    for (std::size_t i = 1; i < words; ++i) {
        write_word(end, at + static_cast<std::uint32_t>(4 * i), first + 4 * i);
        end += kBytesRow;
        end[-1] = '\n';
    }
    out.add(static_cast<std::size_t>(end - to));
    return true;
}

// Value and meaning in columns, as WordsWriter prints them.
void RowCache::make_tail(const Leaf& leaf, ByteView message, std::uint32_t at, std::uint32_t size,
                         const Procedure& procedure) {
    reflect::Tree& tree = part_.tree;
    tree.bytes = message;
    tree.nodes.resize(2);
    tree.nodes[0] = {.role = leaf.parent};
    tree.nodes[1] = leaf.node;
    tree.nodes[1].offset = at;
    tree.nodes[1].size = size;
    MeaningContext context;
    context.procedure = &procedure;
    value_.clear();
    meaning_.clear();
    meanings_.append_value(value_, tree, 1, leaf.style);
    meanings_.append_meaning(meaning_, tree, 1, leaf.style, context);
    tail_ = value_;
    if (!meaning_.empty()) {
        tail_.resize(std::max(tail_.size(), kCaptureValueWidth) + 2, ' ');
        tail_ += meaning_;
    }
    tail_ += '\n';
}

bool RowCache::write_bytes(const Step& step, ByteView message, std::uint32_t& at,
                           const Procedure& procedure, TextBlock& out) {
    std::uint32_t count = 0;
    const Leaf& body = leaves_[step.body];
    if (step.leaf != 0) {
        if (message.size() - at < 4) return false;
        count = xdr::load_u32(message.data() + at);
        if (count > leaves_[step.leaf].style.resolved->bound) return false;
        if (!write_row(step, message, at, procedure, kWordSize, out)) return false;
        at += 4;
        if (count == 0) return true;
        if (step.body == 0) return false;
    } else {
        count = body.style.resolved->bound;
    }
    const std::uint32_t fill = -count % 4;
    const std::size_t left = message.size() - at;
    if (count > left || fill > left - count) return false;
    for (std::uint32_t i = 0; i < fill; ++i)
        if (message[at + count + i] != std::byte{0}) return false;
    if (fill == 0 && body.style.resolved->kind != Kind::string && count <= plain_bytes_max_) {
        make_tail(body, message, at, count, procedure);
        const std::size_t size = tail_.size();
        tail_.append(kChunk, ' ');
        if (!put_row(step, message, at, count / 4, {tail_.data(), size}, out)) return false;
        at += count;
        return true;
    }
    reflect::Tree& tree = part_.tree;
    tree.bytes = message;
    tree.nodes.resize(fill == 0 ? 2 : 3);
    tree.nodes[0] = {.field = body.style.field, .role = Role::bytes};
    tree.nodes[1] = body.node;
    tree.nodes[1].offset = at;
    tree.nodes[1].size = count;
    if (fill != 0) {
        tree.nodes[2] = tree.nodes[1];
        tree.nodes[2].role = Role::padding;
        tree.nodes[2].offset = at + count;
        tree.nodes[2].size = fill;
    }
    walker_.walk_leaf(part_, 1, {paths_.data() + step.path, step.path_size}, &procedure, sink_);
    const bool room = out.append(rows_);
    rows_.clear();
    at += count + fill;
    return room;
}

void RowCache::learn(Root& root, const Part& part, Credential credential) {
    const reflect::Tree& tree = part.tree;
    if (tree.nodes.size() > kPartStepsMax) return;
    if (steps_.size() + tree.nodes.size() + 1 > kStepsMax ||
        edges_.size() + tree.nodes.size() > kStepsMax || paths_.size() > kPathsBytesMax)
        forget();
    root.title = part.title;
    root.title += '\n';
    std::uint32_t credential_end = UINT32_MAX;
    std::uint32_t* link = &root.step;
    path_.begin(part.root);
    const auto count = static_cast<NodeIndex>(tree.nodes.size());
    for (NodeIndex i = 0; i < count; ++i) {
        const Node& node = tree.nodes[i];
        const std::string_view path = path_.enter(node);
        if (credential == Credential::auth_sys && node.depth == 1 && node.field != nullptr &&
            node.field->name == "who")
            credential_end = node.offset + node.size;
        if (!reflect::is_leaf(node.role) || node.size == 0) continue;
        if (*link == 0) *link = new_step(tree, i, path);
        if (*link == 0) return;
        Step& step = steps_[*link];
        if (!fits(step, tree, i)) return;
        if (node.offset == credential_end) step.after_credential = true;
        if (step.kind == Step::Kind::branch) {
            link = edge_of(step, xdr::load_u32(tree.bytes.data() + node.offset));
            if (link == nullptr) return;
            continue;
        }
        link = &step.next;
        if (step.kind != Step::Kind::bytes) continue;
        for (; i + 1 < count && tree.nodes[i + 1].role >= Role::body &&
               tree.nodes[i + 1].parent == node.parent;
             ++i)
            if (tree.nodes[i + 1].role == Role::body) step.body = leaf_of(tree, i + 1);
    }
    if (*link != 0) return;
    *link = static_cast<std::uint32_t>(steps_.size());
    steps_.emplace_back().kind = Step::Kind::end;
}

// Always true, because types decide what follows; otherwise nothing is written rather than
// something wrong.
bool RowCache::fits(const Step& step, const reflect::Tree& tree, NodeIndex index) const {
    const Node& node = tree.nodes[index];
    const Leaf& leaf = leaves_[step.leaf != 0 ? step.leaf : step.body];
    return step.kind != Step::Kind::end && leaf.node.type == node.type &&
           leaf.node.role == node.role;
}

std::uint32_t RowCache::new_step(const reflect::Tree& tree, NodeIndex index,
                                 std::string_view path) {
    const Node& node = tree.nodes[index];
    if (path.empty() || path.size() > kPathSizeMax) return 0;
    Step step;
    switch (node.role) {
        case Role::value:
            if (node.size != 4 && node.size != 8) return 0;
            step.kind = node.size == 4 ? Step::Kind::word : Step::Kind::wide;
            break;
        case Role::length:
            // A bitmap elsewhere in the message decides what follows.
            if (node.parent != reflect::kNoNode && tree.nodes[node.parent].role == Role::contents)
                return 0;
            step.kind = is_array_length(node) ? Step::Kind::branch : Step::Kind::bytes;
            break;
        case Role::discriminant:
        case Role::presence:
            step.kind = Step::Kind::branch;
            break;
        case Role::body:
            step.kind = Step::Kind::bytes;
            break;
        default:
            return 0;
    }
    (node.role == Role::body ? step.body : step.leaf) = leaf_of(tree, index);
    step.path = static_cast<std::uint32_t>(paths_.size());
    step.path_size = static_cast<std::uint16_t>(path.size());
    step.path_room = static_cast<std::uint16_t>(std::max(path.size(), kCapturePathWidth) + 2);
    paths_ += path;
    paths_.resize(step.path + step.path_room + kChunk, ' ');
    steps_.push_back(step);
    return static_cast<std::uint32_t>(steps_.size() - 1);
}

// Bounded by the schemas.
std::uint32_t RowCache::leaf_of(const reflect::Tree& tree, NodeIndex index) {
    const Node& node = tree.nodes[index];
    const Meanings::Style& style = meanings_.style(tree, index);
    const Role parent =
        node.parent == reflect::kNoNode ? Role::structure : tree.nodes[node.parent].role;
    for (std::size_t i = 1; i < leaves_.size(); ++i) {
        const Leaf& one = leaves_[i];
        if (one.style.field == style.field && one.style.type == style.type &&
            one.style.role == style.role && one.parent == parent &&
            (style.bits == nullptr || one.node.element == node.element))
            return static_cast<std::uint32_t>(i);
    }
    Leaf& made = leaves_.emplace_back();
    made.style = style;
    made.node = node;
    made.node.field = nullptr;
    made.node.parent = 0;
    made.parent = parent;
    return static_cast<std::uint32_t>(leaves_.size() - 1);
}

std::uint32_t* RowCache::edge_of(Step& step, std::uint32_t word) {
    std::size_t count = 0;
    for (std::uint32_t edge = step.next; edge != 0; edge = edges_[edge].next, ++count)
        if (edges_[edge].word == word) return &edges_[edge].step;
    if (count >= kEdgesMax) return nullptr;
    edges_.push_back({.word = word, .step = 0, .next = step.next});
    step.next = static_cast<std::uint32_t>(edges_.size() - 1);
    return &edges_.back().step;
}

}  // namespace helio::inspect
