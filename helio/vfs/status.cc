#include "helio/vfs/status.h"

#include <cerrno>

namespace helio::vfs {

std::string_view name_of(Status status) {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::not_permitted:
            return "not permitted";
        case Status::not_found:
            return "no such file";
        case Status::io_error:
            return "input/output error";
        case Status::no_such_device:
            return "no such device or address";
        case Status::access_denied:
            return "access denied";
        case Status::exists:
            return "the name exists";
        case Status::cross_device:
            return "another file system";
        case Status::no_device:
            return "the device cannot do this";
        case Status::not_a_directory:
            return "not a directory";
        case Status::is_a_directory:
            return "a directory";
        case Status::invalid:
            return "invalid argument";
        case Status::too_big:
            return "file too large";
        case Status::no_space:
            return "no space left";
        case Status::read_only:
            return "read-only";
        case Status::too_many_links:
            return "too many links";
        case Status::name_too_long:
            return "name too long";
        case Status::not_empty:
            return "directory not empty";
        case Status::over_quota:
            return "over quota";
        case Status::stale:
            return "stale handle";
        case Status::bad_handle:
            return "bad handle";
        case Status::guard_mismatch:
            return "changed since";
        case Status::bad_cookie:
            return "bad cookie";
        case Status::not_supported:
            return "not supported";
        case Status::too_small:
            return "too small";
        case Status::bad_type:
            return "bad type";
        case Status::server_fault:
            return "server fault";
        case Status::busy:
            return "busy";
        case Status::would_block:
            return "would block";
    }
    return "?";
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
        case EAGAIN:
            return Status::would_block;
        case EBUSY:
        case ETXTBSY:
            return Status::busy;
        case ENOMEM:
        case EMFILE:
        case ENFILE:
            return Status::server_fault;
        // A symbolic link where none may be followed.
        case ELOOP:
            return Status::invalid;
        default:
            return Status::io_error;
    }
}

}  // namespace helio::vfs
