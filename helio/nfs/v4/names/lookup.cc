#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

Task<nfsstat4> cross(Compound& compound, const ExportTree::Node& to) {
    const nfsstat4 status = co_await check_search(compound);
    if (status == NFS4_OK) go_to(compound, to);
    co_return status;
}

Task<nfsstat4> go(Compound& compound, std::string_view name) {
    ops::Object found;
    std::optional<vfs::Attributes> directory;
    const Status status =
        co_await ops::lookup(compound.request, compound.current(), name, found, directory);
    if (status != Status::ok) {
        // A symbolic link is for the client to follow (§18.13.4).
        const bool link = status == Status::not_a_directory && directory &&
                          directory->type == vfs::FileType::symlink;
        co_return link ? NFS4ERR_SYMLINK : to_nfs4(status);
    }
    compound.go_to(found.handle);
    compound.note_attributes(found.attributes);
    co_return NFS4_OK;
}

}  // namespace

// §18.13. Names with a meaning of their own are no names (§14.5).
Task<nfsstat4> lookup(Compound& compound, const LOOKUP4args& args, LOOKUP4res& out) {
    if (args.objname.empty()) co_return NFS4ERR_INVAL;
    if (args.objname == "." || args.objname == "..") co_return NFS4ERR_BADNAME;
    const Crossing found = crossing(compound, compound.current(), args.objname);
    if (found.status != NFS4_OK) co_return found.status;
    out.status = found.to != nullptr ? co_await cross(compound, *found.to)
                                     : co_await go(compound, args.objname);
    co_return out.status;
}

// §18.14. Above the root of an export is the directory that its name is in. The root of all has no
// parent.
Task<nfsstat4> lookupp(Compound& compound, LOOKUPP4res& out) {
    Access file{compound.request};
    if (const Status status = file.open(compound.current(), Intent::read); status != Status::ok)
        co_return to_nfs4(status);
    if (const auto* const node = compound.request.table().tree().find(file.where(), file.id()))
        out.status =
            node->parent == nullptr ? NFS4ERR_NOENT : co_await cross(compound, *node->parent);
    else
        out.status = co_await go(compound, "..");
    co_return out.status;
}

}  // namespace helio::nfs::v4
