#include "tests/rfc_vectors/vectors.h"

namespace helio::vectors {

using xdr::append;
using xdr::Fault;
using xdr::hex;

namespace {

// The body of the READ's credential: AUTH_SYS, 48 bytes.
constexpr const char* kReadCredential =
    "00000000"                                    // stamp
    "00000015"                                    // machinename: 21 bytes …
    "6c6f63616c686f73742e6c6f63616c646f6d61696e"  // … "localhost.localdomain" …
    "000000"                                      // … and three of padding
    "00000000"                                    // uid: root
    "00000000"                                    // gid
    "00000001"                                    // gids: one …
    "00000000";                                   // … root

// The body of the GETATTR's credential: AUTH_SYS, 100 bytes. The note gives all but the machine's
// name and the groups; both are made up here, of the lengths given.
constexpr const char* kGetattrCredential =
    "1006807d"                    // stamp
    "0000000d"                    // machinename: 13 bytes …
    "6e66732d636c69656e742d3031"  // … "nfs-client-01" …
    "000000"                      // … and three of padding
    "000003e8"                    // uid: 1000
    "000003e8"                    // gid: 1000
    "00000010"                    // gids: 16, as many as there can be
    "00000004"                    // 4
    "00000014"                    // 20
    "00000018"                    // 24
    "00000019"                    // 25
    "0000001b"                    // 27
    "0000001d"                    // 29
    "0000001e"                    // 30
    "0000002c"                    // 44
    "0000002e"                    // 46
    "00000064"                    // 100
    "0000006c"                    // 108
    "0000006d"                    // 109
    "00000071"                    // 113
    "00000075"                    // 117
    "000003e7"                    // 999
    "000003e8";                   // 1000

}  // namespace

Vector null_call() {
    return {"null_call",
            "rpc",
            "rpc_msg",
            hex("00343200"    // xid: any number
                "00000000"    // mtype: CALL
                "00000002"    // rpcvers
                "000186a3"    // prog: NFS, 100003
                "00000002"    // vers
                "00000000"    // proc: NFSPROC_NULL
                "00000000"    // cred.flavor: AUTH_NONE
                "00000000"    // cred.body: no bytes
                "00000000"    // verf.flavor: AUTH_NONE
                "00000000"),  // verf.body: no bytes
            {{4, 2, Fault::bad_enum}}};
}

// A kernel's trace of one READ over RDMA, 36 words: this, and the arguments.
Vector read_call_header() {
    Bytes bytes =
        hex("8f0a71c7"    // xid
            "00000000"    // mtype: CALL
            "00000002"    // rpcvers
            "000186a3"    // prog: NFS, 100003
            "00000003"    // vers
            "00000006"    // proc: NFSPROC3_READ
            "00000001"    // cred.flavor: AUTH_SYS
            "00000030");  // cred.body: 48 bytes …
    append(bytes, hex(kReadCredential));
    append(bytes, hex("00000000"     // verf.flavor: AUTH_NONE
                      "00000000"));  // verf.body: no bytes
    return {"read_call_header", "rpc", "rpc_msg", bytes, {{4, 2, Fault::bad_enum}}};
}

Vector read_call_credential() {
    return {"read_call_credential", "authsys", "authsys_parms", hex(kReadCredential), {}};
}

Vector read_call_arguments() {
    return {"read_call_arguments",
            "nfs3",
            "READ3args",
            hex("00000028"  // file.data: 40 bytes …
                "01000781"  // … that mean something to the server only
                "84000000"
                "00000000"
                "a6d1ffe0"
                "4a184a30"
                "94bd9e20"
                "accda20a"
                "97000000"
                "00000000"
                "c4541155"
                "0000000000000000"  // offset: 0
                "00001000"),        // count: 4096 bytes
            {}};
}

// The note shows no xid; this one is made up.
Vector getattr_call_header() {
    Bytes bytes =
        hex("00005e1f"    // xid
            "00000000"    // mtype: CALL
            "00000002"    // rpcvers
            "000186a3"    // prog: NFS, 100003
            "00000003"    // vers
            "00000001"    // proc: NFSPROC3_GETATTR
            "00000001"    // cred.flavor: AUTH_SYS
            "00000064");  // cred.body: 100 bytes …
    append(bytes, hex(kGetattrCredential));
    append(bytes, hex("00000000"     // verf.flavor: AUTH_NONE
                      "00000000"));  // verf.body: no bytes
    return {"getattr_call_header", "rpc", "rpc_msg", bytes, {{4, 2, Fault::bad_enum}}};
}

Vector getattr_call_credential() {
    return {"getattr_call_credential", "authsys", "authsys_parms", hex(kGetattrCredential), {}};
}

// The note gives the handle's length only; its bytes are made up.
Vector getattr_call_arguments() {
    return {"getattr_call_arguments",
            "nfs3",
            "GETATTR3args",
            hex("00000014"                                    // object.data: 20 bytes …
                "0100060129e1c0a85b7f4d5f8a3b0e7d5a9c0204"),  // … that only the server reads
            {}};
}

// The note gives the verifier's flavor as 0 but shows the bytes of 1; RFC 5531 §8.2 has 0.
Vector getattr_reply_header() {
    return {"getattr_reply_header",
            "rpc",
            "rpc_msg",
            hex("00005e1f"    // xid: that of the call
                "00000001"    // mtype: REPLY
                "00000000"    // stat: MSG_ACCEPTED
                "00000000"    // verf.flavor: AUTH_NONE
                "00000000"    // verf.body: no bytes
                "00000000"),  // reply_data.stat: SUCCESS
            {{4, 2, Fault::bad_enum}, {8, 2, Fault::bad_enum}}};
}

// File system, file number and times are not in the note and made up.
Vector getattr_reply_results() {
    return {"getattr_reply_results",
            "nfs3",
            "GETATTR3res",
            hex("00000000"  // status: NFS3_OK
                "00000002"  // type: NF3DIR
                "000041ff"  // mode: 0777, and a directory's type bits, against RFC 1813 §2.5
                "00000006"  // nlink
                "000001f5"  // uid: 501
                "000003e8"  // gid: 1000
                "0000000000001000"  // size: 4096
                "0000000000001000"  // used: 4096
                "00000000"          // rdev.specdata1
                "00000000"          // rdev.specdata2
                "0000000000000801"  // fsid
                "0000000000000002"  // fileid
                "5e0be100"          // atime.seconds
                "00000001"          // atime.nseconds
                "5e0be101"          // mtime.seconds
                "3b9ac9ff"          // mtime.nseconds: the last of a second
                "5e0be102"          // ctime.seconds
                "00000000"),        // ctime.nseconds
            {{4, 8, Fault::bad_enum}}};
}

std::vector<Vector> all() {
    return {null_call(),
            read_call_header(),
            read_call_credential(),
            read_call_arguments(),
            getattr_call_header(),
            getattr_call_credential(),
            getattr_call_arguments(),
            getattr_reply_header(),
            getattr_reply_results(),
            rdma_msg_plain(),
            rdma_msg_read_list(),
            rdma_msg_write_list_and_reply_chunk(),
            rdma_nomsg(),
            rdma_msgp(),
            rdma_done(),
            rdma_error_version(),
            rdma_error_chunk()};
}

Bytes message(std::initializer_list<Vector> parts) {
    Bytes out;
    for (const Vector& part : parts) append(out, part.bytes);
    return out;
}

}  // namespace helio::vectors
