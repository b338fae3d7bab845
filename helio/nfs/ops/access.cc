#include "helio/nfs/server/access.h"
#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Caller;
using vfs::Status;

Task<Status> access(Request& request, ByteView handle, std::uint32_t wanted, vfs::AccessOut& out) {
    constexpr std::uint32_t kChanges =
        vfs::access::kModify | vfs::access::kExtend | vfs::access::kDelete;
    constexpr std::uint32_t kAll =
        kChanges | vfs::access::kRead | vfs::access::kLookup | vfs::access::kExecute;
    Access file{request};
    Status status = file.open(handle, Intent::read);
    if (status != Status::ok) co_return status;
    if (file.where().rules.read_only) wanted &= ~kChanges;
    status = co_await file.ask([&](const Caller& caller) {
        return file.files().access(caller, file.id(), wanted & kAll, out);
    });
    out.granted &= wanted;
    co_return file.finish(status);
}

}  // namespace helio::nfs::ops
