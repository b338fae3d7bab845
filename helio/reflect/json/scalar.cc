#include "helio/reflect/json/scalar_internal.h"

#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include "helio/base/assert.h"
#include "helio/base/text/byte_text.h"
#include "helio/reflect/json/mapping_internal.h"

namespace helio::reflect {
namespace {

using idl::Kind;

bool less(Integer a, Integer b) {
    if (a.negative != b.negative) return a.negative && (a.magnitude != 0 || b.magnitude != 0);
    return a.negative ? a.magnitude > b.magnitude : a.magnitude < b.magnitude;
}

bool drop_prefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

int base64_digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

template <class Real>
Real canonical_nan() {
    if constexpr (sizeof(Real) == 4) return std::bit_cast<float>(kFloatNan);
    if constexpr (sizeof(Real) == 8) return std::bit_cast<double>(kDoubleNan);
}

}  // namespace

bool Integer::is_within(Integer low, Integer high) const {
    return !less(*this, low) && !less(high, *this);
}

std::optional<Integer> integer_from(std::string_view text) {
    Integer out;
    out.negative = drop_prefix(text, "-");
    const int base = drop_prefix(text, "0x") || drop_prefix(text, "0X") ? 16 : 10;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), out.magnitude, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
    return out;
}

const IntegerRange& range_of(Kind kind) {
    static constexpr IntegerRange kInt{
        {true, 1u << 31}, {false, (1u << 31) - 1}, "a whole number from -2147483648 to 2147483647"};
    static constexpr IntegerRange kUnsigned{
        {}, {false, 0xffffffff}, "a whole number from 0 to 4294967295"};
    static constexpr IntegerRange kHyper{{true, std::uint64_t{1} << 63},
                                         {false, (std::uint64_t{1} << 63) - 1},
                                         "a whole number from -2^63 to 2^63-1"};
    static constexpr IntegerRange kUnsignedHyper{
        {}, {false, ~std::uint64_t{0}}, "a whole number from 0 to 2^64-1"};
    static constexpr IntegerRange kChar{
        {true, 128}, {false, 127}, "a whole number from -128 to 127"};
    static constexpr IntegerRange kUnsignedChar{{}, {false, 255}, "a whole number from 0 to 255"};
    static constexpr IntegerRange kShort{
        {true, 32768}, {false, 32767}, "a whole number from -32768 to 32767"};
    static constexpr IntegerRange kUnsignedShort{
        {}, {false, 65535}, "a whole number from 0 to 65535"};
    switch (kind) {
        case Kind::int_:
        case Kind::enumeration:
            return kInt;
        case Kind::unsigned_int:
            return kUnsigned;
        case Kind::hyper:
            return kHyper;
        case Kind::unsigned_hyper:
            return kUnsignedHyper;
        case Kind::character:
            return kChar;
        case Kind::unsigned_character:
            return kUnsignedChar;
        case Kind::short_:
            return kShort;
        case Kind::unsigned_short:
            return kUnsignedShort;
        default:
            HELIO_ASSERT(false && "an integer kind");
            return kInt;
    }
}

template <class Real>
std::optional<Real> real_from(std::string_view text) {
    using Limits = std::numeric_limits<Real>;
    if (text == "nan") return canonical_nan<Real>();
    if (text == "inf") return Limits::infinity();
    if (text == "-inf") return -Limits::infinity();
    // from_chars would also accept "NaN(1)" and "Infinity"; the mapping has one spelling for each.
    if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos)
        return {};
    Real value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}
template std::optional<float> real_from<float>(std::string_view);
template std::optional<double> real_from<double>(std::string_view);

std::optional<std::string> bytes_from_hex(std::string_view text) {
    if (!drop_prefix(text, "0x")) drop_prefix(text, "0X");
    if (text.size() % 2 != 0) return {};
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        if (high < 0 || low < 0) return {};
        out += static_cast<char>(high << 4 | low);
    }
    return out;
}

std::optional<std::string> bytes_from_base64(std::string_view text) {
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    if (text.size() % 4 == 1) return {};
    std::string out;
    out.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t group = 0;
    int bits = 0;
    for (const char c : text) {
        const int digit = base64_digit(c);
        if (digit < 0) return {};
        group = (group << 6 | static_cast<std::uint32_t>(digit)) & 0xffff;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        out += static_cast<char>(group >> bits & 0xff);
    }
    if ((group & ((1u << bits) - 1)) != 0) return {};  // no encoder sets these bits: some are lost
    return out;
}

}  // namespace helio::reflect
