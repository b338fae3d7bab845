#include "helio/vfs/status.h"

#include <cerrno>
#include <cstddef>
#include <iterator>

namespace helio::vfs {

namespace {

struct StatusName {
    Status status;
    std::string_view name;
};
constexpr StatusName kStatusNames[] = {
    {Status::ok, "ok"},
    {Status::not_permitted, "not permitted"},
    {Status::not_found, "no such file"},
    {Status::io_error, "input/output error"},
    {Status::no_such_device, "no such device or address"},
    {Status::access_denied, "access denied"},
    {Status::exists, "the name exists"},
    {Status::cross_device, "another file system"},
    {Status::no_device, "the device cannot do this"},
    {Status::not_a_directory, "not a directory"},
    {Status::is_a_directory, "a directory"},
    {Status::invalid, "invalid argument"},
    {Status::too_big, "file too large"},
    {Status::no_space, "no space left"},
    {Status::read_only, "read-only"},
    {Status::too_many_links, "too many links"},
    {Status::name_too_long, "name too long"},
    {Status::not_empty, "directory not empty"},
    {Status::over_quota, "over quota"},
    {Status::stale, "stale handle"},
    {Status::bad_handle, "bad handle"},
    {Status::guard_mismatch, "changed since"},
    {Status::bad_cookie, "bad cookie"},
    {Status::not_supported, "not supported"},
    {Status::too_small, "too small"},
    {Status::bad_type, "bad type"},
    {Status::server_fault, "server fault"},
    {Status::locked, "locked by another owner"},
    {Status::no_locks, "no more locks"},
    {Status::no_attribute, "no such extended attribute"},
    {Status::attribute_too_big, "extended attribute too big"},
    {Status::past_end, "past the end of the file"},
    {Status::busy, "busy"},
    {Status::would_block, "would block"},
};

constexpr bool names_are_in_order() {
    for (std::size_t i = 0; i < std::size(kStatusNames); ++i)
        if (static_cast<std::size_t>(kStatusNames[i].status) != i) return false;
    return true;
}
static_assert(names_are_in_order());

}  // namespace

std::string_view name_of(Status status) {
    const auto index = static_cast<std::size_t>(status);
    return index < std::size(kStatusNames) ? kStatusNames[index].name : "?";
}

Status status_of(int error_number) {
    switch (error_number) {
        case 0:
            return Status::ok;
        case EPERM:
            return Status::not_permitted;
        case ENOENT:
            return Status::not_found;
        case ENXIO:
            return Status::no_such_device;
        case EACCES:
            return Status::access_denied;
        case EEXIST:
            return Status::exists;
        case EXDEV:
            return Status::cross_device;
        case ENODEV:
            return Status::no_device;
        case ENOTDIR:
            return Status::not_a_directory;
        case EISDIR:
            return Status::is_a_directory;
        case EINVAL:
            return Status::invalid;
        case EFBIG:
            return Status::too_big;
        case ENOSPC:
            return Status::no_space;
        case EROFS:
            return Status::read_only;
        case EMLINK:
            return Status::too_many_links;
        case ENAMETOOLONG:
            return Status::name_too_long;
        case ENOTEMPTY:
            return Status::not_empty;
        case EDQUOT:
            return Status::over_quota;
        case ESTALE:
            return Status::stale;
        case EOPNOTSUPP:
        case ENOSYS:
            return Status::not_supported;
        case ENOLCK:
            return Status::no_locks;
        case ENODATA:
            return Status::no_attribute;
        case E2BIG:
            return Status::attribute_too_big;
        case EAGAIN:
            return Status::would_block;
        case EBUSY:
        case ETXTBSY:
        // The server has no memory or descriptors left, but will have some later.
        case ENOMEM:
        case EMFILE:
        case ENFILE:
            return Status::busy;
        // A symbolic link where none may be followed.
        case ELOOP:
            return Status::invalid;
        default:
            return Status::io_error;
    }
}

}  // namespace helio::vfs
