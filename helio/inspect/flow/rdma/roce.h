// Roce: RPC-over-RDMA in RoCEv2, datagrams → messages. Queue pairs name only their receiver, so a
// conversation is two addresses; its ends have RoCE's port on both sides.
//
// Owns the FlowEnds that its messages point to; they live as long as it does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "helio/inspect/capture/segment.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/flow/rdma/rdma.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Pairs of addresses that are followed; RDMA networks are small.
inline constexpr std::size_t kRocePairsMax = 1024;
// Queue pairs, both ways, all addresses together.
inline constexpr std::size_t kRoceQueuesMax = 4096;

class Roce final {
 public:
    Roce(MessageSink& sink, const Catalogue& catalogue);
    ~Roce();

    // UDP to RoCE's port, with a header that can be one.
    static bool looks_like(const Segment& segment);
    void datagram(const Segment& segment);
    // The capture ends: what is held is handed on.
    void finish();

 private:
    class Pair;
    using Address = std::array<std::byte, 17>;      // and whether it is of IPv6
    using Addresses = std::pair<Address, Address>;  // the smaller one first

    static Address address_of(const Endpoint& end);
    Pair* pair_of(const Segment& segment);

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RdmaShared shared_;
    std::map<Addresses, std::unique_ptr<Pair>> pairs_;
    std::size_t queues_ = 0;
    std::uint64_t clock_ = 0;     // datagrams so far
    std::vector<Pair*> holding_;  // pairs where packets wait for others
};

}  // namespace helio::inspect
