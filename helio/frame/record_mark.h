// RecordMark: splits a stream's bytes into RPC messages by the marks of RFC 5531 §11, and frames
// messages for sending.
//
//     +-+-------------------------------+
//     |L|  size of the fragment, 31 bit |   L: the record's last fragment
//     +-+-------------------------------+
//
// A record of one fragment, the usual case, is used in place; several fragments are joined. No I/O;
// the owner of the connection owns the bytes and calls cut() with what has arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/xdr/wire.h"
#include "helio/xdr/writer.h"

namespace helio::frame {

// The largest record, over all its fragments: NFS's largest WRITE is 1 MiB and its header, and 4
// MiB leaves room for protocols that need more.
inline constexpr std::size_t kRecordBytesMax = 4u << 20;
// Fragments of one record: libtirpc sends fragments of 8 KiB or more. A peer that puts one byte in
// each costs more system calls than it is worth.
inline constexpr std::size_t kFragmentsMax = 2048;

struct RecordLimits {
    std::size_t record_bytes = kRecordBytesMax;
    std::size_t fragments = kFragmentsMax;
};

enum class CutKind : std::uint8_t {
    message,  // one message; `consumed` bytes are used up
    more,     // needs more bytes
    broken,   // can never become a message: close the connection
};

enum class FrameFault : std::uint8_t {
    none,
    record_too_long,
    too_many_fragments,
    empty_record,
    bad_length,  // LengthWord's
};

struct Cut {
    CutKind kind = CutKind::more;
    FrameFault fault = FrameFault::none;
    std::size_t consumed = 0;  // bytes to drop from the front, also for `more`
    std::size_t wanted = 0;    // for `more`: bytes needed before the next cut()
    bool joined = false;       // several fragments: in the RecordMark until its next cut()
    ByteView message;          // else in place
    std::uint64_t got = 0;     // for `broken`: the value, and the limit
    std::uint64_t limit = 0;
};

class RecordMark final {
 public:
    static constexpr std::size_t kMarkSize = 4;

    explicit RecordMark(RecordLimits limits = {}) : limits_(limits) {}

    // The next message of `bytes`, which begin where the last cut ended.
    Cut cut(ByteView bytes) {
        // The usual case: one complete fragment.
        if (bytes.size() > kMarkSize && at_boundary()) [[likely]] {
            const std::uint32_t mark = xdr::load_u32(bytes.data());
            const std::size_t size = mark & ~kLast;
            if ((mark & kLast) != 0 && size - 1 < limits_.record_bytes &&
                size <= bytes.size() - kMarkSize) [[likely]] {
                Cut out;
                out.kind = CutKind::message;
                out.consumed = kMarkSize + size;
                out.message = bytes.subspan(kMarkSize, size);
                return out;
            }
        }
        if (bytes.empty() && !handed_out_) {  // after the last message received
            Cut out;
            out.wanted = kMarkSize;
            return out;
        }
        return cut_slowly(bytes);
    }
    // Between records? A peer that leaves in the middle of one was cut off.
    bool at_boundary() const { return fragments_ == 0; }
    // Memory held for a record of several fragments.
    std::size_t bytes_held() const { return joining_.capacity(); }

    // For sending: reserve room for the mark, write the message, then store its size in the mark.
    static std::byte* open(xdr::Writer& out, xdr::Writer::Mark& begin) {
        begin = out.mark();
        if (!out.ready(kMarkSize)) return nullptr;
        std::byte* const mark = out.at();
        out.end(mark + kMarkSize);
        return mark;
    }
    static void close(xdr::Writer& out, std::byte* mark, const xdr::Writer::Mark& begin) {
        store(mark, out.size_since(begin) - kMarkSize);
    }
    static void store(std::byte* mark, std::size_t message_size) {
        HELIO_ASSERT(message_size < kLast);  // 31 bits are far more than any message here
        xdr::store_u32(mark, kLast | static_cast<std::uint32_t>(message_size));
    }

 private:
    static constexpr std::uint32_t kLast = 0x80000000;

    Cut cut_slowly(ByteView bytes);
    Cut broken(FrameFault fault, std::uint64_t got, std::uint64_t limit) const;

    RecordLimits limits_;
    std::vector<std::byte> joining_;
    std::size_t fragments_ = 0;  // of the record being joined
    bool handed_out_ = false;    // joining_ is a message that was returned to the caller
};

// "a record of 5000000 bytes; the limit is 4194304"
std::string to_text(const Cut& broken);

}  // namespace helio::frame
