#include "helio/frame/length_word.h"

namespace helio::frame {

Cut LengthWord::broken(std::size_t length) {
    Cut out;
    out.kind = CutKind::broken;
    out.fault = FrameFault::bad_length;
    out.got = length;
    out.limit = length < kVirnetLengthMin ? kVirnetLengthMin : kVirnetLengthMax;
    return out;
}

}  // namespace helio::frame
