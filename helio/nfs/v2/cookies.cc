#include "helio/nfs/v2/cookies.h"

#include <random>

#include "helio/base/hash.h"
#include "helio/base/siphash.h"

namespace helio::nfs::v2 {

std::uint32_t short_cookie(std::uint64_t cookie) {
    if (cookie < 0x8000'0000u) return static_cast<std::uint32_t>(cookie);
    // Mixed, since the lower bits of ext4's hashes carry little information.
    const std::uint64_t mixed = (cookie ^ (cookie >> 32)) * kGoldenRatio;
    return 0x8000'0000u | static_cast<std::uint32_t>(mixed >> 33);
}

Cookies::Cookies() {
    std::random_device random;
    for (std::uint64_t& word : secret_) word = std::uint64_t{random()} << 32 | random();
}

Cookies::Key Cookies::key_of(ByteView directory, std::uint32_t cookie) const {
    return {siphash13(secret_[0], secret_[1], directory), cookie};
}

void Cookies::remember(ByteView directory, std::span<const std::uint64_t> cookies) {
    Key key = key_of(directory, 0);
    const std::lock_guard lock{mutex_};
    for (const std::uint64_t cookie : cookies) {
        key.cookie = short_cookie(cookie);
        if (is_itself(key.cookie) || !known_.insert_or_assign(key, cookie).second) continue;
        order_.push_back(key);
        if (order_.size() <= kCookiesRememberedMax) continue;
        known_.erase(order_.front());
        order_.pop_front();
    }
}

std::optional<std::uint64_t> Cookies::find(ByteView directory, std::uint32_t cookie) const {
    if (is_itself(cookie)) return cookie;
    const std::lock_guard lock{mutex_};
    const auto found = known_.find(key_of(directory, cookie));
    if (found == known_.end()) return std::nullopt;
    return found->second;
}

}  // namespace helio::nfs::v2
