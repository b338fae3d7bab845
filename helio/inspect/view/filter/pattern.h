// Pattern: a small regular expression, found anywhere in a text in time proportional to both: every
// way through it is followed at once, so no pattern and no text can make it slow.
//
//     a . [a-z] [^/] ^ $ ( ) | * + ?      and \ before any of them
//
// Bytes, not letters: '.' is one byte.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"

namespace helio::inspect {

inline constexpr std::size_t kPatternSizeMax = 512;  // bytes; what a person types is a tenth of it

struct PatternError {
    std::size_t position = 0;
    std::string problem;
};

class Pattern final {
 public:
    static Result<Pattern, PatternError> make(std::string_view text);

    // Not from two threads at once: the ways are kept in the object.
    bool found_in(std::string_view text) const;

 private:
    friend class PatternMaker;
    enum class Op : std::uint8_t { byte, any, set, begin, end, split, jump, match };
    struct Step {
        Op op = Op::match;
        std::uint8_t byte = 0;
        std::int16_t to = 1;     // steps on; of a jump and the first way of a split
        std::int16_t other = 0;  // the second; of a set, its number
    };
    class Ways {  // steps that are reached, each once
     public:
        void clear(std::size_t steps);
        bool add(std::uint16_t step);  // false: it is in
        const std::vector<std::uint16_t>& all() const { return dense_; }

     private:
        std::vector<std::uint16_t> dense_, sparse_;
    };

    bool follow(Ways& ways, std::uint16_t step, bool at_begin, bool at_end) const;
    bool takes(const Step& step, char c) const;

    std::vector<Step> steps_;
    std::vector<std::bitset<256>> sets_;
    std::string literal_;  // of a pattern that is nothing else
    bool plain_ = false;
    mutable Ways now_, next_;
};

}  // namespace helio::inspect
