#include <fmt/format.h>

#include <algorithm>

#include "helio/nfs/mount/walk_internal.h"
#include "helio/nfs/ops/names.h"

namespace helio::nfs::mnt {

using vfs::Status;

std::string tidy(std::string_view path) {
    std::string out;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (end > at) out.append("/").append(path.substr(at, end - at));
        at = end + 1;
    }
    return out.empty() ? "/" : out;
}

namespace {

Status deny(Request& request, Status status, std::string_view path, std::string_view why) {
    request.exports().deny(request.call(), status, fmt::format("{} {}", printable(path), why));
    return status;
}

}  // namespace

Status walk(Request& request, std::string_view path, Door& out) {
    const std::string whole = tidy(path);
    std::string_view below;
    if (const Status status = request.find(whole, out, below); status != Status::ok) return status;
    while (!below.empty()) {
        const std::string_view name = below.substr(0, below.find('/'));
        below.remove_prefix(std::min(below.size(), name.size() + 1));
        if (name == "." || name == "..")
            return deny(request, Status::access_denied, path, "has dots for a name");
        if (const Status status = ops::check_name(name, ops::NameFor::lookup); status != Status::ok)
            return deny(request, status, path, "has a name that no file can have");
        vfs::Found found;
        const Status status = out.files->lookup(out.caller, out.file, name, found);
        if (status == Status::not_found) return deny(request, status, path, "is not there");
        if (status != Status::ok) return request.finish(out, status);
        if (found.attributes.type == vfs::FileType::symlink)
            return deny(request, Status::not_a_directory, path,
                        "has a symbolic link, which is not followed");
        if (found.attributes.type != vfs::FileType::directory)
            return deny(request, Status::not_a_directory, path, "is not a directory");
        out.file = found.id;
    }
    return request.finish(out, Status::ok);
}

}  // namespace helio::nfs::mnt
