#include "helio/backend/posix/listing/lister_internal.h"
#include "helio/backend/posix/posix_fs_internal.h"

namespace helio::backend {

using vfs::Status;

Status PosixFs::list(const vfs::Caller& caller, const vfs::FileId& directory,
                     const vfs::ListFrom& from, vfs::EntrySink& sink, vfs::ListOut& out) {
    NodePtr node;
    struct stat found;
    Status status = open_directory(caller, directory, node, Nodes::Seen::now);
    if (status == Status::ok) status = look(*node, found);
    if (status != Status::ok) return status;
    out.directory = to_attributes(found);
    const int have = rights(caller, *node, found);
    if (!(have & R_OK)) return Status::access_denied;
    // Cookies are the kernel's own offsets, which ext4, xfs, btrfs and tmpfs keep stable; so they
    // need no verifier.
    out.verifier = 0;
    if (from.cookie > INT64_MAX) return Status::bad_cookie;
    Lister lister{nodes_, node, found, (have & X_OK) != 0, caller.may_block, from, sink};
    return lister.run(out.end);
}

}  // namespace helio::backend
