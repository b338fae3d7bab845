#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<PATHCONF3res> pathconf(const ServiceContext& service, rpc::Call& call, PATHCONF3args args) {
    Request request{service, call};
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::fsinfo(request, args.object.data, limits, file);
    if (status != Status::ok) co_return PATHCONF3res::of_resfail(to_nfs3(status), {to_wire(file)});
    co_return PATHCONF3res::of_resok({.obj_attributes = to_wire(file),
                                      .linkmax = limits.links_max,
                                      .name_max = limits.name_size_max,
                                      .no_trunc = !limits.names_cut,
                                      .chown_restricted = limits.chown_restricted,
                                      .case_insensitive = limits.case_insensitive,
                                      .case_preserving = limits.case_preserving});
}

}  // namespace helio::nfs::v3
