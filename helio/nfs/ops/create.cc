#include "helio/nfs/ops/new_object_internal.h"
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> create(Request& request, ByteView handle, std::string_view name, vfs::NewFile how,
                    Object& out, vfs::Change& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_changes(how.attributes);
    if (status != Status::ok) co_return directory.finish(status);
    vfs::CreateOut made;
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().create(caller, directory.id(), name, how, made);
    });
    co_return finish_new(directory, status, made, out, out_directory);
}

}  // namespace helio::nfs::ops
