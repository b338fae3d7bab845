#include "helio/nfs/ops/new_object_internal.h"
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

namespace {

bool is_device(vfs::FileType type) {
    return type == vfs::FileType::block_device || type == vfs::FileType::character_device;
}

Status check_node(vfs::NewNode& what, const Caller& caller) {
    if (what.type == vfs::FileType::regular) return Status::bad_type;
    if (what.type == vfs::FileType::symlink)
        if (const Status status = check_link_text(what.target); status != Status::ok) return status;
    // A device bypasses all permissions, so only the superuser may make one, whatever the server
    // may do.
    if (is_device(what.type) && caller.uid != 0) return Status::not_permitted;
    what.attributes.size.reset();
    return check_changes(what.attributes);
}

}  // namespace

Task<Status> make(Request& request, ByteView handle, std::string_view name, vfs::NewNode what,
                  Object& out, vfs::Change& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_node(what, directory.caller());
    if (status != Status::ok) co_return directory.finish(status);
    vfs::CreateOut made;
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().make(caller, directory.id(), name, what, made);
    });
    co_return finish_new(directory, status, made, out, out_directory);
}

}  // namespace helio::nfs::ops
