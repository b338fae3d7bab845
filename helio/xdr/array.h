// Array<T>: a borrowed, read-only run of T, for decoded arrays and for those that callers pass to
// be encoded. Like std::span<const T>, but T may still be incomplete (the children of a tree are an
// array of the tree's own type), and arrays can be compared.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "helio/base/bytes.h"
#include "helio/base/payload.h"

namespace helio::xdr {

template <class T>
class Array final {
 public:
    constexpr Array() = default;
    constexpr Array(const T* items, std::size_t count) : items_(items), count_(count) {}
    template <class Container>
    requires requires(const Container& c) {
        { c.data() } -> std::convertible_to<const T*>;
        { c.size() } -> std::convertible_to<std::size_t>;
    }
    constexpr Array(const Container& container)
        : items_(container.data()), count_(container.size()) {}

    constexpr const T* data() const { return items_; }
    constexpr std::size_t size() const { return count_; }
    constexpr bool empty() const { return count_ == 0; }
    constexpr const T* begin() const { return items_; }
    constexpr const T* end() const { return items_ + count_; }
    constexpr const T& operator[](std::size_t index) const { return items_[index]; }

 private:
    const T* items_ = nullptr;
    std::size_t count_ = 0;
};

// Equality of decoded values: compares what views point to, not their addresses. Floating point
// numbers compare by bits, so that a NaN equals itself after a round trip.
template <class T>
bool same(const T& a, const T& b);

inline bool same(ByteView a, ByteView b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}
inline bool same(const Payload& a, const Payload& b) { return a == b; }
inline bool same(float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
inline bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class Run>
bool same_run(const Run& a, const Run& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same(a[i], b[i])) return false;
    return true;
}
template <class T>
bool same(const Array<T>& a, const Array<T>& b) {
    return same_run(a, b);
}
template <class T, std::size_t N>
bool same(const std::array<T, N>& a, const std::array<T, N>& b) {
    return same_run(a, b);
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
template <class T>
bool same(const T* const& a, const T* const& b) {
    return (a == nullptr) == (b == nullptr) && (a == nullptr || same(*a, *b));
}
template <class T>
bool same(const T& a, const T& b) {
    return a == b;
}

}  // namespace helio::xdr
