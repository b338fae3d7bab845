// NFS version 3 (RFC 1813 §3.3) as a service. The procedures are in the files beside this one.
#pragma once

#include <memory>

#include "helio/nfs/server/request.h"
#include "helio/xdr/program.h"

namespace helio::nfs::v3 {

std::unique_ptr<xdr::ServiceBase> make_service(const ServiceContext& context);

}  // namespace helio::nfs::v3
