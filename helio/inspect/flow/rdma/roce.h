// Roce: finds the messages of RPC-over-RDMA over RoCEv2 in datagrams. Packets name only the
// receiver's queue pair, so a conversation is identified by two addresses; both ends have RoCE's
// port.
//
// Owns the FlowEnds that its messages point to.
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

// Pairs of addresses followed; RDMA networks are small.
inline constexpr std::size_t kRocePairsMax = 1024;
// Queue pairs, both directions, all addresses.
inline constexpr std::size_t kRoceQueuesMax = 4096;

class Roce final {
 public:
    Roce(MessageSink& sink, const Catalogue& catalogue);
    ~Roce();

    // UDP to RoCE's port, with a plausible header.
    static bool looks_like(const Segment& segment);
    void datagram(const Segment& segment);
    // The capture ends: passes on everything held.
    void finish();

 private:
    class Pair;
    using Address = std::array<std::byte, 17>;      // last byte: whether it is IPv6
    using Addresses = std::pair<Address, Address>;  // the smaller one first

    static Address address_of(const Endpoint& end);
    Pair* pair_of(const Segment& segment);

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RdmaShared shared_;
    std::map<Addresses, std::unique_ptr<Pair>> pairs_;
    std::size_t queues_ = 0;
    std::uint64_t clock_ = 0;     // datagrams so far
    std::vector<Pair*> holding_;  // pairs with packets that wait for others
};

}  // namespace helio::inspect
