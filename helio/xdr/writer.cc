#include "helio/xdr/writer.h"

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/xdr/reader.h"  // kDepthMax: what we write must be readable

namespace helio::xdr {

namespace {
std::uint32_t clamp(std::uint64_t value) {
    return value > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(value);
}
}  // namespace

void Writer::set_fault(Fault fault, const std::byte* at, std::uint64_t got, std::uint64_t limit) {
    if (!ok()) return;
    error_ = {clamp(offset_of(at)), fault, clamp(got), clamp(limit)};
    // No peer may get half a value: what was written is forgotten, and ready() finds no room. The
    // buffer stays for restart().
    at_ = segment_begin_ = end_;
    segment_ = segments_;
}

std::size_t Writer::offset_of(const std::byte* at) const {
    auto sum = static_cast<std::size_t>(at - segment_begin_);
    for (const Segment* one = segments_; one != segment_; ++one) sum += one->size();
    return sum;
}

std::size_t Writer::size() const { return offset_of(at_); }

// The current buffer is full: its contents become a segment, and a new buffer is begun. The arena's
// blocks grow, so a long message has few of them.
std::byte* Writer::grow(std::byte* at, std::size_t size) {
    if (!ok() || !close_segment(at)) return nullptr;
    const auto buffer = arena_->take_rest(std::max(size, kBufferMin));
    if (buffer.empty()) return fail(Fault::out_of_memory, at, size, arena_->bytes_max() >> 10);
    segment_begin_ = buffer_begin_ = at_ = buffer.data();
    end_ = buffer.data() + buffer.size();
    return at_;
}

bool Writer::more_segments() {
    const auto count = static_cast<std::size_t>(segment_ - segments_);
    const auto capacity = static_cast<std::size_t>(segments_end_ - segments_) * 2;
    auto* const larger = arena_->make<Segment>(capacity);
    if (larger == nullptr) {
        fail(Fault::out_of_memory, segment_begin_, count, arena_->bytes_max() >> 10);
        return false;
    }
    std::copy_n(segments_, count, larger);
    segments_ = larger;
    segment_ = larger + count;
    segments_end_ = larger + capacity;
    return true;
}

// Writes the length word, closes the segment, adds the caller's data as a segment, and puts the
// padding at the head of the next. There is room for two segments.
inline std::byte* Writer::referenced(std::byte* at, const Payload& body, std::size_t tail) {
    const std::size_t size = body.size();
    store_u32(at, static_cast<std::uint32_t>(size));
    at += 4;
    segment_[0] = {ByteView{segment_begin_, at}, false};
    segment_[1] = {body, true};
    segment_ += 2;
    segment_begin_ = at;
    if (size % 4 == 0 && room(at) >= tail) [[likely]]
        return at;
    return pad(at, -size % 4, tail);
}

// Long data is referenced. Rare cases have their own functions, so that this one need not save
// registers.
std::byte* Writer::payload(std::byte* at, const Payload& body, std::uint32_t max,
                           std::size_t tail) {
    const std::size_t size = body.size();
    if (size < kReferenceMin || size > max || segments_end_ - segment_ < 2) [[unlikely]]
        return unusual_payload(at, body, max, tail);
    return referenced(at, body, tail);
}

std::byte* Writer::payload(std::byte* at, ByteView body, std::uint32_t max, std::size_t tail) {
    if (body.size() > max) [[unlikely]]
        return fail(Fault::too_long, at, body.size(), max);
    return payload(at, Payload{body}, max, tail);
}

std::byte* Writer::unusual_payload(std::byte* at, const Payload& body, std::uint32_t max,
                                   std::size_t tail) {
    if (body.size() > max) return fail(Fault::too_long, at, body.size(), max);
    if (body.size() < kReferenceMin && !body.is_file()) {
        at = certain(at, 4 + padded(body.size()) + tail);
        return at == nullptr ? nullptr : copied<kReferenceMin - 1, kReserved>(at, body.bytes());
    }
    if (segments_end_ - segment_ < 2 && !more_segments()) return nullptr;
    return referenced(at, body, tail);
}

// A separate segment of the gather list. Short data is still copied, as elsewhere: callers rely on
// that.
std::byte* Writer::bulk_payload(std::byte* at, const Payload& body, std::uint32_t max,
                                std::size_t tail) {
    const std::size_t size = body.size();
    if (size > max) return fail(Fault::too_long, at, size, max);
    const bool copy_it = size < kReferenceMin && !body.is_file();
    // Reserved room includes room for the data.
    if (copy_it && tail != kReserved) at = certain(at, 4 + padded(size) + tail);
    if (at == nullptr || (segments_end_ - segment_ < 2 && !more_segments())) return nullptr;
    store_u32(at, static_cast<std::uint32_t>(size));
    at += 4;
    segment_[0] = {ByteView{segment_begin_, at}, false};
    segment_[1] = {body, !copy_it, true};
    if (copy_it) {
        store_u32(at + padded(size) - 4, 0);  // the padding; `size` is not 0
        std::memcpy(at, body.bytes().data(), size);
        segment_[1].data = ByteView{at, size};
        at += size;
    }
    segment_ += 2;
    segment_begin_ = at;
    return copy_it ? at + -size % 4 : pad(at, -size % 4, tail);
}

std::byte* Writer::pad(std::byte* at, std::size_t padding, std::size_t tail) {
    at = certain(at, 4 + tail);
    if (at == nullptr) return nullptr;
    store_u32(at, 0);
    return at + padding;
}

Writer::Body Writer::open_body() {
    if (!ready(4)) return {nullptr, 0};
    std::byte* const length = at_;
    at_ += 4;
    return {length, size()};
}

bool Writer::close_body(Body body, std::uint32_t max) {
    if (!ok() || body.length == nullptr) return false;
    const std::size_t written = size() - body.begin;
    HELIO_ASSERT(written % 4 == 0);  // XDR encodes everything in whole words
    if (written > max) {
        fail(Fault::too_long, at_, written, max);
        error_.offset = clamp(body.begin - 4);  // that of the length word; its buffer may be closed
        return false;
    }
    store_u32(body.length, static_cast<std::uint32_t>(written));
    return true;
}

bool Writer::enter(std::byte* at) {
    if (++depth_ <= kDepthMax) return true;
    fail(Fault::too_deep, at, depth_, kDepthMax);
    return false;
}

std::vector<std::byte> Writer::joined() {
    std::vector<std::byte> out(ok() ? size() : 0);
    std::byte* at = out.data();
    for (const Segment& segment : segments()) {
        if (!segment.data.copy_to(at)) return {};
        at += segment.size();
    }
    return out;
}

}  // namespace helio::xdr
