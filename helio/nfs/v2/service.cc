// NFS version 2 over the same rules as version 3. What differs: handles of exactly 32 bytes, sizes,
// cookies (readdir.cc) and inode numbers of 32 bits, -1 for "leave it", times in microseconds,
// writes that are always on the disk, devices made by CREATE, and fewer errors (to_nfs2).
#include "helio/nfs/v2/service_internal.h"

#include <sys/stat.h>

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v2/readdir_internal.h"
#include "helio/nfs/wire_status.h"
#include "helio/xdr/wire.h"
#include "schema/nfs2_service.h"

namespace helio::nfs::v2 {

using namespace helio::nfs2;
using vfs::Status;

namespace {

// The largest file: clients of version 2 keep sizes in signed numbers of 32 bits.
constexpr std::uint32_t kFileBytesMax = INT32_MAX;
constexpr std::uint32_t kLeave = UINT32_MAX;  // a word of sattr that changes nothing
constexpr std::uint32_t kSunLeave = 0xffff;   // Sun's clients mean the same by this mode
constexpr std::uint32_t kFifoDevice = UINT32_MAX;
// Sun's convention, which Linux follows: "now" by the server's clock.
constexpr std::uint32_t kNowMicroseconds = 1'000'000;

// ---- To the wire ----

struct WireType {
    ftype type;
    std::uint32_t mode;
};
WireType to_wire(vfs::FileType type) {
    switch (type) {
        case vfs::FileType::regular:
            return {NFREG, S_IFREG};
        case vfs::FileType::directory:
            return {NFDIR, S_IFDIR};
        case vfs::FileType::block_device:
            return {NFBLK, S_IFBLK};
        case vfs::FileType::character_device:
            return {NFCHR, S_IFCHR};
        case vfs::FileType::symlink:
            return {NFLNK, S_IFLNK};
        case vfs::FileType::socket:
            return {NFSOCK, S_IFSOCK};
        case vfs::FileType::fifo:
            // RFC 1094 has no such type: a character device without a number, as SunOS had it.
            return {NFCHR, S_IFIFO};
    }
    HELIO_ASSERT(false);
    return {NFBAD, 0};
}

std::uint32_t to_device(const vfs::Attributes& from) {
    if (from.type == vfs::FileType::fifo) return kFifoDevice;
    // As Linux packs them: 12 bits of major between 8 and 12 of minor.
    return (from.device_minor & 0xff) | (from.device_major & 0xfff) << 8 |
           (from.device_minor & 0xfff00) << 12;
}

std::uint32_t clamped(std::uint64_t number, std::uint32_t most) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, most));
}

timeval to_wire(const vfs::Time& from) {
    if (from.seconds < 0) return {0, 0};
    return {clamped(static_cast<std::uint64_t>(from.seconds), UINT32_MAX), from.nanoseconds / 1000};
}

fattr to_wire(const vfs::Attributes& from) {
    const WireType type = to_wire(from.type);
    return {.type = type.type,
            .mode = type.mode | (from.mode & 07777),
            .nlink = from.links,
            .uid = from.uid,
            .gid = from.gid,
            .size = clamped(from.size, kFileBytesMax),
            .blocksize = from.block_size,
            .rdev = to_device(from),
            .blocks = clamped((from.used + 511) / 512, INT32_MAX),
            .fsid = folded(from.fsid),
            .fileid = folded(from.fileid),
            .atime = to_wire(from.accessed),
            .mtime = to_wire(from.modified),
            .ctime = to_wire(from.changed)};
}

fhandle to_wire(ByteView handle) {
    fhandle out{};
    std::copy(handle.begin(), handle.end(), out.begin());
    return out;
}

attrstat answer(Status status, const vfs::Attributes& attributes) {
    if (status != Status::ok) return attrstat::of(to_nfs2(status));
    return attrstat::of_attributes(to_wire(attributes));
}

diropres answer(Status status, const ops::Object& object) {
    if (status == Status::ok && object.handle.empty()) status = Status::server_fault;
    if (status != Status::ok) return diropres::of(to_nfs2(status));
    return diropres::of_diropok({to_wire(object.handle), to_wire(object.attributes)});
}

// ---- From the wire ----

vfs::NewTime time_from(const timeval& from) {
    if (from.seconds == kLeave || from.useconds == kLeave) return {};
    if (from.useconds == kNowMicroseconds) return {vfs::NewTime::How::now, {}};
    // What is no time stays none, for ops to refuse.
    const std::uint32_t nanoseconds =
        from.useconds < kNowMicroseconds ? from.useconds * 1000 : UINT32_MAX;
    return {vfs::NewTime::How::set, {from.seconds, nanoseconds}};
}

vfs::Changes changes_from(const sattr& from) {
    vfs::Changes out;
    if (from.mode != kLeave && from.mode != kSunLeave) out.mode = from.mode;
    if (from.uid != kLeave) out.uid = from.uid;
    if (from.gid != kLeave) out.gid = from.gid;
    if (from.size != kLeave) out.size = from.size;
    out.accessed = time_from(from.atime);
    out.modified = time_from(from.mtime);
    // "Now" stands in the time of modification and counts for both: who may write a file may do
    // that, and only its owner may set other times.
    if (out.modified.how == vfs::NewTime::How::now) out.accessed = out.modified;
    return out;
}

bool too_big(const vfs::Changes& changes) { return changes.size && *changes.size > kFileBytesMax; }

// ---- Procedures ----

attrstat getattr(Request& request, const fhandle& file) {
    vfs::Attributes attributes;
    const Status status = ops::getattr(request, file, attributes);
    return answer(status, attributes);
}

// Attributes are part of every answer; a back end that did not give them is asked.
Status complete(Request& request, const fhandle& file, const std::optional<vfs::Attributes>& known,
                vfs::Attributes& out) {
    if (!known) return ops::getattr(request, file, out);
    out = *known;
    return Status::ok;
}

attrstat setattr(Request& request, const sattrargs& args) {
    const vfs::Changes changes = changes_from(args.attributes);
    vfs::Change change;
    vfs::Attributes attributes;
    if (too_big(changes)) return attrstat::of(NFSERR_FBIG);
    Status status = ops::setattr(request, args.file, changes, std::nullopt, change);
    if (status == Status::ok) status = complete(request, args.file, change.after, attributes);
    return answer(status, attributes);
}

diropres lookup(Request& request, const diropargs& args) {
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status = ops::lookup(request, args.dir, args.name, found, directory);
    return answer(status, found);
}

readlinkres readlink(Request& request, const fhandle& file) {
    vfs::LinkText out;
    const Status status = ops::readlink(request, file, out);
    if (status != Status::ok) return readlinkres::of(to_nfs2(status));
    if (out.text.size() > NFS_MAXPATHLEN) return readlinkres::of(NFSERR_NAMETOOLONG);
    return readlinkres::of_data(out.text);
}

readres read(Request& request, const readargs& args) {
    constexpr std::size_t kBesidesData = 68 + 4;  // attributes, the length of the data
    vfs::ReadOut out;
    vfs::Attributes attributes;
    Status status = ops::read(request, args.file, args.offset, std::min(args.count, NFS_MAXDATA),
                              kBesidesData, out);
    if (status == Status::ok) status = complete(request, args.file, out.after, attributes);
    if (status != Status::ok) return readres::of(to_nfs2(status));
    return readres::of_reply({to_wire(attributes), out.data});
}

// All of it, on the disk: there is no word for less.
attrstat write(Request& request, const writeargs& args) {
    if (args.offset > kFileBytesMax || args.data.size() > kFileBytesMax - args.offset)
        return attrstat::of(NFSERR_FBIG);
    vfs::Attributes attributes;
    std::size_t written = 0;
    Status status = Status::ok;
    do {
        const ByteView rest = args.data.bytes().subspan(written);
        vfs::WriteOut out;
        std::uint64_t verifier = 0;
        status = ops::write(request, args.file, args.offset + written,
                            static_cast<std::uint32_t>(rest.size()), rest, vfs::Stability::file,
                            out, verifier);
        if (status == Status::ok && out.count == 0 && !rest.empty()) status = Status::io_error;
        if (status == Status::ok) written += out.count;
        if (status == Status::ok && written == args.data.size())
            status = complete(request, args.file, out.file.after, attributes);
    } while (status == Status::ok && written < args.data.size());
    return answer(status, attributes);
}

// CREATE makes devices too, with the type in the mode and the device in the size; and a character
// device without a size is a FIFO.
std::optional<vfs::NewNode> node_from(const sattr& from) {
    vfs::NewNode out;
    out.attributes = changes_from(from);
    out.attributes.size.reset();
    if (from.mode == kLeave || from.mode == kSunLeave) return std::nullopt;
    switch (from.mode & S_IFMT) {
        case S_IFCHR:
            out.type = from.size == kLeave ? vfs::FileType::fifo : vfs::FileType::character_device;
            break;
        case S_IFBLK:
            out.type = vfs::FileType::block_device;
            break;
        case S_IFIFO:
            out.type = vfs::FileType::fifo;
            return out;
        case S_IFSOCK:
            out.type = vfs::FileType::socket;
            return out;
        default:
            return std::nullopt;
    }
    if (out.type == vfs::FileType::fifo) return out;
    const std::uint32_t device = from.size == kLeave ? 0 : from.size;
    out.device_major = device >> 8 & 0xfff;
    out.device_minor = (device & 0xff) | (device >> 12 & 0xfff00);
    return out;
}

diropres create(Request& request, const createargs& args) {
    ops::Object object;
    vfs::Change directory;
    if (const auto node = node_from(args.attributes))
        return answer(ops::make(request, args.where.dir, args.where.name, *node, object, directory),
                      object);
    vfs::NewFile how;
    how.attributes = changes_from(args.attributes);
    if (too_big(how.attributes)) return diropres::of(NFSERR_FBIG);
    const Status status =
        ops::create(request, args.where.dir, args.where.name, how, object, directory);
    return answer(status, object);
}

diropres mkdir(Request& request, const createargs& args) {
    vfs::NewNode what;
    what.attributes = changes_from(args.attributes);
    ops::Object object;
    vfs::Change directory;
    const Status status =
        ops::make(request, args.where.dir, args.where.name, what, object, directory);
    return answer(status, object);
}

nfsstat symlink(Request& request, const symlinkargs& args) {
    vfs::NewNode what;
    what.type = vfs::FileType::symlink;
    what.attributes = changes_from(args.attributes);
    what.target = args.to;
    ops::Object object;
    vfs::Change directory;
    return to_nfs2(ops::make(request, args.from.dir, args.from.name, what, object, directory));
}

nfsstat remove(Request& request, const diropargs& args) {
    vfs::Change change;
    return to_nfs2(ops::remove(request, args.dir, args.name, change));
}

nfsstat rmdir(Request& request, const diropargs& args) {
    vfs::Change change;
    return to_nfs2(ops::rmdir(request, args.dir, args.name, change));
}

nfsstat rename(Request& request, const renameargs& args) {
    vfs::Change from;
    vfs::Change to;
    return to_nfs2(
        ops::rename(request, args.from.dir, args.from.name, args.to.dir, args.to.name, from, to));
}

nfsstat link(Request& request, const linkargs& args) {
    std::optional<vfs::Attributes> file;
    vfs::Change directory;
    return to_nfs2(ops::link(request, args.from, args.to.dir, args.to.name, file, directory));
}

// Blocks of a size with which their number fits.
statfsres statfs(Request& request, const fhandle& file) {
    vfs::Space space;
    std::optional<vfs::Attributes> attributes;
    const Status status = ops::space(request, file, space, attributes);
    if (status != Status::ok) return statfsres::of(to_nfs2(status));
    std::uint64_t block = std::max<std::uint32_t>(space.block_size, 512);
    while (space.bytes_total / block > INT32_MAX && block < std::uint64_t{1} << 30) block *= 2;
    const auto blocks = [&](std::uint64_t bytes) { return clamped(bytes / block, INT32_MAX); };
    return statfsres::of_info({NFS_MAXDATA, static_cast<std::uint32_t>(block),
                               blocks(space.bytes_total), blocks(space.bytes_free),
                               blocks(space.bytes_available)});
}

class Service final : public NFS_VERSION::Service {
 public:
    explicit Service(const Desk& desk) : desk_(desk) {}

    void NULL_(xdr::CallContext&) override {}
    // Both answer with nothing: MOUNT took the place of the one, the other never came to be
    // (RFC 1094 §2.2.4 and §2.2.8).
    void ROOT(xdr::CallContext&) override {}
    void WRITECACHE(xdr::CallContext&) override {}

    attrstat GETATTR(xdr::CallContext& call, const fhandle& args) override {
        return at_once<v2::getattr>(desk_, call, args);
    }
    Task<attrstat> GETATTR_async(xdr::CallContext& call, const fhandle& args) override {
        return in_pool<v2::getattr>(desk_, call, args);
    }
    attrstat SETATTR(xdr::CallContext& call, const sattrargs& args) override {
        return at_once<v2::setattr>(desk_, call, args);
    }
    Task<attrstat> SETATTR_async(xdr::CallContext& call, const sattrargs& args) override {
        return in_pool<v2::setattr>(desk_, call, args);
    }
    diropres LOOKUP(xdr::CallContext& call, const diropargs& args) override {
        return at_once<v2::lookup>(desk_, call, args);
    }
    Task<diropres> LOOKUP_async(xdr::CallContext& call, const diropargs& args) override {
        return in_pool<v2::lookup>(desk_, call, args);
    }
    readlinkres READLINK(xdr::CallContext& call, const fhandle& args) override {
        return at_once<v2::readlink>(desk_, call, args);
    }
    Task<readlinkres> READLINK_async(xdr::CallContext& call, const fhandle& args) override {
        return in_pool<v2::readlink>(desk_, call, args);
    }
    readres READ(xdr::CallContext& call, const readargs& args) override {
        return at_once<v2::read>(desk_, call, args);
    }
    Task<readres> READ_async(xdr::CallContext& call, const readargs& args) override {
        return in_pool<v2::read>(desk_, call, args);
    }
    attrstat WRITE(xdr::CallContext& call, const writeargs& args) override {
        return at_once<v2::write>(desk_, call, args);
    }
    Task<attrstat> WRITE_async(xdr::CallContext& call, const writeargs& args) override {
        return in_pool<v2::write>(desk_, call, args);
    }
    diropres CREATE(xdr::CallContext& call, const createargs& args) override {
        return at_once<v2::create>(desk_, call, args);
    }
    Task<diropres> CREATE_async(xdr::CallContext& call, const createargs& args) override {
        return in_pool<v2::create>(desk_, call, args);
    }
    nfsstat REMOVE(xdr::CallContext& call, const diropargs& args) override {
        return at_once<v2::remove>(desk_, call, args);
    }
    Task<nfsstat> REMOVE_async(xdr::CallContext& call, const diropargs& args) override {
        return in_pool<v2::remove>(desk_, call, args);
    }
    nfsstat RENAME(xdr::CallContext& call, const renameargs& args) override {
        return at_once<v2::rename>(desk_, call, args);
    }
    Task<nfsstat> RENAME_async(xdr::CallContext& call, const renameargs& args) override {
        return in_pool<v2::rename>(desk_, call, args);
    }
    nfsstat LINK(xdr::CallContext& call, const linkargs& args) override {
        return at_once<v2::link>(desk_, call, args);
    }
    Task<nfsstat> LINK_async(xdr::CallContext& call, const linkargs& args) override {
        return in_pool<v2::link>(desk_, call, args);
    }
    nfsstat SYMLINK(xdr::CallContext& call, const symlinkargs& args) override {
        return at_once<v2::symlink>(desk_, call, args);
    }
    Task<nfsstat> SYMLINK_async(xdr::CallContext& call, const symlinkargs& args) override {
        return in_pool<v2::symlink>(desk_, call, args);
    }
    diropres MKDIR(xdr::CallContext& call, const createargs& args) override {
        return at_once<v2::mkdir>(desk_, call, args);
    }
    Task<diropres> MKDIR_async(xdr::CallContext& call, const createargs& args) override {
        return in_pool<v2::mkdir>(desk_, call, args);
    }
    nfsstat RMDIR(xdr::CallContext& call, const diropargs& args) override {
        return at_once<v2::rmdir>(desk_, call, args);
    }
    Task<nfsstat> RMDIR_async(xdr::CallContext& call, const diropargs& args) override {
        return in_pool<v2::rmdir>(desk_, call, args);
    }
    readdirres READDIR(xdr::CallContext& call, const readdirargs& args) override {
        return at_once<v2::readdir>(desk_, call, cookies_, args);
    }
    Task<readdirres> READDIR_async(xdr::CallContext& call, const readdirargs& args) override {
        return in_pool<v2::readdir>(desk_, call, cookies_, args);
    }
    statfsres STATFS(xdr::CallContext& call, const fhandle& args) override {
        return at_once<v2::statfs>(desk_, call, args);
    }
    Task<statfsres> STATFS_async(xdr::CallContext& call, const fhandle& args) override {
        return in_pool<v2::statfs>(desk_, call, args);
    }

 private:
    const Desk& desk_;
    Cookies cookies_;
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_service(const Desk& desk) {
    return std::make_unique<Service>(desk);
}

}  // namespace helio::nfs::v2
