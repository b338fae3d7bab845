// Reader: decodes values from a peer's bytes. Decoded strings and opaque data are views into those
// bytes; arrays and lists live in the Arena; both must outlive the values. No input can throw,
// abort, or choose the size of an allocation: counts are checked against the bytes present before
// memory is allocated.
//
//     xdr::Reader in{bytes, arena};
//     nfs3::READ3args args;
//     if (!decode_READ3args(in, args) || !in.finish()) return in.error();
//
// The lower half is for generated code. It works with a plain pointer and the *certain run*: a
// decode function may assume that the fixed-size words it begins with are present. Code that reads
// a variable length makes one check for its own body and the fixed words that follow it (`Tail`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "helio/base/bytes.h"
#include "helio/base/payload.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/array.h"
#include "helio/xdr/error.h"
#include "helio/xdr/wire.h"

namespace helio::xdr {

inline constexpr std::uint32_t kUnbounded = 0xffffffff;

// Levels of a recursive type (a tree; lists do not count). libtirpc's stack overflows at about
// 100,000; no protocol we know goes deeper than four.
inline constexpr std::uint32_t kDepthMax = 128;

enum class Mode : std::uint8_t {
    lenient,  // padding may be anything and bytes may follow: for servers
    strict,   // padding must be zero and nothing may follow: accepted bytes encode back to
              // themselves
};

class Reader final {
 public:
    Reader(ByteView bytes, Arena& arena, Mode mode = Mode::lenient)
        : at_(bytes.data()),
          end_(bytes.data() + bytes.size()),
          begin_(bytes.data()),
          arena_(&arena),
          strict_(mode == Mode::strict) {}

    bool ok() const { return error_.fault == Fault::none; }
    const DecodeError& error() const { return error_; }

    // Starts the next message with the same arena and mode. Resetting the arena is its owner's
    // decision: the values of several messages may live in it together.
    void restart(ByteView bytes) {
        at_ = begin_ = bytes.data();
        end_ = bytes.data() + bytes.size();
        depth_ = 0;
        pieces_ = {};
        error_.fault = Fault::none;
    }
    // Data that arrived beside the message (RDMA's write chunks). The first field that the schema
    // marks @bulk takes its bytes from the first piece, and so on. An empty piece means that the
    // bytes are in the message after all.
    void take_bulk_from(std::span<const ByteView> pieces) { pieces_ = pieces; }

    // The end of the message: in strict mode nothing may be left.
    [[nodiscard]] bool finish() {
        if (strict_ && at_ != end_) fail(Fault::trailing_bytes, at_, clamp(left(at_)), 0);
        return ok();
    }

    std::size_t consumed() const { return static_cast<std::size_t>(at_ - begin_); }
    ByteView rest() const { return {at_, end_}; }
    Arena& arena() { return *arena_; }
    bool strict() const { return strict_; }

    // ---- For generated code ----

    // Are `lead` bytes present at at()? If not, the fault is set. A Reader that has failed stays
    // failed: it has no bytes left.
    bool ready(std::size_t lead) {
        if (certain(at_, lead)) [[likely]]
            return true;
        truncated(at_, lead);
        return false;
    }
    const std::byte* at() const { return at_; }
    bool end(const std::byte* at) {
        if (at == nullptr) return false;
        at_ = at;
        return true;
    }

    bool certain(const std::byte* at, std::size_t size) const { return left(at) >= size; }

    // For calls to functions that know no Tail: passes on their result if `Tail` bytes follow it.
    template <std::size_t Tail>
    const std::byte* then(const std::byte* at) {
        if constexpr (Tail == 0) return at;
        if (at == nullptr || certain(at, Tail)) return at;
        return truncated(at, Tail);
    }

    // At a length word that is certain: reads the body and makes `Tail` bytes after it certain.
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] const std::byte* opaque(const std::byte* at, ByteView& out) {
        const std::uint32_t size = load_u32(at);
        if constexpr (Max != kUnbounded) {
            if (size > Max) [[unlikely]]
                return fail(Fault::too_long, at, size, Max);
        }
        at += 4;
        const std::uint64_t body = padded64(size);
        if (left(at) < body + Tail) [[unlikely]]
            return truncated(at, body + Tail);
        if (strict_ && size % 4 != 0 && !padding_is_zero(at, size)) [[unlikely]]
            return fail(Fault::bad_padding, at + size, 0, 0);
        out = ByteView{at, size};
        return at + body;
    }

    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] const std::byte* string(const std::byte* at, std::string_view& out) {
        ByteView bytes;
        at = opaque<Max, Tail>(at, bytes);
        out = as_text(bytes);
        return at;
    }

    // The same for fields marked @bulk.
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] const std::byte* bulk(const std::byte* at, ByteView& out) {
        if (!pieces_.empty()) [[unlikely]] {
            const ByteView piece = pieces_.front();
            pieces_ = pieces_.subspan(1);
            if (!piece.empty()) return apart(at, piece, Max, Tail, out);
        }
        return opaque<Max, Tail>(at, out);
    }
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] const std::byte* bulk(const std::byte* at, Payload& out) {
        ByteView bytes;
        at = bulk<Max, Tail>(at, bytes);
        out = bytes;
        return at;
    }
    template <std::uint32_t Max, std::size_t Tail>
    [[gnu::always_inline]] const std::byte* bulk(const std::byte* at, std::string_view& out) {
        ByteView bytes;
        at = bulk<Max, Tail>(at, bytes);
        out = as_text(bytes);
        return at;
    }

    // The padding after `size` bytes of fixed opaque at `at`; the bytes are certain.
    bool padding_ok(const std::byte* at, std::size_t size) {
        if (!strict_ || padding_is_zero(at, size)) return true;
        fail(Fault::bad_padding, at + size, 0, 0);
        return false;
    }

    // At a count word that is certain: reads the count and checks that it is within `Max`, and that
    // at least `ElementMin` bytes per element are present, with `Tail` after them. Returns where
    // the elements begin.
    template <std::uint32_t Max, std::size_t ElementMin, std::size_t Tail>
    const std::byte* count(const std::byte* at, std::uint32_t& out) {
        out = load_u32(at);
        if constexpr (Max != kUnbounded) {
            if (out > Max) [[unlikely]]
                return fail(Fault::too_long, at, out, Max);
        }
        at += 4;
        const std::uint64_t need = std::uint64_t{out} * ElementMin + Tail;
        if (left(at) < need) [[unlikely]]
            return truncated(at, need);
        return at;
    }

    template <class T>
    T* make(const std::byte* at, std::size_t items = 1) {
        T* const out = arena_->make<T>(items);
        if (out == nullptr) [[unlikely]]
            fail(Fault::out_of_memory, at, clamp(items), clamp(arena_->bytes_max() >> 10));
        return out;
    }

    bool enter(const std::byte* at) {
        if (++depth_ <= kDepthMax) return true;
        fail(Fault::too_deep, at, depth_, kDepthMax);
        return false;
    }
    void leave() { --depth_; }

    // Both return nullptr, so that a decode function can `return in.fail(…)`. Only the first fault
    // is kept.
    const std::byte* fail(Fault fault, const std::byte* at, std::uint32_t got,
                          std::uint32_t limit) {
        set_fault(fault, at, got, limit);
        return nullptr;
    }
    const std::byte* truncated(const std::byte* at, std::uint64_t needed) {
        set_truncated(at, needed);
        return nullptr;
    }

 private:
    [[gnu::noinline]] const std::byte* apart(const std::byte* at, ByteView piece, std::uint32_t max,
                                             std::size_t tail, ByteView& out);
    void set_fault(Fault fault, const std::byte* at, std::uint32_t got, std::uint32_t limit);
    void set_truncated(const std::byte* at, std::uint64_t needed);
    std::size_t left(const std::byte* at) const { return static_cast<std::size_t>(end_ - at); }
    static std::uint64_t padded64(std::uint32_t size) {
        return (std::uint64_t{size} + 3) & ~std::uint64_t{3};
    }
    static std::uint32_t clamp(std::uint64_t value) {
        return value > 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(value);
    }
    static bool padding_is_zero(const std::byte* at, std::size_t size);

    const std::byte* at_;
    const std::byte* end_;
    const std::byte* begin_;
    Arena* arena_;
    bool strict_;
    std::uint32_t depth_ = 0;
    std::span<const ByteView> pieces_;
    DecodeError error_;
};

}  // namespace helio::xdr
