#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "helio/backend/memory/tree_internal.h"

namespace helio::backend {

using namespace memory;
using namespace vfs;

namespace {

Status check_regular(const Node& node) {
    if (node.is_directory()) return Status::is_a_directory;
    return node.is_regular() ? Status::ok : Status::invalid;
}

// What the file has there, which is less than asked for when it has been cut meanwhile.
Status read_file(const MemoryFile& file, std::uint64_t offset, std::span<std::byte> into,
                 Payload& out) {
    std::size_t have = 0;
    while (have < into.size()) {
        const ssize_t got = pread(file.descriptor(), into.data() + have, into.size() - have,
                                  static_cast<off_t>(offset + have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return status_of(errno);
        if (got == 0) break;
        have += static_cast<std::size_t>(got);
    }
    out = ByteView{into.first(have)};
    return Status::ok;
}

}  // namespace

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
    std::shared_ptr<const MemoryFile> from;
    std::size_t size = 0;
    {
        const std::shared_lock hold(tree_->lock);
        Node* node = tree_->find(file);
        if (!node) return Status::stale;
        const std::lock_guard hold_node(node->mutex);
        out.after = tree_->describe(*node);
        if (const Status regular = check_regular(*node); regular != Status::ok) return regular;
        if (!may_read_data(caller, *node)) return Status::access_denied;

        const std::uint64_t left = node->content.size() - std::min(offset, node->content.size());
        size = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
        out.end = size == left;
        if (count > 0) node->touch_accessed();
        out.after = tree_->describe(*node);
        if (size == 0) return Status::ok;
        from = node->content.file();
        if (!from) {
            const auto room = memory.take(size);
            if (room.size() < size) return Status::server_fault;
            std::memcpy(room.data(), node->content.heap().data() + offset, size);
            out.data = ByteView{room.first(size)};
            return Status::ok;
        }
    }
    // The descriptor is ours too now: a long read keeps nobody waiting.
    if (size >= kReadByReferenceMin) {
        out.data = memory.file(from->descriptor(), offset, size, from);
        if (!out.data.empty()) return Status::ok;
    }
    const auto room = memory.take(size);
    if (room.size() < size) return Status::server_fault;
    const Status status = read_file(*from, offset, room.first(size), out.data);
    if (out.data.size() < size) out.end = true;
    return status;
}

Status MemoryFs::write(const Caller& caller, const FileId& file, std::uint64_t offset,
                       ByteView data, Stability, WriteOut& out) {
    const std::shared_lock hold(tree_->lock);
    Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const Recorded recorded(*tree_, *node, out.file);
    if (const Status regular = check_regular(*node); regular != Status::ok) return regular;
    if (!may_write_data(caller, *node)) return Status::access_denied;
    // There is no disk: nothing is left for a later commit to do.
    out.stability = Stability::file;
    out.count = 0;
    if (data.empty()) return Status::ok;
    if (offset > kFileBytesMax || data.size() > kFileBytesMax - offset) return Status::too_big;
    const Status written = node->content.write(offset, data, tree_->budget);
    if (written != Status::ok) return written;
    out.count = static_cast<std::uint32_t>(data.size());
    if (!is_superuser(caller)) drop_privileges(*node);
    node->touch(true);
    return Status::ok;
}

Status MemoryFs::commit(const Caller&, const FileId& file, std::uint64_t, std::uint64_t,
                        Change& out) {
    const std::shared_lock hold(tree_->lock);
    const Node* node = tree_->find(file);
    if (!node) return Status::stale;
    const std::lock_guard hold_node(node->mutex);
    const Recorded recorded(*tree_, *node, out);
    return check_regular(*node);
}

}  // namespace helio::backend
