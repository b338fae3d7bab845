// NFS version 2 (RFC 1094) as a service. Everything that version 2 does otherwise is in service.cc.
#pragma once

#include <memory>

#include "helio/nfs/server/request.h"
#include "helio/xdr/program.h"

namespace helio::nfs::v2 {

std::unique_ptr<xdr::ServiceBase> make_service(const ServiceContext& context);

}  // namespace helio::nfs::v2
