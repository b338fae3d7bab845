#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

// The bits have the same names and numbers in vfs.
Task<ACCESS3res> access(const ServiceContext& service, rpc::Call& call, ACCESS3args args) {
    Request request{service, call};
    static_assert(
        ACCESS3_READ == vfs::access::kRead && ACCESS3_LOOKUP == vfs::access::kLookup &&
        ACCESS3_MODIFY == vfs::access::kModify && ACCESS3_EXTEND == vfs::access::kExtend &&
        ACCESS3_DELETE == vfs::access::kDelete && ACCESS3_EXECUTE == vfs::access::kExecute);
    vfs::AccessOut out;
    const Status status = co_await ops::access(request, args.object.data, args.access, out);
    if (status != Status::ok)
        co_return ACCESS3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    co_return ACCESS3res::of_resok({to_wire(out.after), out.granted});
}

}  // namespace helio::nfs::v3
