// Any file unpacks to the same bytes and ends with the same error, read in large pieces or small
// ones, and never to more than the limit.
#include <cstdint>
#include <string>

#include "helio/base/assert.h"
#include "helio/inspect/capture/gzip.h"

using namespace helio;
using namespace helio::inspect;

namespace {

constexpr std::uint64_t kSizeMax = 1u << 20;

std::string read_all(ByteView file, std::size_t piece) {
    MemorySource memory{file};
    GzipSource source{memory, kSizeMax};
    std::string out;
    std::vector<std::byte> block(piece);
    while (const std::size_t got = source.read(block)) out += as_text(std::span{block}.first(got));
    HELIO_ASSERT(out.size() <= kSizeMax);
    return out + source.error();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView file{reinterpret_cast<const std::byte*>(data), size};
    HELIO_ASSERT(read_all(file, 64u << 10) == read_all(file, 257));
    return 0;
}
