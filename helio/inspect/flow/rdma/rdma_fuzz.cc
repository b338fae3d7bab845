// Any datagrams, any stream: processing ends, every message holds the bytes it claims, and the
// output is bounded by the input.
#include <algorithm>
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/inspect/flow/rdma/iwarp.h"
#include "helio/inspect/flow/rdma/roce.h"
#include "helio/inspect/flow/rdma/roce_packet.h"
#include "testing/inspect/catalogue.h"

using namespace helio;
using namespace helio::inspect;

namespace {

class CheckingSink final : public MessageSink {
 public:
    void message(const Message& message) override {
        HELIO_ASSERT(message.bytes.size() <= message.size);
        HELIO_ASSERT(message.bytes.size() >= 12);
        HELIO_ASSERT(message.rdma_header.size() >= 16);
        HELIO_ASSERT(message.direction < 2 && message.flow != nullptr);
        for (const TakenOut& taken : message.taken_out) {
            HELIO_ASSERT(taken.offset <= message.bytes.size());
            if (taken.captured)
                HELIO_ASSERT(taken.offset + std::uint64_t{taken.size} <= message.bytes.size());
        }
        bytes += message.bytes.size();
    }
    void unread(Unread, std::uint64_t, std::uint64_t) override {}

    std::uint64_t bytes = 0;
};

struct Input {
    ByteView left;
    std::uint8_t byte() {
        if (left.empty()) return 0;
        const auto value = std::to_integer<std::uint8_t>(left[0]);
        left = left.subspan(1);
        return value;
    }
    ByteView some() {
        const std::size_t size = std::size_t{byte()} * 4;
        const ByteView out = left.first(std::min(size, left.size()));
        left = left.subspan(out.size());
        return out;
    }
};

// A byte of flags, one of size, the datagram: its first byte is the opcode.
void datagrams(Input input, MessageSink& sink) {
    Roce roce{sink, builtin_catalogue()};
    Segment segment;
    while (!input.left.empty()) {
        const std::uint8_t flags = input.byte();
        segment.source.address[0] = std::byte((flags & 1) != 0 ? 1 : 2);
        segment.destination.address[0] = std::byte((flags & 1) != 0 ? 2 : 1);
        segment.destination.port = kRocePort;
        segment.payload = input.some();
        segment.payload_size =
            static_cast<std::uint32_t>(segment.payload.size()) + ((flags & 2) != 0 ? 64 : 0);
        ++segment.packet;
        if (Roce::looks_like(segment)) roce.datagram(segment);
    }
    roce.finish();
}

void stream(Input input, MessageSink& sink) {
    const FlowEnds ends;
    Iwarp iwarp{sink, builtin_catalogue(), ends};
    std::uint64_t packet = 0;
    while (!input.left.empty()) {
        const std::uint8_t flags = input.byte();
        const std::uint8_t direction = flags & 1;
        if ((flags & 6) == 2)
            iwarp.gap(direction, input.byte());
        else
            iwarp.data(direction, input.some(), 0, ++packet);
    }
    iwarp.finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input{{reinterpret_cast<const std::byte*>(data), size}};
    CheckingSink sink;
    if ((input.byte() & 1) != 0)
        datagrams(input, sink);
    else
        stream(input, sink);
    HELIO_ASSERT(sink.bytes <= kRdmaZerosMax + (kRdmaZerosFactor + 2) * size);
    return 0;
}
