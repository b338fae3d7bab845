// The operations that say how the client is called back, and over which connections.
#include <vector>

#include "helio/nfs/v4/callbacks/callbacks.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/v4/sessions/back_channel_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

nfsstat4 choose_credential(const xdr::Array<callback_sec_parms4>& offered,
                           std::optional<rpc::ClientCredential>& out) {
    for (const callback_sec_parms4& one : offered) {
        if (one.cb_secflavor() == rpc::AUTH_NONE) {
            out = rpc::ClientCredential::none();
            return NFS4_OK;
        }
        if (const auto* const who = one.if_cbsp_sys_cred()) {
            const std::vector<std::uint32_t> gids{who->gids.begin(), who->gids.end()};
            out = rpc::ClientCredential::sys(who->uid, who->gid, gids, who->machinename);
            return NFS4_OK;
        }
    }
    return offered.empty() ? NFS4_OK : NFS4ERR_NOENT;
}

// §18.33.
nfsstat4 backchannel_ctl(Compound& compound, const BACKCHANNEL_CTL4args& args,
                         BACKCHANNEL_CTL4res& out) {
    std::optional<rpc::ClientCredential> credential;
    const nfsstat4 status = choose_credential(args.bca_sec_parms, credential);
    if (status != NFS4_OK) return status;
    compound.state().set_callbacks(*compound.session, args.bca_cb_program, credential);
    out.bcr_status = NFS4_OK;
    return NFS4_OK;
}

// §18.34. A client that may also use the connection for its own calls gets that alone if there is
// no way back.
nfsstat4 bind_conn_to_session(Compound& compound, const BIND_CONN_TO_SESSION4args& args,
                              BIND_CONN_TO_SESSION4res& out) {
    const nfsstat4 status = compound.state().bind_connection(args.bctsa_sessid, compound.now());
    if (status != NFS4_OK) return status;
    bool is_bound = false;
    if (args.bctsa_dir != CDFC4_FORE)
        if (const auto connection =
                compound.context().callbacks.connection_of(compound.request.call()))
            is_bound = compound.state().bind_back_channel(args.bctsa_sessid, connection);
    const bool needs_it = args.bctsa_dir == CDFC4_BACK || args.bctsa_dir == CDFC4_BACK_OR_BOTH;
    if (needs_it && !is_bound) return NFS4ERR_INVAL;
    BIND_CONN_TO_SESSION4resok ok{};
    ok.bctsr_sessid = args.bctsa_sessid;
    ok.bctsr_dir = args.bctsa_dir == CDFC4_BACK ? CDFS4_BACK : is_bound ? CDFS4_BOTH : CDFS4_FORE;
    ok.bctsr_use_conn_in_rdma_mode = false;
    out = BIND_CONN_TO_SESSION4res::of_bctsr_resok4(ok);
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
