// Operations that choose the current file (RFC 8881 §18.8, §18.19 to §18.21, §18.27, §18.28).
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;

// Checked at once, as RFC 8881 §18.19.4 has it: a later GETFH must not give out what we did not
// make. But the RFC has no NFS4ERR_ACCESS here: a client that may not use the file's export is told
// by the operation that follows.
nfsstat4 putfh(Compound& compound, const PUTFH4args& args, PUTFH4res& out) {
    if (!compound.go_to(args.object))  // too long; the log shows it
        return to_nfs4(Access{compound.request}.open(args.object, Intent::read));
    if (const vfs::Status status = compound.open(Intent::read);
        status != vfs::Status::ok && status != vfs::Status::access_denied) {
        compound.leave();
        return to_nfs4(status);
    }
    out.status = NFS4_OK;
    return NFS4_OK;
}

// The root of the export "/", if there is one that this client may use; otherwise the pseudo root.
nfsstat4 putrootfh(Compound& compound, PUTROOTFH4res& out) {
    go_to(compound, compound.request.table().tree().root());
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
