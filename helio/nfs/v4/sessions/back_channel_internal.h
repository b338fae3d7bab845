// How callbacks identify themselves to the client.
#pragma once

#include <optional>

#include "helio/rpc/onc/onc_envelope.h"
#include "schema/nfs4.h"

namespace helio::nfs::v4 {

// The first of csa_sec_parms or bca_sec_parms that this server can use: AUTH_NONE or AUTH_SYS.
// NFS4ERR_NOENT: there are only handles of RPCSEC_GSS, and no such context exists here (§18.33.3).
nfs4::nfsstat4 choose_credential(const xdr::Array<nfs4::callback_sec_parms4>& offered,
                                 std::optional<rpc::ClientCredential>& out);

}  // namespace helio::nfs::v4
