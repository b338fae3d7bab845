// Any file yields the same packets whether read whole or in pieces; dissecting them reads no byte
// out of bounds, and no packet yields more than one segment.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "helio/base/assert.h"
#include "helio/inspect/capture/reader.h"
#include "testing/inspect/segments.h"

using namespace helio;
using namespace helio::inspect;
using namespace helio::inspect::for_test;

namespace {

class PieceSource final : public ByteSource {
 public:
    explicit PieceSource(ByteView bytes) : memory_(bytes) {}
    std::size_t read(std::span<std::byte> into) override {
        return memory_.read(into.first(std::min<std::size_t>(into.size(), 5)));
    }

 private:
    MemorySource memory_;
};

struct Outcome {
    std::vector<Bytes> packets;
    std::vector<std::int64_t> times;
    std::string error;
    std::uint64_t cut_off = 0;

    bool operator==(const Outcome&) const = default;
};

Outcome read_all(ByteSource& source) {
    CaptureReader reader{source};
    Outcome out;
    Packet packet;
    while (reader.next(packet)) {
        HELIO_ASSERT(packet.original_size >= packet.bytes.size());
        out.packets.emplace_back(packet.bytes.begin(), packet.bytes.end());
        out.times.push_back(packet.time_ns);
    }
    out.error = reader.error();
    out.cut_off = reader.cut_off();
    return out;
}

void dissect_all(ByteSource& source) {
    CaptureReader reader{source};
    CountingSink sink;
    Dissector dissector{sink};
    Packet packet;
    Segment segment;
    std::uint64_t segments = 0;
    volatile unsigned seen = 0;
    const auto take = [&] {
        ++segments;
        HELIO_ASSERT(segment.payload.size() <= segment.payload_size);
        for (const std::byte byte : segment.payload) seen = seen ^ std::to_integer<unsigned>(byte);
    };
    std::uint64_t packets = 0;
    while (reader.next(packet)) {
        ++packets;
        // A copy, so that a sanitizer catches reads past the packet, not only past the buffer.
        const Bytes copy{packet.bytes.begin(), packet.bytes.end()};
        packet.bytes = copy;
        if (dissector.dissect(packet, segment)) take();
        while (dissector.left_over(segment)) take();
    }
    while (dissector.flush(segment)) take();
    HELIO_ASSERT(segments + sink.packets() <= packets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView file{reinterpret_cast<const std::byte*>(data), size};
    MemorySource whole{file};
    PieceSource pieces{file};
    HELIO_ASSERT(read_all(whole) == read_all(pieces));
    MemorySource again{file};
    dissect_all(again);
    return 0;
}
