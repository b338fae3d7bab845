#include <algorithm>
#include <vector>

#include "helio/backend/memory/parts/parts_internal.h"

namespace helio::backend::memory {

using namespace vfs;

namespace {

// Bytes copied per locking of the nodes.
constexpr std::uint64_t kCopyStepBytes = 256u << 10;
// Bytes copied per call, which takes a few milliseconds. The caller calls again for the rest.
constexpr std::uint64_t kCopyBytesMax = 16u << 20;

bool overlap(std::uint64_t a, std::uint64_t b, std::uint64_t count) {
    return a < b + count && b < a + count;
}

Status check_access(const OpenFile& source, const OpenFile& target) {
    return reads(source.access()) && writes(target.access()) ? Status::ok : Status::access_denied;
}

// The count, cut at the end of the source.
std::uint64_t limited(const CopyRange& range, std::uint64_t size) {
    return std::min(range.count, size - std::min(range.source_offset, size));
}

}  // namespace

Status MemoryCopies::copy(const Caller& caller, OpenFile& source, OpenFile& target,
                          const CopyRange& range, std::uint64_t& copied) {
    copied = 0;
    if (const Status open = check_access(source, target); open != Status::ok) return open;
    Node& from = MemoryOpenFile::of(tree_, source).node();
    Node& to = MemoryOpenFile::of(tree_, target).node();
    std::uint64_t count = 0;
    {
        const std::shared_lock hold(tree_.lock);
        const std::lock_guard hold_node(from.mutex);
        count = limited(range, from.content.size());
    }
    if (range.target_offset > kFileBytesMax || count > kFileBytesMax - range.target_offset)
        return Status::too_big;
    if (&from == &to && overlap(range.source_offset, range.target_offset, count))
        return Status::invalid;
    if (!caller.may_block && count > kInPlaceBytesMax) return Status::would_block;
    count = std::min(count, kCopyBytesMax);
    std::vector<std::byte> step(std::min(count, kCopyStepBytes));
    while (copied < count) {
        const std::shared_lock hold(tree_.lock);
        std::size_t got = 0;
        {
            const std::lock_guard hold_node(from.mutex);
            const auto room =
                std::span{step}.first(std::min<std::uint64_t>(step.size(), count - copied));
            const Status read = from.content.read(range.source_offset + copied, room, got);
            if (read != Status::ok) return read;
        }
        if (got == 0) break;  // the source has been truncated
        const std::lock_guard hold_node(to.mutex);
        WriteOut written;
        const Status status = write_node(caller, to, range.target_offset + copied,
                                         ByteView{step}.first(got), tree_.budget, written);
        // Report what was copied. The next call will fail with the reason.
        if (status != Status::ok) return copied > 0 ? Status::ok : status;
        copied += got;
    }
    return Status::ok;
}

namespace {

// The rules of Linux (FICLONERANGE): ranges are whole blocks or end with the source, and a partial
// last block may only go to the end of the target.
Status check_clone(const CopyRange& range, std::uint64_t count, std::uint64_t source_size,
                   std::uint64_t target_size, bool same) {
    const auto whole = [](std::uint64_t bytes) { return bytes % kBlockBytes == 0; };
    if (!whole(range.source_offset) || !whole(range.target_offset)) return Status::invalid;
    if (range.source_offset > source_size || count > source_size - range.source_offset)
        return Status::invalid;
    if (range.target_offset > kFileBytesMax || count > kFileBytesMax - range.target_offset)
        return Status::too_big;
    if (!whole(count) &&
        (range.source_offset + count != source_size || range.target_offset + count < target_size))
        return Status::invalid;
    if (same && overlap(range.source_offset, range.target_offset, whole_blocks(count)))
        return Status::invalid;
    return Status::ok;
}

}  // namespace

Status MemoryCopies::clone(const Caller& caller, OpenFile& source, OpenFile& target,
                           const CopyRange& range) {
    if (const Status open = check_access(source, target); open != Status::ok) return open;
    Node& from = MemoryOpenFile::of(tree_, source).node();
    Node& to = MemoryOpenFile::of(tree_, target).node();
    const std::shared_lock hold(tree_.lock);
    // Both nodes at once, so that no other operation on them comes in between. Nothing else locks
    // two nodes, and std::lock() avoids deadlocks between clones.
    std::unique_lock hold_from(from.mutex, std::defer_lock);
    std::unique_lock hold_to(to.mutex, std::defer_lock);
    if (&from == &to)
        hold_to.lock();
    else
        std::lock(hold_from, hold_to);
    const std::uint64_t size = from.content.size();
    const std::uint64_t count = range.count == kCopyToEnd ? limited(range, size) : range.count;
    if (const Status good = check_clone(range, count, size, to.content.size(), &from == &to);
        good != Status::ok)
        return good;
    if (count == 0) return Status::ok;
    if (!caller.may_block && count > kInPlaceBytesMax) return Status::would_block;
    const Status cloned = to.content.clone_from(from.content, range.source_offset,
                                                range.target_offset, count, tree_.budget);
    if (cloned != Status::ok) return cloned;
    if (!is_superuser(caller)) drop_privileges(to);
    to.touch_contents();
    return Status::ok;
}

}  // namespace helio::backend::memory
