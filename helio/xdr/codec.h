// The building blocks of generated codecs: scalars, words, arrays, optionals and lists. `get` and
// `put` come in pairs and maintain the certain run (reader.h): on entry the words up to and
// including the first length are present, on return the `Tail` bytes that follow.
//
// A *flat* element has a fixed size and contains no length word; its function checks no bounds and
// returns false for a value that is not allowed. The function of any other element returns where
// the element ended.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <utility>

#include "helio/xdr/array.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

// Generated codecs are composed of small pieces, which must be inlined whatever the compiler's
// heuristics say.
#define XDR_INLINE [[gnu::always_inline]] inline

namespace helio::xdr {

// ---- Scalars ----

XDR_INLINE bool get_bool(const std::byte* at, Reader& in, bool& out) {
    const std::uint32_t word = load_u32(at);
    if (word > 1) [[unlikely]]
        return in.fail(Fault::bad_bool, at, word, 1), false;
    out = word != 0;
    return true;
}

// char and short, signed or not: four bytes on the wire, fewer in memory.
template <class Small>
bool get_small(const std::byte* at, Reader& in, Small& out) {
    using Word = std::conditional_t<std::is_signed_v<Small>, std::int32_t, std::uint32_t>;
    const auto word = static_cast<Word>(load_u32(at));
    out = static_cast<Small>(word);
    if (out == word) [[likely]]
        return true;
    in.fail(Fault::out_of_range, at, static_cast<std::uint32_t>(word), 0);
    return false;
}

struct GetScalar {
    bool operator()(const std::byte* at, Reader&, std::int32_t& out) const {
        return out = load_i32(at), true;
    }
    bool operator()(const std::byte* at, Reader&, std::uint32_t& out) const {
        return out = load_u32(at), true;
    }
    bool operator()(const std::byte* at, Reader&, std::int64_t& out) const {
        return out = load_i64(at), true;
    }
    bool operator()(const std::byte* at, Reader&, std::uint64_t& out) const {
        return out = load_u64(at), true;
    }
    bool operator()(const std::byte* at, Reader&, float& out) const {
        return out = load_float(at), true;
    }
    bool operator()(const std::byte* at, Reader&, double& out) const {
        return out = load_double(at), true;
    }
    bool operator()(const std::byte* at, Reader& in, bool& out) const {
        return get_bool(at, in, out);
    }
    bool operator()(const std::byte* at, Reader& in, std::int8_t& out) const {
        return get_small(at, in, out);
    }
    bool operator()(const std::byte* at, Reader& in, std::uint8_t& out) const {
        return get_small(at, in, out);
    }
    bool operator()(const std::byte* at, Reader& in, std::int16_t& out) const {
        return get_small(at, in, out);
    }
    bool operator()(const std::byte* at, Reader& in, std::uint16_t& out) const {
        return get_small(at, in, out);
    }
    template <std::size_t N>  // quadruple
    bool operator()(const std::byte* at, Reader&, std::array<std::byte, N>& out) const {
        std::memcpy(out.data(), at, N);
        return true;
    }
};
inline constexpr GetScalar get_scalar;

struct PutScalar {
    bool operator()(std::byte* at, Writer&, std::int64_t value) const {
        return store_i64(at, value), true;
    }
    bool operator()(std::byte* at, Writer&, std::uint64_t value) const {
        return store_u64(at, value), true;
    }
    bool operator()(std::byte* at, Writer&, float value) const {
        return store_float(at, value), true;
    }
    bool operator()(std::byte* at, Writer&, double value) const {
        return store_double(at, value), true;
    }
    template <class Word>  // bool, and integers of up to four bytes
    requires(std::integral<Word> && sizeof(Word) <= 4) bool operator()(std::byte* at, Writer&,
                                                                       Word value) const {
        return store_u32(at, static_cast<std::uint32_t>(value)), true;
    }
    template <std::size_t N>
    bool operator()(std::byte* at, Writer&, const std::array<std::byte, N>& value) const {
        std::memcpy(at, value.data(), N);
        return true;
    }
};
inline constexpr PutScalar put_scalar;

// Two words that are adjacent on the wire and in `whole`: one load, one swap, one store.
template <class T, class First>
void get_pair(const std::byte* at, T& whole, First& first) {
    std::uint64_t pair = load_u64(at);
    if constexpr (std::endian::native == std::endian::little) pair = std::rotl(pair, 32);
    auto* const base = reinterpret_cast<std::byte*>(&whole);
    std::memcpy(base + (reinterpret_cast<std::byte*>(&first) - base), &pair, sizeof pair);
}
template <class T, class First>
void put_pair(std::byte* at, const T& whole, const First& first) {
    const auto* const base = reinterpret_cast<const std::byte*>(&whole);
    std::uint64_t pair;
    std::memcpy(&pair, base + (reinterpret_cast<const std::byte*>(&first) - base), sizeof pair);
    if constexpr (std::endian::native == std::endian::little) pair = std::rotl(pair, 32);
    store_u64(at, pair);
}

// ---- Fixed opaque ----

// Small ones are kept by value; large ones are views, and their size is checked when they are
// written.
template <std::size_t N>
bool get_bytes(const std::byte* at, Reader& in, std::array<std::byte, N>& out, std::size_t) {
    std::memcpy(out.data(), at, N);
    return N % 4 == 0 || in.padding_ok(at, N);
}
inline bool get_bytes(const std::byte* at, Reader& in, ByteView& out, std::size_t size) {
    out = {at, size};
    return size % 4 == 0 || in.padding_ok(at, size);
}
inline bool put_bytes(std::byte* at, Writer& out, ByteView value, std::size_t size) {
    if (value.size() != size) [[unlikely]]
        return out.fail(Fault::too_long, at, value.size(), size), false;
    if (size % 4 != 0) store_u32(at + size / 4 * 4, 0);
    std::memcpy(at, value.data(), size);
    return true;
}

// ---- Variable arrays ----

// int, unsigned int, float: any word is a value.
template <std::uint32_t Max, std::size_t Tail, class Word>
const std::byte* get_words(const std::byte* at, Reader& in, Array<Word>& out) {
    static_assert(sizeof(Word) == 4);
    std::uint32_t count;
    at = in.count<Max, 4, Tail>(at, count);
    if (at == nullptr) return nullptr;
    auto* const items = in.make<Word>(at, count);
    if (items == nullptr) return nullptr;
    load_words(items, at, count);
    out = {items, count};
    return at + std::size_t{count} * 4;
}
template <std::uint32_t Max, std::size_t Tail, class Word>
std::byte* put_words(std::byte* at, Writer& out, const Array<Word>& items) {
    at = out.count<Max, Tail>(at, items.size(), 4);
    if (at == nullptr) return nullptr;
    store_words(at, items.data(), items.size());
    return at + items.size() * 4;
}

template <std::uint32_t Max, std::size_t Size, std::size_t Tail, auto Get, class T>
const std::byte* get_flat_array(const std::byte* at, Reader& in, Array<T>& out) {
    std::uint32_t count;
    at = in.count<Max, Size, Tail>(at, count);
    if (at == nullptr) return nullptr;
    auto* const items = in.make<T>(at, count);
    if (items == nullptr) return nullptr;
    for (std::uint32_t i = 0; i < count; ++i, at += Size)
        if (!Get(at, in, items[i])) return nullptr;
    out = {items, count};
    return at;
}
template <std::uint32_t Max, std::size_t Size, std::size_t Tail, auto Put, class T>
std::byte* put_flat_array(std::byte* at, Writer& out, const Array<T>& items) {
    at = out.count<Max, Tail>(at, items.size(), Size);
    if (at == nullptr) return nullptr;
    for (const T& item : items) {
        if (!Put(at, out, item)) return nullptr;
        at += Size;
    }
    return at;
}

template <std::uint32_t Max, std::size_t Min, std::size_t Lead, std::size_t Tail, auto Get, class T>
const std::byte* get_array(const std::byte* at, Reader& in, Array<T>& out) {
    std::uint32_t count;
    at = in.count<Max, Min, 0>(at, count);
    if (at == nullptr) return nullptr;
    auto* const items = in.make<T>(at, count);
    if (items == nullptr) return nullptr;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!in.certain(at, Lead)) [[unlikely]]
            return in.truncated(at, Lead);
        at = Get(at, in, items[i]);
        if (at == nullptr) return nullptr;
    }
    out = {items, count};
    return in.then<Tail>(at);
}
template <std::uint32_t Max, std::size_t, std::size_t Lead, std::size_t Tail, auto Put, class T>
std::byte* put_array(std::byte* at, Writer& out, const Array<T>& items) {
    at = out.count < Max, Tail == kReserved ? kReserved : 0 > (at, items.size(), 0);
    if (at == nullptr) return nullptr;
    for (const T& item : items) {
        at = out.then < Tail == kReserved ? kReserved : Lead > (at);
        if (at == nullptr) return nullptr;
        at = Put(at, out, item);
        if (at == nullptr) return nullptr;
    }
    return out.then<Tail>(at);
}

// ---- Fixed arrays ----

// Like opaque: std::array when small, else a view of storage from the arena.
template <class T, std::size_t N>
T* storage_for(const std::byte*, Reader&, std::array<T, N>& out, std::size_t) {
    return out.data();
}
template <class T>
T* storage_for(const std::byte* at, Reader& in, Array<T>& out, std::size_t count) {
    auto* const items = in.make<T>(at, count);
    out = {items, count};
    return items;
}

// All bytes are known to be present.
template <std::size_t Size, auto Get, class Items>
bool get_flat_run(const std::byte* at, Reader& in, Items& out, std::size_t count) {
    auto* const items = storage_for(at, in, out, count);
    if (items == nullptr) return false;
    for (std::size_t i = 0; i < count; ++i, at += Size)
        if (!Get(at, in, items[i])) return false;
    return true;
}
template <std::size_t Size, auto Put, class Items>
bool put_flat_run(std::byte* at, Writer& out, const Items& items, std::size_t count) {
    if (items.size() != count) return out.fail(Fault::too_long, at, items.size(), count), false;
    for (const auto& item : items) {
        if (!Put(at, out, item)) return false;
        at += Size;
    }
    return true;
}

// Nothing is known to be present: elements have lengths of their own.
template <std::size_t Min, std::size_t Lead, std::size_t Tail, auto Get, class Items>
const std::byte* get_run(const std::byte* at, Reader& in, Items& out, std::size_t count) {
    if (!in.certain(at, count * Min)) [[unlikely]]
        return in.truncated(at, count * Min);
    auto* const items = storage_for(at, in, out, count);
    if (items == nullptr) return nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        if (!in.certain(at, Lead)) [[unlikely]]
            return in.truncated(at, Lead);
        at = Get(at, in, items[i]);
        if (at == nullptr) return nullptr;
    }
    return in.then<Tail>(at);
}
template <std::size_t, std::size_t Lead, std::size_t Tail, auto Put, class Items>
std::byte* put_run(std::byte* at, Writer& out, const Items& items, std::size_t count) {
    if (items.size() != count) return out.fail(Fault::too_long, at, items.size(), count);
    for (const auto& item : items) {
        at = out.then < Tail == kReserved ? kReserved : Lead > (at);
        if (at == nullptr) return nullptr;
        at = Put(at, out, item);
        if (at == nullptr) return nullptr;
    }
    return out.then<Tail>(at);
}

// ---- Optionals and lists ----

template <std::size_t Size, std::size_t Tail, auto Get, class T>
const std::byte* get_flat_optional(const std::byte* at, Reader& in, const T*& out) {
    bool present;
    if (!get_bool(at, in, present)) return nullptr;
    out = nullptr;
    at += 4;
    if (!present) return in.then<Tail>(at);
    if (!in.certain(at, Size + Tail)) [[unlikely]]
        return in.truncated(at, Size + Tail);
    auto* const item = in.make<T>(at);
    if (item == nullptr || !Get(at, in, *item)) return nullptr;
    out = item;
    return at + Size;
}
template <std::size_t Size, std::size_t Tail, auto Put, class T>
std::byte* put_flat_optional(std::byte* at, Writer& out, const T* item) {
    store_u32(at, item != nullptr);
    at += 4;
    if (item == nullptr) return out.then<Tail>(at);
    if constexpr (Tail != kReserved) at = out.certain(at, Size + Tail);
    if (at == nullptr || !Put(at, out, *item)) return nullptr;
    return at + Size;
}

template <std::size_t Lead, std::size_t Tail, auto Get, class T>
const std::byte* get_optional(const std::byte* at, Reader& in, const T*& out) {
    bool present;
    if (!get_bool(at, in, present)) return nullptr;
    out = nullptr;
    at += 4;
    if (!present) return in.then<Tail>(at);
    if (!in.certain(at, Lead)) [[unlikely]]
        return in.truncated(at, Lead);
    auto* const item = in.make<T>(at);
    if (item == nullptr) return nullptr;
    at = Get(at, in, *item);
    out = item;
    return in.then<Tail>(at);
}
template <std::size_t Lead, std::size_t Tail, auto Put, class T>
std::byte* put_optional(std::byte* at, Writer& out, const T* item) {
    store_u32(at, item != nullptr);
    at += 4;
    if (item == nullptr) return out.then<Tail>(at);
    at = out.then < Tail == kReserved ? kReserved : Lead > (at);
    return at == nullptr ? nullptr : out.then<Tail>(Put(at, out, *item));
}

// A union that is equivalent to an optional. Storage from the arena is uninitialised, so the
// optional is constructed there; assigning would read the old one's flag.
template <class T>
void make_absent(std::optional<T>& out) {
    new (&out) std::optional<T>;
}
template <class T>
T& make_present(std::optional<T>& out) {
    return **new (&out) std::optional<T>{std::in_place};
}

// A chain of T through `Link`, read in a loop, so that its length is limited by the arena and not
// by the stack. `Get` reads a node without its link and leaves the next presence word certain. The
// whole list counts as one level of depth: nodes may hold lists of their own.
template <std::size_t Lead, auto Link, auto Get, class T>
const std::byte* get_list(const std::byte* at, Reader& in, const T*& head) {
    if (!in.enter(at)) return nullptr;
    const T** slot = &head;
    for (;;) {
        *slot = nullptr;
        bool present;
        if (!get_bool(at, in, present)) return nullptr;
        at += 4;
        if (!present) break;
        if (!in.certain(at, Lead)) [[unlikely]]
            return in.truncated(at, Lead);
        auto* const node = in.make<T>(at);
        if (node == nullptr) return nullptr;
        at = Get(at, in, *node);
        if (at == nullptr) return nullptr;
        *slot = node;
        slot = &(node->*Link);
    }
    in.leave();
    return at;
}
template <std::size_t Lead, auto Link, auto Put, class T>
std::byte* put_list(std::byte* at, Writer& out, const T* node) {
    if (!out.enter(at)) return nullptr;
    for (; node != nullptr; node = node->*Link) {
        store_u32(at, 1);
        at = out.certain(at + 4, Lead);
        if (at == nullptr) return nullptr;
        at = Put(at, out, *node);
        if (at == nullptr) return nullptr;
    }
    out.leave();
    store_u32(at, 0);
    return at + 4;
}

}  // namespace helio::xdr
