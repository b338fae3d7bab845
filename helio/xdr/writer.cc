#include "helio/xdr/writer.h"

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/xdr/reader.h"  // kDepthMax: what we write must be readable

namespace helio::xdr {

namespace {
// A buffer holds any reply without bulk data; READDIRPLUS of a page is 4 KiB, of Linux's
// default 32.
constexpr std::size_t kBufferSize = 8u << 10;
constexpr std::size_t kBufferSizeMax = 256u << 10;

std::uint32_t clamp(std::uint64_t value) {
    return value > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(value);
}
}  // namespace

std::byte* Writer::fail(Fault fault, const std::byte* at, std::uint64_t got, std::uint64_t limit) {
    if (!ok()) return nullptr;
    error_ = {clamp(offset_of(at)), fault, clamp(got), clamp(limit)};
    // Half a value must reach no peer: what was written is forgotten, and begin() finds no room.
    at_ = end_ = segment_begin_ = nullptr;
    segment_count_ = 0;
    closed_size_ = 0;
    return nullptr;
}

std::size_t Writer::offset_of(const std::byte* at) const {
    return closed_size_ + static_cast<std::size_t>(at - segment_begin_);
}

std::size_t Writer::size() const { return offset_of(at_); }

// The current buffer is full: what is in it becomes a segment, and a larger one is begun.
std::byte* Writer::grow(std::byte* at, std::size_t size) {
    if (!ok() || !close_segment(at)) return nullptr;
    const std::size_t wanted =
        std::max(size, std::clamp(closed_size_, kBufferSize, kBufferSizeMax));
    auto* const buffer = static_cast<std::byte*>(arena_->allocate(wanted));
    if (buffer == nullptr) return fail(Fault::out_of_memory, at, size, arena_->bytes_max() >> 10);
    segment_begin_ = at_ = buffer;
    end_ = buffer + wanted;
    return buffer;
}

bool Writer::close_segment(std::byte* at) {
    if (at == segment_begin_) return true;
    if (!add_segment({segment_begin_, at}, false)) return false;
    segment_begin_ = at;
    return true;
}

bool Writer::add_segment(ByteView bytes, bool referenced) {
    if (segment_count_ == segment_capacity_) {
        auto* const larger = arena_->make<Segment>(segment_capacity_ * 2);
        if (larger == nullptr) {
            fail(Fault::out_of_memory, segment_begin_, segment_capacity_,
                 arena_->bytes_max() >> 10);
            return false;
        }
        std::copy_n(segments_, segment_count_, larger);
        segments_ = larger;
        segment_capacity_ *= 2;
    }
    segments_[segment_count_++] = {bytes, referenced};
    closed_size_ += bytes.size();
    return true;
}

// Length word, closed segment, the caller's bytes as a segment, and padding at the head of the
// next.
std::byte* Writer::refer(std::byte* at, ByteView body, std::uint32_t max, std::size_t tail) {
    if (body.size() > max) return fail(Fault::too_long, at, body.size(), max);
    store_u32(at, static_cast<std::uint32_t>(body.size()));
    at += 4;
    if (!close_segment(at) || !add_segment(body, true)) return nullptr;
    const std::size_t padding = padded(body.size()) - body.size();
    at = certain(at, padding + tail);
    if (at == nullptr) return nullptr;
    std::fill_n(at, padding, std::byte{0});
    return at + padding;
}

bool Writer::enter(std::byte* at) {
    if (++depth_ <= kDepthMax) return true;
    fail(Fault::too_deep, at, depth_, kDepthMax);
    return false;
}

std::span<const Segment> Writer::segments() {
    if (close_segment(at_)) return {segments_, segment_count_};
    return {};
}

std::vector<std::byte> Writer::joined() {
    std::vector<std::byte> out;
    out.reserve(size());
    for (const Segment& segment : segments())
        out.insert(out.end(), segment.bytes.begin(), segment.bytes.end());
    return out;
}

}  // namespace helio::xdr
