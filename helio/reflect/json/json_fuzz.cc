// Any text as JSON for any type of a rich schema, or of NFS 4: encoding ends, and a strict decode
// accepts its result and gives the same JSON again.
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "testing/reflect/schema.h"

using namespace helio;
using namespace helio::reflect;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 1) return 0;
    const auto& types = fuzzed_types();
    const idl::Type& type = *types[data[0] % types.size()];
    const auto bytes = encode(type, {reinterpret_cast<const char*>(data) + 1, size - 1});
    if (!bytes) {
        HELIO_ASSERT(!to_string(bytes.error()).empty());
        return 0;
    }
    const Tree tree = decode(*bytes, type);
    HELIO_ASSERT(tree.ok());
    HELIO_ASSERT(encode(type, to_json(tree)).value() == *bytes);
    return 0;
}
