#include <algorithm>

#include "helio/nfs/access.h"
#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

namespace {
// xid, REPLY, MSG_ACCEPTED, a verifier of two words, SUCCESS (RFC 5531 §9), and a status.
constexpr std::size_t kReplyHeadBytes = 28;
}  // namespace

std::size_t result_bytes_max(const rpc::Call& call) {
    return call.reply_bytes_max > kReplyHeadBytes ? call.reply_bytes_max - kReplyHeadBytes : 0;
}

std::uint32_t transfer_bytes_max(const rpc::Call& call) {
    return call.peer.transport == rpc::Transport::udp ? kDatagramTransferBytesMax
                                                      : kTransferBytesMax;
}

// Fewer bytes than asked for are fine, the client asks on. Behind the end of the largest file that
// can be, there is nothing (RFC 1813 §3.3.6: no bytes, and the end).
Task<Status> read(Request& request, ByteView handle, std::uint64_t offset, std::uint32_t count,
                  std::size_t reply_bytes, vfs::ReadOut& out) {
    Access file{request};
    Status status = file.open(handle, Intent::look);
    if (status != Status::ok) co_return status;
    const std::size_t room = result_bytes_max(request.call());
    const std::size_t fits = room > reply_bytes ? (room - reply_bytes) & ~std::size_t{3} : 0;
    count = static_cast<std::uint32_t>(
        std::min<std::size_t>({count, transfer_bytes_max(request.call()), fits}));
    offset = std::min<std::uint64_t>(offset, INT64_MAX);
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, INT64_MAX - offset));
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().read(caller, file.id(), offset, count, request, out);
    });
    co_return file.finish(status, {.read = status == Status::ok ? out.data.size() : 0});
}

}  // namespace helio::nfs::ops
