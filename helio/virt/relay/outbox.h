// Outbox: bytes on their way to a socket, with the descriptors that travel among them. libvirt
// sends each descriptor with a byte of its own behind the message that has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/fd.h"

namespace helio::virt::relay {

class Outbox final {
 public:
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

    std::vector<std::byte> bytes_;
    std::size_t sent_ = 0;     // of bytes_
    std::uint64_t begin_ = 0;  // bytes that were before bytes_
    std::deque<Travelling> descriptors_;
};

// What recvmsg() brought, with descriptors at the end of `descriptors`; as recv() otherwise.
ssize_t receive_with_descriptors(int socket, std::byte* to, std::size_t room,
                                 std::deque<Fd>& descriptors);

}  // namespace helio::virt::relay
