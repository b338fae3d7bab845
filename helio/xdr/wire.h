// Words on the wire (RFC 4506 §3 and §4): big-endian, four bytes or eight. No checks here; the
// caller has made sure that the bytes are there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace helio::xdr {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

inline std::uint32_t big_endian(std::uint32_t value) {
    return std::endian::native == std::endian::little ? __builtin_bswap32(value) : value;
}
inline std::uint64_t big_endian(std::uint64_t value) {
    return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

inline std::uint32_t load_u32(const std::byte* at) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    return big_endian(word);
}
inline std::uint64_t load_u64(const std::byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return big_endian(word);
}
inline std::int32_t load_i32(const std::byte* at) {
    return static_cast<std::int32_t>(load_u32(at));
}
inline std::int64_t load_i64(const std::byte* at) {
    return static_cast<std::int64_t>(load_u64(at));
}
inline float load_float(const std::byte* at) { return std::bit_cast<float>(load_u32(at)); }
inline double load_double(const std::byte* at) { return std::bit_cast<double>(load_u64(at)); }

inline void store_u32(std::byte* at, std::uint32_t value) {
    value = big_endian(value);
    std::memcpy(at, &value, sizeof value);
}
inline void store_u64(std::byte* at, std::uint64_t value) {
    value = big_endian(value);
    std::memcpy(at, &value, sizeof value);
}
inline void store_i32(std::byte* at, std::int32_t value) {
    store_u32(at, static_cast<std::uint32_t>(value));
}
inline void store_i64(std::byte* at, std::int64_t value) {
    store_u64(at, static_cast<std::uint64_t>(value));
}
inline void store_float(std::byte* at, float value) {
    store_u32(at, std::bit_cast<std::uint32_t>(value));
}
inline void store_double(std::byte* at, double value) {
    store_u64(at, std::bit_cast<std::uint64_t>(value));
}

// Copies runs of four-byte words, four at a time: swapping eight bytes and rotating them by half
// gives two swapped words.
inline void load_words(void* to, const std::byte* from, std::size_t count) {
    const auto two_words = [](std::byte* out, const std::byte* in) {
        std::uint64_t pair;
        std::memcpy(&pair, in, sizeof pair);
        if constexpr (std::endian::native == std::endian::little)
            pair = std::rotl(__builtin_bswap64(pair), 32);
        std::memcpy(out, &pair, sizeof pair);
    };
    auto* out = static_cast<std::byte*>(to);
    for (const std::byte* const end = from + count / 4 * 16; from != end; from += 16, out += 16) {
        two_words(out, from);
        two_words(out + 8, from + 8);
    }
    if (count & 2) {
        two_words(out, from);
        from += 8;
        out += 8;
    }
    if (count & 1) {
        const std::uint32_t word = load_u32(from);
        std::memcpy(out, &word, sizeof word);
    }
}
inline void store_words(std::byte* to, const void* from, std::size_t count) {
    load_words(to, static_cast<const std::byte*>(from), count);  // the swap is its own inverse
}

}  // namespace helio::xdr
