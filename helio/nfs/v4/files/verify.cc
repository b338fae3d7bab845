// VERIFY and NVERIFY: go on if the attributes are the same, or not (RFC 8881 §18.15, §18.31).
#include "helio/nfs/v4/attributes.h"
#include "helio/nfs/v4/operations_internal.h"

namespace helio::nfs::v4 {

using namespace nfs4;

namespace {

// NFS4ERR_SAME or NFS4ERR_NOT_SAME, or why they could not be compared.
Task<nfsstat4> compare(Compound& compound, const fattr4& given) {
    const Wanted wanted{given.attrmask};
    if (wanted.write_only() || wanted.bits().test(fattr4_attributes::bit::rdattr_error))
        co_return NFS4ERR_INVAL;
    if (!wanted.all_supported()) co_return NFS4ERR_ATTRNOTSUPP;
    fattr4 have;
    const nfsstat4 status = co_await describe_current(compound, wanted, have);
    if (status != NFS4_OK) co_return status;
    co_return xdr::same(given.attr_vals, have.attr_vals) ? NFS4ERR_SAME : NFS4ERR_NOT_SAME;
}

}  // namespace

Task<nfsstat4> verify(Compound& compound, const VERIFY4args& args, VERIFY4res& out) {
    const nfsstat4 status = co_await compare(compound, args.obj_attributes);
    out.status = status == NFS4ERR_SAME ? NFS4_OK : status;
    co_return out.status;
}

Task<nfsstat4> nverify(Compound& compound, const NVERIFY4args& args, NVERIFY4res& out) {
    const nfsstat4 status = co_await compare(compound, args.obj_attributes);
    out.status = status == NFS4ERR_NOT_SAME ? NFS4_OK : status;
    co_return out.status;
}

}  // namespace helio::nfs::v4
