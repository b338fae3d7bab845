#include "helio/nfs/v3/bodies_internal.h"

namespace helio::nfs::v3 {

using namespace nfs3;
using vfs::Status;

namespace {
// Attributes, the word that says they follow, count, eof and the length of the data.
constexpr std::size_t kBesidesData = 4 + 84 + 3 * 4;
}  // namespace

// What may be read, and how much, is decided once for every version in ops::read.
READ3res read(Request& request, const READ3args& args) {
    vfs::ReadOut out;
    const Status status =
        ops::read(request, args.file.data, args.offset, args.count, kBesidesData, out);
    if (status != Status::ok) return READ3res::of_resfail(to_nfs3(status), {to_wire(out.after)});
    return READ3res::of_resok({.file_attributes = to_wire(out.after),
                               .count = static_cast<std::uint32_t>(out.data.size()),
                               .eof = out.end,
                               .data = out.data});
}

}  // namespace helio::nfs::v3
