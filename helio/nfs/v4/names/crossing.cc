#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

Crossing crossing(Compound& compound, ByteView directory, std::string_view name) {
    const ExportTree& tree = compound.request.table().tree();
    if (!tree.has_crossings()) [[likely]]
        return {};
    Access at{compound.request};
    if (const Status status = at.open(directory, Intent::read); status != Status::ok)
        return {to_nfs4(status)};
    const ExportTree::Node* const node = tree.find(at.where(), at.id());
    if (node == nullptr) return {};
    return {NFS4_OK, ExportTree::child(*node, name, compound.request.call().peer)};
}

Task<nfsstat4> check_search(Compound& compound) {
    vfs::AccessOut rights;
    const Status status =
        co_await ops::access(compound.request, compound.current(), vfs::access::kLookup, rights);
    if (status != Status::ok) co_return to_nfs4(status);
    co_return (rights.granted & vfs::access::kLookup) != 0 ? NFS4_OK : NFS4ERR_ACCESS;
}

void go_to(Compound& compound, const ExportTree::Node& node) {
    const Request& request = compound.request;
    const ExportTree::Place place = request.table().tree().place(node, request.call().peer);
    compound.go_to(request.exports().seal(*place.where, place.id).view());
}

nfsstat4 check_own_name(Compound& compound, ByteView directory, std::string_view name,
                        nfsstat4 refusal) {
    const Crossing found = crossing(compound, directory, name);
    if (found.status != NFS4_OK) return found.status;
    return found.to != nullptr ? refusal : NFS4_OK;
}

}  // namespace helio::nfs::v4
