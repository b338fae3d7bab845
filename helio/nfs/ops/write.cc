#include <algorithm>

#include "helio/nfs/ops/ops.h"

namespace helio::nfs::ops {

using vfs::Status;

Status write(Request& request, ByteView file, std::uint64_t offset, std::uint32_t count,
             ByteView data, vfs::Stability stability, vfs::WriteOut& out,
             std::uint64_t& out_verifier) {
    Door door;
    if (const Status status = request.open(file, Intent::change, door); status != Status::ok)
        return status;
    if (count != data.size()) return request.finish(door, Status::invalid);
    if (offset > INT64_MAX || data.size() > INT64_MAX - offset)
        return request.finish(door, Status::too_big);
    // More than FSINFO says we take: the client sends the rest once more (RFC 1813 §3.3.7).
    data = data.first(std::min<std::size_t>(data.size(), kTransferBytesMax));
    // Before the data: when it changes meanwhile, the client must think it was lost.
    out_verifier = door.files->write_verifier();
    const Status status = door.files->write(door.caller, door.file, offset, data, stability, out);
    if (status == Status::ok) request.count_bytes(0, out.count);
    return request.finish(door, status);
}

// Nothing is changed by it, so a read-only export may be asked too.
Status commit(Request& request, ByteView file, std::uint64_t offset, std::uint64_t count,
              vfs::Change& out, std::uint64_t& out_verifier) {
    Door door;
    if (const Status status = request.open(file, Intent::look, door); status != Status::ok)
        return status;
    // Count 0 is up to the end (RFC 1813 §3.3.21), and so is what goes beyond every end.
    offset = std::min<std::uint64_t>(offset, INT64_MAX);
    if (count > INT64_MAX - offset) count = 0;
    const Status status = door.files->commit(door.caller, door.file, offset, count, out);
    // After it: data lost up to here is told.
    out_verifier = door.files->write_verifier();
    return request.finish(door, status);
}

}  // namespace helio::nfs::ops
