// The three versions of the portmapper as services over one Policy.
#pragma once

#include <memory>

#include "helio/portmap/policy_internal.h"
#include "helio/xdr/program.h"

namespace helio::portmap {

std::unique_ptr<xdr::ServiceBase> make_portmap_v2(Policy& policy);
std::unique_ptr<xdr::ServiceBase> make_rpcbind_v3(Policy& policy);
std::unique_ptr<xdr::ServiceBase> make_rpcbind_v4(Policy& policy);

}  // namespace helio::portmap
