#include "helio/backend/memory/parts/parts_internal.h"
#include "helio/base/assert.h"

namespace helio::backend::memory {

using namespace vfs;

namespace {

bool may_open(const Caller& caller, const Node& node, OpenAccess access, OpenRights rights) {
    const bool owner_may = rights == OpenRights::owner_may && caller.uid == node.uid;
    if (owner_may) return true;
    if (reads(access) && !may(caller, node, kMayRead) && !may(caller, node, kMayExecute))
        return false;
    return !writes(access) || may(caller, node, kMayWrite);
}

}  // namespace

Status MemoryOpenFiles::open(const Caller& caller, const FileId& file, OpenAccess access,
                             OpenRights rights, std::shared_ptr<OpenFile>& out) {
    const std::shared_lock hold(tree_.lock);
    Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    if (const Status regular = check_regular(*node); regular != Status::ok) return regular;
    if (!may_open(caller, *node, access, rights)) return Status::access_denied;
    out = std::make_shared<MemoryOpenFile>(tree_, *node, access);
    ++node->opens;
    return Status::ok;
}

MemoryOpenFile::~MemoryOpenFile() {
    {
        const std::shared_lock hold(tree_.lock);
        const std::lock_guard hold_node(node_.mutex);
        // A name or another open keeps the node.
        if (node_.opens > 1 || node_.links > 0) {
            --node_.opens;
            return;
        }
    }
    // This was the last open of a file without a name. No new one can have come: opening needs a
    // name.
    const std::unique_lock hold(tree_.lock);
    --node_.opens;
    tree_.drop(node_);
}

MemoryOpenFile& MemoryOpenFile::of(Tree& tree, OpenFile& file) {
    auto* const mine = dynamic_cast<MemoryOpenFile*>(&file);
    HELIO_ASSERT(mine != nullptr && &mine->tree_ == &tree);
    return *mine;
}

Status MemoryOpenFile::attributes(const Caller&, Attributes& out) {
    const std::shared_lock hold(tree_.lock);
    out = tree_.snapshot(node_);
    return Status::ok;
}

Status MemoryOpenFile::set_attributes(const Caller& caller, const Changes& changes,
                                      const std::optional<Time>& guard, Change& out) {
    const std::shared_lock hold(tree_.lock);
    const std::lock_guard hold_node(node_.mutex);
    const ChangeRecorder recorded(tree_, node_, out);
    if (guard && *guard != node_.changed) return Status::guard_mismatch;
    if (changes.size && !writes(access_)) return Status::access_denied;
    if (changes.size && *changes.size > kFileBytesMax) return Status::too_big;
    Changes rest = changes;
    rest.size.reset();
    if (const Status allowed = check_changes(caller, node_, rest); allowed != Status::ok)
        return allowed;
    return apply_changes(caller, node_, changes, tree_.budget);
}

Status MemoryOpenFile::read(const Caller&, std::uint64_t offset, std::uint32_t count,
                            Memory& memory, ReadOut& out) {
    PendingRead pending;
    {
        const std::shared_lock hold(tree_.lock);
        const std::lock_guard hold_node(node_.mutex);
        out.after = tree_.describe(node_);
        if (!reads(access_)) return Status::access_denied;
        const Status begun = begin_read(tree_, node_, offset, count, memory, pending, out);
        if (begun != Status::ok) return begun;
    }
    return finish_read(pending, offset, memory, out);
}

Status MemoryOpenFile::write(const Caller& caller, std::uint64_t offset, ByteView data, Stability,
                             WriteOut& out) {
    const std::shared_lock hold(tree_.lock);
    const std::lock_guard hold_node(node_.mutex);
    const ChangeRecorder recorded(tree_, node_, out.file);
    if (!writes(access_)) return Status::access_denied;
    return write_node(caller, node_, offset, data, tree_.budget, out);
}

Status MemoryOpenFile::commit(const Caller&, std::uint64_t, std::uint64_t, Change& out) {
    const std::shared_lock hold(tree_.lock);
    const std::lock_guard hold_node(node_.mutex);
    const ChangeRecorder recorded(tree_, node_, out);
    return Status::ok;
}

}  // namespace helio::backend::memory
