#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> setattr(Request& request, ByteView handle, vfs::Changes changes,
                     const std::optional<vfs::Time>& guard, vfs::Change& out) {
    Access file{request};
    Status status = file.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_changes(changes);
    if (status != Status::ok) co_return file.finish(status);
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().set_attributes(caller, file.id(), changes, guard, out);
    });
    co_return file.finish(status);
}

Task<Status> setattr_open(Request& request, ByteView handle, vfs::OpenFile& open,
                          vfs::Changes changes, vfs::Change& out) {
    Access file{request};
    Status status = file.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_changes(changes);
    if (status != Status::ok) co_return file.finish(status);
    status = co_await file.ask(
        [&](const Caller& caller) { return open.set_attributes(caller, changes, {}, out); });
    co_return file.finish(status);
}

}  // namespace helio::nfs::ops
