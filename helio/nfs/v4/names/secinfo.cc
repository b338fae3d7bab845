// SECINFO and SECINFO_NO_NAME: which security flavors a file accepts (RFC 8881 §18.29, §18.45).
#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

// The best first. AUTH_NONE callers are served as the anonymous user.
bool flavors(Compound& compound, SECINFO4resok& out) {
    auto* const all = compound.request.arena().make<secinfo4>(2);
    if (all == nullptr) return false;
    all[0] = secinfo4::of(helio::rpc::AUTH_SYS);
    all[1] = secinfo4::of(helio::rpc::AUTH_NONE);
    out = {all, 2};
    return true;
}

}  // namespace

Task<nfsstat4> secinfo(Compound& compound, const SECINFO4args& args, SECINFO4res& out) {
    if (args.name.empty()) co_return NFS4ERR_INVAL;
    const Crossing crossed = crossing(compound, compound.current(), args.name);
    if (crossed.status != NFS4_OK) co_return crossed.status;
    if (crossed.to != nullptr) {
        const nfsstat4 searched = co_await check_search(compound);
        if (searched != NFS4_OK) co_return searched;
    } else {
        ops::Object found;
        std::optional<vfs::Attributes> directory;
        const Status status =
            co_await ops::lookup(compound.request, compound.current(), args.name, found, directory);
        if (status != Status::ok) co_return to_nfs4(status);
    }
    SECINFO4resok all;
    if (!flavors(compound, all)) co_return NFS4ERR_SERVERFAULT;
    compound.leave();  // the current file is consumed (§18.29.3)
    out = SECINFO4res::of_resok4(all);
    co_return NFS4_OK;
}

nfsstat4 secinfo_no_name(Compound& compound, const SECINFO_NO_NAME4args& args,
                         SECINFO_NO_NAME4res& out) {
    Access file{compound.request};
    if (const Status status = file.open(compound.current(), Intent::read); status != Status::ok)
        return to_nfs4(status);
    const auto* const node = compound.request.table().tree().find(file.where(), file.id());
    const bool at_root = node != nullptr && node->parent == nullptr;
    if (args.style == SECINFO_STYLE4_PARENT && at_root) return NFS4ERR_NOENT;
    SECINFO4resok all;
    if (!flavors(compound, all)) return NFS4ERR_SERVERFAULT;
    compound.leave();
    out = SECINFO_NO_NAME4res::of_resok4(all);
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
