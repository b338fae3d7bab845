#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<FSSTAT3res> fsstat(const ServiceContext& service, rpc::Call& call, FSSTAT3args args) {
    Request request{service, call};
    vfs::Space space;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::fsstat(request, args.fsroot.data, space, file);
    if (status != Status::ok) co_return FSSTAT3res::of_resfail(to_nfs3(status), {to_wire(file)});
    co_return FSSTAT3res::of_resok({.obj_attributes = to_wire(file),
                                    .tbytes = space.bytes_total,
                                    .fbytes = space.bytes_free,
                                    .abytes = space.bytes_available,
                                    .tfiles = space.files_total,
                                    .ffiles = space.files_free,
                                    .afiles = space.files_available,
                                    .invarsec = 0});
}

}  // namespace helio::nfs::v3
