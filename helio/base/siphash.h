// SipHash (Aumasson and Bernstein, 2012): 64 bits from bytes and a secret key, such that who does
// not know the key can neither guess the hash of bytes nor find bytes that share one. SipHash-1-3
// is for tables, SipHash-2-4 for seals.
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

template <int Rounds, int LastRounds>
std::uint64_t hash(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    State state{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d, key0 ^ 0x6c7967656e657261,
                key1 ^ 0x7465646279746573};
    const auto absorb = [&state](std::uint64_t word) {
        state.d ^= word;
        for (int i = 0; i < Rounds; ++i) state.round();
        state.a ^= word;
    };
    const std::size_t whole = bytes.size() & ~std::size_t{7};
    for (std::size_t at = 0; at < whole; at += 8) absorb(load(bytes.data() + at, 8));
    absorb(load(bytes.data() + whole, bytes.size() - whole) | std::uint64_t{bytes.size()} << 56);
    state.c ^= 0xff;
    for (int i = 0; i < LastRounds; ++i) state.round();
    return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace siphash_detail

inline std::uint64_t siphash13(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    return siphash_detail::hash<1, 3>(key0, key1, bytes);
}
inline std::uint64_t siphash24(std::uint64_t key0, std::uint64_t key1, ByteView bytes) {
    return siphash_detail::hash<2, 4>(key0, key1, bytes);
}

}  // namespace helio
