// Peer: the daemon's end of a socketpair, controlled by the test. One thread: the test turns the
// client's loop, and reads and writes here in between.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/writer.h"
#include "testing/virt/messages.h"

namespace helio::virt {

struct Heard {
    frame::VirnetHeader header;
    Bytes payload;
};

class Peer final {
 public:
    Peer() {
        int ends[2];
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
        ours_ = Fd{ends[0]};
        theirs_ = Fd{ends[1]};
    }
    Fd client_end() { return std::move(theirs_); }
    int fd() const { return ours_.get(); }
    void close() { ours_.reset(); }

    void send_raw(ByteView bytes) {
        ASSERT_EQ(::send(ours_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    void send(const frame::VirnetHeader& header, ByteView payload = {}) {
        send_raw(frame::make_virnet_message(header, payload));
    }
    // The answer to a call, which repeats its header.
    void reply(frame::VirnetHeader header, ByteView payload = {}) {
        header.type = frame::VirnetType::reply;
        send(header, payload);
    }
    void refuse(frame::VirnetHeader header, const VirtError& error,
                frame::VirnetType type = frame::VirnetType::reply) {
        xdr::Arena arena;
        xdr::Writer out{arena};
        ASSERT_TRUE(put_error(out, error));
        header.type = type;
        header.status = frame::VirnetStatus::error;
        send(header, out.joined());
    }
    void stream(frame::VirnetHeader header, frame::VirnetStatus status, ByteView payload = {},
                frame::VirnetType type = frame::VirnetType::stream) {
        header.type = type;
        header.status = status;
        send(header, payload);
    }

    // Turns the loop until the client has sent a message, and returns it.
    Heard next(transport::EventLoop& loop) {
        for (int i = 0; heard_.empty() && i < 2'000; ++i) {
            loop.turn(std::chrono::milliseconds(i < 10 ? 0 : 1));
            listen();
        }
        EXPECT_FALSE(heard_.empty()) << "the client says nothing";
        if (heard_.empty()) return {};
        Heard out = std::move(heard_.front());
        heard_.pop_front();
        return out;
    }
    // The number of messages that next() has not returned yet.
    std::size_t waiting(transport::EventLoop& loop) {
        for (int i = 0; i < 5; ++i) {
            loop.turn(std::chrono::milliseconds(0));
            listen();
        }
        return heard_.size();
    }
    void listen() {
        std::byte piece[65536];
        for (;;) {
            const ssize_t got = ::recv(ours_.get(), piece, sizeof piece, MSG_DONTWAIT);
            if (got <= 0) break;
            bytes_.insert(bytes_.end(), piece, piece + got);
        }
        for (;;) {
            const frame::Cut cut = frame::LengthWord::cut(bytes_);
            ASSERT_NE(cut.kind, frame::CutKind::broken);
            if (cut.kind != frame::CutKind::message) return;
            const ByteView payload = cut.message.subspan(frame::VirnetHeader::kSize);
            heard_.push_back(
                {frame::read_virnet_header(cut.message.data()), {payload.begin(), payload.end()}});
            bytes_.erase(bytes_.begin(),
                         bytes_.begin() + static_cast<std::ptrdiff_t>(cut.consumed));
        }
    }

 private:
    Fd ours_, theirs_;
    Bytes bytes_;
    std::deque<Heard> heard_;
};

// Turns the loop until `done`, for two seconds at most.
template <class Done>
bool turn_until(transport::EventLoop& loop, Done&& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) return false;
        loop.turn(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace helio::virt
