// A ClientConnection over RDMA when things go wrong: credits, broken links, abandoned calls, and
// servers that lie.
#include <cerrno>

#include "helio/transport/rdma/client_link_internal.h"
#include "helio/transport/rdma/client_rooms_internal.h"
#include "testing/transport/rdma/scripted_peer.h"

namespace helio::transport::rdma::client_link_faults_test {
namespace {

using namespace std::chrono_literals;
using xdr::Outcome;

class RdmaClientFaults : public WithScriptedPeer {
 protected:
    std::vector<xdr::AsyncCall::Owner> begin_many(std::size_t count, bool idempotent = true) {
        std::vector<xdr::AsyncCall::Owner> out;
        for (std::size_t i = 0; i < count; ++i) out.push_back(begin({}, idempotent));
        peer.settle();
        return out;
    }
    void answer_all() {
        while (!peer.calls.empty()) peer.answer(peer.next_call().xid(), {});
    }
};

// ---- Credits ----

TEST_F(RdmaClientFaults, HasOneCreditUntilTheServerGrantsMore) {
    const auto calls = begin_many(5);
    ASSERT_EQ(peer.calls.size(), 1u);
    const std::uint32_t first = peer.next_call().xid();
    peer.answer(first, {}, 3);
    peer.settle();
    EXPECT_EQ(peer.calls.size(), 3u);
    peer.answer(peer.next_call().xid(), {}, 3);
    peer.settle();
    EXPECT_EQ(peer.calls.size(), 3u);
    answer_all();
    for (const auto& one : calls) ASSERT_TRUE(finish(one));
}

TEST_F(RdmaClientFaults, TakesNoCreditsForOneAndTooManyForWhatItHasReceivesFor) {
    const auto calls = begin_many(2 * kRdmaCredits);
    peer.answer(peer.next_call().xid(), {}, 0);
    peer.settle();
    ASSERT_EQ(peer.calls.size(), 1u);
    peer.answer(peer.next_call().xid(), {}, 0xffffffff);
    peer.settle();
    EXPECT_EQ(peer.calls.size(), kRdmaCredits);
    // The next ones are sent as answers arrive, never more at a time.
    while (!peer.calls.empty()) {
        EXPECT_LE(peer.calls.size(), kRdmaCredits);
        peer.answer(peer.next_call().xid(), {}, 1000);
        peer.settle();
    }
    for (const auto& one : calls) {
        ASSERT_TRUE(finish(one));
        EXPECT_NE(one->results(), nullptr);
    }
}

TEST_F(RdmaClientFaults, KeepsCountOverManyCalls) {
    say_hello();
    for (int i = 0; i < 20; ++i) {
        const auto calls = begin_many(50);
        ASSERT_EQ(peer.calls.size(), 50u);
        answer_all();
        for (const auto& one : calls) ASSERT_TRUE(finish(one));
    }
    EXPECT_EQ(peer.connections(), 1u);
    EXPECT_EQ(connection().counters().ignored, 0u);
}

// ---- Links that break ----

TEST_F(RdmaClientFaults, SendsAgainWhatMayRunTwice) {
    say_hello();
    const auto twice = begin(words({1}), true);
    const auto once = begin(words({2}), false);
    const std::uint32_t xid = peer.next_call().xid();
    peer.next_call();
    peer.hang_up();
    ASSERT_TRUE(finish(once));
    EXPECT_EQ(once->why().outcome, Outcome::unreachable);
    const SeenCall again = peer.next_call();
    EXPECT_EQ(again.xid(), xid);
    peer.answer(xid, words({7}));
    EXPECT_EQ(results(twice), words({7}));
    EXPECT_EQ(peer.connections(), 2u);
    EXPECT_EQ(connection().counters().retransmitted, 1u);
    EXPECT_EQ(connection().counters().reconnected, 1u);
}

TEST_F(RdmaClientFaults, SendsWhatNeverLeftOnTheNextLink) {
    const auto calls = begin_many(3, false);  // one credit: two of them wait
    const std::uint32_t first = peer.next_call().xid();
    peer.answer(first, {}, 1);
    peer.settle();
    peer.next_call();
    peer.hang_up();
    ASSERT_TRUE(finish(calls[1]));
    EXPECT_EQ(calls[1]->why().outcome, Outcome::unreachable);
    peer.answer(peer.next_call().xid(), {});
    EXPECT_EQ(results(calls[2]), Bytes{});
}

TEST_F(RdmaClientFaults, GivesAllMemoryBackWithTheLink) {
    options.reconnect = false;
    say_hello();
    const std::size_t idle = blocks_lent();
    const Bytes data = some_bytes(50'000);
    const auto bulk = begin_with_bulk(data);
    const auto reading = begin_reading(xdr::kUnbounded);
    peer.next_call();
    EXPECT_GT(blocks_lent(), idle);
    fabric->break_all();
    ASSERT_TRUE(finish(bulk) && finish(reading));
    EXPECT_EQ(bulk->why().outcome, Outcome::unreachable);
    EXPECT_EQ(blocks_lent(), 0u);
}

// Each call lends 1 MiB for its reply, and there is room for fewer than there are calls.
TEST_F(RdmaClientFaults, WaitsForMemoryWhileOthersHaveIt) {
    const auto scarce = std::make_shared<MemoryFabric>(6u << 20);
    ScriptedPeer their{loop, *scarce};
    options.fabric = scarce;
    ClientConnection connection{loop, {their.where()}, options};
    std::vector<xdr::AsyncCall::Owner> calls;
    for (int i = 0; i < 12; ++i) {
        calls.push_back(connection.begin(77, 1, 5, true));
        calls.back()->send();
    }
    std::size_t most = 0;
    for (int i = 0; i < 12; ++i) {
        their.answer(their.next_call().xid(), {});
        their.settle();
        most = std::max(most, their.calls.size());
    }
    EXPECT_GE(most, 1u);
    EXPECT_LE(most, 5u);
    for (const auto& one : calls) {
        ASSERT_TRUE(finish(one));
        EXPECT_NE(one->results(), nullptr);
    }
}

TEST_F(RdmaClientFaults, FailsWithoutMemory) {
    fabric->refuse_registrations(ENOMEM);
    const auto call = begin({}, true);
    ASSERT_TRUE(finish(call));
    EXPECT_EQ(call->why().outcome, Outcome::unreachable);
    EXPECT_EQ(call->why().error_number, ENOMEM);
}

// ---- Abandoned calls ----

TEST_F(RdmaClientFaults, KeepsTheMemoryOfACallThatTimedOut) {
    say_hello();
    const std::size_t idle = blocks_lent();
    connection().set_call_timeout(20ms);
    const Bytes data = some_bytes(50'000);
    const auto call = begin_with_bulk(data);
    const auto reading = begin_reading();
    const SeenCall seen = peer.next_call();
    const SeenCall seen_reading = peer.next_call();
    ASSERT_TRUE(finish(call) && finish(reading));
    EXPECT_EQ(call->why().outcome, Outcome::timed_out);
    EXPECT_EQ(blocks_lent(), idle + 2);
    // Late, but not into reused memory.
    EXPECT_EQ(peer.read(seen.header.reads.at(0).target), data);
    peer.write(some_bytes(10), seen_reading.header.write(0)[0]);
    EXPECT_TRUE(peer.connected());
    peer.answer(seen.xid(), {});
    peer.answer(seen_reading.xid(), {});
    peer.settle();
    EXPECT_EQ(blocks_lent(), idle);
    EXPECT_EQ(connection().counters().ignored, 2u);
    say_hello();
    EXPECT_EQ(peer.connections(), 1u);
}

TEST_F(RdmaClientFaults, ACallThatWasLetGoHoldsItsCredit) {
    auto calls = begin_many(2);
    const std::uint32_t first = peer.next_call().xid();
    calls[0].reset();
    const auto third = begin();
    peer.settle();
    EXPECT_TRUE(peer.calls.empty());
    peer.answer(first, {}, 1);
    EXPECT_NE(peer.next_call().xid(), first);
    calls[1].reset();
}

TEST_F(RdmaClientFaults, DropsTheLinkWhenLentMemoryOfTheCallersGoes) {
    say_hello();
    Block memory = connection().payload_memory()->take(100'000, Purpose::shared);
    const auto other = begin(words({1}), true);
    auto call = begin_with_bulk({memory.data(), 100'000});
    peer.next_call();
    peer.next_call();
    call.reset();
    // From now on the server cannot read it.
    EXPECT_EQ(connection().payload_memory(), nullptr);
    EXPECT_EQ(fabric->links(), 1u);
    peer.answer(peer.next_call().xid(), words({5}));
    EXPECT_EQ(results(other), words({5}));
    EXPECT_EQ(peer.connections(), 2u);
}

TEST_F(RdmaClientFaults, ForgetsCallsThatNeverLeft) {
    auto calls = begin_many(4);
    calls[1].reset();
    calls[2].reset();
    peer.answer(peer.next_call().xid(), {});
    peer.answer(peer.next_call().xid(), {});
    EXPECT_EQ(results(calls[3]), Bytes{});
    EXPECT_TRUE(peer.calls.empty());
}

TEST_F(RdmaClientFaults, MayBeDestroyedWithAnswersOnTheWay) {
    {
        ClientConnection connection{loop, {peer.where()}, [&] {
                                        ClientOptions out;
                                        out.fabric = fabric;
                                        return out;
                                    }()};
        auto call = connection.begin(77, 1, 5, true);
        call->send();
        const std::uint32_t xid = peer.next_call().xid();
        fabric->hold_completions(MemoryFabric::Side::asking, true);
        peer.answer(xid, {});
    }
    fabric->hold_completions(false);
    peer.settle();
    EXPECT_EQ(blocks_lent(), 0u);
}

// ---- Servers that lie ----

// The effect of one reply on the call it claims to answer.
class RdmaLies : public RdmaClientFaults {
 protected:
    // `make` is given a call whose results have bulk data and may be long.
    Outcome outcome_of(const std::function<Bytes(const SeenCall&)>& make) {
        const auto call = begin_reading(xdr::kUnbounded);
        const SeenCall seen = peer.next_call();
        peer.send(make(seen));
        if (!finish(call)) return Outcome::success;
        return call->results() != nullptr ? Outcome::success : call->why().outcome;
    }
    static Bytes with_write(const SeenCall& seen, const frame::RdmaSegment& segment) {
        return words({seen.xid(), 1, 64, 0, 0, 1, 1}) + ScriptedPeer::segment(segment) +
               words({0, 0}) + ScriptedPeer::reply(seen.xid(), words({0}));
    }
    static Bytes with_reply(const SeenCall& seen, const frame::RdmaSegment& segment) {
        return words({seen.xid(), 1, 64, 1, 0, 0, 1, 1}) + ScriptedPeer::segment(segment);
    }
};

TEST_F(RdmaLies, ChunksMustBeThoseThatWereLent) {
    using Change = void (*)(frame::RdmaSegment&);
    const Change changes[] = {
        [](frame::RdmaSegment& one) { ++one.handle; },
        [](frame::RdmaSegment& one) { one.offset += 4; },
        [](frame::RdmaSegment& one) { one.offset = 0; },
        [](frame::RdmaSegment& one) { ++one.length; },
        [](frame::RdmaSegment& one) { one.length = 16u << 20; },
    };
    for (const Change change : changes) {
        EXPECT_EQ(outcome_of([&](const SeenCall& seen) {
                      frame::RdmaSegment segment = seen.header.write(0)[0];
                      change(segment);
                      return with_write(seen, segment);
                  }),
                  Outcome::garbage_reply);
        EXPECT_EQ(outcome_of([&](const SeenCall& seen) {
                      frame::RdmaSegment segment = seen.header.reply.at(0);
                      change(segment);
                      return with_reply(seen, segment);
                  }),
                  Outcome::garbage_reply);
    }
    say_hello();
    EXPECT_EQ(peer.connections(), 1u);
}

TEST_F(RdmaLies, ListsMustBeAsManyAsWereLent) {
    const auto twice = [](const SeenCall& seen) {
        const Bytes chunk = words({1, 1}) + ScriptedPeer::segment(seen.header.write(0)[0]);
        return words({seen.xid(), 1, 64, 0, 0}) + chunk + chunk + words({0, 0}) +
               ScriptedPeer::reply(seen.xid(), words({0}));
    };
    EXPECT_EQ(outcome_of(twice), Outcome::garbage_reply);
    const auto two_segments = [](const SeenCall& seen) {
        const Bytes segment = ScriptedPeer::segment(seen.header.write(0)[0]);
        return words({seen.xid(), 1, 64, 0, 0, 1, 2}) + segment + segment + words({0, 0}) +
               ScriptedPeer::reply(seen.xid(), words({0}));
    };
    EXPECT_EQ(outcome_of(two_segments), Outcome::garbage_reply);
    const auto with_reads = [](const SeenCall& seen) {
        return words({seen.xid(), 1, 64, 0, 1, 4}) +
               ScriptedPeer::segment(seen.header.write(0)[0]) + words({0, 0, 0}) +
               ScriptedPeer::reply(seen.xid(), words({0}));
    };
    EXPECT_EQ(outcome_of(with_reads), Outcome::garbage_reply);
    // For a call that lent nothing.
    const auto call = begin_described(true, false, 8);
    call->send();
    const SeenCall seen = peer.next_call();
    peer.send(with_write(seen, {1, 4, 4096}));
    ASSERT_TRUE(finish(call));
    EXPECT_EQ(call->why().outcome, Outcome::garbage_reply);
}

TEST_F(RdmaLies, AMessageMustBeThere) {
    const auto nowhere = [](const SeenCall& seen) {
        return words({seen.xid(), 1, 64, 1, 0, 0, 0});
    };
    EXPECT_EQ(outcome_of(nowhere), Outcome::garbage_reply);
    const auto empty = [](const SeenCall& seen) {
        frame::RdmaSegment segment = seen.header.reply.at(0);
        segment.length = 0;
        return with_reply(seen, segment);
    };
    EXPECT_EQ(outcome_of(empty), Outcome::garbage_reply);
    const auto header_alone = [](const SeenCall& seen) {
        return words({seen.xid(), 1, 64, 0, 0, 0, 0});
    };
    EXPECT_EQ(outcome_of(header_alone), Outcome::garbage_reply);
    const auto padded = [](const SeenCall& seen) {  // RDMA_MSGP
        return words({seen.xid(), 1, 64, 2, 4, 4, 0, 0, 0}) +
               ScriptedPeer::reply(seen.xid(), words({0}));
    };
    EXPECT_EQ(outcome_of(padded), Outcome::garbage_reply);
    const auto another = [](const SeenCall& seen) {  // two xids, one of them unknown
        return words({seen.xid(), 1, 64, 0, 0, 0, 0}) +
               ScriptedPeer::reply(seen.xid() + 1, words({0}));
    };
    EXPECT_EQ(outcome_of(another), Outcome::garbage_reply);
    say_hello();
    EXPECT_EQ(peer.connections(), 1u);
}

TEST_F(RdmaLies, IgnoresWhatNobodyAskedFor) {
    const auto call = begin();
    const std::uint32_t xid = peer.next_call().xid();
    peer.answer(xid + 1, words({1}));
    peer.send(words({xid, 1, 64, 3}));         // RDMA_DONE
    peer.send(words({xid + 9, 1, 64, 4, 2}));  // an error of something else
    peer.answer(xid, words({2}));
    EXPECT_EQ(results(call), words({2}));
    peer.answer(xid, words({3}));  // once more
    peer.settle();
    EXPECT_EQ(connection().counters().ignored, 4u);
    // Any number: each is received again.
    for (std::uint32_t i = 0; i < 3 * kReceivePlaces; ++i) peer.answer(xid, {});
    say_hello();
    EXPECT_EQ(peer.connections(), 1u);
}

// An invalid header or another version ends the link.
TEST_F(RdmaLies, LosesTheLinkOverWhatIsNoHeader) {
    std::size_t connections = 0;
    const auto expect_lost = [&](const std::function<Bytes(const SeenCall&)>& make) {
        const auto call = begin({}, false);
        const SeenCall seen = peer.next_call();
        EXPECT_EQ(peer.connections(), ++connections);
        peer.send(make(seen));
        ASSERT_TRUE(finish(call));
        EXPECT_EQ(call->why().outcome, Outcome::unreachable);
        EXPECT_EQ(call->why().error_number, EBADMSG);
        peer.settle();
        EXPECT_FALSE(peer.connected());
    };
    const auto whole = [](const SeenCall& seen) {
        return words({seen.xid(), 1, 64, 1, 0, 0, 1, 1}) +
               ScriptedPeer::segment(seen.header.reply.at(0));
    };
    for (std::size_t size = 1; size < 48; ++size)
        expect_lost([&](const SeenCall& seen) {
            Bytes out = whole(seen);
            out.resize(size);
            return out;
        });
    expect_lost([](const SeenCall& seen) { return words({seen.xid(), 2, 64, 0, 0, 0, 0}); });
    expect_lost([](const SeenCall& seen) { return words({seen.xid(), 1, 64, 5, 0, 0, 0}); });
    expect_lost([](const SeenCall& seen) { return words({seen.xid(), 1, 64, 4, 3, 0, 0}); });
    expect_lost([](const SeenCall& seen) {  // ten thousand segments
        return words({seen.xid(), 1, 64, 0, 0, 1, 10'000});
    });
}

// Answers with a few bytes changed: the client never reads beyond what was lent, and recovers.
TEST_F(RdmaLies, SurvivesWhateverElseTheySay) {
    std::uint32_t random = 1;
    const auto next = [&random](std::uint32_t below) {
        random = random * 1664525 + 1013904223;
        return static_cast<std::uint32_t>((std::uint64_t{random} * below) >> 32);
    };
    for (int i = 0; i < 2'000; ++i) {
        const auto call = begin_described(false, true, xdr::kUnbounded);
        call->send();
        const SeenCall seen = peer.next_call();
        frame::RdmaSegment bulk = seen.header.write(0)[0];
        frame::RdmaSegment rest = seen.header.reply.at(0);
        bulk.length = next(100);
        rest.length = next(100);
        const bool in_chunk = next(2) == 1;
        Bytes answer = words({seen.xid(), 1, 64, in_chunk ? 1u : 0u, 0, 1, 1}) +
                       ScriptedPeer::segment(bulk) + words({0, 1, 1}) +
                       ScriptedPeer::segment(rest) +
                       ScriptedPeer::reply(seen.xid(), words({next(100), 1, 2, 3}));
        for (std::uint32_t changes = next(4); changes > 0; --changes)
            answer[4 + next(static_cast<std::uint32_t>(answer.size() - 4))] = std::byte(next(256));
        peer.send(answer);
        peer.settle();
        if (!call->finished()) continue;  // RDMA_DONE; it holds a credit until the link goes
        if (xdr::Reader* const in = call->results(); in != nullptr && in->ready(4)) {
            ByteView data;
            static_cast<void>(in->bulk<kBound, 0>(in->at(), data));
            EXPECT_LE(data.size(), kRdmaBulkBytes);
        }
    }
    peer.hang_up();
    peer.settle();
    peer.calls.clear();
    say_hello();
}

}  // namespace
}  // namespace helio::transport::rdma::client_link_faults_test
