#include "helio/frame/record_mark.h"

#include <fmt/format.h>

namespace helio::frame {

Cut RecordMark::broken(FrameFault fault, std::uint64_t got, std::uint64_t limit) const {
    Cut out;
    out.kind = CutKind::broken;
    out.fault = fault;
    out.got = got;
    out.limit = limit;
    return out;
}

Cut RecordMark::cut_slowly(ByteView bytes) {
    if (handed_out_) {
        std::vector<std::byte>{}.swap(joining_);  // an idle connection holds nothing; `= {}` would
        handed_out_ = false;
    }
    std::size_t consumed = 0;
    for (;;) {
        const ByteView rest = bytes.subspan(consumed);
        Cut out;
        out.consumed = consumed;
        if (rest.size() < kMarkSize) {
            out.wanted = kMarkSize;
            return out;
        }
        const std::uint32_t mark = xdr::load_u32(rest.data());
        const std::size_t size = mark & ~kLast;
        const bool last = (mark & kLast) != 0;
        // Check the limit first: do not wait for a record that will be rejected.
        if (joining_.size() + size > limits_.record_bytes)
            return broken(FrameFault::record_too_long, joining_.size() + size,
                          limits_.record_bytes);
        if (fragments_ + 1 > limits_.fragments)
            return broken(FrameFault::too_many_fragments, fragments_ + 1, limits_.fragments);
        if (rest.size() < kMarkSize + size) {
            out.wanted = kMarkSize + size;
            return out;
        }
        const ByteView body = rest.subspan(kMarkSize, size);
        consumed += kMarkSize + size;
        if (last && fragments_ == 0) {
            if (size == 0) return broken(FrameFault::empty_record, 0, 1);
            out.kind = CutKind::message;
            out.consumed = consumed;
            out.message = body;
            return out;
        }
        joining_.insert(joining_.end(), body.begin(), body.end());
        ++fragments_;
        if (!last) continue;
        fragments_ = 0;
        if (joining_.empty()) return broken(FrameFault::empty_record, 0, 1);
        handed_out_ = true;
        out.kind = CutKind::message;
        out.consumed = consumed;
        out.joined = true;
        out.message = joining_;
        return out;
    }
}

std::string to_text(const Cut& cut) {
    switch (cut.fault) {
        case FrameFault::none:
            return "a whole record";
        case FrameFault::record_too_long:
            return fmt::format("a record of {} bytes or more; the limit is {}", cut.got, cut.limit);
        case FrameFault::too_many_fragments:
            return fmt::format("a record of {} fragments or more; the limit is {}", cut.got,
                               cut.limit);
        case FrameFault::empty_record:
            return "a record without a byte; a call has at least 40";
        case FrameFault::bad_length:
            return fmt::format("a message of {} bytes; the {} is {}", cut.got,
                               cut.got < cut.limit ? "least" : "limit", cut.limit);
    }
    HELIO_ASSERT(false);
    return {};
}

}  // namespace helio::frame
