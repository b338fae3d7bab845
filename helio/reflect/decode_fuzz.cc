// Any type of a rich schema, or of NFS 4, × any bytes: decoding ends, the leaves tile the bytes
// read, values that a strict decode accepts survive a round trip through JSON, and a plan skips as
// many bytes as the walk by type.
#include <cstdint>
#include <cstdlib>

#include "helio/base/assert.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/reflect/print/table.h"
#include "helio/reflect/random.h"
#include "helio/reflect/skip/skip_plan.h"
#include "testing/reflect/schema.h"

using namespace helio;
using namespace helio::reflect;

namespace {

void check_tiling(const Tree& tree) {
    std::uint32_t tiled = 0;
    for (const Node& node : tree.nodes) {
        if (!is_leaf(node.role)) continue;
        HELIO_ASSERT(node.offset == tiled);
        tiled += node.size;
    }
    HELIO_ASSERT(tiled == tree.consumed && tree.consumed <= tree.bytes.size());
}

void check_round_trip(const Tree& tree, const idl::Type& type) {
    const auto again = encode(type, to_json(tree, {.indent = 0}));
    HELIO_ASSERT(again.has_value());
    HELIO_ASSERT(as_text(*again) == as_text(tree.bytes));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const auto& types = fuzzed_types();
    const idl::Type& type = *types[data[0] % types.size()];
    ByteView bytes{reinterpret_cast<const std::byte*>(data) + 2, size - 2};
    // Half of the inputs are a seed for valid bytes, which mutations then change.
    std::vector<std::byte> made;
    if (data[1] % 2 == 1) {
        std::uint64_t seed = 0;
        for (const std::byte b : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
            seed = seed << 8 | std::to_integer<std::uint64_t>(b);
        }
        made = random_bytes(type, seed, {.size_soft_max = 256}).value();
        bytes = made;
        HELIO_ASSERT(decode(bytes, type).ok());
    }
    const Tree lenient = decode(bytes, type, {.strict = false});
    check_tiling(lenient);
    write_table(lenient, {}, [](std::string_view) {});
    if (lenient.ok()) (void)encode(type, to_json(lenient)).value();
    std::string reached;
    if (!lenient.nodes.empty()) append_json(reached, lenient);
    const Tree strict = decode(bytes, type);
    check_tiling(strict);
    if (strict.ok()) check_round_trip(strict, type);
    HELIO_ASSERT(SkipPlan::over(type).size_of(bytes) == size_of_value(type, bytes));
    return 0;
}
