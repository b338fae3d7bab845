// Returns where a value begins, for tests that call parts of codecs directly; nullptr after a
// failure.
#pragma once

#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::xdr {

inline const std::byte* begin(Reader& in, std::size_t lead) {
    return in.ready(lead) ? in.at() : nullptr;
}
inline std::byte* begin(Writer& out, std::size_t lead) {
    return out.ready(lead) ? out.at() : nullptr;
}

}  // namespace helio::xdr
