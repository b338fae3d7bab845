// A ClientConnection over RDMA against a peer that checks every word and answers by RFC 8166.
#include "helio/transport/rdma/client_link_internal.h"

#include <cerrno>

#include "helio/transport/rdma/client_rooms_internal.h"
#include "testing/transport/rdma/scripted_peer.h"

namespace helio::transport::rdma::client_link_test {
namespace {

using xdr::Outcome;

class RdmaClient : public WithScriptedPeer {};

TEST_F(RdmaClient, SaysWhatItReceivesWhenItConnects) {
    say_hello();
    const auto said = frame::read_rdma_private_data(peer.heard_privately());
    EXPECT_EQ(said.send_size, kRdmaInlineBytes);
    EXPECT_EQ(said.receive_size, kRdmaInlineBytes);
    EXPECT_FALSE(said.remote_invalidation);
}

TEST_F(RdmaClient, SendsShortCallsInline) {
    const auto call = begin(words({1, 2, 3}));
    const SeenCall seen = peer.next_call();
    EXPECT_EQ(seen.header.version, 1u);
    EXPECT_EQ(seen.header.credits, kRdmaCredits);
    EXPECT_EQ(seen.header.kind, frame::RdmaKind::message);
    EXPECT_TRUE(seen.header.reads.empty());
    EXPECT_EQ(seen.header.write_count(), 0u);
    // xid, CALL, version 2 of RPC, program, version, procedure, AUTH_NONE twice.
    EXPECT_EQ(seen.message, words({seen.xid(), 0, 2, 77, 1, 5, 0, 0, 0, 0}) + words({1, 2, 3}));
    peer.answer(seen.xid(), words({4, 5}));
    EXPECT_EQ(results(call), words({4, 5}));
    EXPECT_EQ(connection().counters().bulk_bytes_copied, 0u);
}

// The results of a procedure without a description may be long.
TEST_F(RdmaClient, OffersAReplyChunkWhereResultsMayBeLong) {
    const auto call = begin();
    const SeenCall seen = peer.next_call();
    ASSERT_EQ(seen.header.reply.size(), 1u);
    EXPECT_EQ(seen.header.reply[0].length, kRdmaBulkBytes + kReplySlack);
    const Bytes long_results = some_bytes(100'000);
    const Bytes message = ScriptedPeer::reply(seen.xid(), long_results);
    frame::RdmaSegment to = seen.header.reply[0];
    peer.write(message, to);
    to.length = static_cast<std::uint32_t>(message.size());
    peer.send(words({seen.xid(), 1, 64, 1, 0, 0, 1, 1}) + ScriptedPeer::segment(to));
    EXPECT_EQ(results(call), long_results);
}

TEST_F(RdmaClient, OffersNothingWhereResultsAreShort) {
    const auto call = begin_with_bulk(some_bytes(10));
    const SeenCall seen = peer.next_call();
    EXPECT_FALSE(seen.header.has_reply);
    EXPECT_EQ(seen.header.write_count(), 0u);
    // If it fits it goes inline with its padding, marked or not.
    EXPECT_EQ(seen.message.size(), 40u + 4 + 4 + 12 + 4);
    peer.answer(seen.xid(), {});
    EXPECT_EQ(results(call), Bytes{});
}

// A known bound makes the chunk smaller; one beyond the inline limit needs a chunk.
TEST_F(RdmaClient, KnowsWhenAReplyMayNotFitInline) {
    constexpr std::uint32_t kFits = kRdmaInlineBytes - (28 + 24) - kReplyHeadBytes;
    for (const std::uint32_t max : {kFits, kFits + 1}) {
        const auto call = begin_described(true, false, max);
        call->send();
        const SeenCall seen = peer.next_call();
        EXPECT_EQ(seen.header.has_reply, max > kFits);
        if (seen.header.has_reply) {
            EXPECT_EQ(seen.header.reply[0].length, max + kReplyHeadBytes);
        }
        peer.answer(seen.xid(), {});
        EXPECT_EQ(results(call), Bytes{});
    }
}

TEST_F(RdmaClient, LeavesBulkDataInReadChunks) {
    const Bytes data = some_bytes(20'001);
    const auto call = begin_with_bulk(data);
    const SeenCall seen = peer.next_call();
    EXPECT_EQ(seen.header.kind, frame::RdmaKind::message);
    ASSERT_EQ(seen.header.reads.size(), 1u);
    EXPECT_EQ(seen.header.reads[0].position, 40u + 8);
    EXPECT_EQ(seen.header.reads[0].target.length, 20'001u);
    // Neither the data nor its three bytes of padding are in the message.
    EXPECT_EQ(copy_of(ByteView{seen.message}.subspan(40)), words({11, 20'001, 12}));
    EXPECT_EQ(peer.read(seen.header.reads[0].target), data);
    EXPECT_EQ(connection().counters().bulk_bytes_copied, 20'001u);
    peer.answer(seen.xid(), {});
    EXPECT_EQ(results(call), Bytes{});
}

TEST_F(RdmaClient, ReadsDataFromWhereItLiesIfTheServerMay) {
    EXPECT_EQ(connection().payload_memory(), nullptr);
    say_hello();
    const auto memory = connection().payload_memory();
    ASSERT_NE(memory, nullptr);
    Block shared = memory->take(1u << 20, Purpose::shared);
    const Block own = memory->take(8192, Purpose::own);
    std::memset(own.data(), 1, own.size());
    std::memset(shared.data(), 2, shared.size());

    const auto call = begin_with_bulk({shared.data() + 4, 600'000});
    const SeenCall seen = peer.next_call();
    ASSERT_EQ(seen.header.reads.size(), 1u);
    EXPECT_EQ(seen.header.reads[0].target.offset,
              reinterpret_cast<std::uintptr_t>(shared.data() + 4));
    EXPECT_EQ(peer.read(seen.header.reads[0].target), Bytes(600'000, std::byte{2}));
    EXPECT_EQ(connection().counters().bulk_bytes_copied, 0u);
    peer.answer(seen.xid(), {});
    EXPECT_EQ(results(call), Bytes{});

    // Registered, but not for the server.
    const auto other = begin_with_bulk({own.data(), 8192});
    const SeenCall copied = peer.next_call();
    EXPECT_EQ(peer.read(copied.header.reads.at(0).target), Bytes(8192, std::byte{1}));
    EXPECT_EQ(connection().counters().bulk_bytes_copied, 8192u);
    peer.answer(copied.xid(), {});
    EXPECT_EQ(results(other), Bytes{});
}

TEST_F(RdmaClient, SendsLongCallsAsAChunkAtPositionZero) {
    const Bytes arguments = some_bytes(10'000);
    const auto call = begin(arguments);
    const SeenCall seen = peer.next_call();
    EXPECT_EQ(seen.header.kind, frame::RdmaKind::no_message);
    EXPECT_TRUE(seen.message.empty());
    ASSERT_EQ(seen.header.reads.size(), 1u);
    EXPECT_EQ(seen.header.reads[0].position, 0u);
    const Bytes message = peer.read(seen.header.reads[0].target);
    EXPECT_EQ(message, words({seen.xid(), 0, 2, 77, 1, 5, 0, 0, 0, 0}) + arguments);
    peer.answer(seen.xid(), {});
    EXPECT_EQ(results(call), Bytes{});
}

// One byte more than the inline limit: 1024 by default.
TEST_F(RdmaClient, KeepsToWhatTheServerReceives) {
    for (const bool silent : {false, true}) {
        if (silent) {
            peer.hang_up();
            peer.private_data = words({0, 0});
        }
        const std::size_t most = silent ? 1024 : kRdmaInlineBytes;
        for (const std::size_t more : {0, 4}) {
            const auto call = begin(some_bytes(most - 28 - 20 - 40 + more), true);
            const SeenCall seen = peer.next_call();
            EXPECT_EQ(seen.header.kind,
                      more == 0 ? frame::RdmaKind::message : frame::RdmaKind::no_message);
            peer.answer(seen.xid(), {});
            EXPECT_EQ(results(call), Bytes{});
        }
    }
    EXPECT_EQ(peer.connections(), 2u);
}

TEST_F(RdmaClient, TakesBulkResultsFromTheWriteChunk) {
    auto call = begin_reading();
    const SeenCall seen = peer.next_call();
    ASSERT_EQ(seen.header.write_count(), 1u);
    ASSERT_EQ(seen.header.write(0).size(), 1u);
    EXPECT_FALSE(seen.header.has_reply);
    frame::RdmaSegment to = seen.header.write(0)[0];
    EXPECT_EQ(to.length, kRdmaBulkBytes);
    const Bytes data = some_bytes(20'001);
    peer.write(data, to);
    to.length = 20'001;
    peer.send(words({seen.xid(), 1, 64, 0, 0, 1, 1}) + ScriptedPeer::segment(to) + words({0, 0}) +
              ScriptedPeer::reply(seen.xid(), words({0, 20'001, 99})));
    ASSERT_TRUE(finish(call));
    xdr::Reader* const in = call->results();
    ASSERT_NE(in, nullptr);
    ByteView bulk;
    const std::byte* const at = in->bulk<kBound, 4>(in->at() + 4, bulk);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(copy_of(bulk), data);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bulk.data()), to.offset);  // not copied
    EXPECT_EQ(xdr::load_u32(at), 99u);
    ASSERT_EQ(ClientConnection::bulk_of(*call).size(), 1u);
    // The memory belongs to the call until it is destroyed.
    const std::size_t lent = blocks_lent();
    call.reset();
    EXPECT_EQ(blocks_lent(), lent - 1);
}

TEST_F(RdmaClient, TakesDataFromTheMessageIfTheServerPutItThere) {
    const auto call = begin_reading();
    const SeenCall seen = peer.next_call();
    frame::RdmaSegment to = seen.header.write(0)[0];
    to.length = 0;
    peer.send(words({seen.xid(), 1, 64, 0, 0, 1, 1}) + ScriptedPeer::segment(to) + words({0, 0}) +
              ScriptedPeer::reply(seen.xid(), words({4, 0xaabbccdd})));
    ASSERT_TRUE(finish(call));
    ByteView bulk;
    ASSERT_NE((call->results()->bulk<kBound, 0>(call->results()->at(), bulk)), nullptr);
    EXPECT_EQ(copy_of(bulk), words({0xaabbccdd}));
    EXPECT_TRUE(ClientConnection::bulk_of(*call).empty());
}

TEST_F(RdmaClient, TakesDataAndALongRestFromBothChunks) {
    const auto call = begin_reading(xdr::kUnbounded);
    const SeenCall seen = peer.next_call();
    frame::RdmaSegment data_to = seen.header.write(0)[0];
    frame::RdmaSegment rest_to = seen.header.reply.at(0);
    const Bytes rest = ScriptedPeer::reply(seen.xid(), words({8}) + some_bytes(9'000));
    peer.write(some_bytes(8, 50), data_to);
    peer.write(rest, rest_to);
    data_to.length = 8;
    rest_to.length = static_cast<std::uint32_t>(rest.size());
    peer.send(words({seen.xid(), 1, 64, 1, 0, 1, 1}) + ScriptedPeer::segment(data_to) +
              words({0, 1, 1}) + ScriptedPeer::segment(rest_to));
    ASSERT_TRUE(finish(call));
    ByteView bulk;
    const std::byte* const at = call->results()->bulk<kBound, 9'000>(call->results()->at(), bulk);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(copy_of(bulk), some_bytes(8, 50));
    EXPECT_EQ(copy_of({at, 9'000}), some_bytes(9'000));
}

TEST_F(RdmaClient, ShowsWholeMessagesToWhoWatches) {
    std::vector<Bytes> sent, received;
    options.watch = [&](Direction direction, ByteView message) {
        (direction == Direction::sent ? sent : received).push_back(copy_of(message));
    };
    const auto call = begin_reading();
    const SeenCall seen = peer.next_call();
    EXPECT_EQ(seen.header.write_count(), 0u);  // the data comes in the message
    EXPECT_TRUE(seen.header.has_reply);
    peer.answer(seen.xid(), words({4, 1}));
    EXPECT_EQ(results(call), words({4, 1}));
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0], seen.message);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0], ScriptedPeer::reply(seen.xid(), words({4, 1})));
}

TEST_F(RdmaClient, TellsWhatTheServerCouldNotDo) {
    const auto chunk = begin();
    peer.send(words({peer.next_call().xid(), 1, 64, 4, 2}));  // ERR_CHUNK
    ASSERT_TRUE(finish(chunk));
    EXPECT_EQ(chunk->why().outcome, Outcome::unreachable);
    EXPECT_EQ(chunk->why().error_number, EREMOTEIO);
    const auto version = begin();
    peer.send(words({peer.next_call().xid(), 1, 64, 4, 1, 2, 3}));  // ERR_VERS
    ASSERT_TRUE(finish(version));
    EXPECT_EQ(version->why().error_number, EPROTONOSUPPORT);
    const auto refused = begin();
    const SeenCall seen = peer.next_call();
    peer.send(words({seen.xid(), 1, 64, 0, 0, 0, 0, seen.xid(), 1, 0, 0, 0, 3}));  // PROC_UNAVAIL
    ASSERT_TRUE(finish(refused));
    EXPECT_EQ(refused->why().outcome, Outcome::procedure_unavailable);
    say_hello();
    EXPECT_EQ(peer.connections(), 1u);
}

TEST_F(RdmaClient, RefusesWhatNoMemoryTakes) {
    say_hello();
    const Bytes data(kRegisteredBlockMax + 1);
    const auto whole = begin(data);
    ASSERT_TRUE(finish(whole));
    EXPECT_EQ(whole->why().error_number, EMSGSIZE);
    const auto bulk = begin_with_bulk(data);
    ASSERT_TRUE(finish(bulk));
    EXPECT_EQ(bulk->why().error_number, EMSGSIZE);
    say_hello();
}

TEST_F(RdmaClient, FailsWhereNobodyListens) {
    options.fabric = std::make_shared<MemoryFabric>();
    ClientConnection nowhere{loop, {peer.where()}, options};
    const auto call = nowhere.begin(77, 1, 5, true);
    call->send();
    ASSERT_TRUE(finish(call));
    EXPECT_EQ(call->why().outcome, Outcome::unreachable);
    EXPECT_EQ(call->why().error_number, ECONNREFUSED);
}

}  // namespace
}  // namespace helio::transport::rdma::client_link_test
