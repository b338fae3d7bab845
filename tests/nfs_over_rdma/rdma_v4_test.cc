// NFS 4.1 over RPC-over-RDMA, on the fabric inside the process: a session of our own client, and a
// peer by hand that cuts COMPOUNDs into inline bytes and chunks. The data of READ and WRITE and the
// text of symbolic links may travel in chunks (RFC 8267 §4), wherever in the COMPOUND they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schema/nfs4_service.h"
#include "testing/nfs/allowed_statuses.h"
#include "testing/nfs/compounds.h"
#include "tests/nfs_over_rdma/own_client.h"

namespace helio::tests::rdma_v4_test {
namespace {

using namespace helio::nfs4;
using transport::rdma::Block;
using transport::rdma::Purpose;
using Operation = nfs_argop4;
using Operations = std::vector<Operation>;

Operation op(nfs_opnum4 number) { return Operation::of(number); }

class RdmaV4 : public OwnClientTest {
 protected:
    RdmaV4() {
        connect();
        file = create("file");
    }

    COMPOUND4res send(const Operations& operations) {
        const auto done =
            NFS_V4::Client{*client}.COMPOUND({"", 1, {operations.data(), operations.size()}});
        if (!done) {
            ADD_FAILURE() << rpc::to_text(done.error());
            return {NFS4ERR_IO, {}, {}};
        }
        EXPECT_EQ(nfs::disallowed_status(*done), "");
        return *done;
    }
    Operation sequence(bool cached = false) {
        return Operation::of_opsequence({session, ++number, 0, 0, cached});
    }
    COMPOUND4res in_session(Operations operations) {
        operations.insert(operations.begin(), sequence());
        const COMPOUND4res done = send(operations);
        EXPECT_EQ(nfs::text_of(done.status), "NFS4_OK");
        return done;
    }
    void connect() {
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("rdma");
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        const COMPOUND4res known = send({Operation::of_opexchange_id(who)});
        CREATE_SESSION4args args{};
        args.csa_clientid = known.resarray[0].opexchange_id().eir_resok4().eir_clientid;
        args.csa_sequence = known.resarray[0].opexchange_id().eir_resok4().eir_sequenceid;
        args.csa_fore_chan_attrs = {0, 2 << 20, 2 << 20, 4096, 16, 4, {}};
        args.csa_back_chan_attrs = args.csa_fore_chan_attrs;
        const COMPOUND4res made = send({Operation::of_opcreate_session(args)});
        session = made.resarray[0].opcreate_session().csr_resok4().csr_sessionid;
    }
    Bytes create(std::string_view name) {
        OPEN4args args{};
        args.share_access = OPEN4_SHARE_ACCESS_BOTH;
        args.owner = {0, as_bytes("process")};
        args.openhow = openflag4::of_how(createhow4::of_createattrs(UNCHECKED4, fattr4{}));
        args.claim = open_claim4::of_file(name);
        const COMPOUND4res done =
            in_session({op(OP_PUTROOTFH), Operation::of_opopen(args), op(OP_GETFH)});
        opened = done.resarray[2].opopen().resok4().stateid;
        const ByteView handle = done.resarray[3].opgetfh().resok4().object;
        return {handle.begin(), handle.end()};
    }
    Operation put() const { return Operation::of_opputfh({file}); }
    Operation write_of(ByteView data, offset4 at = 0) const {
        WRITE4args args{};
        args.stateid = opened;
        args.offset = at;
        args.stable = FILE_SYNC4;
        args.data = data;
        return Operation::of_opwrite(args);
    }
    Operation read_of(std::size_t size, offset4 at = 0) const {
        return Operation::of_opread({opened, at, static_cast<count4>(size)});
    }
    static Bytes data_of(const nfs_resop4& result) {
        const ByteView data = result.opread().resok4().data.bytes();
        return {data.begin(), data.end()};
    }

    sessionid4 session{};
    std::uint32_t number = 0;
    Bytes file;
    stateid4 opened{};
};

TEST_F(RdmaV4, WritesAndReadsDataOfEverySize) {
    for (const std::size_t size : {1u, 3u, 300u, 3'900u, 4'096u, 20'001u, 262'147u, 1u << 20}) {
        const Bytes data = pattern(size, static_cast<unsigned>(size));
        const COMPOUND4res wrote = in_session({put(), write_of(data), op(OP_GETFH)});
        EXPECT_EQ(wrote.resarray[2].opwrite().resok4().count, size);
        // What follows the data in the COMPOUND is still understood.
        EXPECT_EQ(wrote.resarray[3].opgetfh().resok4().object.size(), file.size());
        EXPECT_EQ(data_of(in_session({put(), read_of(size), op(OP_GETFH)}).resarray[2]), data);
    }
}

TEST_F(RdmaV4, TheServersDeviceMovesTheData) {
    const Bytes data = pattern(1u << 20, 5);
    const Block room = client->connection().payload_memory()->take(data.size(), Purpose::shared);
    std::copy(data.begin(), data.end(), room.data());
    in_session({put(), write_of({room.data(), data.size()})});
    EXPECT_EQ(data_of(in_session({put(), read_of(data.size())}).resarray[2]), data);
    EXPECT_EQ(server->fabric.counters(Side::answering).bytes_read, data.size());
    // The client cannot know where in a COMPOUND's results data will be, so it offers a reply
    // chunk for all of them.
    EXPECT_GE(server->fabric.counters(Side::answering).bytes_written, data.size());
    EXPECT_LT(server->fabric.counters(Side::answering).bytes_sent, 2'000u);
    EXPECT_LT(server->fabric.counters(Side::asking).bytes_sent, 4'000u);
}

TEST_F(RdmaV4, SeveralReadsAndWritesInOneCompound) {
    const Bytes first = pattern(30'000, 1), second = pattern(50'000, 2);
    const COMPOUND4res wrote = in_session({put(), write_of(first), write_of(second, 30'000)});
    EXPECT_EQ(wrote.resarray[3].opwrite().resok4().count, second.size());
    const COMPOUND4res got =
        in_session({put(), read_of(30'000), op(OP_GETFH), read_of(50'000, 30'000)});
    EXPECT_EQ(data_of(got.resarray[2]), first);
    EXPECT_EQ(data_of(got.resarray[4]), second);
}

TEST_F(RdmaV4, LinksAndListings) {
    const std::string text(4'000, 't');
    const COMPOUND4res made = in_session(
        {op(OP_PUTROOTFH), Operation::of_opcreate({createtype4::of_linkdata(text), "link", {}}),
         op(OP_READLINK)});
    EXPECT_EQ(made.resarray[3].opreadlink().resok4().link, text);
    for (int i = 0; i < 200; ++i) create("a-name-of-some-length-" + std::to_string(i));
    const COMPOUND4res listed =
        in_session({op(OP_PUTROOTFH), Operation::of_opreaddir({0, {}, 65'536, 65'536, {}})});
    std::size_t names = 0;
    for (const auto* one = listed.resarray[2].opreaddir().resok4().reply.entries; one != nullptr;
         one = one->nextentry)
        ++names;
    EXPECT_EQ(names, 202u);
}

TEST_F(RdmaV4, ARetryIsAnsweredWithTheSameBytesInPlace) {
    const Bytes data = pattern(20'000);
    in_session({put(), write_of(data)});
    const Operations read{sequence(), put(), read_of(data.size())};
    EXPECT_EQ(data_of(send(read).resarray[2]), data);
    // The client did not ask to keep it: it is told, and nothing goes wrong.
    EXPECT_EQ(send(read).status, NFS4ERR_RETRY_UNCACHED_REP);
    const Operations again{sequence(true), put(), write_of(data)};
    for (int time = 0; time < 2; ++time) {
        const COMPOUND4res done = send(again);
        ASSERT_EQ(done.status, NFS4_OK);
        EXPECT_EQ(done.resarray[2].opwrite().resok4().count, data.size());
    }
}

// ---- A peer by hand ----

struct RdmaV4ByHand : RdmaV4 {
    RdmaPeer peer{server->fabric, server->where};
    xdr::Arena arena;

    Bytes compose(const Operations& operations) {
        return nfs::compose_compound(credential, ++xid, operations);
    }
    std::uint32_t xid = 0x4100;
};

TEST_F(RdmaV4ByHand, AWriteInAReadChunkInTheMiddleOfTheCompound) {
    const Bytes data = pattern(10'000);
    const Bytes message = compose({sequence(), put(), write_of(data), op(OP_GETFH)});
    const auto at = std::search(message.begin(), message.end(), data.begin(), data.end());
    ASSERT_NE(at, message.end());
    Bytes inline_bytes{message.begin(), at};
    inline_bytes.insert(inline_bytes.end(), at + 10'000, message.end());
    const Block room = peer.room(data.size());
    std::copy(data.begin(), data.end(), room.data());
    const std::vector<frame::RdmaReadSegment> reads{
        {static_cast<std::uint32_t>(at - message.begin()), RdmaPeer::segment(room, 0, 10'000)}};
    frame::RdmaCallHeader header{.xid = xid, .credits = 32};
    header.reads = reads;
    const auto done = results(peer.exchange(header, inline_bytes), &decode_COMPOUND4res, arena);
    ASSERT_EQ(done.status, NFS4_OK);
    EXPECT_EQ(done.resarray[2].opwrite().resok4().count, data.size());
    EXPECT_EQ(done.resarray.size(), 4u);
    EXPECT_EQ(data_of(in_session({put(), read_of(data.size())}).resarray[2]), data);
}

TEST_F(RdmaV4ByHand, AReadIntoAWriteChunk) {
    const Bytes data = pattern(10'000);
    in_session({put(), write_of(data)});
    const Block room = peer.room(data.size());
    const std::vector<frame::RdmaSegment> chunk{RdmaPeer::segment(room, 0, 10'000)};
    frame::RdmaCallHeader header{.xid = xid + 1, .credits = 32};
    header.write = chunk;
    const Bytes reply =
        peer.exchange(header, compose({sequence(), put(), read_of(10'000), op(OP_GETFH)}));
    ASSERT_EQ(peer.replied.write_count(), 1u);
    const ByteView got{room.data(), frame::bytes_of(peer.replied.write(0))};
    const auto done = results(reply, &decode_COMPOUND4res, arena, std::span{&got, 1});
    ASSERT_EQ(done.status, NFS4_OK);
    EXPECT_EQ(data_of(done.resarray[2]), data);
    EXPECT_EQ(done.resarray[3].opgetfh().resok4().object.size(), file.size());
}

// RFC 8166 §4.4.6.2: a chunk that was offered and not needed comes back empty.
TEST_F(RdmaV4ByHand, AWriteChunkForAReadThatFails) {
    const Block room = peer.room(10'000);
    const std::vector<frame::RdmaSegment> chunk{RdmaPeer::segment(room, 0, 10'000)};
    frame::RdmaCallHeader header{.xid = xid + 1, .credits = 32};
    header.write = chunk;
    const Bytes reply =
        peer.exchange(header, compose({sequence(), op(OP_PUTROOTFH), read_of(10'000)}));
    ASSERT_EQ(peer.replied.write_count(), 1u);
    EXPECT_EQ(frame::bytes_of(peer.replied.write(0)), 0u);
    const auto done = results(reply, &decode_COMPOUND4res, arena);
    EXPECT_NE(done.status, NFS4_OK);
    EXPECT_EQ(done.resarray.size(), 3u);
}

}  // namespace
}  // namespace helio::tests::rdma_v4_test
