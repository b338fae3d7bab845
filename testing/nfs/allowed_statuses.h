// Which statuses an operation of NFS 4.1 may answer with: the table of RFC 8881 §15.2, by hand.
// TestServer checks every COMPOUND that passes through it, so that all tests and fuzz targets of
// version 4 observe the table. tests/linux_client/observer.py reads the table from this text and
// checks what Linux's client is answered; it raises if a row is not written as the others are.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>

#include "schema/nfs4.h"

namespace helio::nfs {

// Operations without a row are those that this server answers NFS4ERR_NOTSUPP.
inline bool allowed_by_rfc8881(nfs4::nfs_opnum4 operation, nfs4::nfsstat4 status) {
    using namespace nfs4;
    const auto any_of = [status](std::initializer_list<nfsstat4> list) {
        return std::find(list.begin(), list.end(), status) != list.end();
    };
    // In every row, except for those of the operations that make sessions.
    const bool always =
        any_of({NFS4_OK, NFS4ERR_DEADSESSION, NFS4ERR_REP_TOO_BIG, NFS4ERR_REP_TOO_BIG_TO_CACHE,
                NFS4ERR_REQ_TOO_BIG, NFS4ERR_RETRY_UNCACHED_REP, NFS4ERR_TOO_MANY_OPS});
    const bool in_session = always || any_of({NFS4ERR_OP_NOT_IN_SESSION, NFS4ERR_SERVERFAULT});
    const bool usual = in_session || any_of({NFS4ERR_BADXDR, NFS4ERR_DELAY});
    // Of operations on the current file.
    const bool file =
        usual || any_of({NFS4ERR_FHEXPIRED, NFS4ERR_MOVED, NFS4ERR_NOFILEHANDLE, NFS4ERR_STALE});
    const bool state =
        any_of({NFS4ERR_ADMIN_REVOKED, NFS4ERR_BAD_STATEID, NFS4ERR_EXPIRED, NFS4ERR_OLD_STATEID});
    const bool name = any_of({NFS4ERR_ACCESS, NFS4ERR_BADCHAR, NFS4ERR_BADNAME, NFS4ERR_INVAL,
                              NFS4ERR_NAMETOOLONG, NFS4ERR_NOTDIR});
    const bool data = any_of({NFS4ERR_ACCESS, NFS4ERR_DELEG_REVOKED, NFS4ERR_GRACE, NFS4ERR_INVAL,
                              NFS4ERR_IO, NFS4ERR_LOCKED, NFS4ERR_OPENMODE});
    const bool room = any_of({NFS4ERR_DQUOT, NFS4ERR_NOSPC, NFS4ERR_ROFS});
    switch (operation) {
        case OP_ACCESS:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_INVAL, NFS4ERR_IO});
        case OP_CLOSE:
            return file || state || any_of({NFS4ERR_LOCKS_HELD, NFS4ERR_WRONG_CRED});
        case OP_COMMIT:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_IO, NFS4ERR_ISDIR, NFS4ERR_SYMLINK,
                                   NFS4ERR_WRONG_TYPE});
        case OP_CREATE:
            return file || name || room ||
                   any_of({NFS4ERR_ATTRNOTSUPP, NFS4ERR_BADOWNER, NFS4ERR_BADTYPE, NFS4ERR_EXIST,
                           NFS4ERR_IO, NFS4ERR_MLINK, NFS4ERR_PERM, NFS4ERR_UNSAFE_COMPOUND});
        case OP_DELEGRETURN:
            return file || state ||
                   any_of(
                       {NFS4ERR_DELEG_REVOKED, NFS4ERR_INVAL, NFS4ERR_NOTSUPP, NFS4ERR_WRONG_CRED});
        case OP_GETATTR:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_GRACE, NFS4ERR_INVAL, NFS4ERR_IO,
                                   NFS4ERR_WRONG_TYPE});
        case OP_GETFH:
        case OP_SAVEFH:
            return in_session ||
                   any_of({NFS4ERR_FHEXPIRED, NFS4ERR_MOVED, NFS4ERR_NOFILEHANDLE, NFS4ERR_STALE});
        case OP_RESTOREFH:
            return in_session || any_of({NFS4ERR_FHEXPIRED, NFS4ERR_MOVED, NFS4ERR_NOFILEHANDLE,
                                         NFS4ERR_STALE, NFS4ERR_WRONGSEC});
        case OP_LINK:
            return file || name || room ||
                   any_of({NFS4ERR_EXIST, NFS4ERR_FILE_OPEN, NFS4ERR_GRACE, NFS4ERR_ISDIR,
                           NFS4ERR_IO, NFS4ERR_MLINK, NFS4ERR_NOTSUPP, NFS4ERR_SYMLINK,
                           NFS4ERR_WRONGSEC, NFS4ERR_WRONG_TYPE, NFS4ERR_XDEV});
        case OP_LOCK:
            return file || state ||
                   any_of({NFS4ERR_ACCESS, NFS4ERR_BAD_RANGE, NFS4ERR_DEADLOCK, NFS4ERR_DENIED,
                           NFS4ERR_GRACE, NFS4ERR_INVAL, NFS4ERR_ISDIR, NFS4ERR_LOCK_NOTSUPP,
                           NFS4ERR_LOCK_RANGE, NFS4ERR_NO_GRACE, NFS4ERR_OPENMODE,
                           NFS4ERR_RECLAIM_BAD, NFS4ERR_RECLAIM_CONFLICT, NFS4ERR_ROFS,
                           NFS4ERR_SYMLINK, NFS4ERR_WRONG_CRED, NFS4ERR_WRONG_TYPE});
        case OP_LOCKT:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_BAD_RANGE, NFS4ERR_DENIED, NFS4ERR_GRACE,
                                   NFS4ERR_INVAL, NFS4ERR_ISDIR, NFS4ERR_LOCK_RANGE, NFS4ERR_ROFS,
                                   NFS4ERR_SYMLINK, NFS4ERR_WRONG_CRED, NFS4ERR_WRONG_TYPE});
        case OP_LOCKU:
            return file || state ||
                   any_of({NFS4ERR_ACCESS, NFS4ERR_BAD_RANGE, NFS4ERR_INVAL, NFS4ERR_LOCK_RANGE,
                           NFS4ERR_WRONG_CRED});
        case OP_LOOKUP:
            return file || name ||
                   any_of({NFS4ERR_IO, NFS4ERR_NOENT, NFS4ERR_SYMLINK, NFS4ERR_WRONGSEC});
        case OP_LOOKUPP:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_IO, NFS4ERR_NOENT, NFS4ERR_NOTDIR,
                                   NFS4ERR_SYMLINK, NFS4ERR_WRONGSEC});
        case OP_NVERIFY:
        case OP_VERIFY:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_ATTRNOTSUPP, NFS4ERR_BADCHAR,
                                   NFS4ERR_GRACE, NFS4ERR_INVAL, NFS4ERR_IO,
                                   NFS4ERR_UNKNOWN_LAYOUTTYPE, NFS4ERR_WRONG_TYPE,
                                   operation == OP_VERIFY ? NFS4ERR_NOT_SAME : NFS4ERR_SAME});
        case OP_OPEN:
            // NFS4ERR_NOTSUPP: of claims that a server need not have (§18.16.3).
            return file || name || room || state ||
                   any_of({NFS4ERR_ATTRNOTSUPP,   NFS4ERR_BADOWNER,    NFS4ERR_DELEG_ALREADY_WANTED,
                           NFS4ERR_DELEG_REVOKED, NFS4ERR_EXIST,       NFS4ERR_FBIG,
                           NFS4ERR_GRACE,         NFS4ERR_IO,          NFS4ERR_ISDIR,
                           NFS4ERR_NOENT,         NFS4ERR_NO_GRACE,    NFS4ERR_NOTSUPP,
                           NFS4ERR_PERM,          NFS4ERR_RECLAIM_BAD, NFS4ERR_RECLAIM_CONFLICT,
                           NFS4ERR_SHARE_DENIED,  NFS4ERR_SYMLINK,     NFS4ERR_UNSAFE_COMPOUND,
                           NFS4ERR_WRONGSEC,      NFS4ERR_WRONG_TYPE});
        case OP_OPEN_DOWNGRADE:
            return file || state || any_of({NFS4ERR_INVAL, NFS4ERR_ROFS, NFS4ERR_WRONG_CRED});
        case OP_PUTFH:
            return usual ||
                   any_of({NFS4ERR_BADHANDLE, NFS4ERR_MOVED, NFS4ERR_STALE, NFS4ERR_WRONGSEC});
        case OP_PUTPUBFH:
        case OP_PUTROOTFH:
            return in_session || any_of({NFS4ERR_DELAY, NFS4ERR_WRONGSEC});
        case OP_READ:
            return file || state || data ||
                   any_of({NFS4ERR_ISDIR, NFS4ERR_PNFS_IO_HOLE, NFS4ERR_PNFS_NO_LAYOUT,
                           NFS4ERR_SYMLINK, NFS4ERR_WRONG_TYPE});
        case OP_WRITE:
            return file || state || data || room ||
                   any_of({NFS4ERR_FBIG, NFS4ERR_ISDIR, NFS4ERR_PNFS_IO_HOLE,
                           NFS4ERR_PNFS_NO_LAYOUT, NFS4ERR_SYMLINK, NFS4ERR_WRONG_TYPE});
        case OP_SETATTR:
            return file || state || data || room ||
                   any_of({NFS4ERR_ATTRNOTSUPP, NFS4ERR_BADCHAR, NFS4ERR_BADOWNER, NFS4ERR_FBIG,
                           NFS4ERR_PERM, NFS4ERR_UNKNOWN_LAYOUTTYPE, NFS4ERR_WRONG_TYPE});
        case OP_READDIR:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_BAD_COOKIE, NFS4ERR_INVAL, NFS4ERR_IO,
                                   NFS4ERR_NOTDIR, NFS4ERR_NOT_SAME, NFS4ERR_TOOSMALL});
        case OP_READLINK:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_INVAL, NFS4ERR_IO, NFS4ERR_WRONG_TYPE});
        case OP_REMOVE:
            return file || name ||
                   any_of({NFS4ERR_FILE_OPEN, NFS4ERR_GRACE, NFS4ERR_IO, NFS4ERR_NOENT,
                           NFS4ERR_NOTEMPTY, NFS4ERR_ROFS});
        case OP_RENAME:
            return file || name || room ||
                   any_of({NFS4ERR_EXIST, NFS4ERR_FILE_OPEN, NFS4ERR_GRACE, NFS4ERR_IO,
                           NFS4ERR_MLINK, NFS4ERR_NOENT, NFS4ERR_NOTEMPTY, NFS4ERR_WRONGSEC,
                           NFS4ERR_XDEV});
        case OP_SECINFO:
            return file || name || status == NFS4ERR_NOENT;
        case OP_SECINFO_NO_NAME:
            return file || any_of({NFS4ERR_ACCESS, NFS4ERR_INVAL, NFS4ERR_NOENT, NFS4ERR_NOTDIR,
                                   NFS4ERR_NOTSUPP});
        case OP_BACKCHANNEL_CTL:
            return usual || status == NFS4ERR_NOENT;
        case OP_BIND_CONN_TO_SESSION:
            return usual || any_of({NFS4ERR_BADSESSION, NFS4ERR_BAD_SESSION_DIGEST, NFS4ERR_INVAL,
                                    NFS4ERR_NOT_ONLY_OP});
        case OP_EXCHANGE_ID:
            return usual || any_of({NFS4ERR_BADCHAR, NFS4ERR_CLID_INUSE, NFS4ERR_ENCR_ALG_UNSUPP,
                                    NFS4ERR_HASH_ALG_UNSUPP, NFS4ERR_INVAL, NFS4ERR_NOENT,
                                    NFS4ERR_NOT_ONLY_OP, NFS4ERR_NOT_SAME, NFS4ERR_PERM});
        case OP_CREATE_SESSION:
            return usual || any_of({NFS4ERR_CLID_INUSE, NFS4ERR_INVAL, NFS4ERR_NOENT, NFS4ERR_NOSPC,
                                    NFS4ERR_NOT_ONLY_OP, NFS4ERR_SEQ_MISORDERED,
                                    NFS4ERR_STALE_CLIENTID, NFS4ERR_TOOSMALL, NFS4ERR_WRONG_CRED});
        case OP_DESTROY_SESSION:
            return usual ||
                   any_of({NFS4ERR_BACK_CHAN_BUSY, NFS4ERR_BADSESSION, NFS4ERR_CB_PATH_DOWN,
                           NFS4ERR_CONN_NOT_BOUND_TO_SESSION, NFS4ERR_NOT_ONLY_OP,
                           NFS4ERR_STALE_CLIENTID, NFS4ERR_WRONG_CRED});
        case OP_DESTROY_CLIENTID:
            return usual || any_of({NFS4ERR_CLIENTID_BUSY, NFS4ERR_NOT_ONLY_OP,
                                    NFS4ERR_STALE_CLIENTID, NFS4ERR_WRONG_CRED});
        case OP_FREE_STATEID:
            return usual || any_of({NFS4ERR_BAD_STATEID, NFS4ERR_LOCKS_HELD, NFS4ERR_OLD_STATEID,
                                    NFS4ERR_WRONG_CRED});
        case OP_RECLAIM_COMPLETE:
            return file || any_of({NFS4ERR_COMPLETE_ALREADY, NFS4ERR_INVAL, NFS4ERR_WRONG_CRED,
                                   NFS4ERR_WRONG_TYPE});
        case OP_SEQUENCE:
            return always ||
                   any_of({NFS4ERR_BADSESSION, NFS4ERR_BADSLOT, NFS4ERR_BADXDR,
                           NFS4ERR_BAD_HIGH_SLOT, NFS4ERR_CONN_NOT_BOUND_TO_SESSION, NFS4ERR_DELAY,
                           NFS4ERR_SEQUENCE_POS, NFS4ERR_SEQ_FALSE_RETRY, NFS4ERR_SEQ_MISORDERED});
        case OP_TEST_STATEID:
            return usual;
        case OP_ILLEGAL:
            return any_of({NFS4ERR_BADXDR, NFS4ERR_OP_ILLEGAL});
        default:
            return usual || status == NFS4ERR_NOTSUPP;
    }
}

// Empty if every status is allowed; otherwise the operation and its status, in words.
inline std::string disallowed_status(const nfs4::COMPOUND4res& results) {
    const std::size_t count = results.resarray.size();
    for (std::size_t i = 0; i < count; ++i) {
        const nfs4::nfsstat4 status = i + 1 < count ? nfs4::NFS4_OK : results.status;
        const nfs4::nfs_opnum4 operation = results.resarray[i].resop();
        if (allowed_by_rfc8881(operation, status)) continue;
        xdr::Printer out;
        print_nfs_opnum4(out, operation);
        out.word(" may not answer ");
        print_nfsstat4(out, status);
        return out.text();
    }
    return {};
}

}  // namespace helio::nfs
