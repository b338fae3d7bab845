#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "helio/backend/posix/posix_fs_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

// The mode of a file created without one, or created exclusively until its mode is set.
constexpr mode_t kModeDefault = 0644;
constexpr mode_t kModeExclusive = 0600;

// Stores a verifier in the file's times until the client sets them (RFC 1813 §3.3.8), so that it
// survives the server. 31 bits each, which every file system supports.
struct VerifierTimes {
    explicit VerifierTimes(std::uint64_t verifier)
        : accessed(static_cast<std::int64_t>(verifier & 0x7fffffff)),
          modified(static_cast<std::int64_t>(verifier >> 32 & 0x7fffffff)) {}
    std::int64_t accessed;
    std::int64_t modified;

    // Whether an earlier attempt of the same call made this file, for this user: it has the
    // verifier, and everything else is as that attempt left it. The times alone could be those of
    // any file.
    bool made(const struct stat& file, uid_t user) const {
        return S_ISREG(file.st_mode) && file.st_size == 0 && file.st_nlink == 1 &&
               file.st_uid == user &&
               // A default access list may have removed rights.
               (file.st_mode & 07777 & ~kModeExclusive) == 0 && file.st_atim.tv_sec == accessed &&
               file.st_mtim.tv_sec == modified && file.st_atim.tv_nsec == 0 &&
               file.st_mtim.tv_nsec == 0;
    }
    bool set(int fd) const {
        const timespec times[2] = {{accessed, 0}, {modified, 0}};
        return futimens(fd, times) == 0;
    }
};

// Some file systems return EEXIST for a directory that is not empty.
Status status_of_removal(int error) {
    return error == EEXIST ? Status::not_empty : vfs::status_of(error);
}

}  // namespace

Status PosixFs::lookup(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::LookupOut& out) {
    NodePtr parent;
    Status status = open_directory(caller, directory, parent);
    if (status != Status::ok) {
        if (parent) note_after(*parent, out.directory);
        return status;
    }
    const Name path(name);
    NodePtr node;
    struct stat found;
    const bool goes_up = name == ".." && parent != nodes_.root();
    // The parent may be on another file system.
    if (goes_up && !caller.may_block && nodes_.may_meet_others()) return Status::would_block;
    if (goes_up) {
        // Not noted in the index: ".." is no name to find the file by later. The directory may just
        // have been moved out of the export, so check where it leads.
        Fd above{openat(parent->path.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)};
        if (!above || fstat(above.get(), &found) != 0) {
            status = vfs::status_of(errno);
        } else if (found.st_ino == nodes_.root()->inode && found.st_dev == nodes_.root()->device) {
            node = nodes_.root();
        } else if (const auto id = nodes_.ids().of(above.get(), "", found);
                   id && nodes_.is_inside(above.get())) {
            node = nodes_.adopt(std::move(above), found, *id);
        } else {
            status = Status::stale;
        }
    } else if (name == "." || name == "..") {
        node = parent;
        status = look(*node, found);
    } else {
        const auto may_wait = caller.may_block ? Nodes::MayWait::yes : Nodes::MayWait::no;
        status = nodes_.open_name(*parent, path.get(), may_wait, node, found);
    }
    if (status == Status::would_block) return status;
    note_after(*parent, out.directory);
    if (status != Status::ok) return status;
    if (node == nodes_.root()) quick_stat(node->path.get(), found);
    out.id = node->id;
    out.attributes = to_attributes(found);
    return Status::ok;
}

Status PosixFs::begin_change(const vfs::Caller& caller, const vfs::FileId& directory,
                             DirectoryChange& out, vfs::Change& change) {
    if (!caller.may_block) return Status::would_block;
    Status status = open_directory(caller, directory, out.directory, Nodes::Seen::now);
    if (status != Status::ok) return status;
    out.lock = std::unique_lock(lock_of(*out.directory));
    struct stat before;
    status = look(*out.directory, before);
    if (status != Status::ok) return status;
    out.mode = before.st_mode;
    change.before = to_before(before);
    return Status::ok;
}

Status PosixFs::end_change(Status status, const DirectoryChange& changing, vfs::Change& change) {
    if (status == Status::ok && options_.sync_metadata)
        status = sync_directory(*changing.directory);
    note_after(*changing.directory, change.after);
    return status;
}

void PosixFs::hold_data(Node& node, Fd fd) {
    auto data = std::make_shared<DataFile>();
    data->fd = std::move(fd);
    data->writable = true;
    const std::lock_guard lock{node.mutex};
    node.data = std::move(data);
    node.data_used = nodes_.tick();
}

Status PosixFs::finish_made(const vfs::Caller& caller, const NodePtr& directory, const Name& name,
                            const vfs::Changes& changes, Fd fd, vfs::CreateOut& out) {
    NodePtr node;
    struct stat found, made;
    const bool is_open = fd && quick_stat(fd.get(), made) == 0;
    Status status = nodes_.open_new(*directory, name.get(), node, found);
    if (status == Status::ok) {
        if (!is_open) made = found;
        // Kept open for writing from the beginning: its mode may forbid that from now on.
        if (is_open && made.st_ino == node->inode) hold_data(*node, std::move(fd));
        status = set_new(caller, *node, found, changes);
        out.id = node->id;
        out.attributes = to_attributes(found);
    } else if (!is_open) {
        return status;
    }
    if (status != Status::ok) take_back(*directory, name, made);
    return status;
}

Status PosixFs::set_new(const vfs::Caller& caller, Node& node, struct stat& found,
                        const vfs::Changes& changes) {
    vfs::Changes rest = changes;
    if (rest.uid == found.st_uid) rest.uid.reset();
    if (rest.gid == found.st_gid) rest.gid.reset();
    // The file was created with these permissions. If some are missing, the directory's inherited
    // access list denies them. Only the special bits may still have to be set, since a new owner
    // clears them.
    const bool new_owner = rest.uid || rest.gid;
    if (rest.mode && !new_owner && ((found.st_mode ^ *rest.mode) & 07000) == 0) rest.mode.reset();
    if (rest.mode) rest.mode = (*rest.mode & 07000) | (found.st_mode & 0777);
    if (rest.size && *rest.size == 0 && found.st_size == 0) rest.size.reset();
    if (!rest.mode && !new_owner && !rest.size && rest.accessed.how == vfs::NewTime::How::leave &&
        rest.modified.how == vfs::NewTime::How::leave)
        return Status::ok;
    const Status status = apply(caller, node, found, rest);
    return quick_stat(node.path.get(), found) == 0 ? status : vfs::status_of(errno);
}

// The name may belong to another program's file by now.
void PosixFs::take_back(const Node& directory, const Name& name, const struct stat& made) {
    const int at = directory.path.get();
    struct stat there;
    if (fstatat(at, name.get(), &there, AT_SYMLINK_NOFOLLOW) != 0 || there.st_ino != made.st_ino ||
        there.st_dev != made.st_dev)
        return;
    const NodePtr node = nodes_.open_one(made);
    if (unlinkat(at, name.get(), S_ISDIR(made.st_mode) ? AT_REMOVEDIR : 0) == 0 && node)
        nodes_.removed(node->id, directory, name.get(), true);
}

Status PosixFs::create(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, const vfs::NewFile& how, vfs::CreateOut& out) {
    DirectoryChange parent;
    Status status = begin_change(caller, directory, parent, out.directory);
    if (status != Status::ok) return status;
    const Name path(name);
    if (how.mode == vfs::CreateMode::exclusive) {
        status = create_exclusively(caller, parent.directory, path, how, out);
    } else {
        // Set-user-id bits are set last, when nothing can fail any more.
        const mode_t mode = how.attributes.mode.value_or(kModeDefault) & 01777;
        Fd fd{openat(parent.directory->path.get(), path.get(),
                     O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode)};
        if (fd) {
            status =
                finish_made(caller, parent.directory, path, how.attributes, std::move(fd), out);
        } else if (errno == EEXIST && how.mode == vfs::CreateMode::unchecked) {
            status = open_existing(caller, parent.directory, path, how, out);
        } else {
            status = vfs::status_of(errno);
        }
    }
    return end_change(status, parent, out.directory);
}

// The file appears together with its verifier, so that a server that dies in between leaves nothing
// that the client's next attempt would take for another client's file.
Status PosixFs::create_exclusively(const vfs::Caller& caller, const NodePtr& directory,
                                   const Name& name, const vfs::NewFile& how, vfs::CreateOut& out) {
    const VerifierTimes verifier(how.verifier);
    int error = 0;
    Fd fd{openat(directory->path.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kModeExclusive)};
    if (fd) {
        if (!verifier.set(fd.get())) return vfs::status_of(errno);
        if (linkat(AT_FDCWD, link_of(fd.get()).c_str(), directory->path.get(), name.get(),
                   AT_SYMLINK_FOLLOW) != 0)
            error = errno;
    } else if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
        // The file system does not support O_TMPFILE.
        fd = Fd{openat(directory->path.get(), name.get(),
                       O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, kModeExclusive)};
        if (!fd) {
            error = errno;
        } else if (!verifier.set(fd.get())) {
            error = errno;
            struct stat made;
            if (quick_stat(fd.get(), made) == 0) take_back(*directory, name, made);
        }
    } else {
        error = errno;
        // An existing file must be reported as such even without the right to write here.
        struct stat there;
        if (fstatat(directory->path.get(), name.get(), &there, AT_SYMLINK_NOFOLLOW) == 0)
            error = EEXIST;
    }
    if (error == 0) return finish_made(caller, directory, name, {}, std::move(fd), out);
    if (error != EEXIST) return vfs::status_of(error);
    NodePtr node;
    struct stat found;
    const Status status =
        nodes_.open_name(*directory, name.get(), Nodes::MayWait::yes, node, found);
    if (status != Status::ok) return status;
    if (!verifier.made(found, identity_.enabled() ? caller.uid : geteuid())) return Status::exists;
    out.id = node->id;
    out.attributes = to_attributes(found);
    return Status::ok;
}

// UNCHECKED: an existing file is as good as a new one, and may be truncated (RFC 1813 §3.3.8).
Status PosixFs::open_existing(const vfs::Caller& caller, const NodePtr& directory, const Name& name,
                              const vfs::NewFile& how, vfs::CreateOut& out) {
    struct stat found;
    NodePtr node;
    Status status = nodes_.open_name(*directory, name.get(), Nodes::MayWait::yes, node, found);
    if (status != Status::ok) return status;
    if (!S_ISREG(found.st_mode))
        return S_ISDIR(found.st_mode) ? Status::is_a_directory : Status::exists;
    if (how.attributes.size) {
        status = resize(caller, *node, found, *how.attributes.size);
        if (status != Status::ok) return status;
        if (quick_stat(node->path.get(), found) != 0) return vfs::status_of(errno);
    }
    out.id = node->id;
    out.attributes = to_attributes(found);
    return Status::ok;
}

Status PosixFs::make(const vfs::Caller& caller, const vfs::FileId& directory, std::string_view name,
                     const vfs::NewNode& what, vfs::CreateOut& out) {
    DirectoryChange parent;
    Status status = begin_change(caller, directory, parent, out.directory);
    if (status != Status::ok) return status;
    const Name path(name);
    const int at = parent.directory->path.get();
    const mode_t mode =
        what.attributes.mode.value_or(what.type == vfs::FileType::directory ? 0755 : kModeDefault) &
        07777;
    const dev_t device = makedev(what.device_major, what.device_minor);
    int result = -1;
    switch (what.type) {
        case vfs::FileType::directory:
            result = mkdirat(at, path.get(), mode);
            break;
        case vfs::FileType::symlink:
            result = symlinkat(std::string(what.target).c_str(), at, path.get());
            break;
        case vfs::FileType::fifo:
            result = mknodat(at, path.get(), S_IFIFO | mode, 0);
            break;
        case vfs::FileType::socket:
            result = mknodat(at, path.get(), S_IFSOCK | mode, 0);
            break;
        case vfs::FileType::block_device:
            result = mknodat(at, path.get(), S_IFBLK | mode, device);
            break;
        case vfs::FileType::character_device:
            result = mknodat(at, path.get(), S_IFCHR | mode, device);
            break;
        case vfs::FileType::regular:
            return Status::bad_type;
    }
    if (result != 0) {
        status = vfs::status_of(errno);
    } else {
        vfs::Changes changes = what.attributes;
        changes.size.reset();
        if (what.type == vfs::FileType::symlink) changes.mode.reset();
        // A new directory in a set-group-id one inherits that bit; other bits that mkdir ignored
        // are added.
        const bool as_wanted = what.type != vfs::FileType::directory || (mode & 06000) == 0;
        if (as_wanted)
            changes.mode.reset();
        else
            changes.mode = mode | (parent.mode & S_ISGID);
        status = finish_made(caller, parent.directory, path, changes, Fd{}, out);
    }
    return end_change(status, parent, out.directory);
}

Status PosixFs::remove(const vfs::Caller& caller, const vfs::FileId& directory,
                       std::string_view name, vfs::Change& out) {
    return remove_name(caller, directory, name, 0, out);
}

Status PosixFs::remove_directory(const vfs::Caller& caller, const vfs::FileId& directory,
                                 std::string_view name, vfs::Change& out) {
    return remove_name(caller, directory, name, AT_REMOVEDIR, out);
}

Status PosixFs::remove_name(const vfs::Caller& caller, const vfs::FileId& directory,
                            std::string_view name, int flags, vfs::Change& out) {
    DirectoryChange parent;
    Status status = begin_change(caller, directory, parent, out);
    if (status != Status::ok) return status;
    const Name path(name);
    struct stat found;
    NodePtr node;
    std::optional<vfs::FileId> id;
    if (fstatat(parent.directory->path.get(), path.get(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
        status = vfs::status_of(errno);
    } else {
        node = nodes_.open_one(found);
        id = node ? node->id : nodes_.ids().of(parent.directory->path.get(), path.get(), found);
        if (unlinkat(parent.directory->path.get(), path.get(), flags) != 0)
            status = flags != 0 ? status_of_removal(errno) : vfs::status_of(errno);
    }
    if (status == Status::ok) {
        bool last = flags != 0 || found.st_nlink <= 1;
        if (node && nodes_.ids().shows_changes(found.st_dev))
            last = quick_stat(node->path.get(), found) == 0 && (found.st_nlink == 0 || flags != 0);
        if (id) nodes_.removed(*id, *parent.directory, name, last);
    }
    return end_change(status, parent, out);
}

Status PosixFs::rename(const vfs::Caller& caller, const vfs::FileId& from,
                       std::string_view from_name, const vfs::FileId& to, std::string_view to_name,
                       vfs::Change& out_from, vfs::Change& out_to) {
    if (!caller.may_block) return Status::would_block;
    NodePtr source, target;
    Status status = open_directory(caller, from, source, Nodes::Seen::now);
    if (status == Status::ok) status = open_directory(caller, to, target, Nodes::Seen::now);
    if (status != Status::ok) return status;
    // Finding it may have changed the thread's identity.
    if (!identity_.assume(caller)) return Status::server_fault;
    const Name old_name(from_name), new_name(to_name);
    std::mutex* first = &lock_of(*source);
    std::mutex* second = &lock_of(*target);
    if (second < first) std::swap(first, second);
    const std::lock_guard lock{*first};
    std::unique_lock<std::mutex> other;
    if (second != first) other = std::unique_lock(*second);

    struct stat moved, covered, before;
    if (look(*source, before) == Status::ok) out_from.before = to_before(before);
    if (look(*target, before) == Status::ok) out_to.before = to_before(before);
    std::optional<vfs::FileId> moved_id, covered_id;
    NodePtr covered_node;
    if (fstatat(source->path.get(), old_name.get(), &moved, AT_SYMLINK_NOFOLLOW) != 0) {
        status = vfs::status_of(errno);
    } else {
        const NodePtr node = nodes_.open_one(moved);
        moved_id = node ? node->id : nodes_.ids().of(source->path.get(), old_name.get(), moved);
        if (fstatat(target->path.get(), new_name.get(), &covered, AT_SYMLINK_NOFOLLOW) == 0) {
            covered_node = nodes_.open_one(covered);
            covered_id = covered_node
                             ? covered_node->id
                             : nodes_.ids().of(target->path.get(), new_name.get(), covered);
        }
        // Noted before the rename, so that the index always knows one of the names.
        if (moved_id) nodes_.note(*moved_id, moved.st_ino, *target, to_name);
        if (renameat(source->path.get(), old_name.get(), target->path.get(), new_name.get()) != 0)
            status = status_of_removal(errno);
    }
    // Two names of one file: both stay.
    const bool same = covered_id && moved_id && *covered_id == *moved_id;
    const Nodes::NameIn old_place{*source, from_name}, new_place{*target, to_name};
    if (status != Status::ok && moved_id && !same)
        nodes_.keep_one(*moved_id, moved.st_ino, old_place, new_place);
    if (status == Status::ok && !same) {
        if (covered_id) {
            bool last = S_ISDIR(covered.st_mode) || covered.st_nlink <= 1;
            if (covered_node && !S_ISDIR(covered.st_mode))
                last = quick_stat(covered_node->path.get(), covered) == 0 && covered.st_nlink == 0;
            nodes_.removed(*covered_id, *target, to_name, last);
        }
        if (moved_id) nodes_.keep_one(*moved_id, moved.st_ino, new_place, old_place);
        if (options_.sync_metadata) {
            status = sync_directory(*source);
            if (status == Status::ok && target != source) status = sync_directory(*target);
        }
    }
    note_after(*source, out_from.after);
    note_after(*target, out_to.after);
    return status;
}

Status PosixFs::link(const vfs::Caller& caller, const vfs::FileId& file,
                     const vfs::FileId& directory, std::string_view name,
                     std::optional<vfs::Attributes>& out_file, vfs::Change& out_directory) {
    NodePtr node;
    DirectoryChange parent;
    struct stat found;
    Status status = open(caller, file, node, Nodes::Seen::now);
    if (status == Status::ok) status = look(*node, found);
    if (status == Status::ok) status = begin_change(caller, directory, parent, out_directory);
    if (status != Status::ok) return status;
    const Name path(name);
    if (node->is_directory())
        status = Status::is_a_directory;
    else if (linkat(AT_FDCWD, link_of(node->path.get()).c_str(), parent.directory->path.get(),
                    path.get(), AT_SYMLINK_FOLLOW) != 0)
        status = vfs::status_of(errno);
    if (status == Status::ok) nodes_.note(node->id, node->inode, *parent.directory, name);
    note_after(*node, out_file);
    return end_change(status, parent, out_directory);
}

Status PosixFs::sync_directory(const Node& directory) {
    const std::string link = link_of(directory.path.get());
    Fd fd{::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!fd) {  // the caller may write to the directory but not read it
        identity_.assume_self();
        fd = Fd{::open(link.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    }
    if (!fd) return vfs::status_of(errno);
    return fsync(fd.get()) == 0 || errno == EINVAL ? Status::ok : Status::io_error;
}

}  // namespace helio::backend
