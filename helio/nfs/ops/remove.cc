#include <fmt/format.h>

#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Status;

Status remove(Request& request, ByteView directory, std::string_view name, vfs::Change& out) {
    Door door;
    if (const Status status = request.open(directory, Intent::change, door); status != Status::ok)
        return status;
    if (const Status status = check_name(name, NameFor::remove); status != Status::ok)
        return request.finish(door, status);
    return request.finish(door, door.files->remove(door.caller, door.file, name, out));
}

Status rmdir(Request& request, ByteView directory, std::string_view name, vfs::Change& out) {
    Door door;
    if (const Status status = request.open(directory, Intent::change, door); status != Status::ok)
        return status;
    if (const Status status = check_name(name, NameFor::remove_directory); status != Status::ok)
        return request.finish(door, status);
    return request.finish(door, door.files->remove_directory(door.caller, door.file, name, out));
}

namespace {

// Both ends of a RENAME or LINK: the rules of each export count, and it must be the same one.
Status open_both(Request& request, ByteView first, ByteView second, Door& a, Door& b) {
    if (const Status status = request.open(first, Intent::change, a); status != Status::ok)
        return status;
    if (const Status status = request.open(second, Intent::change, b); status != Status::ok)
        return status;
    if (a.where == b.where) return Status::ok;
    request.exports().deny(request.call(), Status::cross_device,
                           fmt::format("{} and {} are two exports", a.where->path, b.where->path));
    return request.finish(a, Status::cross_device);
}

}  // namespace

Status rename(Request& request, ByteView from, std::string_view from_name, ByteView to,
              std::string_view to_name, vfs::Change& out_from, vfs::Change& out_to) {
    Door source;
    Door target;
    if (const Status status = open_both(request, from, to, source, target); status != Status::ok)
        return status;
    Status status = check_name(from_name, NameFor::rename);
    if (status == Status::ok) status = check_name(to_name, NameFor::rename);
    if (status != Status::ok) return request.finish(source, status);
    return request.finish(source, source.files->rename(source.caller, source.file, from_name,
                                                       target.file, to_name, out_from, out_to));
}

Status link(Request& request, ByteView file, ByteView directory, std::string_view name,
            std::optional<vfs::Attributes>& out_file, vfs::Change& out_directory) {
    Door source;
    Door target;
    if (const Status status = open_both(request, file, directory, source, target);
        status != Status::ok)
        return status;
    if (const Status status = check_name(name, NameFor::make); status != Status::ok)
        return request.finish(target, status);
    return request.finish(target, target.files->link(target.caller, source.file, target.file, name,
                                                     out_file, out_directory));
}

}  // namespace helio::nfs::ops
