#include "helio/nfs/wire/status.h"

#include <cerrno>

#include "helio/base/assert.h"

namespace helio::nfs {

using vfs::Status;

// No procedure of version 3 uses locks or extended attributes, or asks where data is. Their errors
// map to the nearest ones.
nfs3::nfsstat3 to_nfs3(Status status) {
    switch (status) {
        case Status::ok:
            return nfs3::NFS3_OK;
        case Status::not_permitted:
            return nfs3::NFS3ERR_PERM;
        case Status::not_found:
        case Status::no_attribute:
            return nfs3::NFS3ERR_NOENT;
        case Status::io_error:
            return nfs3::NFS3ERR_IO;
        case Status::no_such_device:
        case Status::past_end:
            return nfs3::NFS3ERR_NXIO;
        case Status::access_denied:
            return nfs3::NFS3ERR_ACCES;
        case Status::exists:
            return nfs3::NFS3ERR_EXIST;
        case Status::cross_device:
            return nfs3::NFS3ERR_XDEV;
        case Status::no_device:
            return nfs3::NFS3ERR_NODEV;
        case Status::not_a_directory:
            return nfs3::NFS3ERR_NOTDIR;
        case Status::is_a_directory:
            return nfs3::NFS3ERR_ISDIR;
        case Status::invalid:
        case Status::attribute_too_big:
            return nfs3::NFS3ERR_INVAL;
        case Status::too_big:
            return nfs3::NFS3ERR_FBIG;
        case Status::no_space:
            return nfs3::NFS3ERR_NOSPC;
        case Status::read_only:
            return nfs3::NFS3ERR_ROFS;
        case Status::too_many_links:
            return nfs3::NFS3ERR_MLINK;
        case Status::name_too_long:
            return nfs3::NFS3ERR_NAMETOOLONG;
        case Status::not_empty:
            return nfs3::NFS3ERR_NOTEMPTY;
        case Status::over_quota:
            return nfs3::NFS3ERR_DQUOT;
        case Status::stale:
            return nfs3::NFS3ERR_STALE;
        case Status::bad_handle:
            return nfs3::NFS3ERR_BADHANDLE;
        case Status::guard_mismatch:
            return nfs3::NFS3ERR_NOT_SYNC;
        case Status::bad_cookie:
            return nfs3::NFS3ERR_BAD_COOKIE;
        case Status::not_supported:
            return nfs3::NFS3ERR_NOTSUPP;
        case Status::too_small:
            return nfs3::NFS3ERR_TOOSMALL;
        case Status::bad_type:
            return nfs3::NFS3ERR_BADTYPE;
        case Status::server_fault:
        case Status::no_locks:
            return nfs3::NFS3ERR_SERVERFAULT;
        case Status::locked:
        case Status::busy:
        case Status::would_block:
            return nfs3::NFS3ERR_JUKEBOX;
    }
    HELIO_ASSERT(false);
    return nfs3::NFS3ERR_SERVERFAULT;
}

// Kinds of device that are not there have one word, and so have the two ways to have no room for a
// lock.
nfs4::nfsstat4 to_nfs4(Status status) {
    switch (status) {
        case Status::ok:
            return nfs4::NFS4_OK;
        case Status::not_permitted:
            return nfs4::NFS4ERR_PERM;
        case Status::not_found:
            return nfs4::NFS4ERR_NOENT;
        case Status::no_attribute:
            return nfs4::NFS4ERR_NOXATTR;
        case Status::io_error:
            return nfs4::NFS4ERR_IO;
        case Status::no_such_device:
        case Status::past_end:
            return nfs4::NFS4ERR_NXIO;
        case Status::access_denied:
            return nfs4::NFS4ERR_ACCESS;
        case Status::exists:
            return nfs4::NFS4ERR_EXIST;
        case Status::cross_device:
            return nfs4::NFS4ERR_XDEV;
        case Status::no_device:
            return nfs4::NFS4ERR_NXIO;
        case Status::not_a_directory:
            return nfs4::NFS4ERR_NOTDIR;
        case Status::is_a_directory:
            return nfs4::NFS4ERR_ISDIR;
        case Status::invalid:
            return nfs4::NFS4ERR_INVAL;
        case Status::attribute_too_big:
            return nfs4::NFS4ERR_XATTR2BIG;
        case Status::too_big:
            return nfs4::NFS4ERR_FBIG;
        case Status::no_space:
            return nfs4::NFS4ERR_NOSPC;
        case Status::read_only:
            return nfs4::NFS4ERR_ROFS;
        case Status::too_many_links:
            return nfs4::NFS4ERR_MLINK;
        case Status::name_too_long:
            return nfs4::NFS4ERR_NAMETOOLONG;
        case Status::not_empty:
            return nfs4::NFS4ERR_NOTEMPTY;
        case Status::over_quota:
            return nfs4::NFS4ERR_DQUOT;
        case Status::stale:
            return nfs4::NFS4ERR_STALE;
        case Status::bad_handle:
            return nfs4::NFS4ERR_BADHANDLE;
        case Status::guard_mismatch:
            return nfs4::NFS4ERR_NOT_SAME;
        case Status::bad_cookie:
            return nfs4::NFS4ERR_BAD_COOKIE;
        case Status::not_supported:
            return nfs4::NFS4ERR_NOTSUPP;
        case Status::too_small:
            return nfs4::NFS4ERR_TOOSMALL;
        case Status::bad_type:
            return nfs4::NFS4ERR_BADTYPE;
        case Status::server_fault:
            return nfs4::NFS4ERR_SERVERFAULT;
        case Status::locked:
            return nfs4::NFS4ERR_LOCKED;
        case Status::no_locks:
        case Status::busy:
        case Status::would_block:
            return nfs4::NFS4ERR_DELAY;
    }
    HELIO_ASSERT(false);
    return nfs4::NFS4ERR_SERVERFAULT;
}

nfs2::nfsstat to_nfs2(Status status) {
    switch (status) {
        case Status::ok:
            return nfs2::NFS_OK;
        case Status::not_permitted:
            return nfs2::NFSERR_PERM;
        case Status::not_found:
            return nfs2::NFSERR_NOENT;
        case Status::io_error:
        case Status::invalid:
        case Status::too_many_links:
        case Status::guard_mismatch:
        case Status::bad_cookie:
        case Status::not_supported:
        case Status::too_small:
        case Status::bad_type:
        case Status::server_fault:
        case Status::locked:
        case Status::no_locks:
        case Status::attribute_too_big:
        case Status::busy:
        case Status::would_block:
            return nfs2::NFSERR_IO;
        case Status::no_attribute:
            return nfs2::NFSERR_NOENT;
        case Status::past_end:
        case Status::no_such_device:
            return nfs2::NFSERR_NXIO;
        case Status::access_denied:
            return nfs2::NFSERR_ACCES;
        case Status::exists:
            return nfs2::NFSERR_EXIST;
        case Status::cross_device:
        case Status::no_device:
            return nfs2::NFSERR_NODEV;
        case Status::not_a_directory:
            return nfs2::NFSERR_NOTDIR;
        case Status::is_a_directory:
            return nfs2::NFSERR_ISDIR;
        case Status::too_big:
            return nfs2::NFSERR_FBIG;
        case Status::no_space:
            return nfs2::NFSERR_NOSPC;
        case Status::read_only:
            return nfs2::NFSERR_ROFS;
        case Status::name_too_long:
            return nfs2::NFSERR_NAMETOOLONG;
        case Status::not_empty:
            return nfs2::NFSERR_NOTEMPTY;
        case Status::over_quota:
            return nfs2::NFSERR_DQUOT;
        case Status::stale:
        case Status::bad_handle:
            return nfs2::NFSERR_STALE;
    }
    HELIO_ASSERT(false);
    return nfs2::NFSERR_IO;
}

mount::mountstat3 to_mount3(Status status) {
    switch (status) {
        case Status::ok:
            return mount::MNT3_OK;
        case Status::not_permitted:
            return mount::MNT3ERR_PERM;
        case Status::not_found:
        case Status::stale:
        case Status::bad_handle:
            return mount::MNT3ERR_NOENT;
        case Status::io_error:
            return mount::MNT3ERR_IO;
        case Status::no_such_device:
        case Status::exists:
        case Status::cross_device:
        case Status::no_device:
        case Status::is_a_directory:
        case Status::too_big:
        case Status::no_space:
        case Status::read_only:
        case Status::too_many_links:
        case Status::not_empty:
        case Status::over_quota:
        case Status::guard_mismatch:
        case Status::bad_cookie:
        case Status::too_small:
        case Status::bad_type:
        case Status::server_fault:
        case Status::locked:
        case Status::no_locks:
        case Status::no_attribute:
        case Status::attribute_too_big:
        case Status::past_end:
        case Status::busy:
        case Status::would_block:
            return mount::MNT3ERR_SERVERFAULT;
        case Status::access_denied:
            return mount::MNT3ERR_ACCES;
        case Status::not_a_directory:
            return mount::MNT3ERR_NOTDIR;
        case Status::invalid:
            return mount::MNT3ERR_INVAL;
        case Status::name_too_long:
            return mount::MNT3ERR_NAMETOOLONG;
        case Status::not_supported:
            return mount::MNT3ERR_NOTSUPP;
    }
    HELIO_ASSERT(false);
    return mount::MNT3ERR_SERVERFAULT;
}

// The numbers are those of early Unix, which Linux still uses for the errors that MOUNT needs.
std::uint32_t to_mount1(Status status) {
    switch (status) {
        case Status::ok:
            return 0;
        case Status::not_permitted:
            return EPERM;
        case Status::not_found:
        case Status::stale:
        case Status::bad_handle:
            return ENOENT;
        case Status::io_error:
        case Status::guard_mismatch:
        case Status::bad_cookie:
        case Status::too_small:
        case Status::bad_type:
        case Status::server_fault:
        case Status::no_locks:
        case Status::no_attribute:
        case Status::attribute_too_big:
        case Status::past_end:
            return EIO;
        case Status::no_such_device:
            return ENXIO;
        case Status::access_denied:
            return EACCES;
        case Status::exists:
            return EEXIST;
        case Status::cross_device:
            return EXDEV;
        case Status::no_device:
            return ENODEV;
        case Status::not_a_directory:
            return ENOTDIR;
        case Status::is_a_directory:
            return EISDIR;
        case Status::invalid:
            return EINVAL;
        case Status::too_big:
            return EFBIG;
        case Status::no_space:
            return ENOSPC;
        case Status::read_only:
            return EROFS;
        case Status::too_many_links:
            return EMLINK;
        case Status::name_too_long:
            return ENAMETOOLONG;
        case Status::not_empty:
            return ENOTEMPTY;
        case Status::over_quota:
            return EDQUOT;
        case Status::not_supported:
            return EOPNOTSUPP;
        case Status::locked:
        case Status::busy:
        case Status::would_block:
            return EAGAIN;
    }
    HELIO_ASSERT(false);
    return EIO;
}

}  // namespace helio::nfs
