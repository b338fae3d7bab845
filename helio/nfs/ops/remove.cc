#include <fmt/format.h>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> remove(Request& request, ByteView handle, std::string_view name, vfs::Change& out) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::remove);
    if (status != Status::ok) co_return directory.finish(status);
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().remove(caller, directory.id(), name, out);
    });
    co_return directory.finish(status);
}

Task<Status> rmdir(Request& request, ByteView handle, std::string_view name, vfs::Change& out) {
    Access directory{request};
    Status status = directory.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    status = check_name(name, NameFor::remove_directory);
    if (status != Status::ok) co_return directory.finish(status);
    status = co_await directory.ask([&](const Caller& caller) {
        return directory.files().remove_directory(caller, directory.id(), name, out);
    });
    co_return directory.finish(status);
}

namespace {

// Both ends of a RENAME or LINK: the rules of each export count, and it must be the same one.
Status open_both(Access& first, ByteView first_handle, Access& second, ByteView second_handle) {
    Status status = first.open(first_handle, Intent::change);
    if (status == Status::ok) status = second.open(second_handle, Intent::change);
    if (status != Status::ok || &first.where() == &second.where()) return status;
    const Request& request = first.request();
    request.exports().deny(
        request.call(), Status::cross_device,
        fmt::format("{} and {} are two exports", first.where().path, second.where().path));
    return first.finish(Status::cross_device);
}

}  // namespace

Task<Status> rename(Request& request, ByteView from, std::string_view from_name, ByteView to,
                    std::string_view to_name, vfs::Change& out_from, vfs::Change& out_to) {
    Access source{request};
    Access target{request};
    Status status = open_both(source, from, target, to);
    if (status != Status::ok) co_return status;
    status = check_name(from_name, NameFor::rename);
    if (status == Status::ok) status = check_name(to_name, NameFor::rename);
    if (status != Status::ok) co_return source.finish(status);
    status = co_await source.ask([&](const Caller& caller) {
        return source.files().rename(caller, source.id(), from_name, target.id(), to_name, out_from,
                                     out_to);
    });
    co_return source.finish(status);
}

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
