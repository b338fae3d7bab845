// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3_codec.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

const std::byte* get_sattr3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] sattr3& v) {
    p = get_set_mode3<4>(p, in, v.mode);
    if (p == nullptr) return nullptr;
    p = get_set_uid3<4>(p, in, v.uid);
    if (p == nullptr) return nullptr;
    p = get_set_gid3<4>(p, in, v.gid);
    if (p == nullptr) return nullptr;
    p = get_set_size3<4>(p, in, v.size);
    if (p == nullptr) return nullptr;
    p = get_set_atime<4>(p, in, v.atime);
    if (p == nullptr) return nullptr;
    p = get_set_mtime<0>(p, in, v.mtime);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_SETATTR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3args& v) {
    p = get_nfs_fh3<4>(p, in, v.object);
    if (p == nullptr) return nullptr;
    p = in.then<4>(get_sattr3(p, in, v.new_attributes));
    if (p == nullptr) return nullptr;
    p = get_sattrguard3<0>(p, in, v.guard);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_SETATTR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_SETATTR3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_SETATTR3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_LOOKUP3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LOOKUP3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_LOOKUP3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_LOOKUP3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_WRITE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] WRITE3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_WRITE3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_WRITE3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_createhow3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] createhow3& v) {
    createmode3 which;
    if (!get_createmode3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case UNCHECKED:
        case GUARDED:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_obj_attributes(which);
                p = in.then<0>(get_sattr3(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case EXCLUSIVE:
            {
                if (!in.certain(p, 8)) [[unlikely]] return in.truncated(p, 8);
                auto& arm = v.raw_verf(which);
                if (!xdr::get_bytes(p, in, arm, NFS3_CREATEVERFSIZE)) return nullptr;
                return p + 8;
            }
        default: break;
    }
    return in.fail(xdr::Fault::bad_discriminant, p - 4, static_cast<std::uint32_t>(which), 0);
}

const std::byte* get_CREATE3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3args& v) {
    p = get_diropargs3<4>(p, in, v.where);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_createhow3(p, in, v.how));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_CREATE3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3resok& v) {
    p = get_post_op_fh3<4>(p, in, v.obj);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<4>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_CREATE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = in.then<0>(get_CREATE3resok(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_CREATE3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_MKDIR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3args& v) {
    p = get_diropargs3<4>(p, in, v.where);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_sattr3(p, in, v.attributes));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_MKDIR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3resok& v) {
    p = get_post_op_fh3<4>(p, in, v.obj);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<4>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_MKDIR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = in.then<0>(get_MKDIR3resok(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_MKDIR3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_symlinkdata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] symlinkdata3& v) {
    p = in.then<4>(get_sattr3(p, in, v.symlink_attributes));
    if (p == nullptr) return nullptr;
    p = in.bulk<xdr::kUnbounded, 0>(p, v.symlink_data);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_SYMLINK3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3args& v) {
    p = get_diropargs3<4>(p, in, v.where);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_symlinkdata3(p, in, v.symlink));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_SYMLINK3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3resok& v) {
    p = get_post_op_fh3<4>(p, in, v.obj);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<4>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_SYMLINK3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = in.then<0>(get_SYMLINK3resok(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_SYMLINK3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_devicedata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] devicedata3& v) {
    p = in.then<8>(get_sattr3(p, in, v.dev_attributes));
    if (p == nullptr) return nullptr;
    if (!get_specdata3(p, in, v.spec)) return nullptr;
    return p + 8;
}

const std::byte* get_mknoddata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] mknoddata3& v) {
    ftype3 which;
    if (!get_ftype3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NF3CHR:
        case NF3BLK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_device(which);
                p = in.then<0>(get_devicedata3(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        case NF3SOCK:
        case NF3FIFO:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_pipe_attributes(which);
                p = in.then<0>(get_sattr3(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            v.set(which);
            return p;
    }
}

const std::byte* get_MKNOD3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3args& v) {
    p = get_diropargs3<4>(p, in, v.where);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_mknoddata3(p, in, v.what));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_MKNOD3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3resok& v) {
    p = get_post_op_fh3<4>(p, in, v.obj);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<4>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_MKNOD3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = in.then<0>(get_MKNOD3resok(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_MKNOD3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_REMOVE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] REMOVE3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_REMOVE3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_REMOVE3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_RMDIR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RMDIR3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_RMDIR3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_RMDIR3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_RENAME3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3resok& v) {
    p = get_wcc_data<4>(p, in, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.todir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_RENAME3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3resfail& v) {
    p = get_wcc_data<4>(p, in, v.fromdir_wcc);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<0>(p, in, v.todir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_RENAME3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = in.then<0>(get_RENAME3resok(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = in.then<0>(get_RENAME3resfail(p, in, arm));
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_LINK3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LINK3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_LINK3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_LINK3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_list_entry3(const std::byte* p, xdr::Reader& in, const entry3*& v) {
    return xdr::get_list<12, &entry3::nextentry, get_node_entry3<4>>(p, in, v);
}

const std::byte* get_entry3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entry3& v) {
    v.fileid = xdr::load_u64(p);
    p = in.string<xdr::kUnbounded, 12>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    p = in.then<0>(get_list_entry3(p + 8, in, v.nextentry));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_list_entryplus3(const std::byte* p, xdr::Reader& in, const entryplus3*& v) {
    return xdr::get_list<12, &entryplus3::nextentry, get_node_entryplus3<4>>(p, in, v);
}

const std::byte* get_entryplus3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entryplus3& v) {
    v.fileid = xdr::load_u64(p);
    p = in.string<xdr::kUnbounded, 12>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    p = get_post_op_attr<4>(p + 8, in, v.name_attributes);
    if (p == nullptr) return nullptr;
    p = get_post_op_fh3<4>(p, in, v.name_handle);
    if (p == nullptr) return nullptr;
    p = in.then<0>(get_list_entryplus3(p, in, v.nextentry));
    if (p == nullptr) return nullptr;
    return p;
}

const std::byte* get_FSSTAT3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSSTAT3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_FSSTAT3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_FSSTAT3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_FSINFO3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSINFO3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_FSINFO3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_FSINFO3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

const std::byte* get_COMMIT3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] COMMIT3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_COMMIT3resok<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_COMMIT3resfail<0>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

bool decode_uint64(xdr::Reader& in, uint64& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_int64(xdr::Reader& in, int64& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_uint32(xdr::Reader& in, uint32& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_int32(xdr::Reader& in, int32& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_filename3(xdr::Reader& in, filename3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_filename3<0>(in.at(), in, v));
}

bool decode_nfspath3(xdr::Reader& in, nfspath3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_nfspath3<0>(in.at(), in, v));
}

bool decode_fileid3(xdr::Reader& in, fileid3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_cookie3(xdr::Reader& in, cookie3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_cookieverf3(xdr::Reader& in, cookieverf3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_cookieverf3(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_createverf3(xdr::Reader& in, createverf3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_createverf3(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_writeverf3(xdr::Reader& in, writeverf3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_writeverf3(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_uid3(xdr::Reader& in, uid3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_gid3(xdr::Reader& in, gid3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_size3(xdr::Reader& in, size3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_offset3(xdr::Reader& in, offset3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_mode3(xdr::Reader& in, mode3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_count3(xdr::Reader& in, count3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return xdr::get_scalar(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_nfsstat3(xdr::Reader& in, nfsstat3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_nfsstat3(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_ftype3(xdr::Reader& in, ftype3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_ftype3(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_specdata3(xdr::Reader& in, specdata3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_specdata3(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_nfs_fh3(xdr::Reader& in, nfs_fh3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_nfs_fh3<0>(in.at(), in, v));
}

bool decode_nfstime3(xdr::Reader& in, nfstime3& v) {
    if (!in.ready(8)) [[unlikely]] return false;
    return get_nfstime3(in.at(), in, v) && in.end(in.at() + 8);
}

bool decode_fattr3(xdr::Reader& in, fattr3& v) {
    if (!in.ready(84)) [[unlikely]] return false;
    return get_fattr3(in.at(), in, v) && in.end(in.at() + 84);
}

bool decode_post_op_attr(xdr::Reader& in, post_op_attr& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_post_op_attr<0>(in.at(), in, v));
}

bool decode_wcc_attr(xdr::Reader& in, wcc_attr& v) {
    if (!in.ready(24)) [[unlikely]] return false;
    return get_wcc_attr(in.at(), in, v) && in.end(in.at() + 24);
}

bool decode_pre_op_attr(xdr::Reader& in, pre_op_attr& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_pre_op_attr<0>(in.at(), in, v));
}

bool decode_wcc_data(xdr::Reader& in, wcc_data& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_wcc_data<0>(in.at(), in, v));
}

bool decode_post_op_fh3(xdr::Reader& in, post_op_fh3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_post_op_fh3<0>(in.at(), in, v));
}

bool decode_time_how(xdr::Reader& in, time_how& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_time_how(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_set_mode3(xdr::Reader& in, set_mode3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_mode3<0>(in.at(), in, v));
}

bool decode_set_uid3(xdr::Reader& in, set_uid3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_uid3<0>(in.at(), in, v));
}

bool decode_set_gid3(xdr::Reader& in, set_gid3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_gid3<0>(in.at(), in, v));
}

bool decode_set_size3(xdr::Reader& in, set_size3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_size3<0>(in.at(), in, v));
}

bool decode_set_atime(xdr::Reader& in, set_atime& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_atime<0>(in.at(), in, v));
}

bool decode_set_mtime(xdr::Reader& in, set_mtime& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_set_mtime<0>(in.at(), in, v));
}

bool decode_sattr3(xdr::Reader& in, sattr3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_sattr3(in.at(), in, v));
}

bool decode_diropargs3(xdr::Reader& in, diropargs3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_diropargs3<0>(in.at(), in, v));
}

bool decode_GETATTR3args(xdr::Reader& in, GETATTR3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_GETATTR3args<0>(in.at(), in, v));
}

bool decode_GETATTR3resok(xdr::Reader& in, GETATTR3resok& v) {
    if (!in.ready(84)) [[unlikely]] return false;
    return get_GETATTR3resok(in.at(), in, v) && in.end(in.at() + 84);
}

bool decode_GETATTR3res(xdr::Reader& in, GETATTR3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_GETATTR3res<0>(in.at(), in, v));
}

bool decode_sattrguard3(xdr::Reader& in, sattrguard3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_sattrguard3<0>(in.at(), in, v));
}

bool decode_SETATTR3args(xdr::Reader& in, SETATTR3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SETATTR3args(in.at(), in, v));
}

bool decode_SETATTR3resok(xdr::Reader& in, SETATTR3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SETATTR3resok<0>(in.at(), in, v));
}

bool decode_SETATTR3resfail(xdr::Reader& in, SETATTR3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SETATTR3resfail<0>(in.at(), in, v));
}

bool decode_SETATTR3res(xdr::Reader& in, SETATTR3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SETATTR3res(in.at(), in, v));
}

bool decode_LOOKUP3args(xdr::Reader& in, LOOKUP3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LOOKUP3args<0>(in.at(), in, v));
}

bool decode_LOOKUP3resok(xdr::Reader& in, LOOKUP3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LOOKUP3resok<0>(in.at(), in, v));
}

bool decode_LOOKUP3resfail(xdr::Reader& in, LOOKUP3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LOOKUP3resfail<0>(in.at(), in, v));
}

bool decode_LOOKUP3res(xdr::Reader& in, LOOKUP3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LOOKUP3res(in.at(), in, v));
}

bool decode_ACCESS3args(xdr::Reader& in, ACCESS3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_ACCESS3args<0>(in.at(), in, v));
}

bool decode_ACCESS3resok(xdr::Reader& in, ACCESS3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_ACCESS3resok<0>(in.at(), in, v));
}

bool decode_ACCESS3resfail(xdr::Reader& in, ACCESS3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_ACCESS3resfail<0>(in.at(), in, v));
}

bool decode_ACCESS3res(xdr::Reader& in, ACCESS3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_ACCESS3res<0>(in.at(), in, v));
}

bool decode_READLINK3args(xdr::Reader& in, READLINK3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READLINK3args<0>(in.at(), in, v));
}

bool decode_READLINK3resok(xdr::Reader& in, READLINK3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READLINK3resok<0>(in.at(), in, v));
}

bool decode_READLINK3resfail(xdr::Reader& in, READLINK3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READLINK3resfail<0>(in.at(), in, v));
}

bool decode_READLINK3res(xdr::Reader& in, READLINK3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READLINK3res<0>(in.at(), in, v));
}

bool decode_READ3args(xdr::Reader& in, READ3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READ3args<0>(in.at(), in, v));
}

bool decode_READ3resok(xdr::Reader& in, READ3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READ3resok<0>(in.at(), in, v));
}

bool decode_READ3resfail(xdr::Reader& in, READ3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READ3resfail<0>(in.at(), in, v));
}

bool decode_READ3res(xdr::Reader& in, READ3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READ3res<0>(in.at(), in, v));
}

bool decode_stable_how(xdr::Reader& in, stable_how& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_stable_how(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_WRITE3args(xdr::Reader& in, WRITE3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_WRITE3args<0>(in.at(), in, v));
}

bool decode_WRITE3resok(xdr::Reader& in, WRITE3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_WRITE3resok<0>(in.at(), in, v));
}

bool decode_WRITE3resfail(xdr::Reader& in, WRITE3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_WRITE3resfail<0>(in.at(), in, v));
}

bool decode_WRITE3res(xdr::Reader& in, WRITE3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_WRITE3res(in.at(), in, v));
}

bool decode_createmode3(xdr::Reader& in, createmode3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return get_createmode3(in.at(), in, v) && in.end(in.at() + 4);
}

bool decode_createhow3(xdr::Reader& in, createhow3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_createhow3(in.at(), in, v));
}

bool decode_CREATE3args(xdr::Reader& in, CREATE3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_CREATE3args(in.at(), in, v));
}

bool decode_CREATE3resok(xdr::Reader& in, CREATE3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_CREATE3resok(in.at(), in, v));
}

bool decode_CREATE3resfail(xdr::Reader& in, CREATE3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_CREATE3resfail<0>(in.at(), in, v));
}

bool decode_CREATE3res(xdr::Reader& in, CREATE3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_CREATE3res(in.at(), in, v));
}

bool decode_MKDIR3args(xdr::Reader& in, MKDIR3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKDIR3args(in.at(), in, v));
}

bool decode_MKDIR3resok(xdr::Reader& in, MKDIR3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKDIR3resok(in.at(), in, v));
}

bool decode_MKDIR3resfail(xdr::Reader& in, MKDIR3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKDIR3resfail<0>(in.at(), in, v));
}

bool decode_MKDIR3res(xdr::Reader& in, MKDIR3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKDIR3res(in.at(), in, v));
}

bool decode_symlinkdata3(xdr::Reader& in, symlinkdata3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_symlinkdata3(in.at(), in, v));
}

bool decode_SYMLINK3args(xdr::Reader& in, SYMLINK3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SYMLINK3args(in.at(), in, v));
}

bool decode_SYMLINK3resok(xdr::Reader& in, SYMLINK3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SYMLINK3resok(in.at(), in, v));
}

bool decode_SYMLINK3resfail(xdr::Reader& in, SYMLINK3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SYMLINK3resfail<0>(in.at(), in, v));
}

bool decode_SYMLINK3res(xdr::Reader& in, SYMLINK3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_SYMLINK3res(in.at(), in, v));
}

bool decode_devicedata3(xdr::Reader& in, devicedata3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_devicedata3(in.at(), in, v));
}

bool decode_mknoddata3(xdr::Reader& in, mknoddata3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_mknoddata3(in.at(), in, v));
}

bool decode_MKNOD3args(xdr::Reader& in, MKNOD3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKNOD3args(in.at(), in, v));
}

bool decode_MKNOD3resok(xdr::Reader& in, MKNOD3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKNOD3resok(in.at(), in, v));
}

bool decode_MKNOD3resfail(xdr::Reader& in, MKNOD3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKNOD3resfail<0>(in.at(), in, v));
}

bool decode_MKNOD3res(xdr::Reader& in, MKNOD3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_MKNOD3res(in.at(), in, v));
}

bool decode_REMOVE3args(xdr::Reader& in, REMOVE3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_REMOVE3args<0>(in.at(), in, v));
}

bool decode_REMOVE3resok(xdr::Reader& in, REMOVE3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_REMOVE3resok<0>(in.at(), in, v));
}

bool decode_REMOVE3resfail(xdr::Reader& in, REMOVE3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_REMOVE3resfail<0>(in.at(), in, v));
}

bool decode_REMOVE3res(xdr::Reader& in, REMOVE3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_REMOVE3res(in.at(), in, v));
}

bool decode_RMDIR3args(xdr::Reader& in, RMDIR3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RMDIR3args<0>(in.at(), in, v));
}

bool decode_RMDIR3resok(xdr::Reader& in, RMDIR3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RMDIR3resok<0>(in.at(), in, v));
}

bool decode_RMDIR3resfail(xdr::Reader& in, RMDIR3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RMDIR3resfail<0>(in.at(), in, v));
}

bool decode_RMDIR3res(xdr::Reader& in, RMDIR3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RMDIR3res(in.at(), in, v));
}

bool decode_RENAME3args(xdr::Reader& in, RENAME3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RENAME3args<0>(in.at(), in, v));
}

bool decode_RENAME3resok(xdr::Reader& in, RENAME3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RENAME3resok(in.at(), in, v));
}

bool decode_RENAME3resfail(xdr::Reader& in, RENAME3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RENAME3resfail(in.at(), in, v));
}

bool decode_RENAME3res(xdr::Reader& in, RENAME3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_RENAME3res(in.at(), in, v));
}

bool decode_LINK3args(xdr::Reader& in, LINK3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LINK3args<0>(in.at(), in, v));
}

bool decode_LINK3resok(xdr::Reader& in, LINK3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LINK3resok<0>(in.at(), in, v));
}

bool decode_LINK3resfail(xdr::Reader& in, LINK3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LINK3resfail<0>(in.at(), in, v));
}

bool decode_LINK3res(xdr::Reader& in, LINK3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_LINK3res(in.at(), in, v));
}

bool decode_READDIR3args(xdr::Reader& in, READDIR3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIR3args<0>(in.at(), in, v));
}

bool decode_entry3(xdr::Reader& in, entry3& v) {
    if (!in.ready(12)) [[unlikely]] return false;
    return in.end(get_entry3(in.at(), in, v));
}

bool decode_dirlist3(xdr::Reader& in, dirlist3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_dirlist3<0>(in.at(), in, v));
}

bool decode_READDIR3resok(xdr::Reader& in, READDIR3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIR3resok<0>(in.at(), in, v));
}

bool decode_READDIR3resfail(xdr::Reader& in, READDIR3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIR3resfail<0>(in.at(), in, v));
}

bool decode_READDIR3res(xdr::Reader& in, READDIR3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIR3res<0>(in.at(), in, v));
}

bool decode_READDIRPLUS3args(xdr::Reader& in, READDIRPLUS3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIRPLUS3args<0>(in.at(), in, v));
}

bool decode_entryplus3(xdr::Reader& in, entryplus3& v) {
    if (!in.ready(12)) [[unlikely]] return false;
    return in.end(get_entryplus3(in.at(), in, v));
}

bool decode_dirlistplus3(xdr::Reader& in, dirlistplus3& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_dirlistplus3<0>(in.at(), in, v));
}

bool decode_READDIRPLUS3resok(xdr::Reader& in, READDIRPLUS3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIRPLUS3resok<0>(in.at(), in, v));
}

bool decode_READDIRPLUS3resfail(xdr::Reader& in, READDIRPLUS3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIRPLUS3resfail<0>(in.at(), in, v));
}

bool decode_READDIRPLUS3res(xdr::Reader& in, READDIRPLUS3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_READDIRPLUS3res<0>(in.at(), in, v));
}

bool decode_FSSTAT3args(xdr::Reader& in, FSSTAT3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSSTAT3args<0>(in.at(), in, v));
}

bool decode_FSSTAT3resok(xdr::Reader& in, FSSTAT3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSSTAT3resok<0>(in.at(), in, v));
}

bool decode_FSSTAT3resfail(xdr::Reader& in, FSSTAT3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSSTAT3resfail<0>(in.at(), in, v));
}

bool decode_FSSTAT3res(xdr::Reader& in, FSSTAT3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSSTAT3res(in.at(), in, v));
}

bool decode_FSINFO3args(xdr::Reader& in, FSINFO3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSINFO3args<0>(in.at(), in, v));
}

bool decode_FSINFO3resok(xdr::Reader& in, FSINFO3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSINFO3resok<0>(in.at(), in, v));
}

bool decode_FSINFO3resfail(xdr::Reader& in, FSINFO3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSINFO3resfail<0>(in.at(), in, v));
}

bool decode_FSINFO3res(xdr::Reader& in, FSINFO3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_FSINFO3res(in.at(), in, v));
}

bool decode_PATHCONF3args(xdr::Reader& in, PATHCONF3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_PATHCONF3args<0>(in.at(), in, v));
}

bool decode_PATHCONF3resok(xdr::Reader& in, PATHCONF3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_PATHCONF3resok<0>(in.at(), in, v));
}

bool decode_PATHCONF3resfail(xdr::Reader& in, PATHCONF3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_PATHCONF3resfail<0>(in.at(), in, v));
}

bool decode_PATHCONF3res(xdr::Reader& in, PATHCONF3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_PATHCONF3res<0>(in.at(), in, v));
}

bool decode_COMMIT3args(xdr::Reader& in, COMMIT3args& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_COMMIT3args<0>(in.at(), in, v));
}

bool decode_COMMIT3resok(xdr::Reader& in, COMMIT3resok& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_COMMIT3resok<0>(in.at(), in, v));
}

bool decode_COMMIT3resfail(xdr::Reader& in, COMMIT3resfail& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_COMMIT3resfail<0>(in.at(), in, v));
}

bool decode_COMMIT3res(xdr::Reader& in, COMMIT3res& v) {
    if (!in.ready(4)) [[unlikely]] return false;
    return in.end(get_COMMIT3res(in.at(), in, v));
}

}  // namespace helio::nfs3
