#include "helio/nfs/v3/procedures_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {
// Status, presence word, attributes, count, eof and the data's length.
constexpr std::size_t kBesidesData = 4 + 4 + 84 + 3 * 4;
}  // namespace

// ops::read decides for every version what may be read, and how much.
Task<READ3res> read(const ServiceContext& service, rpc::Call& call, READ3args args) {
    Request request{service, call};
    vfs::ReadOut out;
    const Status status =
        co_await ops::read(request, args.file.data, args.offset, args.count, kBesidesData, out);
    if (status != Status::ok) co_return READ3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    co_return READ3res::of_resok({.file_attributes = to_wire(out.after),
                                  .count = static_cast<std::uint32_t>(out.data.size()),
                                  .eof = out.end,
                                  .data = out.data});
}

}  // namespace helio::nfs::v3
