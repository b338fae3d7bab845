// A piece of an open file as part of a reply. Gather lists are made of views; the view of such a
// piece lies in a region of addresses that is reserved and can never be read, so that it passes
// through codecs and batches like any other, and whoever sends finds out here which file it stands
// for. Looking into it is a programmer's mistake and faults at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"

namespace helio::rpc {

// The longest piece: the longest record (frame::kRecordBytesMax).
inline constexpr std::size_t kFilePayloadBytesMax = 4u << 20;
// Shorter ones are read: two system calls for one reply cost more than the copy.
inline constexpr std::size_t kFilePayloadBytesMin = 32u << 10;
// Pieces that may wait to be sent at a time, in the whole process: as many as there may be
// connections with a reply under way, and the region still is a small part of all addresses.
inline constexpr std::size_t kFilePayloadsMax = 4096;

struct FilePayload {
    int descriptor = -1;
    std::uint64_t offset = 0;  // in the file, of the view's first byte
};

// A view that stands for the file's bytes, and goes back to where it came from with `release`.
// Empty when no more can be had, or the size is not between the limits.
struct FileView {
    ByteView view;
    std::shared_ptr<const void> release;
};
FileView make_file_view(int descriptor, std::uint64_t offset, std::size_t size,
                        std::shared_ptr<const void> owner);

namespace file_payload_detail {
// Set once, when the first view is made; zero until then, so that no address lies inside.
extern std::atomic<std::uintptr_t> region_begin;
extern std::atomic<std::uintptr_t> region_size;
FilePayload find(const std::byte* at);
}  // namespace file_payload_detail

// For who sends: whether these bytes stand for a file, and which one.
inline bool is_file(const std::byte* at) {
    using namespace file_payload_detail;
    return reinterpret_cast<std::uintptr_t>(at) - region_begin.load(std::memory_order_relaxed) <
           region_size.load(std::memory_order_relaxed);
}
inline FilePayload file_behind(const std::byte* at) { return file_payload_detail::find(at); }

}  // namespace helio::rpc
