#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

// None of our cookies has the highest bit set: many clients keep them in signed numbers.
Task<Status> readdir(Request& request, ByteView handle, const vfs::ListFrom& from, Listing& listing,
                     vfs::ListOut& out) {
    Access directory{request};
    Status status = directory.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    if (from.cookie > INT64_MAX) co_return directory.finish(Status::bad_cookie);
    listing.where = &directory.where();
    directory.take_long();
    // Entries take twice as much memory as on the wire, and their arena grows by doubling.
    directory.promise(4 * from.room);
    status = co_await directory.ask([&](const Caller& caller) {
        // Keep entries that were taken before the file system had to wait.
        vfs::ListFrom rest = from;
        if (listing.entries > 0) rest.cookie = listing.last_cookie;
        return directory.files().list(caller, directory.id(), rest, listing, out);
    });
    if (status == Status::ok && listing.entries == 0 && !out.end) status = Status::too_small;
    co_return directory.finish(status);
}

}  // namespace helio::nfs::ops
