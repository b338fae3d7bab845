#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<SETATTR3res> setattr(const ServiceContext& service, rpc::Call& call, SETATTR3args args) {
    Request request{service, call};
    std::optional<vfs::Time> guard;
    if (args.guard) guard = from_wire(*args.guard);
    vfs::Change change;
    const Status status = co_await ops::setattr(request, args.object.data,
                                                from_wire(args.new_attributes), guard, change);
    if (status != Status::ok) co_return SETATTR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return SETATTR3res::of_resok({to_wire(change)});
}

}  // namespace helio::nfs::v3
