// The three versions of the portmapper as services over one Desk.
#pragma once

#include <memory>

#include "helio/portmap/desk_internal.h"
#include "helio/xdr/program.h"

namespace helio::portmap {

std::unique_ptr<xdr::ServiceBase> make_portmap_v2(Desk& desk);
std::unique_ptr<xdr::ServiceBase> make_rpcbind_v3(Desk& desk);
std::unique_ptr<xdr::ServiceBase> make_rpcbind_v4(Desk& desk);

}  // namespace helio::portmap
