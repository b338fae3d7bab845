// Messages, streams of messages, and a sink that records them, for tests of stream splitters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/xdr/wire.h"
#include "testing/inspect/catalogue.h"

namespace helio::inspect {

using Bytes = std::vector<std::byte>;

inline void append_word(Bytes& out, std::uint32_t word) {
    out.resize(out.size() + 4);
    xdr::store_u32(out.data() + out.size() - 4, word);
}

inline Bytes words(std::initializer_list<std::uint32_t> all) {
    Bytes out;
    for (const std::uint32_t word : all) append_word(out, word);
    return out;
}

// NFS 3 READ or GETATTR with AUTH_NONE and a handle of 8 bytes, followed by `more` zeros.
inline Bytes call_message(std::uint32_t xid, std::uint32_t procedure = 1, std::size_t more = 0) {
    Bytes out = words({xid, 0, 2, 100003, 3, procedure, 0, 0, 0, 0, 8, 0x11223344, 0x55667788});
    out.resize(out.size() + more);
    return out;
}

inline Bytes reply_message(std::uint32_t xid, std::size_t more = 0) {
    Bytes out = words({xid, 1, 0, 0, 0, 0, 0});
    out.resize(out.size() + more);
    return out;
}

inline void append_record(Bytes& stream, const Bytes& message) {
    append_word(stream, 0x80000000u | static_cast<std::uint32_t>(message.size()));
    stream.insert(stream.end(), message.begin(), message.end());
}

class MessagesSeen final : public MessageSink {
 public:
    struct One {
        std::uint32_t xid = 0;
        bool call = false;
        bool cut = false;
        std::uint64_t size = 0;
        std::int64_t time_ns = 0;
        std::uint8_t direction = 0;
        Shape shape = Shape::onc;
        Bytes bytes;
    };

    void message(const Message& message) override {
        Head head;
        VirnetType type = VirnetType::call;
        if (message.shape == Shape::virnet)
            read_virnet_head(message.bytes, head, type);
        else
            read_head(message.bytes, head);
        all.push_back({head.xid, head.call, message.cut(), message.size, message.time_ns,
                       message.direction, message.shape,
                       Bytes(message.bytes.begin(), message.bytes.end())});
    }
    void unread(Unread why, std::uint64_t bytes, std::uint64_t) override {
        unread_bytes[static_cast<std::size_t>(why)] += bytes;
        unread_all += bytes;
    }

    std::vector<std::uint32_t> xids() const {
        std::vector<std::uint32_t> out;
        for (const One& one : all) out.push_back(one.xid);
        return out;
    }
    std::uint64_t bytes(Unread why) const { return unread_bytes[static_cast<std::size_t>(why)]; }

    std::vector<One> all;
    std::uint64_t unread_bytes[kUnreadKinds] = {};
    std::uint64_t unread_all = 0;
};

}  // namespace helio::inspect
