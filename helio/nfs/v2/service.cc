// NFS version 2 over the same rules as version 3. Differences: handles of exactly 32 bytes, sizes,
// cookies (readdir.cc) and inode numbers of 32 bits, -1 for "unchanged", times in microseconds,
// writes that are always synchronous, devices made by CREATE, and fewer errors (to_nfs2).
#include "helio/nfs/v2/service_internal.h"

#include <sys/stat.h>

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v2/readdir_internal.h"
#include "helio/nfs/wire/status.h"
#include "helio/xdr/wire.h"
#include "schema/nfs2_service.h"

namespace helio::nfs::v2 {

using namespace helio::nfs2;
using vfs::Status;

namespace {

// The largest file: clients of version 2 keep sizes in signed numbers of 32 bits.
constexpr std::uint32_t kFileBytesMax = INT32_MAX;
constexpr std::uint32_t kLeave = UINT32_MAX;  // a word of sattr that changes nothing
constexpr std::uint32_t kSunLeave = 0xffff;   // the same from Sun's clients, as a mode
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
            // RFC 1094 has no such type: SunOS used a character device without a number.
            return {NFCHR, S_IFIFO};
    }
    HELIO_ASSERT(false);
    return {NFBAD, 0};
}

std::uint32_t to_device(const vfs::Attributes& from) {
    if (from.type == vfs::FileType::fifo) return kFifoDevice;
    // Linux's format: 12 bits of major between 8 and 12 bits of minor.
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

// The status of an answer. Version 2 has none for `busy`: the client gets no answer, and tries
// again.
nfsstat to_wire(rpc::Call& call, Status status) {
    if (status == Status::busy) call.set_outcome(xdr::Outcome::silent);
    return to_nfs2(status);
}

attrstat answer(rpc::Call& call, Status status, const vfs::Attributes& attributes) {
    if (status != Status::ok) return attrstat::of(to_wire(call, status));
    return attrstat::of_attributes(to_wire(attributes));
}

diropres answer(rpc::Call& call, Status status, const ops::Object& object) {
    if (status == Status::ok && object.handle.empty()) status = Status::server_fault;
    if (status != Status::ok) return diropres::of(to_wire(call, status));
    return diropres::of_diropok({to_wire(object.handle), to_wire(object.attributes)});
}

// ---- From the wire ----

vfs::NewTime time_from(const timeval& from) {
    if (from.seconds == kLeave || from.useconds == kLeave) return {};
    if (from.useconds == kNowMicroseconds) return {vfs::NewTime::How::now, {}};
    // An invalid time stays invalid, for ops to reject.
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
    // "Now" in the modification time applies to both times: anyone who may write the file may do
    // that, while only its owner may set other times.
    if (out.modified.how == vfs::NewTime::How::now) out.accessed = out.modified;
    return out;
}

bool too_big(const vfs::Changes& changes) { return changes.size && *changes.size > kFileBytesMax; }

// ---- Procedures ----

Task<attrstat> getattr(Context& context, rpc::Call& call, fhandle file) {
    Request request{context.service, call};
    vfs::Attributes attributes;
    const Status status = co_await ops::getattr(request, file, attributes);
    co_return answer(call, status, attributes);
}

// Every reply has attributes; if the back end did not return them, ask for them.
Task<Status> complete(Request& request, const fhandle& file,
                      const std::optional<vfs::Attributes>& known, vfs::Attributes& out) {
    if (!known) co_return co_await ops::getattr(request, file, out);
    out = *known;
    co_return Status::ok;
}

Task<attrstat> setattr(Context& context, rpc::Call& call, sattrargs args) {
    Request request{context.service, call};
    const vfs::Changes changes = changes_from(args.attributes);
    vfs::Change change;
    vfs::Attributes attributes;
    if (too_big(changes)) co_return attrstat::of(NFSERR_FBIG);
    Status status = co_await ops::setattr(request, args.file, changes, std::nullopt, change);
    if (status == Status::ok)
        status = co_await complete(request, args.file, change.after, attributes);
    co_return answer(call, status, attributes);
}

Task<diropres> lookup(Context& context, rpc::Call& call, diropargs args) {
    Request request{context.service, call};
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status = co_await ops::lookup(request, args.dir, args.name, found, directory);
    co_return answer(call, status, found);
}

Task<readlinkres> readlink(Context& context, rpc::Call& call, fhandle file) {
    Request request{context.service, call};
    vfs::LinkText out;
    const Status status = co_await ops::readlink(request, file, out);
    if (status != Status::ok) co_return readlinkres::of(to_wire(call, status));
    if (out.text.size() > NFS_MAXPATHLEN) co_return readlinkres::of(NFSERR_NAMETOOLONG);
    co_return readlinkres::of_data(out.text);
}

Task<readres> read(Context& context, rpc::Call& call, readargs args) {
    Request request{context.service, call};
    constexpr std::size_t kBesidesData = 4 + 68 + 4;  // status, attributes, the data's length
    vfs::ReadOut out;
    vfs::Attributes attributes;
    Status status = co_await ops::read(request, args.file, args.offset,
                                       std::min(args.count, NFS_MAXDATA), kBesidesData, out);
    if (status == Status::ok) status = co_await complete(request, args.file, out.after, attributes);
    if (status != Status::ok) co_return readres::of(to_wire(call, status));
    co_return readres::of_reply({to_wire(attributes), out.data});
}

// All of it, synchronously: version 2 has no short or unstable write.
Task<attrstat> write(Context& context, rpc::Call& call, writeargs args) {
    Request request{context.service, call};
    if (args.offset > kFileBytesMax || args.data.size() > kFileBytesMax - args.offset)
        co_return attrstat::of(NFSERR_FBIG);
    vfs::Attributes attributes;
    std::size_t written = 0;
    Status status = Status::ok;
    do {
        const ByteView rest = args.data.bytes().subspan(written);
        vfs::WriteOut out;
        std::uint64_t verifier = 0;
        status = co_await ops::write(request, args.file, args.offset + written,
                                     static_cast<std::uint32_t>(rest.size()), rest,
                                     vfs::Stability::file, out, verifier);
        if (status == Status::ok && out.count == 0 && !rest.empty()) status = Status::io_error;
        if (status == Status::ok) written += out.count;
        if (status == Status::ok && written == args.data.size())
            status = co_await complete(request, args.file, out.file.after, attributes);
    } while (status == Status::ok && written < args.data.size());
    co_return answer(call, status, attributes);
}

// CREATE also makes devices, with the type in the mode and the device in the size. A character
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

Task<diropres> create(Context& context, rpc::Call& call, createargs args) {
    Request request{context.service, call};
    ops::Object object;
    vfs::Change directory;
    if (const auto node = node_from(args.attributes))
        co_return answer(
            call,
            co_await ops::make(request, args.where.dir, args.where.name, *node, object, directory),
            object);
    vfs::NewFile how;
    how.attributes = changes_from(args.attributes);
    if (too_big(how.attributes)) co_return diropres::of(NFSERR_FBIG);
    const Status status =
        co_await ops::create(request, args.where.dir, args.where.name, how, object, directory);
    co_return answer(call, status, object);
}

Task<diropres> mkdir(Context& context, rpc::Call& call, createargs args) {
    Request request{context.service, call};
    vfs::NewNode what;
    what.attributes = changes_from(args.attributes);
    ops::Object object;
    vfs::Change directory;
    const Status status =
        co_await ops::make(request, args.where.dir, args.where.name, what, object, directory);
    co_return answer(call, status, object);
}

Task<nfsstat> symlink(Context& context, rpc::Call& call, symlinkargs args) {
    Request request{context.service, call};
    vfs::NewNode what;
    what.type = vfs::FileType::symlink;
    what.attributes = changes_from(args.attributes);
    what.target = args.to;
    ops::Object object;
    vfs::Change directory;
    co_return to_wire(
        call, co_await ops::make(request, args.from.dir, args.from.name, what, object, directory));
}

Task<nfsstat> remove(Context& context, rpc::Call& call, diropargs args) {
    Request request{context.service, call};
    vfs::Change change;
    co_return to_wire(call, co_await ops::remove(request, args.dir, args.name, change));
}

Task<nfsstat> rmdir(Context& context, rpc::Call& call, diropargs args) {
    Request request{context.service, call};
    vfs::Change change;
    co_return to_wire(call, co_await ops::rmdir(request, args.dir, args.name, change));
}

Task<nfsstat> rename(Context& context, rpc::Call& call, renameargs args) {
    Request request{context.service, call};
    vfs::Change from;
    vfs::Change to;
    co_return to_wire(call, co_await ops::rename(request, args.from.dir, args.from.name,
                                                 args.to.dir, args.to.name, from, to));
}

Task<nfsstat> link(Context& context, rpc::Call& call, linkargs args) {
    Request request{context.service, call};
    std::optional<vfs::Attributes> file;
    vfs::Change directory;
    co_return to_wire(
        call, co_await ops::link(request, args.from, args.to.dir, args.to.name, file, directory));
}

// Chooses a block size with which the number of blocks fits.
Task<statfsres> statfs(Context& context, rpc::Call& call, fhandle file) {
    Request request{context.service, call};
    vfs::Space space;
    std::optional<vfs::Attributes> attributes;
    const Status status = co_await ops::fsstat(request, file, space, attributes);
    if (status != Status::ok) co_return statfsres::of(to_wire(call, status));
    std::uint64_t block = std::max<std::uint32_t>(space.block_size, 512);
    while (space.bytes_total / block > INT32_MAX && block < std::uint64_t{1} << 30) block *= 2;
    const auto blocks = [&](std::uint64_t bytes) { return clamped(bytes / block, INT32_MAX); };
    co_return statfsres::of_info({NFS_MAXDATA, static_cast<std::uint32_t>(block),
                                  blocks(space.bytes_total), blocks(space.bytes_free),
                                  blocks(space.bytes_available)});
}

void nothing(Context&, rpc::Call&) {}

constexpr NFS_VERSION::Table<Context, rpc::Call> kTable{
    .NULL_ = nothing,
    .GETATTR = getattr,
    .SETATTR = setattr,
    .ROOT = nothing,  // replaced by MOUNT (RFC 1094 §2.2.4)
    .LOOKUP = lookup,
    .READLINK = readlink,
    .READ = read,
    .WRITECACHE = nothing,  // never implemented (RFC 1094 §2.2.8)
    .WRITE = write,
    .CREATE = create,
    .REMOVE = remove,
    .RENAME = rename,
    .LINK = link,
    .SYMLINK = symlink,
    .MKDIR = mkdir,
    .RMDIR = rmdir,
    .READDIR = readdir,
    .STATFS = statfs,
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_service(Context& context) {
    return std::make_unique<NFS_VERSION::TableService<Context, rpc::Call>>(context, kTable);
}

}  // namespace helio::nfs::v2
