// An accepted header keeps its promises: sizes inside the bytes, sums inside the limits, positions
// in order; and its prefixes are rejected.
#include <cstdint>

#include "helio/base/assert.h"
#include "helio/frame/rdma_header.h"

using namespace helio;
using namespace helio::frame;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteView bytes{reinterpret_cast<const std::byte*>(data), size};
    const RdmaHeaderLimits limits{.segments = 8, .write_chunks = 3, .list_bytes = 1u << 20};
    RdmaHeader header;
    const auto result = read_rdma_header(bytes, header, limits);
    if (!result) {
        HELIO_ASSERT(!to_text(result.error()).empty());
        HELIO_ASSERT(result.error().offset <= size);
        return 0;
    }
    HELIO_ASSERT(header.size <= size && header.size % 4 == 0);
    HELIO_ASSERT(header.reads.size() + header.write_segments.size() + header.reply.size() <=
                 limits.segments);
    HELIO_ASSERT(header.write_count() <= limits.write_chunks);
    HELIO_ASSERT(bytes_of(header.write_segments) <= limits.list_bytes);
    HELIO_ASSERT(bytes_of(header.reply) <= limits.list_bytes);
    std::size_t segments = 0;
    for (std::size_t i = 0; i < header.write_count(); ++i) segments += header.write(i).size();
    HELIO_ASSERT(segments == header.write_segments.size());
    std::uint32_t position = 0;
    for (const RdmaReadSegment& read : header.reads) {
        HELIO_ASSERT(read.position % 4 == 0 && read.position >= position);
        HELIO_ASSERT(read.target.offset + read.target.length >= read.target.offset);
        position = read.position;
    }
    RdmaHeader again;
    HELIO_ASSERT(!read_rdma_header(bytes.first(header.size - 1), again, limits));
    return 0;
}
