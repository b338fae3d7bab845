#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

static_assert(static_cast<int>(vfs::Stability::unstable) == UNSTABLE &&
              static_cast<int>(vfs::Stability::data) == DATA_SYNC &&
              static_cast<int>(vfs::Stability::file) == FILE_SYNC);

WRITE3res write(Request& request, const WRITE3args& args) {
    vfs::WriteOut out;
    std::uint64_t verifier = 0;
    const Status status = ops::write(request, args.file.data, args.offset, args.count, args.data,
                                     static_cast<vfs::Stability>(args.stable), out, verifier);
    if (status != Status::ok) return WRITE3res::of_resfail(to_nfs3(status), {to_wire(out.file)});
    return WRITE3res::of_resok({to_wire(out.file), out.count,
                                static_cast<stable_how>(out.stability), to_verifier(verifier)});
}

COMMIT3res commit(Request& request, const COMMIT3args& args) {
    vfs::Change change;
    std::uint64_t verifier = 0;
    const Status status =
        ops::commit(request, args.file.data, args.offset, args.count, change, verifier);
    if (status != Status::ok) return COMMIT3res::of_resfail(to_nfs3(status), {to_wire(change)});
    return COMMIT3res::of_resok({to_wire(change), to_verifier(verifier)});
}

}  // namespace helio::nfs::v3
