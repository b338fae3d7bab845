#include "helio/inspect/flow/rdma/rdma_memory.h"

#include <algorithm>
#include <limits>

namespace helio::inspect {
namespace {

// Transfers come in consecutive packets of 1 to 4 KiB and are joined, up to this size, so that
// cutting a piece out stays cheap.
constexpr std::size_t kExtentBytesMax = 64u << 10;
// Cost of list, map and allocator per extent.
constexpr std::size_t kExtentCost = 192;

}  // namespace

// The first extent that ends after `offset`: the one that contains it, or the next.
RdmaMemory::Index::iterator RdmaMemory::first_after(Registration place, std::uint64_t offset) {
    auto at = index_.lower_bound({place, offset});
    if (at != index_.begin()) {
        const auto before = std::prev(at);
        if (before->first.place == place && before->second->end() > offset) return before;
    }
    return at;
}

RdmaMemory::Index::const_iterator RdmaMemory::first_after(Registration place,
                                                          std::uint64_t offset) const {
    return const_cast<RdmaMemory*>(this)->first_after(place, offset);
}

void RdmaMemory::insert(Extents::iterator before, Key key, ByteView bytes) {
    const auto made = extents_.insert(before, Extent{key, {bytes.begin(), bytes.end()}});
    index_.emplace(key, made);
    bytes_ += bytes.size();
    memory_ += made->bytes.capacity() + kExtentCost;
}

RdmaMemory::Index::iterator RdmaMemory::remove(Index::iterator at) {
    bytes_ -= at->second->bytes.size();
    memory_ -= at->second->bytes.capacity() + kExtentCost;
    extents_.erase(at->second);
    return index_.erase(at);
}

void RdmaMemory::resize(Extent& extent, std::size_t size) {
    bytes_ -= extent.bytes.size();
    extent.bytes.resize(size);
    bytes_ += size;
}

void RdmaMemory::cut(Registration place, std::uint64_t offset, std::uint64_t size) {
    if (size == 0 || size > std::numeric_limits<std::uint64_t>::max() - offset) return;
    const std::uint64_t end = offset + size;
    auto at = first_after(place, offset);
    while (at != index_.end() && at->first.place == place && at->first.offset < end) {
        Extent& extent = *at->second;
        const std::uint64_t begin = extent.key.offset;
        if (extent.end() > end) {  // keep the rest as an extent of the same age
            const ByteView behind = ByteView{extent.bytes}.subspan(end - begin);
            insert(std::next(at->second), {place, end}, behind);
        }
        if (begin < offset) {
            resize(extent, offset - begin);
            ++at;
        } else {
            at = remove(at);
        }
    }
}

std::size_t RdmaMemory::put(Registration place, std::uint64_t offset, ByteView bytes) {
    if (bytes.empty() || bytes.size() > std::numeric_limits<std::uint64_t>::max() - offset)
        return 0;
    cut(place, offset, bytes.size());
    const auto next = index_.lower_bound({place, offset});
    Extent* const before = next == index_.begin() ? nullptr : &*std::prev(next)->second;
    if (before != nullptr && before->key.place == place && before->end() == offset &&
        before->bytes.size() + bytes.size() <= kExtentBytesMax) {
        memory_ -= before->bytes.capacity();
        before->bytes.insert(before->bytes.end(), bytes.begin(), bytes.end());
        memory_ += before->bytes.capacity();
        bytes_ += bytes.size();
    } else {
        insert(extents_.end(), {place, offset}, bytes);
    }
    std::size_t gone = 0;
    while (memory_ > bytes_max_) {
        gone += extents_.front().bytes.size();
        remove(index_.find(extents_.front().key));
    }
    return gone;
}

std::uint64_t RdmaMemory::known(Registration place, std::uint64_t offset,
                                std::uint64_t size) const {
    std::uint64_t found = 0;
    for (auto at = first_after(place, offset); found < size && at != index_.end(); ++at) {
        const std::uint64_t here = offset + found;
        if (at->first.place != place || at->first.offset > here) break;
        found = at->second->end() - offset;
    }
    return std::min(found, size);
}

std::size_t RdmaMemory::take(Registration place, std::uint64_t offset, std::span<std::byte> out) {
    if (out.size() > std::numeric_limits<std::uint64_t>::max() - offset) return 0;
    const std::uint64_t end = offset + out.size();
    std::size_t found = 0;
    for (auto at = first_after(place, offset); at != index_.end(); ++at) {
        const Extent& extent = *at->second;
        if (extent.key.place != place || extent.key.offset >= end) break;
        const std::uint64_t from = std::max(offset, extent.key.offset);
        const std::uint64_t to = std::min(end, extent.end());
        const ByteView part = ByteView{extent.bytes}.subspan(from - extent.key.offset, to - from);
        std::copy(part.begin(), part.end(),
                  out.begin() + static_cast<std::ptrdiff_t>(from - offset));
        found += part.size();
    }
    cut(place, offset, out.size());
    return found;
}

}  // namespace helio::inspect
