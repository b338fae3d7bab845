// A simulation's decisions and its record. Dice gives the same numbers for a seed on every machine.
// Trace hashes every event, so that two runs of a seed can be compared, and prints them on request.
// Nothing that differs between two runs may go into either: no pointers, descriptors, file handles
// or times of the real clock.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "helio/base/clock.h"
#include "helio/base/random.h"

namespace helio::simulation {

// A seed shows a mistake, of the server or of the simulation.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Dice final {
 public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    std::uint64_t word() { return random_.next(); }
    std::size_t below(std::size_t count) { return word() % count; }
    std::size_t between(std::size_t least, std::size_t most) {
        return least + below(most - least + 1);
    }
    bool one_in(unsigned count) { return count != 0 && below(count) == 0; }  // 0: never
    template <class T, std::size_t size>
    const T& pick(const T (&from)[size]) {
        return from[below(size)];
    }
    // Independent of this one from now on.
    Dice split() { return Dice{word()}; }

 private:
    Random random_;
};

class Trace final {
 public:
    explicit Trace(bool prints) : prints_(prints) {}

    // `what` and its numbers and words.
    template <class... Words>
    void add(std::string_view what, const Words&... words) {
        ++events_;
        if (prints_) begin_line();
        put(what);
        (put(words), ...);
        if (prints_) std::fputc('\n', stdout);
    }
    std::uint64_t hash() const { return hash_; }
    std::uint64_t events() const { return events_; }

 private:
    void begin_line() const {
        const std::chrono::duration<double> now = Clock::now().time_since_epoch();
        std::fprintf(stdout, "%10.3f ", now.count());
    }
    void put(std::string_view word) {
        for (const char one : word) mix(static_cast<unsigned char>(one));
        mix(0x100);
        if (prints_) std::fprintf(stdout, " %.*s", static_cast<int>(word.size()), word.data());
    }
    template <std::integral Number>
    void put(Number number) {
        mix(static_cast<std::uint64_t>(number));
        if (prints_) std::fprintf(stdout, " %lld", static_cast<long long>(number));
    }
    // FNV-1a, a word at a time.
    void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3; }

    const bool prints_;
    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::uint64_t events_ = 0;
};

}  // namespace helio::simulation
