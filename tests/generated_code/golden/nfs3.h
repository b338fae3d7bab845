// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
//
// NFS version 3: program 100003, version 3.
// Source: RFC 1813; fields that RDMA may carry separately: RFC 8267.
//
// Names and paths have no limit in the RFC, so they have none here; a server answers
// NFS3ERR_NAMETOOLONG to what its file system cannot hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "helio/base/assert.h"
#include "helio/base/bytes.h"
#include "helio/xdr/array.h"
#include "helio/xdr/bits.h"
#include "helio/xdr/printer.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/type_codec.h"
#include "helio/xdr/writer.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

// RFC 1813 §2.4: the greatest size of a file handle, in bytes.
inline constexpr std::uint32_t NFS3_FHSIZE = 64u;
// RFC 1813 §2.4: the size of a READDIR verifier, in bytes.
inline constexpr std::uint32_t NFS3_COOKIEVERFSIZE = 8u;
// RFC 1813 §2.4: the size of an exclusive CREATE verifier, in bytes.
inline constexpr std::uint32_t NFS3_CREATEVERFSIZE = 8u;
// RFC 1813 §2.4: the size of a WRITE and COMMIT verifier, in bytes.
inline constexpr std::uint32_t NFS3_WRITEVERFSIZE = 8u;
// RFC 1813 §3.3.4: read a file, list a directory.
inline constexpr std::uint32_t ACCESS3_READ = 1u;
// RFC 1813 §3.3.4: look a name up in a directory.
inline constexpr std::uint32_t ACCESS3_LOOKUP = 2u;
// RFC 1813 §3.3.4: overwrite a file, change entries of a directory.
inline constexpr std::uint32_t ACCESS3_MODIFY = 4u;
// RFC 1813 §3.3.4: append to a file, add entries to a directory.
inline constexpr std::uint32_t ACCESS3_EXTEND = 8u;
// RFC 1813 §3.3.4: remove an entry from a directory.
inline constexpr std::uint32_t ACCESS3_DELETE = 16u;
// RFC 1813 §3.3.4: run a file. Means nothing for a directory.
inline constexpr std::uint32_t ACCESS3_EXECUTE = 32u;
// RFC 1813 §3.3.19: the file system has hard links.
inline constexpr std::uint32_t FSF3_LINK = 1u;
// RFC 1813 §3.3.19: the file system has symbolic links.
inline constexpr std::uint32_t FSF3_SYMLINK = 2u;
// RFC 1813 §3.3.19: PATHCONF says the same for every file of the file system.
inline constexpr std::uint32_t FSF3_HOMOGENEOUS = 8u;
// RFC 1813 §3.3.19: SETATTR can set times.
inline constexpr std::uint32_t FSF3_CANSETTIME = 16u;

struct specdata3;
struct nfs_fh3;
struct nfstime3;
struct fattr3;
struct wcc_attr;
struct wcc_data;
class set_atime;
class set_mtime;
struct sattr3;
struct diropargs3;
struct GETATTR3args;
struct GETATTR3resok;
class GETATTR3res;
struct SETATTR3args;
struct SETATTR3resok;
struct SETATTR3resfail;
class SETATTR3res;
struct LOOKUP3args;
struct LOOKUP3resok;
struct LOOKUP3resfail;
class LOOKUP3res;
struct ACCESS3args;
struct ACCESS3resok;
struct ACCESS3resfail;
class ACCESS3res;
struct READLINK3args;
struct READLINK3resok;
struct READLINK3resfail;
class READLINK3res;
struct READ3args;
struct READ3resok;
struct READ3resfail;
class READ3res;
struct WRITE3args;
struct WRITE3resok;
struct WRITE3resfail;
class WRITE3res;
class createhow3;
struct CREATE3args;
struct CREATE3resok;
struct CREATE3resfail;
class CREATE3res;
struct MKDIR3args;
struct MKDIR3resok;
struct MKDIR3resfail;
class MKDIR3res;
struct symlinkdata3;
struct SYMLINK3args;
struct SYMLINK3resok;
struct SYMLINK3resfail;
class SYMLINK3res;
struct devicedata3;
class mknoddata3;
struct MKNOD3args;
struct MKNOD3resok;
struct MKNOD3resfail;
class MKNOD3res;
struct REMOVE3args;
struct REMOVE3resok;
struct REMOVE3resfail;
class REMOVE3res;
struct RMDIR3args;
struct RMDIR3resok;
struct RMDIR3resfail;
class RMDIR3res;
struct RENAME3args;
struct RENAME3resok;
struct RENAME3resfail;
class RENAME3res;
struct LINK3args;
struct LINK3resok;
struct LINK3resfail;
class LINK3res;
struct READDIR3args;
struct entry3;
struct dirlist3;
struct READDIR3resok;
struct READDIR3resfail;
class READDIR3res;
struct READDIRPLUS3args;
struct entryplus3;
struct dirlistplus3;
struct READDIRPLUS3resok;
struct READDIRPLUS3resfail;
class READDIRPLUS3res;
struct FSSTAT3args;
struct FSSTAT3resok;
struct FSSTAT3resfail;
class FSSTAT3res;
struct FSINFO3args;
struct FSINFO3resok;
struct FSINFO3resfail;
class FSINFO3res;
struct PATHCONF3args;
struct PATHCONF3resok;
struct PATHCONF3resfail;
class PATHCONF3res;
struct COMMIT3args;
struct COMMIT3resok;
struct COMMIT3resfail;
class COMMIT3res;

// RFC 1813 §2.5.
using uint64 = std::uint64_t;

// RFC 1813 §2.5.
using int64 = std::int64_t;

// RFC 1813 §2.5: the RFC says `unsigned long`, which in XDR is 32 bits.
using uint32 = std::uint32_t;

// RFC 1813 §2.5: the RFC says `long`, which in XDR is 32 bits.
using int32 = std::int32_t;

// RFC 1813 §2.5: one component of a path. Usually 255 bytes at most.
using filename3 = std::string_view;

// RFC 1813 §2.5: a path, which only the client follows. Usually 4096 bytes at most.
using nfspath3 = std::string_view;

// RFC 1813 §2.5: a file within its file system, as an inode number.
using fileid3 = uint64;

// RFC 1813 §2.5: a place in a directory. 0 is the beginning.
using cookie3 = uint64;

// RFC 1813 §2.5: tells whether a directory's cookies are still good. All zero at first.
using cookieverf3 = std::array<std::byte, NFS3_COOKIEVERFSIZE>;

// RFC 1813 §2.5: marks a file as made by one certain exclusive CREATE.
using createverf3 = std::array<std::byte, NFS3_CREATEVERFSIZE>;

// RFC 1813 §2.5: changes when the server has lost unstable writes.
using writeverf3 = std::array<std::byte, NFS3_WRITEVERFSIZE>;

// RFC 1813 §2.5: a user.
using uid3 = uint32;

// RFC 1813 §2.5: a group.
using gid3 = uint32;

// RFC 1813 §2.5: a file size in bytes.
using size3 = uint64;

// RFC 1813 §2.5: a place in a file, in bytes.
using offset3 = uint64;

// RFC 1813 §2.5: permissions. Unlike Unix and version 2, without the type of the file.
using mode3 = uint32;

// RFC 1813 §2.5: a number of bytes in one call.
using count3 = uint32;

// RFC 1813 §2.5 and §2.6: the outcome of a call.
enum nfsstat3 : std::int32_t {
    NFS3_OK = 0,
    // Only for the owner or the superuser.
    NFS3ERR_PERM = 1,
    // No such name.
    NFS3ERR_NOENT = 2,
    // A disk failed.
    NFS3ERR_IO = 5,
    // No such device.
    NFS3ERR_NXIO = 6,
    // Permission denied.
    NFS3ERR_ACCES = 13,
    // The name is taken.
    NFS3ERR_EXIST = 17,
    // A hard link would leave its file system.
    NFS3ERR_XDEV = 18,
    // No such device.
    NFS3ERR_NODEV = 19,
    // A directory was needed.
    NFS3ERR_NOTDIR = 20,
    // Directories are not allowed here.
    NFS3ERR_ISDIR = 21,
    // An argument makes no sense here, such as READLINK of a regular file.
    NFS3ERR_INVAL = 22,
    // The file would be too large.
    NFS3ERR_FBIG = 27,
    // The disk is full.
    NFS3ERR_NOSPC = 28,
    // The file system is read-only.
    NFS3ERR_ROFS = 30,
    // The file has too many hard links.
    NFS3ERR_MLINK = 31,
    NFS3ERR_NAMETOOLONG = 63,
    // The directory has entries.
    NFS3ERR_NOTEMPTY = 66,
    // The owner's quota is used up.
    NFS3ERR_DQUOT = 69,
    // The file behind the handle is gone, or no longer exported.
    NFS3ERR_STALE = 70,
    // The handle is for a file of some other server.
    NFS3ERR_REMOTE = 71,
    // The handle is not one of ours.
    NFS3ERR_BADHANDLE = 10001,
    // SETATTR: the guard does not match.
    NFS3ERR_NOT_SYNC = 10002,
    // READDIR, READDIRPLUS: the cookie is no longer good.
    NFS3ERR_BAD_COOKIE = 10003,
    // The server does not do this.
    NFS3ERR_NOTSUPP = 10004,
    // No entry fits in the requested size.
    NFS3ERR_TOOSMALL = 10005,
    // The server failed in a way that has no other code.
    NFS3ERR_SERVERFAULT = 10006,
    // CREATE, MKNOD: the server cannot make this kind of file.
    NFS3ERR_BADTYPE = 10007,
    // It will take a while; try again with a new xid.
    NFS3ERR_JUKEBOX = 10008,
};

// RFC 1813 §2.6: kinds of file.
enum ftype3 : std::int32_t {
    // Regular file.
    NF3REG = 1,
    // Directory.
    NF3DIR = 2,
    // Block device.
    NF3BLK = 3,
    // Character device.
    NF3CHR = 4,
    // Symbolic link.
    NF3LNK = 5,
    // Unix socket.
    NF3SOCK = 6,
    // Named pipe; version 2 said 8.
    NF3FIFO = 7,
};

// RFC 1813 §2.6: a device number. Zero for other files.
struct specdata3 {
    // Major number.
    uint32 specdata1{};
    // Minor number.
    uint32 specdata2{};
};

// RFC 1813 §2.6: a file, by bytes that only the server interprets.
struct nfs_fh3 {
    ::helio::ByteView data{};
};

// RFC 1813 §2.6: a time since 1970 UTC.
struct nfstime3 {
    uint32 seconds{};
    // Below 1000000000.
    uint32 nseconds{};
};

// RFC 1813 §2.6: the attributes of a file.
struct fattr3 {
    ftype3 type{};
    mode3 mode{};
    // Hard links.
    uint32 nlink{};
    uid3 uid{};
    gid3 gid{};
    // Bytes, holes included.
    size3 size{};
    // Bytes of disk in use.
    size3 used{};
    // Device number of a device.
    specdata3 rdev{};
    // The file system.
    uint64 fsid{};
    fileid3 fileid{};
    // Last read.
    nfstime3 atime{};
    // Last write.
    nfstime3 mtime{};
    // Last change of the attributes.
    nfstime3 ctime{};
};

// RFC 1813 §2.6: attributes after an operation, if the server could get them cheaply.
using post_op_attr = std::optional<fattr3>;

// RFC 1813 §2.6: the few attributes from before that tell whether a cache is still valid.
struct wcc_attr {
    size3 size{};
    nfstime3 mtime{};
    nfstime3 ctime{};
};

// RFC 1813 §2.6: those attributes, if they were read atomically with the operation.
using pre_op_attr = std::optional<wcc_attr>;

// RFC 1813 §2.6: weak cache consistency, a file before and after an operation.
struct wcc_data {
    pre_op_attr before{};
    post_op_attr after{};
};

// RFC 1813 §2.6: the handle of a new file, if the server could make one.
using post_op_fh3 = std::optional<nfs_fh3>;

// RFC 1813 §2.6: what to do with a time stamp.
enum time_how : std::int32_t {
    DONT_CHANGE = 0,
    // Now, by the server's clock.
    SET_TO_SERVER_TIME = 1,
    // The time that follows.
    SET_TO_CLIENT_TIME = 2,
};

// RFC 1813 §2.6: new permissions, or leave them.
using set_mode3 = std::optional<mode3>;

// RFC 1813 §2.6: a new owner, or leave it.
using set_uid3 = std::optional<uid3>;

// RFC 1813 §2.6: a new group, or leave it.
using set_gid3 = std::optional<gid3>;

// RFC 1813 §2.6: a new size in bytes, or leave it.
using set_size3 = std::optional<size3>;

// RFC 1813 §2.6: a new time of last read, or leave it.
class set_atime final {
   public:
    set_atime() {}

    time_how set_it() const { return stored_set_it; }

    bool has_atime() const { return stored_set_it == SET_TO_CLIENT_TIME; }
    const nfstime3& atime() const {
        HELIO_ASSERT(has_atime());
        return stored_atime;
    }
    const nfstime3* if_atime() const { return has_atime() ? &stored_atime : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    nfstime3& emplace_atime(time_how which) {
        return raw_atime(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    nfstime3& raw_atime(time_how which) {
        stored_set_it = which;
        HELIO_ASSERT(has_atime());
        return stored_atime;
    }
    const nfstime3& raw_atime() const { return stored_atime; }
    static set_atime of_atime(const nfstime3& value) {
        set_atime out;
        out.emplace_atime(SET_TO_CLIENT_TIME) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return (stored_set_it != SET_TO_CLIENT_TIME); }
    void set(time_how which) {
        stored_set_it = which;
        HELIO_ASSERT(has_nothing());
    }
    static set_atime of(time_how which) {
        set_atime out;
        out.set(which);
        return out;
    }

   private:
    time_how stored_set_it{};
    union {
        nfstime3 stored_atime;
    };
};

// RFC 1813 §2.6: a new time of last write, or leave it.
class set_mtime final {
   public:
    set_mtime() {}

    time_how set_it() const { return stored_set_it; }

    bool has_mtime() const { return stored_set_it == SET_TO_CLIENT_TIME; }
    const nfstime3& mtime() const {
        HELIO_ASSERT(has_mtime());
        return stored_mtime;
    }
    const nfstime3* if_mtime() const { return has_mtime() ? &stored_mtime : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    nfstime3& emplace_mtime(time_how which) {
        return raw_mtime(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    nfstime3& raw_mtime(time_how which) {
        stored_set_it = which;
        HELIO_ASSERT(has_mtime());
        return stored_mtime;
    }
    const nfstime3& raw_mtime() const { return stored_mtime; }
    static set_mtime of_mtime(const nfstime3& value) {
        set_mtime out;
        out.emplace_mtime(SET_TO_CLIENT_TIME) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return (stored_set_it != SET_TO_CLIENT_TIME); }
    void set(time_how which) {
        stored_set_it = which;
        HELIO_ASSERT(has_nothing());
    }
    static set_mtime of(time_how which) {
        set_mtime out;
        out.set(which);
        return out;
    }

   private:
    time_how stored_set_it{};
    union {
        nfstime3 stored_mtime;
    };
};

// RFC 1813 §2.6: attributes to set, each one or not.
struct sattr3 {
    set_mode3 mode{};
    set_uid3 uid{};
    set_gid3 gid{};
    set_size3 size{};
    set_atime atime{};
    set_mtime mtime{};
};

// RFC 1813 §2.6: a name in a directory.
struct diropargs3 {
    nfs_fh3 dir{};
    filename3 name{};
};

// RFC 1813 §3.3.1: GETATTR, the attributes of a file.
struct GETATTR3args {
    nfs_fh3 object{};
};

// RFC 1813 §3.3.1.
struct GETATTR3resok {
    fattr3 obj_attributes{};
};

// RFC 1813 §3.3.1.
class GETATTR3res final {
   public:
    GETATTR3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const GETATTR3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const GETATTR3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    GETATTR3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    GETATTR3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const GETATTR3resok& raw_resok() const { return stored_resok; }
    static GETATTR3res of_resok(const GETATTR3resok& value) {
        GETATTR3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return (stored_status != NFS3_OK); }
    void set(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_nothing());
    }
    static GETATTR3res of(nfsstat3 which) {
        GETATTR3res out;
        out.set(which);
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        GETATTR3resok stored_resok;
    };
};

// RFC 1813 §3.3.2: go ahead only if the ctime is still the one given.
using sattrguard3 = std::optional<nfstime3>;

// RFC 1813 §3.3.2: SETATTR, changes of attributes, truncation among them.
struct SETATTR3args {
    nfs_fh3 object{};
    sattr3 new_attributes{};
    sattrguard3 guard{};
};

// RFC 1813 §3.3.2.
struct SETATTR3resok {
    wcc_data obj_wcc{};
};

// RFC 1813 §3.3.2.
struct SETATTR3resfail {
    wcc_data obj_wcc{};
};

// RFC 1813 §3.3.2.
class SETATTR3res final {
   public:
    SETATTR3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const SETATTR3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const SETATTR3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    SETATTR3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    SETATTR3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const SETATTR3resok& raw_resok() const { return stored_resok; }
    static SETATTR3res of_resok(const SETATTR3resok& value) {
        SETATTR3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const SETATTR3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const SETATTR3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    SETATTR3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    SETATTR3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const SETATTR3resfail& raw_resfail() const { return stored_resfail; }
    static SETATTR3res of_resfail(nfsstat3 which, const SETATTR3resfail& value) {
        SETATTR3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        SETATTR3resok stored_resok;
        SETATTR3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.3: LOOKUP, the file a name stands for.
struct LOOKUP3args {
    diropargs3 what{};
};

// RFC 1813 §3.3.3.
struct LOOKUP3resok {
    nfs_fh3 object{};
    post_op_attr obj_attributes{};
    post_op_attr dir_attributes{};
};

// RFC 1813 §3.3.3.
struct LOOKUP3resfail {
    post_op_attr dir_attributes{};
};

// RFC 1813 §3.3.3.
class LOOKUP3res final {
   public:
    LOOKUP3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const LOOKUP3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const LOOKUP3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    LOOKUP3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    LOOKUP3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const LOOKUP3resok& raw_resok() const { return stored_resok; }
    static LOOKUP3res of_resok(const LOOKUP3resok& value) {
        LOOKUP3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const LOOKUP3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const LOOKUP3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    LOOKUP3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    LOOKUP3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const LOOKUP3resfail& raw_resfail() const { return stored_resfail; }
    static LOOKUP3res of_resfail(nfsstat3 which, const LOOKUP3resfail& value) {
        LOOKUP3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        LOOKUP3resok stored_resok;
        LOOKUP3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.4: ACCESS, what the caller may do with a file.
struct ACCESS3args {
    nfs_fh3 object{};
    // The ACCESS3_ bits asked about.
    uint32 access{};
};

// RFC 1813 §3.3.4.
struct ACCESS3resok {
    post_op_attr obj_attributes{};
    // Those of the bits that are granted: advice, not a promise.
    uint32 access{};
};

// RFC 1813 §3.3.4.
struct ACCESS3resfail {
    post_op_attr obj_attributes{};
};

// RFC 1813 §3.3.4.
class ACCESS3res final {
   public:
    ACCESS3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const ACCESS3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const ACCESS3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    ACCESS3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    ACCESS3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const ACCESS3resok& raw_resok() const { return stored_resok; }
    static ACCESS3res of_resok(const ACCESS3resok& value) {
        ACCESS3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const ACCESS3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const ACCESS3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    ACCESS3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    ACCESS3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const ACCESS3resfail& raw_resfail() const { return stored_resfail; }
    static ACCESS3res of_resfail(nfsstat3 which, const ACCESS3resfail& value) {
        ACCESS3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        ACCESS3resok stored_resok;
        ACCESS3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.5: READLINK, the text of a symbolic link.
struct READLINK3args {
    nfs_fh3 symlink{};
};

// RFC 1813 §3.3.5.
struct READLINK3resok {
    post_op_attr symlink_attributes{};
    // The text given to SYMLINK, unchanged.
    nfspath3 data{};
};

// RFC 1813 §3.3.5.
struct READLINK3resfail {
    post_op_attr symlink_attributes{};
};

// RFC 1813 §3.3.5.
class READLINK3res final {
   public:
    READLINK3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const READLINK3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READLINK3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READLINK3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READLINK3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READLINK3resok& raw_resok() const { return stored_resok; }
    static READLINK3res of_resok(const READLINK3resok& value) {
        READLINK3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const READLINK3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READLINK3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READLINK3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READLINK3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READLINK3resfail& raw_resfail() const { return stored_resfail; }
    static READLINK3res of_resfail(nfsstat3 which, const READLINK3resfail& value) {
        READLINK3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        READLINK3resok stored_resok;
        READLINK3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.6: READ, bytes of a file from an offset.
struct READ3args {
    nfs_fh3 file{};
    offset3 offset{};
    // Most bytes wanted; FSINFO's rtmax is the most that will come.
    count3 count{};
};

// RFC 1813 §3.3.6.
struct READ3resok {
    post_op_attr file_attributes{};
    // Bytes read, the length of data.
    count3 count{};
    // The read reached the end of the file.
    bool eof{};
    // The bytes. Fewer than asked for without eof is allowed.
    ::helio::Payload data{};
};

// RFC 1813 §3.3.6.
struct READ3resfail {
    post_op_attr file_attributes{};
};

// RFC 1813 §3.3.6.
class READ3res final {
   public:
    READ3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const READ3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READ3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READ3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READ3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READ3resok& raw_resok() const { return stored_resok; }
    static READ3res of_resok(const READ3resok& value) {
        READ3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const READ3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READ3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READ3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READ3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READ3resfail& raw_resfail() const { return stored_resfail; }
    static READ3res of_resfail(nfsstat3 which, const READ3resfail& value) {
        READ3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        READ3resok stored_resok;
        READ3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.7: what must be on disk before WRITE answers.
enum stable_how : std::int32_t {
    // Nothing; a COMMIT will come.
    UNSTABLE = 0,
    // The data, and as much as it takes to find it again.
    DATA_SYNC = 1,
    // The data and all attributes.
    FILE_SYNC = 2,
};

// RFC 1813 §3.3.7: WRITE, bytes to a file at an offset.
struct WRITE3args {
    nfs_fh3 file{};
    offset3 offset{};
    // Bytes to write. It must not differ from the length of data.
    count3 count{};
    stable_how stable{};
    // The bytes; FSINFO's wtmax is the most a server takes.
    ::helio::Payload data{};
};

// RFC 1813 §3.3.7.
struct WRITE3resok {
    wcc_data file_wcc{};
    // Bytes written, perhaps fewer than asked.
    count3 count{};
    // No weaker than asked.
    stable_how committed{};
    // If it differs from an earlier one, unstable writes may be lost.
    writeverf3 verf{};
};

// RFC 1813 §3.3.7.
struct WRITE3resfail {
    wcc_data file_wcc{};
};

// RFC 1813 §3.3.7.
class WRITE3res final {
   public:
    WRITE3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const WRITE3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const WRITE3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    WRITE3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    WRITE3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const WRITE3resok& raw_resok() const { return stored_resok; }
    static WRITE3res of_resok(const WRITE3resok& value) {
        WRITE3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const WRITE3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const WRITE3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    WRITE3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    WRITE3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const WRITE3resfail& raw_resfail() const { return stored_resfail; }
    static WRITE3res of_resfail(nfsstat3 which, const WRITE3resfail& value) {
        WRITE3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        WRITE3resok stored_resok;
        WRITE3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.8: what CREATE does when the name is taken.
enum createmode3 : std::int32_t {
    // It takes the file that is there.
    UNCHECKED = 0,
    // It fails with NFS3ERR_EXIST.
    GUARDED = 1,
    // It fails, unless the file was made with the same verifier.
    EXCLUSIVE = 2,
};

// RFC 1813 §3.3.8: the mode, and what it needs.
class createhow3 final {
   public:
    createhow3() : stored_obj_attributes{} {}

    createmode3 mode() const { return stored_mode; }

    // The first attributes.
    bool has_obj_attributes() const { return stored_mode == UNCHECKED || stored_mode == GUARDED; }
    const sattr3& obj_attributes() const {
        HELIO_ASSERT(has_obj_attributes());
        return stored_obj_attributes;
    }
    const sattr3* if_obj_attributes() const { return has_obj_attributes() ? &stored_obj_attributes : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    sattr3& emplace_obj_attributes(createmode3 which) {
        return raw_obj_attributes(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    sattr3& raw_obj_attributes(createmode3 which) {
        stored_mode = which;
        HELIO_ASSERT(has_obj_attributes());
        return stored_obj_attributes;
    }
    const sattr3& raw_obj_attributes() const { return stored_obj_attributes; }
    static createhow3 of_obj_attributes(createmode3 which, const sattr3& value) {
        createhow3 out;
        out.emplace_obj_attributes(which) = value;
        return out;
    }

    // Kept with the file, so that a repeated call is recognized.
    bool has_verf() const { return stored_mode == EXCLUSIVE; }
    const createverf3& verf() const {
        HELIO_ASSERT(has_verf());
        return stored_verf;
    }
    const createverf3* if_verf() const { return has_verf() ? &stored_verf : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    createverf3& emplace_verf(createmode3 which) {
        return raw_verf(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    createverf3& raw_verf(createmode3 which) {
        stored_mode = which;
        HELIO_ASSERT(has_verf());
        return stored_verf;
    }
    const createverf3& raw_verf() const { return stored_verf; }
    static createhow3 of_verf(const createverf3& value) {
        createhow3 out;
        out.emplace_verf(EXCLUSIVE) = value;
        return out;
    }

   private:
    createmode3 stored_mode{};
    union {
        sattr3 stored_obj_attributes;
        createverf3 stored_verf;
    };
};

// RFC 1813 §3.3.8: CREATE, a new regular file.
struct CREATE3args {
    diropargs3 where{};
    createhow3 how{};
};

// RFC 1813 §3.3.8.
struct CREATE3resok {
    post_op_fh3 obj{};
    post_op_attr obj_attributes{};
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.8.
struct CREATE3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.8.
class CREATE3res final {
   public:
    CREATE3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const CREATE3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const CREATE3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    CREATE3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    CREATE3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const CREATE3resok& raw_resok() const { return stored_resok; }
    static CREATE3res of_resok(const CREATE3resok& value) {
        CREATE3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const CREATE3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const CREATE3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    CREATE3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    CREATE3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const CREATE3resfail& raw_resfail() const { return stored_resfail; }
    static CREATE3res of_resfail(nfsstat3 which, const CREATE3resfail& value) {
        CREATE3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        CREATE3resok stored_resok;
        CREATE3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.9: MKDIR, a new directory.
struct MKDIR3args {
    diropargs3 where{};
    // The first attributes.
    sattr3 attributes{};
};

// RFC 1813 §3.3.9.
struct MKDIR3resok {
    post_op_fh3 obj{};
    post_op_attr obj_attributes{};
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.9.
struct MKDIR3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.9.
class MKDIR3res final {
   public:
    MKDIR3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const MKDIR3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const MKDIR3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    MKDIR3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    MKDIR3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const MKDIR3resok& raw_resok() const { return stored_resok; }
    static MKDIR3res of_resok(const MKDIR3resok& value) {
        MKDIR3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const MKDIR3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const MKDIR3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    MKDIR3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    MKDIR3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const MKDIR3resfail& raw_resfail() const { return stored_resfail; }
    static MKDIR3res of_resfail(nfsstat3 which, const MKDIR3resfail& value) {
        MKDIR3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        MKDIR3resok stored_resok;
        MKDIR3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.10: what a symbolic link holds.
struct symlinkdata3 {
    // The first attributes.
    sattr3 symlink_attributes{};
    // The text, kept as it is.
    nfspath3 symlink_data{};
};

// RFC 1813 §3.3.10: SYMLINK, a new symbolic link.
struct SYMLINK3args {
    diropargs3 where{};
    symlinkdata3 symlink{};
};

// RFC 1813 §3.3.10.
struct SYMLINK3resok {
    post_op_fh3 obj{};
    post_op_attr obj_attributes{};
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.10.
struct SYMLINK3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.10.
class SYMLINK3res final {
   public:
    SYMLINK3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const SYMLINK3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const SYMLINK3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    SYMLINK3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    SYMLINK3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const SYMLINK3resok& raw_resok() const { return stored_resok; }
    static SYMLINK3res of_resok(const SYMLINK3resok& value) {
        SYMLINK3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const SYMLINK3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const SYMLINK3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    SYMLINK3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    SYMLINK3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const SYMLINK3resfail& raw_resfail() const { return stored_resfail; }
    static SYMLINK3res of_resfail(nfsstat3 which, const SYMLINK3resfail& value) {
        SYMLINK3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        SYMLINK3resok stored_resok;
        SYMLINK3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.11: what a device is made from.
struct devicedata3 {
    // The first attributes.
    sattr3 dev_attributes{};
    // Its number.
    specdata3 spec{};
};

// RFC 1813 §3.3.11: what a special file is made from.
class mknoddata3 final {
   public:
    mknoddata3() {}

    ftype3 type() const { return stored_type; }

    bool has_device() const { return stored_type == NF3CHR || stored_type == NF3BLK; }
    const devicedata3& device() const {
        HELIO_ASSERT(has_device());
        return stored_device;
    }
    const devicedata3* if_device() const { return has_device() ? &stored_device : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    devicedata3& emplace_device(ftype3 which) {
        return raw_device(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    devicedata3& raw_device(ftype3 which) {
        stored_type = which;
        HELIO_ASSERT(has_device());
        return stored_device;
    }
    const devicedata3& raw_device() const { return stored_device; }
    static mknoddata3 of_device(ftype3 which, const devicedata3& value) {
        mknoddata3 out;
        out.emplace_device(which) = value;
        return out;
    }

    // The first attributes.
    bool has_pipe_attributes() const { return stored_type == NF3SOCK || stored_type == NF3FIFO; }
    const sattr3& pipe_attributes() const {
        HELIO_ASSERT(has_pipe_attributes());
        return stored_pipe_attributes;
    }
    const sattr3* if_pipe_attributes() const { return has_pipe_attributes() ? &stored_pipe_attributes : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    sattr3& emplace_pipe_attributes(ftype3 which) {
        return raw_pipe_attributes(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    sattr3& raw_pipe_attributes(ftype3 which) {
        stored_type = which;
        HELIO_ASSERT(has_pipe_attributes());
        return stored_pipe_attributes;
    }
    const sattr3& raw_pipe_attributes() const { return stored_pipe_attributes; }
    static mknoddata3 of_pipe_attributes(ftype3 which, const sattr3& value) {
        mknoddata3 out;
        out.emplace_pipe_attributes(which) = value;
        return out;
    }

    // An arm without content.
    bool has_nothing() const { return (stored_type != NF3CHR && stored_type != NF3BLK && stored_type != NF3SOCK && stored_type != NF3FIFO); }
    void set(ftype3 which) {
        stored_type = which;
        HELIO_ASSERT(has_nothing());
    }
    static mknoddata3 of(ftype3 which) {
        mknoddata3 out;
        out.set(which);
        return out;
    }

   private:
    ftype3 stored_type{};
    union {
        devicedata3 stored_device;
        sattr3 stored_pipe_attributes;
    };
};

// RFC 1813 §3.3.11: MKNOD, a new device, socket or named pipe.
struct MKNOD3args {
    diropargs3 where{};
    mknoddata3 what{};
};

// RFC 1813 §3.3.11.
struct MKNOD3resok {
    post_op_fh3 obj{};
    post_op_attr obj_attributes{};
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.11.
struct MKNOD3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.11.
class MKNOD3res final {
   public:
    MKNOD3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const MKNOD3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const MKNOD3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    MKNOD3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    MKNOD3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const MKNOD3resok& raw_resok() const { return stored_resok; }
    static MKNOD3res of_resok(const MKNOD3resok& value) {
        MKNOD3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const MKNOD3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const MKNOD3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    MKNOD3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    MKNOD3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const MKNOD3resfail& raw_resfail() const { return stored_resfail; }
    static MKNOD3res of_resfail(nfsstat3 which, const MKNOD3resfail& value) {
        MKNOD3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        MKNOD3resok stored_resok;
        MKNOD3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.12: REMOVE, one name of a file, and the file if it was the last.
struct REMOVE3args {
    diropargs3 object{};
};

// RFC 1813 §3.3.12.
struct REMOVE3resok {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.12.
struct REMOVE3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.12.
class REMOVE3res final {
   public:
    REMOVE3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const REMOVE3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const REMOVE3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    REMOVE3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    REMOVE3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const REMOVE3resok& raw_resok() const { return stored_resok; }
    static REMOVE3res of_resok(const REMOVE3resok& value) {
        REMOVE3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const REMOVE3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const REMOVE3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    REMOVE3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    REMOVE3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const REMOVE3resfail& raw_resfail() const { return stored_resfail; }
    static REMOVE3res of_resfail(nfsstat3 which, const REMOVE3resfail& value) {
        REMOVE3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        REMOVE3resok stored_resok;
        REMOVE3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.13: RMDIR, an empty directory.
struct RMDIR3args {
    diropargs3 object{};
};

// RFC 1813 §3.3.13.
struct RMDIR3resok {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.13.
struct RMDIR3resfail {
    wcc_data dir_wcc{};
};

// RFC 1813 §3.3.13.
class RMDIR3res final {
   public:
    RMDIR3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const RMDIR3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const RMDIR3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    RMDIR3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    RMDIR3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const RMDIR3resok& raw_resok() const { return stored_resok; }
    static RMDIR3res of_resok(const RMDIR3resok& value) {
        RMDIR3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const RMDIR3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const RMDIR3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    RMDIR3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    RMDIR3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const RMDIR3resfail& raw_resfail() const { return stored_resfail; }
    static RMDIR3res of_resfail(nfsstat3 which, const RMDIR3resfail& value) {
        RMDIR3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        RMDIR3resok stored_resok;
        RMDIR3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.14: RENAME, from one name to another in one step.
struct RENAME3args {
    diropargs3 from{};
    diropargs3 to{};
};

// RFC 1813 §3.3.14.
struct RENAME3resok {
    wcc_data fromdir_wcc{};
    wcc_data todir_wcc{};
};

// RFC 1813 §3.3.14.
struct RENAME3resfail {
    wcc_data fromdir_wcc{};
    wcc_data todir_wcc{};
};

// RFC 1813 §3.3.14.
class RENAME3res final {
   public:
    RENAME3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const RENAME3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const RENAME3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    RENAME3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    RENAME3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const RENAME3resok& raw_resok() const { return stored_resok; }
    static RENAME3res of_resok(const RENAME3resok& value) {
        RENAME3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const RENAME3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const RENAME3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    RENAME3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    RENAME3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const RENAME3resfail& raw_resfail() const { return stored_resfail; }
    static RENAME3res of_resfail(nfsstat3 which, const RENAME3resfail& value) {
        RENAME3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        RENAME3resok stored_resok;
        RENAME3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.15: LINK, one more name for a file.
struct LINK3args {
    nfs_fh3 file{};
    // The new name.
    diropargs3 link{};
};

// RFC 1813 §3.3.15.
struct LINK3resok {
    post_op_attr file_attributes{};
    wcc_data linkdir_wcc{};
};

// RFC 1813 §3.3.15.
struct LINK3resfail {
    post_op_attr file_attributes{};
    wcc_data linkdir_wcc{};
};

// RFC 1813 §3.3.15.
class LINK3res final {
   public:
    LINK3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const LINK3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const LINK3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    LINK3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    LINK3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const LINK3resok& raw_resok() const { return stored_resok; }
    static LINK3res of_resok(const LINK3resok& value) {
        LINK3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const LINK3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const LINK3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    LINK3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    LINK3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const LINK3resfail& raw_resfail() const { return stored_resfail; }
    static LINK3res of_resfail(nfsstat3 which, const LINK3resfail& value) {
        LINK3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        LINK3resok stored_resok;
        LINK3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.16: READDIR, names in a directory.
struct READDIR3args {
    nfs_fh3 dir{};
    // That of the last entry received, or 0.
    cookie3 cookie{};
    // That of the last reply, or zero.
    cookieverf3 cookieverf{};
    // Most bytes of READDIR3resok, XDR included.
    count3 count{};
};

// RFC 1813 §3.3.16: an entry, and those after it.
struct entry3 {
    fileid3 fileid{};
    filename3 name{};
    // Where to continue after this entry.
    cookie3 cookie{};
    const entry3* nextentry{};
};

// RFC 1813 §3.3.16: part of a directory.
struct dirlist3 {
    const entry3* entries{};
    // No entry comes after these.
    bool eof{};
};

// RFC 1813 §3.3.16.
struct READDIR3resok {
    post_op_attr dir_attributes{};
    // To be sent with the next call.
    cookieverf3 cookieverf{};
    dirlist3 reply{};
};

// RFC 1813 §3.3.16.
struct READDIR3resfail {
    post_op_attr dir_attributes{};
};

// RFC 1813 §3.3.16.
class READDIR3res final {
   public:
    READDIR3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const READDIR3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READDIR3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READDIR3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READDIR3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READDIR3resok& raw_resok() const { return stored_resok; }
    static READDIR3res of_resok(const READDIR3resok& value) {
        READDIR3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const READDIR3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READDIR3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READDIR3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READDIR3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READDIR3resfail& raw_resfail() const { return stored_resfail; }
    static READDIR3res of_resfail(nfsstat3 which, const READDIR3resfail& value) {
        READDIR3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        READDIR3resok stored_resok;
        READDIR3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.17: READDIRPLUS, names in a directory with attributes and handles.
struct READDIRPLUS3args {
    nfs_fh3 dir{};
    // That of the last entry received, or 0.
    cookie3 cookie{};
    // That of the last reply, or zero.
    cookieverf3 cookieverf{};
    // Most bytes of fileids, names and cookies.
    count3 dircount{};
    // Most bytes of READDIRPLUS3resok, XDR included.
    count3 maxcount{};
};

// RFC 1813 §3.3.17: an entry, and those after it.
struct entryplus3 {
    fileid3 fileid{};
    filename3 name{};
    // Where to continue after this entry.
    cookie3 cookie{};
    post_op_attr name_attributes{};
    post_op_fh3 name_handle{};
    const entryplus3* nextentry{};
};

// RFC 1813 §3.3.17: part of a directory.
struct dirlistplus3 {
    const entryplus3* entries{};
    // No entry comes after these.
    bool eof{};
};

// RFC 1813 §3.3.17.
struct READDIRPLUS3resok {
    post_op_attr dir_attributes{};
    // To be sent with the next call.
    cookieverf3 cookieverf{};
    dirlistplus3 reply{};
};

// RFC 1813 §3.3.17.
struct READDIRPLUS3resfail {
    post_op_attr dir_attributes{};
};

// RFC 1813 §3.3.17.
class READDIRPLUS3res final {
   public:
    READDIRPLUS3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const READDIRPLUS3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READDIRPLUS3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READDIRPLUS3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READDIRPLUS3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const READDIRPLUS3resok& raw_resok() const { return stored_resok; }
    static READDIRPLUS3res of_resok(const READDIRPLUS3resok& value) {
        READDIRPLUS3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const READDIRPLUS3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READDIRPLUS3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    READDIRPLUS3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    READDIRPLUS3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const READDIRPLUS3resfail& raw_resfail() const { return stored_resfail; }
    static READDIRPLUS3res of_resfail(nfsstat3 which, const READDIRPLUS3resfail& value) {
        READDIRPLUS3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        READDIRPLUS3resok stored_resok;
        READDIRPLUS3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.18: FSSTAT, how full a file system is.
struct FSSTAT3args {
    // Any file of it will do, in practice.
    nfs_fh3 fsroot{};
};

// RFC 1813 §3.3.18.
struct FSSTAT3resok {
    post_op_attr obj_attributes{};
    // Bytes in all.
    size3 tbytes{};
    // Free bytes.
    size3 fbytes{};
    // Free bytes this user can have.
    size3 abytes{};
    // Files in all.
    size3 tfiles{};
    // Files that can still be made.
    size3 ffiles{};
    // Files this user can still make.
    size3 afiles{};
    // Seconds for which nothing here is expected to change.
    uint32 invarsec{};
};

// RFC 1813 §3.3.18.
struct FSSTAT3resfail {
    post_op_attr obj_attributes{};
};

// RFC 1813 §3.3.18.
class FSSTAT3res final {
   public:
    FSSTAT3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const FSSTAT3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const FSSTAT3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    FSSTAT3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    FSSTAT3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const FSSTAT3resok& raw_resok() const { return stored_resok; }
    static FSSTAT3res of_resok(const FSSTAT3resok& value) {
        FSSTAT3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const FSSTAT3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const FSSTAT3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    FSSTAT3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    FSSTAT3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const FSSTAT3resfail& raw_resfail() const { return stored_resfail; }
    static FSSTAT3res of_resfail(nfsstat3 which, const FSSTAT3resfail& value) {
        FSSTAT3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        FSSTAT3resok stored_resok;
        FSSTAT3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.19: FSINFO, what a file system can do.
struct FSINFO3args {
    // The handle MOUNT gave.
    nfs_fh3 fsroot{};
};

// RFC 1813 §3.3.19. All sizes are in bytes.
struct FSINFO3resok {
    post_op_attr obj_attributes{};
    // Largest READ.
    uint32 rtmax{};
    // Best READ.
    uint32 rtpref{};
    // READ sizes are best a multiple of this.
    uint32 rtmult{};
    // Largest WRITE.
    uint32 wtmax{};
    // Best WRITE.
    uint32 wtpref{};
    // WRITE sizes are best a multiple of this.
    uint32 wtmult{};
    // Best READDIR.
    uint32 dtpref{};
    size3 maxfilesize{};
    // The server's time stamps are no finer than this.
    nfstime3 time_delta{};
    // FSF3_ bits.
    uint32 properties{};
};

// RFC 1813 §3.3.19.
struct FSINFO3resfail {
    post_op_attr obj_attributes{};
};

// RFC 1813 §3.3.19.
class FSINFO3res final {
   public:
    FSINFO3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const FSINFO3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const FSINFO3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    FSINFO3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    FSINFO3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const FSINFO3resok& raw_resok() const { return stored_resok; }
    static FSINFO3res of_resok(const FSINFO3resok& value) {
        FSINFO3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const FSINFO3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const FSINFO3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    FSINFO3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    FSINFO3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const FSINFO3resfail& raw_resfail() const { return stored_resfail; }
    static FSINFO3res of_resfail(nfsstat3 which, const FSINFO3resfail& value) {
        FSINFO3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        FSINFO3resok stored_resok;
        FSINFO3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.20: PATHCONF, the POSIX limits of a file.
struct PATHCONF3args {
    nfs_fh3 object{};
};

// RFC 1813 §3.3.20.
struct PATHCONF3resok {
    post_op_attr obj_attributes{};
    // Most hard links to one file.
    uint32 linkmax{};
    // Longest name, in bytes.
    uint32 name_max{};
    // Longer names are errors, not cut.
    bool no_trunc{};
    // Only the superuser may give files away.
    bool chown_restricted{};
    // Names that differ in case are one name.
    bool case_insensitive{};
    // Names keep the case they were made with.
    bool case_preserving{};
};

// RFC 1813 §3.3.20.
struct PATHCONF3resfail {
    post_op_attr obj_attributes{};
};

// RFC 1813 §3.3.20.
class PATHCONF3res final {
   public:
    PATHCONF3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const PATHCONF3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const PATHCONF3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    PATHCONF3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    PATHCONF3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const PATHCONF3resok& raw_resok() const { return stored_resok; }
    static PATHCONF3res of_resok(const PATHCONF3resok& value) {
        PATHCONF3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const PATHCONF3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const PATHCONF3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    PATHCONF3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    PATHCONF3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const PATHCONF3resfail& raw_resfail() const { return stored_resfail; }
    static PATHCONF3res of_resfail(nfsstat3 which, const PATHCONF3resfail& value) {
        PATHCONF3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        PATHCONF3resok stored_resok;
        PATHCONF3resfail stored_resfail;
    };
};

// RFC 1813 §3.3.21: COMMIT, unstable writes to disk.
struct COMMIT3args {
    nfs_fh3 file{};
    offset3 offset{};
    // 0: to the end of the file.
    count3 count{};
};

// RFC 1813 §3.3.21.
struct COMMIT3resok {
    wcc_data file_wcc{};
    // If it differs from that of the writes, they must be sent again.
    writeverf3 verf{};
};

// RFC 1813 §3.3.21.
struct COMMIT3resfail {
    wcc_data file_wcc{};
};

// RFC 1813 §3.3.21.
class COMMIT3res final {
   public:
    COMMIT3res() : stored_resok{} {}

    nfsstat3 status() const { return stored_status; }

    bool has_resok() const { return stored_status == NFS3_OK; }
    const COMMIT3resok& resok() const {
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const COMMIT3resok* if_resok() const { return has_resok() ? &stored_resok : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    COMMIT3resok& emplace_resok(nfsstat3 which) {
        return raw_resok(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    COMMIT3resok& raw_resok(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resok());
        return stored_resok;
    }
    const COMMIT3resok& raw_resok() const { return stored_resok; }
    static COMMIT3res of_resok(const COMMIT3resok& value) {
        COMMIT3res out;
        out.emplace_resok(NFS3_OK) = value;
        return out;
    }

    bool has_resfail() const { return stored_status != NFS3_OK; }
    const COMMIT3resfail& resfail() const {
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const COMMIT3resfail* if_resfail() const { return has_resfail() ? &stored_resfail : nullptr; }
    // Makes this the current arm and gives it out to be filled in.
    COMMIT3resfail& emplace_resfail(nfsstat3 which) {
        return raw_resfail(which) = {};
    }
    // For codecs: nothing is initialised, nothing is checked.
    COMMIT3resfail& raw_resfail(nfsstat3 which) {
        stored_status = which;
        HELIO_ASSERT(has_resfail());
        return stored_resfail;
    }
    const COMMIT3resfail& raw_resfail() const { return stored_resfail; }
    static COMMIT3res of_resfail(nfsstat3 which, const COMMIT3resfail& value) {
        COMMIT3res out;
        out.emplace_resfail(which) = value;
        return out;
    }

   private:
    nfsstat3 stored_status{};
    union {
        COMMIT3resok stored_resok;
        COMMIT3resfail stored_resfail;
    };
};

// Bytes ↔ values. False means that reader or writer now holds the fault.
[[nodiscard]] bool decode_uint64(xdr::Reader& in, uint64& v);
[[nodiscard]] bool encode_uint64(xdr::Writer& out, const uint64& v);
[[nodiscard]] bool decode_int64(xdr::Reader& in, int64& v);
[[nodiscard]] bool encode_int64(xdr::Writer& out, const int64& v);
[[nodiscard]] bool decode_uint32(xdr::Reader& in, uint32& v);
[[nodiscard]] bool encode_uint32(xdr::Writer& out, const uint32& v);
[[nodiscard]] bool decode_int32(xdr::Reader& in, int32& v);
[[nodiscard]] bool encode_int32(xdr::Writer& out, const int32& v);
[[nodiscard]] bool decode_filename3(xdr::Reader& in, filename3& v);
[[nodiscard]] bool encode_filename3(xdr::Writer& out, const filename3& v);
[[nodiscard]] bool decode_nfspath3(xdr::Reader& in, nfspath3& v);
[[nodiscard]] bool encode_nfspath3(xdr::Writer& out, const nfspath3& v);
[[nodiscard]] bool decode_fileid3(xdr::Reader& in, fileid3& v);
[[nodiscard]] bool encode_fileid3(xdr::Writer& out, const fileid3& v);
[[nodiscard]] bool decode_cookie3(xdr::Reader& in, cookie3& v);
[[nodiscard]] bool encode_cookie3(xdr::Writer& out, const cookie3& v);
[[nodiscard]] bool decode_cookieverf3(xdr::Reader& in, cookieverf3& v);
[[nodiscard]] bool encode_cookieverf3(xdr::Writer& out, const cookieverf3& v);
[[nodiscard]] bool decode_createverf3(xdr::Reader& in, createverf3& v);
[[nodiscard]] bool encode_createverf3(xdr::Writer& out, const createverf3& v);
[[nodiscard]] bool decode_writeverf3(xdr::Reader& in, writeverf3& v);
[[nodiscard]] bool encode_writeverf3(xdr::Writer& out, const writeverf3& v);
[[nodiscard]] bool decode_uid3(xdr::Reader& in, uid3& v);
[[nodiscard]] bool encode_uid3(xdr::Writer& out, const uid3& v);
[[nodiscard]] bool decode_gid3(xdr::Reader& in, gid3& v);
[[nodiscard]] bool encode_gid3(xdr::Writer& out, const gid3& v);
[[nodiscard]] bool decode_size3(xdr::Reader& in, size3& v);
[[nodiscard]] bool encode_size3(xdr::Writer& out, const size3& v);
[[nodiscard]] bool decode_offset3(xdr::Reader& in, offset3& v);
[[nodiscard]] bool encode_offset3(xdr::Writer& out, const offset3& v);
[[nodiscard]] bool decode_mode3(xdr::Reader& in, mode3& v);
[[nodiscard]] bool encode_mode3(xdr::Writer& out, const mode3& v);
[[nodiscard]] bool decode_count3(xdr::Reader& in, count3& v);
[[nodiscard]] bool encode_count3(xdr::Writer& out, const count3& v);
[[nodiscard]] bool decode_nfsstat3(xdr::Reader& in, nfsstat3& v);
[[nodiscard]] bool encode_nfsstat3(xdr::Writer& out, const nfsstat3& v);
[[nodiscard]] bool decode_ftype3(xdr::Reader& in, ftype3& v);
[[nodiscard]] bool encode_ftype3(xdr::Writer& out, const ftype3& v);
[[nodiscard]] bool decode_specdata3(xdr::Reader& in, specdata3& v);
[[nodiscard]] bool encode_specdata3(xdr::Writer& out, const specdata3& v);
[[nodiscard]] bool decode_nfs_fh3(xdr::Reader& in, nfs_fh3& v);
[[nodiscard]] bool encode_nfs_fh3(xdr::Writer& out, const nfs_fh3& v);
[[nodiscard]] bool decode_nfstime3(xdr::Reader& in, nfstime3& v);
[[nodiscard]] bool encode_nfstime3(xdr::Writer& out, const nfstime3& v);
[[nodiscard]] bool decode_fattr3(xdr::Reader& in, fattr3& v);
[[nodiscard]] bool encode_fattr3(xdr::Writer& out, const fattr3& v);
[[nodiscard]] bool decode_post_op_attr(xdr::Reader& in, post_op_attr& v);
[[nodiscard]] bool encode_post_op_attr(xdr::Writer& out, const post_op_attr& v);
[[nodiscard]] bool decode_wcc_attr(xdr::Reader& in, wcc_attr& v);
[[nodiscard]] bool encode_wcc_attr(xdr::Writer& out, const wcc_attr& v);
[[nodiscard]] bool decode_pre_op_attr(xdr::Reader& in, pre_op_attr& v);
[[nodiscard]] bool encode_pre_op_attr(xdr::Writer& out, const pre_op_attr& v);
[[nodiscard]] bool decode_wcc_data(xdr::Reader& in, wcc_data& v);
[[nodiscard]] bool encode_wcc_data(xdr::Writer& out, const wcc_data& v);
[[nodiscard]] bool decode_post_op_fh3(xdr::Reader& in, post_op_fh3& v);
[[nodiscard]] bool encode_post_op_fh3(xdr::Writer& out, const post_op_fh3& v);
[[nodiscard]] bool decode_time_how(xdr::Reader& in, time_how& v);
[[nodiscard]] bool encode_time_how(xdr::Writer& out, const time_how& v);
[[nodiscard]] bool decode_set_mode3(xdr::Reader& in, set_mode3& v);
[[nodiscard]] bool encode_set_mode3(xdr::Writer& out, const set_mode3& v);
[[nodiscard]] bool decode_set_uid3(xdr::Reader& in, set_uid3& v);
[[nodiscard]] bool encode_set_uid3(xdr::Writer& out, const set_uid3& v);
[[nodiscard]] bool decode_set_gid3(xdr::Reader& in, set_gid3& v);
[[nodiscard]] bool encode_set_gid3(xdr::Writer& out, const set_gid3& v);
[[nodiscard]] bool decode_set_size3(xdr::Reader& in, set_size3& v);
[[nodiscard]] bool encode_set_size3(xdr::Writer& out, const set_size3& v);
[[nodiscard]] bool decode_set_atime(xdr::Reader& in, set_atime& v);
[[nodiscard]] bool encode_set_atime(xdr::Writer& out, const set_atime& v);
[[nodiscard]] bool decode_set_mtime(xdr::Reader& in, set_mtime& v);
[[nodiscard]] bool encode_set_mtime(xdr::Writer& out, const set_mtime& v);
[[nodiscard]] bool decode_sattr3(xdr::Reader& in, sattr3& v);
[[nodiscard]] bool encode_sattr3(xdr::Writer& out, const sattr3& v);
[[nodiscard]] bool decode_diropargs3(xdr::Reader& in, diropargs3& v);
[[nodiscard]] bool encode_diropargs3(xdr::Writer& out, const diropargs3& v);
[[nodiscard]] bool decode_GETATTR3args(xdr::Reader& in, GETATTR3args& v);
[[nodiscard]] bool encode_GETATTR3args(xdr::Writer& out, const GETATTR3args& v);
[[nodiscard]] bool decode_GETATTR3resok(xdr::Reader& in, GETATTR3resok& v);
[[nodiscard]] bool encode_GETATTR3resok(xdr::Writer& out, const GETATTR3resok& v);
[[nodiscard]] bool decode_GETATTR3res(xdr::Reader& in, GETATTR3res& v);
[[nodiscard]] bool encode_GETATTR3res(xdr::Writer& out, const GETATTR3res& v);
[[nodiscard]] bool decode_sattrguard3(xdr::Reader& in, sattrguard3& v);
[[nodiscard]] bool encode_sattrguard3(xdr::Writer& out, const sattrguard3& v);
[[nodiscard]] bool decode_SETATTR3args(xdr::Reader& in, SETATTR3args& v);
[[nodiscard]] bool encode_SETATTR3args(xdr::Writer& out, const SETATTR3args& v);
[[nodiscard]] bool decode_SETATTR3resok(xdr::Reader& in, SETATTR3resok& v);
[[nodiscard]] bool encode_SETATTR3resok(xdr::Writer& out, const SETATTR3resok& v);
[[nodiscard]] bool decode_SETATTR3resfail(xdr::Reader& in, SETATTR3resfail& v);
[[nodiscard]] bool encode_SETATTR3resfail(xdr::Writer& out, const SETATTR3resfail& v);
[[nodiscard]] bool decode_SETATTR3res(xdr::Reader& in, SETATTR3res& v);
[[nodiscard]] bool encode_SETATTR3res(xdr::Writer& out, const SETATTR3res& v);
[[nodiscard]] bool decode_LOOKUP3args(xdr::Reader& in, LOOKUP3args& v);
[[nodiscard]] bool encode_LOOKUP3args(xdr::Writer& out, const LOOKUP3args& v);
[[nodiscard]] bool decode_LOOKUP3resok(xdr::Reader& in, LOOKUP3resok& v);
[[nodiscard]] bool encode_LOOKUP3resok(xdr::Writer& out, const LOOKUP3resok& v);
[[nodiscard]] bool decode_LOOKUP3resfail(xdr::Reader& in, LOOKUP3resfail& v);
[[nodiscard]] bool encode_LOOKUP3resfail(xdr::Writer& out, const LOOKUP3resfail& v);
[[nodiscard]] bool decode_LOOKUP3res(xdr::Reader& in, LOOKUP3res& v);
[[nodiscard]] bool encode_LOOKUP3res(xdr::Writer& out, const LOOKUP3res& v);
[[nodiscard]] bool decode_ACCESS3args(xdr::Reader& in, ACCESS3args& v);
[[nodiscard]] bool encode_ACCESS3args(xdr::Writer& out, const ACCESS3args& v);
[[nodiscard]] bool decode_ACCESS3resok(xdr::Reader& in, ACCESS3resok& v);
[[nodiscard]] bool encode_ACCESS3resok(xdr::Writer& out, const ACCESS3resok& v);
[[nodiscard]] bool decode_ACCESS3resfail(xdr::Reader& in, ACCESS3resfail& v);
[[nodiscard]] bool encode_ACCESS3resfail(xdr::Writer& out, const ACCESS3resfail& v);
[[nodiscard]] bool decode_ACCESS3res(xdr::Reader& in, ACCESS3res& v);
[[nodiscard]] bool encode_ACCESS3res(xdr::Writer& out, const ACCESS3res& v);
[[nodiscard]] bool decode_READLINK3args(xdr::Reader& in, READLINK3args& v);
[[nodiscard]] bool encode_READLINK3args(xdr::Writer& out, const READLINK3args& v);
[[nodiscard]] bool decode_READLINK3resok(xdr::Reader& in, READLINK3resok& v);
[[nodiscard]] bool encode_READLINK3resok(xdr::Writer& out, const READLINK3resok& v);
[[nodiscard]] bool decode_READLINK3resfail(xdr::Reader& in, READLINK3resfail& v);
[[nodiscard]] bool encode_READLINK3resfail(xdr::Writer& out, const READLINK3resfail& v);
[[nodiscard]] bool decode_READLINK3res(xdr::Reader& in, READLINK3res& v);
[[nodiscard]] bool encode_READLINK3res(xdr::Writer& out, const READLINK3res& v);
[[nodiscard]] bool decode_READ3args(xdr::Reader& in, READ3args& v);
[[nodiscard]] bool encode_READ3args(xdr::Writer& out, const READ3args& v);
[[nodiscard]] bool decode_READ3resok(xdr::Reader& in, READ3resok& v);
[[nodiscard]] bool encode_READ3resok(xdr::Writer& out, const READ3resok& v);
[[nodiscard]] bool decode_READ3resfail(xdr::Reader& in, READ3resfail& v);
[[nodiscard]] bool encode_READ3resfail(xdr::Writer& out, const READ3resfail& v);
[[nodiscard]] bool decode_READ3res(xdr::Reader& in, READ3res& v);
[[nodiscard]] bool encode_READ3res(xdr::Writer& out, const READ3res& v);
[[nodiscard]] bool decode_stable_how(xdr::Reader& in, stable_how& v);
[[nodiscard]] bool encode_stable_how(xdr::Writer& out, const stable_how& v);
[[nodiscard]] bool decode_WRITE3args(xdr::Reader& in, WRITE3args& v);
[[nodiscard]] bool encode_WRITE3args(xdr::Writer& out, const WRITE3args& v);
[[nodiscard]] bool decode_WRITE3resok(xdr::Reader& in, WRITE3resok& v);
[[nodiscard]] bool encode_WRITE3resok(xdr::Writer& out, const WRITE3resok& v);
[[nodiscard]] bool decode_WRITE3resfail(xdr::Reader& in, WRITE3resfail& v);
[[nodiscard]] bool encode_WRITE3resfail(xdr::Writer& out, const WRITE3resfail& v);
[[nodiscard]] bool decode_WRITE3res(xdr::Reader& in, WRITE3res& v);
[[nodiscard]] bool encode_WRITE3res(xdr::Writer& out, const WRITE3res& v);
[[nodiscard]] bool decode_createmode3(xdr::Reader& in, createmode3& v);
[[nodiscard]] bool encode_createmode3(xdr::Writer& out, const createmode3& v);
[[nodiscard]] bool decode_createhow3(xdr::Reader& in, createhow3& v);
[[nodiscard]] bool encode_createhow3(xdr::Writer& out, const createhow3& v);
[[nodiscard]] bool decode_CREATE3args(xdr::Reader& in, CREATE3args& v);
[[nodiscard]] bool encode_CREATE3args(xdr::Writer& out, const CREATE3args& v);
[[nodiscard]] bool decode_CREATE3resok(xdr::Reader& in, CREATE3resok& v);
[[nodiscard]] bool encode_CREATE3resok(xdr::Writer& out, const CREATE3resok& v);
[[nodiscard]] bool decode_CREATE3resfail(xdr::Reader& in, CREATE3resfail& v);
[[nodiscard]] bool encode_CREATE3resfail(xdr::Writer& out, const CREATE3resfail& v);
[[nodiscard]] bool decode_CREATE3res(xdr::Reader& in, CREATE3res& v);
[[nodiscard]] bool encode_CREATE3res(xdr::Writer& out, const CREATE3res& v);
[[nodiscard]] bool decode_MKDIR3args(xdr::Reader& in, MKDIR3args& v);
[[nodiscard]] bool encode_MKDIR3args(xdr::Writer& out, const MKDIR3args& v);
[[nodiscard]] bool decode_MKDIR3resok(xdr::Reader& in, MKDIR3resok& v);
[[nodiscard]] bool encode_MKDIR3resok(xdr::Writer& out, const MKDIR3resok& v);
[[nodiscard]] bool decode_MKDIR3resfail(xdr::Reader& in, MKDIR3resfail& v);
[[nodiscard]] bool encode_MKDIR3resfail(xdr::Writer& out, const MKDIR3resfail& v);
[[nodiscard]] bool decode_MKDIR3res(xdr::Reader& in, MKDIR3res& v);
[[nodiscard]] bool encode_MKDIR3res(xdr::Writer& out, const MKDIR3res& v);
[[nodiscard]] bool decode_symlinkdata3(xdr::Reader& in, symlinkdata3& v);
[[nodiscard]] bool encode_symlinkdata3(xdr::Writer& out, const symlinkdata3& v);
[[nodiscard]] bool decode_SYMLINK3args(xdr::Reader& in, SYMLINK3args& v);
[[nodiscard]] bool encode_SYMLINK3args(xdr::Writer& out, const SYMLINK3args& v);
[[nodiscard]] bool decode_SYMLINK3resok(xdr::Reader& in, SYMLINK3resok& v);
[[nodiscard]] bool encode_SYMLINK3resok(xdr::Writer& out, const SYMLINK3resok& v);
[[nodiscard]] bool decode_SYMLINK3resfail(xdr::Reader& in, SYMLINK3resfail& v);
[[nodiscard]] bool encode_SYMLINK3resfail(xdr::Writer& out, const SYMLINK3resfail& v);
[[nodiscard]] bool decode_SYMLINK3res(xdr::Reader& in, SYMLINK3res& v);
[[nodiscard]] bool encode_SYMLINK3res(xdr::Writer& out, const SYMLINK3res& v);
[[nodiscard]] bool decode_devicedata3(xdr::Reader& in, devicedata3& v);
[[nodiscard]] bool encode_devicedata3(xdr::Writer& out, const devicedata3& v);
[[nodiscard]] bool decode_mknoddata3(xdr::Reader& in, mknoddata3& v);
[[nodiscard]] bool encode_mknoddata3(xdr::Writer& out, const mknoddata3& v);
[[nodiscard]] bool decode_MKNOD3args(xdr::Reader& in, MKNOD3args& v);
[[nodiscard]] bool encode_MKNOD3args(xdr::Writer& out, const MKNOD3args& v);
[[nodiscard]] bool decode_MKNOD3resok(xdr::Reader& in, MKNOD3resok& v);
[[nodiscard]] bool encode_MKNOD3resok(xdr::Writer& out, const MKNOD3resok& v);
[[nodiscard]] bool decode_MKNOD3resfail(xdr::Reader& in, MKNOD3resfail& v);
[[nodiscard]] bool encode_MKNOD3resfail(xdr::Writer& out, const MKNOD3resfail& v);
[[nodiscard]] bool decode_MKNOD3res(xdr::Reader& in, MKNOD3res& v);
[[nodiscard]] bool encode_MKNOD3res(xdr::Writer& out, const MKNOD3res& v);
[[nodiscard]] bool decode_REMOVE3args(xdr::Reader& in, REMOVE3args& v);
[[nodiscard]] bool encode_REMOVE3args(xdr::Writer& out, const REMOVE3args& v);
[[nodiscard]] bool decode_REMOVE3resok(xdr::Reader& in, REMOVE3resok& v);
[[nodiscard]] bool encode_REMOVE3resok(xdr::Writer& out, const REMOVE3resok& v);
[[nodiscard]] bool decode_REMOVE3resfail(xdr::Reader& in, REMOVE3resfail& v);
[[nodiscard]] bool encode_REMOVE3resfail(xdr::Writer& out, const REMOVE3resfail& v);
[[nodiscard]] bool decode_REMOVE3res(xdr::Reader& in, REMOVE3res& v);
[[nodiscard]] bool encode_REMOVE3res(xdr::Writer& out, const REMOVE3res& v);
[[nodiscard]] bool decode_RMDIR3args(xdr::Reader& in, RMDIR3args& v);
[[nodiscard]] bool encode_RMDIR3args(xdr::Writer& out, const RMDIR3args& v);
[[nodiscard]] bool decode_RMDIR3resok(xdr::Reader& in, RMDIR3resok& v);
[[nodiscard]] bool encode_RMDIR3resok(xdr::Writer& out, const RMDIR3resok& v);
[[nodiscard]] bool decode_RMDIR3resfail(xdr::Reader& in, RMDIR3resfail& v);
[[nodiscard]] bool encode_RMDIR3resfail(xdr::Writer& out, const RMDIR3resfail& v);
[[nodiscard]] bool decode_RMDIR3res(xdr::Reader& in, RMDIR3res& v);
[[nodiscard]] bool encode_RMDIR3res(xdr::Writer& out, const RMDIR3res& v);
[[nodiscard]] bool decode_RENAME3args(xdr::Reader& in, RENAME3args& v);
[[nodiscard]] bool encode_RENAME3args(xdr::Writer& out, const RENAME3args& v);
[[nodiscard]] bool decode_RENAME3resok(xdr::Reader& in, RENAME3resok& v);
[[nodiscard]] bool encode_RENAME3resok(xdr::Writer& out, const RENAME3resok& v);
[[nodiscard]] bool decode_RENAME3resfail(xdr::Reader& in, RENAME3resfail& v);
[[nodiscard]] bool encode_RENAME3resfail(xdr::Writer& out, const RENAME3resfail& v);
[[nodiscard]] bool decode_RENAME3res(xdr::Reader& in, RENAME3res& v);
[[nodiscard]] bool encode_RENAME3res(xdr::Writer& out, const RENAME3res& v);
[[nodiscard]] bool decode_LINK3args(xdr::Reader& in, LINK3args& v);
[[nodiscard]] bool encode_LINK3args(xdr::Writer& out, const LINK3args& v);
[[nodiscard]] bool decode_LINK3resok(xdr::Reader& in, LINK3resok& v);
[[nodiscard]] bool encode_LINK3resok(xdr::Writer& out, const LINK3resok& v);
[[nodiscard]] bool decode_LINK3resfail(xdr::Reader& in, LINK3resfail& v);
[[nodiscard]] bool encode_LINK3resfail(xdr::Writer& out, const LINK3resfail& v);
[[nodiscard]] bool decode_LINK3res(xdr::Reader& in, LINK3res& v);
[[nodiscard]] bool encode_LINK3res(xdr::Writer& out, const LINK3res& v);
[[nodiscard]] bool decode_READDIR3args(xdr::Reader& in, READDIR3args& v);
[[nodiscard]] bool encode_READDIR3args(xdr::Writer& out, const READDIR3args& v);
[[nodiscard]] bool decode_entry3(xdr::Reader& in, entry3& v);
[[nodiscard]] bool encode_entry3(xdr::Writer& out, const entry3& v);
[[nodiscard]] bool decode_dirlist3(xdr::Reader& in, dirlist3& v);
[[nodiscard]] bool encode_dirlist3(xdr::Writer& out, const dirlist3& v);
[[nodiscard]] bool decode_READDIR3resok(xdr::Reader& in, READDIR3resok& v);
[[nodiscard]] bool encode_READDIR3resok(xdr::Writer& out, const READDIR3resok& v);
[[nodiscard]] bool decode_READDIR3resfail(xdr::Reader& in, READDIR3resfail& v);
[[nodiscard]] bool encode_READDIR3resfail(xdr::Writer& out, const READDIR3resfail& v);
[[nodiscard]] bool decode_READDIR3res(xdr::Reader& in, READDIR3res& v);
[[nodiscard]] bool encode_READDIR3res(xdr::Writer& out, const READDIR3res& v);
[[nodiscard]] bool decode_READDIRPLUS3args(xdr::Reader& in, READDIRPLUS3args& v);
[[nodiscard]] bool encode_READDIRPLUS3args(xdr::Writer& out, const READDIRPLUS3args& v);
[[nodiscard]] bool decode_entryplus3(xdr::Reader& in, entryplus3& v);
[[nodiscard]] bool encode_entryplus3(xdr::Writer& out, const entryplus3& v);
[[nodiscard]] bool decode_dirlistplus3(xdr::Reader& in, dirlistplus3& v);
[[nodiscard]] bool encode_dirlistplus3(xdr::Writer& out, const dirlistplus3& v);
[[nodiscard]] bool decode_READDIRPLUS3resok(xdr::Reader& in, READDIRPLUS3resok& v);
[[nodiscard]] bool encode_READDIRPLUS3resok(xdr::Writer& out, const READDIRPLUS3resok& v);
[[nodiscard]] bool decode_READDIRPLUS3resfail(xdr::Reader& in, READDIRPLUS3resfail& v);
[[nodiscard]] bool encode_READDIRPLUS3resfail(xdr::Writer& out, const READDIRPLUS3resfail& v);
[[nodiscard]] bool decode_READDIRPLUS3res(xdr::Reader& in, READDIRPLUS3res& v);
[[nodiscard]] bool encode_READDIRPLUS3res(xdr::Writer& out, const READDIRPLUS3res& v);
[[nodiscard]] bool decode_FSSTAT3args(xdr::Reader& in, FSSTAT3args& v);
[[nodiscard]] bool encode_FSSTAT3args(xdr::Writer& out, const FSSTAT3args& v);
[[nodiscard]] bool decode_FSSTAT3resok(xdr::Reader& in, FSSTAT3resok& v);
[[nodiscard]] bool encode_FSSTAT3resok(xdr::Writer& out, const FSSTAT3resok& v);
[[nodiscard]] bool decode_FSSTAT3resfail(xdr::Reader& in, FSSTAT3resfail& v);
[[nodiscard]] bool encode_FSSTAT3resfail(xdr::Writer& out, const FSSTAT3resfail& v);
[[nodiscard]] bool decode_FSSTAT3res(xdr::Reader& in, FSSTAT3res& v);
[[nodiscard]] bool encode_FSSTAT3res(xdr::Writer& out, const FSSTAT3res& v);
[[nodiscard]] bool decode_FSINFO3args(xdr::Reader& in, FSINFO3args& v);
[[nodiscard]] bool encode_FSINFO3args(xdr::Writer& out, const FSINFO3args& v);
[[nodiscard]] bool decode_FSINFO3resok(xdr::Reader& in, FSINFO3resok& v);
[[nodiscard]] bool encode_FSINFO3resok(xdr::Writer& out, const FSINFO3resok& v);
[[nodiscard]] bool decode_FSINFO3resfail(xdr::Reader& in, FSINFO3resfail& v);
[[nodiscard]] bool encode_FSINFO3resfail(xdr::Writer& out, const FSINFO3resfail& v);
[[nodiscard]] bool decode_FSINFO3res(xdr::Reader& in, FSINFO3res& v);
[[nodiscard]] bool encode_FSINFO3res(xdr::Writer& out, const FSINFO3res& v);
[[nodiscard]] bool decode_PATHCONF3args(xdr::Reader& in, PATHCONF3args& v);
[[nodiscard]] bool encode_PATHCONF3args(xdr::Writer& out, const PATHCONF3args& v);
[[nodiscard]] bool decode_PATHCONF3resok(xdr::Reader& in, PATHCONF3resok& v);
[[nodiscard]] bool encode_PATHCONF3resok(xdr::Writer& out, const PATHCONF3resok& v);
[[nodiscard]] bool decode_PATHCONF3resfail(xdr::Reader& in, PATHCONF3resfail& v);
[[nodiscard]] bool encode_PATHCONF3resfail(xdr::Writer& out, const PATHCONF3resfail& v);
[[nodiscard]] bool decode_PATHCONF3res(xdr::Reader& in, PATHCONF3res& v);
[[nodiscard]] bool encode_PATHCONF3res(xdr::Writer& out, const PATHCONF3res& v);
[[nodiscard]] bool decode_COMMIT3args(xdr::Reader& in, COMMIT3args& v);
[[nodiscard]] bool encode_COMMIT3args(xdr::Writer& out, const COMMIT3args& v);
[[nodiscard]] bool decode_COMMIT3resok(xdr::Reader& in, COMMIT3resok& v);
[[nodiscard]] bool encode_COMMIT3resok(xdr::Writer& out, const COMMIT3resok& v);
[[nodiscard]] bool decode_COMMIT3resfail(xdr::Reader& in, COMMIT3resfail& v);
[[nodiscard]] bool encode_COMMIT3resfail(xdr::Writer& out, const COMMIT3resfail& v);
[[nodiscard]] bool decode_COMMIT3res(xdr::Reader& in, COMMIT3res& v);
[[nodiscard]] bool encode_COMMIT3res(xdr::Writer& out, const COMMIT3res& v);

// Values as text: names for enumerations (empty when there is none), an outline for the rest.
void print_uint64(xdr::Printer& out, const uint64& v);
void print_int64(xdr::Printer& out, const int64& v);
void print_uint32(xdr::Printer& out, const uint32& v);
void print_int32(xdr::Printer& out, const int32& v);
void print_filename3(xdr::Printer& out, const filename3& v);
void print_nfspath3(xdr::Printer& out, const nfspath3& v);
void print_fileid3(xdr::Printer& out, const fileid3& v);
void print_cookie3(xdr::Printer& out, const cookie3& v);
void print_cookieverf3(xdr::Printer& out, const cookieverf3& v);
void print_createverf3(xdr::Printer& out, const createverf3& v);
void print_writeverf3(xdr::Printer& out, const writeverf3& v);
void print_uid3(xdr::Printer& out, const uid3& v);
void print_gid3(xdr::Printer& out, const gid3& v);
void print_size3(xdr::Printer& out, const size3& v);
void print_offset3(xdr::Printer& out, const offset3& v);
void print_mode3(xdr::Printer& out, const mode3& v);
void print_count3(xdr::Printer& out, const count3& v);
std::string_view to_string(nfsstat3 v);
void print_nfsstat3(xdr::Printer& out, const nfsstat3& v);
std::string_view to_string(ftype3 v);
void print_ftype3(xdr::Printer& out, const ftype3& v);
void print_specdata3(xdr::Printer& out, const specdata3& v);
void print_nfs_fh3(xdr::Printer& out, const nfs_fh3& v);
void print_nfstime3(xdr::Printer& out, const nfstime3& v);
void print_fattr3(xdr::Printer& out, const fattr3& v);
void print_post_op_attr(xdr::Printer& out, const post_op_attr& v);
void print_wcc_attr(xdr::Printer& out, const wcc_attr& v);
void print_pre_op_attr(xdr::Printer& out, const pre_op_attr& v);
void print_wcc_data(xdr::Printer& out, const wcc_data& v);
void print_post_op_fh3(xdr::Printer& out, const post_op_fh3& v);
std::string_view to_string(time_how v);
void print_time_how(xdr::Printer& out, const time_how& v);
void print_set_mode3(xdr::Printer& out, const set_mode3& v);
void print_set_uid3(xdr::Printer& out, const set_uid3& v);
void print_set_gid3(xdr::Printer& out, const set_gid3& v);
void print_set_size3(xdr::Printer& out, const set_size3& v);
void print_set_atime(xdr::Printer& out, const set_atime& v);
void print_set_mtime(xdr::Printer& out, const set_mtime& v);
void print_sattr3(xdr::Printer& out, const sattr3& v);
void print_diropargs3(xdr::Printer& out, const diropargs3& v);
void print_GETATTR3args(xdr::Printer& out, const GETATTR3args& v);
void print_GETATTR3resok(xdr::Printer& out, const GETATTR3resok& v);
void print_GETATTR3res(xdr::Printer& out, const GETATTR3res& v);
void print_sattrguard3(xdr::Printer& out, const sattrguard3& v);
void print_SETATTR3args(xdr::Printer& out, const SETATTR3args& v);
void print_SETATTR3resok(xdr::Printer& out, const SETATTR3resok& v);
void print_SETATTR3resfail(xdr::Printer& out, const SETATTR3resfail& v);
void print_SETATTR3res(xdr::Printer& out, const SETATTR3res& v);
void print_LOOKUP3args(xdr::Printer& out, const LOOKUP3args& v);
void print_LOOKUP3resok(xdr::Printer& out, const LOOKUP3resok& v);
void print_LOOKUP3resfail(xdr::Printer& out, const LOOKUP3resfail& v);
void print_LOOKUP3res(xdr::Printer& out, const LOOKUP3res& v);
void print_ACCESS3args(xdr::Printer& out, const ACCESS3args& v);
void print_ACCESS3resok(xdr::Printer& out, const ACCESS3resok& v);
void print_ACCESS3resfail(xdr::Printer& out, const ACCESS3resfail& v);
void print_ACCESS3res(xdr::Printer& out, const ACCESS3res& v);
void print_READLINK3args(xdr::Printer& out, const READLINK3args& v);
void print_READLINK3resok(xdr::Printer& out, const READLINK3resok& v);
void print_READLINK3resfail(xdr::Printer& out, const READLINK3resfail& v);
void print_READLINK3res(xdr::Printer& out, const READLINK3res& v);
void print_READ3args(xdr::Printer& out, const READ3args& v);
void print_READ3resok(xdr::Printer& out, const READ3resok& v);
void print_READ3resfail(xdr::Printer& out, const READ3resfail& v);
void print_READ3res(xdr::Printer& out, const READ3res& v);
std::string_view to_string(stable_how v);
void print_stable_how(xdr::Printer& out, const stable_how& v);
void print_WRITE3args(xdr::Printer& out, const WRITE3args& v);
void print_WRITE3resok(xdr::Printer& out, const WRITE3resok& v);
void print_WRITE3resfail(xdr::Printer& out, const WRITE3resfail& v);
void print_WRITE3res(xdr::Printer& out, const WRITE3res& v);
std::string_view to_string(createmode3 v);
void print_createmode3(xdr::Printer& out, const createmode3& v);
void print_createhow3(xdr::Printer& out, const createhow3& v);
void print_CREATE3args(xdr::Printer& out, const CREATE3args& v);
void print_CREATE3resok(xdr::Printer& out, const CREATE3resok& v);
void print_CREATE3resfail(xdr::Printer& out, const CREATE3resfail& v);
void print_CREATE3res(xdr::Printer& out, const CREATE3res& v);
void print_MKDIR3args(xdr::Printer& out, const MKDIR3args& v);
void print_MKDIR3resok(xdr::Printer& out, const MKDIR3resok& v);
void print_MKDIR3resfail(xdr::Printer& out, const MKDIR3resfail& v);
void print_MKDIR3res(xdr::Printer& out, const MKDIR3res& v);
void print_symlinkdata3(xdr::Printer& out, const symlinkdata3& v);
void print_SYMLINK3args(xdr::Printer& out, const SYMLINK3args& v);
void print_SYMLINK3resok(xdr::Printer& out, const SYMLINK3resok& v);
void print_SYMLINK3resfail(xdr::Printer& out, const SYMLINK3resfail& v);
void print_SYMLINK3res(xdr::Printer& out, const SYMLINK3res& v);
void print_devicedata3(xdr::Printer& out, const devicedata3& v);
void print_mknoddata3(xdr::Printer& out, const mknoddata3& v);
void print_MKNOD3args(xdr::Printer& out, const MKNOD3args& v);
void print_MKNOD3resok(xdr::Printer& out, const MKNOD3resok& v);
void print_MKNOD3resfail(xdr::Printer& out, const MKNOD3resfail& v);
void print_MKNOD3res(xdr::Printer& out, const MKNOD3res& v);
void print_REMOVE3args(xdr::Printer& out, const REMOVE3args& v);
void print_REMOVE3resok(xdr::Printer& out, const REMOVE3resok& v);
void print_REMOVE3resfail(xdr::Printer& out, const REMOVE3resfail& v);
void print_REMOVE3res(xdr::Printer& out, const REMOVE3res& v);
void print_RMDIR3args(xdr::Printer& out, const RMDIR3args& v);
void print_RMDIR3resok(xdr::Printer& out, const RMDIR3resok& v);
void print_RMDIR3resfail(xdr::Printer& out, const RMDIR3resfail& v);
void print_RMDIR3res(xdr::Printer& out, const RMDIR3res& v);
void print_RENAME3args(xdr::Printer& out, const RENAME3args& v);
void print_RENAME3resok(xdr::Printer& out, const RENAME3resok& v);
void print_RENAME3resfail(xdr::Printer& out, const RENAME3resfail& v);
void print_RENAME3res(xdr::Printer& out, const RENAME3res& v);
void print_LINK3args(xdr::Printer& out, const LINK3args& v);
void print_LINK3resok(xdr::Printer& out, const LINK3resok& v);
void print_LINK3resfail(xdr::Printer& out, const LINK3resfail& v);
void print_LINK3res(xdr::Printer& out, const LINK3res& v);
void print_READDIR3args(xdr::Printer& out, const READDIR3args& v);
void print_entry3(xdr::Printer& out, const entry3& v);
void print_dirlist3(xdr::Printer& out, const dirlist3& v);
void print_READDIR3resok(xdr::Printer& out, const READDIR3resok& v);
void print_READDIR3resfail(xdr::Printer& out, const READDIR3resfail& v);
void print_READDIR3res(xdr::Printer& out, const READDIR3res& v);
void print_READDIRPLUS3args(xdr::Printer& out, const READDIRPLUS3args& v);
void print_entryplus3(xdr::Printer& out, const entryplus3& v);
void print_dirlistplus3(xdr::Printer& out, const dirlistplus3& v);
void print_READDIRPLUS3resok(xdr::Printer& out, const READDIRPLUS3resok& v);
void print_READDIRPLUS3resfail(xdr::Printer& out, const READDIRPLUS3resfail& v);
void print_READDIRPLUS3res(xdr::Printer& out, const READDIRPLUS3res& v);
void print_FSSTAT3args(xdr::Printer& out, const FSSTAT3args& v);
void print_FSSTAT3resok(xdr::Printer& out, const FSSTAT3resok& v);
void print_FSSTAT3resfail(xdr::Printer& out, const FSSTAT3resfail& v);
void print_FSSTAT3res(xdr::Printer& out, const FSSTAT3res& v);
void print_FSINFO3args(xdr::Printer& out, const FSINFO3args& v);
void print_FSINFO3resok(xdr::Printer& out, const FSINFO3resok& v);
void print_FSINFO3resfail(xdr::Printer& out, const FSINFO3resfail& v);
void print_FSINFO3res(xdr::Printer& out, const FSINFO3res& v);
void print_PATHCONF3args(xdr::Printer& out, const PATHCONF3args& v);
void print_PATHCONF3resok(xdr::Printer& out, const PATHCONF3resok& v);
void print_PATHCONF3resfail(xdr::Printer& out, const PATHCONF3resfail& v);
void print_PATHCONF3res(xdr::Printer& out, const PATHCONF3res& v);
void print_COMMIT3args(xdr::Printer& out, const COMMIT3args& v);
void print_COMMIT3resok(xdr::Printer& out, const COMMIT3resok& v);
void print_COMMIT3resfail(xdr::Printer& out, const COMMIT3resfail& v);
void print_COMMIT3res(xdr::Printer& out, const COMMIT3res& v);

// Equality of what views point at.
bool operator==(const specdata3& a, const specdata3& b);
bool operator==(const nfs_fh3& a, const nfs_fh3& b);
bool operator==(const nfstime3& a, const nfstime3& b);
bool operator==(const fattr3& a, const fattr3& b);
bool operator==(const wcc_attr& a, const wcc_attr& b);
bool operator==(const wcc_data& a, const wcc_data& b);
bool operator==(const set_atime& a, const set_atime& b);
bool operator==(const set_mtime& a, const set_mtime& b);
bool operator==(const sattr3& a, const sattr3& b);
bool operator==(const diropargs3& a, const diropargs3& b);
bool operator==(const GETATTR3args& a, const GETATTR3args& b);
bool operator==(const GETATTR3resok& a, const GETATTR3resok& b);
bool operator==(const GETATTR3res& a, const GETATTR3res& b);
bool operator==(const SETATTR3args& a, const SETATTR3args& b);
bool operator==(const SETATTR3resok& a, const SETATTR3resok& b);
bool operator==(const SETATTR3resfail& a, const SETATTR3resfail& b);
bool operator==(const SETATTR3res& a, const SETATTR3res& b);
bool operator==(const LOOKUP3args& a, const LOOKUP3args& b);
bool operator==(const LOOKUP3resok& a, const LOOKUP3resok& b);
bool operator==(const LOOKUP3resfail& a, const LOOKUP3resfail& b);
bool operator==(const LOOKUP3res& a, const LOOKUP3res& b);
bool operator==(const ACCESS3args& a, const ACCESS3args& b);
bool operator==(const ACCESS3resok& a, const ACCESS3resok& b);
bool operator==(const ACCESS3resfail& a, const ACCESS3resfail& b);
bool operator==(const ACCESS3res& a, const ACCESS3res& b);
bool operator==(const READLINK3args& a, const READLINK3args& b);
bool operator==(const READLINK3resok& a, const READLINK3resok& b);
bool operator==(const READLINK3resfail& a, const READLINK3resfail& b);
bool operator==(const READLINK3res& a, const READLINK3res& b);
bool operator==(const READ3args& a, const READ3args& b);
bool operator==(const READ3resok& a, const READ3resok& b);
bool operator==(const READ3resfail& a, const READ3resfail& b);
bool operator==(const READ3res& a, const READ3res& b);
bool operator==(const WRITE3args& a, const WRITE3args& b);
bool operator==(const WRITE3resok& a, const WRITE3resok& b);
bool operator==(const WRITE3resfail& a, const WRITE3resfail& b);
bool operator==(const WRITE3res& a, const WRITE3res& b);
bool operator==(const createhow3& a, const createhow3& b);
bool operator==(const CREATE3args& a, const CREATE3args& b);
bool operator==(const CREATE3resok& a, const CREATE3resok& b);
bool operator==(const CREATE3resfail& a, const CREATE3resfail& b);
bool operator==(const CREATE3res& a, const CREATE3res& b);
bool operator==(const MKDIR3args& a, const MKDIR3args& b);
bool operator==(const MKDIR3resok& a, const MKDIR3resok& b);
bool operator==(const MKDIR3resfail& a, const MKDIR3resfail& b);
bool operator==(const MKDIR3res& a, const MKDIR3res& b);
bool operator==(const symlinkdata3& a, const symlinkdata3& b);
bool operator==(const SYMLINK3args& a, const SYMLINK3args& b);
bool operator==(const SYMLINK3resok& a, const SYMLINK3resok& b);
bool operator==(const SYMLINK3resfail& a, const SYMLINK3resfail& b);
bool operator==(const SYMLINK3res& a, const SYMLINK3res& b);
bool operator==(const devicedata3& a, const devicedata3& b);
bool operator==(const mknoddata3& a, const mknoddata3& b);
bool operator==(const MKNOD3args& a, const MKNOD3args& b);
bool operator==(const MKNOD3resok& a, const MKNOD3resok& b);
bool operator==(const MKNOD3resfail& a, const MKNOD3resfail& b);
bool operator==(const MKNOD3res& a, const MKNOD3res& b);
bool operator==(const REMOVE3args& a, const REMOVE3args& b);
bool operator==(const REMOVE3resok& a, const REMOVE3resok& b);
bool operator==(const REMOVE3resfail& a, const REMOVE3resfail& b);
bool operator==(const REMOVE3res& a, const REMOVE3res& b);
bool operator==(const RMDIR3args& a, const RMDIR3args& b);
bool operator==(const RMDIR3resok& a, const RMDIR3resok& b);
bool operator==(const RMDIR3resfail& a, const RMDIR3resfail& b);
bool operator==(const RMDIR3res& a, const RMDIR3res& b);
bool operator==(const RENAME3args& a, const RENAME3args& b);
bool operator==(const RENAME3resok& a, const RENAME3resok& b);
bool operator==(const RENAME3resfail& a, const RENAME3resfail& b);
bool operator==(const RENAME3res& a, const RENAME3res& b);
bool operator==(const LINK3args& a, const LINK3args& b);
bool operator==(const LINK3resok& a, const LINK3resok& b);
bool operator==(const LINK3resfail& a, const LINK3resfail& b);
bool operator==(const LINK3res& a, const LINK3res& b);
bool operator==(const READDIR3args& a, const READDIR3args& b);
bool operator==(const entry3& a, const entry3& b);
bool operator==(const dirlist3& a, const dirlist3& b);
bool operator==(const READDIR3resok& a, const READDIR3resok& b);
bool operator==(const READDIR3resfail& a, const READDIR3resfail& b);
bool operator==(const READDIR3res& a, const READDIR3res& b);
bool operator==(const READDIRPLUS3args& a, const READDIRPLUS3args& b);
bool operator==(const entryplus3& a, const entryplus3& b);
bool operator==(const dirlistplus3& a, const dirlistplus3& b);
bool operator==(const READDIRPLUS3resok& a, const READDIRPLUS3resok& b);
bool operator==(const READDIRPLUS3resfail& a, const READDIRPLUS3resfail& b);
bool operator==(const READDIRPLUS3res& a, const READDIRPLUS3res& b);
bool operator==(const FSSTAT3args& a, const FSSTAT3args& b);
bool operator==(const FSSTAT3resok& a, const FSSTAT3resok& b);
bool operator==(const FSSTAT3resfail& a, const FSSTAT3resfail& b);
bool operator==(const FSSTAT3res& a, const FSSTAT3res& b);
bool operator==(const FSINFO3args& a, const FSINFO3args& b);
bool operator==(const FSINFO3resok& a, const FSINFO3resok& b);
bool operator==(const FSINFO3resfail& a, const FSINFO3resfail& b);
bool operator==(const FSINFO3res& a, const FSINFO3res& b);
bool operator==(const PATHCONF3args& a, const PATHCONF3args& b);
bool operator==(const PATHCONF3resok& a, const PATHCONF3resok& b);
bool operator==(const PATHCONF3resfail& a, const PATHCONF3resfail& b);
bool operator==(const PATHCONF3res& a, const PATHCONF3res& b);
bool operator==(const COMMIT3args& a, const COMMIT3args& b);
bool operator==(const COMMIT3resok& a, const COMMIT3resok& b);
bool operator==(const COMMIT3resfail& a, const COMMIT3resfail& b);
bool operator==(const COMMIT3res& a, const COMMIT3res& b);

// Every type of this schema behind plain functions.
std::span<const xdr::TypeCodec> type_codecs();

}  // namespace helio::nfs3
