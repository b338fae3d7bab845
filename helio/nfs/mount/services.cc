// MOUNT versions 1 and 2 (RFC 1094 appendix A, XNFS) and 3 (RFC 1813 §5).
#include <algorithm>
#include <array>

#include "helio/nfs/mount/services_internal.h"
#include "helio/nfs/mount/walk_internal.h"
#include "helio/nfs/server/counters.h"
#include "helio/nfs/wire/status.h"
#include "schema/mount_service.h"

namespace helio::nfs::mnt {

using namespace helio::mount;
using vfs::Status;

namespace {

// AUTH_SYS and AUTH_NONE, in order of preference.
constexpr std::array<std::int32_t, 2> kFlavors = {1, 0};

// MNT of version 3, and of 2 and 1.
Task<mountres3> mnt3(Request& request, dirpath path) {
    Access directory{request};
    const Status status = co_await walk(directory, path);
    if (status != Status::ok) co_return mountres3::of(to_mount3(status));
    const ByteView handle = request.keep_handle(directory.where(), directory.id());
    if (handle.empty()) co_return mountres3::of(MNT3ERR_SERVERFAULT);
    co_return mountres3::of_mountinfo({handle, kFlavors});
}

Task<fhstatus> mnt1(Request& request, dirpath path) {
    Access directory{request};
    const Status status = co_await walk(directory, path);
    if (status != Status::ok) co_return fhstatus::of(to_mount1(status));
    fhandle handle{};
    const Handle sealed = request.exports().seal(directory.where(), directory.id());
    static_assert(std::tuple_size_v<fhandle> == kHandleMax);
    std::copy(sealed.bytes.begin(), sealed.bytes.end(), handle.begin());
    co_return fhstatus::of_directory(handle);
}

// Unknown values are -1 and marked in the mask.
Task<ppathcnf> pathconf2(Context& context, rpc::Call& call, dirpath path) {
    // Bits of pc_mask, as in XNFS's <rpcsvc/mount.h>: names are not truncated, and only the
    // superuser may give files away; the last one means that nothing is known.
    constexpr std::int32_t kChownRestricted = 1 << 1;
    constexpr std::int32_t kNoTruncation = 1 << 2;
    constexpr std::int32_t kError = 1 << 0;
    ppathcnf out{};
    out.pc_max_canon = out.pc_max_input = out.pc_pipe_buf = -1;
    Request request{context.service, call};
    Access directory{request};
    const Status status = co_await walk(directory, path);
    if (status != Status::ok) {
        out.pc_mask[0] = kError;
        co_return out;
    }
    const vfs::Limits limits = directory.files().limits();
    out.pc_link_max = static_cast<std::int32_t>(std::min<std::uint32_t>(limits.links_max, 32'767));
    out.pc_name_max = static_cast<std::int32_t>(limits.name_size_max);
    out.pc_path_max = MNTPATHLEN;
    if (limits.chown_restricted) out.pc_mask[0] |= kChownRestricted;
    if (!limits.names_cut) out.pc_mask[0] |= kNoTruncation;
    co_return out;
}

// Counts the bytes of a list as it grows, so that it ends where the reply is full.
class Room final {
 public:
    explicit Room(const rpc::Call& call) {
        std::size_t reply = call.reply_bytes_max;
        if (call.peer.transport == rpc::Transport::udp && !call.peer.local)
            reply = std::min(reply, kAmplificationMax * call.message.size());
        const std::size_t taken = call.reply_overhead() + kListEnd;
        left_ = reply > taken ? reply - taken : 0;
    }
    bool take(std::size_t size) {
        if (size > left_) return false;
        left_ -= size;
        return true;
    }

 private:
    static constexpr std::size_t kListEnd = 4;
    std::size_t left_ = 0;
};
constexpr std::size_t text_bytes(std::string_view text) { return 4 + padded(text.size()); }

std::string_view keep(rpc::Call& call, std::string_view text) {
    char* const out = call.arena().make<char>(text.size());
    if (out == nullptr) return {};
    text.copy(out, text.size());
    return {out, text.size()};
}

// The caller's own mounts. Other clients' mounts are shown only on the server's own machine:
// `showmount -a` is an administrator's tool.
mountlist mount_list(rpc::Call& call, const MountList& list) {
    Room room{call};
    const mountbody* first = nullptr;
    mountbody* last = nullptr;
    for (const MountList::Entry& one :
         call.peer.local ? list.entries() : list.entries_of(call.peer)) {
        if (!room.take(4 + text_bytes(one.client) + text_bytes(one.path))) break;
        mountbody* const made = call.arena().make<mountbody>();
        if (made == nullptr) break;
        new (made) mountbody{keep(call, one.client), keep(call, one.path), nullptr};
        (last != nullptr ? last->ml_next : first) = made;
        last = made;
    }
    return first;
}

// nullptr: everybody may mount it. Otherwise only the caller's own address, which is allowed: the
// complete list would tell any client which networks and hosts exist.
groups groups_of(rpc::Call& call, const Export& one, Room& room) {
    if (one.rules.allowed.empty()) return nullptr;
    const std::string caller = client_text(call.peer.client);
    groupnode* const made = call.arena().make<groupnode>();
    if (made == nullptr || !room.take(4 + text_bytes(caller))) return nullptr;
    return new (made) groupnode{keep(call, caller), nullptr};
}

// The exports that the caller may mount. It does not learn about the others.
helio::mount::exports export_list(rpc::Call& call, const ExportTable& table) {
    Room room{call};
    const exportnode* first = nullptr;
    exportnode* last = nullptr;
    for (const Export& one : table) {
        if (!Exports::allows(one, call.peer)) continue;
        if (!room.take(4 + text_bytes(one.path) + 4)) break;
        exportnode* const made = call.arena().make<exportnode>();
        if (made == nullptr) break;
        new (made) exportnode{keep(call, one.path), groups_of(call, one, room), nullptr};
        (last != nullptr ? last->ex_next : first) = made;
        last = made;
    }
    return first;
}

// ---- Procedures ----

bool is_good(const mountres3& result) { return result.has_mountinfo(); }
bool is_good(const fhstatus& result) { return result.has_directory(); }

// The versions differ in the result, and in the NFS version that the handle is for.
template <class Result, Task<Result> (*Mnt)(Request&, dirpath)>
Task<Result> mnt(Context& context, rpc::Call& call, dirpath path) {
    Request request{context.service, call};
    Result result = co_await Mnt(request, path);
    if (is_good(result)) context.mounts.add(call.peer, normalized_path(path));
    co_return result;
}

void null(Context&, rpc::Call&) {}
mountlist dump(Context& context, rpc::Call& call) { return mount_list(call, context.mounts); }
void umnt(Context& context, rpc::Call& call, const dirpath& path) {
    context.mounts.remove(call.peer, normalized_path(path));
}
void umntall(Context& context, rpc::Call& call) { context.mounts.remove_all(call.peer); }
helio::mount::exports list_exports(Context& context, rpc::Call& call) {
    return export_list(call, *context.service.exports.table());
}

constexpr MOUNTVERS::Table<Context, rpc::Call> kVersion1{
    .NULL_ = null,
    .MNT = mnt<fhstatus, mnt1>,
    .DUMP = dump,
    .UMNT = umnt,
    .UMNTALL = umntall,
    .EXPORT = list_exports,
    .EXPORTALL = list_exports,
};

constexpr MOUNTVERS_POSIX::Table<Context, rpc::Call> kVersion2{
    .NULL_ = null,
    .MNT = mnt<fhstatus, mnt1>,
    .DUMP = dump,
    .UMNT = umnt,
    .UMNTALL = umntall,
    .EXPORT = list_exports,
    .EXPORTALL = list_exports,
    .PATHCONF = pathconf2,
};

constexpr MOUNT_V3::Table<Context, rpc::Call> kVersion3{
    .NULL_ = null,
    .MNT = mnt<mountres3, mnt3>,
    .DUMP = dump,
    .UMNT = umnt,
    .UMNTALL = umntall,
    .EXPORT = list_exports,
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_mount_v1(Context& context) {
    return std::make_unique<MOUNTVERS::TableService<Context, rpc::Call>>(context, kVersion1);
}
std::unique_ptr<xdr::ServiceBase> make_mount_v2(Context& context) {
    return std::make_unique<MOUNTVERS_POSIX::TableService<Context, rpc::Call>>(context, kVersion2);
}
std::unique_ptr<xdr::ServiceBase> make_mount_v3(Context& context) {
    return std::make_unique<MOUNT_V3::TableService<Context, rpc::Call>>(context, kVersion3);
}

}  // namespace helio::nfs::mnt
