// The meaning of fields, by names in the schemas. The first matching row wins; an empty name
// matches all.
#include "helio/inspect/meaning_internal.h"

namespace helio::inspect {
namespace {

constexpr Meant kTable[] = {
    // type, struct, field, sense, prefix of the bits' constants
    // NFS version 3 and MOUNT.
    {"mode3", "", "", Sense::mode, ""},
    {"uid3", "", "", Sense::user, ""},
    {"gid3", "", "", Sense::group, ""},
    {"size3", "", "", Sense::size, ""},
    {"count3", "", "", Sense::size, ""},
    {"offset3", "", "", Sense::size, ""},
    {"", "nfstime3", "seconds", Sense::seconds, ""},
    {"", "nfstime3", "nseconds", Sense::nanoseconds, ""},
    {"", "nfs_fh3", "data", Sense::handle, ""},
    {"fhandle3", "", "", Sense::handle, ""},
    {"", "ACCESS3args", "access", Sense::flags, "ACCESS3_"},
    {"", "ACCESS3resok", "access", Sense::flags, "ACCESS3_"},
    {"", "FSINFO3resok", "properties", Sense::flags, "FSF3_"},
    {"", "FSINFO3resok", "rtmax", Sense::size, ""},
    {"", "FSINFO3resok", "rtpref", Sense::size, ""},
    {"", "FSINFO3resok", "wtmax", Sense::size, ""},
    {"", "FSINFO3resok", "wtpref", Sense::size, ""},
    {"", "FSINFO3resok", "dtpref", Sense::size, ""},
    {"fileid3", "", "", Sense::none, ""},
    // NFS version 4.
    {"mode4", "", "", Sense::mode, ""},
    {"count4", "", "", Sense::size, ""},
    {"offset4", "", "", Sense::size, ""},
    {"nfs_fh4", "", "", Sense::handle, ""},
    {"", "nfstime4", "seconds", Sense::seconds, ""},
    {"", "nfstime4", "nseconds", Sense::nanoseconds, ""},
    {"clientid4", "", "", Sense::identifier, ""},
    {"sequenceid4", "", "", Sense::bookkeeping, ""},
    {"seqid4", "", "", Sense::bookkeeping, ""},
    {"slotid4", "", "", Sense::bookkeeping, ""},
    {"", "SEQUENCE4args", "sa_cachethis", Sense::bookkeeping, ""},
    {"", "CB_SEQUENCE4args", "csa_cachethis", Sense::bookkeeping, ""},
    {"", "stateid4", "seqid", Sense::bookkeeping, ""},
    {"", "CREATE_SESSION4args", "csa_cb_program", Sense::program, ""},
    {"", "netaddr4", "na_r_addr", Sense::universal_address, ""},
    // NFS version 2.
    {"fhandle", "", "", Sense::handle, ""},
    {"", "timeval", "seconds", Sense::seconds, ""},
    {"", "timeval", "useconds", Sense::microseconds, ""},
    {"", "fattr", "mode", Sense::mode, ""},
    {"", "fattr", "uid", Sense::user, ""},
    {"", "fattr", "gid", Sense::group, ""},
    {"", "fattr", "size", Sense::size, ""},
    {"", "fattr", "blocksize", Sense::size, ""},
    {"", "sattr", "mode", Sense::mode, ""},
    {"", "sattr", "uid", Sense::user, ""},
    {"", "sattr", "gid", Sense::group, ""},
    {"", "sattr", "size", Sense::size, ""},
    {"", "readargs", "count", Sense::size, ""},
    {"", "readargs", "offset", Sense::size, ""},
    {"", "writeargs", "offset", Sense::size, ""},
    {"", "statfsokres", "tsize", Sense::size, ""},
    {"", "statfsokres", "bsize", Sense::size, ""},
    // NLM.
    {"", "nlm_lock", "fh", Sense::handle, ""},
    {"", "nlm4_lock", "fh", Sense::handle, ""},
    // RPC itself, and its credential.
    {"", "rpc_msg", "xid", Sense::identifier, ""},
    {"", "sys_call", "xid", Sense::identifier, ""},
    {"", "sys_call", "prog", Sense::program, ""},
    {"", "sys_call", "proc", Sense::procedure, ""},
    {"", "sys_call", "body_size", Sense::size, ""},
    {"", "call_body", "prog", Sense::program, ""},
    {"", "call_body", "proc", Sense::procedure, ""},
    {"", "authsys_parms", "stamp", Sense::hexadecimal, ""},
    {"", "authsys_parms", "uid", Sense::user, ""},
    {"", "authsys_parms", "gid", Sense::group, ""},
    {"", "authsys_parms", "gids", Sense::group, ""},
    {"", "record_mark", "mark", Sense::record_mark, ""},
    // The port mapper.
    {"", "mapping", "prog", Sense::program, ""},
    {"", "mapping", "prot", Sense::protocol, ""},
    {"", "call_args", "prog", Sense::program, ""},
    {"", "rpcb", "r_prog", Sense::program, ""},
    {"", "rpcb", "r_addr", Sense::universal_address, ""},
    {"uaddr", "", "", Sense::universal_address, ""},
    {"", "rpcb_entry", "r_maddr", Sense::universal_address, ""},
    // RPC-over-RDMA.
    {"", "rdma_msg", "rdma_xid", Sense::identifier, ""},
    {"", "xdr_rdma_segment", "handle", Sense::steering_tag, ""},
    {"", "xdr_rdma_segment", "length", Sense::size, ""},
    {"", "xdr_rdma_segment", "offset", Sense::hexadecimal, ""},
    // libvirt.
    {"", "virNetMessageHeader", "prog", Sense::virnet_program, ""},
    {"", "virNetMessageHeader", "proc", Sense::procedure, ""},
    {"", "message_length", "length", Sense::size, ""},
    {"virNetMessageUUID", "", "", Sense::uuid, ""},
    {"remote_uuid", "", "", Sense::uuid, ""},
    // rquota, in blocks and seconds; for statd and lockd the schema's comments are enough.
    {"", "rquota", "rq_bsize", Sense::size, ""},
};

bool fits(std::string_view wanted, std::string_view name) {
    return wanted.empty() || wanted == name;
}

}  // namespace

const Meant* find_meant(std::string_view type, std::string_view structure, std::string_view field) {
    for (const Meant& one : kTable)
        if (fits(one.type, type) && fits(one.structure, structure) && fits(one.field, field))
            return &one;
    return nullptr;
}

}  // namespace helio::inspect
