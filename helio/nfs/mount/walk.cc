#include <fmt/format.h>

#include <algorithm>

#include "helio/nfs/mount/walk_internal.h"
#include "helio/nfs/ops/names.h"

namespace helio::nfs::mnt {

using vfs::Status;

namespace {

Status deny(const Access& at, Status status, std::string_view path, std::string_view why) {
    const Request& request = at.request();
    request.exports().deny(request.call(), status, fmt::format("{} {}", quoted(path), why),
                           &at.where());
    return status;
}

}  // namespace

Task<Status> walk(Access& at, std::string_view path) {
    const std::string whole = normalized_path(path);
    std::string_view below;
    Status status = at.find(whole, below);
    if (status != Status::ok) co_return status;
    while (!below.empty()) {
        const std::string_view name = below.substr(0, below.find('/'));
        below.remove_prefix(std::min(below.size(), name.size() + 1));
        if (name == "..") co_return deny(at, Status::access_denied, path, "leads upwards");
        status = ops::check_name(name, ops::NameFor::lookup);
        if (status != Status::ok)
            co_return deny(at, status, path, "has a name that no file can have");
        vfs::LookupOut found;
        status = co_await at.ask([&](const vfs::Caller& caller) {
            return at.files().lookup(caller, at.id(), name, found);
        });
        if (status == Status::not_found) co_return deny(at, status, path, "is not there");
        if (status != Status::ok) co_return at.finish(status);
        if (found.attributes.type == vfs::FileType::symlink)
            co_return deny(at, Status::not_a_directory, path,
                           "has a symbolic link, which is not followed");
        if (found.attributes.type != vfs::FileType::directory)
            co_return deny(at, Status::not_a_directory, path, "is not a directory");
        at.move_to(found.id);
    }
    co_return at.finish(Status::ok);
}

}  // namespace helio::nfs::mnt
