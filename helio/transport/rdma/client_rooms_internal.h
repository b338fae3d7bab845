// Sizes of a ClientLink's resources.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/transport/rdma/limits.h"

namespace helio::transport::rdma {

// One for each possible answer, and a few for unsolicited messages: a message without a posted
// receive breaks the link.
inline constexpr std::uint32_t kReceivePlaces = kRdmaCredits + 8;
// Only every nth send is signaled, so some are done long before we know.
inline constexpr std::uint32_t kSignalEvery = 16;
inline constexpr std::uint32_t kSendPlaces = kRdmaCredits + 2 * kSignalEvery;
// The part of a reply before the results, including a verifier of 400 bytes (RFC 5531 §8.2).
inline constexpr std::size_t kReplyHeadBytes = 24 + 400;
// Room in a reply chunk for everything besides bulk data.
inline constexpr std::size_t kReplySlack = 4096;

}  // namespace helio::transport::rdma
