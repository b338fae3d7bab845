#include "helio/nfs/ops/two_handles_internal.h"

#include <fmt/format.h>

namespace helio::nfs::ops {

using vfs::Status;

Status open_both(Access& first, ByteView first_handle, Access& second, ByteView second_handle) {
    Status status = first.open(first_handle, Intent::change);
    if (status == Status::ok) status = second.open(second_handle, Intent::change);
    if (status != Status::ok || &first.where() == &second.where()) return status;
    const Request& request = first.request();
    request.exports().deny(
        request.call(), Status::cross_device,
        fmt::format("{} and {} are two exports", first.where().path, second.where().path),
        &first.where());
    return first.finish(Status::cross_device);
}

}  // namespace helio::nfs::ops
