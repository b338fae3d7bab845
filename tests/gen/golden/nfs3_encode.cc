// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3_codec.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

std::byte* put_sattr3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const sattr3& v) {
    p = put_set_mode3<4>(p, out, v.mode);
    if (p == nullptr) return nullptr;
    p = put_set_uid3<4>(p, out, v.uid);
    if (p == nullptr) return nullptr;
    p = put_set_gid3<4>(p, out, v.gid);
    if (p == nullptr) return nullptr;
    p = put_set_size3<4>(p, out, v.size);
    if (p == nullptr) return nullptr;
    p = put_set_atime<4>(p, out, v.atime);
    if (p == nullptr) return nullptr;
    p = put_set_mtime<0>(p, out, v.mtime);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SETATTR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3args& v) {
    p = put_nfs_fh3<4>(p, out, v.object);
    if (p == nullptr) return nullptr;
    p = out.then<4>(put_sattr3(p, out, v.new_attributes));
    if (p == nullptr) return nullptr;
    p = put_sattrguard3<0>(p, out, v.guard);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SETATTR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_SETATTR3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_SETATTR3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_LOOKUP3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LOOKUP3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_LOOKUP3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_LOOKUP3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_WRITE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const WRITE3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_WRITE3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_WRITE3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_createhow3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const createhow3& v) {
    const auto which = v.mode();
    if (!put_createmode3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case UNCHECKED:
        case GUARDED:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.obj_attributes();
                p = out.then<0>(put_sattr3(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case EXCLUSIVE:
            {
                p = out.certain(p, 8);
                if (p == nullptr) return nullptr;
                const auto& arm = v.verf();
                xdr::put_bytes(p, arm);
                return p + 8;
            }
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

std::byte* put_CREATE3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3args& v) {
    p = put_diropargs3<4>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_createhow3(p, out, v.how));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_CREATE3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3resok& v) {
    p = put_post_op_fh3<4>(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr<4>(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_CREATE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = out.then<0>(put_CREATE3resok(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_CREATE3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_MKDIR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3args& v) {
    p = put_diropargs3<4>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_sattr3(p, out, v.attributes));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKDIR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3resok& v) {
    p = put_post_op_fh3<4>(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr<4>(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKDIR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = out.then<0>(put_MKDIR3resok(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_MKDIR3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_symlinkdata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const symlinkdata3& v) {
    p = out.then<4>(put_sattr3(p, out, v.symlink_attributes));
    if (p == nullptr) return nullptr;
    p = out.string<xdr::kUnbounded, 0>(p, v.symlink_data);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SYMLINK3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3args& v) {
    p = put_diropargs3<4>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_symlinkdata3(p, out, v.symlink));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SYMLINK3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3resok& v) {
    p = put_post_op_fh3<4>(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr<4>(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SYMLINK3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = out.then<0>(put_SYMLINK3resok(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_SYMLINK3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_devicedata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const devicedata3& v) {
    p = out.then<8>(put_sattr3(p, out, v.dev_attributes));
    if (p == nullptr) return nullptr;
    if (!put_specdata3(p, out, v.spec)) return nullptr;
    return p + 8;
}

std::byte* put_mknoddata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const mknoddata3& v) {
    const auto which = v.type();
    if (!put_ftype3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NF3CHR:
        case NF3BLK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.device();
                p = out.then<0>(put_devicedata3(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case NF3SOCK:
        case NF3FIFO:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.pipe_attributes();
                p = out.then<0>(put_sattr3(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            return p;
    }
}

std::byte* put_MKNOD3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3args& v) {
    p = put_diropargs3<4>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_mknoddata3(p, out, v.what));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKNOD3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3resok& v) {
    p = put_post_op_fh3<4>(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr<4>(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKNOD3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = out.then<0>(put_MKNOD3resok(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_MKNOD3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_REMOVE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const REMOVE3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_REMOVE3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_REMOVE3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_RMDIR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RMDIR3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_RMDIR3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_RMDIR3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_RENAME3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resok& v) {
    p = put_wcc_data<4>(p, out, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.todir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_RENAME3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resfail& v) {
    p = put_wcc_data<4>(p, out, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = put_wcc_data<0>(p, out, v.todir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_RENAME3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = out.then<0>(put_RENAME3resok(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = out.then<0>(put_RENAME3resfail(p, out, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_LINK3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LINK3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_LINK3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_LINK3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_list_entry3(std::byte* p, xdr::Writer& out, const entry3* v) {
    return xdr::put_list<12>(p, out, v, &entry3::nextentry, put_node_entry3<4>);
}

std::byte* put_entry3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entry3& v) {
    xdr::store_u64(p, v.fileid);
    p = out.string<xdr::kUnbounded, 12>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    p = out.then<0>(put_list_entry3(p + 8, out, v.nextentry));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_list_entryplus3(std::byte* p, xdr::Writer& out, const entryplus3* v) {
    return xdr::put_list<12>(p, out, v, &entryplus3::nextentry, put_node_entryplus3<4>);
}

std::byte* put_entryplus3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entryplus3& v) {
    xdr::store_u64(p, v.fileid);
    p = out.string<xdr::kUnbounded, 12>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    p = put_post_op_attr<4>(p + 8, out, v.name_attributes);
    if (p == nullptr) return nullptr;
    p = put_post_op_fh3<4>(p, out, v.name_handle);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_list_entryplus3(p, out, v.nextentry));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_FSSTAT3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSSTAT3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_FSSTAT3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_FSSTAT3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_FSINFO3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSINFO3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_FSINFO3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_FSINFO3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_COMMIT3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const COMMIT3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resok();
                p = put_COMMIT3resok<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 4);
                if (p == nullptr) return nullptr;
                const auto& arm = v.resfail();
                p = put_COMMIT3resfail<0>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

bool encode_uint64(xdr::Writer& out, const uint64& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_int64(xdr::Writer& out, const int64& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_uint32(xdr::Writer& out, const uint32& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_int32(xdr::Writer& out, const int32& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_filename3(xdr::Writer& out, const filename3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_filename3<0>(p, out, v));
}

bool encode_nfspath3(xdr::Writer& out, const nfspath3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_nfspath3<0>(p, out, v));
}

bool encode_fileid3(xdr::Writer& out, const fileid3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_cookie3(xdr::Writer& out, const cookie3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_cookieverf3(xdr::Writer& out, const cookieverf3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_cookieverf3(p, out, v) && out.end(p + 8);
}

bool encode_createverf3(xdr::Writer& out, const createverf3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_createverf3(p, out, v) && out.end(p + 8);
}

bool encode_writeverf3(xdr::Writer& out, const writeverf3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_writeverf3(p, out, v) && out.end(p + 8);
}

bool encode_uid3(xdr::Writer& out, const uid3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_gid3(xdr::Writer& out, const gid3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_size3(xdr::Writer& out, const size3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_offset3(xdr::Writer& out, const offset3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 8);
}

bool encode_mode3(xdr::Writer& out, const mode3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_count3(xdr::Writer& out, const count3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return xdr::put_scalar(p, out, v) && out.end(p + 4);
}

bool encode_nfsstat3(xdr::Writer& out, const nfsstat3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_nfsstat3(p, out, v) && out.end(p + 4);
}

bool encode_ftype3(xdr::Writer& out, const ftype3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_ftype3(p, out, v) && out.end(p + 4);
}

bool encode_specdata3(xdr::Writer& out, const specdata3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_specdata3(p, out, v) && out.end(p + 8);
}

bool encode_nfs_fh3(xdr::Writer& out, const nfs_fh3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_nfs_fh3<0>(p, out, v));
}

bool encode_nfstime3(xdr::Writer& out, const nfstime3& v) {
    std::byte* const p = out.begin(8);
    if (p == nullptr) return false;
    return put_nfstime3(p, out, v) && out.end(p + 8);
}

bool encode_fattr3(xdr::Writer& out, const fattr3& v) {
    std::byte* const p = out.begin(84);
    if (p == nullptr) return false;
    return put_fattr3(p, out, v) && out.end(p + 84);
}

bool encode_post_op_attr(xdr::Writer& out, const post_op_attr& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_post_op_attr<0>(p, out, v));
}

bool encode_wcc_attr(xdr::Writer& out, const wcc_attr& v) {
    std::byte* const p = out.begin(24);
    if (p == nullptr) return false;
    return put_wcc_attr(p, out, v) && out.end(p + 24);
}

bool encode_pre_op_attr(xdr::Writer& out, const pre_op_attr& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_pre_op_attr<0>(p, out, v));
}

bool encode_wcc_data(xdr::Writer& out, const wcc_data& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_wcc_data<0>(p, out, v));
}

bool encode_post_op_fh3(xdr::Writer& out, const post_op_fh3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_post_op_fh3<0>(p, out, v));
}

bool encode_time_how(xdr::Writer& out, const time_how& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_time_how(p, out, v) && out.end(p + 4);
}

bool encode_set_mode3(xdr::Writer& out, const set_mode3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_mode3<0>(p, out, v));
}

bool encode_set_uid3(xdr::Writer& out, const set_uid3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_uid3<0>(p, out, v));
}

bool encode_set_gid3(xdr::Writer& out, const set_gid3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_gid3<0>(p, out, v));
}

bool encode_set_size3(xdr::Writer& out, const set_size3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_size3<0>(p, out, v));
}

bool encode_set_atime(xdr::Writer& out, const set_atime& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_atime<0>(p, out, v));
}

bool encode_set_mtime(xdr::Writer& out, const set_mtime& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_set_mtime<0>(p, out, v));
}

bool encode_sattr3(xdr::Writer& out, const sattr3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_sattr3(p, out, v));
}

bool encode_diropargs3(xdr::Writer& out, const diropargs3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_diropargs3<0>(p, out, v));
}

bool encode_GETATTR3args(xdr::Writer& out, const GETATTR3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_GETATTR3args<0>(p, out, v));
}

bool encode_GETATTR3resok(xdr::Writer& out, const GETATTR3resok& v) {
    std::byte* const p = out.begin(84);
    if (p == nullptr) return false;
    return put_GETATTR3resok(p, out, v) && out.end(p + 84);
}

bool encode_GETATTR3res(xdr::Writer& out, const GETATTR3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_GETATTR3res<0>(p, out, v));
}

bool encode_sattrguard3(xdr::Writer& out, const sattrguard3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_sattrguard3<0>(p, out, v));
}

bool encode_SETATTR3args(xdr::Writer& out, const SETATTR3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SETATTR3args(p, out, v));
}

bool encode_SETATTR3resok(xdr::Writer& out, const SETATTR3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SETATTR3resok<0>(p, out, v));
}

bool encode_SETATTR3resfail(xdr::Writer& out, const SETATTR3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SETATTR3resfail<0>(p, out, v));
}

bool encode_SETATTR3res(xdr::Writer& out, const SETATTR3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SETATTR3res(p, out, v));
}

bool encode_LOOKUP3args(xdr::Writer& out, const LOOKUP3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LOOKUP3args<0>(p, out, v));
}

bool encode_LOOKUP3resok(xdr::Writer& out, const LOOKUP3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LOOKUP3resok<0>(p, out, v));
}

bool encode_LOOKUP3resfail(xdr::Writer& out, const LOOKUP3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LOOKUP3resfail<0>(p, out, v));
}

bool encode_LOOKUP3res(xdr::Writer& out, const LOOKUP3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LOOKUP3res(p, out, v));
}

bool encode_ACCESS3args(xdr::Writer& out, const ACCESS3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_ACCESS3args<0>(p, out, v));
}

bool encode_ACCESS3resok(xdr::Writer& out, const ACCESS3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_ACCESS3resok<0>(p, out, v));
}

bool encode_ACCESS3resfail(xdr::Writer& out, const ACCESS3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_ACCESS3resfail<0>(p, out, v));
}

bool encode_ACCESS3res(xdr::Writer& out, const ACCESS3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_ACCESS3res<0>(p, out, v));
}

bool encode_READLINK3args(xdr::Writer& out, const READLINK3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READLINK3args<0>(p, out, v));
}

bool encode_READLINK3resok(xdr::Writer& out, const READLINK3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READLINK3resok<0>(p, out, v));
}

bool encode_READLINK3resfail(xdr::Writer& out, const READLINK3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READLINK3resfail<0>(p, out, v));
}

bool encode_READLINK3res(xdr::Writer& out, const READLINK3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READLINK3res<0>(p, out, v));
}

bool encode_READ3args(xdr::Writer& out, const READ3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READ3args<0>(p, out, v));
}

bool encode_READ3resok(xdr::Writer& out, const READ3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READ3resok<0>(p, out, v));
}

bool encode_READ3resfail(xdr::Writer& out, const READ3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READ3resfail<0>(p, out, v));
}

bool encode_READ3res(xdr::Writer& out, const READ3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READ3res<0>(p, out, v));
}

bool encode_stable_how(xdr::Writer& out, const stable_how& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_stable_how(p, out, v) && out.end(p + 4);
}

bool encode_WRITE3args(xdr::Writer& out, const WRITE3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_WRITE3args<0>(p, out, v));
}

bool encode_WRITE3resok(xdr::Writer& out, const WRITE3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_WRITE3resok<0>(p, out, v));
}

bool encode_WRITE3resfail(xdr::Writer& out, const WRITE3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_WRITE3resfail<0>(p, out, v));
}

bool encode_WRITE3res(xdr::Writer& out, const WRITE3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_WRITE3res(p, out, v));
}

bool encode_createmode3(xdr::Writer& out, const createmode3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return put_createmode3(p, out, v) && out.end(p + 4);
}

bool encode_createhow3(xdr::Writer& out, const createhow3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_createhow3(p, out, v));
}

bool encode_CREATE3args(xdr::Writer& out, const CREATE3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_CREATE3args(p, out, v));
}

bool encode_CREATE3resok(xdr::Writer& out, const CREATE3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_CREATE3resok(p, out, v));
}

bool encode_CREATE3resfail(xdr::Writer& out, const CREATE3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_CREATE3resfail<0>(p, out, v));
}

bool encode_CREATE3res(xdr::Writer& out, const CREATE3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_CREATE3res(p, out, v));
}

bool encode_MKDIR3args(xdr::Writer& out, const MKDIR3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKDIR3args(p, out, v));
}

bool encode_MKDIR3resok(xdr::Writer& out, const MKDIR3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKDIR3resok(p, out, v));
}

bool encode_MKDIR3resfail(xdr::Writer& out, const MKDIR3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKDIR3resfail<0>(p, out, v));
}

bool encode_MKDIR3res(xdr::Writer& out, const MKDIR3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKDIR3res(p, out, v));
}

bool encode_symlinkdata3(xdr::Writer& out, const symlinkdata3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_symlinkdata3(p, out, v));
}

bool encode_SYMLINK3args(xdr::Writer& out, const SYMLINK3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SYMLINK3args(p, out, v));
}

bool encode_SYMLINK3resok(xdr::Writer& out, const SYMLINK3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SYMLINK3resok(p, out, v));
}

bool encode_SYMLINK3resfail(xdr::Writer& out, const SYMLINK3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SYMLINK3resfail<0>(p, out, v));
}

bool encode_SYMLINK3res(xdr::Writer& out, const SYMLINK3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_SYMLINK3res(p, out, v));
}

bool encode_devicedata3(xdr::Writer& out, const devicedata3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_devicedata3(p, out, v));
}

bool encode_mknoddata3(xdr::Writer& out, const mknoddata3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_mknoddata3(p, out, v));
}

bool encode_MKNOD3args(xdr::Writer& out, const MKNOD3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKNOD3args(p, out, v));
}

bool encode_MKNOD3resok(xdr::Writer& out, const MKNOD3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKNOD3resok(p, out, v));
}

bool encode_MKNOD3resfail(xdr::Writer& out, const MKNOD3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKNOD3resfail<0>(p, out, v));
}

bool encode_MKNOD3res(xdr::Writer& out, const MKNOD3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_MKNOD3res(p, out, v));
}

bool encode_REMOVE3args(xdr::Writer& out, const REMOVE3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_REMOVE3args<0>(p, out, v));
}

bool encode_REMOVE3resok(xdr::Writer& out, const REMOVE3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_REMOVE3resok<0>(p, out, v));
}

bool encode_REMOVE3resfail(xdr::Writer& out, const REMOVE3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_REMOVE3resfail<0>(p, out, v));
}

bool encode_REMOVE3res(xdr::Writer& out, const REMOVE3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_REMOVE3res(p, out, v));
}

bool encode_RMDIR3args(xdr::Writer& out, const RMDIR3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RMDIR3args<0>(p, out, v));
}

bool encode_RMDIR3resok(xdr::Writer& out, const RMDIR3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RMDIR3resok<0>(p, out, v));
}

bool encode_RMDIR3resfail(xdr::Writer& out, const RMDIR3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RMDIR3resfail<0>(p, out, v));
}

bool encode_RMDIR3res(xdr::Writer& out, const RMDIR3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RMDIR3res(p, out, v));
}

bool encode_RENAME3args(xdr::Writer& out, const RENAME3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RENAME3args<0>(p, out, v));
}

bool encode_RENAME3resok(xdr::Writer& out, const RENAME3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RENAME3resok(p, out, v));
}

bool encode_RENAME3resfail(xdr::Writer& out, const RENAME3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RENAME3resfail(p, out, v));
}

bool encode_RENAME3res(xdr::Writer& out, const RENAME3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_RENAME3res(p, out, v));
}

bool encode_LINK3args(xdr::Writer& out, const LINK3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LINK3args<0>(p, out, v));
}

bool encode_LINK3resok(xdr::Writer& out, const LINK3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LINK3resok<0>(p, out, v));
}

bool encode_LINK3resfail(xdr::Writer& out, const LINK3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LINK3resfail<0>(p, out, v));
}

bool encode_LINK3res(xdr::Writer& out, const LINK3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_LINK3res(p, out, v));
}

bool encode_READDIR3args(xdr::Writer& out, const READDIR3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIR3args<0>(p, out, v));
}

bool encode_entry3(xdr::Writer& out, const entry3& v) {
    std::byte* const p = out.begin(12);
    if (p == nullptr) return false;
    return out.end(put_entry3(p, out, v));
}

bool encode_dirlist3(xdr::Writer& out, const dirlist3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_dirlist3<0>(p, out, v));
}

bool encode_READDIR3resok(xdr::Writer& out, const READDIR3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIR3resok<0>(p, out, v));
}

bool encode_READDIR3resfail(xdr::Writer& out, const READDIR3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIR3resfail<0>(p, out, v));
}

bool encode_READDIR3res(xdr::Writer& out, const READDIR3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIR3res<0>(p, out, v));
}

bool encode_READDIRPLUS3args(xdr::Writer& out, const READDIRPLUS3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIRPLUS3args<0>(p, out, v));
}

bool encode_entryplus3(xdr::Writer& out, const entryplus3& v) {
    std::byte* const p = out.begin(12);
    if (p == nullptr) return false;
    return out.end(put_entryplus3(p, out, v));
}

bool encode_dirlistplus3(xdr::Writer& out, const dirlistplus3& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_dirlistplus3<0>(p, out, v));
}

bool encode_READDIRPLUS3resok(xdr::Writer& out, const READDIRPLUS3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIRPLUS3resok<0>(p, out, v));
}

bool encode_READDIRPLUS3resfail(xdr::Writer& out, const READDIRPLUS3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIRPLUS3resfail<0>(p, out, v));
}

bool encode_READDIRPLUS3res(xdr::Writer& out, const READDIRPLUS3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_READDIRPLUS3res<0>(p, out, v));
}

bool encode_FSSTAT3args(xdr::Writer& out, const FSSTAT3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSSTAT3args<0>(p, out, v));
}

bool encode_FSSTAT3resok(xdr::Writer& out, const FSSTAT3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSSTAT3resok<0>(p, out, v));
}

bool encode_FSSTAT3resfail(xdr::Writer& out, const FSSTAT3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSSTAT3resfail<0>(p, out, v));
}

bool encode_FSSTAT3res(xdr::Writer& out, const FSSTAT3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSSTAT3res(p, out, v));
}

bool encode_FSINFO3args(xdr::Writer& out, const FSINFO3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSINFO3args<0>(p, out, v));
}

bool encode_FSINFO3resok(xdr::Writer& out, const FSINFO3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSINFO3resok<0>(p, out, v));
}

bool encode_FSINFO3resfail(xdr::Writer& out, const FSINFO3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSINFO3resfail<0>(p, out, v));
}

bool encode_FSINFO3res(xdr::Writer& out, const FSINFO3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_FSINFO3res(p, out, v));
}

bool encode_PATHCONF3args(xdr::Writer& out, const PATHCONF3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_PATHCONF3args<0>(p, out, v));
}

bool encode_PATHCONF3resok(xdr::Writer& out, const PATHCONF3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_PATHCONF3resok<0>(p, out, v));
}

bool encode_PATHCONF3resfail(xdr::Writer& out, const PATHCONF3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_PATHCONF3resfail<0>(p, out, v));
}

bool encode_PATHCONF3res(xdr::Writer& out, const PATHCONF3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_PATHCONF3res<0>(p, out, v));
}

bool encode_COMMIT3args(xdr::Writer& out, const COMMIT3args& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_COMMIT3args<0>(p, out, v));
}

bool encode_COMMIT3resok(xdr::Writer& out, const COMMIT3resok& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_COMMIT3resok<0>(p, out, v));
}

bool encode_COMMIT3resfail(xdr::Writer& out, const COMMIT3resfail& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_COMMIT3resfail<0>(p, out, v));
}

bool encode_COMMIT3res(xdr::Writer& out, const COMMIT3res& v) {
    std::byte* const p = out.begin(4);
    if (p == nullptr) return false;
    return out.end(put_COMMIT3res(p, out, v));
}

}  // namespace helio::nfs3
