// Bit mixing for hash tables whose keys nobody outside can choose. If a peer chooses the keys, use
// base/siphash.h with a secret.
#pragma once

#include <cstdint>

namespace helio {

// 2^64 divided by the golden ratio. Multiplying by it spreads neighboring numbers over the upper
// bits (Knuth, "Fibonacci hashing").
inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

// Every bit of the input changes half of the bits of the output: the finalizer of SplitMix64.
constexpr std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
}

// The product with kGoldenRatio, with its upper half folded into the lower: one multiplication, for
// tables that index by the lower bits.
constexpr std::uint64_t folded_product(std::uint64_t word) {
    word *= kGoldenRatio;
    return word ^ (word >> 32);
}

}  // namespace helio
