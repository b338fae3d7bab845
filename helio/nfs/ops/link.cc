#include "helio/nfs/ops/ops.h"
#include "helio/nfs/ops/two_handles_internal.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> link(Request& request, ByteView handle, ByteView directory, std::string_view name,
                  std::optional<vfs::Attributes>& out_file, vfs::Change& out_directory) {
    Access file{request};
    Access target{request};
    Status status = open_both(file, handle, target, directory);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::make);
    if (status != Status::ok) co_return target.finish(status);
    status = co_await target.ask([&](const Caller& caller) {
        return target.files().link(caller, file.id(), target.id(), name, out_file, out_directory);
    });
    co_return target.finish(status);
}

}  // namespace helio::nfs::ops
