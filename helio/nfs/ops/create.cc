#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Status;

namespace {

Status give_out(Request& request, const Door& door, Status status, const vfs::Made& made,
                Object& out, vfs::Change& out_directory) {
    out_directory = made.directory;
    if (status != Status::ok) return request.finish(door, status);
    out.id = made.id;
    out.attributes = made.attributes;
    // Without memory for its handle the file is there all the same; the client looks it up.
    out.handle = request.keep_handle(*door.where, made.id);
    return request.finish(door, Status::ok);
}

bool is_device(vfs::FileType type) {
    return type == vfs::FileType::block_device || type == vfs::FileType::character_device;
}

Status check_node(vfs::NewNode& what, const vfs::Caller& caller) {
    if (what.type == vfs::FileType::regular) return Status::bad_type;
    if (what.type == vfs::FileType::symlink)
        if (const Status status = check_link_text(what.target); status != Status::ok) return status;
    // A device is a way around every permission; whether the server may make one does not count.
    if (is_device(what.type) && caller.uid != 0) return Status::not_permitted;
    what.attributes.size.reset();
    return check_changes(what.attributes);
}

}  // namespace

Status create(Request& request, ByteView directory, std::string_view name, vfs::NewFile how,
              Object& out, vfs::Change& out_directory) {
    Door door;
    if (const Status status = request.open(directory, Intent::change, door); status != Status::ok)
        return status;
    Status status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_changes(how.attributes);
    if (status != Status::ok) return request.finish(door, status);
    vfs::Made made;
    status = door.files->create(door.caller, door.file, name, how, made);
    return give_out(request, door, status, made, out, out_directory);
}

Status make(Request& request, ByteView directory, std::string_view name, vfs::NewNode what,
            Object& out, vfs::Change& out_directory) {
    Door door;
    if (const Status status = request.open(directory, Intent::change, door); status != Status::ok)
        return status;
    Status status = check_name(name, NameFor::make);
    if (status == Status::ok) status = check_node(what, door.caller);
    if (status != Status::ok) return request.finish(door, status);
    vfs::Made made;
    status = door.files->make(door.caller, door.file, name, what, made);
    return give_out(request, door, status, made, out, out_directory);
}

}  // namespace helio::nfs::ops
