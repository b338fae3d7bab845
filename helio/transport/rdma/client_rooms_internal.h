// How much of what a ClientLink has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/transport/rdma/limits.h"

namespace helio::transport::rdma {

// One for each answer that may come, and a few for what a server sends unasked: a message that
// finds no receive breaks the link.
inline constexpr std::uint32_t kReceivePlaces = kRdmaCredits + 8;
// Sends are told of in groups, so that some are done long before we know.
inline constexpr std::uint32_t kSignalEvery = 16;
inline constexpr std::uint32_t kSendPlaces = kRdmaCredits + 2 * kSignalEvery;
// Of a reply: what comes before the results, a verifier of 400 bytes (RFC 5531 §8.2) included.
inline constexpr std::size_t kReplyHeadBytes = 24 + 400;
// What a reply chunk has room for besides bulk data: all that is around it.
inline constexpr std::size_t kReplySlack = 4096;

}  // namespace helio::transport::rdma
