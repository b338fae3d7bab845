// The field notes' messages as a server or client sees them: envelope, credential and arguments,
// each value checked against the note; and the same messages encoded from values.
#include <gtest/gtest.h>

#include <array>

#include "schema/authsys.h"
#include "schema/nfs3.h"
#include "schema/rpc.h"
#include "schema/rpcrdma.h"
#include "tests/rfc_vectors/vectors.h"

namespace helio::vectors::rpc_messages_test {
namespace {

using xdr::Arena;
using xdr::hex;
using xdr::Mode;
using xdr::Reader;
using xdr::to_hex;
using xdr::Writer;

// A received message: another schema decodes what follows the envelope, hence lenient.
struct Envelope {
    explicit Envelope(ByteView message) {
        Reader in{message, arena};
        decoded = rpc::decode_rpc_msg(in, msg);
        rest = in.rest();
    }
    Arena arena;
    rpc::rpc_msg msg;
    ByteView rest;
    bool decoded = false;
};

rpc::rpc_msg call_of(std::uint32_t xid, std::uint32_t vers, std::uint32_t proc,
                     rpc::opaque_auth cred) {
    rpc::rpc_msg msg;
    msg.xid = xid;
    rpc::call_body& call = msg.body.emplace_cbody(rpc::CALL);
    call.rpcvers = rpc::RPC_MSG_VERSION;
    call.prog = 100003;
    call.vers = vers;
    call.proc = proc;
    call.cred = cred;
    return msg;
}

Bytes encoded(const authsys::authsys_parms& credential) {
    Arena arena;
    Writer out{arena};
    EXPECT_TRUE(encode_authsys_parms(out, credential));
    return out.joined();
}

TEST(NullCall, IsFortyBytes) {
    const Bytes bytes = null_call().bytes;
    ASSERT_EQ(bytes.size(), 40u);
    const Envelope call{bytes};
    ASSERT_TRUE(call.decoded);
    EXPECT_EQ(call.msg.xid, 0x00343200u);
    ASSERT_EQ(call.msg.body.mtype(), rpc::CALL);
    const rpc::call_body& body = call.msg.body.cbody();
    EXPECT_EQ(body.rpcvers, 2u);
    EXPECT_EQ(body.prog, 100003u);
    EXPECT_EQ(body.vers, 2u);
    EXPECT_EQ(body.proc, 0u);
    EXPECT_EQ(body.cred.flavor, rpc::AUTH_NONE);
    EXPECT_TRUE(body.cred.body.empty());
    EXPECT_EQ(body.verf.flavor, rpc::AUTH_NONE);
    EXPECT_TRUE(body.verf.body.empty());
    EXPECT_TRUE(call.rest.empty()) << "NULL takes no arguments";
}

TEST(NullCall, IsMadeFromValues) {
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(encode_rpc_msg(out, call_of(0x00343200, 2, 0, {})));
    EXPECT_EQ(to_hex(out.joined()), to_hex(null_call().bytes));
}

TEST(ReadCall, IsThirtySixWords) {
    const Bytes bytes = message({read_call_header(), read_call_arguments()});
    ASSERT_EQ(bytes.size(), 36u * 4);
    const Envelope call{bytes};
    ASSERT_TRUE(call.decoded);
    EXPECT_EQ(call.msg.xid, 0x8f0a71c7u);
    ASSERT_TRUE(call.msg.body.has_cbody());
    const rpc::call_body& body = call.msg.body.cbody();
    EXPECT_EQ(body.rpcvers, 2u);
    EXPECT_EQ(body.prog, 100003u);
    EXPECT_EQ(body.vers, 3u);
    EXPECT_EQ(body.proc, 6u);
    ASSERT_EQ(body.cred.flavor, rpc::AUTH_SYS);
    EXPECT_EQ(body.cred.body.size(), 48u);
    EXPECT_EQ(body.verf.flavor, rpc::AUTH_NONE);
    EXPECT_TRUE(body.verf.body.empty());

    Arena arena;
    Reader credential_in{body.cred.body, arena, Mode::strict};
    authsys::authsys_parms credential;
    ASSERT_TRUE(decode_authsys_parms(credential_in, credential) && credential_in.finish());
    EXPECT_EQ(credential.stamp, 0u);
    EXPECT_EQ(credential.machinename, "localhost.localdomain");
    EXPECT_EQ(credential.uid, 0u);
    EXPECT_EQ(credential.gid, 0u);
    ASSERT_EQ(credential.gids.size(), 1u);
    EXPECT_EQ(credential.gids[0], 0u);

    Reader arguments_in{call.rest, arena, Mode::strict};
    nfs3::READ3args arguments;
    ASSERT_TRUE(decode_READ3args(arguments_in, arguments) && arguments_in.finish());
    EXPECT_EQ(to_hex(arguments.file.data),
              "010007818400000000000000a6d1ffe04a184a3094bd9e20accda20a9700000000000000c4541155");
    EXPECT_EQ(arguments.offset, 0u);
    EXPECT_EQ(arguments.count, 4096u);
}

TEST(ReadCall, IsMadeFromValues) {
    constexpr std::array<std::uint32_t, 1> kRoot{0};
    authsys::authsys_parms credential;
    credential.machinename = "localhost.localdomain";
    credential.gids = kRoot;
    const Bytes credential_bytes = encoded(credential);
    const Bytes handle =
        hex("010007818400000000000000a6d1ffe04a184a3094bd9e20accda20a9700000000000000c4541155");
    nfs3::READ3args arguments;
    arguments.file.data = handle;
    arguments.count = 4096;

    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(encode_rpc_msg(out, call_of(0x8f0a71c7, 3, 6, {rpc::AUTH_SYS, credential_bytes})));
    ASSERT_TRUE(encode_READ3args(out, arguments));
    EXPECT_EQ(to_hex(out.joined()), to_hex(message({read_call_header(), read_call_arguments()})));
}

// As on the wire: the RDMA header first, with the call's xid.
TEST(ReadCall, FollowsAnRdmaHeader) {
    const Bytes bytes = message({rdma_msg_plain(), read_call_header(), read_call_arguments()});
    Arena arena;
    Reader in{bytes, arena};
    rpcrdma::rdma_msg header;
    ASSERT_TRUE(decode_rdma_msg(in, header));
    const Envelope call{in.rest()};
    ASSERT_TRUE(call.decoded);
    EXPECT_EQ(call.msg.xid, header.rdma_xid);
    EXPECT_EQ(call.rest.size(), read_call_arguments().bytes.size());
}

constexpr std::array<std::uint32_t, 16> kSixteenGroups{4,  20,  24,  25,  27,  29,  30,  44,
                                                       46, 100, 108, 109, 113, 117, 999, 1000};

TEST(GetattrCall, CarriesSixteenGroups) {
    const Bytes bytes = message({getattr_call_header(), getattr_call_arguments()});
    const Envelope call{bytes};
    ASSERT_TRUE(call.decoded);
    EXPECT_EQ(call.msg.xid, 0x5e1fu);
    ASSERT_TRUE(call.msg.body.has_cbody());
    const rpc::call_body& body = call.msg.body.cbody();
    EXPECT_EQ(body.prog, 100003u);
    EXPECT_EQ(body.vers, 3u);
    EXPECT_EQ(body.proc, 1u);
    EXPECT_EQ(body.cred.body.size(), 100u);

    Arena arena;
    Reader credential_in{body.cred.body, arena, Mode::strict};
    authsys::authsys_parms credential;
    ASSERT_TRUE(decode_authsys_parms(credential_in, credential) && credential_in.finish());
    EXPECT_EQ(credential.stamp, 0x1006807du);
    EXPECT_EQ(credential.machinename, "nfs-client-01");
    EXPECT_EQ(credential.uid, 1000u);
    EXPECT_EQ(credential.gid, 1000u);
    EXPECT_TRUE(same(credential.gids, xdr::Array<std::uint32_t>{kSixteenGroups}));

    Reader arguments_in{call.rest, arena, Mode::strict};
    nfs3::GETATTR3args arguments;
    ASSERT_TRUE(decode_GETATTR3args(arguments_in, arguments) && arguments_in.finish());
    EXPECT_EQ(to_hex(arguments.object.data), "0100060129e1c0a85b7f4d5f8a3b0e7d5a9c0204");
}

TEST(GetattrCall, IsMadeFromValues) {
    const Bytes credential = encoded({.stamp = 0x1006807d,
                                      .machinename = "nfs-client-01",
                                      .uid = 1000,
                                      .gid = 1000,
                                      .gids = kSixteenGroups});
    const Bytes handle = hex("0100060129e1c0a85b7f4d5f8a3b0e7d5a9c0204");
    nfs3::GETATTR3args arguments;
    arguments.object.data = handle;
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(encode_rpc_msg(out, call_of(0x5e1f, 3, 1, {rpc::AUTH_SYS, credential})));
    ASSERT_TRUE(encode_GETATTR3args(out, arguments));
    EXPECT_EQ(to_hex(out.joined()),
              to_hex(message({getattr_call_header(), getattr_call_arguments()})));
}

// RFC 5531 appendix A: a seventeenth group has no place in the credential.
TEST(GetattrCall, CannotCarrySeventeen) {
    std::array<std::uint32_t, 17> groups{};
    authsys::authsys_parms credential;
    credential.gids = groups;
    Arena arena;
    Writer out{arena};
    EXPECT_FALSE(encode_authsys_parms(out, credential));
    EXPECT_EQ(out.error(), (xdr::DecodeError{16, xdr::Fault::too_long, 17, 16}));
}

TEST(GetattrReply, SaysWhatTheDirectoryIs) {
    const Bytes bytes = message({getattr_reply_header(), getattr_reply_results()});
    const Envelope reply{bytes};
    ASSERT_TRUE(reply.decoded);
    EXPECT_EQ(reply.msg.xid, 0x5e1fu);
    ASSERT_EQ(reply.msg.body.mtype(), rpc::REPLY);
    ASSERT_EQ(reply.msg.body.rbody().stat(), rpc::MSG_ACCEPTED);
    const rpc::accepted_reply& accepted = reply.msg.body.rbody().areply();
    EXPECT_EQ(accepted.verf.flavor, rpc::AUTH_NONE);
    EXPECT_TRUE(accepted.verf.body.empty());
    EXPECT_EQ(accepted.reply_data.stat(), rpc::SUCCESS);

    Arena arena;
    Reader in{reply.rest, arena, Mode::strict};
    nfs3::GETATTR3res results;
    ASSERT_TRUE(decode_GETATTR3res(in, results) && in.finish());
    ASSERT_EQ(results.status(), nfs3::NFS3_OK);
    const nfs3::fattr3& attributes = results.resok().obj_attributes;
    EXPECT_EQ(attributes.type, nfs3::NF3DIR);
    EXPECT_EQ(attributes.mode, 040777u);
    EXPECT_EQ(attributes.nlink, 6u);
    EXPECT_EQ(attributes.uid, 501u);
    EXPECT_EQ(attributes.gid, 1000u);
    EXPECT_EQ(attributes.size, 4096u);
    EXPECT_EQ(attributes.used, 4096u);
    EXPECT_EQ(attributes.rdev, nfs3::specdata3{});
    EXPECT_EQ(attributes.fsid, 0x801u);
    EXPECT_EQ(attributes.fileid, 2u);
    EXPECT_EQ(attributes.atime, (nfs3::nfstime3{0x5e0be100, 1}));
    EXPECT_EQ(attributes.mtime, (nfs3::nfstime3{0x5e0be101, 999'999'999}));
    EXPECT_EQ(attributes.ctime, (nfs3::nfstime3{0x5e0be102, 0}));
}

TEST(GetattrReply, IsMadeFromValues) {
    rpc::rpc_msg msg;
    msg.xid = 0x5e1f;
    msg.body.emplace_rbody(rpc::REPLY)
        .emplace_areply(rpc::MSG_ACCEPTED)
        .reply_data.set(rpc::SUCCESS);
    nfs3::GETATTR3resok resok;
    resok.obj_attributes = {.type = nfs3::NF3DIR,
                            .mode = 040777,
                            .nlink = 6,
                            .uid = 501,
                            .gid = 1000,
                            .size = 4096,
                            .used = 4096,
                            .rdev = {},
                            .fsid = 0x801,
                            .fileid = 2,
                            .atime = {0x5e0be100, 1},
                            .mtime = {0x5e0be101, 999'999'999},
                            .ctime = {0x5e0be102, 0}};
    Arena arena;
    Writer out{arena};
    ASSERT_TRUE(encode_rpc_msg(out, msg));
    ASSERT_TRUE(encode_GETATTR3res(out, nfs3::GETATTR3res::of_resok(resok)));
    EXPECT_EQ(to_hex(out.joined()),
              to_hex(message({getattr_reply_header(), getattr_reply_results()})));
}

// RFC 5531 §9, every other way a reply can be: written by hand as well.
TEST(Replies, OfEveryKind) {
    struct Row {
        const char* name;
        const char* bytes;
    };
    const Row rows[] = {
        {"program unavailable", "00000001 00000001 00000000 00000000 00000000 00000001"},
        {"program mismatch, 2 to 3",
         "00000001 00000001 00000000 00000000 00000000 00000002 00000002 00000003"},
        {"procedure unavailable", "00000001 00000001 00000000 00000000 00000000 00000003"},
        {"garbage arguments", "00000001 00000001 00000000 00000000 00000000 00000004"},
        {"system error", "00000001 00000001 00000000 00000000 00000000 00000005"},
        {"a status of the future", "00000001 00000001 00000000 00000000 00000000 00000006"},
        {"rpc mismatch, 2 to 2", "00000001 00000001 00000001 00000000 00000002 00000002"},
        {"credential too weak", "00000001 00000001 00000001 00000001 00000005"},
    };
    for (const Row& row : rows) {
        const Bytes bytes = hex(row.bytes);
        Arena arena;
        Reader in{bytes, arena, Mode::strict};
        rpc::rpc_msg msg;
        EXPECT_TRUE(decode_rpc_msg(in, msg) && in.finish()) << row.name;
        Writer out{arena};
        EXPECT_TRUE(encode_rpc_msg(out, msg)) << row.name;
        EXPECT_EQ(out.joined(), bytes) << row.name;
    }
}

}  // namespace
}  // namespace helio::vectors::rpc_messages_test
