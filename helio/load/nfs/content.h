// Content: the contents of a load run's files, as a function of file and offset. One stretch of
// pseudo-random bytes is kept; each file begins somewhere in it and wraps around. Its length is not
// a multiple of any block or transfer size, so bytes from a wrong place or another file do not
// match. Any range is a view, so a WRITE copies nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::load::nfs {

// One READ or WRITE: today's servers offer at most 1 MiB, and our records hold 4.
inline constexpr std::size_t kTransferBytesMax = 2u << 20;

class Content final {
 public:
    Content();

    // `size` is at most kTransferBytesMax.
    ByteView range(std::uint32_t file, std::uint64_t offset, std::size_t size) const;

    // Checks `bytes` against the content: all of them, or the first, the last and samples between.
    // Returns the first difference found, or nothing.
    enum class Look : std::uint8_t { all, some };
    std::optional<std::size_t> first_difference(std::uint32_t file, std::uint64_t offset,
                                                ByteView bytes, Look look) const;

 private:
    std::vector<std::byte> bytes_;
};

}  // namespace helio::load::nfs
