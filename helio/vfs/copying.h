// Copying and cloning, two optional parts of a FileSystem: copying between files, or within one,
// without moving the data through a client (COPY and CLONE of RFC 7862).
#pragma once

#include <cstdint>

#include "helio/vfs/open_files.h"

namespace helio::vfs {

// All bytes from the source offset on.
inline constexpr std::uint64_t kCopyToEnd = UINT64_MAX;

struct CopyRange {
    std::uint64_t source_offset = 0;
    std::uint64_t target_offset = 0;
    std::uint64_t count = kCopyToEnd;
};

// The source must be open for reading and the target for writing, both by this file system. They
// may be the same file. invalid: the ranges overlap. cross_device: the files are on different disks
// below one export.
class Copying {
 public:
    virtual ~Copying() = default;
    // Copies from the front and may stop early; `copied` is the number of bytes copied. ok with 0:
    // the source has no bytes there. The data is as durable as an unstable write.
    virtual Status copy(const Caller& caller, OpenFile& source, OpenFile& target,
                        const CopyRange& range, std::uint64_t& copied) = 0;
};

class Cloning {
 public:
    virtual ~Cloning() = default;
    // Offsets and counts must be multiples of this, but a range may end where the source ends.
    virtual std::uint32_t clone_block_size() const = 0;
    // Clones all of the range or nothing. invalid: the range is unaligned or extends beyond the
    // source.
    virtual Status clone(const Caller& caller, OpenFile& source, OpenFile& target,
                         const CopyRange& range) = 0;
};

}  // namespace helio::vfs
