// One type with both of its readers: the generated codec and the Schema read at run time. Whatever
// the bytes, they must accept and refuse alike.
#pragma once

#include <string_view>

#include "helio/idl/schema.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/type_codec.h"
#include "testing/xdr/bytes.h"

namespace helio::vectors {

inline constexpr xdr::Mode kModes[] = {xdr::Mode::lenient, xdr::Mode::strict};

// `typed` and `reflective` give the fault, none when the bytes are accepted.
class BothReaders final {
 public:
    BothReaders(std::string_view schema, std::string_view type);

    xdr::DecodeError typed(ByteView bytes, xdr::Mode mode, xdr::Arena& arena) const;
    xdr::DecodeError reflective(ByteView bytes, xdr::Mode mode) const;

    // Decoded and encoded again; nothing when a step fails.
    xdr::Bytes recoded(ByteView bytes) const;
    xdr::Bytes through_json(ByteView bytes) const;

    const xdr::TypeCodec& codec() const { return *codec_; }

 private:
    const xdr::TypeCodec* codec_;
    const idl::Type* type_;
};

}  // namespace helio::vectors
