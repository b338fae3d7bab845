// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

std::string_view to_string(nfsstat3 v) {
    switch (v) {
        case NFS3_OK: return "NFS3_OK";
        case NFS3ERR_PERM: return "NFS3ERR_PERM";
        case NFS3ERR_NOENT: return "NFS3ERR_NOENT";
        case NFS3ERR_IO: return "NFS3ERR_IO";
        case NFS3ERR_NXIO: return "NFS3ERR_NXIO";
        case NFS3ERR_ACCES: return "NFS3ERR_ACCES";
        case NFS3ERR_EXIST: return "NFS3ERR_EXIST";
        case NFS3ERR_XDEV: return "NFS3ERR_XDEV";
        case NFS3ERR_NODEV: return "NFS3ERR_NODEV";
        case NFS3ERR_NOTDIR: return "NFS3ERR_NOTDIR";
        case NFS3ERR_ISDIR: return "NFS3ERR_ISDIR";
        case NFS3ERR_INVAL: return "NFS3ERR_INVAL";
        case NFS3ERR_FBIG: return "NFS3ERR_FBIG";
        case NFS3ERR_NOSPC: return "NFS3ERR_NOSPC";
        case NFS3ERR_ROFS: return "NFS3ERR_ROFS";
        case NFS3ERR_MLINK: return "NFS3ERR_MLINK";
        case NFS3ERR_NAMETOOLONG: return "NFS3ERR_NAMETOOLONG";
        case NFS3ERR_NOTEMPTY: return "NFS3ERR_NOTEMPTY";
        case NFS3ERR_DQUOT: return "NFS3ERR_DQUOT";
        case NFS3ERR_STALE: return "NFS3ERR_STALE";
        case NFS3ERR_REMOTE: return "NFS3ERR_REMOTE";
        case NFS3ERR_BADHANDLE: return "NFS3ERR_BADHANDLE";
        case NFS3ERR_NOT_SYNC: return "NFS3ERR_NOT_SYNC";
        case NFS3ERR_BAD_COOKIE: return "NFS3ERR_BAD_COOKIE";
        case NFS3ERR_NOTSUPP: return "NFS3ERR_NOTSUPP";
        case NFS3ERR_TOOSMALL: return "NFS3ERR_TOOSMALL";
        case NFS3ERR_SERVERFAULT: return "NFS3ERR_SERVERFAULT";
        case NFS3ERR_BADTYPE: return "NFS3ERR_BADTYPE";
        case NFS3ERR_JUKEBOX: return "NFS3ERR_JUKEBOX";
        default: return {};
    }
}

std::string_view to_string(ftype3 v) {
    switch (v) {
        case NF3REG: return "NF3REG";
        case NF3DIR: return "NF3DIR";
        case NF3BLK: return "NF3BLK";
        case NF3CHR: return "NF3CHR";
        case NF3LNK: return "NF3LNK";
        case NF3SOCK: return "NF3SOCK";
        case NF3FIFO: return "NF3FIFO";
        default: return {};
    }
}

std::string_view to_string(time_how v) {
    switch (v) {
        case DONT_CHANGE: return "DONT_CHANGE";
        case SET_TO_SERVER_TIME: return "SET_TO_SERVER_TIME";
        case SET_TO_CLIENT_TIME: return "SET_TO_CLIENT_TIME";
        default: return {};
    }
}

std::string_view to_string(stable_how v) {
    switch (v) {
        case UNSTABLE: return "UNSTABLE";
        case DATA_SYNC: return "DATA_SYNC";
        case FILE_SYNC: return "FILE_SYNC";
        default: return {};
    }
}

std::string_view to_string(createmode3 v) {
    switch (v) {
        case UNCHECKED: return "UNCHECKED";
        case GUARDED: return "GUARDED";
        case EXCLUSIVE: return "EXCLUSIVE";
        default: return {};
    }
}

bool operator==([[maybe_unused]] const specdata3& a, [[maybe_unused]] const specdata3& b) {
    return xdr::same(a.specdata1, b.specdata1) && xdr::same(a.specdata2, b.specdata2);
}

bool operator==([[maybe_unused]] const nfs_fh3& a, [[maybe_unused]] const nfs_fh3& b) {
    return xdr::same(a.data, b.data);
}

bool operator==([[maybe_unused]] const nfstime3& a, [[maybe_unused]] const nfstime3& b) {
    return xdr::same(a.seconds, b.seconds) && xdr::same(a.nseconds, b.nseconds);
}

bool operator==([[maybe_unused]] const fattr3& a, [[maybe_unused]] const fattr3& b) {
    return xdr::same(a.type, b.type) && xdr::same(a.mode, b.mode) && xdr::same(a.nlink, b.nlink) && xdr::same(a.uid, b.uid) && xdr::same(a.gid, b.gid) && xdr::same(a.size, b.size) && xdr::same(a.used, b.used) && xdr::same(a.rdev, b.rdev) && xdr::same(a.fsid, b.fsid) && xdr::same(a.fileid, b.fileid) && xdr::same(a.atime, b.atime) && xdr::same(a.mtime, b.mtime) && xdr::same(a.ctime, b.ctime);
}

bool operator==([[maybe_unused]] const wcc_attr& a, [[maybe_unused]] const wcc_attr& b) {
    return xdr::same(a.size, b.size) && xdr::same(a.mtime, b.mtime) && xdr::same(a.ctime, b.ctime);
}

bool operator==([[maybe_unused]] const wcc_data& a, [[maybe_unused]] const wcc_data& b) {
    return xdr::same(a.before, b.before) && xdr::same(a.after, b.after);
}

bool operator==(const set_atime& a, const set_atime& b) {
    if (a.set_it() != b.set_it()) return false;
    if (a.has_atime()) return xdr::same(a.atime(), b.atime());
    return true;
}

bool operator==(const set_mtime& a, const set_mtime& b) {
    if (a.set_it() != b.set_it()) return false;
    if (a.has_mtime()) return xdr::same(a.mtime(), b.mtime());
    return true;
}

bool operator==([[maybe_unused]] const sattr3& a, [[maybe_unused]] const sattr3& b) {
    return xdr::same(a.mode, b.mode) && xdr::same(a.uid, b.uid) && xdr::same(a.gid, b.gid) && xdr::same(a.size, b.size) && xdr::same(a.atime, b.atime) && xdr::same(a.mtime, b.mtime);
}

bool operator==([[maybe_unused]] const diropargs3& a, [[maybe_unused]] const diropargs3& b) {
    return xdr::same(a.dir, b.dir) && xdr::same(a.name, b.name);
}

bool operator==([[maybe_unused]] const GETATTR3args& a, [[maybe_unused]] const GETATTR3args& b) {
    return xdr::same(a.object, b.object);
}

bool operator==([[maybe_unused]] const GETATTR3resok& a, [[maybe_unused]] const GETATTR3resok& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes);
}

bool operator==(const GETATTR3res& a, const GETATTR3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    return true;
}

bool operator==([[maybe_unused]] const SETATTR3args& a, [[maybe_unused]] const SETATTR3args& b) {
    return xdr::same(a.object, b.object) && xdr::same(a.new_attributes, b.new_attributes) && xdr::same(a.guard, b.guard);
}

bool operator==([[maybe_unused]] const SETATTR3resok& a, [[maybe_unused]] const SETATTR3resok& b) {
    return xdr::same(a.obj_wcc, b.obj_wcc);
}

bool operator==([[maybe_unused]] const SETATTR3resfail& a, [[maybe_unused]] const SETATTR3resfail& b) {
    return xdr::same(a.obj_wcc, b.obj_wcc);
}

bool operator==(const SETATTR3res& a, const SETATTR3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const LOOKUP3args& a, [[maybe_unused]] const LOOKUP3args& b) {
    return xdr::same(a.what, b.what);
}

bool operator==([[maybe_unused]] const LOOKUP3resok& a, [[maybe_unused]] const LOOKUP3resok& b) {
    return xdr::same(a.object, b.object) && xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.dir_attributes, b.dir_attributes);
}

bool operator==([[maybe_unused]] const LOOKUP3resfail& a, [[maybe_unused]] const LOOKUP3resfail& b) {
    return xdr::same(a.dir_attributes, b.dir_attributes);
}

bool operator==(const LOOKUP3res& a, const LOOKUP3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const ACCESS3args& a, [[maybe_unused]] const ACCESS3args& b) {
    return xdr::same(a.object, b.object) && xdr::same(a.access, b.access);
}

bool operator==([[maybe_unused]] const ACCESS3resok& a, [[maybe_unused]] const ACCESS3resok& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.access, b.access);
}

bool operator==([[maybe_unused]] const ACCESS3resfail& a, [[maybe_unused]] const ACCESS3resfail& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes);
}

bool operator==(const ACCESS3res& a, const ACCESS3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const READLINK3args& a, [[maybe_unused]] const READLINK3args& b) {
    return xdr::same(a.symlink, b.symlink);
}

bool operator==([[maybe_unused]] const READLINK3resok& a, [[maybe_unused]] const READLINK3resok& b) {
    return xdr::same(a.symlink_attributes, b.symlink_attributes) && xdr::same(a.data, b.data);
}

bool operator==([[maybe_unused]] const READLINK3resfail& a, [[maybe_unused]] const READLINK3resfail& b) {
    return xdr::same(a.symlink_attributes, b.symlink_attributes);
}

bool operator==(const READLINK3res& a, const READLINK3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const READ3args& a, [[maybe_unused]] const READ3args& b) {
    return xdr::same(a.file, b.file) && xdr::same(a.offset, b.offset) && xdr::same(a.count, b.count);
}

bool operator==([[maybe_unused]] const READ3resok& a, [[maybe_unused]] const READ3resok& b) {
    return xdr::same(a.file_attributes, b.file_attributes) && xdr::same(a.count, b.count) && xdr::same(a.eof, b.eof) && xdr::same(a.data, b.data);
}

bool operator==([[maybe_unused]] const READ3resfail& a, [[maybe_unused]] const READ3resfail& b) {
    return xdr::same(a.file_attributes, b.file_attributes);
}

bool operator==(const READ3res& a, const READ3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const WRITE3args& a, [[maybe_unused]] const WRITE3args& b) {
    return xdr::same(a.file, b.file) && xdr::same(a.offset, b.offset) && xdr::same(a.count, b.count) && xdr::same(a.stable, b.stable) && xdr::same(a.data, b.data);
}

bool operator==([[maybe_unused]] const WRITE3resok& a, [[maybe_unused]] const WRITE3resok& b) {
    return xdr::same(a.file_wcc, b.file_wcc) && xdr::same(a.count, b.count) && xdr::same(a.committed, b.committed) && xdr::same(a.verf, b.verf);
}

bool operator==([[maybe_unused]] const WRITE3resfail& a, [[maybe_unused]] const WRITE3resfail& b) {
    return xdr::same(a.file_wcc, b.file_wcc);
}

bool operator==(const WRITE3res& a, const WRITE3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==(const createhow3& a, const createhow3& b) {
    if (a.mode() != b.mode()) return false;
    if (a.has_obj_attributes()) return xdr::same(a.obj_attributes(), b.obj_attributes());
    if (a.has_verf()) return xdr::same(a.verf(), b.verf());
    return true;
}

bool operator==([[maybe_unused]] const CREATE3args& a, [[maybe_unused]] const CREATE3args& b) {
    return xdr::same(a.where, b.where) && xdr::same(a.how, b.how);
}

bool operator==([[maybe_unused]] const CREATE3resok& a, [[maybe_unused]] const CREATE3resok& b) {
    return xdr::same(a.obj, b.obj) && xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const CREATE3resfail& a, [[maybe_unused]] const CREATE3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const CREATE3res& a, const CREATE3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const MKDIR3args& a, [[maybe_unused]] const MKDIR3args& b) {
    return xdr::same(a.where, b.where) && xdr::same(a.attributes, b.attributes);
}

bool operator==([[maybe_unused]] const MKDIR3resok& a, [[maybe_unused]] const MKDIR3resok& b) {
    return xdr::same(a.obj, b.obj) && xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const MKDIR3resfail& a, [[maybe_unused]] const MKDIR3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const MKDIR3res& a, const MKDIR3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const symlinkdata3& a, [[maybe_unused]] const symlinkdata3& b) {
    return xdr::same(a.symlink_attributes, b.symlink_attributes) && xdr::same(a.symlink_data, b.symlink_data);
}

bool operator==([[maybe_unused]] const SYMLINK3args& a, [[maybe_unused]] const SYMLINK3args& b) {
    return xdr::same(a.where, b.where) && xdr::same(a.symlink, b.symlink);
}

bool operator==([[maybe_unused]] const SYMLINK3resok& a, [[maybe_unused]] const SYMLINK3resok& b) {
    return xdr::same(a.obj, b.obj) && xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const SYMLINK3resfail& a, [[maybe_unused]] const SYMLINK3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const SYMLINK3res& a, const SYMLINK3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const devicedata3& a, [[maybe_unused]] const devicedata3& b) {
    return xdr::same(a.dev_attributes, b.dev_attributes) && xdr::same(a.spec, b.spec);
}

bool operator==(const mknoddata3& a, const mknoddata3& b) {
    if (a.type() != b.type()) return false;
    if (a.has_device()) return xdr::same(a.device(), b.device());
    if (a.has_pipe_attributes()) return xdr::same(a.pipe_attributes(), b.pipe_attributes());
    return true;
}

bool operator==([[maybe_unused]] const MKNOD3args& a, [[maybe_unused]] const MKNOD3args& b) {
    return xdr::same(a.where, b.where) && xdr::same(a.what, b.what);
}

bool operator==([[maybe_unused]] const MKNOD3resok& a, [[maybe_unused]] const MKNOD3resok& b) {
    return xdr::same(a.obj, b.obj) && xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const MKNOD3resfail& a, [[maybe_unused]] const MKNOD3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const MKNOD3res& a, const MKNOD3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const REMOVE3args& a, [[maybe_unused]] const REMOVE3args& b) {
    return xdr::same(a.object, b.object);
}

bool operator==([[maybe_unused]] const REMOVE3resok& a, [[maybe_unused]] const REMOVE3resok& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const REMOVE3resfail& a, [[maybe_unused]] const REMOVE3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const REMOVE3res& a, const REMOVE3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const RMDIR3args& a, [[maybe_unused]] const RMDIR3args& b) {
    return xdr::same(a.object, b.object);
}

bool operator==([[maybe_unused]] const RMDIR3resok& a, [[maybe_unused]] const RMDIR3resok& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==([[maybe_unused]] const RMDIR3resfail& a, [[maybe_unused]] const RMDIR3resfail& b) {
    return xdr::same(a.dir_wcc, b.dir_wcc);
}

bool operator==(const RMDIR3res& a, const RMDIR3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const RENAME3args& a, [[maybe_unused]] const RENAME3args& b) {
    return xdr::same(a.from, b.from) && xdr::same(a.to, b.to);
}

bool operator==([[maybe_unused]] const RENAME3resok& a, [[maybe_unused]] const RENAME3resok& b) {
    return xdr::same(a.fromdir_wcc, b.fromdir_wcc) && xdr::same(a.todir_wcc, b.todir_wcc);
}

bool operator==([[maybe_unused]] const RENAME3resfail& a, [[maybe_unused]] const RENAME3resfail& b) {
    return xdr::same(a.fromdir_wcc, b.fromdir_wcc) && xdr::same(a.todir_wcc, b.todir_wcc);
}

bool operator==(const RENAME3res& a, const RENAME3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const LINK3args& a, [[maybe_unused]] const LINK3args& b) {
    return xdr::same(a.file, b.file) && xdr::same(a.link, b.link);
}

bool operator==([[maybe_unused]] const LINK3resok& a, [[maybe_unused]] const LINK3resok& b) {
    return xdr::same(a.file_attributes, b.file_attributes) && xdr::same(a.linkdir_wcc, b.linkdir_wcc);
}

bool operator==([[maybe_unused]] const LINK3resfail& a, [[maybe_unused]] const LINK3resfail& b) {
    return xdr::same(a.file_attributes, b.file_attributes) && xdr::same(a.linkdir_wcc, b.linkdir_wcc);
}

bool operator==(const LINK3res& a, const LINK3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const READDIR3args& a, [[maybe_unused]] const READDIR3args& b) {
    return xdr::same(a.dir, b.dir) && xdr::same(a.cookie, b.cookie) && xdr::same(a.cookieverf, b.cookieverf) && xdr::same(a.count, b.count);
}

bool operator==([[maybe_unused]] const entry3& a, [[maybe_unused]] const entry3& b) {
    const entry3* x = &a;
    const entry3* y = &b;
    for (; x != nullptr && y != nullptr; x = x->nextentry, y = y->nextentry)
        if (!(xdr::same(x->fileid, y->fileid) && xdr::same(x->name, y->name) && xdr::same(x->cookie, y->cookie))) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const dirlist3& a, [[maybe_unused]] const dirlist3& b) {
    return xdr::same(a.entries, b.entries) && xdr::same(a.eof, b.eof);
}

bool operator==([[maybe_unused]] const READDIR3resok& a, [[maybe_unused]] const READDIR3resok& b) {
    return xdr::same(a.dir_attributes, b.dir_attributes) && xdr::same(a.cookieverf, b.cookieverf) && xdr::same(a.reply, b.reply);
}

bool operator==([[maybe_unused]] const READDIR3resfail& a, [[maybe_unused]] const READDIR3resfail& b) {
    return xdr::same(a.dir_attributes, b.dir_attributes);
}

bool operator==(const READDIR3res& a, const READDIR3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const READDIRPLUS3args& a, [[maybe_unused]] const READDIRPLUS3args& b) {
    return xdr::same(a.dir, b.dir) && xdr::same(a.cookie, b.cookie) && xdr::same(a.cookieverf, b.cookieverf) && xdr::same(a.dircount, b.dircount) && xdr::same(a.maxcount, b.maxcount);
}

bool operator==([[maybe_unused]] const entryplus3& a, [[maybe_unused]] const entryplus3& b) {
    const entryplus3* x = &a;
    const entryplus3* y = &b;
    for (; x != nullptr && y != nullptr; x = x->nextentry, y = y->nextentry)
        if (!(xdr::same(x->fileid, y->fileid) && xdr::same(x->name, y->name) && xdr::same(x->cookie, y->cookie) && xdr::same(x->name_attributes, y->name_attributes) && xdr::same(x->name_handle, y->name_handle))) return false;
    return x == y;  // both at the end
}

bool operator==([[maybe_unused]] const dirlistplus3& a, [[maybe_unused]] const dirlistplus3& b) {
    return xdr::same(a.entries, b.entries) && xdr::same(a.eof, b.eof);
}

bool operator==([[maybe_unused]] const READDIRPLUS3resok& a, [[maybe_unused]] const READDIRPLUS3resok& b) {
    return xdr::same(a.dir_attributes, b.dir_attributes) && xdr::same(a.cookieverf, b.cookieverf) && xdr::same(a.reply, b.reply);
}

bool operator==([[maybe_unused]] const READDIRPLUS3resfail& a, [[maybe_unused]] const READDIRPLUS3resfail& b) {
    return xdr::same(a.dir_attributes, b.dir_attributes);
}

bool operator==(const READDIRPLUS3res& a, const READDIRPLUS3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const FSSTAT3args& a, [[maybe_unused]] const FSSTAT3args& b) {
    return xdr::same(a.fsroot, b.fsroot);
}

bool operator==([[maybe_unused]] const FSSTAT3resok& a, [[maybe_unused]] const FSSTAT3resok& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.tbytes, b.tbytes) && xdr::same(a.fbytes, b.fbytes) && xdr::same(a.abytes, b.abytes) && xdr::same(a.tfiles, b.tfiles) && xdr::same(a.ffiles, b.ffiles) && xdr::same(a.afiles, b.afiles) && xdr::same(a.invarsec, b.invarsec);
}

bool operator==([[maybe_unused]] const FSSTAT3resfail& a, [[maybe_unused]] const FSSTAT3resfail& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes);
}

bool operator==(const FSSTAT3res& a, const FSSTAT3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const FSINFO3args& a, [[maybe_unused]] const FSINFO3args& b) {
    return xdr::same(a.fsroot, b.fsroot);
}

bool operator==([[maybe_unused]] const FSINFO3resok& a, [[maybe_unused]] const FSINFO3resok& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.rtmax, b.rtmax) && xdr::same(a.rtpref, b.rtpref) && xdr::same(a.rtmult, b.rtmult) && xdr::same(a.wtmax, b.wtmax) && xdr::same(a.wtpref, b.wtpref) && xdr::same(a.wtmult, b.wtmult) && xdr::same(a.dtpref, b.dtpref) && xdr::same(a.maxfilesize, b.maxfilesize) && xdr::same(a.time_delta, b.time_delta) && xdr::same(a.properties, b.properties);
}

bool operator==([[maybe_unused]] const FSINFO3resfail& a, [[maybe_unused]] const FSINFO3resfail& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes);
}

bool operator==(const FSINFO3res& a, const FSINFO3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const PATHCONF3args& a, [[maybe_unused]] const PATHCONF3args& b) {
    return xdr::same(a.object, b.object);
}

bool operator==([[maybe_unused]] const PATHCONF3resok& a, [[maybe_unused]] const PATHCONF3resok& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes) && xdr::same(a.linkmax, b.linkmax) && xdr::same(a.name_max, b.name_max) && xdr::same(a.no_trunc, b.no_trunc) && xdr::same(a.chown_restricted, b.chown_restricted) && xdr::same(a.case_insensitive, b.case_insensitive) && xdr::same(a.case_preserving, b.case_preserving);
}

bool operator==([[maybe_unused]] const PATHCONF3resfail& a, [[maybe_unused]] const PATHCONF3resfail& b) {
    return xdr::same(a.obj_attributes, b.obj_attributes);
}

bool operator==(const PATHCONF3res& a, const PATHCONF3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

bool operator==([[maybe_unused]] const COMMIT3args& a, [[maybe_unused]] const COMMIT3args& b) {
    return xdr::same(a.file, b.file) && xdr::same(a.offset, b.offset) && xdr::same(a.count, b.count);
}

bool operator==([[maybe_unused]] const COMMIT3resok& a, [[maybe_unused]] const COMMIT3resok& b) {
    return xdr::same(a.file_wcc, b.file_wcc) && xdr::same(a.verf, b.verf);
}

bool operator==([[maybe_unused]] const COMMIT3resfail& a, [[maybe_unused]] const COMMIT3resfail& b) {
    return xdr::same(a.file_wcc, b.file_wcc);
}

bool operator==(const COMMIT3res& a, const COMMIT3res& b) {
    if (a.status() != b.status()) return false;
    if (a.has_resok()) return xdr::same(a.resok(), b.resok());
    if (a.has_resfail()) return xdr::same(a.resfail(), b.resfail());
    return true;
}

void print_uint64(xdr::Printer& out, [[maybe_unused]] const uint64& v) {
    out.number(v);
}

void print_int64(xdr::Printer& out, [[maybe_unused]] const int64& v) {
    out.number(v);
}

void print_uint32(xdr::Printer& out, [[maybe_unused]] const uint32& v) {
    out.number(v);
}

void print_int32(xdr::Printer& out, [[maybe_unused]] const int32& v) {
    out.number(v);
}

void print_filename3(xdr::Printer& out, [[maybe_unused]] const filename3& v) {
    out.string(v);
}

void print_nfspath3(xdr::Printer& out, [[maybe_unused]] const nfspath3& v) {
    out.string(v);
}

void print_fileid3(xdr::Printer& out, [[maybe_unused]] const fileid3& v) {
    out.number(v);
}

void print_cookie3(xdr::Printer& out, [[maybe_unused]] const cookie3& v) {
    out.number(v);
}

void print_cookieverf3(xdr::Printer& out, [[maybe_unused]] const cookieverf3& v) {
    out.bytes(v);
}

void print_createverf3(xdr::Printer& out, [[maybe_unused]] const createverf3& v) {
    out.bytes(v);
}

void print_writeverf3(xdr::Printer& out, [[maybe_unused]] const writeverf3& v) {
    out.bytes(v);
}

void print_uid3(xdr::Printer& out, [[maybe_unused]] const uid3& v) {
    out.number(v);
}

void print_gid3(xdr::Printer& out, [[maybe_unused]] const gid3& v) {
    out.number(v);
}

void print_size3(xdr::Printer& out, [[maybe_unused]] const size3& v) {
    out.number(v);
}

void print_offset3(xdr::Printer& out, [[maybe_unused]] const offset3& v) {
    out.number(v);
}

void print_mode3(xdr::Printer& out, [[maybe_unused]] const mode3& v) {
    out.number(v);
}

void print_count3(xdr::Printer& out, [[maybe_unused]] const count3& v) {
    out.number(v);
}

void print_nfsstat3(xdr::Printer& out, [[maybe_unused]] const nfsstat3& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_ftype3(xdr::Printer& out, [[maybe_unused]] const ftype3& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_specdata3(xdr::Printer& out, [[maybe_unused]] const specdata3& v) {
    out.open("specdata3");
    out.field("specdata1");
    out.number(v.specdata1);
    out.field("specdata2");
    out.number(v.specdata2);
    out.close();
}

void print_nfs_fh3(xdr::Printer& out, [[maybe_unused]] const nfs_fh3& v) {
    out.open("nfs_fh3");
    out.field("data");
    out.bytes(v.data);
    out.close();
}

void print_nfstime3(xdr::Printer& out, [[maybe_unused]] const nfstime3& v) {
    out.open("nfstime3");
    out.field("seconds");
    out.number(v.seconds);
    out.field("nseconds");
    out.number(v.nseconds);
    out.close();
}

void print_fattr3(xdr::Printer& out, [[maybe_unused]] const fattr3& v) {
    out.open("fattr3");
    out.field("type");
    print_ftype3(out, v.type);
    out.field("mode");
    out.number(v.mode);
    out.field("nlink");
    out.number(v.nlink);
    out.field("uid");
    out.number(v.uid);
    out.field("gid");
    out.number(v.gid);
    out.field("size");
    out.number(v.size);
    out.field("used");
    out.number(v.used);
    out.field("rdev");
    print_specdata3(out, v.rdev);
    out.field("fsid");
    out.number(v.fsid);
    out.field("fileid");
    out.number(v.fileid);
    out.field("atime");
    print_nfstime3(out, v.atime);
    out.field("mtime");
    print_nfstime3(out, v.mtime);
    out.field("ctime");
    print_nfstime3(out, v.ctime);
    out.close();
}

void print_post_op_attr(xdr::Printer& out, [[maybe_unused]] const post_op_attr& v) {
    if (!v) return out.word("none");
    print_fattr3(out, (*v));
}

void print_wcc_attr(xdr::Printer& out, [[maybe_unused]] const wcc_attr& v) {
    out.open("wcc_attr");
    out.field("size");
    out.number(v.size);
    out.field("mtime");
    print_nfstime3(out, v.mtime);
    out.field("ctime");
    print_nfstime3(out, v.ctime);
    out.close();
}

void print_pre_op_attr(xdr::Printer& out, [[maybe_unused]] const pre_op_attr& v) {
    if (!v) return out.word("none");
    print_wcc_attr(out, (*v));
}

void print_wcc_data(xdr::Printer& out, [[maybe_unused]] const wcc_data& v) {
    out.open("wcc_data");
    out.field("before");
    print_pre_op_attr(out, v.before);
    out.field("after");
    print_post_op_attr(out, v.after);
    out.close();
}

void print_post_op_fh3(xdr::Printer& out, [[maybe_unused]] const post_op_fh3& v) {
    if (!v) return out.word("none");
    print_nfs_fh3(out, (*v));
}

void print_time_how(xdr::Printer& out, [[maybe_unused]] const time_how& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_set_mode3(xdr::Printer& out, [[maybe_unused]] const set_mode3& v) {
    if (!v) return out.word("none");
    out.number((*v));
}

void print_set_uid3(xdr::Printer& out, [[maybe_unused]] const set_uid3& v) {
    if (!v) return out.word("none");
    out.number((*v));
}

void print_set_gid3(xdr::Printer& out, [[maybe_unused]] const set_gid3& v) {
    if (!v) return out.word("none");
    out.number((*v));
}

void print_set_size3(xdr::Printer& out, [[maybe_unused]] const set_size3& v) {
    if (!v) return out.word("none");
    out.number((*v));
}

void print_set_atime(xdr::Printer& out, [[maybe_unused]] const set_atime& v) {
    out.open("set_atime");
    out.field("set_it");
    print_time_how(out, v.set_it());
    if (v.has_atime()) {
        out.field("atime");
        print_nfstime3(out, v.atime());
    }
    out.close();
}

void print_set_mtime(xdr::Printer& out, [[maybe_unused]] const set_mtime& v) {
    out.open("set_mtime");
    out.field("set_it");
    print_time_how(out, v.set_it());
    if (v.has_mtime()) {
        out.field("mtime");
        print_nfstime3(out, v.mtime());
    }
    out.close();
}

void print_sattr3(xdr::Printer& out, [[maybe_unused]] const sattr3& v) {
    out.open("sattr3");
    out.field("mode");
    print_set_mode3(out, v.mode);
    out.field("uid");
    print_set_uid3(out, v.uid);
    out.field("gid");
    print_set_gid3(out, v.gid);
    out.field("size");
    print_set_size3(out, v.size);
    out.field("atime");
    print_set_atime(out, v.atime);
    out.field("mtime");
    print_set_mtime(out, v.mtime);
    out.close();
}

void print_diropargs3(xdr::Printer& out, [[maybe_unused]] const diropargs3& v) {
    out.open("diropargs3");
    out.field("dir");
    print_nfs_fh3(out, v.dir);
    out.field("name");
    out.string(v.name);
    out.close();
}

void print_GETATTR3args(xdr::Printer& out, [[maybe_unused]] const GETATTR3args& v) {
    out.open("GETATTR3args");
    out.field("object");
    print_nfs_fh3(out, v.object);
    out.close();
}

void print_GETATTR3resok(xdr::Printer& out, [[maybe_unused]] const GETATTR3resok& v) {
    out.open("GETATTR3resok");
    out.field("obj_attributes");
    print_fattr3(out, v.obj_attributes);
    out.close();
}

void print_GETATTR3res(xdr::Printer& out, [[maybe_unused]] const GETATTR3res& v) {
    out.open("GETATTR3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_GETATTR3resok(out, v.resok());
    }
    out.close();
}

void print_sattrguard3(xdr::Printer& out, [[maybe_unused]] const sattrguard3& v) {
    if (!v) return out.word("none");
    print_nfstime3(out, (*v));
}

void print_SETATTR3args(xdr::Printer& out, [[maybe_unused]] const SETATTR3args& v) {
    out.open("SETATTR3args");
    out.field("object");
    print_nfs_fh3(out, v.object);
    out.field("new_attributes");
    print_sattr3(out, v.new_attributes);
    out.field("guard");
    print_sattrguard3(out, v.guard);
    out.close();
}

void print_SETATTR3resok(xdr::Printer& out, [[maybe_unused]] const SETATTR3resok& v) {
    out.open("SETATTR3resok");
    out.field("obj_wcc");
    print_wcc_data(out, v.obj_wcc);
    out.close();
}

void print_SETATTR3resfail(xdr::Printer& out, [[maybe_unused]] const SETATTR3resfail& v) {
    out.open("SETATTR3resfail");
    out.field("obj_wcc");
    print_wcc_data(out, v.obj_wcc);
    out.close();
}

void print_SETATTR3res(xdr::Printer& out, [[maybe_unused]] const SETATTR3res& v) {
    out.open("SETATTR3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_SETATTR3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_SETATTR3resfail(out, v.resfail());
    }
    out.close();
}

void print_LOOKUP3args(xdr::Printer& out, [[maybe_unused]] const LOOKUP3args& v) {
    out.open("LOOKUP3args");
    out.field("what");
    print_diropargs3(out, v.what);
    out.close();
}

void print_LOOKUP3resok(xdr::Printer& out, [[maybe_unused]] const LOOKUP3resok& v) {
    out.open("LOOKUP3resok");
    out.field("object");
    print_nfs_fh3(out, v.object);
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.close();
}

void print_LOOKUP3resfail(xdr::Printer& out, [[maybe_unused]] const LOOKUP3resfail& v) {
    out.open("LOOKUP3resfail");
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.close();
}

void print_LOOKUP3res(xdr::Printer& out, [[maybe_unused]] const LOOKUP3res& v) {
    out.open("LOOKUP3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_LOOKUP3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_LOOKUP3resfail(out, v.resfail());
    }
    out.close();
}

void print_ACCESS3args(xdr::Printer& out, [[maybe_unused]] const ACCESS3args& v) {
    out.open("ACCESS3args");
    out.field("object");
    print_nfs_fh3(out, v.object);
    out.field("access");
    out.number(v.access);
    out.close();
}

void print_ACCESS3resok(xdr::Printer& out, [[maybe_unused]] const ACCESS3resok& v) {
    out.open("ACCESS3resok");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("access");
    out.number(v.access);
    out.close();
}

void print_ACCESS3resfail(xdr::Printer& out, [[maybe_unused]] const ACCESS3resfail& v) {
    out.open("ACCESS3resfail");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.close();
}

void print_ACCESS3res(xdr::Printer& out, [[maybe_unused]] const ACCESS3res& v) {
    out.open("ACCESS3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_ACCESS3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_ACCESS3resfail(out, v.resfail());
    }
    out.close();
}

void print_READLINK3args(xdr::Printer& out, [[maybe_unused]] const READLINK3args& v) {
    out.open("READLINK3args");
    out.field("symlink");
    print_nfs_fh3(out, v.symlink);
    out.close();
}

void print_READLINK3resok(xdr::Printer& out, [[maybe_unused]] const READLINK3resok& v) {
    out.open("READLINK3resok");
    out.field("symlink_attributes");
    print_post_op_attr(out, v.symlink_attributes);
    out.field("data");
    out.string(v.data);
    out.close();
}

void print_READLINK3resfail(xdr::Printer& out, [[maybe_unused]] const READLINK3resfail& v) {
    out.open("READLINK3resfail");
    out.field("symlink_attributes");
    print_post_op_attr(out, v.symlink_attributes);
    out.close();
}

void print_READLINK3res(xdr::Printer& out, [[maybe_unused]] const READLINK3res& v) {
    out.open("READLINK3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_READLINK3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_READLINK3resfail(out, v.resfail());
    }
    out.close();
}

void print_READ3args(xdr::Printer& out, [[maybe_unused]] const READ3args& v) {
    out.open("READ3args");
    out.field("file");
    print_nfs_fh3(out, v.file);
    out.field("offset");
    out.number(v.offset);
    out.field("count");
    out.number(v.count);
    out.close();
}

void print_READ3resok(xdr::Printer& out, [[maybe_unused]] const READ3resok& v) {
    out.open("READ3resok");
    out.field("file_attributes");
    print_post_op_attr(out, v.file_attributes);
    out.field("count");
    out.number(v.count);
    out.field("eof");
    out.boolean(v.eof);
    out.field("data");
    out.bytes(v.data);
    out.close();
}

void print_READ3resfail(xdr::Printer& out, [[maybe_unused]] const READ3resfail& v) {
    out.open("READ3resfail");
    out.field("file_attributes");
    print_post_op_attr(out, v.file_attributes);
    out.close();
}

void print_READ3res(xdr::Printer& out, [[maybe_unused]] const READ3res& v) {
    out.open("READ3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_READ3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_READ3resfail(out, v.resfail());
    }
    out.close();
}

void print_stable_how(xdr::Printer& out, [[maybe_unused]] const stable_how& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_WRITE3args(xdr::Printer& out, [[maybe_unused]] const WRITE3args& v) {
    out.open("WRITE3args");
    out.field("file");
    print_nfs_fh3(out, v.file);
    out.field("offset");
    out.number(v.offset);
    out.field("count");
    out.number(v.count);
    out.field("stable");
    print_stable_how(out, v.stable);
    out.field("data");
    out.bytes(v.data);
    out.close();
}

void print_WRITE3resok(xdr::Printer& out, [[maybe_unused]] const WRITE3resok& v) {
    out.open("WRITE3resok");
    out.field("file_wcc");
    print_wcc_data(out, v.file_wcc);
    out.field("count");
    out.number(v.count);
    out.field("committed");
    print_stable_how(out, v.committed);
    out.field("verf");
    out.bytes(v.verf);
    out.close();
}

void print_WRITE3resfail(xdr::Printer& out, [[maybe_unused]] const WRITE3resfail& v) {
    out.open("WRITE3resfail");
    out.field("file_wcc");
    print_wcc_data(out, v.file_wcc);
    out.close();
}

void print_WRITE3res(xdr::Printer& out, [[maybe_unused]] const WRITE3res& v) {
    out.open("WRITE3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_WRITE3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_WRITE3resfail(out, v.resfail());
    }
    out.close();
}

void print_createmode3(xdr::Printer& out, [[maybe_unused]] const createmode3& v) {
    if (const auto name = to_string(v); !name.empty()) out.word(name);
    else out.number(static_cast<std::int32_t>(v));
}

void print_createhow3(xdr::Printer& out, [[maybe_unused]] const createhow3& v) {
    out.open("createhow3");
    out.field("mode");
    print_createmode3(out, v.mode());
    if (v.has_obj_attributes()) {
        out.field("obj_attributes");
        print_sattr3(out, v.obj_attributes());
    }
    if (v.has_verf()) {
        out.field("verf");
        out.bytes(v.verf());
    }
    out.close();
}

void print_CREATE3args(xdr::Printer& out, [[maybe_unused]] const CREATE3args& v) {
    out.open("CREATE3args");
    out.field("where");
    print_diropargs3(out, v.where);
    out.field("how");
    print_createhow3(out, v.how);
    out.close();
}

void print_CREATE3resok(xdr::Printer& out, [[maybe_unused]] const CREATE3resok& v) {
    out.open("CREATE3resok");
    out.field("obj");
    print_post_op_fh3(out, v.obj);
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_CREATE3resfail(xdr::Printer& out, [[maybe_unused]] const CREATE3resfail& v) {
    out.open("CREATE3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_CREATE3res(xdr::Printer& out, [[maybe_unused]] const CREATE3res& v) {
    out.open("CREATE3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_CREATE3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_CREATE3resfail(out, v.resfail());
    }
    out.close();
}

void print_MKDIR3args(xdr::Printer& out, [[maybe_unused]] const MKDIR3args& v) {
    out.open("MKDIR3args");
    out.field("where");
    print_diropargs3(out, v.where);
    out.field("attributes");
    print_sattr3(out, v.attributes);
    out.close();
}

void print_MKDIR3resok(xdr::Printer& out, [[maybe_unused]] const MKDIR3resok& v) {
    out.open("MKDIR3resok");
    out.field("obj");
    print_post_op_fh3(out, v.obj);
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_MKDIR3resfail(xdr::Printer& out, [[maybe_unused]] const MKDIR3resfail& v) {
    out.open("MKDIR3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_MKDIR3res(xdr::Printer& out, [[maybe_unused]] const MKDIR3res& v) {
    out.open("MKDIR3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_MKDIR3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_MKDIR3resfail(out, v.resfail());
    }
    out.close();
}

void print_symlinkdata3(xdr::Printer& out, [[maybe_unused]] const symlinkdata3& v) {
    out.open("symlinkdata3");
    out.field("symlink_attributes");
    print_sattr3(out, v.symlink_attributes);
    out.field("symlink_data");
    out.string(v.symlink_data);
    out.close();
}

void print_SYMLINK3args(xdr::Printer& out, [[maybe_unused]] const SYMLINK3args& v) {
    out.open("SYMLINK3args");
    out.field("where");
    print_diropargs3(out, v.where);
    out.field("symlink");
    print_symlinkdata3(out, v.symlink);
    out.close();
}

void print_SYMLINK3resok(xdr::Printer& out, [[maybe_unused]] const SYMLINK3resok& v) {
    out.open("SYMLINK3resok");
    out.field("obj");
    print_post_op_fh3(out, v.obj);
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_SYMLINK3resfail(xdr::Printer& out, [[maybe_unused]] const SYMLINK3resfail& v) {
    out.open("SYMLINK3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_SYMLINK3res(xdr::Printer& out, [[maybe_unused]] const SYMLINK3res& v) {
    out.open("SYMLINK3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_SYMLINK3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_SYMLINK3resfail(out, v.resfail());
    }
    out.close();
}

void print_devicedata3(xdr::Printer& out, [[maybe_unused]] const devicedata3& v) {
    out.open("devicedata3");
    out.field("dev_attributes");
    print_sattr3(out, v.dev_attributes);
    out.field("spec");
    print_specdata3(out, v.spec);
    out.close();
}

void print_mknoddata3(xdr::Printer& out, [[maybe_unused]] const mknoddata3& v) {
    out.open("mknoddata3");
    out.field("type");
    print_ftype3(out, v.type());
    if (v.has_device()) {
        out.field("device");
        print_devicedata3(out, v.device());
    }
    if (v.has_pipe_attributes()) {
        out.field("pipe_attributes");
        print_sattr3(out, v.pipe_attributes());
    }
    out.close();
}

void print_MKNOD3args(xdr::Printer& out, [[maybe_unused]] const MKNOD3args& v) {
    out.open("MKNOD3args");
    out.field("where");
    print_diropargs3(out, v.where);
    out.field("what");
    print_mknoddata3(out, v.what);
    out.close();
}

void print_MKNOD3resok(xdr::Printer& out, [[maybe_unused]] const MKNOD3resok& v) {
    out.open("MKNOD3resok");
    out.field("obj");
    print_post_op_fh3(out, v.obj);
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_MKNOD3resfail(xdr::Printer& out, [[maybe_unused]] const MKNOD3resfail& v) {
    out.open("MKNOD3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_MKNOD3res(xdr::Printer& out, [[maybe_unused]] const MKNOD3res& v) {
    out.open("MKNOD3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_MKNOD3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_MKNOD3resfail(out, v.resfail());
    }
    out.close();
}

void print_REMOVE3args(xdr::Printer& out, [[maybe_unused]] const REMOVE3args& v) {
    out.open("REMOVE3args");
    out.field("object");
    print_diropargs3(out, v.object);
    out.close();
}

void print_REMOVE3resok(xdr::Printer& out, [[maybe_unused]] const REMOVE3resok& v) {
    out.open("REMOVE3resok");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_REMOVE3resfail(xdr::Printer& out, [[maybe_unused]] const REMOVE3resfail& v) {
    out.open("REMOVE3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_REMOVE3res(xdr::Printer& out, [[maybe_unused]] const REMOVE3res& v) {
    out.open("REMOVE3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_REMOVE3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_REMOVE3resfail(out, v.resfail());
    }
    out.close();
}

void print_RMDIR3args(xdr::Printer& out, [[maybe_unused]] const RMDIR3args& v) {
    out.open("RMDIR3args");
    out.field("object");
    print_diropargs3(out, v.object);
    out.close();
}

void print_RMDIR3resok(xdr::Printer& out, [[maybe_unused]] const RMDIR3resok& v) {
    out.open("RMDIR3resok");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_RMDIR3resfail(xdr::Printer& out, [[maybe_unused]] const RMDIR3resfail& v) {
    out.open("RMDIR3resfail");
    out.field("dir_wcc");
    print_wcc_data(out, v.dir_wcc);
    out.close();
}

void print_RMDIR3res(xdr::Printer& out, [[maybe_unused]] const RMDIR3res& v) {
    out.open("RMDIR3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_RMDIR3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_RMDIR3resfail(out, v.resfail());
    }
    out.close();
}

void print_RENAME3args(xdr::Printer& out, [[maybe_unused]] const RENAME3args& v) {
    out.open("RENAME3args");
    out.field("from");
    print_diropargs3(out, v.from);
    out.field("to");
    print_diropargs3(out, v.to);
    out.close();
}

void print_RENAME3resok(xdr::Printer& out, [[maybe_unused]] const RENAME3resok& v) {
    out.open("RENAME3resok");
    out.field("fromdir_wcc");
    print_wcc_data(out, v.fromdir_wcc);
    out.field("todir_wcc");
    print_wcc_data(out, v.todir_wcc);
    out.close();
}

void print_RENAME3resfail(xdr::Printer& out, [[maybe_unused]] const RENAME3resfail& v) {
    out.open("RENAME3resfail");
    out.field("fromdir_wcc");
    print_wcc_data(out, v.fromdir_wcc);
    out.field("todir_wcc");
    print_wcc_data(out, v.todir_wcc);
    out.close();
}

void print_RENAME3res(xdr::Printer& out, [[maybe_unused]] const RENAME3res& v) {
    out.open("RENAME3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_RENAME3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_RENAME3resfail(out, v.resfail());
    }
    out.close();
}

void print_LINK3args(xdr::Printer& out, [[maybe_unused]] const LINK3args& v) {
    out.open("LINK3args");
    out.field("file");
    print_nfs_fh3(out, v.file);
    out.field("link");
    print_diropargs3(out, v.link);
    out.close();
}

void print_LINK3resok(xdr::Printer& out, [[maybe_unused]] const LINK3resok& v) {
    out.open("LINK3resok");
    out.field("file_attributes");
    print_post_op_attr(out, v.file_attributes);
    out.field("linkdir_wcc");
    print_wcc_data(out, v.linkdir_wcc);
    out.close();
}

void print_LINK3resfail(xdr::Printer& out, [[maybe_unused]] const LINK3resfail& v) {
    out.open("LINK3resfail");
    out.field("file_attributes");
    print_post_op_attr(out, v.file_attributes);
    out.field("linkdir_wcc");
    print_wcc_data(out, v.linkdir_wcc);
    out.close();
}

void print_LINK3res(xdr::Printer& out, [[maybe_unused]] const LINK3res& v) {
    out.open("LINK3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_LINK3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_LINK3resfail(out, v.resfail());
    }
    out.close();
}

void print_READDIR3args(xdr::Printer& out, [[maybe_unused]] const READDIR3args& v) {
    out.open("READDIR3args");
    out.field("dir");
    print_nfs_fh3(out, v.dir);
    out.field("cookie");
    out.number(v.cookie);
    out.field("cookieverf");
    out.bytes(v.cookieverf);
    out.field("count");
    out.number(v.count);
    out.close();
}

void print_entry3(xdr::Printer& out, [[maybe_unused]] const entry3& v) {
    out.open("entry3");
    out.field("fileid");
    out.number(v.fileid);
    out.field("name");
    out.string(v.name);
    out.field("cookie");
    out.number(v.cookie);
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.nextentry; next != nullptr; next = next->nextentry) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.nextentry = nullptr;
        out.word(" ");
        print_entry3(out, one);
    }
}

void print_dirlist3(xdr::Printer& out, [[maybe_unused]] const dirlist3& v) {
    out.open("dirlist3");
    out.field("entries");
    if (v.entries == nullptr) {
        out.word("none");
    } else {
        print_entry3(out, (*v.entries));
    }
    out.field("eof");
    out.boolean(v.eof);
    out.close();
}

void print_READDIR3resok(xdr::Printer& out, [[maybe_unused]] const READDIR3resok& v) {
    out.open("READDIR3resok");
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.field("cookieverf");
    out.bytes(v.cookieverf);
    out.field("reply");
    print_dirlist3(out, v.reply);
    out.close();
}

void print_READDIR3resfail(xdr::Printer& out, [[maybe_unused]] const READDIR3resfail& v) {
    out.open("READDIR3resfail");
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.close();
}

void print_READDIR3res(xdr::Printer& out, [[maybe_unused]] const READDIR3res& v) {
    out.open("READDIR3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_READDIR3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_READDIR3resfail(out, v.resfail());
    }
    out.close();
}

void print_READDIRPLUS3args(xdr::Printer& out, [[maybe_unused]] const READDIRPLUS3args& v) {
    out.open("READDIRPLUS3args");
    out.field("dir");
    print_nfs_fh3(out, v.dir);
    out.field("cookie");
    out.number(v.cookie);
    out.field("cookieverf");
    out.bytes(v.cookieverf);
    out.field("dircount");
    out.number(v.dircount);
    out.field("maxcount");
    out.number(v.maxcount);
    out.close();
}

void print_entryplus3(xdr::Printer& out, [[maybe_unused]] const entryplus3& v) {
    out.open("entryplus3");
    out.field("fileid");
    out.number(v.fileid);
    out.field("name");
    out.string(v.name);
    out.field("cookie");
    out.number(v.cookie);
    out.field("name_attributes");
    print_post_op_attr(out, v.name_attributes);
    out.field("name_handle");
    print_post_op_fh3(out, v.name_handle);
    out.close();
    std::size_t shown = 0;
    for (const auto* next = v.nextentry; next != nullptr; next = next->nextentry) {
        if (++shown == xdr::Printer::kShownMax) {
            out.word(" …");
            break;
        }
        auto one = *next;
        one.nextentry = nullptr;
        out.word(" ");
        print_entryplus3(out, one);
    }
}

void print_dirlistplus3(xdr::Printer& out, [[maybe_unused]] const dirlistplus3& v) {
    out.open("dirlistplus3");
    out.field("entries");
    if (v.entries == nullptr) {
        out.word("none");
    } else {
        print_entryplus3(out, (*v.entries));
    }
    out.field("eof");
    out.boolean(v.eof);
    out.close();
}

void print_READDIRPLUS3resok(xdr::Printer& out, [[maybe_unused]] const READDIRPLUS3resok& v) {
    out.open("READDIRPLUS3resok");
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.field("cookieverf");
    out.bytes(v.cookieverf);
    out.field("reply");
    print_dirlistplus3(out, v.reply);
    out.close();
}

void print_READDIRPLUS3resfail(xdr::Printer& out, [[maybe_unused]] const READDIRPLUS3resfail& v) {
    out.open("READDIRPLUS3resfail");
    out.field("dir_attributes");
    print_post_op_attr(out, v.dir_attributes);
    out.close();
}

void print_READDIRPLUS3res(xdr::Printer& out, [[maybe_unused]] const READDIRPLUS3res& v) {
    out.open("READDIRPLUS3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_READDIRPLUS3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_READDIRPLUS3resfail(out, v.resfail());
    }
    out.close();
}

void print_FSSTAT3args(xdr::Printer& out, [[maybe_unused]] const FSSTAT3args& v) {
    out.open("FSSTAT3args");
    out.field("fsroot");
    print_nfs_fh3(out, v.fsroot);
    out.close();
}

void print_FSSTAT3resok(xdr::Printer& out, [[maybe_unused]] const FSSTAT3resok& v) {
    out.open("FSSTAT3resok");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("tbytes");
    out.number(v.tbytes);
    out.field("fbytes");
    out.number(v.fbytes);
    out.field("abytes");
    out.number(v.abytes);
    out.field("tfiles");
    out.number(v.tfiles);
    out.field("ffiles");
    out.number(v.ffiles);
    out.field("afiles");
    out.number(v.afiles);
    out.field("invarsec");
    out.number(v.invarsec);
    out.close();
}

void print_FSSTAT3resfail(xdr::Printer& out, [[maybe_unused]] const FSSTAT3resfail& v) {
    out.open("FSSTAT3resfail");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.close();
}

void print_FSSTAT3res(xdr::Printer& out, [[maybe_unused]] const FSSTAT3res& v) {
    out.open("FSSTAT3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_FSSTAT3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_FSSTAT3resfail(out, v.resfail());
    }
    out.close();
}

void print_FSINFO3args(xdr::Printer& out, [[maybe_unused]] const FSINFO3args& v) {
    out.open("FSINFO3args");
    out.field("fsroot");
    print_nfs_fh3(out, v.fsroot);
    out.close();
}

void print_FSINFO3resok(xdr::Printer& out, [[maybe_unused]] const FSINFO3resok& v) {
    out.open("FSINFO3resok");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("rtmax");
    out.number(v.rtmax);
    out.field("rtpref");
    out.number(v.rtpref);
    out.field("rtmult");
    out.number(v.rtmult);
    out.field("wtmax");
    out.number(v.wtmax);
    out.field("wtpref");
    out.number(v.wtpref);
    out.field("wtmult");
    out.number(v.wtmult);
    out.field("dtpref");
    out.number(v.dtpref);
    out.field("maxfilesize");
    out.number(v.maxfilesize);
    out.field("time_delta");
    print_nfstime3(out, v.time_delta);
    out.field("properties");
    out.number(v.properties);
    out.close();
}

void print_FSINFO3resfail(xdr::Printer& out, [[maybe_unused]] const FSINFO3resfail& v) {
    out.open("FSINFO3resfail");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.close();
}

void print_FSINFO3res(xdr::Printer& out, [[maybe_unused]] const FSINFO3res& v) {
    out.open("FSINFO3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_FSINFO3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_FSINFO3resfail(out, v.resfail());
    }
    out.close();
}

void print_PATHCONF3args(xdr::Printer& out, [[maybe_unused]] const PATHCONF3args& v) {
    out.open("PATHCONF3args");
    out.field("object");
    print_nfs_fh3(out, v.object);
    out.close();
}

void print_PATHCONF3resok(xdr::Printer& out, [[maybe_unused]] const PATHCONF3resok& v) {
    out.open("PATHCONF3resok");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.field("linkmax");
    out.number(v.linkmax);
    out.field("name_max");
    out.number(v.name_max);
    out.field("no_trunc");
    out.boolean(v.no_trunc);
    out.field("chown_restricted");
    out.boolean(v.chown_restricted);
    out.field("case_insensitive");
    out.boolean(v.case_insensitive);
    out.field("case_preserving");
    out.boolean(v.case_preserving);
    out.close();
}

void print_PATHCONF3resfail(xdr::Printer& out, [[maybe_unused]] const PATHCONF3resfail& v) {
    out.open("PATHCONF3resfail");
    out.field("obj_attributes");
    print_post_op_attr(out, v.obj_attributes);
    out.close();
}

void print_PATHCONF3res(xdr::Printer& out, [[maybe_unused]] const PATHCONF3res& v) {
    out.open("PATHCONF3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_PATHCONF3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_PATHCONF3resfail(out, v.resfail());
    }
    out.close();
}

void print_COMMIT3args(xdr::Printer& out, [[maybe_unused]] const COMMIT3args& v) {
    out.open("COMMIT3args");
    out.field("file");
    print_nfs_fh3(out, v.file);
    out.field("offset");
    out.number(v.offset);
    out.field("count");
    out.number(v.count);
    out.close();
}

void print_COMMIT3resok(xdr::Printer& out, [[maybe_unused]] const COMMIT3resok& v) {
    out.open("COMMIT3resok");
    out.field("file_wcc");
    print_wcc_data(out, v.file_wcc);
    out.field("verf");
    out.bytes(v.verf);
    out.close();
}

void print_COMMIT3resfail(xdr::Printer& out, [[maybe_unused]] const COMMIT3resfail& v) {
    out.open("COMMIT3resfail");
    out.field("file_wcc");
    print_wcc_data(out, v.file_wcc);
    out.close();
}

void print_COMMIT3res(xdr::Printer& out, [[maybe_unused]] const COMMIT3res& v) {
    out.open("COMMIT3res");
    out.field("status");
    print_nfsstat3(out, v.status());
    if (v.has_resok()) {
        out.field("resok");
        print_COMMIT3resok(out, v.resok());
    }
    if (v.has_resfail()) {
        out.field("resfail");
        print_COMMIT3resfail(out, v.resfail());
    }
    out.close();
}

}  // namespace helio::nfs3
