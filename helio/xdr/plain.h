// Codecs for procedure arguments and results that have no name in the schema: `string PROC(int)`.
#pragma once

#include "helio/xdr/codec.h"

namespace helio::xdr {

template <class Scalar>
inline constexpr std::size_t kWireSize = sizeof(Scalar) < 4 ? 4 : sizeof(Scalar);

template <class Scalar>
bool decode_plain(Reader& in, Scalar& value) {
    return in.ready(kWireSize<Scalar>) && get_scalar(in.at(), in, value) &&
           in.end(in.at() + kWireSize<Scalar>);
}
inline bool decode_plain(Reader& in, std::string_view& value) {
    return in.ready(4) && in.end(in.string<kUnbounded, 0>(in.at(), value));
}
inline bool decode_plain(Reader& in, ByteView& value) {
    return in.ready(4) && in.end(in.opaque<kUnbounded, 0>(in.at(), value));
}

template <class Scalar>
bool encode_plain(Writer& out, const Scalar& value) {
    return out.ready(kWireSize<Scalar>) && put_scalar(out.at(), out, value) &&
           out.end(out.at() + kWireSize<Scalar>);
}
inline bool encode_plain(Writer& out, const std::string_view& value) {
    return out.ready(4) && out.end(out.string<kUnbounded, 0>(out.at(), value));
}
inline bool encode_plain(Writer& out, const ByteView& value) {
    return out.ready(4) && out.end(out.opaque<kUnbounded, 0>(out.at(), value));
}

// The overload for T, as a constant.
template <class T>
inline constexpr bool (*kEncodePlain)(Writer&, const T&) = encode_plain;

}  // namespace helio::xdr
