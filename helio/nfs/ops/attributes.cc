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

Task<Status> access(Request& request, ByteView handle, std::uint32_t wanted, vfs::AccessOut& out) {
    constexpr std::uint32_t kChanges =
        vfs::access::kModify | vfs::access::kExtend | vfs::access::kDelete;
    constexpr std::uint32_t kAll =
        kChanges | vfs::access::kRead | vfs::access::kLookup | vfs::access::kExecute;
    Access file{request};
    Status status = file.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    if (file.where().rules.read_only) wanted &= ~kChanges;
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().access(caller, file.id(), wanted & kAll, out);
    });
    out.granted &= wanted;
    co_return file.finish(status);
}

Task<Status> lookup(Request& request, ByteView handle, std::string_view name, Object& out,
                    std::optional<vfs::Attributes>& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::lookup);
    if (status != Status::ok) co_return directory.finish(status);
    vfs::Found found;
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

Task<Status> readlink(Request& request, ByteView handle, vfs::LinkText& out) {
    Access link{request};
    Status status = link.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    status = co_await link.ask([&](const Caller& caller) {
        return link.files().read_link(caller, link.id(), request, out);
    });
    co_return link.finish(status);
}

}  // namespace helio::nfs::ops
