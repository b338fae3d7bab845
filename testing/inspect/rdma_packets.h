// Shared by tests of RPC-over-RDMA: RPC messages and headers written out word by word, and a sink
// that keeps its input.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "helio/inspect/message.h"
#include "testing/inspect/packets.h"

namespace helio::inspect::for_test {

struct KeptMessage {
    Message message;  // its views are into what follows
    Bytes bytes;
    Bytes rdma_header;
    std::vector<TakenOut> taken_out;
};

class KeepingSink final : public MessageSink {
 public:
    void message(const Message& message) override {
        messages.push_back({message,
                            {message.bytes.begin(), message.bytes.end()},
                            {message.rdma_header.begin(), message.rdma_header.end()},
                            {message.taken_out.begin(), message.taken_out.end()}});
    }
    void unread(Unread why, std::uint64_t bytes, std::uint64_t packets) override {
        unread_bytes[static_cast<std::size_t>(why)] += bytes;
        unread_packets[static_cast<std::size_t>(why)] += packets;
    }
    std::uint64_t unread_of(Unread why) const {
        return unread_bytes[static_cast<std::size_t>(why)];
    }
    std::uint64_t unread_all() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t one : unread_bytes) sum += one;
        return sum;
    }

    std::vector<KeptMessage> messages;
    std::uint64_t unread_bytes[kUnreadKinds] = {};
    std::uint64_t unread_packets[kUnreadKinds] = {};
};

struct ChunkSegment {
    std::uint32_t handle = 0;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;
};
using Chunk = std::vector<ChunkSegment>;

constexpr std::uint32_t kRdmaMsg = 0, kRdmaNomsg = 1;

struct Chunks {
    std::vector<std::pair<std::uint32_t, ChunkSegment>> reads{};  // position, segment
    std::vector<Chunk> writes{};
    Chunk reply{};  // empty: there is none
};

// RFC 8166 §4.3.
inline Bytes rdma_header(std::uint32_t xid, std::uint32_t kind, const Chunks& chunks = {}) {
    BytesBuilder out;
    const auto segment = [&](const ChunkSegment& one) {
        out.u32(one.handle).u32(one.length).u64(one.offset);
    };
    out.u32(xid).u32(1).u32(32).u32(kind);
    for (const auto& [position, target] : chunks.reads) {
        out.u32(1).u32(position);
        segment(target);
    }
    out.u32(0);
    for (const Chunk& chunk : chunks.writes) {
        out.u32(1).u32(chunk.size());
        for (const ChunkSegment& one : chunk) segment(one);
    }
    out.u32(0).u32(chunks.reply.empty() ? 0 : 1);
    if (!chunks.reply.empty()) out.u32(chunks.reply.size());
    for (const ChunkSegment& one : chunks.reply) segment(one);
    return out;
}

inline Bytes joined(const Bytes& first, const Bytes& second) {
    return BytesBuilder{}.add(first).add(second);
}

// RFC 5531 §9: an AUTH_NONE call of NFS version 3, up to its arguments: 40 bytes.
inline BytesBuilder nfs3_call(std::uint32_t xid, std::uint32_t procedure) {
    BytesBuilder out;
    out.u32(xid).u32(0).u32(2).u32(100003).u32(3).u32(procedure);
    out.u32(0).u32(0).u32(0).u32(0);
    return out;
}
// An accepted reply with SUCCESS, up to its results: 24 bytes.
inline BytesBuilder nfs3_reply(std::uint32_t xid) {
    BytesBuilder out;
    out.u32(xid).u32(1).u32(0).u32(0).u32(0).u32(0);
    return out;
}

// RFC 1813 §3.3.6.
inline Bytes read_call(std::uint32_t xid, std::uint32_t count) {
    return nfs3_call(xid, 6).u32(4).u32(0x01020304).u64(0).u32(count);
}
// As it is over TCP; the data begins at byte 44, its length word at 40.
constexpr std::size_t kReadDataAt = 44;
inline Bytes read_reply(std::uint32_t xid, ByteView data) {
    // NFS3_OK, no attributes, count, eof, the data.
    return nfs3_reply(xid).u32(0).u32(0).u32(data.size()).u32(1).u32(data.size()).add(data).pad();
}
// RFC 1813 §3.3.7: handle, offset, count, FILE_SYNC, the data, which begins at byte 68.
constexpr std::size_t kWriteDataAt = 68;
inline Bytes write_call(std::uint32_t xid, ByteView data) {
    return nfs3_call(xid, 7)
        .u32(4)
        .u32(0x01020304)
        .u64(0)
        .u32(data.size())
        .u32(2)
        .u32(data.size())
        .add(data)
        .pad();
}

// Without [at, at + padded(size)), as a sender removes it.
inline Bytes without(const Bytes& whole, std::size_t at, std::size_t size) {
    const ByteView all = whole;
    return BytesBuilder{}.add(all.first(at)).add(all.subspan(at + padded(size)));
}

}  // namespace helio::inspect::for_test
