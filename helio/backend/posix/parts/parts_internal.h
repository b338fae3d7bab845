// The optional parts of PosixFs, as far as Linux and the file system below the export have them.
// They use the node table, the identity switching and the helpers of PosixFs.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "helio/backend/posix/posix_fs_internal.h"
#include "helio/vfs/access_lists.h"
#include "helio/vfs/copying.h"
#include "helio/vfs/extended_attributes.h"
#include "helio/vfs/holes.h"
#include "helio/vfs/lock_manager.h"
#include "helio/vfs/open_files.h"

namespace helio::backend {

// Opens of one file share descriptors: one for readers, one for writers. Readers do not use the
// writable one, because a file that is open for writing cannot be executed on this machine. The
// readers' one stays open for a while after the last close.
class PosixOpenFiles final : public vfs::OpenFiles {
 public:
    PosixOpenFiles(PosixFs& fs, std::size_t files_max) : fs_(fs), files_max_(files_max) {}
    vfs::Status open(const vfs::Caller& caller, const vfs::FileId& file, vfs::OpenAccess access,
                     vfs::OpenRights rights, std::shared_ptr<vfs::OpenFile>& out) override;

 private:
    friend class PosixOpenFile;
    struct Opened {
        std::weak_ptr<DataFile> reader;
        std::weak_ptr<DataFile> writer;
        std::size_t opens = 0;
    };
    vfs::Status check_rights(const vfs::Caller& caller, Node& node, const struct stat& found,
                             vfs::OpenAccess access, vfs::OpenRights rights);
    // The descriptor of earlier opens, if there are any.
    std::shared_ptr<DataFile> find(const vfs::FileId& file, bool write);
    vfs::Status add(const vfs::FileId& file, std::shared_ptr<DataFile>& data);
    void closed(const vfs::FileId& file);

    PosixFs& fs_;
    const std::size_t files_max_;
    std::mutex mutex_;
    std::unordered_map<vfs::FileId, Opened> opened_;
};

class PosixOpenFile final : public vfs::OpenFile {
 public:
    PosixOpenFile(PosixFs& fs, PosixOpenFiles& all, NodePtr node, std::shared_ptr<DataFile> data,
                  vfs::OpenAccess access)
        : fs_(fs), all_(all), node_(std::move(node)), data_(std::move(data)), access_(access) {}
    ~PosixOpenFile() override { all_.closed(node_->id); }
    PosixOpenFile(const PosixOpenFile&) = delete;
    PosixOpenFile& operator=(const PosixOpenFile&) = delete;

    // Asserts that the file was opened by `fs`.
    static PosixOpenFile& of(const PosixFs& fs, vfs::OpenFile& file);
    int descriptor() const { return data_->fd.get(); }
    const std::shared_ptr<DataFile>& data() const { return data_; }

    const vfs::FileId& id() const override { return node_->id; }
    vfs::OpenAccess access() const override { return access_; }
    bool closes_at_once() const override;
    std::string path() const override;
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
    PosixFs& fs_;
    PosixOpenFiles& all_;
    const NodePtr node_;
    const std::shared_ptr<DataFile> data_;
    const vfs::OpenAccess access_;
};

// The locks of one file in the kernel, so that local programs and clients see each other's locks.
// They are open file description locks (F_OFD_SETLK) on one of the descriptions that the opens of
// the file share: the kernel sees all owners as one, and LockManager tells them apart.
class KernelLocks final : public vfs::OuterLocks {
 public:
    KernelLocks(const PosixFs& fs, std::shared_ptr<DataFile> data)
        : fs_(fs), data_(std::move(data)) {}
    ~KernelLocks() override { unlock_all(); }
    KernelLocks(const KernelLocks&) = delete;
    KernelLocks& operator=(const KernelLocks&) = delete;

    vfs::Status test(const vfs::LockRange& range, vfs::LockType type,
                     std::optional<vfs::LockConflict>& conflict) override;
    vfs::Status acquire(vfs::OpenFile& file, const vfs::LockRange& range, vfs::LockType type,
                        vfs::LockConflict& conflict) override;
    void weaken(const vfs::LockRange& range, std::optional<vfs::LockType> type) override;

 private:
    vfs::Status move_to(const std::shared_ptr<DataFile>& writer);
    void unlock_all();

    const PosixFs& fs_;
    std::shared_ptr<DataFile> data_;
    bool has_locked_ = false;
    // The locks held on the readers' description. The first write lock moves them to the writers'.
    vfs::FileLocks read_locks_;
};

class PosixHoles final : public vfs::Holes {
 public:
    explicit PosixHoles(PosixFs& fs) : fs_(fs) {}
    vfs::Status seek(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                     vfs::SeekFor what, vfs::SeekOut& out) override;
    vfs::Status allocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                         std::uint64_t length) override;
    vfs::Status deallocate(const vfs::Caller& caller, vfs::OpenFile& file, std::uint64_t offset,
                           std::uint64_t length) override;

 private:
    vfs::Status change_range(const vfs::Caller& caller, vfs::OpenFile& file, int mode,
                             std::uint64_t offset, std::uint64_t length);

    PosixFs& fs_;
};

class PosixCopies final : public vfs::Copying, public vfs::Cloning {
 public:
    PosixCopies(PosixFs& fs, std::uint32_t clone_block_size)
        : fs_(fs), clone_block_size_(clone_block_size) {}
    vfs::Status copy(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                     const vfs::CopyRange& range, std::uint64_t& copied) override;
    std::uint32_t clone_block_size() const override { return clone_block_size_; }
    vfs::Status clone(const vfs::Caller& caller, vfs::OpenFile& source, vfs::OpenFile& target,
                      const vfs::CopyRange& range) override;

 private:
    PosixFs& fs_;
    const std::uint32_t clone_block_size_;
};

class PosixAttributes final : public vfs::ExtendedAttributes {
 public:
    explicit PosixAttributes(PosixFs& fs) : fs_(fs) {}
    vfs::Status get(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                    std::vector<std::byte>& value) override;
    vfs::Status set(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                    ByteView value, vfs::AttributeSet how, vfs::Change& out) override;
    vfs::Status remove(const vfs::Caller& caller, const vfs::FileId& file, std::string_view name,
                       vfs::Change& out) override;
    vfs::Status list(const vfs::Caller& caller, const vfs::FileId& file,
                     std::vector<std::string>& names) override;

 private:
    // Runs a system call that changes attributes, with everything around it.
    template <class Call>
    vfs::Status change(const vfs::Caller& caller, const vfs::FileId& file, vfs::Change& out,
                       const Call& call);

    PosixFs& fs_;
};

class PosixAccessLists final : public vfs::AccessLists {
 public:
    explicit PosixAccessLists(PosixFs& fs) : fs_(fs) {}
    vfs::Status get(const vfs::Caller& caller, const vfs::FileId& file, vfs::AclKind kind,
                    vfs::Acl& out) override;
    vfs::Status set(const vfs::Caller& caller, const vfs::FileId& file, vfs::AclKind kind,
                    std::span<const vfs::AclEntry> list) override;

 private:
    PosixFs& fs_;
};

// What the underlying file system supports.
struct PosixFeatures {
    bool holes = false;
    bool clones = false;
    std::uint32_t clone_block_size = 0;
    bool extended_attributes = false;
    bool access_lists = false;
};
// Tries things out, but leaves nothing visible in the directory.
PosixFeatures probe_features(const std::string& directory);

struct PosixParts {
    PosixParts(PosixFs& fs, const PosixFeatures& found, std::size_t open_files_max);

    const PosixFeatures features;
    PosixOpenFiles open_files;
    vfs::LockManager range_locks;
    PosixHoles holes;
    PosixCopies copies;
    PosixAttributes extended_attributes;
    PosixAccessLists access_lists;
};

// Reads an extended attribute, with its full name.
vfs::Status get_attribute(const std::string& path, const char* name, std::vector<std::byte>& value);

// Syncs changed attributes of a file to disk if PosixOptions::sync_metadata asks for it.
vfs::Status sync_if_asked(PosixFs& fs, const Node& node);

}  // namespace helio::backend
