#include <sys/xattr.h>

#include <cerrno>

#include "helio/backend/posix/parts/acl_bytes_internal.h"
#include "helio/backend/posix/parts/parts_internal.h"

namespace helio::backend {

using vfs::AclKind;
using vfs::Status;

namespace {

const char* name_of(AclKind kind) {
    return kind == AclKind::access ? "system.posix_acl_access" : "system.posix_acl_default";
}

}  // namespace

Status PosixAccessLists::get(const vfs::Caller& caller, const vfs::FileId& file, AclKind kind,
                             vfs::Acl& out) {
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status == Status::ok) status = fs_.look(*node, found);
    if (status != Status::ok) return status;
    if (S_ISLNK(found.st_mode)) return Status::not_supported;
    out.clear();
    if (kind == AclKind::inherited && !S_ISDIR(found.st_mode)) return Status::ok;
    std::vector<std::byte> bytes;
    status = get_attribute(link_of(node->path.get()), name_of(kind), bytes);
    if (status == Status::no_attribute) {
        if (kind == AclKind::access) out = vfs::acl_from_mode(found.st_mode);
        return Status::ok;
    }
    if (status != Status::ok) return status;
    auto list = from_acl_bytes(bytes);
    if (!list) return Status::io_error;
    out = std::move(*list);
    return Status::ok;
}

Status PosixAccessLists::set(const vfs::Caller& caller, const vfs::FileId& file, AclKind kind,
                             std::span<const vfs::AclEntry> list) {
    vfs::Acl wanted(list.begin(), list.end());
    if (!wanted.empty() && !vfs::make_valid(wanted)) return Status::invalid;
    if (!caller.may_block) return Status::would_block;
    NodePtr node;
    struct stat found;
    Status status = fs_.open(caller, file, node);
    if (status != Status::ok) return status;
    const std::lock_guard lock{fs_.lock_of(*node)};
    status = fs_.look(*node, found);
    if (status != Status::ok) return status;
    if (S_ISLNK(found.st_mode)) return Status::not_supported;
    if (kind == AclKind::inherited && !S_ISDIR(found.st_mode)) return Status::not_a_directory;
    const std::string path = link_of(node->path.get());
    int result = 0;
    if (wanted.empty()) {
        result = removexattr(path.c_str(), name_of(kind));
        if (result != 0 && errno == ENODATA) result = 0;
    } else {
        const auto bytes = to_acl_bytes(wanted);
        result = setxattr(path.c_str(), name_of(kind), bytes.data(), bytes.size(), 0);
    }
    if (result != 0) return vfs::status_of(errno);
    return sync_if_asked(fs_, *node);
}

}  // namespace helio::backend
