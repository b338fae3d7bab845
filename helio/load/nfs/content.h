// Content: what stands in the files that a load run reads and writes, as a function of file and
// offset. One run of pseudo-random bytes is kept; a file begins somewhere in it and goes round. Its
// length is no multiple of any block or transfer size, so bytes from a wrong place of the same
// file, or from another file, do not match. Any range is a view, so a WRITE copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::load::nfs {

// One READ or WRITE: what servers offer at most today is 1 MiB, and a record of ours holds 4.
inline constexpr std::size_t kTransferBytesMax = 2u << 20;

class Content final {
 public:
    Content();

    // `size` is at most kTransferBytesMax.
    ByteView range(std::uint32_t file, std::uint64_t offset, std::size_t size) const;

    // Whether `bytes` are what stands there: all of them, or the first, the last and some between.
    // The first that differs, as far as was looked, else nothing.
    enum class Look : std::uint8_t { all, some };
    std::optional<std::size_t> first_difference(std::uint32_t file, std::uint64_t offset,
                                                ByteView bytes, Look look) const;

 private:
    std::vector<std::byte> bytes_;
};

}  // namespace helio::load::nfs
