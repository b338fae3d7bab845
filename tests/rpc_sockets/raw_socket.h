// A peer without any of our own code: blocking sockets that send exactly the bytes a test wants,
// and messages written word by word (RFC 5531 §9). Every wait has a timeout, so that a test fails
// instead of hanging.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "helio/transport/socket/socket.h"
#include "testing/patience.h"

namespace wire {

using Bytes = std::vector<std::byte>;
using helio::kTestPatience;

inline constexpr std::uint32_t kPeerProgram = 0x20000100;

Bytes words(std::initializer_list<std::uint32_t> list);
Bytes operator+(Bytes a, const Bytes& b);
// xid, CALL, RPC version 2, then AUTH_NONE twice and the arguments.
Bytes call_message(std::uint32_t xid, std::uint32_t version, std::uint32_t procedure,
                   const Bytes& arguments = {});
// One record of one fragment; `last` false: more of them follow.
Bytes record(const Bytes& message, bool last = true);
std::uint32_t word_at(const Bytes& message, std::size_t index);
// xid, REPLY, MSG_ACCEPTED, empty verifier, SUCCESS, then these results.
Bytes success_reply(std::uint32_t xid, const Bytes& results = {});

// True as soon as `good` returns true; false if it does not in time.
inline bool eventually(const std::function<bool()>& good,
                       std::chrono::milliseconds wait = kTestPatience) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (!good()) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

// A connection, made or accepted.
class RawStream final {
 public:
    explicit RawStream(std::uint16_t port);  // to 127.0.0.1
    // The same, from another address of this machine, such as 127.0.0.2.
    RawStream(std::uint16_t port, const char* from);
    explicit RawStream(helio::transport::Fd connected);

    bool send(const Bytes& bytes);  // all of them; false when the peer is gone
    void shut_down_sending();
    void close() { fd_.reset(); }
    // Closes with RST: data in flight is lost.
    void reset();
    // The next record's message; nothing if the peer closed first, or was silent for `wait`.
    std::optional<Bytes> receive(std::chrono::milliseconds wait = kTestPatience);
    // True if the peer closes within that time; what it sends before that is dropped.
    bool closed_within(std::chrono::milliseconds wait = kTestPatience);
    int get() const { return fd_.get(); }

 private:
    bool fill(std::size_t size, std::chrono::milliseconds wait);
    helio::transport::Fd fd_;
    Bytes received_;
};

// A listening socket at a free port of 127.0.0.1.
class RawListener final {
 public:
    RawListener();
    std::uint16_t port() const { return port_; }
    std::string where() const { return "127.0.0.1:" + std::to_string(port_); }
    int get() const { return fd_.get(); }
    RawStream accept();
    void close() { fd_.reset(); }

 private:
    helio::transport::Fd fd_;
    std::uint16_t port_ = 0;
};

// A UDP socket, bound to a free port of 127.0.0.1.
class RawDatagrams final {
 public:
    RawDatagrams();
    std::uint16_t port() const { return port_; }
    void send_to(std::uint16_t port, const Bytes& datagram);
    struct Datagram {
        Bytes bytes;
        std::uint16_t from;
    };
    std::optional<Datagram> receive(std::chrono::milliseconds wait = kTestPatience);

 private:
    helio::transport::Fd fd_;
    std::uint16_t port_ = 0;
};

}  // namespace wire
