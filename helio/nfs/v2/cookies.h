// Cookies of version 2 have 32 bits, those of file systems up to 63: ext4 gives hashes. A small one
// is itself; a large one is mixed down, and the last of each reply is remembered, since that is
// where a client goes on. One that is not remembered (after a restart, or when too many listings
// were going on) is found again by listing from the beginning. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "helio/base/bytes.h"

namespace helio::nfs::v2 {

// Replies whose last cookie is remembered: so many listings may go on at once.
inline constexpr std::size_t kCookiesRememberedMax = 4096;

// Never 0, which is the beginning; up to 2^31-1 it is the cookie itself.
std::uint32_t short_cookie(std::uint64_t cookie);
inline bool is_itself(std::uint32_t cookie) { return cookie < 0x8000'0000u; }

class Cookies final {
 public:
    Cookies();
    void remember(ByteView directory, std::uint64_t cookie);
    std::optional<std::uint64_t> find(ByteView directory, std::uint32_t cookie) const;

 private:
    struct Key {
        std::uint64_t directory;
        std::uint32_t cookie;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const { return key.directory ^ key.cookie; }
    };
    Key key_of(ByteView directory, std::uint32_t cookie) const;

    std::uint64_t secret_[2];
    mutable std::mutex mutex_;
    std::unordered_map<Key, std::uint64_t, Hash> known_;
    std::deque<Key> order_;  // of known_, the oldest first
};

}  // namespace helio::nfs::v2
