#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<LOOKUP3res> lookup(const ServiceContext& service, rpc::Call& call, LOOKUP3args args) {
    Request request{service, call};
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status =
        co_await ops::lookup(request, args.what.dir.data, args.what.name, found, directory);
    if (status != Status::ok)
        co_return LOOKUP3res::of_resfail(to_nfs3(status), {to_wire(directory)});
    co_return LOOKUP3res::of_resok({{found.handle}, to_wire(found.attributes), to_wire(directory)});
}

}  // namespace helio::nfs::v3
