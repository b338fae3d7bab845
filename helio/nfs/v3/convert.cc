#include "helio/nfs/v3/convert.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::nfs::v3 {

namespace {

nfs3::ftype3 type_to_wire(vfs::FileType type) {
    switch (type) {
        case vfs::FileType::regular:
            return nfs3::NF3REG;
        case vfs::FileType::directory:
            return nfs3::NF3DIR;
        case vfs::FileType::block_device:
            return nfs3::NF3BLK;
        case vfs::FileType::character_device:
            return nfs3::NF3CHR;
        case vfs::FileType::symlink:
            return nfs3::NF3LNK;
        case vfs::FileType::socket:
            return nfs3::NF3SOCK;
        case vfs::FileType::fifo:
            return nfs3::NF3FIFO;
    }
    HELIO_ASSERT(false);
    return nfs3::NF3REG;
}

// Seconds are 32 bits unsigned: times before 1970 or after 2106 become the nearest limit.
nfs3::nfstime3 time_to_wire(const vfs::Time& from) {
    if (from.seconds < 0) return {0, 0};
    return {static_cast<std::uint32_t>(std::min<std::int64_t>(from.seconds, UINT32_MAX)),
            from.nanoseconds};
}

template <class Wire>
vfs::NewTime time_from(const Wire& from, const nfs3::nfstime3* time) {
    switch (from.set_it()) {
        case nfs3::DONT_CHANGE:
            return {};
        case nfs3::SET_TO_SERVER_TIME:
            return {vfs::NewTime::How::now, {}};
        case nfs3::SET_TO_CLIENT_TIME:
            return {vfs::NewTime::How::set, v3::from_wire(*time)};
    }
    return {};
}

}  // namespace

nfs3::fattr3 to_wire(const vfs::Attributes& from) {
    return {.type = type_to_wire(from.type),
            .mode = from.mode,
            .nlink = from.links,
            .uid = from.uid,
            .gid = from.gid,
            .size = from.size,
            .used = from.used,
            .rdev = {from.device_major, from.device_minor},
            .fsid = from.fsid,
            .fileid = from.fileid,
            .atime = time_to_wire(from.accessed),
            .mtime = time_to_wire(from.modified),
            .ctime = time_to_wire(from.changed)};
}

nfs3::wcc_data to_wire(const vfs::Change& from) {
    nfs3::wcc_data out;
    if (from.before)
        out.before = {from.before->size, time_to_wire(from.before->modified),
                      time_to_wire(from.before->changed)};
    out.after = to_wire(from.after);
    return out;
}

nfs3::post_op_fh3 to_wire(ByteView handle) {
    if (handle.empty()) return {};
    return nfs3::nfs_fh3{handle};
}

vfs::Changes from_wire(const nfs3::sattr3& from) {
    vfs::Changes out;
    out.mode = from.mode;
    out.uid = from.uid;
    out.gid = from.gid;
    out.size = from.size;
    out.accessed = time_from(from.atime, from.atime.if_atime());
    out.modified = time_from(from.mtime, from.mtime.if_mtime());
    return out;
}

}  // namespace helio::nfs::v3
