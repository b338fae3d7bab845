#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

FSSTAT3res fsstat(Request& request, const FSSTAT3args& args) {
    vfs::Space space;
    std::optional<vfs::Attributes> file;
    const Status status = ops::space(request, args.fsroot.data, space, file);
    if (status != Status::ok) return FSSTAT3res::of_resfail(to_nfs3(status), {to_wire(file)});
    return FSSTAT3res::of_resok({.obj_attributes = to_wire(file),
                                 .tbytes = space.bytes_total,
                                 .fbytes = space.bytes_free,
                                 .abytes = space.bytes_available,
                                 .tfiles = space.files_total,
                                 .ffiles = space.files_free,
                                 .afiles = space.files_available,
                                 .invarsec = 0});
}

FSINFO3res fsinfo(Request& request, const FSINFO3args& args) {
    // A page: sizes that are a multiple of it are copied best.
    constexpr std::uint32_t kMultiple = 4096;
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = ops::limits(request, args.fsroot.data, limits, file);
    if (status != Status::ok) return FSINFO3res::of_resfail(to_nfs3(status), {to_wire(file)});
    const std::uint32_t transfer = ops::transfer_bytes_max(request.call());
    std::uint32_t properties = FSF3_HOMOGENEOUS | FSF3_CANSETTIME;
    if (limits.hard_links) properties |= FSF3_LINK;
    if (limits.symlinks) properties |= FSF3_SYMLINK;
    return FSINFO3res::of_resok(
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

PATHCONF3res pathconf(Request& request, const PATHCONF3args& args) {
    vfs::Limits limits;
    std::optional<vfs::Attributes> file;
    const Status status = ops::limits(request, args.object.data, limits, file);
    if (status != Status::ok) return PATHCONF3res::of_resfail(to_nfs3(status), {to_wire(file)});
    return PATHCONF3res::of_resok({.obj_attributes = to_wire(file),
                                   .linkmax = limits.links_max,
                                   .name_max = limits.name_size_max,
                                   .no_trunc = !limits.names_cut,
                                   .chown_restricted = limits.chown_restricted,
                                   .case_insensitive = limits.case_insensitive,
                                   .case_preserving = limits.case_preserving});
}

}  // namespace helio::nfs::v3
