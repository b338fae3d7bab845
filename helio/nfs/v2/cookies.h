// Cookies of version 2 have 32 bits, those of file systems up to 63, since ext4 uses hashes. A
// small cookie stays as it is; a large one is hashed. The cookies of each reply are remembered: a
// client continues after the last or, if it has forgotten some entries and others were removed
// meanwhile, after any of them. A cookie that is not remembered (after a restart, or because of too
// many concurrent listings) is found again by listing from the beginning, as long as its entry
// exists. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

#include "helio/base/bytes.h"

namespace helio::nfs::v2 {

// Entries whose cookies are remembered: those of some 300 replies of 8 KiB, in about 6 MB.
inline constexpr std::size_t kCookiesRememberedMax = 65'536;

// Never 0, which means the beginning; up to 2^31-1 it is the cookie itself.
std::uint32_t short_cookie(std::uint64_t cookie);
inline bool is_itself(std::uint32_t cookie) { return cookie < 0x8000'0000u; }

class Cookies final {
 public:
    Cookies();
    void remember(ByteView directory, std::span<const std::uint64_t> cookies);
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
