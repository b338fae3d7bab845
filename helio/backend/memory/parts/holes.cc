#include "helio/backend/memory/parts/parts_internal.h"

namespace helio::backend::memory {

using namespace vfs;

Status MemoryHoles::seek(const Caller&, OpenFile& file, std::uint64_t offset, SeekFor what,
                         SeekOut& out) {
    MemoryOpenFile& open = MemoryOpenFile::of(tree_, file);
    if (!reads(open.access())) return Status::access_denied;
    const std::shared_lock hold(tree_.lock);
    const std::lock_guard hold_node(open.node().mutex);
    const Content& content = open.node().content;
    if (offset >= content.size()) return Status::past_end;
    out.offset = what == SeekFor::data ? content.find_data(offset) : content.find_hole(offset);
    out.end = out.offset >= content.size();
    return Status::ok;
}

Status MemoryHoles::allocate(const Caller& caller, OpenFile& file, std::uint64_t offset,
                             std::uint64_t length) {
    return change_range(caller, file, offset, length, &Content::allocate);
}

Status MemoryHoles::deallocate(const Caller& caller, OpenFile& file, std::uint64_t offset,
                               std::uint64_t length) {
    return change_range(caller, file, offset, length, &Content::deallocate);
}

Status MemoryHoles::change_range(const Caller& caller, OpenFile& file, std::uint64_t offset,
                                 std::uint64_t length,
                                 Status (Content::*change)(std::uint64_t, std::uint64_t, Budget&)) {
    MemoryOpenFile& open = MemoryOpenFile::of(tree_, file);
    if (!writes(open.access())) return Status::access_denied;
    if (length == 0) return Status::invalid;
    if (offset > kFileBytesMax || length > kFileBytesMax - offset) return Status::too_big;
    if (!caller.may_block && length > kInPlaceBytesMax) return Status::would_block;
    const std::shared_lock hold(tree_.lock);
    Node& node = open.node();
    const std::lock_guard hold_node(node.mutex);
    const Status changed = (node.content.*change)(offset, length, tree_.budget);
    if (changed != Status::ok) return changed;
    if (!is_superuser(caller)) drop_privileges(node);
    node.touch_contents();
    return Status::ok;
}

}  // namespace helio::backend::memory
