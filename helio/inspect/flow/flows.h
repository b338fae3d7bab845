// Flows: finds RPC messages in segments and datagrams. It keeps state for each conversation,
// recognises by content what it carries (ONC RPC with record marks, libvirt, RPC-over-RDMA, or
// something else), and passes every message to the sink, in the order in which their last bytes
// were captured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "helio/inspect/capture/segment.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/flow/record_cutter.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// Conversations followed at once. Only port scans have more, and those carry nothing.
inline constexpr std::size_t kFlowsMax = 65536;

class Roce;
class RdmaShared;

class Flows final {
 public:
    struct Options {
        // Bytes kept of each message that arrives in pieces; the rest is only counted.
        std::size_t keep_max = kRecordSizeMax;
    };

    Flows(MessageSink& sink, const Catalogue& catalogue, Options options);
    Flows(MessageSink& sink, const Catalogue& catalogue) : Flows(sink, catalogue, Options{}) {}
    ~Flows();

    void segment(const Segment& segment);
    // The capture ends: passes on everything held.
    void finish();

    std::size_t count() const { return flows_.size(); }

 private:
    class Conversation;
    struct Flow {
        FlowEnds ends;
        std::uint64_t hash = 0;
        std::unique_ptr<Conversation> conversation;  // TCP only
    };
    struct Slot {
        std::uint64_t hash = 0;
        Flow* flow = nullptr;
    };

    Flow* find(const Segment& segment, std::uint8_t& direction);
    Flow* add(const Segment& segment, std::uint64_t hash, std::size_t slot);
    void grow();
    void datagram(const Segment& segment, const Flow& flow, std::uint8_t direction);

    MessageSink& sink_;
    const Catalogue& catalogue_;
    RecordBuffers buffers_;
    std::deque<Flow> flows_;
    std::vector<Slot> slots_;  // open addressing; a power of two
    std::unique_ptr<Roce> roce_;
    std::unique_ptr<RdmaShared> rdma_;  // shared by all iWARP connections
};

}  // namespace helio::inspect
