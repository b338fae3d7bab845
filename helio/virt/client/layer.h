// Layer: what stands between a connection's bytes and the wire once both sides have agreed to it:
// SASL's encryption, or TLS. It keeps what it needs of bytes that are not complete yet.
#pragma once

#include <cstddef>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::virt {

class Layer {
 public:
    virtual ~Layer() = default;
    // Both append to `out`; false when the bytes cannot be what they should.
    virtual bool encode(ByteView plain, std::vector<std::byte>& out) = 0;
    virtual bool decode(ByteView wire, std::vector<std::byte>& out) = 0;
};

}  // namespace helio::virt
