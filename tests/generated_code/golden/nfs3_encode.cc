// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3_codec.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

std::byte* put_sattr3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const sattr3& v) {
    p = put_set_mode3(p, out, v.mode);
    if (p == nullptr) return nullptr;
    p = put_set_uid3(p, out, v.uid);
    if (p == nullptr) return nullptr;
    p = put_set_gid3(p, out, v.gid);
    if (p == nullptr) return nullptr;
    p = put_set_size3(p, out, v.size);
    if (p == nullptr) return nullptr;
    p = put_set_atime(p, out, v.atime);
    if (p == nullptr) return nullptr;
    p = put_set_mtime(p, out, v.mtime);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SETATTR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3args& v) {
    p = put_nfs_fh3(p, out, v.object);
    if (p == nullptr) return nullptr;
    p = put_sattr3(p, out, v.new_attributes);
    if (p == nullptr) return nullptr;
    p = put_sattrguard3(p, out, v.guard);
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
                const auto& arm = v.raw_resok();
                p = put_SETATTR3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_SETATTR3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_LOOKUP3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_LOOKUP3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_WRITE3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_WRITE3resfail(p, out, arm);
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
                const auto& arm = v.raw_obj_attributes();
                p = put_sattr3(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        case EXCLUSIVE:
            {
                const auto& arm = v.raw_verf();
                if (!xdr::put_bytes(p, out, arm, NFS3_CREATEVERFSIZE)) return nullptr;
                return p + 8;
            }
        default: break;
    }
    return out.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

std::byte* put_CREATE3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3args& v) {
    p = put_diropargs3<64>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = put_createhow3(p, out, v.how);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_CREATE3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3resok& v) {
    p = put_post_op_fh3(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.dir_wcc);
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
                const auto& arm = v.raw_resok();
                p = put_CREATE3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_CREATE3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_MKDIR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3args& v) {
    p = put_diropargs3<60>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = put_sattr3(p, out, v.attributes);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKDIR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3resok& v) {
    p = put_post_op_fh3(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.dir_wcc);
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
                const auto& arm = v.raw_resok();
                p = put_MKDIR3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_MKDIR3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_symlinkdata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const symlinkdata3& v) {
    p = put_sattr3(p, out, v.symlink_attributes);
    if (p == nullptr) return nullptr;
    p = out.bulk<xdr::kUnbounded, 0>(p, v.symlink_data);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SYMLINK3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3args& v) {
    p = put_diropargs3<64>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = out.then<0>(put_symlinkdata3(p, out, v.symlink));
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_SYMLINK3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3resok& v) {
    p = put_post_op_fh3(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.dir_wcc);
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
                const auto& arm = v.raw_resok();
                p = put_SYMLINK3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_SYMLINK3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_devicedata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const devicedata3& v) {
    p = put_sattr3(p, out, v.dev_attributes);
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
                const auto& arm = v.raw_device();
                p = put_devicedata3(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        case NF3SOCK:
        case NF3FIFO:
            {
                const auto& arm = v.raw_pipe_attributes();
                p = put_sattr3(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            return out.template then<xdr::kReserved>(p);
    }
}

std::byte* put_MKNOD3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3args& v) {
    p = put_diropargs3<72>(p, out, v.where);
    if (p == nullptr) return nullptr;
    p = put_mknoddata3(p, out, v.what);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_MKNOD3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3resok& v) {
    p = put_post_op_fh3(p, out, v.obj);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.dir_wcc);
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
                const auto& arm = v.raw_resok();
                p = put_MKNOD3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_MKNOD3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_REMOVE3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_REMOVE3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_RMDIR3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_RMDIR3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_RENAME3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resok& v) {
    p = put_wcc_data(p, out, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.todir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

std::byte* put_RENAME3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resfail& v) {
    p = put_wcc_data(p, out, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.todir_wcc);
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
                const auto& arm = v.raw_resok();
                p = put_RENAME3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_RENAME3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_LINK3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_LINK3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

std::byte* put_list_entry3(std::byte* p, xdr::Writer& out, const entry3* v) {
    return xdr::put_list<12, &entry3::nextentry, put_node_entry3<4>>(p, out, v);
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
    return xdr::put_list<12, &entryplus3::nextentry, put_node_entryplus3<4>>(p, out, v);
}

std::byte* put_entryplus3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entryplus3& v) {
    xdr::store_u64(p, v.fileid);
    p = out.string<xdr::kUnbounded, 172>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    p = put_post_op_attr(p + 8, out, v.name_attributes);
    if (p == nullptr) return nullptr;
    p = put_post_op_fh3(p, out, v.name_handle);
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
                const auto& arm = v.raw_resok();
                p = put_FSSTAT3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_FSSTAT3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_FSINFO3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_FSINFO3resfail(p, out, arm);
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
                const auto& arm = v.raw_resok();
                p = put_COMMIT3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_COMMIT3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

bool encode_uint64(xdr::Writer& out, const uint64& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_int64(xdr::Writer& out, const int64& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_uint32(xdr::Writer& out, const uint32& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_int32(xdr::Writer& out, const int32& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_filename3(xdr::Writer& out, const filename3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_filename3<0>(out.at(), out, v));
}

bool encode_nfspath3(xdr::Writer& out, const nfspath3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_nfspath3<0>(out.at(), out, v));
}

bool encode_fileid3(xdr::Writer& out, const fileid3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_cookie3(xdr::Writer& out, const cookie3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_cookieverf3(xdr::Writer& out, const cookieverf3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_cookieverf3(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_createverf3(xdr::Writer& out, const createverf3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_createverf3(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_writeverf3(xdr::Writer& out, const writeverf3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_writeverf3(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_uid3(xdr::Writer& out, const uid3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_gid3(xdr::Writer& out, const gid3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_size3(xdr::Writer& out, const size3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_offset3(xdr::Writer& out, const offset3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_mode3(xdr::Writer& out, const mode3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_count3(xdr::Writer& out, const count3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return xdr::put_scalar(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_nfsstat3(xdr::Writer& out, const nfsstat3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_nfsstat3(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_ftype3(xdr::Writer& out, const ftype3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_ftype3(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_specdata3(xdr::Writer& out, const specdata3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_specdata3(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_nfs_fh3(xdr::Writer& out, const nfs_fh3& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_nfs_fh3(out.at(), out, v));
}

bool encode_nfstime3(xdr::Writer& out, const nfstime3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return put_nfstime3(out.at(), out, v) && out.end(out.at() + 8);
}

bool encode_fattr3(xdr::Writer& out, const fattr3& v) {
    if (!out.ready(84)) [[unlikely]] return false;
    return put_fattr3(out.at(), out, v) && out.end(out.at() + 84);
}

bool encode_post_op_attr(xdr::Writer& out, const post_op_attr& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_post_op_attr(out.at(), out, v));
}

bool encode_wcc_attr(xdr::Writer& out, const wcc_attr& v) {
    if (!out.ready(24)) [[unlikely]] return false;
    return put_wcc_attr(out.at(), out, v) && out.end(out.at() + 24);
}

bool encode_pre_op_attr(xdr::Writer& out, const pre_op_attr& v) {
    if (!out.ready(28)) [[unlikely]] return false;
    return out.end(put_pre_op_attr(out.at(), out, v));
}

bool encode_wcc_data(xdr::Writer& out, const wcc_data& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_wcc_data(out.at(), out, v));
}

bool encode_post_op_fh3(xdr::Writer& out, const post_op_fh3& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_post_op_fh3(out.at(), out, v));
}

bool encode_time_how(xdr::Writer& out, const time_how& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_time_how(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_set_mode3(xdr::Writer& out, const set_mode3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_set_mode3(out.at(), out, v));
}

bool encode_set_uid3(xdr::Writer& out, const set_uid3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_set_uid3(out.at(), out, v));
}

bool encode_set_gid3(xdr::Writer& out, const set_gid3& v) {
    if (!out.ready(8)) [[unlikely]] return false;
    return out.end(put_set_gid3(out.at(), out, v));
}

bool encode_set_size3(xdr::Writer& out, const set_size3& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_set_size3(out.at(), out, v));
}

bool encode_set_atime(xdr::Writer& out, const set_atime& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_set_atime(out.at(), out, v));
}

bool encode_set_mtime(xdr::Writer& out, const set_mtime& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_set_mtime(out.at(), out, v));
}

bool encode_sattr3(xdr::Writer& out, const sattr3& v) {
    if (!out.ready(60)) [[unlikely]] return false;
    return out.end(put_sattr3(out.at(), out, v));
}

bool encode_diropargs3(xdr::Writer& out, const diropargs3& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_diropargs3<0>(out.at(), out, v));
}

bool encode_GETATTR3args(xdr::Writer& out, const GETATTR3args& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_GETATTR3args(out.at(), out, v));
}

bool encode_GETATTR3resok(xdr::Writer& out, const GETATTR3resok& v) {
    if (!out.ready(84)) [[unlikely]] return false;
    return put_GETATTR3resok(out.at(), out, v) && out.end(out.at() + 84);
}

bool encode_GETATTR3res(xdr::Writer& out, const GETATTR3res& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_GETATTR3res(out.at(), out, v));
}

bool encode_sattrguard3(xdr::Writer& out, const sattrguard3& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_sattrguard3(out.at(), out, v));
}

bool encode_SETATTR3args(xdr::Writer& out, const SETATTR3args& v) {
    if (!out.ready(140)) [[unlikely]] return false;
    return out.end(put_SETATTR3args(out.at(), out, v));
}

bool encode_SETATTR3resok(xdr::Writer& out, const SETATTR3resok& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_SETATTR3resok(out.at(), out, v));
}

bool encode_SETATTR3resfail(xdr::Writer& out, const SETATTR3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_SETATTR3resfail(out.at(), out, v));
}

bool encode_SETATTR3res(xdr::Writer& out, const SETATTR3res& v) {
    if (!out.ready(120)) [[unlikely]] return false;
    return out.end(put_SETATTR3res(out.at(), out, v));
}

bool encode_LOOKUP3args(xdr::Writer& out, const LOOKUP3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_LOOKUP3args<0>(out.at(), out, v));
}

bool encode_LOOKUP3resok(xdr::Writer& out, const LOOKUP3resok& v) {
    if (!out.ready(244)) [[unlikely]] return false;
    return out.end(put_LOOKUP3resok(out.at(), out, v));
}

bool encode_LOOKUP3resfail(xdr::Writer& out, const LOOKUP3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_LOOKUP3resfail(out.at(), out, v));
}

bool encode_LOOKUP3res(xdr::Writer& out, const LOOKUP3res& v) {
    if (!out.ready(248)) [[unlikely]] return false;
    return out.end(put_LOOKUP3res(out.at(), out, v));
}

bool encode_ACCESS3args(xdr::Writer& out, const ACCESS3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_ACCESS3args(out.at(), out, v));
}

bool encode_ACCESS3resok(xdr::Writer& out, const ACCESS3resok& v) {
    if (!out.ready(92)) [[unlikely]] return false;
    return out.end(put_ACCESS3resok(out.at(), out, v));
}

bool encode_ACCESS3resfail(xdr::Writer& out, const ACCESS3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_ACCESS3resfail(out.at(), out, v));
}

bool encode_ACCESS3res(xdr::Writer& out, const ACCESS3res& v) {
    if (!out.ready(96)) [[unlikely]] return false;
    return out.end(put_ACCESS3res(out.at(), out, v));
}

bool encode_READLINK3args(xdr::Writer& out, const READLINK3args& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_READLINK3args(out.at(), out, v));
}

bool encode_READLINK3resok(xdr::Writer& out, const READLINK3resok& v) {
    if (!out.ready(92)) [[unlikely]] return false;
    return out.end(put_READLINK3resok<0>(out.at(), out, v));
}

bool encode_READLINK3resfail(xdr::Writer& out, const READLINK3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_READLINK3resfail(out.at(), out, v));
}

bool encode_READLINK3res(xdr::Writer& out, const READLINK3res& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_READLINK3res<0>(out.at(), out, v));
}

bool encode_READ3args(xdr::Writer& out, const READ3args& v) {
    if (!out.ready(80)) [[unlikely]] return false;
    return out.end(put_READ3args(out.at(), out, v));
}

bool encode_READ3resok(xdr::Writer& out, const READ3resok& v) {
    if (!out.ready(100)) [[unlikely]] return false;
    return out.end(put_READ3resok<0>(out.at(), out, v));
}

bool encode_READ3resfail(xdr::Writer& out, const READ3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_READ3resfail(out.at(), out, v));
}

bool encode_READ3res(xdr::Writer& out, const READ3res& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_READ3res<0>(out.at(), out, v));
}

bool encode_stable_how(xdr::Writer& out, const stable_how& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_stable_how(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_WRITE3args(xdr::Writer& out, const WRITE3args& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_WRITE3args<0>(out.at(), out, v));
}

bool encode_WRITE3resok(xdr::Writer& out, const WRITE3resok& v) {
    if (!out.ready(132)) [[unlikely]] return false;
    return out.end(put_WRITE3resok(out.at(), out, v));
}

bool encode_WRITE3resfail(xdr::Writer& out, const WRITE3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_WRITE3resfail(out.at(), out, v));
}

bool encode_WRITE3res(xdr::Writer& out, const WRITE3res& v) {
    if (!out.ready(136)) [[unlikely]] return false;
    return out.end(put_WRITE3res(out.at(), out, v));
}

bool encode_createmode3(xdr::Writer& out, const createmode3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return put_createmode3(out.at(), out, v) && out.end(out.at() + 4);
}

bool encode_createhow3(xdr::Writer& out, const createhow3& v) {
    if (!out.ready(64)) [[unlikely]] return false;
    return out.end(put_createhow3(out.at(), out, v));
}

bool encode_CREATE3args(xdr::Writer& out, const CREATE3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_CREATE3args(out.at(), out, v));
}

bool encode_CREATE3resok(xdr::Writer& out, const CREATE3resok& v) {
    if (!out.ready(276)) [[unlikely]] return false;
    return out.end(put_CREATE3resok(out.at(), out, v));
}

bool encode_CREATE3resfail(xdr::Writer& out, const CREATE3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_CREATE3resfail(out.at(), out, v));
}

bool encode_CREATE3res(xdr::Writer& out, const CREATE3res& v) {
    if (!out.ready(280)) [[unlikely]] return false;
    return out.end(put_CREATE3res(out.at(), out, v));
}

bool encode_MKDIR3args(xdr::Writer& out, const MKDIR3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_MKDIR3args(out.at(), out, v));
}

bool encode_MKDIR3resok(xdr::Writer& out, const MKDIR3resok& v) {
    if (!out.ready(276)) [[unlikely]] return false;
    return out.end(put_MKDIR3resok(out.at(), out, v));
}

bool encode_MKDIR3resfail(xdr::Writer& out, const MKDIR3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_MKDIR3resfail(out.at(), out, v));
}

bool encode_MKDIR3res(xdr::Writer& out, const MKDIR3res& v) {
    if (!out.ready(280)) [[unlikely]] return false;
    return out.end(put_MKDIR3res(out.at(), out, v));
}

bool encode_symlinkdata3(xdr::Writer& out, const symlinkdata3& v) {
    if (!out.ready(64)) [[unlikely]] return false;
    return out.end(put_symlinkdata3(out.at(), out, v));
}

bool encode_SYMLINK3args(xdr::Writer& out, const SYMLINK3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_SYMLINK3args(out.at(), out, v));
}

bool encode_SYMLINK3resok(xdr::Writer& out, const SYMLINK3resok& v) {
    if (!out.ready(276)) [[unlikely]] return false;
    return out.end(put_SYMLINK3resok(out.at(), out, v));
}

bool encode_SYMLINK3resfail(xdr::Writer& out, const SYMLINK3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_SYMLINK3resfail(out.at(), out, v));
}

bool encode_SYMLINK3res(xdr::Writer& out, const SYMLINK3res& v) {
    if (!out.ready(280)) [[unlikely]] return false;
    return out.end(put_SYMLINK3res(out.at(), out, v));
}

bool encode_devicedata3(xdr::Writer& out, const devicedata3& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_devicedata3(out.at(), out, v));
}

bool encode_mknoddata3(xdr::Writer& out, const mknoddata3& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_mknoddata3(out.at(), out, v));
}

bool encode_MKNOD3args(xdr::Writer& out, const MKNOD3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_MKNOD3args(out.at(), out, v));
}

bool encode_MKNOD3resok(xdr::Writer& out, const MKNOD3resok& v) {
    if (!out.ready(276)) [[unlikely]] return false;
    return out.end(put_MKNOD3resok(out.at(), out, v));
}

bool encode_MKNOD3resfail(xdr::Writer& out, const MKNOD3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_MKNOD3resfail(out.at(), out, v));
}

bool encode_MKNOD3res(xdr::Writer& out, const MKNOD3res& v) {
    if (!out.ready(280)) [[unlikely]] return false;
    return out.end(put_MKNOD3res(out.at(), out, v));
}

bool encode_REMOVE3args(xdr::Writer& out, const REMOVE3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_REMOVE3args<0>(out.at(), out, v));
}

bool encode_REMOVE3resok(xdr::Writer& out, const REMOVE3resok& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_REMOVE3resok(out.at(), out, v));
}

bool encode_REMOVE3resfail(xdr::Writer& out, const REMOVE3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_REMOVE3resfail(out.at(), out, v));
}

bool encode_REMOVE3res(xdr::Writer& out, const REMOVE3res& v) {
    if (!out.ready(120)) [[unlikely]] return false;
    return out.end(put_REMOVE3res(out.at(), out, v));
}

bool encode_RMDIR3args(xdr::Writer& out, const RMDIR3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_RMDIR3args<0>(out.at(), out, v));
}

bool encode_RMDIR3resok(xdr::Writer& out, const RMDIR3resok& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_RMDIR3resok(out.at(), out, v));
}

bool encode_RMDIR3resfail(xdr::Writer& out, const RMDIR3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_RMDIR3resfail(out.at(), out, v));
}

bool encode_RMDIR3res(xdr::Writer& out, const RMDIR3res& v) {
    if (!out.ready(120)) [[unlikely]] return false;
    return out.end(put_RMDIR3res(out.at(), out, v));
}

bool encode_RENAME3args(xdr::Writer& out, const RENAME3args& v) {
    if (!out.ready(72)) [[unlikely]] return false;
    return out.end(put_RENAME3args<0>(out.at(), out, v));
}

bool encode_RENAME3resok(xdr::Writer& out, const RENAME3resok& v) {
    if (!out.ready(232)) [[unlikely]] return false;
    return out.end(put_RENAME3resok(out.at(), out, v));
}

bool encode_RENAME3resfail(xdr::Writer& out, const RENAME3resfail& v) {
    if (!out.ready(232)) [[unlikely]] return false;
    return out.end(put_RENAME3resfail(out.at(), out, v));
}

bool encode_RENAME3res(xdr::Writer& out, const RENAME3res& v) {
    if (!out.ready(236)) [[unlikely]] return false;
    return out.end(put_RENAME3res(out.at(), out, v));
}

bool encode_LINK3args(xdr::Writer& out, const LINK3args& v) {
    if (!out.ready(140)) [[unlikely]] return false;
    return out.end(put_LINK3args<0>(out.at(), out, v));
}

bool encode_LINK3resok(xdr::Writer& out, const LINK3resok& v) {
    if (!out.ready(204)) [[unlikely]] return false;
    return out.end(put_LINK3resok(out.at(), out, v));
}

bool encode_LINK3resfail(xdr::Writer& out, const LINK3resfail& v) {
    if (!out.ready(204)) [[unlikely]] return false;
    return out.end(put_LINK3resfail(out.at(), out, v));
}

bool encode_LINK3res(xdr::Writer& out, const LINK3res& v) {
    if (!out.ready(208)) [[unlikely]] return false;
    return out.end(put_LINK3res(out.at(), out, v));
}

bool encode_READDIR3args(xdr::Writer& out, const READDIR3args& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_READDIR3args(out.at(), out, v));
}

bool encode_entry3(xdr::Writer& out, const entry3& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_entry3(out.at(), out, v));
}

bool encode_dirlist3(xdr::Writer& out, const dirlist3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_dirlist3<0>(out.at(), out, v));
}

bool encode_READDIR3resok(xdr::Writer& out, const READDIR3resok& v) {
    if (!out.ready(100)) [[unlikely]] return false;
    return out.end(put_READDIR3resok<0>(out.at(), out, v));
}

bool encode_READDIR3resfail(xdr::Writer& out, const READDIR3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_READDIR3resfail(out.at(), out, v));
}

bool encode_READDIR3res(xdr::Writer& out, const READDIR3res& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_READDIR3res<0>(out.at(), out, v));
}

bool encode_READDIRPLUS3args(xdr::Writer& out, const READDIRPLUS3args& v) {
    if (!out.ready(92)) [[unlikely]] return false;
    return out.end(put_READDIRPLUS3args(out.at(), out, v));
}

bool encode_entryplus3(xdr::Writer& out, const entryplus3& v) {
    if (!out.ready(12)) [[unlikely]] return false;
    return out.end(put_entryplus3(out.at(), out, v));
}

bool encode_dirlistplus3(xdr::Writer& out, const dirlistplus3& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_dirlistplus3<0>(out.at(), out, v));
}

bool encode_READDIRPLUS3resok(xdr::Writer& out, const READDIRPLUS3resok& v) {
    if (!out.ready(100)) [[unlikely]] return false;
    return out.end(put_READDIRPLUS3resok<0>(out.at(), out, v));
}

bool encode_READDIRPLUS3resfail(xdr::Writer& out, const READDIRPLUS3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_READDIRPLUS3resfail(out.at(), out, v));
}

bool encode_READDIRPLUS3res(xdr::Writer& out, const READDIRPLUS3res& v) {
    if (!out.ready(4)) [[unlikely]] return false;
    return out.end(put_READDIRPLUS3res<0>(out.at(), out, v));
}

bool encode_FSSTAT3args(xdr::Writer& out, const FSSTAT3args& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_FSSTAT3args(out.at(), out, v));
}

bool encode_FSSTAT3resok(xdr::Writer& out, const FSSTAT3resok& v) {
    if (!out.ready(140)) [[unlikely]] return false;
    return out.end(put_FSSTAT3resok(out.at(), out, v));
}

bool encode_FSSTAT3resfail(xdr::Writer& out, const FSSTAT3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_FSSTAT3resfail(out.at(), out, v));
}

bool encode_FSSTAT3res(xdr::Writer& out, const FSSTAT3res& v) {
    if (!out.ready(144)) [[unlikely]] return false;
    return out.end(put_FSSTAT3res(out.at(), out, v));
}

bool encode_FSINFO3args(xdr::Writer& out, const FSINFO3args& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_FSINFO3args(out.at(), out, v));
}

bool encode_FSINFO3resok(xdr::Writer& out, const FSINFO3resok& v) {
    if (!out.ready(136)) [[unlikely]] return false;
    return out.end(put_FSINFO3resok(out.at(), out, v));
}

bool encode_FSINFO3resfail(xdr::Writer& out, const FSINFO3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_FSINFO3resfail(out.at(), out, v));
}

bool encode_FSINFO3res(xdr::Writer& out, const FSINFO3res& v) {
    if (!out.ready(140)) [[unlikely]] return false;
    return out.end(put_FSINFO3res(out.at(), out, v));
}

bool encode_PATHCONF3args(xdr::Writer& out, const PATHCONF3args& v) {
    if (!out.ready(68)) [[unlikely]] return false;
    return out.end(put_PATHCONF3args(out.at(), out, v));
}

bool encode_PATHCONF3resok(xdr::Writer& out, const PATHCONF3resok& v) {
    if (!out.ready(112)) [[unlikely]] return false;
    return out.end(put_PATHCONF3resok(out.at(), out, v));
}

bool encode_PATHCONF3resfail(xdr::Writer& out, const PATHCONF3resfail& v) {
    if (!out.ready(88)) [[unlikely]] return false;
    return out.end(put_PATHCONF3resfail(out.at(), out, v));
}

bool encode_PATHCONF3res(xdr::Writer& out, const PATHCONF3res& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_PATHCONF3res(out.at(), out, v));
}

bool encode_COMMIT3args(xdr::Writer& out, const COMMIT3args& v) {
    if (!out.ready(80)) [[unlikely]] return false;
    return out.end(put_COMMIT3args(out.at(), out, v));
}

bool encode_COMMIT3resok(xdr::Writer& out, const COMMIT3resok& v) {
    if (!out.ready(124)) [[unlikely]] return false;
    return out.end(put_COMMIT3resok(out.at(), out, v));
}

bool encode_COMMIT3resfail(xdr::Writer& out, const COMMIT3resfail& v) {
    if (!out.ready(116)) [[unlikely]] return false;
    return out.end(put_COMMIT3resfail(out.at(), out, v));
}

bool encode_COMMIT3res(xdr::Writer& out, const COMMIT3res& v) {
    if (!out.ready(128)) [[unlikely]] return false;
    return out.end(put_COMMIT3res(out.at(), out, v));
}

}  // namespace helio::nfs3
