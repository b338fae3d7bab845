// Outbox: bytes on their way to a socket, with the descriptors that travel among them, each with a
// byte of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"

namespace helio::transport {

class Outbox final {
 public:
    // Sent bytes that may stay in front of those that wait, and memory that is kept when none do:
    // little, since there may be thousands of these.
    static constexpr std::size_t kKeptMax = 1u << 20;
    explicit Outbox(std::size_t kept_max = kKeptMax) : kept_max_(kept_max) {}

    void append(ByteView bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
    void append(Fd descriptor);
    // Not sent yet.
    std::size_t size() const { return bytes_.size() - sent_; }

    // As much as the socket takes: true when all of it went; else errno says why not, and EAGAIN is
    // no fault.
    bool send(int socket);
    // Nobody is there to take it.
    void clear();
    // For tests: all of it, without a socket.
    std::vector<std::byte> take(std::vector<Fd>& descriptors);

 private:
    struct Travelling {
        std::uint64_t at;  // of its byte, counted from the first that there was
        Fd descriptor;
    };
    bool send_some(int socket);
    void forget_sent();

    std::size_t kept_max_;
    std::vector<std::byte> bytes_;
    std::size_t sent_ = 0;     // of bytes_
    std::uint64_t begin_ = 0;  // bytes that were before bytes_
    std::deque<Travelling> descriptors_;
};

}  // namespace helio::transport
