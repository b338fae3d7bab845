#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

namespace {

Status give_out(Access& directory, Status status, const vfs::Made& made, Object& out,
                vfs::Change& out_directory) {
    out_directory = made.directory;
    if (status != Status::ok) return directory.finish(status);
    out.id = made.id;
    out.attributes = made.attributes;
    // Without memory for its handle the file is there all the same; the client looks it up.
    out.handle = directory.request().keep_handle(directory.where(), made.id);
    return directory.finish(Status::ok);
}

bool is_device(vfs::FileType type) {
    return type == vfs::FileType::block_device || type == vfs::FileType::character_device;
}

Status check_node(vfs::NewNode& what, const Caller& caller) {
    if (what.type == vfs::FileType::regular) return Status::bad_type;
    if (what.type == vfs::FileType::symlink)
        if (const Status status = check_link_text(what.target); status != Status::ok) return status;
    // A device is a way around every permission; whether the server may make one does not count.
    if (is_device(what.type) && caller.uid != 0) return Status::not_permitted;
    what.attributes.size.reset();
    return check_changes(what.attributes);
}

}  // namespace

Task<Status> create(Request& request, ByteView handle, std::string_view name, vfs::NewFile how,
                    Object& out, vfs::Change& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_changes(how.attributes);
    if (status != Status::ok) co_return directory.finish(status);
    vfs::Made made;
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().create(caller, directory.id(), name, how, made);
    });
    co_return give_out(directory, status, made, out, out_directory);
}

Task<Status> make(Request& request, ByteView handle, std::string_view name, vfs::NewNode what,
                  Object& out, vfs::Change& out_directory) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_node(what, directory.caller());
    if (status != Status::ok) co_return directory.finish(status);
    vfs::Made made;
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().make(caller, directory.id(), name, what, made);
    });
    co_return give_out(directory, status, made, out, out_directory);
}

}  // namespace helio::nfs::ops
