#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::Status;

namespace {

// Requests an attribute that does not exist. The error tells whether the namespace is supported.
bool has_namespace(const std::string& directory, const char* name) {
    return getxattr(directory.c_str(), name, nullptr, 0) >= 0 || errno == ENODATA;
}

// Two files without a name.
struct Scratch {
    explicit Scratch(const std::string& directory) {
        one = Fd{open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
        error = one ? 0 : errno;
        two = Fd{open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
    }
    Fd one;
    Fd two;
    int error = 0;
};

}  // namespace

PosixFeatures probe_features(const std::string& directory) {
    PosixFeatures found;
    found.extended_attributes = has_namespace(directory, "user.heliograph");
    found.access_lists = has_namespace(directory, "system.posix_acl_access");
    struct statfs about {};
    const Scratch scratch(directory);
    if (!scratch.one || !scratch.two || statfs(directory.c_str(), &about) != 0) {
        // Without the right to write here, only finding holes is possible, and that always works.
        found.holes = scratch.error == EROFS || scratch.error == EACCES;
        return found;
    }
    const auto block = static_cast<off_t>(about.f_bsize);
    found.holes =
        fallocate(scratch.one.get(), 0, 0, block) == 0 &&
        fallocate(scratch.one.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, block) == 0;
    found.clones = ftruncate(scratch.one.get(), block) == 0 &&
                   ioctl(scratch.two.get(), FICLONE, scratch.one.get()) == 0;
    if (found.clones) found.clone_block_size = static_cast<std::uint32_t>(block);
    return found;
}

PosixParts::PosixParts(PosixFs& fs, const PosixFeatures& found, std::size_t open_files_max)
    : features(found),
      open_files(fs, open_files_max),
      range_locks([&fs](vfs::OpenFile& file, std::unique_ptr<vfs::OuterLocks>& out) {
          out = std::make_unique<KernelLocks>(fs, PosixOpenFile::of(fs, file).data());
          return Status::ok;
      }),
      holes(fs),
      copies(fs, found.clone_block_size),
      extended_attributes(fs),
      access_lists(fs) {}

vfs::OpenFiles* PosixFs::open_files() { return &parts_->open_files; }
vfs::RangeLocks* PosixFs::range_locks() { return &parts_->range_locks; }
vfs::Copying* PosixFs::copying() { return &parts_->copies; }

vfs::Holes* PosixFs::holes() { return parts_->features.holes ? &parts_->holes : nullptr; }
vfs::Cloning* PosixFs::cloning() { return parts_->features.clones ? &parts_->copies : nullptr; }
vfs::ExtendedAttributes* PosixFs::extended_attributes() {
    return parts_->features.extended_attributes ? &parts_->extended_attributes : nullptr;
}
vfs::AccessLists* PosixFs::access_lists() {
    return parts_->features.access_lists ? &parts_->access_lists : nullptr;
}

Status sync_if_asked(PosixFs& fs, const Node& node) {
    if (!fs.syncs_metadata()) return Status::ok;
    // Opening a device or a FIFO could have side effects.
    if (node.type != S_IFREG && node.type != S_IFDIR) return Status::ok;
    // The change was permitted, so the sync needs no further rights.
    fs.identity().assume_self();
    const Fd fd{open(link_of(node.path.get()).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd || fsync(fd.get()) != 0) return vfs::status_of(errno);
    return Status::ok;
}

}  // namespace helio::backend
