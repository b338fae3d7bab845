// For tests of streams: a stream whose owner records events, messages preceded by their length, a
// layer that changes sizes, and the other end of the socket.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "helio/transport/socket/descriptors.h"
#include "helio/transport/stream/stream.h"
#include "helio/xdr/wire.h"
#include "testing/transport/faulty_network.h"

namespace helio::transport::testing {

using Bytes = std::vector<std::byte>;

inline Bytes operator+(Bytes a, ByteView b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
// `size` bytes in a sequence that no other message has.
inline Bytes body(std::size_t size, unsigned seed) {
    Bytes out(size);
    for (std::size_t i = 0; i < size; ++i)
        out[i] = static_cast<std::byte>((seed * 131 + i * 7 + (i >> 8)) & 0xff);
    return out;
}
// The same, preceded by its length.
inline Bytes message(std::size_t size, unsigned seed) {
    Bytes out(4);
    xdr::store_u32(out.data(), static_cast<std::uint32_t>(size));
    return out + body(size, seed);
}

// Blocks of at most 10 bytes, each with its length and inverted: the output is longer than the
// input, and half a block yields nothing. A block of 0xff bytes is an error.
class BlockLayer final : public Layer {
 public:
    bool encode(ByteView plain, std::vector<std::byte>& out) override {
        while (!plain.empty()) {
            const ByteView block = plain.first(std::min<std::size_t>(plain.size(), 10));
            out.push_back(static_cast<std::byte>(block.size()));
            for (const std::byte one : block) out.push_back(~one);
            plain = plain.subspan(block.size());
        }
        return true;
    }
    bool decode(ByteView wire, std::vector<std::byte>& out) override {
        held_.insert(held_.end(), wire.begin(), wire.end());
        std::size_t at = 0;
        while (at < held_.size()) {
            const auto size = static_cast<std::size_t>(held_[at]);
            if (size == 0 || size > 10) return false;
            if (held_.size() - at < 1 + size) break;
            for (std::size_t i = 1; i <= size; ++i) out.push_back(~held_[at + i]);
            at += 1 + size;
        }
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }

 private:
    Bytes held_;
};

inline Bytes encoded(ByteView plain) {
    Bytes out;
    BlockLayer{}.encode(plain, out);
    return out;
}

// An entry of one message, in any number of segments.
class Entry final : public Outgoing {
 public:
    explicit Entry(std::vector<Bytes> pieces) : pieces_(std::move(pieces)) { set(); }
    Entry(std::vector<Bytes> pieces, std::vector<rpc::Batch::Descriptor> descriptors)
        : pieces_(std::move(pieces)), descriptors_(std::move(descriptors)) {
        set();
    }
    // The second of three pieces is a part of a file.
    Entry(Bytes head, const FilePiece& file, std::size_t size, Bytes tail) : file_(file) {
        pieces_ = {std::move(head), Bytes(size), std::move(tail)};
        set();
        segments_[1].data = Payload{file_, size};
    }
    void set() {
        std::size_t size = 0;
        segments_.clear();
        for (const Bytes& one : pieces_) {
            segments_.push_back({ByteView{one}});
            size += one.size();
        }
        set_message(segments_, size, descriptors_);
    }
    int sent = 0;
    std::function<void()> when_sent;

 private:
    void on_sent() override {
        ++sent;
        if (when_sent) when_sent();
    }
    std::vector<Bytes> pieces_;
    std::vector<rpc::Batch::Descriptor> descriptors_;
    FilePiece file_;
    std::vector<xdr::Segment> segments_;
};

// Extracts complete messages from what it receives.
class NotingOwner final : public Stream::Owner {
 public:
    NotingOwner(EventLoop& loop, StreamOptions options) : stream(loop, *this, with_pool(options)) {}

    void on_connected() override { note("connected"); }
    void on_received(std::size_t) override {
        if (stream.is_worth_a_look()) look();
        if (when_received) when_received();
    }
    bool on_end() override {
        note("end");
        return stays_open;
    }
    void on_writable() override { note("writable"); }
    void on_lost(int error_number) override {
        note(error_number == 0 ? "lost" : std::string("lost ") + strerrorname_np(error_number));
    }
    void look() {
        std::size_t wanted = 0;
        const auto life = stream.life();
        while (stream.life() == life) {
            const ByteView bytes = stream.bytes();
            wanted = bytes.size() < 4 ? 4 : 4 + xdr::load_u32(bytes.data());
            if (bytes.size() < wanted) break;
            heard = std::move(heard) + bytes.first(wanted);
            ++messages;
            stream.consume(wanted);
        }
        capacity_max = std::max(capacity_max, stream.buffer() ? stream.buffer()->capacity : 0);
        const bool kept = stream.life() != life || stream.keep(wanted);
        EXPECT_TRUE(kept);
    }

    rpc::BufferPool pool;
    Stream stream;
    Bytes heard;
    int messages = 0;
    std::size_t capacity_max = 0;
    std::string events;  // "connected, writable, lost ECONNRESET"
    bool stays_open = false;
    std::function<void()> when_received;
    std::function<void(const std::string&)> when;  // any other event

 private:
    StreamOptions with_pool(StreamOptions options) {
        if (options.pool == nullptr) options.pool = &pool;
        return options;
    }
    void note(const std::string& event) {
        if (event != "writable" || !events.ends_with("writable"))
            events += (events.empty() ? "" : ", ") + event;
        if (when) when(event);
    }
};

// The other end of a stream; itself a plain socket.
class FarEnd final {
 public:
    explicit FarEnd(Fd socket) : socket_(std::move(socket)) {}
    int fd() const { return socket_.get(); }
    void close() { socket_.reset(); }
    void send(ByteView bytes) {
        ASSERT_EQ(::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    // Everything available now.
    void receive() {
        std::array<std::byte, 65536> block;
        for (;;) {
            const ssize_t got =
                receive_with_descriptors(Network::kernel(), fd(), block, MSG_DONTWAIT, descriptors);
            if (got == 0) is_at_end = true;
            if (got <= 0) return;
            heard = std::move(heard) + ByteView{block}.first(static_cast<std::size_t>(got));
        }
    }
    Bytes heard;
    std::vector<Fd> descriptors;
    bool is_at_end = false;

 private:
    Fd socket_;
};

// The combinations of memory and encoding that a stream can have.
struct Kind {
    const char* name;
    bool shares = false;   // like a server's: shared receive memory, and a budget
    bool encodes = false;  // through a layer
    std::size_t buffer_size = 64;
};
inline constexpr Kind kKinds[] = {{"own buffer"},
                                  {"shared room", true},
                                  {"layer", false, true},
                                  {"layer, shared room", true, true},
                                  {"large buffer", false, false, 1u << 16}};

struct Line {
    explicit Line(const Kind& kind, FaultyNetwork::Decide decide = move_at_most(SIZE_MAX),
                  bool takes_descriptors = false)
        : network(std::move(decide)), loop(network) {
        StreamOptions options;
        options.pool = &pool;
        options.buffer_size = kind.buffer_size;
        options.takes_descriptors = takes_descriptors;
        if (kind.shares) {
            options.shared_room = &room;
            options.budget = &budget;
        }
        near = std::make_unique<NotingOwner>(loop, options);
        auto [here, there] = socket_pair();
        EXPECT_EQ(near->stream.open(std::move(here)), 0);
        const bool opened = !kind.encodes || near->stream.set_layer(std::make_unique<BlockLayer>());
        EXPECT_TRUE(opened);
        far = std::make_unique<FarEnd>(std::move(there));
    }
    // Turns until nothing happens any more.
    void settle() {
        for (int quiet = 0; quiet < 3; ++quiet) {
            const std::size_t before = network.calls();
            loop.turn(std::chrono::milliseconds(0));
            far->receive();
            if (network.calls() != before) quiet = 0;
        }
    }
    Stream& stream() { return near->stream; }

    FaultyNetwork network;
    EventLoop loop;
    rpc::BufferPool pool;
    SharedReceiveBuffer room{pool};
    MemoryBudget budget{1u << 20};
    std::unique_ptr<NotingOwner> near;
    std::unique_ptr<FarEnd> far;
};

inline Bytes plain(const Kind& kind, const Bytes& wire) {
    if (!kind.encodes) return wire;
    Bytes out;
    EXPECT_TRUE(BlockLayer{}.decode(wire, out));
    return out;
}
inline Bytes wire(const Kind& kind, const Bytes& plain) {
    return kind.encodes ? encoded(plain) : plain;
}

}  // namespace helio::transport::testing
