#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<READLINK3res> readlink(const ServiceContext& service, rpc::Call& call, READLINK3args args) {
    Request request{service, call};
    vfs::LinkText out;
    const Status status = co_await ops::readlink(request, args.symlink.data, out);
    if (status != Status::ok)
        co_return READLINK3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    co_return READLINK3res::of_resok({to_wire(out.after), out.text});
}

}  // namespace helio::nfs::v3
