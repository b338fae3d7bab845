// RdmaMemory: the parts of the peers' memory that a capture's RDMA Writes and Reads showed, kept
// until the message that explains them arrives. Bounded for all flows together; the oldest is
// dropped first, and data is removed once a message has used it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <vector>

#include "helio/base/bytes.h"

namespace helio::inspect {

// Two dozen of NFS's largest transfers in flight; servers finish what they began.
inline constexpr std::size_t kRdmaBytesMax = 32u << 20;

class RdmaMemory final {
 public:
    explicit RdmaMemory(std::size_t bytes_max = kRdmaBytesMax) : bytes_max_(bytes_max) {}

    // A registration: its owner (a number unique to one end) and its handle.
    struct Registration {
        std::uint32_t owner = 0;
        std::uint32_t handle = 0;
        auto operator<=>(const Registration&) const = default;
    };

    // Adds bytes seen on their way to or from this place, replacing older ones. Returns how many
    // bytes of other data were dropped.
    std::size_t put(Registration place, std::uint64_t offset, ByteView bytes);
    // How many bytes from there on are known without a hole; at most `size`.
    std::uint64_t known(Registration place, std::uint64_t offset, std::uint64_t size) const;
    // Moves the known bytes of that range to their place in `out`; the rest of `out` is unchanged.
    // Returns how many were known.
    std::size_t take(Registration place, std::uint64_t offset, std::span<std::byte> out);
    // Discards them.
    void drop(Registration place, std::uint64_t offset, std::uint64_t size) {
        cut(place, offset, size);
    }

    std::size_t bytes() const { return bytes_; }  // known now
    // Including overhead.
    std::size_t memory() const { return memory_; }

 private:
    struct Key {
        Registration place;
        std::uint64_t offset = 0;
        auto operator<=>(const Key&) const = default;
    };
    struct Extent {
        Key key;
        std::vector<std::byte> bytes;
        std::uint64_t end() const { return key.offset + bytes.size(); }
    };
    using Extents = std::list<Extent>;
    using Index = std::map<Key, Extents::iterator>;

    Index::iterator first_after(Registration place, std::uint64_t offset);
    Index::const_iterator first_after(Registration place, std::uint64_t offset) const;
    void cut(Registration place, std::uint64_t offset, std::uint64_t size);
    void insert(Extents::iterator before, Key key, ByteView bytes);
    Index::iterator remove(Index::iterator at);
    void resize(Extent& extent, std::size_t size);

    std::size_t bytes_max_;
    std::size_t bytes_ = 0;
    std::size_t memory_ = 0;
    Extents extents_;  // no two overlap; oldest first
    Index index_;
};

}  // namespace helio::inspect
