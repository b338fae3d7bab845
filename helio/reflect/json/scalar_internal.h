// Numbers and bytes as text in JSON. nullopt: not valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "helio/idl/schema.h"

namespace helio::reflect {

// An integer in the combined range of int64 and uint64.
struct Integer {
    bool negative = false;
    std::uint64_t magnitude = 0;

    bool is_within(Integer low, Integer high) const;
    std::uint64_t two_complement() const { return negative ? 0 - magnitude : magnitude; }
};

// "12", "-12", "0x1f". Not "1.0", not "1e3".
std::optional<Integer> integer_from(std::string_view text);

struct IntegerRange {
    Integer low;
    Integer high;
    std::string_view text;  // "a whole number from 0 to 255"
};
const IntegerRange& range_of(idl::Kind kind);  // an integer kind

// A JSON number, "nan", "inf" or "-inf"; nullopt also if it is out of range for Real.
template <class Real>
std::optional<Real> real_from(std::string_view text);

std::optional<std::string> bytes_from_hex(std::string_view text);     // optional "0x" prefix
std::optional<std::string> bytes_from_base64(std::string_view text);  // padding is optional

}  // namespace helio::reflect
