// The operations on clients and sessions that only pass their arguments to the state.
#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

// §18.37.
nfsstat4 destroy_session(Compound& compound, const DESTROY_SESSION4args& args,
                         DESTROY_SESSION4res&) {
    return compound.state().destroy_session(args.dsa_sessionid, compound.principal());
}

// §18.50.
nfsstat4 destroy_clientid(Compound& compound, const DESTROY_CLIENTID4args& args,
                          DESTROY_CLIENTID4res&) {
    return compound.state().destroy_client(args.dca_clientid, compound.now());
}

// §18.51.
nfsstat4 reclaim_complete(Compound& compound, const RECLAIM_COMPLETE4args& args,
                          RECLAIM_COMPLETE4res&) {
    // No file system moves to this server.
    if (args.rca_one_fs) return NFS4_OK;
    return compound.state().reclaim_complete(*compound.session, compound.now());
}

}  // namespace helio::nfs::v4
