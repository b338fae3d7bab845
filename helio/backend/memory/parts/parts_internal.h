// The optional parts of MemoryFs. Each has its own source file; all work on one Tree.
#pragma once

#include "helio/backend/memory/tree_internal.h"
#include "helio/vfs/access_lists.h"
#include "helio/vfs/copying.h"
#include "helio/vfs/extended_attributes.h"
#include "helio/vfs/holes.h"
#include "helio/vfs/lock_manager.h"
#include "helio/vfs/open_files.h"

namespace helio::backend::memory {

// Keeps its node in the tree even if the last name is removed.
class MemoryOpenFile final : public vfs::OpenFile {
 public:
    // The caller has incremented node.opens.
    MemoryOpenFile(Tree& tree, Node& node, vfs::OpenAccess access)
        : tree_(tree), node_(node), id_(tree.id_of(node)), access_(access) {}
    ~MemoryOpenFile() override;
    MemoryOpenFile(const MemoryOpenFile&) = delete;
    MemoryOpenFile& operator=(const MemoryOpenFile&) = delete;

    // Asserts that the file was opened in this tree.
    static MemoryOpenFile& of(Tree& tree, vfs::OpenFile& file);
    Node& node() { return node_; }

    const vfs::FileId& id() const override { return id_; }
    vfs::OpenAccess access() const override { return access_; }
    bool closes_at_once() const override { return true; }
    vfs::Status attributes(const vfs::Caller& caller, vfs::Attributes& out) override;
    vfs::Status set_attributes(const vfs::Caller& caller, const vfs::Changes& changes,
                               const std::optional<vfs::Time>& guard, vfs::Change& out) override;
    vfs::Status read(const vfs::Caller& caller, std::uint64_t offset, std::uint32_t count,
                     vfs::Memory& memory, vfs::ReadOut& out) override;
    vfs::Status write(const vfs::Caller& caller, std::uint64_t offset, ByteView data,
                      vfs::Stability stability, vfs::WriteOut& out) override;
    vfs::Status commit(const vfs::Caller& caller, std::uint64_t offset, std::uint64_t count,
                       vfs::Change& out) override;

 private:
    Tree& tree_;
    Node& node_;
    const vfs::FileId id_;
    const vfs::OpenAccess access_;
};

class MemoryOpenFiles final : public vfs::OpenFiles {
 public:
    explicit MemoryOpenFiles(Tree& tree) : tree_(tree) {}
    vfs::Status open(const vfs::Caller& caller, const vfs::FileId& file, vfs::OpenAccess access,
                     vfs::OpenRights rights, std::shared_ptr<vfs::OpenFile>& out) override;

 private:
    Tree& tree_;
};

class MemoryHoles final : public vfs::Holes {
 public:
    explicit MemoryHoles(Tree& tree) : tree_(tree) {}
    vfs::Status seek(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                     vfs::SeekFor what, vfs::SeekOut& out) override;
    vfs::Status allocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                         std::uint64_t length) override;
    vfs::Status deallocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                           std::uint64_t length) override;

 private:
    vfs::Status change_range(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                             std::uint64_t length,
                             vfs::Status (Content::*change)(std::uint64_t, std::uint64_t, Budget&));

    Tree& tree_;
};

class MemoryCopies final : public vfs::Copying, public vfs::Cloning {
 public:
    explicit MemoryCopies(Tree& tree) : tree_(tree) {}
    vfs::Status copy(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                     const vfs::CopyRange& range, std::uint64_t& copied) override;
    // Clones could have any alignment here. A page makes clients behave as they do with disks.
    std::uint32_t clone_block_size() const override { return kBlockBytes; }
    vfs::Status clone(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                      const vfs::CopyRange& range) override;

 private:
    Tree& tree_;
};

class MemoryAttributes final : public vfs::ExtendedAttributes {
 public:
    explicit MemoryAttributes(Tree& tree) : tree_(tree) {}
    vfs::Status get(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                    std::vector<std::byte>& value) override;
    vfs::Status set(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                    ByteView value, vfs::AttributeSet how, vfs::Change& out) override;
    vfs::Status remove(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                       vfs::Change& out) override;
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& file,
                     std::vector<std::string>& names) override;

 private:
    Tree& tree_;
};

class MemoryAccessLists final : public vfs::AccessLists {
 public:
    explicit MemoryAccessLists(Tree& tree) : tree_(tree) {}
    vfs::Status get(const vfs::Caller& caller, const vfs::FileId& file, vfs::AclKind kind,
                    vfs::Acl& out) override;
    vfs::Status set(const vfs::Caller& caller, const vfs::FileId& file, vfs::AclKind kind,
                    std::span<const vfs::AclEntry> list) override;

 private:
    Tree& tree_;
};

struct Parts {
    explicit Parts(Tree& tree)
        : open_files(tree),
          holes(tree),
          copies(tree),
          extended_attributes(tree),
          access_lists(tree) {}

    MemoryOpenFiles open_files;
    vfs::LockManager range_locks;  // no other program can see the files
    MemoryHoles holes;
    MemoryCopies copies;
    MemoryAttributes extended_attributes;
    MemoryAccessLists access_lists;
};

}  // namespace helio::backend::memory
