#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

static_assert(static_cast<int>(vfs::Stability::unstable) == UNSTABLE &&
              static_cast<int>(vfs::Stability::data) == DATA_SYNC &&
              static_cast<int>(vfs::Stability::file) == FILE_SYNC);

Task<WRITE3res> write(const ServiceContext& service, rpc::Call& call, WRITE3args args) {
    Request request{service, call};
    vfs::WriteOut out;
    std::uint64_t verifier = 0;
    const Status status =
        co_await ops::write(request, args.file.data, args.offset, args.count, args.data,
                            static_cast<vfs::Stability>(args.stable), out, verifier);
    if (status != Status::ok) co_return WRITE3res::of_resfail(to_nfs3(status), {to_wire(out.file)});
    co_return WRITE3res::of_resok({to_wire(out.file), out.count,
                                   static_cast<stable_how>(out.stability), to_verifier(verifier)});
}

}  // namespace helio::nfs::v3
