// SipHash (Aumasson and Bernstein, 2012): a 64-bit hash of bytes with a secret key. Without the key
// nobody can predict a hash or construct a collision. SipHash-1-3 is for hash tables, SipHash-2-4
// for authenticating handles.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "helio/base/bytes.h"

namespace helio {

namespace siphash_detail {

struct State {
    std::uint64_t a, b, c, d;

    void round() {
        a += b;
        c += d;
        b = std::rotl(b, 13) ^ a;
        d = std::rotl(d, 16) ^ c;
        a = std::rotl(a, 32);
        c += b;
        a += d;
        b = std::rotl(b, 17) ^ c;
        d = std::rotl(d, 21) ^ a;
        c = std::rotl(c, 32);
    }
};

inline std::uint64_t load(const std::byte* from, std::size_t size) {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
        if (size == 8) {
            std::memcpy(&word, from, 8);
            return word;
        }
    }
    for (std::size_t i = 0; i < size; ++i) word |= static_cast<std::uint64_t>(from[i]) << (8 * i);
    return word;
}

// The remaining zero to seven bytes, padded with zeros. If there are eight bytes before the end,
// one load of those is faster than a loop over single bytes.
inline std::uint64_t load_last(ByteView bytes) {
    const std::size_t size = bytes.size() % 8;
    if (size == 0) return 0;
    const std::byte* const end = bytes.data() + bytes.size();
    return bytes.size() < 8 ? load(end - size, size) : load(end - 8, 8) >> (64 - 8 * size);
}

// Hashes `size` bytes: whole words, which `word_at(i)` returns, and the last word, which holds the
// remaining bytes.
template <int Rounds, int LastRounds, class WordAt>
std::uint64_t hash(std::uint64_t key0, std::uint64_t key1, std::size_t size, const WordAt& word_at,
                   std::uint64_t last) {
    State state{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
                key1 ^ 0x7465646279746573};
    const auto absorb = [&state](std::uint64_t word) {
        state.d ^= word;
        for (int i = 0; i < Rounds; ++i) state.round();
        state.a ^= word;
    };
    for (std::size_t i = 0; i < size / 8; ++i) absorb(word_at(i));
    absorb(last | std::uint64_t{size} << 56);
    state.c ^= 0xff;
    for (int i = 0; i < LastRounds; ++i) state.round();
    return state.a ^ state.b ^ state.c ^ state.d;
}

template <int Rounds, int LastRounds>
std::uint64_t hash(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    return hash<Rounds, LastRounds>(
        key0, key1, bytes.size(), [bytes](std::size_t i) { return load(bytes.data() + 8 * i, 8); },
        load_last(bytes));
}

}  // namespace siphash_detail

// Eight bytes as a little-endian word.
inline std::uint64_t load_little(const std::byte* from) { return siphash_detail::load(from, 8); }

inline std::uint64_t siphash13(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    return siphash_detail::hash<1, 3>(key0, key1, bytes);
}
inline std::uint64_t siphash24(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    return siphash_detail::hash<2, 4>(key0, key1, bytes);
}
// The hash of `size` bytes given as little-endian words, padded with zeros.
inline std::uint64_t siphash24_words(std::uint64_t key0, std::uint64_t key1,
                                     const std::uint64_t* words, std::size_t size) {
    return siphash_detail::hash<2, 4>(
        key0, key1, size, [words](std::size_t i) { return words[i]; },
        size % 8 != 0 ? words[size / 8] : 0);
}

}  // namespace helio
