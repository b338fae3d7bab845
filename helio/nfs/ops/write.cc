#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> write(Request& request, ByteView handle, std::uint64_t offset, std::uint32_t count,
                   ByteView data, vfs::Stability stability, vfs::WriteOut& out,
                   std::uint64_t& out_verifier) {
    Access file{request};
    Status status = file.open(handle, Intent::change);
    if (status != Status::ok) co_return status;
    if (count != data.size()) co_return file.finish(Status::invalid);
    if (offset > INT64_MAX || data.size() > INT64_MAX - offset)
        co_return file.finish(Status::too_big);
    // More than FSINFO announces: the client sends the rest again (RFC 1813 §3.3.7).
    data = data.first(std::min<std::size_t>(data.size(), kTransferBytesMax));
    // Read it before the data is written: if it changes meanwhile, the client must assume that data
    // was lost.
    out_verifier = file.files().write_verifier();
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().write(caller, file.id(), offset, data, stability, out);
    });
    co_return file.finish(status, {.written = status == Status::ok ? out.count : 0});
}

Task<Status> write_open(Request&, Access& file, vfs::OpenFile& open, std::uint64_t offset,
                        ByteView data, vfs::Stability stability, vfs::WriteOut& out,
                        std::uint64_t& out_verifier) {
    if (offset > INT64_MAX || data.size() > INT64_MAX - offset)
        co_return file.finish(Status::too_big);
    data = data.first(std::min<std::size_t>(data.size(), kTransferBytesMax));
    out_verifier = file.files().write_verifier();
    const Status status = co_await file.ask(
        [&](const Caller& caller) { return open.write(caller, offset, data, stability, out); });
    co_return file.finish(status, {.written = status == Status::ok ? out.count : 0});
}

}  // namespace helio::nfs::ops
