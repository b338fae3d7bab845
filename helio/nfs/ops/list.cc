#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Status;

// No cookie of ours has the highest bit: many clients keep them in signed numbers.
Status list(Request& request, ByteView directory, const vfs::ListFrom& from, Listing& listing,
            vfs::ListOut& out) {
    Door door;
    if (const Status status = request.open(directory, Intent::look, door); status != Status::ok)
        return status;
    if (from.cookie > INT64_MAX) return request.finish(door, Status::bad_cookie);
    listing.where = door.where;
    Status status = door.files->list(door.caller, door.file, from, listing, out);
    if (status == Status::ok && listing.entries == 0 && !out.end) status = Status::too_small;
    return request.finish(door, status);
}

Status space(Request& request, ByteView file, vfs::Space& out,
             std::optional<vfs::Attributes>& out_file) {
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    vfs::Attributes attributes;
    Status status = door.files->attributes(door.caller, door.file, attributes);
    if (status != Status::ok) return request.finish(door, status);
    out_file = attributes;
    return request.finish(door, door.files->space(door.caller, door.file, out));
}

Status limits(Request& request, ByteView file, vfs::Limits& out,
              std::optional<vfs::Attributes>& out_file) {
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    vfs::Attributes attributes;
    const Status status = door.files->attributes(door.caller, door.file, attributes);
    if (status != Status::ok) return request.finish(door, status);
    out_file = attributes;
    out = door.files->limits();
    return request.finish(door, Status::ok);
}

}  // namespace helio::nfs::ops
