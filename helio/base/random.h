// Random: the SplitMix64 generator (Steele, Lea, Flood 2014). It is small and good enough for tests
// and load generators. Unlike with the distributions of the standard library, a seed gives the same
// numbers everywhere. Not for secrets.
#pragma once

#include <cstdint>
#include <iterator>

#include "helio/base/hash.h"

namespace helio {

class Random final {
 public:
    explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() { return mixed(state_ += kGoldenRatio); }
    // Less than `limit`, which is not 0.
    constexpr std::uint64_t below(std::uint64_t limit) { return next() % limit; }
    // Uniform from 0 to `last`, both included, to within what 64 bits allow.
    constexpr std::uint64_t up_to(std::uint64_t last) {
        if (last == UINT64_MAX) return next();
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * (last + 1) >>
                                          64);
    }
    // Always false if `chances` is 0.
    constexpr bool one_in(std::uint64_t chances) { return chances != 0 && below(chances) == 0; }
    template <class Items>
    constexpr const auto& pick(const Items& items) {
        return items[below(std::size(items))];
    }

 private:
    std::uint64_t state_;
};

}  // namespace helio
