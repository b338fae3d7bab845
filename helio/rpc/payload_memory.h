// PayloadMemory: memory in which a transport wants result bytes to be made, so that it can send
// them without a copy. Other transports have none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace helio::rpc {

class PayloadMemory {
 public:
    virtual ~PayloadMemory() = default;
    // `size` bytes that stay while `owner` lives; empty if there are none. Thread-safe.
    virtual std::span<std::byte> take_payload(std::size_t size,
                                              std::shared_ptr<const void>& owner) = 0;
};

}  // namespace helio::rpc
