// The operations on clients and sessions that only pass their arguments to the state.
#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

// §18.33. Callbacks use AUTH_NONE or AUTH_SYS, whichever the client named; there is nothing to
// negotiate.
nfsstat4 backchannel_ctl(Compound&, const BACKCHANNEL_CTL4args&, BACKCHANNEL_CTL4res& out) {
    out.bcr_status = NFS4_OK;
    return NFS4_OK;
}

// §18.34.
nfsstat4 bind_conn_to_session(Compound& compound, const BIND_CONN_TO_SESSION4args& args,
                              BIND_CONN_TO_SESSION4res& out) {
    const nfsstat4 status = compound.state().bind_connection(args.bctsa_sessid, compound.now());
    if (status != NFS4_OK) return status;
    const bool back =
        args.bctsa_dir != CDFC4_FORE && compound.request.call().back_channel() != nullptr;
    if (args.bctsa_dir == CDFC4_BACK && !back) return NFS4ERR_INVAL;
    BIND_CONN_TO_SESSION4resok ok{};
    ok.bctsr_sessid = args.bctsa_sessid;
    ok.bctsr_dir = args.bctsa_dir == CDFC4_BACK ? CDFS4_BACK : back ? CDFS4_BOTH : CDFS4_FORE;
    ok.bctsr_use_conn_in_rdma_mode = false;
    out = BIND_CONN_TO_SESSION4res::of_bctsr_resok4(ok);
    return NFS4_OK;
}

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
