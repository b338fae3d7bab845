// Segments of a few conversations, in any order and with any contents: reassembly, splitting,
// pairing.
#include <cstdlib>

#include "helio/inspect/flow/flows.h"
#include "helio/inspect/pairing.h"
#include "testing/inspect/catalogue.h"

namespace {

using namespace helio::inspect;

class Exchanges final : public ExchangeSink {
 public:
    void exchange(const Exchange& exchange) override {
        if (exchange.call == nullptr && exchange.reply == nullptr) std::abort();
        if (exchange.paired()) ++paired;
    }
    std::uint64_t paired = 0;
};

}  // namespace

// Each segment: endpoints and kind (1 byte), offset from that direction's position (2), flags (1),
// bytes cut off (1), size (1), payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Exchanges exchanges;
    Pairing pairing{exchanges, builtin_catalogue()};
    Flows flows{pairing, builtin_catalogue()};
    std::uint32_t next[8] = {};
    std::int64_t time = 0;
    while (size >= 6) {
        const std::uint8_t who = data[0];
        const auto offset = static_cast<std::int16_t>(data[1] | data[2] << 8);
        Segment segment;
        segment.time_ns = ++time;
        segment.tcp = (who & 8) == 0;
        const bool back = (who & 1) != 0;
        segment.source.port = static_cast<std::uint16_t>(back ? 2049 : 700 + (who >> 1 & 3));
        segment.destination.port = static_cast<std::uint16_t>(back ? 700 + (who >> 1 & 3) : 2049);
        segment.flags = data[3] & 0x13;
        const std::size_t length = std::min<std::size_t>(data[5], size - 6);
        segment.sequence = next[who & 7] + static_cast<std::uint32_t>(offset);
        segment.acknowledged = next[(who ^ 1) & 7];
        segment.payload = {reinterpret_cast<const std::byte*>(data) + 6, length};
        segment.payload_size = static_cast<std::uint32_t>(length + data[4]);
        next[who & 7] = segment.sequence + segment.payload_size;
        flows.segment(segment);
        data += 6 + length;
        size -= 6 + length;
    }
    flows.finish();
    pairing.finish();
    const Ledger& ledger = pairing.ledger();
    if (ledger.paired != exchanges.paired || ledger.paired > ledger.calls ||
        ledger.paired > ledger.replies)
        std::abort();
    return 0;
}
