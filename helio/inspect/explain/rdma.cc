// Reduced messages (RFC 8166 §3.4): where the data that RDMA moved in chunks belongs.
#include <algorithm>

#include <fmt/format.h>

#include "helio/inspect/explain/explain_internal.h"
#include "helio/reflect/decode.h"

namespace helio::inspect {
namespace {

using reflect::Node;
using reflect::NodeIndex;
using reflect::Role;
using reflect::Tree;

// A chunk: all segments with one position, or one entry of the write list.
struct Chunk {
    std::uint32_t position = 0;  // read chunks: offset in the message where it belongs
    std::uint64_t size = 0;
};
struct Chunks {
    std::vector<Chunk> read;
    std::vector<Chunk> write;
    bool reply = false;
    std::uint64_t reply_size = 0;
};

std::string_view field_name(const Tree& tree, NodeIndex node) {
    for (; node != reflect::kNoNode; node = tree.nodes[node].parent)
        if (const idl::Field* const field = tree.nodes[node].field;
            field != nullptr && field->name.substr(0, 5) == "rdma_")
            return field->name;
    return {};
}

Chunks chunks_of(const Tree& tree) {
    Chunks out;
    std::uint32_t position = 0;
    NodeIndex write_chunk = reflect::kNoNode;
    for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        const Node& node = tree.nodes[i];
        if (node.role != Role::value || node.field == nullptr) continue;
        const std::string& name = node.field->name;
        if (name == "position") position = static_cast<std::uint32_t>(reflect::as_u64(tree, i));
        if (name != "length") continue;
        const std::uint64_t size = reflect::as_u64(tree, i);
        const std::string_view list = field_name(tree, i);
        if (list == "rdma_reads") {
            if (out.read.empty() || out.read.back().position != position)
                out.read.push_back({position, 0});
            out.read.back().size += size;
        } else if (list == "rdma_writes") {
            NodeIndex array = node.parent;  // the segment; above it the array of its chunk
            while (array != reflect::kNoNode && tree.nodes[array].role != Role::array)
                array = tree.nodes[array].parent;
            if (array != write_chunk) out.write.push_back({});
            write_chunk = array;
            out.write.back().size += size;
        } else if (list == "rdma_reply") {
            out.reply = true;
            out.reply_size += size;
        }
    }
    return out;
}

class PutBack {
 public:
    PutBack(Explanation& out, std::uint32_t message_at) : out_(out), message_at_(message_at) {
        rebuilt_.assign(out.bytes.begin(), out.bytes.end());
        out_.origins.assign(1, {0, static_cast<std::uint32_t>(out.bytes.size()), out.source, true});
    }

    // Makes room for `size` bytes plus padding at byte `offset` of the message. False: it does not
    // fit.
    bool insert(std::uint32_t offset, std::uint32_t size, TakenOut::Chunk chunk,
                std::size_t index) {
        const std::size_t at = message_at_ + std::size_t{offset};
        const std::size_t room = padded(size);
        if (at < out_.origins.back().offset || at > rebuilt_.size() || room == 0 ||
            rebuilt_.size() + room > kPutBackMax)
            return false;
        rebuilt_.insert(rebuilt_.begin() + static_cast<std::ptrdiff_t>(at), room, std::byte{0});
        const Explanation::Origin last = out_.origins.back();
        out_.origins.pop_back();
        const auto before = static_cast<std::uint32_t>(at - last.offset);
        if (before != 0) out_.origins.push_back({last.offset, before, last.source, true});
        out_.origins.push_back(
            {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(room), 0, false});
        out_.origins.push_back({static_cast<std::uint32_t>(at + room), last.size - before,
                                last.source + before, true});
        out_.taken_out.push_back({offset, size, chunk, static_cast<std::uint16_t>(index), false});
        return true;
    }

    ByteView message() const { return ByteView{rebuilt_}.subspan(message_at_); }

    void finish() {
        if (out_.origins.back().size == 0) out_.origins.pop_back();
        if (out_.taken_out.empty()) {
            out_.origins.clear();
            return;
        }
        out_.owned = std::move(rebuilt_);
        out_.bytes = out_.owned;
    }

 private:
    Explanation& out_;
    const std::uint32_t message_at_;
    std::vector<std::byte> rebuilt_;
};

// The first data item eligible for a chunk whose bytes are not all present: its offset in the
// message, and its size.
bool next_gap(ByteView message, std::uint32_t body_at, const idl::Type& type, std::uint32_t& offset,
              std::uint32_t& size) {
    if (body_at > message.size()) return false;
    const Tree tree = reflect::decode(message.subspan(body_at), type, {.strict = false});
    if (tree.error.fault != xdr::Fault::truncated) return false;
    for (NodeIndex i = 0; i < tree.nodes.size(); ++i) {
        const Node& node = tree.nodes[i];
        if (node.role != Role::bytes || node.field == nullptr || !node.field->has("bulk")) continue;
        const NodeIndex length = tree.first_child(i);
        if (length == reflect::kNoNode || tree.nodes[length].role != Role::length) continue;
        size = static_cast<std::uint32_t>(reflect::as_u64(tree, length));
        offset = body_at + tree.nodes[length].offset + 4;
        return size != 0 && message.size() - offset < size;
    }
    return false;
}

std::string picture(const Chunks& chunks, const Explanation& out, std::uint32_t inline_size) {
    std::string note = fmt::format("xdr_buf: {} bytes in the message itself", inline_size);
    for (std::size_t i = 0; i < chunks.read.size(); ++i)
        note += fmt::format("; read chunk {}: {} bytes{}", i + 1, chunks.read[i].size,
                            chunks.read[i].position == 0
                                ? " are the message"
                                : fmt::format(" belong at byte {} (pages); the rest is the tail",
                                              chunks.read[i].position));
    for (std::size_t i = 0; i < chunks.write.size(); ++i) {
        const auto placed =
            std::find_if(out.taken_out.begin(), out.taken_out.end(), [&](const TakenOut& one) {
                return one.chunk == TakenOut::Chunk::write && one.chunk_index == i;
            });
        note += fmt::format("; write chunk {}: {} bytes {}", i + 1, chunks.write[i].size,
                            placed != out.taken_out.end()
                                ? fmt::format("belong at byte {} (pages)", placed->offset)
                                : "reserved for data of the reply");
    }
    if (chunks.reply)
        note +=
            fmt::format("; reply chunk: {} bytes reserved for a whole reply", chunks.reply_size);
    return note;
}

}  // namespace

void put_back_chunks(Explanation& out, std::uint32_t header_end, const Procedure* procedure) {
    Part& header = out.parts.back();
    const Chunks chunks = chunks_of(header.tree);
    if (chunks.read.empty() && chunks.write.empty() && !chunks.reply) return;
    const ByteView message = out.bytes.subspan(header_end);
    const auto inline_size = static_cast<std::uint32_t>(message.size());
    Head head;
    if (read_head(message, head) && head.complete) {
        PutBack back{out, header_end};
        if (head.call) {
            for (std::size_t i = 0; i < chunks.read.size(); ++i)
                if (chunks.read[i].position != 0 && chunks.read[i].size <= kPutBackMax)
                    back.insert(chunks.read[i].position,
                                static_cast<std::uint32_t>(chunks.read[i].size),
                                TakenOut::Chunk::read, i);
        } else if (procedure != nullptr && head.verdict == Verdict::success) {
            std::uint32_t offset = 0;
            std::uint32_t size = 0;
            for (std::size_t i = 0; i < chunks.write.size(); ++i) {
                if (chunks.write[i].size == 0) continue;
                if (!next_gap(back.message(), head.body, *procedure->result, offset, size) ||
                    size > chunks.write[i].size ||
                    !back.insert(offset, size, TakenOut::Chunk::write, i))
                    break;
            }
        }
        back.finish();
    }
    header.note = picture(chunks, out, inline_size);
}

}  // namespace helio::inspect
