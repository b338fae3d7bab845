#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "helio/backend/posix/parts/parts_internal.h"
#include "helio/base/assert.h"

namespace helio::backend {

using vfs::Status;

Status PosixOpenFiles::check_rights(const vfs::Caller& caller, Node& node, const struct stat& found,
                                    vfs::OpenAccess access, vfs::OpenRights rights) {
    if (!S_ISREG(found.st_mode))
        return S_ISDIR(found.st_mode) ? Status::is_a_directory : Status::invalid;
    const bool owner = !fs_.acts_as_caller() || caller.uid == found.st_uid;
    if (rights == vfs::OpenRights::owner_may && owner) return Status::ok;
    const int have = fs_.rights(caller, node, found);
    if (vfs::reads(access) && (have & (R_OK | X_OK)) == 0) return Status::access_denied;
    if (vfs::writes(access) && (have & W_OK) == 0) return Status::access_denied;
    return Status::ok;
}

Status PosixOpenFiles::open(const vfs::Caller& caller, const vfs::FileId& file,
                            vfs::OpenAccess access, vfs::OpenRights rights,
                            std::shared_ptr<vfs::OpenFile>& out) {
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status == Status::ok) status = fs_.look(*node, found);
    if (status == Status::ok) status = check_rights(caller, *node, found, access, rights);
    if (status != Status::ok) return status;
    const bool write = vfs::writes(access);
    std::shared_ptr<DataFile> data = find(file, write);
    if (!data && !write) data = fs_.held_reader(*node);
    if (!data) {
        Fd fd{fs_.reopen(caller, *node, write ? O_RDWR : O_RDONLY)};
        const int error = errno;
        if (fd) {
            data = std::make_shared<DataFile>();
            data->fd = std::move(fd);
            data->writable = write;
            // Most files are read once and soon again. One that was open for writing is closed with
            // its last open, for it could not be executed.
            if (!write) fs_.hold_reader(*node, data);
        } else if (error == EACCES) {
            // The descriptor that a client created the file with may still be open.
            data = fs_.held_data(*node, vfs::reads(access), write);
        }
        if (!data) return vfs::status_of(error);
    }
    status = add(file, data);
    if (status != Status::ok) return status;
    out = std::make_shared<PosixOpenFile>(fs_, *this, std::move(node), std::move(data), access);
    return Status::ok;
}

std::shared_ptr<DataFile> PosixOpenFiles::find(const vfs::FileId& file, bool write) {
    const std::lock_guard lock{mutex_};
    const auto at = opened_.find(file);
    if (at == opened_.end()) return nullptr;
    return (write ? at->second.writer : at->second.reader).lock();
}

Status PosixOpenFiles::add(const vfs::FileId& file, std::shared_ptr<DataFile>& data) {
    std::shared_ptr<DataFile> not_needed;  // closed after the mutex is released
    const std::lock_guard lock{mutex_};
    if (!opened_.contains(file) && opened_.size() >= files_max_) return Status::busy;
    Opened& opened = opened_[file];
    ++opened.opens;
    auto& shared = data->writable ? opened.writer : opened.reader;
    if (auto theirs = shared.lock()) {
        not_needed = std::exchange(data, std::move(theirs));  // another thread opened it first
    } else {
        shared = data;
    }
    return Status::ok;
}

void PosixOpenFiles::closed(const vfs::FileId& file) {
    const std::lock_guard lock{mutex_};
    const auto at = opened_.find(file);
    HELIO_ASSERT(at != opened_.end());
    if (--at->second.opens == 0) opened_.erase(at);
}

PosixOpenFile& PosixOpenFile::of(const PosixFs& fs, vfs::OpenFile& file) {
    auto* const mine = dynamic_cast<PosixOpenFile*>(&file);
    HELIO_ASSERT(mine != nullptr && &mine->fs_ == &fs);
    return *mine;
}

// If something else keeps the descriptors.
bool PosixOpenFile::closes_at_once() const {
    return data_.use_count() > 1 && !node_->gone && !fs_.always_blocks();
}

std::string PosixOpenFile::path() const { return fs_.path_of(descriptor()); }

Status PosixOpenFile::attributes(const vfs::Caller&, vfs::Attributes& out) {
    struct stat found;
    if (quick_stat(descriptor(), found) != 0) return vfs::status_of(errno);
    out = fs_.to_attributes(found);
    return Status::ok;
}

Status PosixOpenFile::set_attributes(const vfs::Caller& caller, const vfs::Changes& changes,
                                     const std::optional<vfs::Time>& guard, vfs::Change& out) {
    if (!caller.may_block) return Status::would_block;
    if (!fs_.identity().assume(caller)) return Status::server_fault;
    const std::lock_guard lock{fs_.lock_of(*node_)};
    struct stat found;
    if (quick_stat(descriptor(), found) != 0) return vfs::status_of(errno);
    out.before = to_before(found);
    Status status = Status::ok;
    if (guard && *guard != to_time(found.st_ctim)) status = Status::guard_mismatch;
    if (status == Status::ok && changes.size) {
        if (!vfs::writes(access_))
            status = Status::access_denied;
        else if (*changes.size > INT64_MAX)
            status = Status::too_big;
        else if (ftruncate(descriptor(), static_cast<off_t>(*changes.size)) != 0)
            status = vfs::status_of(errno);
    }
    if (status == Status::ok) {
        vfs::Changes rest = changes;
        rest.size.reset();
        status = fs_.apply(caller, *node_, found, rest);
    }
    if (status == Status::ok && fs_.syncs_metadata()) status = fs_.sync_data(*data_);
    fs_.note_after(*node_, out.after);
    return status;
}

Status PosixOpenFile::read(const vfs::Caller& caller, std::uint64_t offset, std::uint32_t count,
                           vfs::Memory& memory, vfs::ReadOut& out) {
    if (!vfs::reads(access_)) return Status::access_denied;
    return fs_.read_open(caller, data_, offset, count, memory, out);
}

Status PosixOpenFile::write(const vfs::Caller& caller, std::uint64_t offset, ByteView data,
                            vfs::Stability stability, vfs::WriteOut& out) {
    if (!PosixFs::may_write_now(caller, data.size(), stability)) return Status::would_block;
    // The kernel checks the writer's identity to clear set-user-ID bits and to account quotas.
    if (!fs_.identity().assume(caller)) return Status::server_fault;
    struct stat found;
    if (quick_stat(descriptor(), found) != 0) return vfs::status_of(errno);
    out.file.before = to_before(found);
    const Status status = vfs::writes(access_)
                              ? fs_.write_data(*data_, offset, data, stability, out)
                              : Status::access_denied;
    fs_.note_after(*node_, out.file.after);
    return status;
}

Status PosixOpenFile::commit(const vfs::Caller& caller, std::uint64_t, std::uint64_t,
                             vfs::Change& out) {
    if (!caller.may_block) return Status::would_block;
    struct stat found;
    if (quick_stat(descriptor(), found) != 0) return vfs::status_of(errno);
    out.before = to_before(found);
    const Status status = fs_.sync_data(*data_);
    fs_.note_after(*node_, out.after);
    return status;
}

}  // namespace helio::backend
