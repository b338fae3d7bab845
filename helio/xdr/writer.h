// Writer: encodes values to a gather list of bytes. Words are written into buffers from the Arena.
// Opaque data of kReferenceMin bytes and more is not copied but referenced, and must stay valid
// until the list has been sent. Bounds, discriminants and enumerations are enforced: a strict
// Reader accepts whatever this writes.
//
//     xdr::Writer out{arena};
//     if (!encode_READ3res(out, result)) return out.error();
//     send(out.segments());
//
// The lower half is for generated code. It works with a plain pointer and the *certain run*, as in
// reader.h, except that what is certain here is room.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/payload.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/error.h"
#include "helio/xdr/wire.h"

namespace helio::xdr {

// From this size on a reference in the gather list is cheaper than a copy: 7 ns against 2 µs for 64
// KiB.
inline constexpr std::size_t kReferenceMin = 4096;

// As a Tail: there is already room for the whole value and everything after it.
inline constexpr std::size_t kReserved = SIZE_MAX;

// An entry of the gather list: bytes, or a piece of a file.
struct Segment {
    [[no_unique_address]] Payload data;  // the flags fit in its padding: 16 bytes, not 24
    bool referenced = false;             // owned by the caller, not by the Writer
    bool bulk = false;  // a field that the schema marks @bulk; see keep_bulk_apart()

    std::size_t size() const { return data.size(); }
    ByteView bytes() const { return data.bytes(); }  // for bytes only
};

class Writer final {
 public:
    explicit Writer(Arena& arena) : arena_(&arena) {
        const std::span<std::byte> buffer = arena.take_rest(kBufferMin);
        at_ = segment_begin_ = buffer_begin_ = buffer.data();
        end_ = buffer.data() + buffer.size();
    }
    ~Writer() { arena_->give_back(at_, end_); }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Forgets everything written, to reuse the buffer for the next message. The arena must not have
    // been reset since. Segments returned before are no longer valid.
    void restart() {
        at_ = segment_begin_ = buffer_begin_;
        segment_ = segments_;
        depth_ = 0;
        error_.fault = Fault::none;
    }

    bool ok() const { return error_.fault == Fault::none; }
    const DecodeError& error() const { return error_; }

    // Everything written, in order; valid until the next encode, as long as the Arena lives. Empty
    // after a failure: half a message must not be sent.
    std::span<const Segment> segments() {
        if (!close_segment(at_)) return {};
        return {segments_, segment_};
    }
    std::size_t size() const;
    // All segments as one run of bytes, for tests and datagrams. Pieces of files are read; empty if
    // one of them cannot be.
    std::vector<std::byte> joined();

    // Appends bytes that are encoded already.
    [[nodiscard]] bool append(ByteView encoded) {
        if (!ready(encoded.size())) return false;
        if (!encoded.empty()) std::memcpy(at_, encoded.data(), encoded.size());
        at_ += encoded.size();
        return true;
    }

    // A position to rewind to when several messages share one Writer and one of them fails: rewind
    // forgets what was written since, and the failure. Valid until restart().
    struct Mark {
        std::byte* at;
        std::byte* end;
        std::byte* segment_begin;
        std::byte* buffer_begin;
        std::size_t segments;
    };
    Mark mark() const {
        return {at_, end_, segment_begin_, buffer_begin_,
                static_cast<std::size_t>(segment_ - segments_)};
    }
    void rewind(const Mark& mark) {
        at_ = mark.at;
        end_ = mark.end;
        segment_begin_ = mark.segment_begin;
        buffer_begin_ = mark.buffer_begin;
        segment_ = segments_ + mark.segments;
        depth_ = 0;
        error_.fault = Fault::none;
    }
    // Bytes written since the mark, including headers that were left open.
    std::size_t size_since(const Mark& mark) const {
        if (segment_begin_ == mark.segment_begin) [[likely]]
            return static_cast<std::size_t>(at_ - mark.at);
        std::size_t sum = static_cast<std::size_t>(at_ - segment_begin_);
        for (const Segment* one = segments_ + mark.segments; one != segment_; ++one)
            sum += one->size();
        return sum - static_cast<std::size_t>(mark.at - mark.segment_begin);
    }

    // Whether anything written since the mark is referenced, not copied.
    bool references_since(const Mark& mark) const {
        return std::any_of(segments_ + mark.segments, segment_,
                           [](const Segment& one) { return one.referenced; });
    }

    // Calls visit(Segment), in order, for everything written since the mark except the first `skip`
    // bytes.
    template <class Visit>
    void for_each_since(const Mark& mark, std::size_t skip, Visit&& visit) const {
        skip += static_cast<std::size_t>(mark.at - mark.segment_begin);
        for (const Segment* one = segments_ + mark.segments; one != segment_; ++one) {
            const std::size_t size = one->size();
            if (skip == 0)
                visit(*one);
            else if (size > skip)
                visit(Segment{one->bytes().subspan(skip), one->referenced, one->bulk});
            skip -= skip < size ? skip : size;
        }
        if (at_ > segment_begin_ + skip)
            visit(Segment{ByteView{segment_begin_ + skip, at_}, false});
    }

    // For transports that may carry bulk data beside the message (RDMA): from now on every field
    // that the schema marks @bulk is a separate, marked segment, however short. Its padding is at
    // the beginning of the next segment.
    void keep_bulk_apart() { bulk_apart_ = true; }

    // Opaque data that is itself a message, written in place: a credential's body in a call.
    //     const auto body = out.open_body();
    //     if (!encode_authsys_parms(out, who) || !out.close_body(body, 400)) return false;
    struct Body {
        std::byte* length;  // nullptr when there was no room for it
        std::size_t begin;
    };
    Body open_body();
    [[nodiscard]] bool close_body(Body body, std::uint32_t max);

    // ---- For generated code ----

    // Makes `lead` bytes of room at at(). False if there is no memory or an earlier call failed.
    bool ready(std::size_t lead) {
        if (room(at_) <= lead) [[unlikely]]
            return grow(at_, lead + 1) != nullptr;  // one more: even zero bytes need a buffer
        return true;
    }
    std::byte* at() const { return at_; }
    bool end(std::byte* at) {
        if (at == nullptr) return false;
        at_ = at;
        return true;
    }

    // Makes `size` bytes of room after `at`.
    std::byte* certain(std::byte* at, std::size_t size) {
        if (room(at) < size) [[unlikely]]
            return grow(at, size);
        return at;
    }
    template <std::size_t Tail>
    std::byte* then(std::byte* at) {
        if constexpr (Tail == 0 || Tail == kReserved) return at;
        return at == nullptr ? nullptr : certain(at, Tail);
    }

    // Writes length and body where four bytes are certain; afterwards `Tail` bytes are certain.
    // Opaque data that may be long usually is, and is referenced; strings are usually short.
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] std::byte* opaque(std::byte* at, ByteView body) {
        static_assert(Tail != kReserved || Max < kReferenceMin,
                      "nobody reserves room for that much");
        if constexpr (Max < kReferenceMin) return copied<Max, Tail>(at, body);
        return payload(at, body, Max, Tail);
    }
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] std::byte* string(std::byte* at, std::string_view text) {
        if constexpr (Max >= kReferenceMin) {
            if (text.size() >= kReferenceMin) [[unlikely]]
                return payload(at, as_bytes(text), Max, Tail);
        }
        return copied<Max, Tail>(at, as_bytes(text));
    }

    // The same for fields marked @bulk.
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] std::byte* bulk(std::byte* at, const Payload& body) {
        if (bulk_apart_ && !body.empty()) [[unlikely]]
            return bulk_payload(at, body, Max, Tail);
        if constexpr (Max < kReferenceMin) {
            if (!body.is_file()) return copied<Max, Tail>(at, body.bytes());
        }
        return payload(at, body, Max, Tail);
    }
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] std::byte* bulk(std::byte* at, std::string_view text) {
        if (bulk_apart_ && !text.empty()) [[unlikely]]
            return bulk_payload(at, as_bytes(text), Max, Tail);
        return string<Max, Tail>(at, text);
    }

    // Writes a count where four bytes are certain, and makes room for that many items.
    template <std::uint32_t Max, std::size_t Tail>
    std::byte* count(std::byte* at, std::size_t items, std::size_t item_size) {
        if (items > Max) [[unlikely]]
            return fail(Fault::too_long, at, items, Max);
        if constexpr (Tail != kReserved) {
            at = certain(at, 4 + items * item_size + Tail);
            if (at == nullptr) return nullptr;
        }
        store_u32(at, static_cast<std::uint32_t>(items));
        return at + 4;
    }

    bool enter(std::byte* at);
    void leave() { --depth_; }

    // Returns nullptr, so that an encode function can `return out.fail(…)`. Only the first fault is
    // kept.
    std::byte* fail(Fault fault, const std::byte* at, std::uint64_t got, std::uint64_t limit) {
        set_fault(fault, at, got, limit);
        return nullptr;
    }

 private:
    // If less than this is left in the arena's block, a new block is begun: any reply without bulk
    // data or a long listing then fits in one buffer.
    static constexpr std::size_t kBufferMin = 2048;

    std::size_t room(const std::byte* at) const { return static_cast<std::size_t>(end_ - at); }
    std::byte* grow(std::byte* at, std::size_t size);
    std::byte* payload(std::byte* at, const Payload& body, std::uint32_t max, std::size_t tail);
    std::byte* payload(std::byte* at, ByteView body, std::uint32_t max, std::size_t tail);
    std::byte* referenced(std::byte* at, const Payload& body, std::size_t tail);
    [[gnu::noinline]] std::byte* unusual_payload(std::byte* at, const Payload& body,
                                                 std::uint32_t max, std::size_t tail);
    [[gnu::noinline]] std::byte* bulk_payload(std::byte* at, const Payload& body, std::uint32_t max,
                                              std::size_t tail);
    [[gnu::noinline]] std::byte* pad(std::byte* at, std::size_t padding, std::size_t tail);
    void set_fault(Fault fault, const std::byte* at, std::uint64_t got, std::uint64_t limit);
    bool more_segments();
    std::size_t offset_of(const std::byte* at) const;

    bool close_segment(std::byte* at) {
        if (at == segment_begin_) return true;
        if (segment_ == segments_end_ && !more_segments()) return false;
        *segment_++ = {ByteView{segment_begin_, at}, false};
        segment_begin_ = at;
        return true;
    }

    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] std::byte* copied(std::byte* at, ByteView body) {
        const std::size_t size = body.size();
        if constexpr (Max < kReferenceMin) {
            if (size > Max) [[unlikely]]
                return fail(Fault::too_long, at, size, Max);
        }
        const std::size_t body_size = padded(size);
        if constexpr (Tail != kReserved) {
            if (room(at) < 4 + body_size + Tail) [[unlikely]] {
                at = grow(at, 4 + body_size + Tail);
                if (at == nullptr) return nullptr;
            }
        }
        // First the last word, as zero, for the padding that the body leaves there. If there is no
        // body, that word is the length itself, which is written next.
        store_u32(at + body_size, 0);
        store_u32(at, static_cast<std::uint32_t>(size));
        copy(at + 4, body.data(), size);
        return at + 4 + body_size;
    }

    // Names and handles are short: for them overlapping loads are faster than a call to memcpy.
    [[gnu::always_inline]] static void copy(std::byte* to, const std::byte* from,
                                            std::size_t size) {
        if (size - 8 <= 24) {  // 8 … 32
            std::uint64_t head, tail;
            std::memcpy(&head, from, 8);
            std::memcpy(&tail, from + size - 8, 8);
            if (size > 16) {
                std::uint64_t second, third;
                std::memcpy(&second, from + 8, 8);
                std::memcpy(&third, from + size - 16, 8);
                std::memcpy(to + 8, &second, 8);
                std::memcpy(to + size - 16, &third, 8);
            }
            std::memcpy(to, &head, 8);
            std::memcpy(to + size - 8, &tail, 8);
        } else if (size - 4 < 4) {  // 4 … 7
            std::uint32_t head, tail;
            std::memcpy(&head, from, 4);
            std::memcpy(&tail, from + size - 4, 4);
            std::memcpy(to, &head, 4);
            std::memcpy(to + size - 4, &tail, 4);
        } else if (size != 0) {
            std::memcpy(to, from, size);
        }
    }

    std::byte* at_;
    std::byte* end_;
    std::byte* segment_begin_;  // of the segment being written
    std::byte* buffer_begin_;   // of the buffer it is written in
    Arena* arena_;
    // Uninitialised storage: header, payload and tail take three, most messages take one.
    static constexpr std::size_t kFirstSegments = 4;
    alignas(Segment) std::array<std::byte, kFirstSegments * sizeof(Segment)> first_segments_;
    Segment* segments_ = reinterpret_cast<Segment*>(first_segments_.data());
    Segment* segment_ = segments_;  // the next to be filled
    Segment* segments_end_ = segments_ + kFirstSegments;
    std::uint32_t depth_ = 0;
    bool bulk_apart_ = false;
    DecodeError error_;
};

}  // namespace helio::xdr
