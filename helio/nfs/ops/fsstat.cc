#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> fsstat(Request& request, ByteView handle, vfs::Space& out,
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
    status = co_await file.ask(
        [&](const Caller& caller) { return file.files().space(caller, file.id(), out); });
    co_return file.finish(status);
}

}  // namespace helio::nfs::ops
