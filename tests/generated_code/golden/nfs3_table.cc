// Made by `helio gen` from nfs3.x. Changes belong there; this file is written anew.
#include "schema/nfs3.h"

namespace helio::nfs3 {

namespace xdr = ::helio::xdr;

namespace {

bool recode_uint64(xdr::Reader& in, xdr::Writer& out) {
    uint64 v{};
    return decode_uint64(in, v) && encode_uint64(out, v);
}
bool same_uint64(xdr::Reader& one, xdr::Reader& other) {
    uint64 a{};
    uint64 b{};
    return decode_uint64(one, a) && decode_uint64(other, b) && xdr::same(a, b);
}
std::string text_uint64(xdr::Reader& in) {
    uint64 v{};
    if (!decode_uint64(in, v)) return {};
    xdr::Printer out;
    print_uint64(out, v);
    return out.text();
}
bool recode_int64(xdr::Reader& in, xdr::Writer& out) {
    int64 v{};
    return decode_int64(in, v) && encode_int64(out, v);
}
bool same_int64(xdr::Reader& one, xdr::Reader& other) {
    int64 a{};
    int64 b{};
    return decode_int64(one, a) && decode_int64(other, b) && xdr::same(a, b);
}
std::string text_int64(xdr::Reader& in) {
    int64 v{};
    if (!decode_int64(in, v)) return {};
    xdr::Printer out;
    print_int64(out, v);
    return out.text();
}
bool recode_uint32(xdr::Reader& in, xdr::Writer& out) {
    uint32 v{};
    return decode_uint32(in, v) && encode_uint32(out, v);
}
bool same_uint32(xdr::Reader& one, xdr::Reader& other) {
    uint32 a{};
    uint32 b{};
    return decode_uint32(one, a) && decode_uint32(other, b) && xdr::same(a, b);
}
std::string text_uint32(xdr::Reader& in) {
    uint32 v{};
    if (!decode_uint32(in, v)) return {};
    xdr::Printer out;
    print_uint32(out, v);
    return out.text();
}
bool recode_int32(xdr::Reader& in, xdr::Writer& out) {
    int32 v{};
    return decode_int32(in, v) && encode_int32(out, v);
}
bool same_int32(xdr::Reader& one, xdr::Reader& other) {
    int32 a{};
    int32 b{};
    return decode_int32(one, a) && decode_int32(other, b) && xdr::same(a, b);
}
std::string text_int32(xdr::Reader& in) {
    int32 v{};
    if (!decode_int32(in, v)) return {};
    xdr::Printer out;
    print_int32(out, v);
    return out.text();
}
bool recode_filename3(xdr::Reader& in, xdr::Writer& out) {
    filename3 v{};
    return decode_filename3(in, v) && encode_filename3(out, v);
}
bool same_filename3(xdr::Reader& one, xdr::Reader& other) {
    filename3 a{};
    filename3 b{};
    return decode_filename3(one, a) && decode_filename3(other, b) && xdr::same(a, b);
}
std::string text_filename3(xdr::Reader& in) {
    filename3 v{};
    if (!decode_filename3(in, v)) return {};
    xdr::Printer out;
    print_filename3(out, v);
    return out.text();
}
bool recode_nfspath3(xdr::Reader& in, xdr::Writer& out) {
    nfspath3 v{};
    return decode_nfspath3(in, v) && encode_nfspath3(out, v);
}
bool same_nfspath3(xdr::Reader& one, xdr::Reader& other) {
    nfspath3 a{};
    nfspath3 b{};
    return decode_nfspath3(one, a) && decode_nfspath3(other, b) && xdr::same(a, b);
}
std::string text_nfspath3(xdr::Reader& in) {
    nfspath3 v{};
    if (!decode_nfspath3(in, v)) return {};
    xdr::Printer out;
    print_nfspath3(out, v);
    return out.text();
}
bool recode_fileid3(xdr::Reader& in, xdr::Writer& out) {
    fileid3 v{};
    return decode_fileid3(in, v) && encode_fileid3(out, v);
}
bool same_fileid3(xdr::Reader& one, xdr::Reader& other) {
    fileid3 a{};
    fileid3 b{};
    return decode_fileid3(one, a) && decode_fileid3(other, b) && xdr::same(a, b);
}
std::string text_fileid3(xdr::Reader& in) {
    fileid3 v{};
    if (!decode_fileid3(in, v)) return {};
    xdr::Printer out;
    print_fileid3(out, v);
    return out.text();
}
bool recode_cookie3(xdr::Reader& in, xdr::Writer& out) {
    cookie3 v{};
    return decode_cookie3(in, v) && encode_cookie3(out, v);
}
bool same_cookie3(xdr::Reader& one, xdr::Reader& other) {
    cookie3 a{};
    cookie3 b{};
    return decode_cookie3(one, a) && decode_cookie3(other, b) && xdr::same(a, b);
}
std::string text_cookie3(xdr::Reader& in) {
    cookie3 v{};
    if (!decode_cookie3(in, v)) return {};
    xdr::Printer out;
    print_cookie3(out, v);
    return out.text();
}
bool recode_cookieverf3(xdr::Reader& in, xdr::Writer& out) {
    cookieverf3 v{};
    return decode_cookieverf3(in, v) && encode_cookieverf3(out, v);
}
bool same_cookieverf3(xdr::Reader& one, xdr::Reader& other) {
    cookieverf3 a{};
    cookieverf3 b{};
    return decode_cookieverf3(one, a) && decode_cookieverf3(other, b) && xdr::same(a, b);
}
std::string text_cookieverf3(xdr::Reader& in) {
    cookieverf3 v{};
    if (!decode_cookieverf3(in, v)) return {};
    xdr::Printer out;
    print_cookieverf3(out, v);
    return out.text();
}
bool recode_createverf3(xdr::Reader& in, xdr::Writer& out) {
    createverf3 v{};
    return decode_createverf3(in, v) && encode_createverf3(out, v);
}
bool same_createverf3(xdr::Reader& one, xdr::Reader& other) {
    createverf3 a{};
    createverf3 b{};
    return decode_createverf3(one, a) && decode_createverf3(other, b) && xdr::same(a, b);
}
std::string text_createverf3(xdr::Reader& in) {
    createverf3 v{};
    if (!decode_createverf3(in, v)) return {};
    xdr::Printer out;
    print_createverf3(out, v);
    return out.text();
}
bool recode_writeverf3(xdr::Reader& in, xdr::Writer& out) {
    writeverf3 v{};
    return decode_writeverf3(in, v) && encode_writeverf3(out, v);
}
bool same_writeverf3(xdr::Reader& one, xdr::Reader& other) {
    writeverf3 a{};
    writeverf3 b{};
    return decode_writeverf3(one, a) && decode_writeverf3(other, b) && xdr::same(a, b);
}
std::string text_writeverf3(xdr::Reader& in) {
    writeverf3 v{};
    if (!decode_writeverf3(in, v)) return {};
    xdr::Printer out;
    print_writeverf3(out, v);
    return out.text();
}
bool recode_uid3(xdr::Reader& in, xdr::Writer& out) {
    uid3 v{};
    return decode_uid3(in, v) && encode_uid3(out, v);
}
bool same_uid3(xdr::Reader& one, xdr::Reader& other) {
    uid3 a{};
    uid3 b{};
    return decode_uid3(one, a) && decode_uid3(other, b) && xdr::same(a, b);
}
std::string text_uid3(xdr::Reader& in) {
    uid3 v{};
    if (!decode_uid3(in, v)) return {};
    xdr::Printer out;
    print_uid3(out, v);
    return out.text();
}
bool recode_gid3(xdr::Reader& in, xdr::Writer& out) {
    gid3 v{};
    return decode_gid3(in, v) && encode_gid3(out, v);
}
bool same_gid3(xdr::Reader& one, xdr::Reader& other) {
    gid3 a{};
    gid3 b{};
    return decode_gid3(one, a) && decode_gid3(other, b) && xdr::same(a, b);
}
std::string text_gid3(xdr::Reader& in) {
    gid3 v{};
    if (!decode_gid3(in, v)) return {};
    xdr::Printer out;
    print_gid3(out, v);
    return out.text();
}
bool recode_size3(xdr::Reader& in, xdr::Writer& out) {
    size3 v{};
    return decode_size3(in, v) && encode_size3(out, v);
}
bool same_size3(xdr::Reader& one, xdr::Reader& other) {
    size3 a{};
    size3 b{};
    return decode_size3(one, a) && decode_size3(other, b) && xdr::same(a, b);
}
std::string text_size3(xdr::Reader& in) {
    size3 v{};
    if (!decode_size3(in, v)) return {};
    xdr::Printer out;
    print_size3(out, v);
    return out.text();
}
bool recode_offset3(xdr::Reader& in, xdr::Writer& out) {
    offset3 v{};
    return decode_offset3(in, v) && encode_offset3(out, v);
}
bool same_offset3(xdr::Reader& one, xdr::Reader& other) {
    offset3 a{};
    offset3 b{};
    return decode_offset3(one, a) && decode_offset3(other, b) && xdr::same(a, b);
}
std::string text_offset3(xdr::Reader& in) {
    offset3 v{};
    if (!decode_offset3(in, v)) return {};
    xdr::Printer out;
    print_offset3(out, v);
    return out.text();
}
bool recode_mode3(xdr::Reader& in, xdr::Writer& out) {
    mode3 v{};
    return decode_mode3(in, v) && encode_mode3(out, v);
}
bool same_mode3(xdr::Reader& one, xdr::Reader& other) {
    mode3 a{};
    mode3 b{};
    return decode_mode3(one, a) && decode_mode3(other, b) && xdr::same(a, b);
}
std::string text_mode3(xdr::Reader& in) {
    mode3 v{};
    if (!decode_mode3(in, v)) return {};
    xdr::Printer out;
    print_mode3(out, v);
    return out.text();
}
bool recode_count3(xdr::Reader& in, xdr::Writer& out) {
    count3 v{};
    return decode_count3(in, v) && encode_count3(out, v);
}
bool same_count3(xdr::Reader& one, xdr::Reader& other) {
    count3 a{};
    count3 b{};
    return decode_count3(one, a) && decode_count3(other, b) && xdr::same(a, b);
}
std::string text_count3(xdr::Reader& in) {
    count3 v{};
    if (!decode_count3(in, v)) return {};
    xdr::Printer out;
    print_count3(out, v);
    return out.text();
}
bool recode_nfsstat3(xdr::Reader& in, xdr::Writer& out) {
    nfsstat3 v{};
    return decode_nfsstat3(in, v) && encode_nfsstat3(out, v);
}
bool same_nfsstat3(xdr::Reader& one, xdr::Reader& other) {
    nfsstat3 a{};
    nfsstat3 b{};
    return decode_nfsstat3(one, a) && decode_nfsstat3(other, b) && xdr::same(a, b);
}
std::string text_nfsstat3(xdr::Reader& in) {
    nfsstat3 v{};
    if (!decode_nfsstat3(in, v)) return {};
    xdr::Printer out;
    print_nfsstat3(out, v);
    return out.text();
}
bool recode_ftype3(xdr::Reader& in, xdr::Writer& out) {
    ftype3 v{};
    return decode_ftype3(in, v) && encode_ftype3(out, v);
}
bool same_ftype3(xdr::Reader& one, xdr::Reader& other) {
    ftype3 a{};
    ftype3 b{};
    return decode_ftype3(one, a) && decode_ftype3(other, b) && xdr::same(a, b);
}
std::string text_ftype3(xdr::Reader& in) {
    ftype3 v{};
    if (!decode_ftype3(in, v)) return {};
    xdr::Printer out;
    print_ftype3(out, v);
    return out.text();
}
bool recode_specdata3(xdr::Reader& in, xdr::Writer& out) {
    specdata3 v{};
    return decode_specdata3(in, v) && encode_specdata3(out, v);
}
bool same_specdata3(xdr::Reader& one, xdr::Reader& other) {
    specdata3 a{};
    specdata3 b{};
    return decode_specdata3(one, a) && decode_specdata3(other, b) && xdr::same(a, b);
}
std::string text_specdata3(xdr::Reader& in) {
    specdata3 v{};
    if (!decode_specdata3(in, v)) return {};
    xdr::Printer out;
    print_specdata3(out, v);
    return out.text();
}
bool recode_nfs_fh3(xdr::Reader& in, xdr::Writer& out) {
    nfs_fh3 v{};
    return decode_nfs_fh3(in, v) && encode_nfs_fh3(out, v);
}
bool same_nfs_fh3(xdr::Reader& one, xdr::Reader& other) {
    nfs_fh3 a{};
    nfs_fh3 b{};
    return decode_nfs_fh3(one, a) && decode_nfs_fh3(other, b) && xdr::same(a, b);
}
std::string text_nfs_fh3(xdr::Reader& in) {
    nfs_fh3 v{};
    if (!decode_nfs_fh3(in, v)) return {};
    xdr::Printer out;
    print_nfs_fh3(out, v);
    return out.text();
}
bool recode_nfstime3(xdr::Reader& in, xdr::Writer& out) {
    nfstime3 v{};
    return decode_nfstime3(in, v) && encode_nfstime3(out, v);
}
bool same_nfstime3(xdr::Reader& one, xdr::Reader& other) {
    nfstime3 a{};
    nfstime3 b{};
    return decode_nfstime3(one, a) && decode_nfstime3(other, b) && xdr::same(a, b);
}
std::string text_nfstime3(xdr::Reader& in) {
    nfstime3 v{};
    if (!decode_nfstime3(in, v)) return {};
    xdr::Printer out;
    print_nfstime3(out, v);
    return out.text();
}
bool recode_fattr3(xdr::Reader& in, xdr::Writer& out) {
    fattr3 v{};
    return decode_fattr3(in, v) && encode_fattr3(out, v);
}
bool same_fattr3(xdr::Reader& one, xdr::Reader& other) {
    fattr3 a{};
    fattr3 b{};
    return decode_fattr3(one, a) && decode_fattr3(other, b) && xdr::same(a, b);
}
std::string text_fattr3(xdr::Reader& in) {
    fattr3 v{};
    if (!decode_fattr3(in, v)) return {};
    xdr::Printer out;
    print_fattr3(out, v);
    return out.text();
}
bool recode_post_op_attr(xdr::Reader& in, xdr::Writer& out) {
    post_op_attr v{};
    return decode_post_op_attr(in, v) && encode_post_op_attr(out, v);
}
bool same_post_op_attr(xdr::Reader& one, xdr::Reader& other) {
    post_op_attr a{};
    post_op_attr b{};
    return decode_post_op_attr(one, a) && decode_post_op_attr(other, b) && xdr::same(a, b);
}
std::string text_post_op_attr(xdr::Reader& in) {
    post_op_attr v{};
    if (!decode_post_op_attr(in, v)) return {};
    xdr::Printer out;
    print_post_op_attr(out, v);
    return out.text();
}
bool recode_wcc_attr(xdr::Reader& in, xdr::Writer& out) {
    wcc_attr v{};
    return decode_wcc_attr(in, v) && encode_wcc_attr(out, v);
}
bool same_wcc_attr(xdr::Reader& one, xdr::Reader& other) {
    wcc_attr a{};
    wcc_attr b{};
    return decode_wcc_attr(one, a) && decode_wcc_attr(other, b) && xdr::same(a, b);
}
std::string text_wcc_attr(xdr::Reader& in) {
    wcc_attr v{};
    if (!decode_wcc_attr(in, v)) return {};
    xdr::Printer out;
    print_wcc_attr(out, v);
    return out.text();
}
bool recode_pre_op_attr(xdr::Reader& in, xdr::Writer& out) {
    pre_op_attr v{};
    return decode_pre_op_attr(in, v) && encode_pre_op_attr(out, v);
}
bool same_pre_op_attr(xdr::Reader& one, xdr::Reader& other) {
    pre_op_attr a{};
    pre_op_attr b{};
    return decode_pre_op_attr(one, a) && decode_pre_op_attr(other, b) && xdr::same(a, b);
}
std::string text_pre_op_attr(xdr::Reader& in) {
    pre_op_attr v{};
    if (!decode_pre_op_attr(in, v)) return {};
    xdr::Printer out;
    print_pre_op_attr(out, v);
    return out.text();
}
bool recode_wcc_data(xdr::Reader& in, xdr::Writer& out) {
    wcc_data v{};
    return decode_wcc_data(in, v) && encode_wcc_data(out, v);
}
bool same_wcc_data(xdr::Reader& one, xdr::Reader& other) {
    wcc_data a{};
    wcc_data b{};
    return decode_wcc_data(one, a) && decode_wcc_data(other, b) && xdr::same(a, b);
}
std::string text_wcc_data(xdr::Reader& in) {
    wcc_data v{};
    if (!decode_wcc_data(in, v)) return {};
    xdr::Printer out;
    print_wcc_data(out, v);
    return out.text();
}
bool recode_post_op_fh3(xdr::Reader& in, xdr::Writer& out) {
    post_op_fh3 v{};
    return decode_post_op_fh3(in, v) && encode_post_op_fh3(out, v);
}
bool same_post_op_fh3(xdr::Reader& one, xdr::Reader& other) {
    post_op_fh3 a{};
    post_op_fh3 b{};
    return decode_post_op_fh3(one, a) && decode_post_op_fh3(other, b) && xdr::same(a, b);
}
std::string text_post_op_fh3(xdr::Reader& in) {
    post_op_fh3 v{};
    if (!decode_post_op_fh3(in, v)) return {};
    xdr::Printer out;
    print_post_op_fh3(out, v);
    return out.text();
}
bool recode_time_how(xdr::Reader& in, xdr::Writer& out) {
    time_how v{};
    return decode_time_how(in, v) && encode_time_how(out, v);
}
bool same_time_how(xdr::Reader& one, xdr::Reader& other) {
    time_how a{};
    time_how b{};
    return decode_time_how(one, a) && decode_time_how(other, b) && xdr::same(a, b);
}
std::string text_time_how(xdr::Reader& in) {
    time_how v{};
    if (!decode_time_how(in, v)) return {};
    xdr::Printer out;
    print_time_how(out, v);
    return out.text();
}
bool recode_set_mode3(xdr::Reader& in, xdr::Writer& out) {
    set_mode3 v{};
    return decode_set_mode3(in, v) && encode_set_mode3(out, v);
}
bool same_set_mode3(xdr::Reader& one, xdr::Reader& other) {
    set_mode3 a{};
    set_mode3 b{};
    return decode_set_mode3(one, a) && decode_set_mode3(other, b) && xdr::same(a, b);
}
std::string text_set_mode3(xdr::Reader& in) {
    set_mode3 v{};
    if (!decode_set_mode3(in, v)) return {};
    xdr::Printer out;
    print_set_mode3(out, v);
    return out.text();
}
bool recode_set_uid3(xdr::Reader& in, xdr::Writer& out) {
    set_uid3 v{};
    return decode_set_uid3(in, v) && encode_set_uid3(out, v);
}
bool same_set_uid3(xdr::Reader& one, xdr::Reader& other) {
    set_uid3 a{};
    set_uid3 b{};
    return decode_set_uid3(one, a) && decode_set_uid3(other, b) && xdr::same(a, b);
}
std::string text_set_uid3(xdr::Reader& in) {
    set_uid3 v{};
    if (!decode_set_uid3(in, v)) return {};
    xdr::Printer out;
    print_set_uid3(out, v);
    return out.text();
}
bool recode_set_gid3(xdr::Reader& in, xdr::Writer& out) {
    set_gid3 v{};
    return decode_set_gid3(in, v) && encode_set_gid3(out, v);
}
bool same_set_gid3(xdr::Reader& one, xdr::Reader& other) {
    set_gid3 a{};
    set_gid3 b{};
    return decode_set_gid3(one, a) && decode_set_gid3(other, b) && xdr::same(a, b);
}
std::string text_set_gid3(xdr::Reader& in) {
    set_gid3 v{};
    if (!decode_set_gid3(in, v)) return {};
    xdr::Printer out;
    print_set_gid3(out, v);
    return out.text();
}
bool recode_set_size3(xdr::Reader& in, xdr::Writer& out) {
    set_size3 v{};
    return decode_set_size3(in, v) && encode_set_size3(out, v);
}
bool same_set_size3(xdr::Reader& one, xdr::Reader& other) {
    set_size3 a{};
    set_size3 b{};
    return decode_set_size3(one, a) && decode_set_size3(other, b) && xdr::same(a, b);
}
std::string text_set_size3(xdr::Reader& in) {
    set_size3 v{};
    if (!decode_set_size3(in, v)) return {};
    xdr::Printer out;
    print_set_size3(out, v);
    return out.text();
}
bool recode_set_atime(xdr::Reader& in, xdr::Writer& out) {
    set_atime v{};
    return decode_set_atime(in, v) && encode_set_atime(out, v);
}
bool same_set_atime(xdr::Reader& one, xdr::Reader& other) {
    set_atime a{};
    set_atime b{};
    return decode_set_atime(one, a) && decode_set_atime(other, b) && xdr::same(a, b);
}
std::string text_set_atime(xdr::Reader& in) {
    set_atime v{};
    if (!decode_set_atime(in, v)) return {};
    xdr::Printer out;
    print_set_atime(out, v);
    return out.text();
}
bool recode_set_mtime(xdr::Reader& in, xdr::Writer& out) {
    set_mtime v{};
    return decode_set_mtime(in, v) && encode_set_mtime(out, v);
}
bool same_set_mtime(xdr::Reader& one, xdr::Reader& other) {
    set_mtime a{};
    set_mtime b{};
    return decode_set_mtime(one, a) && decode_set_mtime(other, b) && xdr::same(a, b);
}
std::string text_set_mtime(xdr::Reader& in) {
    set_mtime v{};
    if (!decode_set_mtime(in, v)) return {};
    xdr::Printer out;
    print_set_mtime(out, v);
    return out.text();
}
bool recode_sattr3(xdr::Reader& in, xdr::Writer& out) {
    sattr3 v{};
    return decode_sattr3(in, v) && encode_sattr3(out, v);
}
bool same_sattr3(xdr::Reader& one, xdr::Reader& other) {
    sattr3 a{};
    sattr3 b{};
    return decode_sattr3(one, a) && decode_sattr3(other, b) && xdr::same(a, b);
}
std::string text_sattr3(xdr::Reader& in) {
    sattr3 v{};
    if (!decode_sattr3(in, v)) return {};
    xdr::Printer out;
    print_sattr3(out, v);
    return out.text();
}
bool recode_diropargs3(xdr::Reader& in, xdr::Writer& out) {
    diropargs3 v{};
    return decode_diropargs3(in, v) && encode_diropargs3(out, v);
}
bool same_diropargs3(xdr::Reader& one, xdr::Reader& other) {
    diropargs3 a{};
    diropargs3 b{};
    return decode_diropargs3(one, a) && decode_diropargs3(other, b) && xdr::same(a, b);
}
std::string text_diropargs3(xdr::Reader& in) {
    diropargs3 v{};
    if (!decode_diropargs3(in, v)) return {};
    xdr::Printer out;
    print_diropargs3(out, v);
    return out.text();
}
bool recode_GETATTR3args(xdr::Reader& in, xdr::Writer& out) {
    GETATTR3args v{};
    return decode_GETATTR3args(in, v) && encode_GETATTR3args(out, v);
}
bool same_GETATTR3args(xdr::Reader& one, xdr::Reader& other) {
    GETATTR3args a{};
    GETATTR3args b{};
    return decode_GETATTR3args(one, a) && decode_GETATTR3args(other, b) && xdr::same(a, b);
}
std::string text_GETATTR3args(xdr::Reader& in) {
    GETATTR3args v{};
    if (!decode_GETATTR3args(in, v)) return {};
    xdr::Printer out;
    print_GETATTR3args(out, v);
    return out.text();
}
bool recode_GETATTR3resok(xdr::Reader& in, xdr::Writer& out) {
    GETATTR3resok v{};
    return decode_GETATTR3resok(in, v) && encode_GETATTR3resok(out, v);
}
bool same_GETATTR3resok(xdr::Reader& one, xdr::Reader& other) {
    GETATTR3resok a{};
    GETATTR3resok b{};
    return decode_GETATTR3resok(one, a) && decode_GETATTR3resok(other, b) && xdr::same(a, b);
}
std::string text_GETATTR3resok(xdr::Reader& in) {
    GETATTR3resok v{};
    if (!decode_GETATTR3resok(in, v)) return {};
    xdr::Printer out;
    print_GETATTR3resok(out, v);
    return out.text();
}
bool recode_GETATTR3res(xdr::Reader& in, xdr::Writer& out) {
    GETATTR3res v{};
    return decode_GETATTR3res(in, v) && encode_GETATTR3res(out, v);
}
bool same_GETATTR3res(xdr::Reader& one, xdr::Reader& other) {
    GETATTR3res a{};
    GETATTR3res b{};
    return decode_GETATTR3res(one, a) && decode_GETATTR3res(other, b) && xdr::same(a, b);
}
std::string text_GETATTR3res(xdr::Reader& in) {
    GETATTR3res v{};
    if (!decode_GETATTR3res(in, v)) return {};
    xdr::Printer out;
    print_GETATTR3res(out, v);
    return out.text();
}
bool recode_sattrguard3(xdr::Reader& in, xdr::Writer& out) {
    sattrguard3 v{};
    return decode_sattrguard3(in, v) && encode_sattrguard3(out, v);
}
bool same_sattrguard3(xdr::Reader& one, xdr::Reader& other) {
    sattrguard3 a{};
    sattrguard3 b{};
    return decode_sattrguard3(one, a) && decode_sattrguard3(other, b) && xdr::same(a, b);
}
std::string text_sattrguard3(xdr::Reader& in) {
    sattrguard3 v{};
    if (!decode_sattrguard3(in, v)) return {};
    xdr::Printer out;
    print_sattrguard3(out, v);
    return out.text();
}
bool recode_SETATTR3args(xdr::Reader& in, xdr::Writer& out) {
    SETATTR3args v{};
    return decode_SETATTR3args(in, v) && encode_SETATTR3args(out, v);
}
bool same_SETATTR3args(xdr::Reader& one, xdr::Reader& other) {
    SETATTR3args a{};
    SETATTR3args b{};
    return decode_SETATTR3args(one, a) && decode_SETATTR3args(other, b) && xdr::same(a, b);
}
std::string text_SETATTR3args(xdr::Reader& in) {
    SETATTR3args v{};
    if (!decode_SETATTR3args(in, v)) return {};
    xdr::Printer out;
    print_SETATTR3args(out, v);
    return out.text();
}
bool recode_SETATTR3resok(xdr::Reader& in, xdr::Writer& out) {
    SETATTR3resok v{};
    return decode_SETATTR3resok(in, v) && encode_SETATTR3resok(out, v);
}
bool same_SETATTR3resok(xdr::Reader& one, xdr::Reader& other) {
    SETATTR3resok a{};
    SETATTR3resok b{};
    return decode_SETATTR3resok(one, a) && decode_SETATTR3resok(other, b) && xdr::same(a, b);
}
std::string text_SETATTR3resok(xdr::Reader& in) {
    SETATTR3resok v{};
    if (!decode_SETATTR3resok(in, v)) return {};
    xdr::Printer out;
    print_SETATTR3resok(out, v);
    return out.text();
}
bool recode_SETATTR3resfail(xdr::Reader& in, xdr::Writer& out) {
    SETATTR3resfail v{};
    return decode_SETATTR3resfail(in, v) && encode_SETATTR3resfail(out, v);
}
bool same_SETATTR3resfail(xdr::Reader& one, xdr::Reader& other) {
    SETATTR3resfail a{};
    SETATTR3resfail b{};
    return decode_SETATTR3resfail(one, a) && decode_SETATTR3resfail(other, b) && xdr::same(a, b);
}
std::string text_SETATTR3resfail(xdr::Reader& in) {
    SETATTR3resfail v{};
    if (!decode_SETATTR3resfail(in, v)) return {};
    xdr::Printer out;
    print_SETATTR3resfail(out, v);
    return out.text();
}
bool recode_SETATTR3res(xdr::Reader& in, xdr::Writer& out) {
    SETATTR3res v{};
    return decode_SETATTR3res(in, v) && encode_SETATTR3res(out, v);
}
bool same_SETATTR3res(xdr::Reader& one, xdr::Reader& other) {
    SETATTR3res a{};
    SETATTR3res b{};
    return decode_SETATTR3res(one, a) && decode_SETATTR3res(other, b) && xdr::same(a, b);
}
std::string text_SETATTR3res(xdr::Reader& in) {
    SETATTR3res v{};
    if (!decode_SETATTR3res(in, v)) return {};
    xdr::Printer out;
    print_SETATTR3res(out, v);
    return out.text();
}
bool recode_LOOKUP3args(xdr::Reader& in, xdr::Writer& out) {
    LOOKUP3args v{};
    return decode_LOOKUP3args(in, v) && encode_LOOKUP3args(out, v);
}
bool same_LOOKUP3args(xdr::Reader& one, xdr::Reader& other) {
    LOOKUP3args a{};
    LOOKUP3args b{};
    return decode_LOOKUP3args(one, a) && decode_LOOKUP3args(other, b) && xdr::same(a, b);
}
std::string text_LOOKUP3args(xdr::Reader& in) {
    LOOKUP3args v{};
    if (!decode_LOOKUP3args(in, v)) return {};
    xdr::Printer out;
    print_LOOKUP3args(out, v);
    return out.text();
}
bool recode_LOOKUP3resok(xdr::Reader& in, xdr::Writer& out) {
    LOOKUP3resok v{};
    return decode_LOOKUP3resok(in, v) && encode_LOOKUP3resok(out, v);
}
bool same_LOOKUP3resok(xdr::Reader& one, xdr::Reader& other) {
    LOOKUP3resok a{};
    LOOKUP3resok b{};
    return decode_LOOKUP3resok(one, a) && decode_LOOKUP3resok(other, b) && xdr::same(a, b);
}
std::string text_LOOKUP3resok(xdr::Reader& in) {
    LOOKUP3resok v{};
    if (!decode_LOOKUP3resok(in, v)) return {};
    xdr::Printer out;
    print_LOOKUP3resok(out, v);
    return out.text();
}
bool recode_LOOKUP3resfail(xdr::Reader& in, xdr::Writer& out) {
    LOOKUP3resfail v{};
    return decode_LOOKUP3resfail(in, v) && encode_LOOKUP3resfail(out, v);
}
bool same_LOOKUP3resfail(xdr::Reader& one, xdr::Reader& other) {
    LOOKUP3resfail a{};
    LOOKUP3resfail b{};
    return decode_LOOKUP3resfail(one, a) && decode_LOOKUP3resfail(other, b) && xdr::same(a, b);
}
std::string text_LOOKUP3resfail(xdr::Reader& in) {
    LOOKUP3resfail v{};
    if (!decode_LOOKUP3resfail(in, v)) return {};
    xdr::Printer out;
    print_LOOKUP3resfail(out, v);
    return out.text();
}
bool recode_LOOKUP3res(xdr::Reader& in, xdr::Writer& out) {
    LOOKUP3res v{};
    return decode_LOOKUP3res(in, v) && encode_LOOKUP3res(out, v);
}
bool same_LOOKUP3res(xdr::Reader& one, xdr::Reader& other) {
    LOOKUP3res a{};
    LOOKUP3res b{};
    return decode_LOOKUP3res(one, a) && decode_LOOKUP3res(other, b) && xdr::same(a, b);
}
std::string text_LOOKUP3res(xdr::Reader& in) {
    LOOKUP3res v{};
    if (!decode_LOOKUP3res(in, v)) return {};
    xdr::Printer out;
    print_LOOKUP3res(out, v);
    return out.text();
}
bool recode_ACCESS3args(xdr::Reader& in, xdr::Writer& out) {
    ACCESS3args v{};
    return decode_ACCESS3args(in, v) && encode_ACCESS3args(out, v);
}
bool same_ACCESS3args(xdr::Reader& one, xdr::Reader& other) {
    ACCESS3args a{};
    ACCESS3args b{};
    return decode_ACCESS3args(one, a) && decode_ACCESS3args(other, b) && xdr::same(a, b);
}
std::string text_ACCESS3args(xdr::Reader& in) {
    ACCESS3args v{};
    if (!decode_ACCESS3args(in, v)) return {};
    xdr::Printer out;
    print_ACCESS3args(out, v);
    return out.text();
}
bool recode_ACCESS3resok(xdr::Reader& in, xdr::Writer& out) {
    ACCESS3resok v{};
    return decode_ACCESS3resok(in, v) && encode_ACCESS3resok(out, v);
}
bool same_ACCESS3resok(xdr::Reader& one, xdr::Reader& other) {
    ACCESS3resok a{};
    ACCESS3resok b{};
    return decode_ACCESS3resok(one, a) && decode_ACCESS3resok(other, b) && xdr::same(a, b);
}
std::string text_ACCESS3resok(xdr::Reader& in) {
    ACCESS3resok v{};
    if (!decode_ACCESS3resok(in, v)) return {};
    xdr::Printer out;
    print_ACCESS3resok(out, v);
    return out.text();
}
bool recode_ACCESS3resfail(xdr::Reader& in, xdr::Writer& out) {
    ACCESS3resfail v{};
    return decode_ACCESS3resfail(in, v) && encode_ACCESS3resfail(out, v);
}
bool same_ACCESS3resfail(xdr::Reader& one, xdr::Reader& other) {
    ACCESS3resfail a{};
    ACCESS3resfail b{};
    return decode_ACCESS3resfail(one, a) && decode_ACCESS3resfail(other, b) && xdr::same(a, b);
}
std::string text_ACCESS3resfail(xdr::Reader& in) {
    ACCESS3resfail v{};
    if (!decode_ACCESS3resfail(in, v)) return {};
    xdr::Printer out;
    print_ACCESS3resfail(out, v);
    return out.text();
}
bool recode_ACCESS3res(xdr::Reader& in, xdr::Writer& out) {
    ACCESS3res v{};
    return decode_ACCESS3res(in, v) && encode_ACCESS3res(out, v);
}
bool same_ACCESS3res(xdr::Reader& one, xdr::Reader& other) {
    ACCESS3res a{};
    ACCESS3res b{};
    return decode_ACCESS3res(one, a) && decode_ACCESS3res(other, b) && xdr::same(a, b);
}
std::string text_ACCESS3res(xdr::Reader& in) {
    ACCESS3res v{};
    if (!decode_ACCESS3res(in, v)) return {};
    xdr::Printer out;
    print_ACCESS3res(out, v);
    return out.text();
}
bool recode_READLINK3args(xdr::Reader& in, xdr::Writer& out) {
    READLINK3args v{};
    return decode_READLINK3args(in, v) && encode_READLINK3args(out, v);
}
bool same_READLINK3args(xdr::Reader& one, xdr::Reader& other) {
    READLINK3args a{};
    READLINK3args b{};
    return decode_READLINK3args(one, a) && decode_READLINK3args(other, b) && xdr::same(a, b);
}
std::string text_READLINK3args(xdr::Reader& in) {
    READLINK3args v{};
    if (!decode_READLINK3args(in, v)) return {};
    xdr::Printer out;
    print_READLINK3args(out, v);
    return out.text();
}
bool recode_READLINK3resok(xdr::Reader& in, xdr::Writer& out) {
    READLINK3resok v{};
    return decode_READLINK3resok(in, v) && encode_READLINK3resok(out, v);
}
bool same_READLINK3resok(xdr::Reader& one, xdr::Reader& other) {
    READLINK3resok a{};
    READLINK3resok b{};
    return decode_READLINK3resok(one, a) && decode_READLINK3resok(other, b) && xdr::same(a, b);
}
std::string text_READLINK3resok(xdr::Reader& in) {
    READLINK3resok v{};
    if (!decode_READLINK3resok(in, v)) return {};
    xdr::Printer out;
    print_READLINK3resok(out, v);
    return out.text();
}
bool recode_READLINK3resfail(xdr::Reader& in, xdr::Writer& out) {
    READLINK3resfail v{};
    return decode_READLINK3resfail(in, v) && encode_READLINK3resfail(out, v);
}
bool same_READLINK3resfail(xdr::Reader& one, xdr::Reader& other) {
    READLINK3resfail a{};
    READLINK3resfail b{};
    return decode_READLINK3resfail(one, a) && decode_READLINK3resfail(other, b) && xdr::same(a, b);
}
std::string text_READLINK3resfail(xdr::Reader& in) {
    READLINK3resfail v{};
    if (!decode_READLINK3resfail(in, v)) return {};
    xdr::Printer out;
    print_READLINK3resfail(out, v);
    return out.text();
}
bool recode_READLINK3res(xdr::Reader& in, xdr::Writer& out) {
    READLINK3res v{};
    return decode_READLINK3res(in, v) && encode_READLINK3res(out, v);
}
bool same_READLINK3res(xdr::Reader& one, xdr::Reader& other) {
    READLINK3res a{};
    READLINK3res b{};
    return decode_READLINK3res(one, a) && decode_READLINK3res(other, b) && xdr::same(a, b);
}
std::string text_READLINK3res(xdr::Reader& in) {
    READLINK3res v{};
    if (!decode_READLINK3res(in, v)) return {};
    xdr::Printer out;
    print_READLINK3res(out, v);
    return out.text();
}
bool recode_READ3args(xdr::Reader& in, xdr::Writer& out) {
    READ3args v{};
    return decode_READ3args(in, v) && encode_READ3args(out, v);
}
bool same_READ3args(xdr::Reader& one, xdr::Reader& other) {
    READ3args a{};
    READ3args b{};
    return decode_READ3args(one, a) && decode_READ3args(other, b) && xdr::same(a, b);
}
std::string text_READ3args(xdr::Reader& in) {
    READ3args v{};
    if (!decode_READ3args(in, v)) return {};
    xdr::Printer out;
    print_READ3args(out, v);
    return out.text();
}
bool recode_READ3resok(xdr::Reader& in, xdr::Writer& out) {
    READ3resok v{};
    return decode_READ3resok(in, v) && encode_READ3resok(out, v);
}
bool same_READ3resok(xdr::Reader& one, xdr::Reader& other) {
    READ3resok a{};
    READ3resok b{};
    return decode_READ3resok(one, a) && decode_READ3resok(other, b) && xdr::same(a, b);
}
std::string text_READ3resok(xdr::Reader& in) {
    READ3resok v{};
    if (!decode_READ3resok(in, v)) return {};
    xdr::Printer out;
    print_READ3resok(out, v);
    return out.text();
}
bool recode_READ3resfail(xdr::Reader& in, xdr::Writer& out) {
    READ3resfail v{};
    return decode_READ3resfail(in, v) && encode_READ3resfail(out, v);
}
bool same_READ3resfail(xdr::Reader& one, xdr::Reader& other) {
    READ3resfail a{};
    READ3resfail b{};
    return decode_READ3resfail(one, a) && decode_READ3resfail(other, b) && xdr::same(a, b);
}
std::string text_READ3resfail(xdr::Reader& in) {
    READ3resfail v{};
    if (!decode_READ3resfail(in, v)) return {};
    xdr::Printer out;
    print_READ3resfail(out, v);
    return out.text();
}
bool recode_READ3res(xdr::Reader& in, xdr::Writer& out) {
    READ3res v{};
    return decode_READ3res(in, v) && encode_READ3res(out, v);
}
bool same_READ3res(xdr::Reader& one, xdr::Reader& other) {
    READ3res a{};
    READ3res b{};
    return decode_READ3res(one, a) && decode_READ3res(other, b) && xdr::same(a, b);
}
std::string text_READ3res(xdr::Reader& in) {
    READ3res v{};
    if (!decode_READ3res(in, v)) return {};
    xdr::Printer out;
    print_READ3res(out, v);
    return out.text();
}
bool recode_stable_how(xdr::Reader& in, xdr::Writer& out) {
    stable_how v{};
    return decode_stable_how(in, v) && encode_stable_how(out, v);
}
bool same_stable_how(xdr::Reader& one, xdr::Reader& other) {
    stable_how a{};
    stable_how b{};
    return decode_stable_how(one, a) && decode_stable_how(other, b) && xdr::same(a, b);
}
std::string text_stable_how(xdr::Reader& in) {
    stable_how v{};
    if (!decode_stable_how(in, v)) return {};
    xdr::Printer out;
    print_stable_how(out, v);
    return out.text();
}
bool recode_WRITE3args(xdr::Reader& in, xdr::Writer& out) {
    WRITE3args v{};
    return decode_WRITE3args(in, v) && encode_WRITE3args(out, v);
}
bool same_WRITE3args(xdr::Reader& one, xdr::Reader& other) {
    WRITE3args a{};
    WRITE3args b{};
    return decode_WRITE3args(one, a) && decode_WRITE3args(other, b) && xdr::same(a, b);
}
std::string text_WRITE3args(xdr::Reader& in) {
    WRITE3args v{};
    if (!decode_WRITE3args(in, v)) return {};
    xdr::Printer out;
    print_WRITE3args(out, v);
    return out.text();
}
bool recode_WRITE3resok(xdr::Reader& in, xdr::Writer& out) {
    WRITE3resok v{};
    return decode_WRITE3resok(in, v) && encode_WRITE3resok(out, v);
}
bool same_WRITE3resok(xdr::Reader& one, xdr::Reader& other) {
    WRITE3resok a{};
    WRITE3resok b{};
    return decode_WRITE3resok(one, a) && decode_WRITE3resok(other, b) && xdr::same(a, b);
}
std::string text_WRITE3resok(xdr::Reader& in) {
    WRITE3resok v{};
    if (!decode_WRITE3resok(in, v)) return {};
    xdr::Printer out;
    print_WRITE3resok(out, v);
    return out.text();
}
bool recode_WRITE3resfail(xdr::Reader& in, xdr::Writer& out) {
    WRITE3resfail v{};
    return decode_WRITE3resfail(in, v) && encode_WRITE3resfail(out, v);
}
bool same_WRITE3resfail(xdr::Reader& one, xdr::Reader& other) {
    WRITE3resfail a{};
    WRITE3resfail b{};
    return decode_WRITE3resfail(one, a) && decode_WRITE3resfail(other, b) && xdr::same(a, b);
}
std::string text_WRITE3resfail(xdr::Reader& in) {
    WRITE3resfail v{};
    if (!decode_WRITE3resfail(in, v)) return {};
    xdr::Printer out;
    print_WRITE3resfail(out, v);
    return out.text();
}
bool recode_WRITE3res(xdr::Reader& in, xdr::Writer& out) {
    WRITE3res v{};
    return decode_WRITE3res(in, v) && encode_WRITE3res(out, v);
}
bool same_WRITE3res(xdr::Reader& one, xdr::Reader& other) {
    WRITE3res a{};
    WRITE3res b{};
    return decode_WRITE3res(one, a) && decode_WRITE3res(other, b) && xdr::same(a, b);
}
std::string text_WRITE3res(xdr::Reader& in) {
    WRITE3res v{};
    if (!decode_WRITE3res(in, v)) return {};
    xdr::Printer out;
    print_WRITE3res(out, v);
    return out.text();
}
bool recode_createmode3(xdr::Reader& in, xdr::Writer& out) {
    createmode3 v{};
    return decode_createmode3(in, v) && encode_createmode3(out, v);
}
bool same_createmode3(xdr::Reader& one, xdr::Reader& other) {
    createmode3 a{};
    createmode3 b{};
    return decode_createmode3(one, a) && decode_createmode3(other, b) && xdr::same(a, b);
}
std::string text_createmode3(xdr::Reader& in) {
    createmode3 v{};
    if (!decode_createmode3(in, v)) return {};
    xdr::Printer out;
    print_createmode3(out, v);
    return out.text();
}
bool recode_createhow3(xdr::Reader& in, xdr::Writer& out) {
    createhow3 v{};
    return decode_createhow3(in, v) && encode_createhow3(out, v);
}
bool same_createhow3(xdr::Reader& one, xdr::Reader& other) {
    createhow3 a{};
    createhow3 b{};
    return decode_createhow3(one, a) && decode_createhow3(other, b) && xdr::same(a, b);
}
std::string text_createhow3(xdr::Reader& in) {
    createhow3 v{};
    if (!decode_createhow3(in, v)) return {};
    xdr::Printer out;
    print_createhow3(out, v);
    return out.text();
}
bool recode_CREATE3args(xdr::Reader& in, xdr::Writer& out) {
    CREATE3args v{};
    return decode_CREATE3args(in, v) && encode_CREATE3args(out, v);
}
bool same_CREATE3args(xdr::Reader& one, xdr::Reader& other) {
    CREATE3args a{};
    CREATE3args b{};
    return decode_CREATE3args(one, a) && decode_CREATE3args(other, b) && xdr::same(a, b);
}
std::string text_CREATE3args(xdr::Reader& in) {
    CREATE3args v{};
    if (!decode_CREATE3args(in, v)) return {};
    xdr::Printer out;
    print_CREATE3args(out, v);
    return out.text();
}
bool recode_CREATE3resok(xdr::Reader& in, xdr::Writer& out) {
    CREATE3resok v{};
    return decode_CREATE3resok(in, v) && encode_CREATE3resok(out, v);
}
bool same_CREATE3resok(xdr::Reader& one, xdr::Reader& other) {
    CREATE3resok a{};
    CREATE3resok b{};
    return decode_CREATE3resok(one, a) && decode_CREATE3resok(other, b) && xdr::same(a, b);
}
std::string text_CREATE3resok(xdr::Reader& in) {
    CREATE3resok v{};
    if (!decode_CREATE3resok(in, v)) return {};
    xdr::Printer out;
    print_CREATE3resok(out, v);
    return out.text();
}
bool recode_CREATE3resfail(xdr::Reader& in, xdr::Writer& out) {
    CREATE3resfail v{};
    return decode_CREATE3resfail(in, v) && encode_CREATE3resfail(out, v);
}
bool same_CREATE3resfail(xdr::Reader& one, xdr::Reader& other) {
    CREATE3resfail a{};
    CREATE3resfail b{};
    return decode_CREATE3resfail(one, a) && decode_CREATE3resfail(other, b) && xdr::same(a, b);
}
std::string text_CREATE3resfail(xdr::Reader& in) {
    CREATE3resfail v{};
    if (!decode_CREATE3resfail(in, v)) return {};
    xdr::Printer out;
    print_CREATE3resfail(out, v);
    return out.text();
}
bool recode_CREATE3res(xdr::Reader& in, xdr::Writer& out) {
    CREATE3res v{};
    return decode_CREATE3res(in, v) && encode_CREATE3res(out, v);
}
bool same_CREATE3res(xdr::Reader& one, xdr::Reader& other) {
    CREATE3res a{};
    CREATE3res b{};
    return decode_CREATE3res(one, a) && decode_CREATE3res(other, b) && xdr::same(a, b);
}
std::string text_CREATE3res(xdr::Reader& in) {
    CREATE3res v{};
    if (!decode_CREATE3res(in, v)) return {};
    xdr::Printer out;
    print_CREATE3res(out, v);
    return out.text();
}
bool recode_MKDIR3args(xdr::Reader& in, xdr::Writer& out) {
    MKDIR3args v{};
    return decode_MKDIR3args(in, v) && encode_MKDIR3args(out, v);
}
bool same_MKDIR3args(xdr::Reader& one, xdr::Reader& other) {
    MKDIR3args a{};
    MKDIR3args b{};
    return decode_MKDIR3args(one, a) && decode_MKDIR3args(other, b) && xdr::same(a, b);
}
std::string text_MKDIR3args(xdr::Reader& in) {
    MKDIR3args v{};
    if (!decode_MKDIR3args(in, v)) return {};
    xdr::Printer out;
    print_MKDIR3args(out, v);
    return out.text();
}
bool recode_MKDIR3resok(xdr::Reader& in, xdr::Writer& out) {
    MKDIR3resok v{};
    return decode_MKDIR3resok(in, v) && encode_MKDIR3resok(out, v);
}
bool same_MKDIR3resok(xdr::Reader& one, xdr::Reader& other) {
    MKDIR3resok a{};
    MKDIR3resok b{};
    return decode_MKDIR3resok(one, a) && decode_MKDIR3resok(other, b) && xdr::same(a, b);
}
std::string text_MKDIR3resok(xdr::Reader& in) {
    MKDIR3resok v{};
    if (!decode_MKDIR3resok(in, v)) return {};
    xdr::Printer out;
    print_MKDIR3resok(out, v);
    return out.text();
}
bool recode_MKDIR3resfail(xdr::Reader& in, xdr::Writer& out) {
    MKDIR3resfail v{};
    return decode_MKDIR3resfail(in, v) && encode_MKDIR3resfail(out, v);
}
bool same_MKDIR3resfail(xdr::Reader& one, xdr::Reader& other) {
    MKDIR3resfail a{};
    MKDIR3resfail b{};
    return decode_MKDIR3resfail(one, a) && decode_MKDIR3resfail(other, b) && xdr::same(a, b);
}
std::string text_MKDIR3resfail(xdr::Reader& in) {
    MKDIR3resfail v{};
    if (!decode_MKDIR3resfail(in, v)) return {};
    xdr::Printer out;
    print_MKDIR3resfail(out, v);
    return out.text();
}
bool recode_MKDIR3res(xdr::Reader& in, xdr::Writer& out) {
    MKDIR3res v{};
    return decode_MKDIR3res(in, v) && encode_MKDIR3res(out, v);
}
bool same_MKDIR3res(xdr::Reader& one, xdr::Reader& other) {
    MKDIR3res a{};
    MKDIR3res b{};
    return decode_MKDIR3res(one, a) && decode_MKDIR3res(other, b) && xdr::same(a, b);
}
std::string text_MKDIR3res(xdr::Reader& in) {
    MKDIR3res v{};
    if (!decode_MKDIR3res(in, v)) return {};
    xdr::Printer out;
    print_MKDIR3res(out, v);
    return out.text();
}
bool recode_symlinkdata3(xdr::Reader& in, xdr::Writer& out) {
    symlinkdata3 v{};
    return decode_symlinkdata3(in, v) && encode_symlinkdata3(out, v);
}
bool same_symlinkdata3(xdr::Reader& one, xdr::Reader& other) {
    symlinkdata3 a{};
    symlinkdata3 b{};
    return decode_symlinkdata3(one, a) && decode_symlinkdata3(other, b) && xdr::same(a, b);
}
std::string text_symlinkdata3(xdr::Reader& in) {
    symlinkdata3 v{};
    if (!decode_symlinkdata3(in, v)) return {};
    xdr::Printer out;
    print_symlinkdata3(out, v);
    return out.text();
}
bool recode_SYMLINK3args(xdr::Reader& in, xdr::Writer& out) {
    SYMLINK3args v{};
    return decode_SYMLINK3args(in, v) && encode_SYMLINK3args(out, v);
}
bool same_SYMLINK3args(xdr::Reader& one, xdr::Reader& other) {
    SYMLINK3args a{};
    SYMLINK3args b{};
    return decode_SYMLINK3args(one, a) && decode_SYMLINK3args(other, b) && xdr::same(a, b);
}
std::string text_SYMLINK3args(xdr::Reader& in) {
    SYMLINK3args v{};
    if (!decode_SYMLINK3args(in, v)) return {};
    xdr::Printer out;
    print_SYMLINK3args(out, v);
    return out.text();
}
bool recode_SYMLINK3resok(xdr::Reader& in, xdr::Writer& out) {
    SYMLINK3resok v{};
    return decode_SYMLINK3resok(in, v) && encode_SYMLINK3resok(out, v);
}
bool same_SYMLINK3resok(xdr::Reader& one, xdr::Reader& other) {
    SYMLINK3resok a{};
    SYMLINK3resok b{};
    return decode_SYMLINK3resok(one, a) && decode_SYMLINK3resok(other, b) && xdr::same(a, b);
}
std::string text_SYMLINK3resok(xdr::Reader& in) {
    SYMLINK3resok v{};
    if (!decode_SYMLINK3resok(in, v)) return {};
    xdr::Printer out;
    print_SYMLINK3resok(out, v);
    return out.text();
}
bool recode_SYMLINK3resfail(xdr::Reader& in, xdr::Writer& out) {
    SYMLINK3resfail v{};
    return decode_SYMLINK3resfail(in, v) && encode_SYMLINK3resfail(out, v);
}
bool same_SYMLINK3resfail(xdr::Reader& one, xdr::Reader& other) {
    SYMLINK3resfail a{};
    SYMLINK3resfail b{};
    return decode_SYMLINK3resfail(one, a) && decode_SYMLINK3resfail(other, b) && xdr::same(a, b);
}
std::string text_SYMLINK3resfail(xdr::Reader& in) {
    SYMLINK3resfail v{};
    if (!decode_SYMLINK3resfail(in, v)) return {};
    xdr::Printer out;
    print_SYMLINK3resfail(out, v);
    return out.text();
}
bool recode_SYMLINK3res(xdr::Reader& in, xdr::Writer& out) {
    SYMLINK3res v{};
    return decode_SYMLINK3res(in, v) && encode_SYMLINK3res(out, v);
}
bool same_SYMLINK3res(xdr::Reader& one, xdr::Reader& other) {
    SYMLINK3res a{};
    SYMLINK3res b{};
    return decode_SYMLINK3res(one, a) && decode_SYMLINK3res(other, b) && xdr::same(a, b);
}
std::string text_SYMLINK3res(xdr::Reader& in) {
    SYMLINK3res v{};
    if (!decode_SYMLINK3res(in, v)) return {};
    xdr::Printer out;
    print_SYMLINK3res(out, v);
    return out.text();
}
bool recode_devicedata3(xdr::Reader& in, xdr::Writer& out) {
    devicedata3 v{};
    return decode_devicedata3(in, v) && encode_devicedata3(out, v);
}
bool same_devicedata3(xdr::Reader& one, xdr::Reader& other) {
    devicedata3 a{};
    devicedata3 b{};
    return decode_devicedata3(one, a) && decode_devicedata3(other, b) && xdr::same(a, b);
}
std::string text_devicedata3(xdr::Reader& in) {
    devicedata3 v{};
    if (!decode_devicedata3(in, v)) return {};
    xdr::Printer out;
    print_devicedata3(out, v);
    return out.text();
}
bool recode_mknoddata3(xdr::Reader& in, xdr::Writer& out) {
    mknoddata3 v{};
    return decode_mknoddata3(in, v) && encode_mknoddata3(out, v);
}
bool same_mknoddata3(xdr::Reader& one, xdr::Reader& other) {
    mknoddata3 a{};
    mknoddata3 b{};
    return decode_mknoddata3(one, a) && decode_mknoddata3(other, b) && xdr::same(a, b);
}
std::string text_mknoddata3(xdr::Reader& in) {
    mknoddata3 v{};
    if (!decode_mknoddata3(in, v)) return {};
    xdr::Printer out;
    print_mknoddata3(out, v);
    return out.text();
}
bool recode_MKNOD3args(xdr::Reader& in, xdr::Writer& out) {
    MKNOD3args v{};
    return decode_MKNOD3args(in, v) && encode_MKNOD3args(out, v);
}
bool same_MKNOD3args(xdr::Reader& one, xdr::Reader& other) {
    MKNOD3args a{};
    MKNOD3args b{};
    return decode_MKNOD3args(one, a) && decode_MKNOD3args(other, b) && xdr::same(a, b);
}
std::string text_MKNOD3args(xdr::Reader& in) {
    MKNOD3args v{};
    if (!decode_MKNOD3args(in, v)) return {};
    xdr::Printer out;
    print_MKNOD3args(out, v);
    return out.text();
}
bool recode_MKNOD3resok(xdr::Reader& in, xdr::Writer& out) {
    MKNOD3resok v{};
    return decode_MKNOD3resok(in, v) && encode_MKNOD3resok(out, v);
}
bool same_MKNOD3resok(xdr::Reader& one, xdr::Reader& other) {
    MKNOD3resok a{};
    MKNOD3resok b{};
    return decode_MKNOD3resok(one, a) && decode_MKNOD3resok(other, b) && xdr::same(a, b);
}
std::string text_MKNOD3resok(xdr::Reader& in) {
    MKNOD3resok v{};
    if (!decode_MKNOD3resok(in, v)) return {};
    xdr::Printer out;
    print_MKNOD3resok(out, v);
    return out.text();
}
bool recode_MKNOD3resfail(xdr::Reader& in, xdr::Writer& out) {
    MKNOD3resfail v{};
    return decode_MKNOD3resfail(in, v) && encode_MKNOD3resfail(out, v);
}
bool same_MKNOD3resfail(xdr::Reader& one, xdr::Reader& other) {
    MKNOD3resfail a{};
    MKNOD3resfail b{};
    return decode_MKNOD3resfail(one, a) && decode_MKNOD3resfail(other, b) && xdr::same(a, b);
}
std::string text_MKNOD3resfail(xdr::Reader& in) {
    MKNOD3resfail v{};
    if (!decode_MKNOD3resfail(in, v)) return {};
    xdr::Printer out;
    print_MKNOD3resfail(out, v);
    return out.text();
}
bool recode_MKNOD3res(xdr::Reader& in, xdr::Writer& out) {
    MKNOD3res v{};
    return decode_MKNOD3res(in, v) && encode_MKNOD3res(out, v);
}
bool same_MKNOD3res(xdr::Reader& one, xdr::Reader& other) {
    MKNOD3res a{};
    MKNOD3res b{};
    return decode_MKNOD3res(one, a) && decode_MKNOD3res(other, b) && xdr::same(a, b);
}
std::string text_MKNOD3res(xdr::Reader& in) {
    MKNOD3res v{};
    if (!decode_MKNOD3res(in, v)) return {};
    xdr::Printer out;
    print_MKNOD3res(out, v);
    return out.text();
}
bool recode_REMOVE3args(xdr::Reader& in, xdr::Writer& out) {
    REMOVE3args v{};
    return decode_REMOVE3args(in, v) && encode_REMOVE3args(out, v);
}
bool same_REMOVE3args(xdr::Reader& one, xdr::Reader& other) {
    REMOVE3args a{};
    REMOVE3args b{};
    return decode_REMOVE3args(one, a) && decode_REMOVE3args(other, b) && xdr::same(a, b);
}
std::string text_REMOVE3args(xdr::Reader& in) {
    REMOVE3args v{};
    if (!decode_REMOVE3args(in, v)) return {};
    xdr::Printer out;
    print_REMOVE3args(out, v);
    return out.text();
}
bool recode_REMOVE3resok(xdr::Reader& in, xdr::Writer& out) {
    REMOVE3resok v{};
    return decode_REMOVE3resok(in, v) && encode_REMOVE3resok(out, v);
}
bool same_REMOVE3resok(xdr::Reader& one, xdr::Reader& other) {
    REMOVE3resok a{};
    REMOVE3resok b{};
    return decode_REMOVE3resok(one, a) && decode_REMOVE3resok(other, b) && xdr::same(a, b);
}
std::string text_REMOVE3resok(xdr::Reader& in) {
    REMOVE3resok v{};
    if (!decode_REMOVE3resok(in, v)) return {};
    xdr::Printer out;
    print_REMOVE3resok(out, v);
    return out.text();
}
bool recode_REMOVE3resfail(xdr::Reader& in, xdr::Writer& out) {
    REMOVE3resfail v{};
    return decode_REMOVE3resfail(in, v) && encode_REMOVE3resfail(out, v);
}
bool same_REMOVE3resfail(xdr::Reader& one, xdr::Reader& other) {
    REMOVE3resfail a{};
    REMOVE3resfail b{};
    return decode_REMOVE3resfail(one, a) && decode_REMOVE3resfail(other, b) && xdr::same(a, b);
}
std::string text_REMOVE3resfail(xdr::Reader& in) {
    REMOVE3resfail v{};
    if (!decode_REMOVE3resfail(in, v)) return {};
    xdr::Printer out;
    print_REMOVE3resfail(out, v);
    return out.text();
}
bool recode_REMOVE3res(xdr::Reader& in, xdr::Writer& out) {
    REMOVE3res v{};
    return decode_REMOVE3res(in, v) && encode_REMOVE3res(out, v);
}
bool same_REMOVE3res(xdr::Reader& one, xdr::Reader& other) {
    REMOVE3res a{};
    REMOVE3res b{};
    return decode_REMOVE3res(one, a) && decode_REMOVE3res(other, b) && xdr::same(a, b);
}
std::string text_REMOVE3res(xdr::Reader& in) {
    REMOVE3res v{};
    if (!decode_REMOVE3res(in, v)) return {};
    xdr::Printer out;
    print_REMOVE3res(out, v);
    return out.text();
}
bool recode_RMDIR3args(xdr::Reader& in, xdr::Writer& out) {
    RMDIR3args v{};
    return decode_RMDIR3args(in, v) && encode_RMDIR3args(out, v);
}
bool same_RMDIR3args(xdr::Reader& one, xdr::Reader& other) {
    RMDIR3args a{};
    RMDIR3args b{};
    return decode_RMDIR3args(one, a) && decode_RMDIR3args(other, b) && xdr::same(a, b);
}
std::string text_RMDIR3args(xdr::Reader& in) {
    RMDIR3args v{};
    if (!decode_RMDIR3args(in, v)) return {};
    xdr::Printer out;
    print_RMDIR3args(out, v);
    return out.text();
}
bool recode_RMDIR3resok(xdr::Reader& in, xdr::Writer& out) {
    RMDIR3resok v{};
    return decode_RMDIR3resok(in, v) && encode_RMDIR3resok(out, v);
}
bool same_RMDIR3resok(xdr::Reader& one, xdr::Reader& other) {
    RMDIR3resok a{};
    RMDIR3resok b{};
    return decode_RMDIR3resok(one, a) && decode_RMDIR3resok(other, b) && xdr::same(a, b);
}
std::string text_RMDIR3resok(xdr::Reader& in) {
    RMDIR3resok v{};
    if (!decode_RMDIR3resok(in, v)) return {};
    xdr::Printer out;
    print_RMDIR3resok(out, v);
    return out.text();
}
bool recode_RMDIR3resfail(xdr::Reader& in, xdr::Writer& out) {
    RMDIR3resfail v{};
    return decode_RMDIR3resfail(in, v) && encode_RMDIR3resfail(out, v);
}
bool same_RMDIR3resfail(xdr::Reader& one, xdr::Reader& other) {
    RMDIR3resfail a{};
    RMDIR3resfail b{};
    return decode_RMDIR3resfail(one, a) && decode_RMDIR3resfail(other, b) && xdr::same(a, b);
}
std::string text_RMDIR3resfail(xdr::Reader& in) {
    RMDIR3resfail v{};
    if (!decode_RMDIR3resfail(in, v)) return {};
    xdr::Printer out;
    print_RMDIR3resfail(out, v);
    return out.text();
}
bool recode_RMDIR3res(xdr::Reader& in, xdr::Writer& out) {
    RMDIR3res v{};
    return decode_RMDIR3res(in, v) && encode_RMDIR3res(out, v);
}
bool same_RMDIR3res(xdr::Reader& one, xdr::Reader& other) {
    RMDIR3res a{};
    RMDIR3res b{};
    return decode_RMDIR3res(one, a) && decode_RMDIR3res(other, b) && xdr::same(a, b);
}
std::string text_RMDIR3res(xdr::Reader& in) {
    RMDIR3res v{};
    if (!decode_RMDIR3res(in, v)) return {};
    xdr::Printer out;
    print_RMDIR3res(out, v);
    return out.text();
}
bool recode_RENAME3args(xdr::Reader& in, xdr::Writer& out) {
    RENAME3args v{};
    return decode_RENAME3args(in, v) && encode_RENAME3args(out, v);
}
bool same_RENAME3args(xdr::Reader& one, xdr::Reader& other) {
    RENAME3args a{};
    RENAME3args b{};
    return decode_RENAME3args(one, a) && decode_RENAME3args(other, b) && xdr::same(a, b);
}
std::string text_RENAME3args(xdr::Reader& in) {
    RENAME3args v{};
    if (!decode_RENAME3args(in, v)) return {};
    xdr::Printer out;
    print_RENAME3args(out, v);
    return out.text();
}
bool recode_RENAME3resok(xdr::Reader& in, xdr::Writer& out) {
    RENAME3resok v{};
    return decode_RENAME3resok(in, v) && encode_RENAME3resok(out, v);
}
bool same_RENAME3resok(xdr::Reader& one, xdr::Reader& other) {
    RENAME3resok a{};
    RENAME3resok b{};
    return decode_RENAME3resok(one, a) && decode_RENAME3resok(other, b) && xdr::same(a, b);
}
std::string text_RENAME3resok(xdr::Reader& in) {
    RENAME3resok v{};
    if (!decode_RENAME3resok(in, v)) return {};
    xdr::Printer out;
    print_RENAME3resok(out, v);
    return out.text();
}
bool recode_RENAME3resfail(xdr::Reader& in, xdr::Writer& out) {
    RENAME3resfail v{};
    return decode_RENAME3resfail(in, v) && encode_RENAME3resfail(out, v);
}
bool same_RENAME3resfail(xdr::Reader& one, xdr::Reader& other) {
    RENAME3resfail a{};
    RENAME3resfail b{};
    return decode_RENAME3resfail(one, a) && decode_RENAME3resfail(other, b) && xdr::same(a, b);
}
std::string text_RENAME3resfail(xdr::Reader& in) {
    RENAME3resfail v{};
    if (!decode_RENAME3resfail(in, v)) return {};
    xdr::Printer out;
    print_RENAME3resfail(out, v);
    return out.text();
}
bool recode_RENAME3res(xdr::Reader& in, xdr::Writer& out) {
    RENAME3res v{};
    return decode_RENAME3res(in, v) && encode_RENAME3res(out, v);
}
bool same_RENAME3res(xdr::Reader& one, xdr::Reader& other) {
    RENAME3res a{};
    RENAME3res b{};
    return decode_RENAME3res(one, a) && decode_RENAME3res(other, b) && xdr::same(a, b);
}
std::string text_RENAME3res(xdr::Reader& in) {
    RENAME3res v{};
    if (!decode_RENAME3res(in, v)) return {};
    xdr::Printer out;
    print_RENAME3res(out, v);
    return out.text();
}
bool recode_LINK3args(xdr::Reader& in, xdr::Writer& out) {
    LINK3args v{};
    return decode_LINK3args(in, v) && encode_LINK3args(out, v);
}
bool same_LINK3args(xdr::Reader& one, xdr::Reader& other) {
    LINK3args a{};
    LINK3args b{};
    return decode_LINK3args(one, a) && decode_LINK3args(other, b) && xdr::same(a, b);
}
std::string text_LINK3args(xdr::Reader& in) {
    LINK3args v{};
    if (!decode_LINK3args(in, v)) return {};
    xdr::Printer out;
    print_LINK3args(out, v);
    return out.text();
}
bool recode_LINK3resok(xdr::Reader& in, xdr::Writer& out) {
    LINK3resok v{};
    return decode_LINK3resok(in, v) && encode_LINK3resok(out, v);
}
bool same_LINK3resok(xdr::Reader& one, xdr::Reader& other) {
    LINK3resok a{};
    LINK3resok b{};
    return decode_LINK3resok(one, a) && decode_LINK3resok(other, b) && xdr::same(a, b);
}
std::string text_LINK3resok(xdr::Reader& in) {
    LINK3resok v{};
    if (!decode_LINK3resok(in, v)) return {};
    xdr::Printer out;
    print_LINK3resok(out, v);
    return out.text();
}
bool recode_LINK3resfail(xdr::Reader& in, xdr::Writer& out) {
    LINK3resfail v{};
    return decode_LINK3resfail(in, v) && encode_LINK3resfail(out, v);
}
bool same_LINK3resfail(xdr::Reader& one, xdr::Reader& other) {
    LINK3resfail a{};
    LINK3resfail b{};
    return decode_LINK3resfail(one, a) && decode_LINK3resfail(other, b) && xdr::same(a, b);
}
std::string text_LINK3resfail(xdr::Reader& in) {
    LINK3resfail v{};
    if (!decode_LINK3resfail(in, v)) return {};
    xdr::Printer out;
    print_LINK3resfail(out, v);
    return out.text();
}
bool recode_LINK3res(xdr::Reader& in, xdr::Writer& out) {
    LINK3res v{};
    return decode_LINK3res(in, v) && encode_LINK3res(out, v);
}
bool same_LINK3res(xdr::Reader& one, xdr::Reader& other) {
    LINK3res a{};
    LINK3res b{};
    return decode_LINK3res(one, a) && decode_LINK3res(other, b) && xdr::same(a, b);
}
std::string text_LINK3res(xdr::Reader& in) {
    LINK3res v{};
    if (!decode_LINK3res(in, v)) return {};
    xdr::Printer out;
    print_LINK3res(out, v);
    return out.text();
}
bool recode_READDIR3args(xdr::Reader& in, xdr::Writer& out) {
    READDIR3args v{};
    return decode_READDIR3args(in, v) && encode_READDIR3args(out, v);
}
bool same_READDIR3args(xdr::Reader& one, xdr::Reader& other) {
    READDIR3args a{};
    READDIR3args b{};
    return decode_READDIR3args(one, a) && decode_READDIR3args(other, b) && xdr::same(a, b);
}
std::string text_READDIR3args(xdr::Reader& in) {
    READDIR3args v{};
    if (!decode_READDIR3args(in, v)) return {};
    xdr::Printer out;
    print_READDIR3args(out, v);
    return out.text();
}
bool recode_entry3(xdr::Reader& in, xdr::Writer& out) {
    entry3 v{};
    return decode_entry3(in, v) && encode_entry3(out, v);
}
bool same_entry3(xdr::Reader& one, xdr::Reader& other) {
    entry3 a{};
    entry3 b{};
    return decode_entry3(one, a) && decode_entry3(other, b) && xdr::same(a, b);
}
std::string text_entry3(xdr::Reader& in) {
    entry3 v{};
    if (!decode_entry3(in, v)) return {};
    xdr::Printer out;
    print_entry3(out, v);
    return out.text();
}
bool recode_dirlist3(xdr::Reader& in, xdr::Writer& out) {
    dirlist3 v{};
    return decode_dirlist3(in, v) && encode_dirlist3(out, v);
}
bool same_dirlist3(xdr::Reader& one, xdr::Reader& other) {
    dirlist3 a{};
    dirlist3 b{};
    return decode_dirlist3(one, a) && decode_dirlist3(other, b) && xdr::same(a, b);
}
std::string text_dirlist3(xdr::Reader& in) {
    dirlist3 v{};
    if (!decode_dirlist3(in, v)) return {};
    xdr::Printer out;
    print_dirlist3(out, v);
    return out.text();
}
bool recode_READDIR3resok(xdr::Reader& in, xdr::Writer& out) {
    READDIR3resok v{};
    return decode_READDIR3resok(in, v) && encode_READDIR3resok(out, v);
}
bool same_READDIR3resok(xdr::Reader& one, xdr::Reader& other) {
    READDIR3resok a{};
    READDIR3resok b{};
    return decode_READDIR3resok(one, a) && decode_READDIR3resok(other, b) && xdr::same(a, b);
}
std::string text_READDIR3resok(xdr::Reader& in) {
    READDIR3resok v{};
    if (!decode_READDIR3resok(in, v)) return {};
    xdr::Printer out;
    print_READDIR3resok(out, v);
    return out.text();
}
bool recode_READDIR3resfail(xdr::Reader& in, xdr::Writer& out) {
    READDIR3resfail v{};
    return decode_READDIR3resfail(in, v) && encode_READDIR3resfail(out, v);
}
bool same_READDIR3resfail(xdr::Reader& one, xdr::Reader& other) {
    READDIR3resfail a{};
    READDIR3resfail b{};
    return decode_READDIR3resfail(one, a) && decode_READDIR3resfail(other, b) && xdr::same(a, b);
}
std::string text_READDIR3resfail(xdr::Reader& in) {
    READDIR3resfail v{};
    if (!decode_READDIR3resfail(in, v)) return {};
    xdr::Printer out;
    print_READDIR3resfail(out, v);
    return out.text();
}
bool recode_READDIR3res(xdr::Reader& in, xdr::Writer& out) {
    READDIR3res v{};
    return decode_READDIR3res(in, v) && encode_READDIR3res(out, v);
}
bool same_READDIR3res(xdr::Reader& one, xdr::Reader& other) {
    READDIR3res a{};
    READDIR3res b{};
    return decode_READDIR3res(one, a) && decode_READDIR3res(other, b) && xdr::same(a, b);
}
std::string text_READDIR3res(xdr::Reader& in) {
    READDIR3res v{};
    if (!decode_READDIR3res(in, v)) return {};
    xdr::Printer out;
    print_READDIR3res(out, v);
    return out.text();
}
bool recode_READDIRPLUS3args(xdr::Reader& in, xdr::Writer& out) {
    READDIRPLUS3args v{};
    return decode_READDIRPLUS3args(in, v) && encode_READDIRPLUS3args(out, v);
}
bool same_READDIRPLUS3args(xdr::Reader& one, xdr::Reader& other) {
    READDIRPLUS3args a{};
    READDIRPLUS3args b{};
    return decode_READDIRPLUS3args(one, a) && decode_READDIRPLUS3args(other, b) && xdr::same(a, b);
}
std::string text_READDIRPLUS3args(xdr::Reader& in) {
    READDIRPLUS3args v{};
    if (!decode_READDIRPLUS3args(in, v)) return {};
    xdr::Printer out;
    print_READDIRPLUS3args(out, v);
    return out.text();
}
bool recode_entryplus3(xdr::Reader& in, xdr::Writer& out) {
    entryplus3 v{};
    return decode_entryplus3(in, v) && encode_entryplus3(out, v);
}
bool same_entryplus3(xdr::Reader& one, xdr::Reader& other) {
    entryplus3 a{};
    entryplus3 b{};
    return decode_entryplus3(one, a) && decode_entryplus3(other, b) && xdr::same(a, b);
}
std::string text_entryplus3(xdr::Reader& in) {
    entryplus3 v{};
    if (!decode_entryplus3(in, v)) return {};
    xdr::Printer out;
    print_entryplus3(out, v);
    return out.text();
}
bool recode_dirlistplus3(xdr::Reader& in, xdr::Writer& out) {
    dirlistplus3 v{};
    return decode_dirlistplus3(in, v) && encode_dirlistplus3(out, v);
}
bool same_dirlistplus3(xdr::Reader& one, xdr::Reader& other) {
    dirlistplus3 a{};
    dirlistplus3 b{};
    return decode_dirlistplus3(one, a) && decode_dirlistplus3(other, b) && xdr::same(a, b);
}
std::string text_dirlistplus3(xdr::Reader& in) {
    dirlistplus3 v{};
    if (!decode_dirlistplus3(in, v)) return {};
    xdr::Printer out;
    print_dirlistplus3(out, v);
    return out.text();
}
bool recode_READDIRPLUS3resok(xdr::Reader& in, xdr::Writer& out) {
    READDIRPLUS3resok v{};
    return decode_READDIRPLUS3resok(in, v) && encode_READDIRPLUS3resok(out, v);
}
bool same_READDIRPLUS3resok(xdr::Reader& one, xdr::Reader& other) {
    READDIRPLUS3resok a{};
    READDIRPLUS3resok b{};
    return decode_READDIRPLUS3resok(one, a) && decode_READDIRPLUS3resok(other, b) && xdr::same(a, b);
}
std::string text_READDIRPLUS3resok(xdr::Reader& in) {
    READDIRPLUS3resok v{};
    if (!decode_READDIRPLUS3resok(in, v)) return {};
    xdr::Printer out;
    print_READDIRPLUS3resok(out, v);
    return out.text();
}
bool recode_READDIRPLUS3resfail(xdr::Reader& in, xdr::Writer& out) {
    READDIRPLUS3resfail v{};
    return decode_READDIRPLUS3resfail(in, v) && encode_READDIRPLUS3resfail(out, v);
}
bool same_READDIRPLUS3resfail(xdr::Reader& one, xdr::Reader& other) {
    READDIRPLUS3resfail a{};
    READDIRPLUS3resfail b{};
    return decode_READDIRPLUS3resfail(one, a) && decode_READDIRPLUS3resfail(other, b) && xdr::same(a, b);
}
std::string text_READDIRPLUS3resfail(xdr::Reader& in) {
    READDIRPLUS3resfail v{};
    if (!decode_READDIRPLUS3resfail(in, v)) return {};
    xdr::Printer out;
    print_READDIRPLUS3resfail(out, v);
    return out.text();
}
bool recode_READDIRPLUS3res(xdr::Reader& in, xdr::Writer& out) {
    READDIRPLUS3res v{};
    return decode_READDIRPLUS3res(in, v) && encode_READDIRPLUS3res(out, v);
}
bool same_READDIRPLUS3res(xdr::Reader& one, xdr::Reader& other) {
    READDIRPLUS3res a{};
    READDIRPLUS3res b{};
    return decode_READDIRPLUS3res(one, a) && decode_READDIRPLUS3res(other, b) && xdr::same(a, b);
}
std::string text_READDIRPLUS3res(xdr::Reader& in) {
    READDIRPLUS3res v{};
    if (!decode_READDIRPLUS3res(in, v)) return {};
    xdr::Printer out;
    print_READDIRPLUS3res(out, v);
    return out.text();
}
bool recode_FSSTAT3args(xdr::Reader& in, xdr::Writer& out) {
    FSSTAT3args v{};
    return decode_FSSTAT3args(in, v) && encode_FSSTAT3args(out, v);
}
bool same_FSSTAT3args(xdr::Reader& one, xdr::Reader& other) {
    FSSTAT3args a{};
    FSSTAT3args b{};
    return decode_FSSTAT3args(one, a) && decode_FSSTAT3args(other, b) && xdr::same(a, b);
}
std::string text_FSSTAT3args(xdr::Reader& in) {
    FSSTAT3args v{};
    if (!decode_FSSTAT3args(in, v)) return {};
    xdr::Printer out;
    print_FSSTAT3args(out, v);
    return out.text();
}
bool recode_FSSTAT3resok(xdr::Reader& in, xdr::Writer& out) {
    FSSTAT3resok v{};
    return decode_FSSTAT3resok(in, v) && encode_FSSTAT3resok(out, v);
}
bool same_FSSTAT3resok(xdr::Reader& one, xdr::Reader& other) {
    FSSTAT3resok a{};
    FSSTAT3resok b{};
    return decode_FSSTAT3resok(one, a) && decode_FSSTAT3resok(other, b) && xdr::same(a, b);
}
std::string text_FSSTAT3resok(xdr::Reader& in) {
    FSSTAT3resok v{};
    if (!decode_FSSTAT3resok(in, v)) return {};
    xdr::Printer out;
    print_FSSTAT3resok(out, v);
    return out.text();
}
bool recode_FSSTAT3resfail(xdr::Reader& in, xdr::Writer& out) {
    FSSTAT3resfail v{};
    return decode_FSSTAT3resfail(in, v) && encode_FSSTAT3resfail(out, v);
}
bool same_FSSTAT3resfail(xdr::Reader& one, xdr::Reader& other) {
    FSSTAT3resfail a{};
    FSSTAT3resfail b{};
    return decode_FSSTAT3resfail(one, a) && decode_FSSTAT3resfail(other, b) && xdr::same(a, b);
}
std::string text_FSSTAT3resfail(xdr::Reader& in) {
    FSSTAT3resfail v{};
    if (!decode_FSSTAT3resfail(in, v)) return {};
    xdr::Printer out;
    print_FSSTAT3resfail(out, v);
    return out.text();
}
bool recode_FSSTAT3res(xdr::Reader& in, xdr::Writer& out) {
    FSSTAT3res v{};
    return decode_FSSTAT3res(in, v) && encode_FSSTAT3res(out, v);
}
bool same_FSSTAT3res(xdr::Reader& one, xdr::Reader& other) {
    FSSTAT3res a{};
    FSSTAT3res b{};
    return decode_FSSTAT3res(one, a) && decode_FSSTAT3res(other, b) && xdr::same(a, b);
}
std::string text_FSSTAT3res(xdr::Reader& in) {
    FSSTAT3res v{};
    if (!decode_FSSTAT3res(in, v)) return {};
    xdr::Printer out;
    print_FSSTAT3res(out, v);
    return out.text();
}
bool recode_FSINFO3args(xdr::Reader& in, xdr::Writer& out) {
    FSINFO3args v{};
    return decode_FSINFO3args(in, v) && encode_FSINFO3args(out, v);
}
bool same_FSINFO3args(xdr::Reader& one, xdr::Reader& other) {
    FSINFO3args a{};
    FSINFO3args b{};
    return decode_FSINFO3args(one, a) && decode_FSINFO3args(other, b) && xdr::same(a, b);
}
std::string text_FSINFO3args(xdr::Reader& in) {
    FSINFO3args v{};
    if (!decode_FSINFO3args(in, v)) return {};
    xdr::Printer out;
    print_FSINFO3args(out, v);
    return out.text();
}
bool recode_FSINFO3resok(xdr::Reader& in, xdr::Writer& out) {
    FSINFO3resok v{};
    return decode_FSINFO3resok(in, v) && encode_FSINFO3resok(out, v);
}
bool same_FSINFO3resok(xdr::Reader& one, xdr::Reader& other) {
    FSINFO3resok a{};
    FSINFO3resok b{};
    return decode_FSINFO3resok(one, a) && decode_FSINFO3resok(other, b) && xdr::same(a, b);
}
std::string text_FSINFO3resok(xdr::Reader& in) {
    FSINFO3resok v{};
    if (!decode_FSINFO3resok(in, v)) return {};
    xdr::Printer out;
    print_FSINFO3resok(out, v);
    return out.text();
}
bool recode_FSINFO3resfail(xdr::Reader& in, xdr::Writer& out) {
    FSINFO3resfail v{};
    return decode_FSINFO3resfail(in, v) && encode_FSINFO3resfail(out, v);
}
bool same_FSINFO3resfail(xdr::Reader& one, xdr::Reader& other) {
    FSINFO3resfail a{};
    FSINFO3resfail b{};
    return decode_FSINFO3resfail(one, a) && decode_FSINFO3resfail(other, b) && xdr::same(a, b);
}
std::string text_FSINFO3resfail(xdr::Reader& in) {
    FSINFO3resfail v{};
    if (!decode_FSINFO3resfail(in, v)) return {};
    xdr::Printer out;
    print_FSINFO3resfail(out, v);
    return out.text();
}
bool recode_FSINFO3res(xdr::Reader& in, xdr::Writer& out) {
    FSINFO3res v{};
    return decode_FSINFO3res(in, v) && encode_FSINFO3res(out, v);
}
bool same_FSINFO3res(xdr::Reader& one, xdr::Reader& other) {
    FSINFO3res a{};
    FSINFO3res b{};
    return decode_FSINFO3res(one, a) && decode_FSINFO3res(other, b) && xdr::same(a, b);
}
std::string text_FSINFO3res(xdr::Reader& in) {
    FSINFO3res v{};
    if (!decode_FSINFO3res(in, v)) return {};
    xdr::Printer out;
    print_FSINFO3res(out, v);
    return out.text();
}
bool recode_PATHCONF3args(xdr::Reader& in, xdr::Writer& out) {
    PATHCONF3args v{};
    return decode_PATHCONF3args(in, v) && encode_PATHCONF3args(out, v);
}
bool same_PATHCONF3args(xdr::Reader& one, xdr::Reader& other) {
    PATHCONF3args a{};
    PATHCONF3args b{};
    return decode_PATHCONF3args(one, a) && decode_PATHCONF3args(other, b) && xdr::same(a, b);
}
std::string text_PATHCONF3args(xdr::Reader& in) {
    PATHCONF3args v{};
    if (!decode_PATHCONF3args(in, v)) return {};
    xdr::Printer out;
    print_PATHCONF3args(out, v);
    return out.text();
}
bool recode_PATHCONF3resok(xdr::Reader& in, xdr::Writer& out) {
    PATHCONF3resok v{};
    return decode_PATHCONF3resok(in, v) && encode_PATHCONF3resok(out, v);
}
bool same_PATHCONF3resok(xdr::Reader& one, xdr::Reader& other) {
    PATHCONF3resok a{};
    PATHCONF3resok b{};
    return decode_PATHCONF3resok(one, a) && decode_PATHCONF3resok(other, b) && xdr::same(a, b);
}
std::string text_PATHCONF3resok(xdr::Reader& in) {
    PATHCONF3resok v{};
    if (!decode_PATHCONF3resok(in, v)) return {};
    xdr::Printer out;
    print_PATHCONF3resok(out, v);
    return out.text();
}
bool recode_PATHCONF3resfail(xdr::Reader& in, xdr::Writer& out) {
    PATHCONF3resfail v{};
    return decode_PATHCONF3resfail(in, v) && encode_PATHCONF3resfail(out, v);
}
bool same_PATHCONF3resfail(xdr::Reader& one, xdr::Reader& other) {
    PATHCONF3resfail a{};
    PATHCONF3resfail b{};
    return decode_PATHCONF3resfail(one, a) && decode_PATHCONF3resfail(other, b) && xdr::same(a, b);
}
std::string text_PATHCONF3resfail(xdr::Reader& in) {
    PATHCONF3resfail v{};
    if (!decode_PATHCONF3resfail(in, v)) return {};
    xdr::Printer out;
    print_PATHCONF3resfail(out, v);
    return out.text();
}
bool recode_PATHCONF3res(xdr::Reader& in, xdr::Writer& out) {
    PATHCONF3res v{};
    return decode_PATHCONF3res(in, v) && encode_PATHCONF3res(out, v);
}
bool same_PATHCONF3res(xdr::Reader& one, xdr::Reader& other) {
    PATHCONF3res a{};
    PATHCONF3res b{};
    return decode_PATHCONF3res(one, a) && decode_PATHCONF3res(other, b) && xdr::same(a, b);
}
std::string text_PATHCONF3res(xdr::Reader& in) {
    PATHCONF3res v{};
    if (!decode_PATHCONF3res(in, v)) return {};
    xdr::Printer out;
    print_PATHCONF3res(out, v);
    return out.text();
}
bool recode_COMMIT3args(xdr::Reader& in, xdr::Writer& out) {
    COMMIT3args v{};
    return decode_COMMIT3args(in, v) && encode_COMMIT3args(out, v);
}
bool same_COMMIT3args(xdr::Reader& one, xdr::Reader& other) {
    COMMIT3args a{};
    COMMIT3args b{};
    return decode_COMMIT3args(one, a) && decode_COMMIT3args(other, b) && xdr::same(a, b);
}
std::string text_COMMIT3args(xdr::Reader& in) {
    COMMIT3args v{};
    if (!decode_COMMIT3args(in, v)) return {};
    xdr::Printer out;
    print_COMMIT3args(out, v);
    return out.text();
}
bool recode_COMMIT3resok(xdr::Reader& in, xdr::Writer& out) {
    COMMIT3resok v{};
    return decode_COMMIT3resok(in, v) && encode_COMMIT3resok(out, v);
}
bool same_COMMIT3resok(xdr::Reader& one, xdr::Reader& other) {
    COMMIT3resok a{};
    COMMIT3resok b{};
    return decode_COMMIT3resok(one, a) && decode_COMMIT3resok(other, b) && xdr::same(a, b);
}
std::string text_COMMIT3resok(xdr::Reader& in) {
    COMMIT3resok v{};
    if (!decode_COMMIT3resok(in, v)) return {};
    xdr::Printer out;
    print_COMMIT3resok(out, v);
    return out.text();
}
bool recode_COMMIT3resfail(xdr::Reader& in, xdr::Writer& out) {
    COMMIT3resfail v{};
    return decode_COMMIT3resfail(in, v) && encode_COMMIT3resfail(out, v);
}
bool same_COMMIT3resfail(xdr::Reader& one, xdr::Reader& other) {
    COMMIT3resfail a{};
    COMMIT3resfail b{};
    return decode_COMMIT3resfail(one, a) && decode_COMMIT3resfail(other, b) && xdr::same(a, b);
}
std::string text_COMMIT3resfail(xdr::Reader& in) {
    COMMIT3resfail v{};
    if (!decode_COMMIT3resfail(in, v)) return {};
    xdr::Printer out;
    print_COMMIT3resfail(out, v);
    return out.text();
}
bool recode_COMMIT3res(xdr::Reader& in, xdr::Writer& out) {
    COMMIT3res v{};
    return decode_COMMIT3res(in, v) && encode_COMMIT3res(out, v);
}
bool same_COMMIT3res(xdr::Reader& one, xdr::Reader& other) {
    COMMIT3res a{};
    COMMIT3res b{};
    return decode_COMMIT3res(one, a) && decode_COMMIT3res(other, b) && xdr::same(a, b);
}
std::string text_COMMIT3res(xdr::Reader& in) {
    COMMIT3res v{};
    if (!decode_COMMIT3res(in, v)) return {};
    xdr::Printer out;
    print_COMMIT3res(out, v);
    return out.text();
}

constexpr xdr::TypeCodec kTypeCodecs[132] = {
    {"uint64", recode_uint64, same_uint64, text_uint64},
    {"int64", recode_int64, same_int64, text_int64},
    {"uint32", recode_uint32, same_uint32, text_uint32},
    {"int32", recode_int32, same_int32, text_int32},
    {"filename3", recode_filename3, same_filename3, text_filename3},
    {"nfspath3", recode_nfspath3, same_nfspath3, text_nfspath3},
    {"fileid3", recode_fileid3, same_fileid3, text_fileid3},
    {"cookie3", recode_cookie3, same_cookie3, text_cookie3},
    {"cookieverf3", recode_cookieverf3, same_cookieverf3, text_cookieverf3},
    {"createverf3", recode_createverf3, same_createverf3, text_createverf3},
    {"writeverf3", recode_writeverf3, same_writeverf3, text_writeverf3},
    {"uid3", recode_uid3, same_uid3, text_uid3},
    {"gid3", recode_gid3, same_gid3, text_gid3},
    {"size3", recode_size3, same_size3, text_size3},
    {"offset3", recode_offset3, same_offset3, text_offset3},
    {"mode3", recode_mode3, same_mode3, text_mode3},
    {"count3", recode_count3, same_count3, text_count3},
    {"nfsstat3", recode_nfsstat3, same_nfsstat3, text_nfsstat3},
    {"ftype3", recode_ftype3, same_ftype3, text_ftype3},
    {"specdata3", recode_specdata3, same_specdata3, text_specdata3},
    {"nfs_fh3", recode_nfs_fh3, same_nfs_fh3, text_nfs_fh3},
    {"nfstime3", recode_nfstime3, same_nfstime3, text_nfstime3},
    {"fattr3", recode_fattr3, same_fattr3, text_fattr3},
    {"post_op_attr", recode_post_op_attr, same_post_op_attr, text_post_op_attr},
    {"wcc_attr", recode_wcc_attr, same_wcc_attr, text_wcc_attr},
    {"pre_op_attr", recode_pre_op_attr, same_pre_op_attr, text_pre_op_attr},
    {"wcc_data", recode_wcc_data, same_wcc_data, text_wcc_data},
    {"post_op_fh3", recode_post_op_fh3, same_post_op_fh3, text_post_op_fh3},
    {"time_how", recode_time_how, same_time_how, text_time_how},
    {"set_mode3", recode_set_mode3, same_set_mode3, text_set_mode3},
    {"set_uid3", recode_set_uid3, same_set_uid3, text_set_uid3},
    {"set_gid3", recode_set_gid3, same_set_gid3, text_set_gid3},
    {"set_size3", recode_set_size3, same_set_size3, text_set_size3},
    {"set_atime", recode_set_atime, same_set_atime, text_set_atime},
    {"set_mtime", recode_set_mtime, same_set_mtime, text_set_mtime},
    {"sattr3", recode_sattr3, same_sattr3, text_sattr3},
    {"diropargs3", recode_diropargs3, same_diropargs3, text_diropargs3},
    {"GETATTR3args", recode_GETATTR3args, same_GETATTR3args, text_GETATTR3args},
    {"GETATTR3resok", recode_GETATTR3resok, same_GETATTR3resok, text_GETATTR3resok},
    {"GETATTR3res", recode_GETATTR3res, same_GETATTR3res, text_GETATTR3res},
    {"sattrguard3", recode_sattrguard3, same_sattrguard3, text_sattrguard3},
    {"SETATTR3args", recode_SETATTR3args, same_SETATTR3args, text_SETATTR3args},
    {"SETATTR3resok", recode_SETATTR3resok, same_SETATTR3resok, text_SETATTR3resok},
    {"SETATTR3resfail", recode_SETATTR3resfail, same_SETATTR3resfail, text_SETATTR3resfail},
    {"SETATTR3res", recode_SETATTR3res, same_SETATTR3res, text_SETATTR3res},
    {"LOOKUP3args", recode_LOOKUP3args, same_LOOKUP3args, text_LOOKUP3args},
    {"LOOKUP3resok", recode_LOOKUP3resok, same_LOOKUP3resok, text_LOOKUP3resok},
    {"LOOKUP3resfail", recode_LOOKUP3resfail, same_LOOKUP3resfail, text_LOOKUP3resfail},
    {"LOOKUP3res", recode_LOOKUP3res, same_LOOKUP3res, text_LOOKUP3res},
    {"ACCESS3args", recode_ACCESS3args, same_ACCESS3args, text_ACCESS3args},
    {"ACCESS3resok", recode_ACCESS3resok, same_ACCESS3resok, text_ACCESS3resok},
    {"ACCESS3resfail", recode_ACCESS3resfail, same_ACCESS3resfail, text_ACCESS3resfail},
    {"ACCESS3res", recode_ACCESS3res, same_ACCESS3res, text_ACCESS3res},
    {"READLINK3args", recode_READLINK3args, same_READLINK3args, text_READLINK3args},
    {"READLINK3resok", recode_READLINK3resok, same_READLINK3resok, text_READLINK3resok},
    {"READLINK3resfail", recode_READLINK3resfail, same_READLINK3resfail, text_READLINK3resfail},
    {"READLINK3res", recode_READLINK3res, same_READLINK3res, text_READLINK3res},
    {"READ3args", recode_READ3args, same_READ3args, text_READ3args},
    {"READ3resok", recode_READ3resok, same_READ3resok, text_READ3resok},
    {"READ3resfail", recode_READ3resfail, same_READ3resfail, text_READ3resfail},
    {"READ3res", recode_READ3res, same_READ3res, text_READ3res},
    {"stable_how", recode_stable_how, same_stable_how, text_stable_how},
    {"WRITE3args", recode_WRITE3args, same_WRITE3args, text_WRITE3args},
    {"WRITE3resok", recode_WRITE3resok, same_WRITE3resok, text_WRITE3resok},
    {"WRITE3resfail", recode_WRITE3resfail, same_WRITE3resfail, text_WRITE3resfail},
    {"WRITE3res", recode_WRITE3res, same_WRITE3res, text_WRITE3res},
    {"createmode3", recode_createmode3, same_createmode3, text_createmode3},
    {"createhow3", recode_createhow3, same_createhow3, text_createhow3},
    {"CREATE3args", recode_CREATE3args, same_CREATE3args, text_CREATE3args},
    {"CREATE3resok", recode_CREATE3resok, same_CREATE3resok, text_CREATE3resok},
    {"CREATE3resfail", recode_CREATE3resfail, same_CREATE3resfail, text_CREATE3resfail},
    {"CREATE3res", recode_CREATE3res, same_CREATE3res, text_CREATE3res},
    {"MKDIR3args", recode_MKDIR3args, same_MKDIR3args, text_MKDIR3args},
    {"MKDIR3resok", recode_MKDIR3resok, same_MKDIR3resok, text_MKDIR3resok},
    {"MKDIR3resfail", recode_MKDIR3resfail, same_MKDIR3resfail, text_MKDIR3resfail},
    {"MKDIR3res", recode_MKDIR3res, same_MKDIR3res, text_MKDIR3res},
    {"symlinkdata3", recode_symlinkdata3, same_symlinkdata3, text_symlinkdata3},
    {"SYMLINK3args", recode_SYMLINK3args, same_SYMLINK3args, text_SYMLINK3args},
    {"SYMLINK3resok", recode_SYMLINK3resok, same_SYMLINK3resok, text_SYMLINK3resok},
    {"SYMLINK3resfail", recode_SYMLINK3resfail, same_SYMLINK3resfail, text_SYMLINK3resfail},
    {"SYMLINK3res", recode_SYMLINK3res, same_SYMLINK3res, text_SYMLINK3res},
    {"devicedata3", recode_devicedata3, same_devicedata3, text_devicedata3},
    {"mknoddata3", recode_mknoddata3, same_mknoddata3, text_mknoddata3},
    {"MKNOD3args", recode_MKNOD3args, same_MKNOD3args, text_MKNOD3args},
    {"MKNOD3resok", recode_MKNOD3resok, same_MKNOD3resok, text_MKNOD3resok},
    {"MKNOD3resfail", recode_MKNOD3resfail, same_MKNOD3resfail, text_MKNOD3resfail},
    {"MKNOD3res", recode_MKNOD3res, same_MKNOD3res, text_MKNOD3res},
    {"REMOVE3args", recode_REMOVE3args, same_REMOVE3args, text_REMOVE3args},
    {"REMOVE3resok", recode_REMOVE3resok, same_REMOVE3resok, text_REMOVE3resok},
    {"REMOVE3resfail", recode_REMOVE3resfail, same_REMOVE3resfail, text_REMOVE3resfail},
    {"REMOVE3res", recode_REMOVE3res, same_REMOVE3res, text_REMOVE3res},
    {"RMDIR3args", recode_RMDIR3args, same_RMDIR3args, text_RMDIR3args},
    {"RMDIR3resok", recode_RMDIR3resok, same_RMDIR3resok, text_RMDIR3resok},
    {"RMDIR3resfail", recode_RMDIR3resfail, same_RMDIR3resfail, text_RMDIR3resfail},
    {"RMDIR3res", recode_RMDIR3res, same_RMDIR3res, text_RMDIR3res},
    {"RENAME3args", recode_RENAME3args, same_RENAME3args, text_RENAME3args},
    {"RENAME3resok", recode_RENAME3resok, same_RENAME3resok, text_RENAME3resok},
    {"RENAME3resfail", recode_RENAME3resfail, same_RENAME3resfail, text_RENAME3resfail},
    {"RENAME3res", recode_RENAME3res, same_RENAME3res, text_RENAME3res},
    {"LINK3args", recode_LINK3args, same_LINK3args, text_LINK3args},
    {"LINK3resok", recode_LINK3resok, same_LINK3resok, text_LINK3resok},
    {"LINK3resfail", recode_LINK3resfail, same_LINK3resfail, text_LINK3resfail},
    {"LINK3res", recode_LINK3res, same_LINK3res, text_LINK3res},
    {"READDIR3args", recode_READDIR3args, same_READDIR3args, text_READDIR3args},
    {"entry3", recode_entry3, same_entry3, text_entry3},
    {"dirlist3", recode_dirlist3, same_dirlist3, text_dirlist3},
    {"READDIR3resok", recode_READDIR3resok, same_READDIR3resok, text_READDIR3resok},
    {"READDIR3resfail", recode_READDIR3resfail, same_READDIR3resfail, text_READDIR3resfail},
    {"READDIR3res", recode_READDIR3res, same_READDIR3res, text_READDIR3res},
    {"READDIRPLUS3args", recode_READDIRPLUS3args, same_READDIRPLUS3args, text_READDIRPLUS3args},
    {"entryplus3", recode_entryplus3, same_entryplus3, text_entryplus3},
    {"dirlistplus3", recode_dirlistplus3, same_dirlistplus3, text_dirlistplus3},
    {"READDIRPLUS3resok", recode_READDIRPLUS3resok, same_READDIRPLUS3resok, text_READDIRPLUS3resok},
    {"READDIRPLUS3resfail", recode_READDIRPLUS3resfail, same_READDIRPLUS3resfail, text_READDIRPLUS3resfail},
    {"READDIRPLUS3res", recode_READDIRPLUS3res, same_READDIRPLUS3res, text_READDIRPLUS3res},
    {"FSSTAT3args", recode_FSSTAT3args, same_FSSTAT3args, text_FSSTAT3args},
    {"FSSTAT3resok", recode_FSSTAT3resok, same_FSSTAT3resok, text_FSSTAT3resok},
    {"FSSTAT3resfail", recode_FSSTAT3resfail, same_FSSTAT3resfail, text_FSSTAT3resfail},
    {"FSSTAT3res", recode_FSSTAT3res, same_FSSTAT3res, text_FSSTAT3res},
    {"FSINFO3args", recode_FSINFO3args, same_FSINFO3args, text_FSINFO3args},
    {"FSINFO3resok", recode_FSINFO3resok, same_FSINFO3resok, text_FSINFO3resok},
    {"FSINFO3resfail", recode_FSINFO3resfail, same_FSINFO3resfail, text_FSINFO3resfail},
    {"FSINFO3res", recode_FSINFO3res, same_FSINFO3res, text_FSINFO3res},
    {"PATHCONF3args", recode_PATHCONF3args, same_PATHCONF3args, text_PATHCONF3args},
    {"PATHCONF3resok", recode_PATHCONF3resok, same_PATHCONF3resok, text_PATHCONF3resok},
    {"PATHCONF3resfail", recode_PATHCONF3resfail, same_PATHCONF3resfail, text_PATHCONF3resfail},
    {"PATHCONF3res", recode_PATHCONF3res, same_PATHCONF3res, text_PATHCONF3res},
    {"COMMIT3args", recode_COMMIT3args, same_COMMIT3args, text_COMMIT3args},
    {"COMMIT3resok", recode_COMMIT3resok, same_COMMIT3resok, text_COMMIT3resok},
    {"COMMIT3resfail", recode_COMMIT3resfail, same_COMMIT3resfail, text_COMMIT3resfail},
    {"COMMIT3res", recode_COMMIT3res, same_COMMIT3res, text_COMMIT3res},
};

}  // namespace

std::span<const xdr::TypeCodec> type_codecs() { return {kTypeCodecs, 131}; }

}  // namespace helio::nfs3
