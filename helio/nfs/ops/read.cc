#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

std::uint32_t transfer_bytes_max(const rpc::Call& call) {
    return call.peer.transport == rpc::Transport::udp ? kDatagramTransferBytesMax
                                                      : kTransferBytesMax;
}

namespace {

// How much of what is asked for is read. A short read is fine, the client continues. Past the end
// of the largest possible file there is nothing (RFC 1813 §3.3.6: no bytes, and eof).
struct Range {
    std::uint64_t offset;
    std::uint32_t count;
};
Range readable(const rpc::Call& call, std::uint64_t offset, std::uint32_t count,
               std::size_t besides) {
    const std::size_t room = call.results_bytes_max();
    const std::size_t fits = room > besides ? (room - besides) & ~std::size_t{3} : 0;
    const std::size_t most = std::min<std::size_t>({count, transfer_bytes_max(call), fits});
    offset = std::min<std::uint64_t>(offset, INT64_MAX);
    return {offset, static_cast<std::uint32_t>(std::min<std::uint64_t>(most, INT64_MAX - offset))};
}

}  // namespace

Task<Status> read(Request& request, ByteView handle, std::uint64_t offset, std::uint32_t count,
                  std::size_t besides, vfs::ReadOut& out) {
    Access file{request};
    Status status = file.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    const Range range = readable(request.call(), offset, count, besides);
    file.promise(range.count);
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().read(caller, file.id(), range.offset, range.count, request, out);
    });
    co_return file.finish(status, {.read = status == Status::ok ? out.data.size() : 0});
}

Task<Status> read_open(Request& request, Access& file, vfs::OpenFile& open, std::uint64_t offset,
                       std::uint32_t count, std::size_t besides, vfs::ReadOut& out) {
    const Range range = readable(request.call(), offset, count, besides);
    file.promise(range.count);
    const Status status = co_await file.ask([&](const Caller& caller) {
        return open.read(caller, range.offset, range.count, request, out);
    });
    co_return file.finish(status, {.read = status == Status::ok ? out.data.size() : 0});
}

}  // namespace helio::nfs::ops
