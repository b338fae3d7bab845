#include "helio/nfs/ops/ops.h"
#include "helio/nfs/ops/two_handles_internal.h"
#include "helio/nfs/server/access.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> rename(Request& request, ByteView from, std::string_view from_name, ByteView to,
                    std::string_view to_name, vfs::Change& out_from, vfs::Change& out_to) {
    Access source{request};
    Access target{request};
    Status status = open_both(source, from, target, to);
    if (status != Status::ok) co_return status;
    status = check_name(from_name, NameFor::rename);
    if (status == Status::ok) status = check_name(to_name, NameFor::rename);
    if (status != Status::ok) co_return source.finish(status);
    status = co_await source.ask([&](const Caller& caller) {
        return source.files().rename(caller, source.id(), from_name, target.id(), to_name, out_from,
                                     out_to);
    });
    co_return source.finish(status);
}

}  // namespace helio::nfs::ops
