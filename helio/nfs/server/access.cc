#include "helio/nfs/server/access.h"

#include <fmt/format.h>

namespace helio::nfs {

using vfs::Status;

Status Access::open(ByteView handle, Intent intent) {
    const Status status =
        request_.exports().open(request_.table(), request_.call(), handle, intent, authorized_);
    if (status != Status::ok) [[unlikely]]
        request_.set_outcome({authorized_.where, status});
    return status;
}

Status Access::find(std::string_view path, std::string_view& below) {
    return request_.exports().find(request_.table(), request_.call(), path, authorized_, below);
}

// On Linux an RDMA device can be used only with the credentials it was opened with. A connection's
// thread that acted as a caller could not send the reply, so threads of the pool do the work.
bool Access::must_leave_thread() const {
    return files().always_blocks() ||
           (request_.call().peer.transport == rpc::Transport::rdma && files().acts_as_caller());
}

bool Access::may_wait() {
    rpc::Call& call = request_.call();
    if (request_.pool()->jobs_of(pool_order().group) >= kExportCallsWaitingMax) return false;
    const bool is_short = bytes_promised_ == 0 && call.message.size() <= kShortCallMax;
    return is_short || call.promise(bytes_promised_);
}

Status Access::finish(Status status, const BytesMoved& bytes) {
    request_.set_outcome({authorized_.where, status, bytes.read, bytes.written});
    if (status != Status::access_denied && status != Status::not_permitted) [[likely]]
        return status;
    // For the log: the caller, which the file's permissions do not show.
    const rpc::Credential& who = request_.call().credential;
    const vfs::Caller& as = authorized_.caller;
    std::string squashed;
    if (!who.is_sys())
        squashed = ", as whom callers without AUTH_SYS are served";
    else if (who.uid != as.uid || who.gid != as.gid)
        squashed = fmt::format(", squashed from uid {} gid {}", who.uid, who.gid);
    request_.exports().deny(request_.call(), status,
                            fmt::format("the files of {} do not allow it to uid {} gid {}{}",
                                        authorized_.where->path, as.uid, as.gid, squashed),
                            authorized_.where);
    return status;
}

}  // namespace helio::nfs
