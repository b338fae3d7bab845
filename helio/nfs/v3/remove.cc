#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<REMOVE3res> remove(const ServiceContext& service, rpc::Call& call, REMOVE3args args) {
    Request request{service, call};
    vfs::Change change;
    const Status status =
        co_await ops::remove(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) co_return REMOVE3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return REMOVE3res::of_resok({to_wire(change)});
}

Task<RMDIR3res> rmdir(const ServiceContext& service, rpc::Call& call, RMDIR3args args) {
    Request request{service, call};
    vfs::Change change;
    const Status status =
        co_await ops::rmdir(request, args.object.dir.data, args.object.name, change);
    if (status != Status::ok) co_return RMDIR3res::of_resfail(to_nfs3(status), {to_wire(change)});
    co_return RMDIR3res::of_resok({to_wire(change)});
}

Task<RENAME3res> rename(const ServiceContext& service, rpc::Call& call, RENAME3args args) {
    Request request{service, call};
    vfs::Change from;
    vfs::Change to;
    const Status status = co_await ops::rename(request, args.from.dir.data, args.from.name,
                                               args.to.dir.data, args.to.name, from, to);
    if (status != Status::ok)
        co_return RENAME3res::of_resfail(to_nfs3(status), {to_wire(from), to_wire(to)});
    co_return RENAME3res::of_resok({to_wire(from), to_wire(to)});
}

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
