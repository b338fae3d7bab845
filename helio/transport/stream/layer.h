// Layer: a transformation between a stream's bytes and the wire that both sides have agreed on:
// TLS, or SASL encryption. It buffers incomplete input and does no I/O.
#pragma once

#include <cstddef>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::transport {

class Layer {
 public:
    virtual ~Layer() = default;
    // Both append to `out`. False if the bytes are invalid: the stream is lost. `wire` may be
    // empty: a layer may hold bytes since its handshake.
    virtual bool encode(ByteView plain, std::vector<std::byte>& out) = 0;
    virtual bool decode(ByteView wire, std::vector<std::byte>& out) = 0;
};

}  // namespace helio::transport
