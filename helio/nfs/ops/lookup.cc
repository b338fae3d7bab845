#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> lookup(Request& request, ByteView handle, std::string_view name, Object& out,
                    std::optional<vfs::Attributes>& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::lookup);
    if (status != Status::ok) co_return directory.finish(status);
    vfs::LookupOut found;
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().lookup(caller, directory.id(), name, found);
    });
    out_directory = found.directory;
    if (status != Status::ok) co_return directory.finish(status);
    out.id = found.id;
    out.attributes = found.attributes;
    out.handle = request.keep_handle(directory.where(), found.id);
    co_return directory.finish(out.handle.empty() ? Status::server_fault : Status::ok);
}

}  // namespace helio::nfs::ops
