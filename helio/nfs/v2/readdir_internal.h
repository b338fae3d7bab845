// READDIR of version 2, with its cookies of 32 bits.
#pragma once

#include "helio/base/task.h"
#include "helio/nfs/v2/service_internal.h"
#include "schema/nfs2.h"

namespace helio::nfs::v2 {

Task<nfs2::readdirres> readdir(Context& context, rpc::Call& call, nfs2::readdirargs args);

// Folds inode numbers and so on, using all bits.
inline std::uint32_t folded(std::uint64_t number) {
    return static_cast<std::uint32_t>(number ^ (number >> 32));
}

}  // namespace helio::nfs::v2
