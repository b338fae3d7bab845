// NFS version 4, minor versions 1 and 2 (RFC 8881, RFC 7862), as a service.
#pragma once

#include <memory>

#include "helio/nfs/v4/context.h"
#include "helio/xdr/program.h"

namespace helio::nfs::v4 {

std::unique_ptr<xdr::ServiceBase> make_service(const Context& context);

}  // namespace helio::nfs::v4
