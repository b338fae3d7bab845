// Layer: a transformation between a stream's bytes and the wire that both sides have agreed to:
// TLS, or SASL encryption. It buffers incomplete input and does no I/O.
#pragma once

#include <cstddef>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::transport {

class Layer {
 public:
    virtual ~Layer() = default;
    // Both append to `out`. False when the bytes cannot be what they should be: the stream is lost.
    // `wire` is empty when nothing has arrived yet: a layer may hold bytes since its handshake.
    virtual bool encode(ByteView plain, std::vector<std::byte>& out) = 0;
    virtual bool decode(ByteView wire, std::vector<std::byte>& out) = 0;
};

}  // namespace helio::transport
