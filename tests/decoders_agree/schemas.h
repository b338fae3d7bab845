// Every schema with both of its readers: the generated codecs and the Schema parsed at run time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "helio/idl/schema.h"
#include "helio/xdr/type_codec.h"

namespace helio::test {

struct BothReaders {
    std::string name;
    std::unique_ptr<const idl::Schema> schema;
    std::span<const xdr::TypeCodec> codecs;
};

// The built-in schemas and tests/generated_code/constructs.x; parsed once.
const std::vector<BothReaders>& schemas();

// One type of one schema; `seed` picks it.
struct PickedType {
    const idl::Type* type = nullptr;
    const xdr::TypeCodec* codec = nullptr;
};
PickedType pick(const BothReaders& one, std::uint64_t seed);

// Decodes `bytes` strictly with both readers and describes how they disagree: acceptance, length,
// value (through re-encoding). Empty if they agree.
std::string disagreement(const PickedType& picked, ByteView bytes);

}  // namespace helio::test
