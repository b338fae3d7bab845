// Any bytes: a message is inside them and has its announced length; an incomplete one wants more; a
// broken one is reported at its first four bytes.
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/frame/length_word.h"

using namespace helio;
using namespace helio::frame;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteView rest{reinterpret_cast<const std::byte*>(data), size};
    for (;;) {
        const Cut cut = LengthWord::cut(rest);
        if (cut.kind == CutKind::more) {
            HELIO_ASSERT(cut.wanted > rest.size() && cut.consumed == 0);
            return 0;
        }
        if (cut.kind == CutKind::broken) {
            HELIO_ASSERT(LengthWord::cut(rest.first(4)).kind == CutKind::broken);
            HELIO_ASSERT(!to_text(cut).empty());
            return 0;
        }
        HELIO_ASSERT(cut.consumed >= kVirnetLengthMin && cut.consumed <= rest.size());
        HELIO_ASSERT(cut.message.size() + LengthWord::kWordSize == cut.consumed);
        HELIO_ASSERT(cut.message.data() == rest.data() + LengthWord::kWordSize);
        rest = rest.subspan(cut.consumed);
    }
}
