// The three versions of MOUNT as services over one list of mounts.
#pragma once

#include <memory>

#include "helio/nfs/mount/mount_list.h"
#include "helio/nfs/server/request.h"
#include "helio/xdr/program.h"

namespace helio::nfs::mnt {

// Over UDP from another machine, DUMP and EXPORT return at most this many times the bytes of the
// call: its source address may be forged. The same factor as QUIC (RFC 9000 §8.1).
inline constexpr std::size_t kAmplificationMax = 3;

// Context of MOUNT's procedures.
struct Context {
    const ServiceContext& service;
    MountList mounts;
};

std::unique_ptr<xdr::ServiceBase> make_mount_v1(Context& context);
std::unique_ptr<xdr::ServiceBase> make_mount_v2(Context& context);
std::unique_ptr<xdr::ServiceBase> make_mount_v3(Context& context);

}  // namespace helio::nfs::mnt
