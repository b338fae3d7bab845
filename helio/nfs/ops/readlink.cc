#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> readlink(Request& request, ByteView handle, vfs::LinkText& out) {
    Access link{request};
    Status status = link.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    status = co_await link.ask([&](const Caller& caller) {
        return link.files().read_link(caller, link.id(), request, out);
    });
    co_return link.finish(status);
}

}  // namespace helio::nfs::ops
