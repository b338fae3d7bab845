#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> fsinfo(Request& request, ByteView handle, vfs::Limits& out,
                    std::optional<vfs::Attributes>& out_file) {
    Access file{request};
    Status status = file.open(handle, Intent::read);
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
