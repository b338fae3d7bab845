#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

// COMMIT changes nothing, so it is allowed on a read-only export.
Task<Status> commit(Request& request, ByteView handle, std::uint64_t offset, std::uint64_t count,
                    vfs::Change& out, std::uint64_t& out_verifier) {
    Access file{request};
    Status status = file.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    // Count 0 means up to the end (RFC 1813 §3.3.21), as does a range beyond the largest possible
    // file.
    offset = std::min<std::uint64_t>(offset, INT64_MAX);
    if (count > INT64_MAX - offset) count = 0;
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().commit(caller, file.id(), offset, count, out);
    });
    // Read it afterwards, so that data lost until now is reported.
    out_verifier = file.files().write_verifier();
    co_return file.finish(status);
}

Task<Status> commit_open(Request& request, ByteView handle, vfs::OpenFile& open,
                         std::uint64_t offset, std::uint64_t count, vfs::Change& out,
                         std::uint64_t& out_verifier) {
    Access file{request};
    Status status = file.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    offset = std::min<std::uint64_t>(offset, INT64_MAX);
    if (count > INT64_MAX - offset) count = 0;
    status = co_await file.ask(
        [&](const Caller& caller) { return open.commit(caller, offset, count, out); });
    out_verifier = file.files().write_verifier();
    co_return file.finish(status);
}

}  // namespace helio::nfs::ops
