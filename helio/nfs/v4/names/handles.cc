// Operations that choose the current file (RFC 8881 §18.8, §18.19 to §18.21, §18.27, §18.28).
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;

// Checked at once, as RFC 8881 §18.19.4 has it: a later GETFH must not give out what we did not
// make.
nfsstat4 putfh(Compound& compound, const PUTFH4args& args, PUTFH4res& out) {
    Access file{compound.request};
    if (const vfs::Status status = file.open(args.object, Intent::read); status != vfs::Status::ok)
        return to_nfs4(status);
    if (!compound.go_to(args.object)) return NFS4ERR_BADHANDLE;
    out.status = NFS4_OK;
    return NFS4_OK;
}

nfsstat4 putrootfh(Compound& compound, PUTROOTFH4res& out) {
    Access root{compound.request};
    std::string_view below;
    const vfs::Status status = root.find("/", below);
    if (status != vfs::Status::ok) return to_nfs4(status);
    const Handle handle = compound.request.exports().seal(root.where(), root.id());
    compound.go_to(handle.view());
    out.status = NFS4_OK;
    return NFS4_OK;
}

nfsstat4 putpubfh(Compound& compound, PUTPUBFH4res& out) {
    PUTROOTFH4res same{};
    out.status = putrootfh(compound, same);
    return out.status;
}

nfsstat4 getfh(Compound& compound, GETFH4res& out) {
    const ByteView kept = as_bytes(compound.request.keep(as_text(compound.current())));
    if (kept.empty()) return NFS4ERR_SERVERFAULT;
    out = GETFH4res::of_resok4({kept});
    return NFS4_OK;
}

nfsstat4 savefh(Compound& compound, SAVEFH4res& out) {
    compound.save();
    out.status = NFS4_OK;
    return NFS4_OK;
}

nfsstat4 restorefh(Compound& compound, RESTOREFH4res& out) {
    if (compound.saved().empty()) return NFS4ERR_NOFILEHANDLE;
    compound.restore();
    out.status = NFS4_OK;
    return NFS4_OK;
}

}  // namespace helio::nfs::v4
