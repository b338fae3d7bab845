#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<FSINFO3res> fsinfo(const ServiceContext& service, rpc::Call& call, FSINFO3args args) {
    Request request{service, call};
    // A page: sizes that are multiples of it are copied fastest.
    constexpr std::uint32_t kMultiple = 4096;
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::fsinfo(request, args.fsroot.data, limits, file);
    if (status != Status::ok) co_return FSINFO3res::of_resfail(to_nfs3(status), {to_wire(file)});
    const std::uint32_t transfer = ops::transfer_bytes_max(request.call());
    std::uint32_t properties = FSF3_HOMOGENEOUS | FSF3_CANSETTIME;
    if (limits.hard_links) properties |= FSF3_LINK;
    if (limits.symlinks) properties |= FSF3_SYMLINK;
    co_return FSINFO3res::of_resok(
        {.obj_attributes = to_wire(file),
         .rtmax = transfer,
         .rtpref = transfer,
         .rtmult = kMultiple,
         .wtmax = transfer,
         .wtpref = transfer,
         .wtmult = kMultiple,
         .dtpref = std::min(transfer, ops::kListingBytesPreferred),
         .maxfilesize = limits.file_size_max,
         .time_delta = {static_cast<std::uint32_t>(limits.time_step.seconds),
                        limits.time_step.nanoseconds},
         .properties = properties});
}

}  // namespace helio::nfs::v3
