// Parses numbers as written in RFC 4506 §6.2 and in C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace helio::idl {

enum class NumberFault : std::uint8_t { none, malformed, too_large };

struct Number {
    NumberFault fault = NumberFault::none;
    std::uint64_t magnitude = 0;
};

// Decimal, 0x hexadecimal, 0 octal. C's suffixes (10u, 5UL) are accepted, since rpcgen passes
// numbers to the C compiler unread. No sign.
Number read_number(std::string_view digits);

// An integer between -2^63 and 2^64-1: every possible value of a constant.
struct Integer {
    bool negative = false;
    std::uint64_t magnitude = 0;

    static std::optional<Integer> make(bool negative, std::uint64_t magnitude);
    std::optional<std::int32_t> as_int32() const;
    std::optional<std::uint32_t> as_uint32() const;
    std::optional<Integer> plus_one() const;  // nullopt past 2^64-1
    std::string text() const;

    bool operator==(const Integer&) const = default;
};

}  // namespace helio::idl
