#include <fmt/format.h>

#include <limits>

#include "helio/base/text/byte_text.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl {
namespace {

std::string_view without_suffix(std::string_view digits) {
    constexpr std::size_t kLongestSuffix = 3;  // ULL
    std::size_t end = digits.find_last_not_of("uUlL");
    end = end == std::string_view::npos ? 0 : end + 1;
    return digits.size() - end <= kLongestSuffix ? digits.substr(0, end) : digits;
}

}  // namespace

Number read_number(std::string_view digits) {
    unsigned base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        base = 16;
        digits.remove_prefix(2);
    } else if (digits.starts_with('0')) {
        base = 8;
    }
    digits = without_suffix(digits);
    if (digits.empty()) return {NumberFault::malformed, 0};

    Number number;
    for (const char c : digits) {
        const int value = hex_digit(c);
        if (value < 0 || value >= static_cast<int>(base)) return {NumberFault::malformed, 0};
        const auto digit = static_cast<unsigned>(value);
        constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
        if (number.magnitude > (kMax - digit) / base) {
            number.fault = NumberFault::too_large;  // continue: "99…9z" is reported as malformed
            number.magnitude = 0;
        }
        number.magnitude = number.magnitude * base + digit;
    }
    return number;
}

std::optional<Integer> Integer::make(bool negative, std::uint64_t magnitude) {
    constexpr std::uint64_t kLargestNegative = std::uint64_t{1} << 63;
    if (negative && magnitude > kLargestNegative) return std::nullopt;
    return Integer{negative && magnitude != 0, magnitude};
}

std::optional<std::int32_t> Integer::as_int32() const {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int32_t>::max();
    if (magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
    const auto value = static_cast<std::int64_t>(magnitude);
    return static_cast<std::int32_t>(negative ? -value : value);
}

std::optional<std::uint32_t> Integer::as_uint32() const {
    if (negative || magnitude > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(magnitude);
}

std::optional<Integer> Integer::plus_one() const {
    if (negative) return make(true, magnitude - 1);
    if (magnitude == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
    return Integer{false, magnitude + 1};
}

std::string Integer::text() const { return fmt::format("{}{}", negative ? "-" : "", magnitude); }

}  // namespace helio::idl
