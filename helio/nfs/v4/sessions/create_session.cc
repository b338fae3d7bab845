#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/callbacks/callbacks.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/v4/sessions/back_channel_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// Besides the data of the largest READ or WRITE: headers, credentials, and the operations around
// it.
constexpr std::uint32_t kBesidesData = 4096;
// A session with less could not even carry a SEQUENCE with a name.
constexpr std::uint32_t kMessageBytesMin = 512;
// CB_SEQUENCE and CB_NOTIFY_LOCK with the owners and names that Linux uses take 300 bytes, their
// reply 120.
constexpr std::uint32_t kCallbackOperations = 2;
constexpr std::uint32_t kCallbackBytesMin = 512;
constexpr std::uint32_t kCallbackReplyBytesMin = 128;

state::Channel granted(const channel_attrs4& wanted) {
    const std::uint32_t most = ops::kTransferBytesMax + kBesidesData;
    return {
        .request_bytes_max = std::min(wanted.ca_maxrequestsize, most),
        .response_bytes_max = std::min(wanted.ca_maxresponsesize, most),
        .cached_bytes_max = std::min(wanted.ca_maxresponsesize_cached, state::kCachedReplyBytesMax),
        .operations_max = std::min(wanted.ca_maxoperations, state::kOperationsMax),
        .slots = std::clamp(wanted.ca_maxrequests, 1u, state::kSlotsMax)};
}

// Linux's client refuses a session whose replies to callbacks may not be as long as it said, so
// that is left as it is. The transport limits what is received.
state::Channel granted_back(const channel_attrs4& wanted) {
    return {.request_bytes_max = std::min(wanted.ca_maxrequestsize, state::kCallbackBytesMax),
            .response_bytes_max = wanted.ca_maxresponsesize,
            .cached_bytes_max = 0,
            .operations_max = std::min(wanted.ca_maxoperations, kCallbackOperations),
            .slots = std::min(wanted.ca_maxrequests, state::kCallbackSlotsMax)};
}

bool carries_callbacks(const channel_attrs4& back) {
    return back.ca_maxrequestsize >= kCallbackBytesMin &&
           back.ca_maxresponsesize >= kCallbackReplyBytesMin &&
           back.ca_maxoperations >= kCallbackOperations && back.ca_maxrequests > 0;
}

channel_attrs4 to_wire(const state::Channel& from) {
    return {.ca_headerpadsize = 0,
            .ca_maxrequestsize = from.request_bytes_max,
            .ca_maxresponsesize = from.response_bytes_max,
            .ca_maxresponsesize_cached = from.cached_bytes_max,
            .ca_maxoperations = from.operations_max,
            .ca_maxrequests = from.slots,
            .ca_rdma_ird = {}};
}

}  // namespace

// §18.36.
nfsstat4 create_session(Compound& compound, const CREATE_SESSION4args& args,
                        CREATE_SESSION4res& out) {
    constexpr std::uint32_t known = CREATE_SESSION4_FLAG_PERSIST |
                                    CREATE_SESSION4_FLAG_CONN_BACK_CHAN |
                                    CREATE_SESSION4_FLAG_CONN_RDMA;
    if ((args.csa_flags & ~known) != 0) return NFS4ERR_INVAL;
    const channel_attrs4& fore = args.csa_fore_chan_attrs;
    if (fore.ca_maxrequestsize < kMessageBytesMin || fore.ca_maxresponsesize < kMessageBytesMin ||
        fore.ca_maxoperations == 0 || fore.ca_maxrequests == 0)
        return NFS4ERR_TOOSMALL;
    const channel_attrs4& back = args.csa_back_chan_attrs;
    const bool wants_callbacks = (args.csa_flags & CREATE_SESSION4_FLAG_CONN_BACK_CHAN) != 0;
    if (wants_callbacks && !carries_callbacks(back)) return NFS4ERR_TOOSMALL;
    state::CreateSession event{.client = args.csa_clientid,
                               .sequence = args.csa_sequence,
                               .principal = compound.principal(),
                               .fore = granted(fore),
                               .back = granted_back(back)};
    std::optional<rpc::ClientCredential> credential;
    const nfsstat4 status = choose_credential(args.csa_sec_parms, credential);
    if (status != NFS4_OK) return status;
    if (credential && carries_callbacks(back))
        event.callbacks = {args.csa_cb_program, compound.minor_version, *credential};
    if (wants_callbacks && event.callbacks)
        event.back_connection = compound.context().callbacks.connection_of(compound.request.call());
    const state::CreateSessionDone done = compound.state().create_session(event, compound.now());
    if (done.status != NFS4_OK) return done.status;
    CREATE_SESSION4resok ok{};
    ok.csr_sessionid = done.session;
    ok.csr_sequence = done.sequence;
    ok.csr_flags = done.is_bound ? CREATE_SESSION4_FLAG_CONN_BACK_CHAN : 0;
    ok.csr_fore_chan_attrs = to_wire(done.fore);
    ok.csr_back_chan_attrs = to_wire(done.back);
    out = CREATE_SESSION4res::of_csr_resok4(ok);
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
