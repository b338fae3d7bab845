// Layer: what stands between the bytes of a stream and the wire once both sides have agreed to it:
// TLS, or the encryption of SASL. It keeps what it needs of bytes that are not complete yet, and
// does no I/O.
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
