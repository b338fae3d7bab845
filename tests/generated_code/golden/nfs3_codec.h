// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#pragma once

#include "helio/xdr/codec.h"
#include "schema/nfs3.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

const std::byte* get_sattr3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] sattr3& v);
std::byte* put_sattr3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const sattr3& v);
const std::byte* get_SETATTR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3args& v);
std::byte* put_SETATTR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3args& v);
const std::byte* get_SETATTR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3res& v);
std::byte* put_SETATTR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3res& v);
const std::byte* get_LOOKUP3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LOOKUP3res& v);
std::byte* put_LOOKUP3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LOOKUP3res& v);
const std::byte* get_WRITE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] WRITE3res& v);
std::byte* put_WRITE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const WRITE3res& v);
const std::byte* get_createhow3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] createhow3& v);
std::byte* put_createhow3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const createhow3& v);
const std::byte* get_CREATE3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3args& v);
std::byte* put_CREATE3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3args& v);
const std::byte* get_CREATE3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3resok& v);
std::byte* put_CREATE3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3resok& v);
const std::byte* get_CREATE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3res& v);
std::byte* put_CREATE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3res& v);
const std::byte* get_MKDIR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3args& v);
std::byte* put_MKDIR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3args& v);
const std::byte* get_MKDIR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3resok& v);
std::byte* put_MKDIR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3resok& v);
const std::byte* get_MKDIR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3res& v);
std::byte* put_MKDIR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3res& v);
const std::byte* get_symlinkdata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] symlinkdata3& v);
std::byte* put_symlinkdata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const symlinkdata3& v);
const std::byte* get_SYMLINK3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3args& v);
std::byte* put_SYMLINK3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3args& v);
const std::byte* get_SYMLINK3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3resok& v);
std::byte* put_SYMLINK3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3resok& v);
const std::byte* get_SYMLINK3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3res& v);
std::byte* put_SYMLINK3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3res& v);
const std::byte* get_devicedata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] devicedata3& v);
std::byte* put_devicedata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const devicedata3& v);
const std::byte* get_mknoddata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] mknoddata3& v);
std::byte* put_mknoddata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const mknoddata3& v);
const std::byte* get_MKNOD3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3args& v);
std::byte* put_MKNOD3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3args& v);
const std::byte* get_MKNOD3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3resok& v);
std::byte* put_MKNOD3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3resok& v);
const std::byte* get_MKNOD3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3res& v);
std::byte* put_MKNOD3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3res& v);
const std::byte* get_REMOVE3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] REMOVE3res& v);
std::byte* put_REMOVE3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const REMOVE3res& v);
const std::byte* get_RMDIR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RMDIR3res& v);
std::byte* put_RMDIR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RMDIR3res& v);
const std::byte* get_RENAME3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3resok& v);
std::byte* put_RENAME3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resok& v);
const std::byte* get_RENAME3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3resfail& v);
std::byte* put_RENAME3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3resfail& v);
const std::byte* get_RENAME3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3res& v);
std::byte* put_RENAME3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3res& v);
const std::byte* get_LINK3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LINK3res& v);
std::byte* put_LINK3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LINK3res& v);
const std::byte* get_entry3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entry3& v);
const std::byte* get_list_entry3(const std::byte* p, xdr::Reader& in, const entry3*& v);
std::byte* put_entry3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entry3& v);
std::byte* put_list_entry3(std::byte* p, xdr::Writer& out, const entry3* v);
const std::byte* get_entryplus3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entryplus3& v);
const std::byte* get_list_entryplus3(const std::byte* p, xdr::Reader& in, const entryplus3*& v);
std::byte* put_entryplus3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entryplus3& v);
std::byte* put_list_entryplus3(std::byte* p, xdr::Writer& out, const entryplus3* v);
const std::byte* get_FSSTAT3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSSTAT3res& v);
std::byte* put_FSSTAT3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSSTAT3res& v);
const std::byte* get_FSINFO3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSINFO3res& v);
std::byte* put_FSINFO3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSINFO3res& v);
const std::byte* get_COMMIT3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] COMMIT3res& v);
std::byte* put_COMMIT3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const COMMIT3res& v);

template <std::size_t Tail>
XDR_INLINE const std::byte* get_filename3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] filename3& v) {
    p = in.string<xdr::kUnbounded, Tail>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_filename3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const filename3& v) {
    p = out.string<xdr::kUnbounded, Tail>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_nfspath3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] nfspath3& v) {
    p = in.string<xdr::kUnbounded, Tail>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_nfspath3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const nfspath3& v) {
    p = out.string<xdr::kUnbounded, Tail>(p, v);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool get_cookieverf3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] cookieverf3& v) {
    if (!xdr::get_bytes(p, in, v, NFS3_COOKIEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool put_cookieverf3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const cookieverf3& v) {
    if (!xdr::put_bytes(p, out, v, NFS3_COOKIEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool get_createverf3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] createverf3& v) {
    if (!xdr::get_bytes(p, in, v, NFS3_CREATEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool put_createverf3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const createverf3& v) {
    if (!xdr::put_bytes(p, out, v, NFS3_CREATEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool get_writeverf3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] writeverf3& v) {
    if (!xdr::get_bytes(p, in, v, NFS3_WRITEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool put_writeverf3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const writeverf3& v) {
    if (!xdr::put_bytes(p, out, v, NFS3_WRITEVERFSIZE)) return false;
    return true;
}

XDR_INLINE bool get_nfsstat3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] nfsstat3& v) {
    v = static_cast<nfsstat3>(xdr::load_i32(p));
    return true;
}

XDR_INLINE bool put_nfsstat3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const nfsstat3& v) {
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool is_ftype3(ftype3 v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits - static_cast<std::uint32_t>(1) <= 6u;
}

XDR_INLINE bool get_ftype3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] ftype3& v) {
    v = static_cast<ftype3>(xdr::load_i32(p));
    if (!is_ftype3(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_ftype3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const ftype3& v) {
    if (!is_ftype3(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

XDR_INLINE bool get_specdata3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] specdata3& v) {
    xdr::get_pair(p, v, v.specdata1);  // and specdata2
    return true;
}

XDR_INLINE bool put_specdata3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const specdata3& v) {
    xdr::put_pair(p, v, v.specdata1);  // and specdata2
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_nfs_fh3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] nfs_fh3& v) {
    p = in.opaque<NFS3_FHSIZE, Tail>(p, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_nfs_fh3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const nfs_fh3& v) {
    p = out.opaque<NFS3_FHSIZE, xdr::kReserved>(p, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool get_nfstime3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] nfstime3& v) {
    xdr::get_pair(p, v, v.seconds);  // and nseconds
    return true;
}

XDR_INLINE bool put_nfstime3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const nfstime3& v) {
    xdr::put_pair(p, v, v.seconds);  // and nseconds
    return true;
}

XDR_INLINE bool get_fattr3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] fattr3& v) {
    if (!get_ftype3(p, in, v.type)) return false;
    xdr::get_pair(p + 4, v, v.mode);  // and nlink
    xdr::get_pair(p + 12, v, v.uid);  // and gid
    v.size = xdr::load_u64(p + 20);
    v.used = xdr::load_u64(p + 28);
    if (!get_specdata3(p + 36, in, v.rdev)) return false;
    v.fsid = xdr::load_u64(p + 44);
    v.fileid = xdr::load_u64(p + 52);
    if (!get_nfstime3(p + 60, in, v.atime)) return false;
    if (!get_nfstime3(p + 68, in, v.mtime)) return false;
    if (!get_nfstime3(p + 76, in, v.ctime)) return false;
    return true;
}

XDR_INLINE bool put_fattr3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const fattr3& v) {
    if (!put_ftype3(p, out, v.type)) return false;
    xdr::put_pair(p + 4, v, v.mode);  // and nlink
    xdr::put_pair(p + 12, v, v.uid);  // and gid
    xdr::store_u64(p + 20, v.size);
    xdr::store_u64(p + 28, v.used);
    if (!put_specdata3(p + 36, out, v.rdev)) return false;
    xdr::store_u64(p + 44, v.fsid);
    xdr::store_u64(p + 52, v.fileid);
    if (!put_nfstime3(p + 60, out, v.atime)) return false;
    if (!put_nfstime3(p + 68, out, v.mtime)) return false;
    if (!put_nfstime3(p + 76, out, v.ctime)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_post_op_attr(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] post_op_attr& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 84 + Tail)) [[unlikely]] return in.truncated(p, 84 + Tail);
    auto& arm = xdr::make_present(v);
    if (!get_fattr3(p, in, arm)) return nullptr;
    return p + 84;
}

XDR_INLINE std::byte* put_post_op_attr(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const post_op_attr& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    if (!put_fattr3(p, out, arm)) return nullptr;
    return p + 84;
}

XDR_INLINE bool get_wcc_attr(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] wcc_attr& v) {
    v.size = xdr::load_u64(p);
    if (!get_nfstime3(p + 8, in, v.mtime)) return false;
    if (!get_nfstime3(p + 16, in, v.ctime)) return false;
    return true;
}

XDR_INLINE bool put_wcc_attr(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const wcc_attr& v) {
    xdr::store_u64(p, v.size);
    if (!put_nfstime3(p + 8, out, v.mtime)) return false;
    if (!put_nfstime3(p + 16, out, v.ctime)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_pre_op_attr(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] pre_op_attr& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 24 + Tail)) [[unlikely]] return in.truncated(p, 24 + Tail);
    auto& arm = xdr::make_present(v);
    if (!get_wcc_attr(p, in, arm)) return nullptr;
    return p + 24;
}

XDR_INLINE std::byte* put_pre_op_attr(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const pre_op_attr& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    if (!put_wcc_attr(p, out, arm)) return nullptr;
    return p + 24;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_wcc_data(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] wcc_data& v) {
    p = get_pre_op_attr<4>(p, in, v.before);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<Tail>(p, in, v.after);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_wcc_data(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const wcc_data& v) {
    p = put_pre_op_attr(p, out, v.before);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.after);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_post_op_fh3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] post_op_fh3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
    auto& arm = xdr::make_present(v);
    p = get_nfs_fh3<Tail>(p, in, arm);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_post_op_fh3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const post_op_fh3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    p = put_nfs_fh3(p, out, arm);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool is_time_how(time_how v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits <= 2u;
}

XDR_INLINE bool get_time_how(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] time_how& v) {
    v = static_cast<time_how>(xdr::load_i32(p));
    if (!is_time_how(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_time_how(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const time_how& v) {
    if (!is_time_how(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_mode3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_mode3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
    auto& arm = xdr::make_present(v);
    arm = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_set_mode3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_mode3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    xdr::store_u32(p, arm);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_uid3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_uid3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
    auto& arm = xdr::make_present(v);
    arm = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_set_uid3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_uid3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    xdr::store_u32(p, arm);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_gid3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_gid3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 4 + Tail)) [[unlikely]] return in.truncated(p, 4 + Tail);
    auto& arm = xdr::make_present(v);
    arm = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_set_gid3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_gid3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    xdr::store_u32(p, arm);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_size3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_size3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 8 + Tail)) [[unlikely]] return in.truncated(p, 8 + Tail);
    auto& arm = xdr::make_present(v);
    arm = xdr::load_u64(p);
    return p + 8;
}

XDR_INLINE std::byte* put_set_size3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_size3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    xdr::store_u64(p, arm);
    return p + 8;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_atime(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_atime& v) {
    time_how which;
    if (!get_time_how(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case SET_TO_CLIENT_TIME:
            {
                if (!in.certain(p, 8 + Tail)) [[unlikely]] return in.truncated(p, 8 + Tail);
                auto& arm = v.raw_atime(which);
                if (!get_nfstime3(p, in, arm)) return nullptr;
                return p + 8;
            }
        default:
            v.set(which);
            return in.template then<Tail>(p);
    }
}

XDR_INLINE std::byte* put_set_atime(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_atime& v) {
    const auto which = v.set_it();
    if (!put_time_how(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case SET_TO_CLIENT_TIME:
            {
                const auto& arm = v.raw_atime();
                if (!put_nfstime3(p, out, arm)) return nullptr;
                return p + 8;
            }
        default:
            return out.template then<xdr::kReserved>(p);
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_set_mtime(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] set_mtime& v) {
    time_how which;
    if (!get_time_how(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case SET_TO_CLIENT_TIME:
            {
                if (!in.certain(p, 8 + Tail)) [[unlikely]] return in.truncated(p, 8 + Tail);
                auto& arm = v.raw_mtime(which);
                if (!get_nfstime3(p, in, arm)) return nullptr;
                return p + 8;
            }
        default:
            v.set(which);
            return in.template then<Tail>(p);
    }
}

XDR_INLINE std::byte* put_set_mtime(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const set_mtime& v) {
    const auto which = v.set_it();
    if (!put_time_how(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case SET_TO_CLIENT_TIME:
            {
                const auto& arm = v.raw_mtime();
                if (!put_nfstime3(p, out, arm)) return nullptr;
                return p + 8;
            }
        default:
            return out.template then<xdr::kReserved>(p);
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_diropargs3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] diropargs3& v) {
    p = get_nfs_fh3<4>(p, in, v.dir);
    if (p == nullptr) return nullptr;
    p = in.string<xdr::kUnbounded, Tail>(p, v.name);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_diropargs3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const diropargs3& v) {
    p = put_nfs_fh3(p, out, v.dir);
    if (p == nullptr) return nullptr;
    p = out.string<xdr::kUnbounded, Tail>(p, v.name);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_GETATTR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] GETATTR3args& v) {
    p = get_nfs_fh3<Tail>(p, in, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_GETATTR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const GETATTR3args& v) {
    p = put_nfs_fh3(p, out, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool get_GETATTR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] GETATTR3resok& v) {
    if (!get_fattr3(p, in, v.obj_attributes)) return false;
    return true;
}

XDR_INLINE bool put_GETATTR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const GETATTR3resok& v) {
    if (!put_fattr3(p, out, v.obj_attributes)) return false;
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_GETATTR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] GETATTR3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 84 + Tail)) [[unlikely]] return in.truncated(p, 84 + Tail);
                auto& arm = v.raw_resok(which);
                if (!get_GETATTR3resok(p, in, arm)) return nullptr;
                return p + 84;
            }
        default:
            v.set(which);
            return in.template then<Tail>(p);
    }
}

XDR_INLINE std::byte* put_GETATTR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const GETATTR3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                const auto& arm = v.raw_resok();
                if (!put_GETATTR3resok(p, out, arm)) return nullptr;
                return p + 84;
            }
        default:
            return out.template then<xdr::kReserved>(p);
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_sattrguard3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] sattrguard3& v) {
    bool present;
    if (!xdr::get_bool(p, in, present)) return nullptr;
    if (!present) {
        xdr::make_absent(v);
        return in.template then<Tail>(p + 4);
    }
    p += 4;
    if (!in.certain(p, 8 + Tail)) [[unlikely]] return in.truncated(p, 8 + Tail);
    auto& arm = xdr::make_present(v);
    if (!get_nfstime3(p, in, arm)) return nullptr;
    return p + 8;
}

XDR_INLINE std::byte* put_sattrguard3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const sattrguard3& v) {
    xdr::store_u32(p, v.has_value());
    if (!v) {
        return out.template then<xdr::kReserved>(p + 4);
    }
    p += 4;
    auto& arm = *v;
    if (!put_nfstime3(p, out, arm)) return nullptr;
    return p + 8;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_SETATTR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3resok& v) {
    p = get_wcc_data<Tail>(p, in, v.obj_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_SETATTR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3resok& v) {
    p = put_wcc_data(p, out, v.obj_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_SETATTR3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SETATTR3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.obj_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_SETATTR3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SETATTR3resfail& v) {
    p = put_wcc_data(p, out, v.obj_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LOOKUP3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LOOKUP3args& v) {
    p = get_diropargs3<Tail>(p, in, v.what);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_LOOKUP3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LOOKUP3args& v) {
    p = put_diropargs3<Tail>(p, out, v.what);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LOOKUP3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LOOKUP3resok& v) {
    p = get_nfs_fh3<4>(p, in, v.object);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<4>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = get_post_op_attr<Tail>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_LOOKUP3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LOOKUP3resok& v) {
    p = put_nfs_fh3(p, out, v.object);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LOOKUP3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LOOKUP3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_LOOKUP3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LOOKUP3resfail& v) {
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_ACCESS3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] ACCESS3args& v) {
    p = get_nfs_fh3<4 + Tail>(p, in, v.object);
    if (p == nullptr) return nullptr;
    v.access = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_ACCESS3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const ACCESS3args& v) {
    p = put_nfs_fh3(p, out, v.object);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.access);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_ACCESS3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] ACCESS3resok& v) {
    p = get_post_op_attr<4 + Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    v.access = xdr::load_u32(p);
    return p + 4;
}

XDR_INLINE std::byte* put_ACCESS3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const ACCESS3resok& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.access);
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_ACCESS3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] ACCESS3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_ACCESS3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const ACCESS3resfail& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_ACCESS3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] ACCESS3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_ACCESS3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_ACCESS3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

XDR_INLINE std::byte* put_ACCESS3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const ACCESS3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                const auto& arm = v.raw_resok();
                p = put_ACCESS3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_ACCESS3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READLINK3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READLINK3args& v) {
    p = get_nfs_fh3<Tail>(p, in, v.symlink);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_READLINK3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READLINK3args& v) {
    p = put_nfs_fh3(p, out, v.symlink);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READLINK3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READLINK3resok& v) {
    p = get_post_op_attr<4>(p, in, v.symlink_attributes);
    if (p == nullptr) return nullptr;
    p = in.bulk<xdr::kUnbounded, Tail>(p, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READLINK3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READLINK3resok& v) {
    p = put_post_op_attr(p, out, v.symlink_attributes);
    if (p == nullptr) return nullptr;
    p = out.bulk<xdr::kUnbounded, Tail>(p, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READLINK3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READLINK3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.symlink_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_READLINK3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READLINK3resfail& v) {
    p = put_post_op_attr(p, out, v.symlink_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READLINK3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READLINK3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_READLINK3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_READLINK3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READLINK3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READLINK3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 92);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resok();
                p = put_READLINK3resok<Tail>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 88 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resfail();
                p = put_READLINK3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READ3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READ3args& v) {
    p = get_nfs_fh3<12 + Tail>(p, in, v.file);
    if (p == nullptr) return nullptr;
    v.offset = xdr::load_u64(p);
    v.count = xdr::load_u32(p + 8);
    return p + 12;
}

XDR_INLINE std::byte* put_READ3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READ3args& v) {
    p = put_nfs_fh3(p, out, v.file);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.offset);
    xdr::store_u32(p + 8, v.count);
    return p + 12;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READ3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READ3resok& v) {
    p = get_post_op_attr<12>(p, in, v.file_attributes);
    if (p == nullptr) return nullptr;
    v.count = xdr::load_u32(p);
    if (!xdr::get_scalar(p + 4, in, v.eof)) return nullptr;
    p = in.bulk<xdr::kUnbounded, Tail>(p + 8, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READ3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READ3resok& v) {
    p = put_post_op_attr(p, out, v.file_attributes);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.count);
    if (!xdr::put_scalar(p + 4, out, v.eof)) return nullptr;
    p = out.bulk<xdr::kUnbounded, Tail>(p + 8, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READ3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READ3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.file_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_READ3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READ3resfail& v) {
    p = put_post_op_attr(p, out, v.file_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READ3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READ3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_READ3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_READ3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READ3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READ3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 100);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resok();
                p = put_READ3resok<Tail>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 88 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resfail();
                p = put_READ3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

XDR_INLINE bool is_stable_how(stable_how v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits <= 2u;
}

XDR_INLINE bool get_stable_how(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] stable_how& v) {
    v = static_cast<stable_how>(xdr::load_i32(p));
    if (!is_stable_how(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_stable_how(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const stable_how& v) {
    if (!is_stable_how(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_WRITE3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] WRITE3args& v) {
    p = get_nfs_fh3<20>(p, in, v.file);
    if (p == nullptr) return nullptr;
    v.offset = xdr::load_u64(p);
    v.count = xdr::load_u32(p + 8);
    if (!get_stable_how(p + 12, in, v.stable)) return nullptr;
    p = in.bulk<xdr::kUnbounded, Tail>(p + 16, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_WRITE3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const WRITE3args& v) {
    p = put_nfs_fh3(p, out, v.file);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.offset);
    xdr::store_u32(p + 8, v.count);
    if (!put_stable_how(p + 12, out, v.stable)) return nullptr;
    p = out.bulk<xdr::kUnbounded, Tail>(p + 16, v.data);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_WRITE3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] WRITE3resok& v) {
    p = get_wcc_data<16 + Tail>(p, in, v.file_wcc);
    if (p == nullptr) return nullptr;
    v.count = xdr::load_u32(p);
    if (!get_stable_how(p + 4, in, v.committed)) return nullptr;
    if (!xdr::get_bytes(p + 8, in, v.verf, NFS3_WRITEVERFSIZE)) return nullptr;
    return p + 16;
}

XDR_INLINE std::byte* put_WRITE3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const WRITE3resok& v) {
    p = put_wcc_data(p, out, v.file_wcc);
    if (p == nullptr) return nullptr;
    xdr::store_u32(p, v.count);
    if (!put_stable_how(p + 4, out, v.committed)) return nullptr;
    if (!xdr::put_bytes(p + 8, out, v.verf, NFS3_WRITEVERFSIZE)) return nullptr;
    return p + 16;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_WRITE3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] WRITE3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.file_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_WRITE3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const WRITE3resfail& v) {
    p = put_wcc_data(p, out, v.file_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE bool is_createmode3(createmode3 v) {
    const auto bits = static_cast<std::uint32_t>(v);
    return bits <= 2u;
}

XDR_INLINE bool get_createmode3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] createmode3& v) {
    v = static_cast<createmode3>(xdr::load_i32(p));
    if (!is_createmode3(v)) [[unlikely]] {
        in.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    return true;
}

XDR_INLINE bool put_createmode3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const createmode3& v) {
    if (!is_createmode3(v)) [[unlikely]] {
        out.fail(xdr::Fault::bad_enum, p, static_cast<std::uint32_t>(v), 0);
        return false;
    }
    xdr::store_i32(p, v);
    return true;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_CREATE3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] CREATE3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_CREATE3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const CREATE3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_MKDIR3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKDIR3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_MKDIR3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKDIR3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_SYMLINK3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] SYMLINK3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_SYMLINK3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const SYMLINK3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_MKNOD3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] MKNOD3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_MKNOD3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const MKNOD3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_REMOVE3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] REMOVE3args& v) {
    p = get_diropargs3<Tail>(p, in, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_REMOVE3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const REMOVE3args& v) {
    p = put_diropargs3<Tail>(p, out, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_REMOVE3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] REMOVE3resok& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_REMOVE3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const REMOVE3resok& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_REMOVE3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] REMOVE3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_REMOVE3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const REMOVE3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_RMDIR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RMDIR3args& v) {
    p = get_diropargs3<Tail>(p, in, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_RMDIR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RMDIR3args& v) {
    p = put_diropargs3<Tail>(p, out, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_RMDIR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RMDIR3resok& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_RMDIR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RMDIR3resok& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_RMDIR3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RMDIR3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_RMDIR3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RMDIR3resfail& v) {
    p = put_wcc_data(p, out, v.dir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_RENAME3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] RENAME3args& v) {
    p = get_diropargs3<4>(p, in, v.from);
    if (p == nullptr) return nullptr;
    p = get_diropargs3<Tail>(p, in, v.to);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_RENAME3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const RENAME3args& v) {
    p = put_diropargs3<72>(p, out, v.from);
    if (p == nullptr) return nullptr;
    p = put_diropargs3<Tail>(p, out, v.to);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LINK3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LINK3args& v) {
    p = get_nfs_fh3<4>(p, in, v.file);
    if (p == nullptr) return nullptr;
    p = get_diropargs3<Tail>(p, in, v.link);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_LINK3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LINK3args& v) {
    p = put_nfs_fh3(p, out, v.file);
    if (p == nullptr) return nullptr;
    p = put_diropargs3<Tail>(p, out, v.link);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LINK3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LINK3resok& v) {
    p = get_post_op_attr<4>(p, in, v.file_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<Tail>(p, in, v.linkdir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_LINK3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LINK3resok& v) {
    p = put_post_op_attr(p, out, v.file_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.linkdir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_LINK3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] LINK3resfail& v) {
    p = get_post_op_attr<4>(p, in, v.file_attributes);
    if (p == nullptr) return nullptr;
    p = get_wcc_data<Tail>(p, in, v.linkdir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_LINK3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const LINK3resfail& v) {
    p = put_post_op_attr(p, out, v.file_attributes);
    if (p == nullptr) return nullptr;
    p = put_wcc_data(p, out, v.linkdir_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIR3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIR3args& v) {
    p = get_nfs_fh3<20 + Tail>(p, in, v.dir);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    if (!xdr::get_bytes(p + 8, in, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    v.count = xdr::load_u32(p + 16);
    return p + 20;
}

XDR_INLINE std::byte* put_READDIR3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIR3args& v) {
    p = put_nfs_fh3(p, out, v.dir);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    if (!xdr::put_bytes(p + 8, out, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    xdr::store_u32(p + 16, v.count);
    return p + 20;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_entry3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entry3& v) {
    v.fileid = xdr::load_u64(p);
    p = in.string<xdr::kUnbounded, 8 + Tail>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    return p + 8;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_entry3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entry3& v) {
    xdr::store_u64(p, v.fileid);
    p = out.string<xdr::kUnbounded, 8 + Tail>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    return p + 8;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_dirlist3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] dirlist3& v) {
    p = in.then<4 + Tail>(get_list_entry3(p, in, v.entries));
    if (p == nullptr) return nullptr;
    if (!xdr::get_scalar(p, in, v.eof)) return nullptr;
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_dirlist3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const dirlist3& v) {
    p = out.then<4 + Tail>(put_list_entry3(p, out, v.entries));
    if (p == nullptr) return nullptr;
    if (!xdr::put_scalar(p, out, v.eof)) return nullptr;
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIR3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIR3resok& v) {
    p = get_post_op_attr<12>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    if (!xdr::get_bytes(p, in, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    p = get_dirlist3<Tail>(p + 8, in, v.reply);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READDIR3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIR3resok& v) {
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    if (!xdr::put_bytes(p, out, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    p = put_dirlist3<Tail>(p + 8, out, v.reply);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIR3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIR3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_READDIR3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIR3resfail& v) {
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIR3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIR3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_READDIR3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_READDIR3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READDIR3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIR3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 100);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resok();
                p = put_READDIR3resok<Tail>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 88 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resfail();
                p = put_READDIR3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIRPLUS3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIRPLUS3args& v) {
    p = get_nfs_fh3<24 + Tail>(p, in, v.dir);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    if (!xdr::get_bytes(p + 8, in, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    xdr::get_pair(p + 16, v, v.dircount);  // and maxcount
    return p + 24;
}

XDR_INLINE std::byte* put_READDIRPLUS3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIRPLUS3args& v) {
    p = put_nfs_fh3(p, out, v.dir);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    if (!xdr::put_bytes(p + 8, out, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    xdr::put_pair(p + 16, v, v.dircount);  // and maxcount
    return p + 24;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_node_entryplus3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] entryplus3& v) {
    v.fileid = xdr::load_u64(p);
    p = in.string<xdr::kUnbounded, 12>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    v.cookie = xdr::load_u64(p);
    p = get_post_op_attr<4>(p + 8, in, v.name_attributes);
    if (p == nullptr) return nullptr;
    p = get_post_op_fh3<Tail>(p, in, v.name_handle);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_node_entryplus3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const entryplus3& v) {
    xdr::store_u64(p, v.fileid);
    p = out.string<xdr::kUnbounded, 168 + Tail>(p + 8, v.name);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.cookie);
    p = put_post_op_attr(p + 8, out, v.name_attributes);
    if (p == nullptr) return nullptr;
    p = put_post_op_fh3(p, out, v.name_handle);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_dirlistplus3(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] dirlistplus3& v) {
    p = in.then<4 + Tail>(get_list_entryplus3(p, in, v.entries));
    if (p == nullptr) return nullptr;
    if (!xdr::get_scalar(p, in, v.eof)) return nullptr;
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_dirlistplus3(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const dirlistplus3& v) {
    p = out.then<4 + Tail>(put_list_entryplus3(p, out, v.entries));
    if (p == nullptr) return nullptr;
    if (!xdr::put_scalar(p, out, v.eof)) return nullptr;
    return p + 4;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIRPLUS3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIRPLUS3resok& v) {
    p = get_post_op_attr<12>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    if (!xdr::get_bytes(p, in, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    p = get_dirlistplus3<Tail>(p + 8, in, v.reply);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READDIRPLUS3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIRPLUS3resok& v) {
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    if (!xdr::put_bytes(p, out, v.cookieverf, NFS3_COOKIEVERFSIZE)) return nullptr;
    p = put_dirlistplus3<Tail>(p + 8, out, v.reply);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIRPLUS3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIRPLUS3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_READDIRPLUS3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIRPLUS3resfail& v) {
    p = put_post_op_attr(p, out, v.dir_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_READDIRPLUS3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] READDIRPLUS3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_READDIRPLUS3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_READDIRPLUS3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE std::byte* put_READDIRPLUS3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const READDIRPLUS3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                p = out.certain(p, 100);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resok();
                p = put_READDIRPLUS3resok<Tail>(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                p = out.certain(p, 88 + Tail);
                if (p == nullptr) return nullptr;
                const auto& arm = v.raw_resfail();
                p = put_READDIRPLUS3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSSTAT3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSSTAT3args& v) {
    p = get_nfs_fh3<Tail>(p, in, v.fsroot);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_FSSTAT3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSSTAT3args& v) {
    p = put_nfs_fh3(p, out, v.fsroot);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSSTAT3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSSTAT3resok& v) {
    p = get_post_op_attr<52 + Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    v.tbytes = xdr::load_u64(p);
    v.fbytes = xdr::load_u64(p + 8);
    v.abytes = xdr::load_u64(p + 16);
    v.tfiles = xdr::load_u64(p + 24);
    v.ffiles = xdr::load_u64(p + 32);
    v.afiles = xdr::load_u64(p + 40);
    v.invarsec = xdr::load_u32(p + 48);
    return p + 52;
}

XDR_INLINE std::byte* put_FSSTAT3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSSTAT3resok& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.tbytes);
    xdr::store_u64(p + 8, v.fbytes);
    xdr::store_u64(p + 16, v.abytes);
    xdr::store_u64(p + 24, v.tfiles);
    xdr::store_u64(p + 32, v.ffiles);
    xdr::store_u64(p + 40, v.afiles);
    xdr::store_u32(p + 48, v.invarsec);
    return p + 52;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSSTAT3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSSTAT3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_FSSTAT3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSSTAT3resfail& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSINFO3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSINFO3args& v) {
    p = get_nfs_fh3<Tail>(p, in, v.fsroot);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_FSINFO3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSINFO3args& v) {
    p = put_nfs_fh3(p, out, v.fsroot);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSINFO3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSINFO3resok& v) {
    p = get_post_op_attr<48 + Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::get_pair(p, v, v.rtmax);  // and rtpref
    xdr::get_pair(p + 8, v, v.rtmult);  // and wtmax
    xdr::get_pair(p + 16, v, v.wtpref);  // and wtmult
    v.dtpref = xdr::load_u32(p + 24);
    v.maxfilesize = xdr::load_u64(p + 28);
    if (!get_nfstime3(p + 36, in, v.time_delta)) return nullptr;
    v.properties = xdr::load_u32(p + 44);
    return p + 48;
}

XDR_INLINE std::byte* put_FSINFO3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSINFO3resok& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::put_pair(p, v, v.rtmax);  // and rtpref
    xdr::put_pair(p + 8, v, v.rtmult);  // and wtmax
    xdr::put_pair(p + 16, v, v.wtpref);  // and wtmult
    xdr::store_u32(p + 24, v.dtpref);
    xdr::store_u64(p + 28, v.maxfilesize);
    if (!put_nfstime3(p + 36, out, v.time_delta)) return nullptr;
    xdr::store_u32(p + 44, v.properties);
    return p + 48;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_FSINFO3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] FSINFO3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_FSINFO3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const FSINFO3resfail& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_PATHCONF3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] PATHCONF3args& v) {
    p = get_nfs_fh3<Tail>(p, in, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_PATHCONF3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const PATHCONF3args& v) {
    p = put_nfs_fh3(p, out, v.object);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_PATHCONF3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] PATHCONF3resok& v) {
    p = get_post_op_attr<24 + Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::get_pair(p, v, v.linkmax);  // and name_max
    if (!xdr::get_scalar(p + 8, in, v.no_trunc)) return nullptr;
    if (!xdr::get_scalar(p + 12, in, v.chown_restricted)) return nullptr;
    if (!xdr::get_scalar(p + 16, in, v.case_insensitive)) return nullptr;
    if (!xdr::get_scalar(p + 20, in, v.case_preserving)) return nullptr;
    return p + 24;
}

XDR_INLINE std::byte* put_PATHCONF3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const PATHCONF3resok& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    xdr::put_pair(p, v, v.linkmax);  // and name_max
    if (!xdr::put_scalar(p + 8, out, v.no_trunc)) return nullptr;
    if (!xdr::put_scalar(p + 12, out, v.chown_restricted)) return nullptr;
    if (!xdr::put_scalar(p + 16, out, v.case_insensitive)) return nullptr;
    if (!xdr::put_scalar(p + 20, out, v.case_preserving)) return nullptr;
    return p + 24;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_PATHCONF3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] PATHCONF3resfail& v) {
    p = get_post_op_attr<Tail>(p, in, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_PATHCONF3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const PATHCONF3resfail& v) {
    p = put_post_op_attr(p, out, v.obj_attributes);
    if (p == nullptr) return nullptr;
    return p;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_PATHCONF3res(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] PATHCONF3res& v) {
    nfsstat3 which;
    if (!get_nfsstat3(p, in, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resok(which);
                p = get_PATHCONF3resok<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                if (!in.certain(p, 4)) [[unlikely]] return in.truncated(p, 4);
                auto& arm = v.raw_resfail(which);
                p = get_PATHCONF3resfail<Tail>(p, in, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

XDR_INLINE std::byte* put_PATHCONF3res(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const PATHCONF3res& v) {
    const auto which = v.status();
    if (!put_nfsstat3(p, out, which)) return nullptr;
    p += 4;
    switch (which) {
        case NFS3_OK:
            {
                const auto& arm = v.raw_resok();
                p = put_PATHCONF3resok(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
        default:
            {
                const auto& arm = v.raw_resfail();
                p = put_PATHCONF3resfail(p, out, arm);
                if (p == nullptr) return nullptr;
                return p;
            }
    }
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_COMMIT3args(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] COMMIT3args& v) {
    p = get_nfs_fh3<12 + Tail>(p, in, v.file);
    if (p == nullptr) return nullptr;
    v.offset = xdr::load_u64(p);
    v.count = xdr::load_u32(p + 8);
    return p + 12;
}

XDR_INLINE std::byte* put_COMMIT3args(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const COMMIT3args& v) {
    p = put_nfs_fh3(p, out, v.file);
    if (p == nullptr) return nullptr;
    xdr::store_u64(p, v.offset);
    xdr::store_u32(p + 8, v.count);
    return p + 12;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_COMMIT3resok(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] COMMIT3resok& v) {
    p = get_wcc_data<8 + Tail>(p, in, v.file_wcc);
    if (p == nullptr) return nullptr;
    if (!xdr::get_bytes(p, in, v.verf, NFS3_WRITEVERFSIZE)) return nullptr;
    return p + 8;
}

XDR_INLINE std::byte* put_COMMIT3resok(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const COMMIT3resok& v) {
    p = put_wcc_data(p, out, v.file_wcc);
    if (p == nullptr) return nullptr;
    if (!xdr::put_bytes(p, out, v.verf, NFS3_WRITEVERFSIZE)) return nullptr;
    return p + 8;
}

template <std::size_t Tail>
XDR_INLINE const std::byte* get_COMMIT3resfail(const std::byte* p, [[maybe_unused]] xdr::Reader& in, [[maybe_unused]] COMMIT3resfail& v) {
    p = get_wcc_data<Tail>(p, in, v.file_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

XDR_INLINE std::byte* put_COMMIT3resfail(std::byte* p, [[maybe_unused]] xdr::Writer& out, [[maybe_unused]] const COMMIT3resfail& v) {
    p = put_wcc_data(p, out, v.file_wcc);
    if (p == nullptr) return nullptr;
    return p;
}

}  // namespace helio::nfs3
