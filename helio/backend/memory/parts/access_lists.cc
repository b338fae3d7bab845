#include "helio/backend/memory/parts/parts_internal.h"

namespace helio::backend::memory {

using namespace vfs;

Status MemoryAccessLists::get(const Caller&, const FileId& file, AclKind kind, Acl& out) {
    const std::shared_lock hold(tree_.lock);
    const Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    if (node->type == FileType::symlink) return Status::not_supported;
    if (kind == AclKind::access)
        out = node->access_list() ? *node->access_list() : acl_from_mode(node->mode);
    else
        out = node->extras ? node->extras->inherited : Acl{};
    return Status::ok;
}

Status MemoryAccessLists::set(const Caller& caller, const FileId& file, AclKind kind,
                              std::span<const AclEntry> list) {
    Acl wanted(list.begin(), list.end());
    if (!wanted.empty() && !make_valid(wanted)) return Status::invalid;
    const std::shared_lock hold(tree_.lock);
    Node* node = tree_.find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    if (node->type == FileType::symlink) return Status::not_supported;
    if (kind == AclKind::inherited && !node->is_directory()) return Status::not_a_directory;
    if (!is_superuser(caller) && caller.uid != node->uid) return Status::not_permitted;
    const bool of_access = kind == AclKind::access;
    std::uint32_t mode = node->mode;
    if (of_access && !wanted.empty()) {
        mode = (mode & ~0777u) | mode_of(wanted);
        if (!is_superuser(caller) && !is_member(caller, node->gid)) mode &= ~kSetGid;
        if (is_minimal(wanted)) wanted.clear();
    }
    Acl Extras::*const list_of_kind = of_access ? &Extras::access : &Extras::inherited;
    const std::uint64_t before = node->extras ? bytes_of((*node->extras).*list_of_kind) : 0;
    const Status room = node->resize_extras(before, bytes_of(wanted), tree_.budget);
    if (room != Status::ok) return room;
    if (node->extras) (*node->extras).*list_of_kind = std::move(wanted);
    node->mode = mode;
    node->touch_attributes();
    return Status::ok;
}

}  // namespace helio::backend::memory
