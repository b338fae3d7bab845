#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/byte_text.h"
#include "helio/inspect/text/slips.h"
#include "helio/inspect/words/words_internal.h"
#include "helio/reflect/decode.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using reflect::Node;
using reflect::NodeIndex;
using reflect::Role;

constexpr std::size_t kUnknownWordsMin = 64;  // of untyped bytes, always shown

bool is_wrong(const Part& part, std::uint32_t offset) {
    if (part.wrong.empty()) return false;
    return std::find(part.wrong.begin(), part.wrong.end(), offset) != part.wrong.end();
}

std::string_view name(TakenOut::Chunk chunk) {
    switch (chunk) {
        case TakenOut::Chunk::read:
            return "read chunk ";
        case TakenOut::Chunk::write:
            return "write chunk ";
        case TakenOut::Chunk::reply:
            return "reply chunk ";
    }
    return "";
}

}  // namespace

PathOf::PathOf() : lengths_(reflect::kNestingMax + 2) {}

void PathOf::begin(std::string_view root) {
    path_.assign(root);
    lengths_[0] = static_cast<std::uint32_t>(path_.size());
}

std::string_view PathOf::enter(const Node& node) {
    path_.resize(lengths_[node.depth]);
    if (node.element != reflect::kNoElement) {
        path_ += '[';
        append_number(path_, node.element);
        path_ += ']';
    }
    if (node.field != nullptr && !node.field->name.empty()) {
        if (!path_.empty()) path_ += '.';
        path_ += node.field->name;
    }
    if (!reflect::is_leaf(node.role))
        lengths_[node.depth + 1u] = static_cast<std::uint32_t>(path_.size());
    return path_;
}

RowWalker::RowWalker(Meanings& meanings, std::size_t body_words_max)
    : meanings_(meanings), body_words_max_(body_words_max) {}

void RowWalker::walk(const Explanation& explanation, RowSink& sink) {
    context_.procedure = explanation.procedure;
    for (const Part& part : explanation.parts) {
        sink.part(part);
        if (part.tree.nodes.empty())
            untyped(part, sink);
        else
            typed(explanation, part, sink);
        sink.part_end(part);
    }
}

void RowWalker::walk_leaf(const Part& part, NodeIndex node, std::string_view path,
                          const Procedure* procedure, RowSink& sink) {
    static const Explanation nothing_around;
    context_.procedure = procedure;
    path_ = path;
    leaf(nothing_around, part, node, sink);
}

void RowWalker::typed(const Explanation& explanation, const Part& part, RowSink& sink) {
    const std::vector<Node>& nodes = part.tree.nodes;
    paths_.begin(part.root);
    const auto count = static_cast<NodeIndex>(nodes.size());
    for (NodeIndex i = 0; i < count; ++i) {
        const Node& node = nodes[i];
        path_ = paths_.enter(node);
        if (reflect::is_leaf(node.role) && node.size != 0) i += leaf(explanation, part, i, sink);
    }
}

// Rows of one leaf. Returns how many following nodes are shown with it: a body's padding.
std::uint32_t RowWalker::leaf(const Explanation& explanation, const Part& part, NodeIndex index,
                              RowSink& sink) {
    const reflect::Tree& tree = part.tree;
    const Node& node = tree.nodes[index];
    std::uint32_t padding = 0;
    if (node.role == Role::body) {
        const NodeIndex next = index + 1;
        if (next < tree.nodes.size() && tree.nodes[next].role == Role::padding &&
            tree.nodes[next].offset == node.offset + node.size)
            padding = tree.nodes[next].size;
        if (!explanation.taken_out.empty() && taken(explanation, part, node, sink))
            return padding != 0 ? 1 : 0;
    }
    const Meanings::Style& style = meanings_.style(tree, index);
    value_.clear();
    meaning_.clear();
    meanings_.append_value(value_, tree, index, style);
    meanings_.append_meaning(meaning_, tree, index, style, context_);
    Row row;
    row.offset = part.offset + node.offset;
    row.wrong = is_wrong(part, node.offset);
    row.path = path_.empty() ? std::string_view{"value"} : path_;
    row.value = value_;
    row.meaning = meaning_;
    row.style = &style;
    row.leaf = &node;
    if (node.size <= 4 && padding == 0) {
        row.bytes = tree.bytes.subspan(node.offset, node.size);
        sink.row(row);
        return 0;
    }
    body_rows(part, node, padding, row, sink);
    return padding != 0 ? 1 : 0;
}

void RowWalker::body_rows(const Part& part, const Node& node, std::uint32_t padding, Row& row,
                          RowSink& sink) {
    const ByteView all = part.tree.bytes.subspan(node.offset, node.size + padding);
    const bool body = node.role == Role::body;
    const bool text = body && row.style->resolved->kind == idl::Kind::string;
    const std::size_t shown = body ? std::max<std::size_t>(1, body_words_max_) * 4 : all.size();
    for (std::size_t at = 0; at < all.size(); at += 4) {
        // Do not fold a single word.
        if (at >= shown && all.size() - at > 4) {
            row.kind = Row::Kind::folded;
            row.bytes = all.subspan(at);
            row.offset = part.offset + node.offset + static_cast<std::uint32_t>(at);
            value_.clear();
            append_number(value_, node.size - at);
            value_ += " bytes more";
            row.path = {};
            row.value = value_;
            row.meaning = {};
            row.wrong = padding != 0 && is_wrong(part, node.offset + node.size);
            sink.row(row);
            return;
        }
        row.bytes = all.subspan(at, std::min<std::size_t>(4, all.size() - at));
        row.offset = part.offset + node.offset + static_cast<std::uint32_t>(at);
        const bool last = at + 4 >= all.size();
        if (at != 0) {
            row.kind = Row::Kind::more;
            row.path = row.value = row.meaning = {};
            if (text) {
                const ByteView here =
                    row.bytes.first(std::min<std::size_t>(row.bytes.size(), node.size - at));
                value_.assign(1, '"');
                append_shown(value_, as_text(here));
                value_ += '"';
                row.value = value_;
            }
        }
        if (last && padding != 0) {
            row.wrong = row.wrong || is_wrong(part, node.offset + node.size);
            if (at != 0) {
                meaning_.clear();
                append_number(meaning_, padding);
                meaning_ += padding == 1 ? " byte of padding" : " bytes of padding";
                row.meaning = meaning_;
            }
        }
        sink.row(row);
        row.wrong = false;
    }
}

// A body that RDMA moved in a chunk. If captured, it is shown like any other.
bool RowWalker::taken(const Explanation& explanation, const Part& part, const Node& node,
                      RowSink& sink) {
    const std::uint32_t offset = part.offset + node.offset;
    for (const TakenOut& one : explanation.taken_out) {
        if (explanation.message_at + one.offset != offset || one.captured) continue;
        Row row;
        row.kind = Row::Kind::taken;
        row.offset = offset;
        row.path = path_;
        value_.clear();
        append_number(value_, node.size);
        value_ += " bytes";
        meaning_ = '(';
        meaning_ += name(one.chunk);
        append_number(meaning_, one.chunk_index + 1u);
        meaning_ += ", not in the message)";
        row.value = value_;
        row.meaning = meaning_;
        row.leaf = &node;
        sink.row(row);
        return true;
    }
    return false;
}

void RowWalker::untyped(const Part& part, RowSink& sink) {
    const ByteView bytes = part.tree.bytes;
    const std::size_t shown = std::max(kUnknownWordsMin, body_words_max_) * 4;
    Row row;
    row.kind = Row::Kind::unknown;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
        row.offset = part.offset + static_cast<std::uint32_t>(at);
        value_.clear();
        if (at >= shown && bytes.size() - at > 4) {
            row.kind = Row::Kind::folded;
            row.bytes = bytes.subspan(at);
            append_number(value_, row.bytes.size());
            value_ += " bytes more";
            row.value = value_;
            sink.row(row);
            return;
        }
        row.bytes = bytes.subspan(at, std::min<std::size_t>(4, bytes.size() - at));
        if (row.bytes.size() == 4) append_number(value_, xdr::load_u32(row.bytes.data()));
        row.value = value_;
        sink.row(row);
    }
}

std::optional<std::uint32_t> source_of(const Explanation& explanation, std::uint32_t offset) {
    if (explanation.origins.empty()) return explanation.source + offset;
    for (const Explanation::Origin& one : explanation.origins)
        if (offset >= one.offset && offset - one.offset < one.size)
            return one.there ? std::optional<std::uint32_t>{one.source + (offset - one.offset)}
                             : std::nullopt;
    return std::nullopt;
}

RunNotes::RunNotes(const Dump::Run* run, const Explanation& explanation)
    : run_(run), explanation_(explanation) {
    // Addresses that start at 0 are offsets.
    addressed_ = run != nullptr && !run->addresses.empty() && run->addresses.front().address != 0;
}

std::uint64_t RunNotes::address(std::uint32_t source) const {
    const auto& all = run_->addresses;
    auto after = std::upper_bound(
        all.begin(), all.end(), source,
        [](std::uint32_t offset, const Dump::Address& one) { return offset < one.offset; });
    if (after == all.begin()) return source;
    --after;
    return after->address + (source - after->offset);
}

std::string_view RunNotes::note(std::uint32_t source) const {
    if (run_ == nullptr) return {};
    const auto found = std::lower_bound(
        run_->notes.begin(), run_->notes.end(), source,
        [](const Dump::Note& one, std::uint32_t offset) { return one.offset < offset; });
    return found != run_->notes.end() && found->offset == source ? std::string_view{found->text}
                                                                 : std::string_view{};
}

void RunNotes::slips(const Row& row, std::vector<std::string>& out) const {
    out.clear();
    if (run_ == nullptr || row.kind == Row::Kind::taken) return;
    const std::optional<std::uint32_t> source = source_of(explanation_, row.offset);
    if (!source) return;
    for (const Dump::Problem& one : run_->problems)
        if (one.offset >= *source && one.offset < *source + row.bytes.size())
            out.push_back(fmt::format("line {}: {}", one.line, one.text));
    const bool typed =
        row.kind == Row::Kind::word && row.leaf->role != Role::body && row.leaf->size <= 8;
    if (!typed && row.kind != Row::Kind::unknown) return;
    NotedWord word;
    word.value = row.value;
    word.procedure = explanation_.procedure;
    if (typed) {
        word.size = row.leaf->size;
        word.type = row.style->resolved;
        word.sense = row.style->sense;
        word.length = row.leaf->role == Role::length;
        word.meaning =
            word.length || row.meaning == row.style->doc ? std::string_view{} : row.meaning;
        const ByteView bytes = explanation_.bytes.subspan(row.offset, row.leaf->size);
        if (bytes.size() != 4 && bytes.size() != 8) return;
        word.number = bytes.size() == 8 ? xdr::load_u64(bytes.data()) : xdr::load_u32(bytes.data());
    } else {
        if (row.bytes.size() != 4) return;
        word.number = xdr::load_u32(row.bytes.data());
    }
    std::string slip = slip_in(word, note(*source));
    if (!slip.empty()) out.push_back(std::move(slip));
}

void append_bytes(std::string& out, ByteView bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i != 0) out += ' ';
        append_hex(out, bytes.subspan(i, 1));
    }
}

}  // namespace helio::inspect
