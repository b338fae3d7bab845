#include "helio/nfs/ops/ops.h"
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/names/crossing_internal.h"
#include "helio/nfs/v4/operations_internal.h"
#include "helio/nfs/wire/status.h"

namespace helio::nfs::v4 {

using namespace nfs4;
using vfs::Status;

namespace {

// False: OPEN makes regular files, and named attributes are not made at all.
bool node_of(const createtype4& from, vfs::NewNode& out) {
    switch (from.type()) {
        case NF4DIR:
            out.type = vfs::FileType::directory;
            return true;
        case NF4LNK:
            out.type = vfs::FileType::symlink;
            out.target = from.linkdata();
            return true;
        case NF4BLK:
        case NF4CHR:
            out.type = from.type() == NF4BLK ? vfs::FileType::block_device
                                             : vfs::FileType::character_device;
            out.device_major = from.devdata().specdata1;
            out.device_minor = from.devdata().specdata2;
            return true;
        case NF4SOCK:
            out.type = vfs::FileType::socket;
            return true;
        case NF4FIFO:
            out.type = vfs::FileType::fifo;
            return true;
        case NF4REG:
        case NF4ATTRDIR:
        case NF4NAMEDATTR:
            return false;
    }
    return false;
}

}  // namespace

// §18.4.
Task<nfsstat4> create(Compound& compound, const CREATE4args& args, CREATE4res& out) {
    vfs::NewNode what;
    if (!node_of(args.objtype, what)) co_return NFS4ERR_BADTYPE;
    if (compound.context().names != nullptr)
        if (const nfsstat4 status = co_await learn_owners(compound, args.createattrs);
            status != NFS4_OK)
            co_return status;
    if (const nfsstat4 status = changes_in(compound, args.createattrs, what.attributes);
        status != NFS4_OK)
        co_return status;
    if (args.objname.empty()) co_return NFS4ERR_INVAL;
    if (const nfsstat4 status =
            check_own_name(compound, compound.current(), args.objname, NFS4ERR_EXIST);
        status != NFS4_OK)
        co_return status;
    ops::Object made;
    vfs::Change directory;
    const vfs::Changes asked = what.attributes;
    const Status status = co_await ops::make(compound.request, compound.current(), args.objname,
                                             what, made, directory);
    if (status != Status::ok) co_return to_nfs4(status);
    compound.go_to(made.handle);
    out = CREATE4res::of_resok4({to_wire(directory), bits_of(compound, asked)});
    co_return NFS4_OK;
}

}  // namespace helio::nfs::v4
