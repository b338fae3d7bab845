// Holes, an optional part of a FileSystem: finding data and holes, reserving space and punching
// holes (SEEK, ALLOCATE and DEALLOCATE of RFC 7862; READ_PLUS can be built on seek).
#pragma once

#include <cstdint>

#include "helio/vfs/open_files.h"

namespace helio::vfs {

enum class SeekFor : std::uint8_t { data, hole };

struct SeekOut {
    // Where it begins, or the size of the file if there is none. Every file has a hole at its end.
    std::uint64_t offset = 0;
    bool end = false;  // offset is the size of the file
};

// Files must have been opened by the same file system.
class Holes {
 public:
    virtual ~Holes() = default;
    // Returns `offset` itself if it lies in what is sought. past_end: offset is not below the size.
    virtual Status seek(const Caller& caller, OpenFile& file, std::uint64_t offset, SeekFor what,
                        SeekOut& out) = 0;
    // Reserves space, so that later writes cannot fail for lack of it. Holes are filled with zeros,
    // and the file grows if the range ends beyond it. invalid: length is 0.
    virtual Status allocate(const Caller& caller, OpenFile& file, std::uint64_t offset,
                            std::uint64_t length) = 0;
    // Makes the range read as zeros and frees whole blocks in it. The size does not change.
    // invalid: length is 0.
    virtual Status deallocate(const Caller& caller, OpenFile& file, std::uint64_t offset,
                              std::uint64_t length) = 0;
};

}  // namespace helio::vfs
