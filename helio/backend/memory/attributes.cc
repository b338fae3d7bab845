#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

Status MemoryFs::attributes(const Caller&, const FileId& file, Attributes& out) {
    const std::shared_lock hold(tree_->lock);
    const Node* node = tree_->find(file);
    if (!node) return Status::stale;
    out = tree_->snapshot(*node);
    return Status::ok;
}

Status MemoryFs::set_attributes(const Caller& caller, const FileId& file, const Changes& changes,
                                const std::optional<Time>& guard, Change& out) {
    const std::shared_lock hold(tree_->lock);
    Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const ChangeRecorder recorded(*tree_, *node, out);
    if (guard && *guard != node->changed) return Status::guard_mismatch;
    if (const Status allowed = check_changes(caller, *node, changes); allowed != Status::ok)
        return allowed;
    // A client that sets attributes has received its reply to CREATE. From here on the name is
    // taken, even for a client that happens to choose the same verifier.
    node->verifier.reset();
    return apply_changes(caller, *node, changes, tree_->budget);
}

namespace {

// RFC 1813 §3.3.4: in a directory, entries are modified, added and deleted, which requires finding
// them too. Nothing is deleted through a file itself.
std::uint32_t granted_by(const Caller& caller, const Node& node) {
    const bool read = may(caller, node, kMayRead);
    const bool write = may(caller, node, kMayWrite);
    const bool execute = may(caller, node, kMayExecute);
    std::uint32_t granted = read ? vfs::access::kRead : 0;
    if (node.is_directory()) {
        if (execute) granted |= vfs::access::kLookup;
        if (execute && write)
            granted |= vfs::access::kModify | vfs::access::kExtend | vfs::access::kDelete;
    } else {
        if (write) granted |= vfs::access::kModify | vfs::access::kExtend;
        if (execute) granted |= vfs::access::kExecute;
    }
    return granted;
}

}  // namespace

Status MemoryFs::access(const Caller& caller, const FileId& file, std::uint32_t wanted,
                        AccessOut& out) {
    const std::shared_lock hold(tree_->lock);
    const Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    out.granted = granted_by(caller, *node) & wanted;
    out.after = tree_->describe(*node);
    return Status::ok;
}

}  // namespace helio::backend
