// LengthWord: splits a stream's bytes into libvirt's messages, and frames messages for sending.
//
//     +---------------+----------------------+----------------
//     | length, u32   | header, 24 bytes     | payload …
//     +---------------+----------------------+----------------
//
// The length counts itself. There are no fragments and no state between two cuts: messages are used
// in place. As in libvirt, a length out of bounds ends the connection without an answer.
// Descriptors that follow a message are not part of it; see helio/virt/wire/session.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/frame/record_mark.h"
#include "helio/xdr/wire.h"

namespace helio::frame {

// The smallest length: the word and a header without payload.
inline constexpr std::size_t kVirnetLengthMin = 28;
// The largest length: libvirt's VIR_NET_MESSAGE_MAX for header and payload, and the word.
inline constexpr std::size_t kVirnetLengthMax = (32u << 20) + 4;

class LengthWord final {
 public:
    static constexpr std::size_t kWordSize = 4;

    // The next message of `bytes`: Cut::message is header and payload, without the word.
    static Cut cut(ByteView bytes) {
        Cut out;
        out.wanted = kWordSize;
        if (bytes.size() < kWordSize) return out;
        const std::size_t length = xdr::load_u32(bytes.data());
        if (length - kVirnetLengthMin > kVirnetLengthMax - kVirnetLengthMin) [[unlikely]]
            return broken(length);
        if (bytes.size() < length) {
            out.wanted = length;
            return out;
        }
        out.kind = CutKind::message;
        out.consumed = length;
        out.wanted = 0;
        out.message = bytes.subspan(kWordSize, length - kWordSize);
        return out;
    }

    // For sending: writes the word before a message of this many bytes.
    static void store(std::byte* word, std::size_t message_size) {
        HELIO_ASSERT(message_size <= kVirnetLengthMax - kWordSize);
        xdr::store_u32(word, static_cast<std::uint32_t>(message_size + kWordSize));
    }

 private:
    static Cut broken(std::size_t length);
};

}  // namespace helio::frame
