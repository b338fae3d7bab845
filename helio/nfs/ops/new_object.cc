#include "helio/nfs/ops/new_object_internal.h"

namespace helio::nfs::ops {

using vfs::Status;

Status finish_new(Access& directory, Status status, const vfs::CreateOut& made, Object& out,
                  vfs::Change& out_directory) {
    out_directory = made.directory;
    if (status != Status::ok) return directory.finish(status);
    out.id = made.id;
    out.attributes = made.attributes;
    // If there is no memory for its handle, the file still exists; the client looks it up.
    out.handle = directory.request().keep_handle(directory.where(), made.id);
    return directory.finish(Status::ok);
}

}  // namespace helio::nfs::ops
