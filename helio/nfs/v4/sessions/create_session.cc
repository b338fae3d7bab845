#include <algorithm>

#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// Besides the data of the largest READ or WRITE: headers, credentials, and the operations around
// it.
constexpr std::uint32_t kBesidesData = 4096;
// A session with less could not even carry a SEQUENCE with a name.
constexpr std::uint32_t kMessageBytesMin = 512;

state::Channel granted(const channel_attrs4& wanted) {
    const std::uint32_t most = ops::kTransferBytesMax + kBesidesData;
    return {
        .request_bytes_max = std::min(wanted.ca_maxrequestsize, most),
        .response_bytes_max = std::min(wanted.ca_maxresponsesize, most),
        .cached_bytes_max = std::min(wanted.ca_maxresponsesize_cached, state::kCachedReplyBytesMax),
        .operations_max = std::min(wanted.ca_maxoperations, state::kOperationsMax),
        .slots = std::clamp(wanted.ca_maxrequests, 1u, state::kSlotsMax)};
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
    const state::CreateSessionDone done = compound.state().create_session(
        {args.csa_clientid, args.csa_sequence, compound.principal(), granted(fore)},
        compound.now());
    if (done.status != NFS4_OK) return done.status;
    const bool has_way_back = compound.request.call().back_channel() != nullptr;
    CREATE_SESSION4resok ok{};
    ok.csr_sessionid = done.session;
    ok.csr_sequence = done.sequence;
    ok.csr_flags = has_way_back ? args.csa_flags & CREATE_SESSION4_FLAG_CONN_BACK_CHAN : 0;
    ok.csr_fore_chan_attrs = to_wire(done.fore);
    ok.csr_back_chan_attrs = args.csa_back_chan_attrs;
    ok.csr_back_chan_attrs.ca_rdma_ird = {};
    out = CREATE_SESSION4res::of_csr_resok4(ok);
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
