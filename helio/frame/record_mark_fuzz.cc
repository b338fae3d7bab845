// Any stream gives the same messages and the same end, whether it comes whole or in pieces.
#include <cstdint>

#include "helio/base/assert.h"
#include "testing/frame/feeder.h"

using namespace helio;
using namespace helio::frame;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // The first quarter has the lengths of the pieces; the rest is the stream.
    const std::size_t cuts = size / 4;
    ByteView stream{reinterpret_cast<const std::byte*>(data) + cuts, size - cuts};
    // Small, so that inputs of a few hundred bytes reach them.
    const RecordLimits limits{.record_bytes = 200, .fragments = 6};

    Feeder whole{limits};
    const bool good = whole.feed(stream);

    Feeder pieces{limits};
    bool still_good = true;
    for (std::size_t i = 0; i < cuts && still_good; ++i) {
        const std::size_t piece = std::min<std::size_t>(data[i], stream.size());
        still_good = pieces.feed(stream.first(piece));
        stream = stream.subspan(piece);
    }
    if (still_good) still_good = pieces.feed(stream);

    HELIO_ASSERT(good == still_good);
    HELIO_ASSERT(whole.messages() == pieces.messages());
    HELIO_ASSERT(whole.last().fault == pieces.last().fault);
    if (good) {
        HELIO_ASSERT(whole.framer().at_boundary() == pieces.framer().at_boundary());
        HELIO_ASSERT(whole.pending() == pieces.pending());
    }
    for (const auto& message : whole.messages())
        HELIO_ASSERT(!message.empty() && message.size() <= limits.record_bytes);
    return 0;
}
