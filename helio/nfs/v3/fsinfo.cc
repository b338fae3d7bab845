#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

Task<FSSTAT3res> fsstat(const ServiceContext& service, rpc::Call& call, FSSTAT3args args) {
    Request request{service, call};
    vfs::Space space;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::space(request, args.fsroot.data, space, file);
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

Task<FSINFO3res> fsinfo(const ServiceContext& service, rpc::Call& call, FSINFO3args args) {
    Request request{service, call};
    // A page: sizes that are a multiple of it are copied best.
    constexpr std::uint32_t kMultiple = 4096;
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::limits(request, args.fsroot.data, limits, file);
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

Task<PATHCONF3res> pathconf(const ServiceContext& service, rpc::Call& call, PATHCONF3args args) {
    Request request{service, call};
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = co_await ops::limits(request, args.object.data, limits, file);
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
