// PayloadMemory: where a transport wants the bytes of a result to be made, so that it can send them
// without a copy. A transport without such wishes has none.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace helio::rpc {

class PayloadMemory {
 public:
    virtual ~PayloadMemory() = default;
    // `size` bytes that stay while `owner` lives; empty when there is none. From any thread.
    virtual std::span<std::byte> take_payload(std::size_t size,
                                              std::shared_ptr<const void>& owner) = 0;
};

}  // namespace helio::rpc
