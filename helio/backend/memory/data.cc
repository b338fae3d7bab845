#include <algorithm>
#include <cstring>

#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

namespace memory {

Status check_regular(const Node& node) {
    if (node.is_directory()) return Status::is_a_directory;
    return node.is_regular() ? Status::ok : Status::invalid;
}

Status begin_read(const Tree& tree, Node& node, std::uint64_t offset, std::uint32_t count,
                  Memory& memory, PendingRead& pending, ReadOut& out) {
    const std::uint64_t left = node.content.size() - std::min(offset, node.content.size());
    pending.size = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
    out.end = pending.size == left;
    if (count > 0) node.touch_accessed();
    out.after = tree.describe(node);
    if (pending.size == 0) return Status::ok;
    pending.file = node.content.file();
    if (pending.file) return Status::ok;
    const auto room = memory.take(pending.size);
    if (room.size() < pending.size) return Status::server_fault;
    std::memcpy(room.data(), node.content.heap().data() + offset, pending.size);
    out.data = ByteView{room.first(pending.size)};
    return Status::ok;
}

Status finish_read(const PendingRead& pending, std::uint64_t offset, Memory& memory, ReadOut& out) {
    const auto& [file, size] = pending;
    if (!file) return Status::ok;
    if (size >= kReadByReferenceMin) {
        out.data = memory.file(file->descriptor(), offset, size, file);
        if (!out.data.empty()) return Status::ok;
    }
    const auto room = memory.take(size);
    if (room.size() < size) return Status::server_fault;
    std::size_t have = 0;
    const Status status = read_file(*file, offset, room.first(size), have);
    // Less than was promised if the file was truncated meanwhile.
    out.data = ByteView{room.first(have)};
    if (have < size) out.end = true;
    return status;
}

Status write_node(const Caller& caller, Node& node, std::uint64_t offset, ByteView data,
                  Budget& budget, WriteOut& out) {
    // There is no disk: a later commit has nothing to do.
    out.stability = Stability::file;
    out.count = 0;
    if (data.empty()) return Status::ok;
    if (offset > kFileBytesMax || data.size() > kFileBytesMax - offset) return Status::too_big;
    const Status written = node.content.write(offset, data, budget);
    if (written != Status::ok) return written;
    out.count = static_cast<std::uint32_t>(data.size());
    if (!is_superuser(caller)) drop_privileges(node);
    node.touch_contents();
    return Status::ok;
}

}  // namespace memory

Status MemoryFs::read_link(const Caller&, const FileId& file, Memory& memory, LinkText& out) {
    const std::shared_lock hold(tree_->lock);
    Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    out.after = tree_->describe(*node);
    if (node->type != FileType::symlink) return Status::invalid;
    const auto room = memory.take(node->target.size());
    if (room.size() < node->target.size()) return Status::server_fault;
    std::memcpy(room.data(), node->target.data(), node->target.size());
    out.text = as_text(room.first(node->target.size()));
    node->touch_accessed();
    out.after = tree_->describe(*node);
    return Status::ok;
}

Status MemoryFs::read(const Caller& caller, const FileId& file, std::uint64_t offset,
                      std::uint32_t count, Memory& memory, ReadOut& out) {
    PendingRead pending;
    {
        const std::shared_lock hold(tree_->lock);
        Node* node = tree_->find(file);
        if (!node) return Status::stale;
        const std::lock_guard hold_node(node->mutex);
        out.after = tree_->describe(*node);
        if (const Status regular = check_regular(*node); regular != Status::ok) return regular;
        if (!may_read_data(caller, *node)) return Status::access_denied;
        const Status begun = begin_read(*tree_, *node, offset, count, memory, pending, out);
        if (begun != Status::ok) return begun;
    }
    return finish_read(pending, offset, memory, out);
}

Status MemoryFs::write(const Caller& caller, const FileId& file, std::uint64_t offset,
                       ByteView data, Stability, WriteOut& out) {
    const std::shared_lock hold(tree_->lock);
    Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const ChangeRecorder recorded(*tree_, *node, out.file);
    if (const Status regular = check_regular(*node); regular != Status::ok) return regular;
    if (!may_write_data(caller, *node)) return Status::access_denied;
    return write_node(caller, *node, offset, data, tree_->budget, out);
}

Status MemoryFs::commit(const Caller&, const FileId& file, std::uint64_t, std::uint64_t,
                        Change& out) {
    const std::shared_lock hold(tree_->lock);
    const Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const ChangeRecorder recorded(*tree_, *node, out);
    return check_regular(*node);
}

}  // namespace helio::backend
