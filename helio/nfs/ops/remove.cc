#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> remove(Request& request, ByteView handle, std::string_view name, vfs::Change& out) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::remove);
    if (status != Status::ok) co_return directory.finish(status);
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().remove(caller, directory.id(), name, out);
    });
    co_return directory.finish(status);
}

}  // namespace helio::nfs::ops
