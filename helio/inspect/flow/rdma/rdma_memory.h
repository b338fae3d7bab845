// RdmaMemory: what a capture's RDMA Writes and Reads showed of the peers' memory, until the message
// comes that says what it was. Bounded for all flows together; the oldest goes first, and what a
// message used is gone.
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

    // A registration: whose memory (any number that is one end's alone), and the handle it goes by.
    struct Registration {
        std::uint32_t owner = 0;
        std::uint32_t handle = 0;
        auto operator<=>(const Registration&) const = default;
    };

    // These bytes were seen on their way to or from there; older ones of the same addresses are
    // forgotten. How many bytes of others had to go is the answer.
    std::size_t put(Registration place, std::uint64_t offset, ByteView bytes);
    // How many bytes from there on are known without a hole; at most `size`.
    std::uint64_t known(Registration place, std::uint64_t offset, std::uint64_t size) const;
    // Moves what is known of that range to its place in `out`; the rest of `out` stays as it is.
    // How many bytes that were is the answer.
    std::size_t take(Registration place, std::uint64_t offset, std::span<std::byte> out);
    // The same to nowhere.
    void drop(Registration place, std::uint64_t offset, std::uint64_t size) {
        cut(place, offset, size);
    }

    std::size_t bytes() const { return bytes_; }  // known now
    // With what it costs to keep them.
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
