#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

// No cookie of ours has the highest bit: many clients keep them in signed numbers.
Task<Status> list(Request& request, ByteView handle, const vfs::ListFrom& from, Listing& listing,
                  vfs::ListOut& out) {
    Access directory{request};
    Status status = directory.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    if (from.cookie > INT64_MAX) co_return directory.finish(Status::bad_cookie);
    listing.where = &directory.where();
    status = co_await directory.ask([&](const Caller& caller) {
        // Entries that were taken before the file system had to wait stay.
        vfs::ListFrom rest = from;
        if (listing.entries > 0) rest.cookie = listing.last_cookie;
        return directory.files().list(caller, directory.id(), rest, listing, out);
    });
    if (status == Status::ok && listing.entries == 0 && !out.end) status = Status::too_small;
    co_return directory.finish(status);
}

Task<Status> space(Request& request, ByteView handle, vfs::Space& out,
                   std::optional<vfs::Attributes>& out_file) {
    Access file{request};
    Status status = file.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    vfs::Attributes attributes;
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().attributes(caller, file.id(), attributes);
    });
    if (status != Status::ok) co_return file.finish(status);
    out_file = attributes;
    status = co_await file.ask(
        [&](const Caller& caller) { return file.files().space(caller, file.id(), out); });
    co_return file.finish(status);
}

Task<Status> limits(Request& request, ByteView handle, vfs::Limits& out,
                    std::optional<vfs::Attributes>& out_file) {
    Access file{request};
    Status status = file.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    vfs::Attributes attributes;
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().attributes(caller, file.id(), attributes);
    });
    if (status != Status::ok) co_return file.finish(status);
    out_file = attributes;
    out = file.files().limits();
    co_return file.finish(Status::ok);
}

}  // namespace helio::nfs::ops
