// Codecs for procedure arguments and results that have no name in the schema: `string PROC(int)`.
#pragma once

#include "helio/xdr/codec.h"

namespace helio::xdr {

template <class Scalar>
inline constexpr std::size_t kWireSize = sizeof(Scalar) < 4 ? 4 : sizeof(Scalar);

template <class Scalar>
bool decode_plain(Reader& in, Scalar& value) {
    const std::byte* const at = in.begin(kWireSize<Scalar>);
    return at != nullptr && get_scalar(at, in, value) && in.end(at + kWireSize<Scalar>);
}
inline bool decode_plain(Reader& in, std::string_view& value) {
    const std::byte* const at = in.begin(4);
    return at != nullptr && in.end(in.string<kUnbounded, 0>(at, value));
}
inline bool decode_plain(Reader& in, ByteView& value) {
    const std::byte* const at = in.begin(4);
    return at != nullptr && in.end(in.opaque<kUnbounded, 0>(at, value));
}

template <class Scalar>
bool encode_plain(Writer& out, const Scalar& value) {
    std::byte* const at = out.begin(kWireSize<Scalar>);
    return at != nullptr && put_scalar(at, out, value) && out.end(at + kWireSize<Scalar>);
}
inline bool encode_plain(Writer& out, const std::string_view& value) {
    std::byte* const at = out.begin(4);
    return at != nullptr && out.end(out.string<kUnbounded, 0>(at, value));
}
inline bool encode_plain(Writer& out, const ByteView& value) {
    std::byte* const at = out.begin(4);
    return at != nullptr && out.end(out.opaque<kUnbounded, 0>(at, value));
}

}  // namespace helio::xdr
