#include "helio/nfs/server/counters.h"
#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// Flags that a client may set (RFC 8881 §18.35.3).
constexpr std::uint32_t kKnownFlags =
    EXCHGID4_FLAG_SUPP_MOVED_REFER | EXCHGID4_FLAG_SUPP_MOVED_MIGR | EXCHGID4_FLAG_SUPP_FENCE_OPS |
    EXCHGID4_FLAG_BIND_PRINC_STATEID | EXCHGID4_FLAG_MASK_PNFS | EXCHGID4_FLAG_UPD_CONFIRMED_REC_A;

constexpr std::string_view kDomain = "heliograph";
constexpr std::string_view kProduct = "helio serve";

// What administrators see: "Linux 6.12.0 … (kernel.org)".
state::ClientFacts facts_of(const Compound& compound, const EXCHANGE_ID4args& args) {
    state::ClientFacts facts;
    facts.address = client_text(compound.request.call().peer.client);
    facts.minor_version = compound.minor_version;
    if (args.eia_client_impl_id.empty()) return facts;
    const nfs_impl_id4& given = args.eia_client_impl_id[0];
    facts.implementation = given.nii_name.substr(0, state::kImplementationBytesMax);
    if (!given.nii_domain.empty() &&
        facts.implementation.size() + given.nii_domain.size() + 3 <= state::kImplementationBytesMax)
        facts.implementation.append(" (").append(given.nii_domain).append(")");
    return facts;
}

}  // namespace

// §18.35. The server's owner and scope stay the same over restarts and at all of its addresses, so
// that clients find out that several addresses are one server, and may reclaim.
nfsstat4 exchange_id(Compound& compound, const EXCHANGE_ID4args& args, EXCHANGE_ID4res& out) {
    if ((args.eia_flags & ~kKnownFlags) != 0) return NFS4ERR_INVAL;
    // Protected state needs RPCSEC_GSS, with which no call comes here.
    if (args.eia_state_protect.spa_how() == SP4_SSV) return NFS4ERR_ENCR_ALG_UNSUPP;
    if (args.eia_state_protect.spa_how() == SP4_MACH_CRED) return NFS4ERR_INVAL;
    state::ExchangeId event;
    event.owner.name = as_text(args.eia_clientowner.co_ownerid);
    std::memcpy(&event.owner.verifier, args.eia_clientowner.co_verifier.data(), 8);
    event.principal = compound.principal();
    event.update = (args.eia_flags & EXCHGID4_FLAG_UPD_CONFIRMED_REC_A) != 0;
    event.facts = facts_of(compound, args);
    const state::ExchangeIdDone done = compound.state().exchange_id(event, compound.now());
    if (done.status != NFS4_OK) return done.status;

    auto* const identity = compound.request.arena().make<std::uint64_t>();
    auto* const implementation = compound.request.arena().make<nfs_impl_id4>();
    if (identity == nullptr || implementation == nullptr) return NFS4ERR_SERVERFAULT;
    *identity = compound.context().server_id;
    *implementation = {.nii_domain = kDomain, .nii_name = kProduct, .nii_date = {}};
    const ByteView name{reinterpret_cast<const std::byte*>(identity), sizeof *identity};
    EXCHANGE_ID4resok ok{};
    ok.eir_clientid = done.client;
    ok.eir_sequenceid = done.sequence;
    ok.eir_flags = EXCHGID4_FLAG_USE_NON_PNFS | (done.confirmed ? EXCHGID4_FLAG_CONFIRMED_R : 0);
    ok.eir_state_protect = state_protect4_r::of(SP4_NONE);
    ok.eir_server_owner = {.so_minor_id = 0, .so_major_id = name};
    ok.eir_server_scope = name;
    ok.eir_server_impl_id = {implementation, 1};
    out = EXCHANGE_ID4res::of_eir_resok4(ok);
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
