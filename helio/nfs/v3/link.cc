#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<LINK3res> link(const ServiceContext& service, rpc::Call& call, LINK3args args) {
    Request request{service, call};
    std::optional<vfs::Attributes> file;
    vfs::Change directory;
    const Status status = co_await ops::link(request, args.file.data, args.link.dir.data,
                                             args.link.name, file, directory);
    if (status != Status::ok)
        co_return LINK3res::of_resfail(to_nfs3(status), {to_wire(file), to_wire(directory)});
    co_return LINK3res::of_resok({to_wire(file), to_wire(directory)});
}

}  // namespace helio::nfs::v3
