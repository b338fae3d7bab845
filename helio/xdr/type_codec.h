// TypeCodec: the codec of one type of a generated schema.
#pragma once

#include <string>
#include <string_view>

#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::xdr {

// Plain functions around a type's codec, for tests, fuzzers and tools that go through all types.
struct TypeCodec {
    std::string_view name;
    bool (*recode)(Reader& in, Writer& out);   // decode, then encode what was decoded
    bool (*same)(Reader& one, Reader& other);  // decode both, compare values
    std::string (*print)(Reader& in);          // decode and print; empty when it does not decode
};

}  // namespace helio::xdr
