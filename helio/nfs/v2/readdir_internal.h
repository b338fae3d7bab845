// READDIR of version 2, with 32-bit cookies.
#pragma once

#include "helio/base/task.h"
#include "helio/nfs/v2/service_internal.h"
#include "schema/nfs2.h"

namespace helio::nfs::v2 {

Task<nfs2::readdirres> readdir(Context& context, rpc::Call& call, nfs2::readdirargs args);

// Reduces inode numbers and the like to 32 bits, using all bits.
inline std::uint32_t folded(std::uint64_t number) {
    return static_cast<std::uint32_t>(number ^ (number >> 32));
}

}  // namespace helio::nfs::v2
