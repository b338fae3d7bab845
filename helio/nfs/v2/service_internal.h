// NFS version 2 (RFC 1094) as a service. Everything that version 2 does differently is in
// service.cc.
#pragma once

#include <memory>

#include "helio/nfs/server/request.h"
#include "helio/nfs/v2/cookies.h"
#include "helio/xdr/program.h"

namespace helio::nfs::v2 {

// Context of version 2's procedures.
struct Context {
    const ServiceContext& service;
    Cookies cookies;
};

std::unique_ptr<xdr::ServiceBase> make_service(Context& context);

}  // namespace helio::nfs::v2
