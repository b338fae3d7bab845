// One type with both of its readers: the generated codec and the Schema read at run time. They must
// accept and reject the same bytes.
#pragma once

#include <string_view>

#include "helio/idl/schema.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/type_codec.h"
#include "testing/xdr/bytes.h"

namespace helio::vectors {

inline constexpr xdr::Mode kModes[] = {xdr::Mode::lenient, xdr::Mode::strict};

// `typed` and `reflective` return the fault; none if the bytes are accepted.
class BothReaders final {
 public:
    BothReaders(std::string_view schema, std::string_view type);

    xdr::DecodeError typed(ByteView bytes, xdr::Mode mode, xdr::Arena& arena) const;
    xdr::DecodeError reflective(ByteView bytes, xdr::Mode mode) const;

    // Decodes and encodes again; nothing if a step fails.
    xdr::Bytes recoded(ByteView bytes) const;
    xdr::Bytes through_json(ByteView bytes) const;

    const xdr::TypeCodec& codec() const { return *codec_; }

 private:
    const xdr::TypeCodec* codec_;
    const idl::Type* type_;
};

}  // namespace helio::vectors
