#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Status;

Status getattr(Request& request, ByteView file, vfs::Attributes& out) {
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    return request.finish(door, door.files->attributes(door.caller, door.file, out));
}

Status setattr(Request& request, ByteView file, vfs::Changes changes,
               const std::optional<vfs::Time>& guard, vfs::Change& out) {
    Door door;
    if (const Status status = request.open(file, Intent::change, door); status != Status::ok)
        return status;
    if (const Status status = check_changes(changes); status != Status::ok)
        return request.finish(door, status);
    return request.finish(door,
                          door.files->set_attributes(door.caller, door.file, changes, guard, out));
}

Status access(Request& request, ByteView file, std::uint32_t wanted, vfs::AccessOut& out) {
    constexpr std::uint32_t kChanges =
        vfs::access::kModify | vfs::access::kExtend | vfs::access::kDelete;
    constexpr std::uint32_t kAll =
        kChanges | vfs::access::kRead | vfs::access::kLookup | vfs::access::kExecute;
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    if (door.where->rules.read_only) wanted &= ~kChanges;
    const Status status = door.files->access(door.caller, door.file, wanted & kAll, out);
    out.granted &= wanted;
    return request.finish(door, status);
}

Status lookup(Request& request, ByteView directory, std::string_view name, Object& out,
              std::optional<vfs::Attributes>& out_directory) {
    Door door;
    if (const Status status = request.open(directory, Intent::look, door); status != Status::ok)
        return status;
    if (const Status status = check_name(name, NameFor::lookup); status != Status::ok)
        return request.finish(door, status);
    vfs::Found found;
    const Status status = door.files->lookup(door.caller, door.file, name, found);
    out_directory = found.directory;
    if (status != Status::ok) return request.finish(door, status);
    out.id = found.id;
    out.attributes = found.attributes;
    out.handle = request.keep_handle(*door.where, found.id);
    return request.finish(door, out.handle.empty() ? Status::server_fault : Status::ok);
}

Status readlink(Request& request, ByteView file, vfs::LinkText& out) {
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    return request.finish(door, door.files->read_link(door.caller, door.file, request, out));
}

}  // namespace helio::nfs::ops
