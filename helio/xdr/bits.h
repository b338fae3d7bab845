// Bits<N>: a set of numbers below N, such as the values of a @sparse struct that a bitmap selects
// (docs/schema-language.md). Its words are those of a bitmap on the wire, `unsigned int x<>`
// (RFC 8881 §3.2, bitmap4): bit n is bit n % 32 of word n / 32. Further down is what the generated
// codecs of such structs share.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/xdr/array.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::xdr {

template <std::uint32_t N>
class Bits final {
 public:
    static constexpr std::size_t kWords = (std::size_t{N} + 31) / 32;
    static constexpr std::uint32_t kNone = UINT32_MAX;

    constexpr Bits() = default;
    constexpr Bits(std::initializer_list<std::uint32_t> bits) {
        for (const std::uint32_t bit : bits) set(bit);
    }

    constexpr bool test(std::uint32_t bit) const {
        return bit < N && (words_[bit / 32] >> bit % 32 & 1) != 0;
    }
    constexpr void set(std::uint32_t bit) {
        HELIO_ASSERT(bit < N);
        words_[bit / 32] |= 1u << bit % 32;
    }
    constexpr void reset(std::uint32_t bit) {
        if (bit < N) words_[bit / 32] &= ~(1u << bit % 32);
    }
    constexpr void clear() { words_ = {}; }
    constexpr bool empty() const { return *this == Bits{}; }
    constexpr std::size_t count() const {
        std::size_t sum = 0;
        for (const std::uint32_t word : words_)
            sum += static_cast<std::size_t>(std::popcount(word));
        return sum;
    }

    constexpr Bits& operator&=(const Bits& other) {
        for (std::size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
        return *this;
    }
    constexpr Bits& operator|=(const Bits& other) {
        for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
        return *this;
    }
    constexpr Bits& operator-=(const Bits& other) {
        for (std::size_t i = 0; i < kWords; ++i) words_[i] &= ~other.words_[i];
        return *this;
    }
    friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
    friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
    friend constexpr Bits operator-(Bits a, const Bits& b) { return a -= b; }
    friend constexpr bool operator==(const Bits&, const Bits&) = default;

    // As a bitmap for the wire, without zero words at its end; a view of this.
    Array<std::uint32_t> words() const {
        std::size_t count = kWords;
        while (count > 0 && words_[count - 1] == 0) --count;
        return {words_.data(), count};
    }
    // Takes those bits of a bitmap that are in `known`. Returns the first that is not, or kNone.
    std::uint32_t take(Array<std::uint32_t> bitmap, const Bits& known) {
        std::uint32_t unknown = kNone;
        clear();
        for (std::size_t i = 0; i < bitmap.size(); ++i) {
            const std::uint32_t allowed = i < kWords ? known.words_[i] : 0;
            if (i < kWords) words_[i] = bitmap[i] & allowed;
            if ((bitmap[i] & ~allowed) == 0 || unknown != kNone) continue;
            const auto first = static_cast<std::uint32_t>(std::countr_zero(bitmap[i] & ~allowed));
            unknown = static_cast<std::uint32_t>(i * 32) + first;
        }
        return unknown;
    }
    // The bits of a bitmap below N, known or not; others are dropped.
    static Bits of(Array<std::uint32_t> bitmap) {
        Bits out;
        for (std::size_t i = 0; i < kWords && i < bitmap.size(); ++i) out.words_[i] = bitmap[i];
        if constexpr (N % 32 != 0) out.words_[kWords - 1] &= (1u << N % 32) - 1;
        return out;
    }

    // for (const std::uint32_t bit : bits): those that are set, in order.
    class Iterator {
     public:
        Iterator(const Bits& bits, std::size_t word) : bits_(&bits), word_(word) {
            if (word_ < kWords) left_ = bits.words_[word_];
            settle();
        }
        std::uint32_t operator*() const {
            return static_cast<std::uint32_t>(word_ * 32) +
                   static_cast<std::uint32_t>(std::countr_zero(left_));
        }
        Iterator& operator++() {
            left_ &= left_ - 1;
            settle();
            return *this;
        }
        bool operator==(const Iterator& other) const {
            return word_ == other.word_ && left_ == other.left_;
        }

     private:
        void settle() {
            while (left_ == 0 && word_ < kWords)
                left_ = ++word_ < kWords ? bits_->words_[word_] : 0;
        }
        const Bits* bits_;
        std::size_t word_;
        std::uint32_t left_ = 0;
    };
    Iterator begin() const { return {*this, 0}; }
    Iterator end() const { return {*this, kWords}; }

 private:
    std::array<std::uint32_t, kWords == 0 ? 1 : kWords> words_{};
};

// ---- For generated code ----

// `Get` reads the value of one bit. Whatever the Reader's mode, the values are all that is there.
template <auto Get, class Sparse>
bool decode_selected(Reader& in, Array<std::uint32_t> mask, Sparse& v) {
    const std::uint32_t unknown = v.present.take(mask, Sparse::kKnown);
    if (unknown != Sparse::Bits::kNone) [[unlikely]]
        return in.fail(Fault::unknown_bit, in.at(), unknown, 0), false;
    const std::byte* at = in.at();
    for (const std::uint32_t bit : v.present) {
        at = Get(at, in, v, bit);
        if (at == nullptr) return false;
    }
    if (at != nullptr) in.end(at);  // a Reader of nothing may have no place
    const std::size_t rest = in.rest().size();
    if (rest != 0) [[unlikely]]
        in.fail(Fault::trailing_bytes, at,
                rest > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(rest), 0);
    return rest == 0;
}

template <auto Put, class Sparse>
bool encode_values(Writer& out, const Sparse& v) {
    if (!out.ready(0)) return false;
    std::byte* at = out.at();
    std::uint32_t first = 0;  // of the word
    for (std::uint32_t left : v.present.words()) {
        for (; left != 0; left &= left - 1) {
            at = Put(at, out, v, first + static_cast<std::uint32_t>(std::countr_zero(left)));
            if (at == nullptr) return false;
        }
        first += 32;
    }
    return out.end(at);
}

// As opaque data: its length, then the values.
template <auto Put, class Sparse>
bool encode_selected(Writer& out, const Sparse& v) {
    const auto body = out.open_body();
    return encode_values<Put>(out, v) && out.close_body(body, kUnbounded);
}

// The values alone, in memory of the arena.
template <auto Put, class Sparse>
bool pack_selected(Arena& arena, const Sparse& v, ByteView& values) {
    Writer out{arena};
    if (!encode_values<Put>(out, v)) return false;
    const auto segments = out.segments();
    if (segments.size() <= 1) {
        values = segments.empty() ? ByteView{} : segments.front().bytes();
        return out.ok();
    }
    auto* const joined = arena.make<std::byte>(out.size());
    if (joined == nullptr) return false;
    std::byte* to = joined;
    for (const Segment& one : segments) {
        if (one.data.is_file()) return false;
        std::memcpy(to, one.bytes().data(), one.size());
        to += one.size();
    }
    values = {joined, to};
    return true;
}

}  // namespace helio::xdr
