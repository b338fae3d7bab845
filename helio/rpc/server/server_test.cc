#include "helio/rpc/server/server.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/rpc/probe_service.h"

namespace helio::rpc::probe::server_test {
namespace {

using xdr::hex;
using Texts = std::vector<std::string>;

// An echo of four bytes, at once (procedure 2) or on the test's signal (4).
std::string echo(std::uint32_t xid, std::uint32_t value, std::uint32_t procedure = 4) {
    return call(xid, procedure, "00000004" + word(value));
}
std::string echoed(std::uint32_t xid, std::uint32_t value) {
    return success(xid, "00000004" + word(value));
}

// ---- Calls that wait ----

TEST(Suspension, AnswersWhenTheCoroutineEnds) {
    Core core;
    StreamLine line{core};
    line.say(hex(echo(1, 0xaa)));
    EXPECT_TRUE(line.heard().empty());
    EXPECT_EQ(line.session().calls_in_flight(), 1u);
    EXPECT_EQ(core.worker->calls_waiting(), 1u);
    EXPECT_EQ(line.output_ready_calls, 0);

    core.service.gate.let_go(0);
    EXPECT_EQ(line.output_ready_calls, 1);
    EXPECT_EQ(texts(line.heard()), Texts{echoed(1, 0xaa)});
    EXPECT_EQ(line.session().calls_in_flight(), 0u);
    EXPECT_EQ(core.worker->calls_waiting(), 0u);
}

TEST(Suspension, OthersOvertake) {
    Core core;
    for (const bool datagrams : {false, true}) {
        std::unique_ptr<Line> line;
        if (datagrams)
            line = std::make_unique<DatagramLine>(core);
        else
            line = std::make_unique<StreamLine>(core);
        line->say(hex(echo(1, 1)));
        line->say(hex(echo(2, 2, 2)));
        line->say(hex(echo(3, 3)));
        line->say(hex(echo(4, 4)));
        EXPECT_EQ(texts(line->heard()), Texts{echoed(2, 2)});
        core.service.gate.let_go(1);
        core.service.gate.let_go(1);
        EXPECT_EQ(texts(line->heard()), (Texts{echoed(3, 3), echoed(4, 4)}));
        core.service.gate.let_go(0);
        EXPECT_EQ(texts(line->heard()), Texts{echoed(1, 1)});
    }
}

// With HELIO_POISON, a buffer or arena that was returned too early would show in the echo. Long
// data is referenced in place, so it must stay even longer: until it has been sent.
TEST(Suspension, ArgumentsStayWhereTheyAre) {
    Core core;
    StreamLine line{core};
    const std::size_t size = 3 * xdr::kReferenceMin;
    Bytes wait = hex(call(1, 4, word(static_cast<std::uint32_t>(size))));
    wait.insert(wait.end(), size, std::byte{0x5c});
    line.say(wait);
    for (std::uint32_t i = 0; i < 50; ++i) {  // the batch it began in is sent, others come and go
        line.say(hex(echo(100 + i, i, 2)));
        EXPECT_EQ(texts(line.heard()), Texts{echoed(100 + i, i)});
    }
    core.service.gate.let_go(0);
    line.say(hex(echo(2, 2, 2)));
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 2u);
    Bytes wanted = hex(success(1, word(static_cast<std::uint32_t>(size))));
    wanted.insert(wanted.end(), size, std::byte{0x5c});
    EXPECT_EQ(heard[0], wanted);
    EXPECT_EQ(xdr::to_hex(heard[1]), echoed(2, 2));
}

// Results in the call's own arena, which is that of a batch sent long ago.
TEST(Suspension, ResultsStayUntilTheyAreSent) {
    Core core;
    StreamLine line{core};
    const std::uint32_t size = 3 * xdr::kReferenceMin;
    line.say(hex(call(1, 16, word(size))));
    line.say(hex(echo(2, 2, 2)));
    EXPECT_EQ(texts(line.heard()), Texts{echoed(2, 2)});
    core.service.gate.let_go(0);
    const auto heard = line.heard();
    Bytes wanted = hex(success(1, word(size)));
    wanted.insert(wanted.end(), size, std::byte{0x20});
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0], wanted);
}

TEST(Suspension, JoinedRecordsStayToo) {
    Core core;
    StreamLine line{core};
    const Bytes message = hex(echo(1, 0xabcdef01));
    Bytes fragments = xdr::word(41);
    xdr::append(fragments, ByteView{message}.first(41));
    xdr::append_u32(fragments, 0x80000000u | static_cast<std::uint32_t>(message.size() - 41));
    xdr::append(fragments, ByteView{message}.subspan(41));
    line.feed(fragments);
    line.say(hex(echo(2, 2, 2)));
    EXPECT_EQ(texts(line.heard()), Texts{echoed(2, 2)});
    core.service.gate.let_go(0);
    EXPECT_EQ(texts(line.heard()), Texts{echoed(1, 0xabcdef01)});
}

// One procedure resumes a call of the same connection: the replies must not overlap.
TEST(Suspension, APlainProcedureLetsOthersGoOn) {
    Core core;
    StreamLine line{core};
    StreamLine other{core, 8};
    line.say(hex(echo(1, 1)));
    other.say(hex(echo(2, 2)));
    line.say(hex(echo(3, 3)));
    line.say(hex(call(4, 12)));
    EXPECT_EQ(texts(line.heard()), (Texts{success(4, word(3)), echoed(1, 1), echoed(3, 3)}));
    EXPECT_EQ(line.output_ready_calls, 0);
    EXPECT_EQ(texts(other.heard()), Texts{echoed(2, 2)});
    EXPECT_EQ(other.output_ready_calls, 1);
    EXPECT_EQ(line.session().calls_in_flight(), 0u);
}

TEST(Suspension, FailuresAreTheirOwn) {
    Core core;
    StreamLine line{core};
    line.say(hex(call(1, 9)));              // throws
    line.say(hex(call(2, 7, "00000011")));  // past its bound
    line.say(hex(call(3, 7, "00000002")));  // sound
    line.say(hex(echo(4, 4)));
    core.service.gate.let_all_go();
    EXPECT_EQ(texts(line.heard()), (Texts{accepted(1, kSystemError), accepted(2, kSystemError),
                                          success(3,
                                                  "00000002"
                                                  "6e6e0000"),
                                          echoed(4, 4)}));
}

TEST(Suspension, ASessionMayEndBeforeItsCalls) {
    Core core;
    {
        StreamLine line{core};
        line.say(hex(echo(1, 1)));
        line.say(hex(call(2, 5, "00000007")));
        line.say(hex(echo(3, 3)));
    }
    EXPECT_EQ(core.worker->calls_waiting(), 3u);
    core.service.gate.let_all_go();
    EXPECT_EQ(core.worker->calls_waiting(), 0u);
    EXPECT_EQ(core.service.sum, 7) << "what was begun is done";

    // The client returns over another connection, and learns the outcome of its call.
    StreamLine again{core};
    again.say(hex(call(2, 5, "00000007")));
    EXPECT_EQ(texts(again.heard()), Texts{success(2, "00000007")});
    EXPECT_EQ(core.service.sum, 7);
}

// Otherwise a leak, and a retransmission would wait forever.
TEST(Suspension, AWorkerMayEndBeforeItsCalls) {
    Core core;
    {
        StreamLine line{core};
        line.say(hex(echo(1, 1)));
        line.say(hex(call(2, 5, "00000007")));
        line.say(hex(echo(3, 3, 2)));
        EXPECT_EQ(line.heard().size(), 1u);
    }
    EXPECT_EQ(core.service.gate.waiting(), 2u);
    core.worker.reset();
    EXPECT_EQ(core.service.gate.waiting(), 0u);
    EXPECT_EQ(core.server.duplicates().counters().running, 0u);

    core.worker = std::make_unique<Worker>(core.server);
    core.service.gate.open = true;
    StreamLine line{core};
    line.say(hex(call(2, 5, "00000007")));
    EXPECT_EQ(texts(line.heard()), Texts{success(2, "00000007")});
}

// Each call lives in the batch that answered the previous one: memory must not add up.
TEST(Suspension, AlwaysOneWaitingKeepsFewBatches) {
    Core core;
    StreamLine line{core};
    std::vector<const Batch*> seen;
    line.say(hex(echo(0, 0)));
    for (std::uint32_t i = 1; i < 2000; ++i) {
        line.say(hex(echo(i, i)));
        core.service.gate.let_go(0);
        {
            const BatchRef next = core.worker->batches().take();
            if (std::find(seen.begin(), seen.end(), next.get()) == seen.end())
                seen.push_back(next.get());
        }
        ASSERT_EQ(texts(line.heard()), Texts{echoed(i - 1, i - 1)});
    }
    EXPECT_LT(seen.size(), 8u);
}

// ---- Back-pressure ----

TEST(BackPressure, CallsInFlight) {
    ServerOptions options = Core::small();
    options.calls_in_flight_max = 3;
    Core core{options};
    StreamLine line{core};
    Bytes bytes;
    for (std::uint32_t i = 1; i <= 5; ++i) xdr::append(bytes, StreamLine::record(hex(echo(i, i))));
    line.feed(bytes);
    EXPECT_TRUE(line.full());
    EXPECT_EQ(line.session().calls_in_flight(), 3u);
    line.resume();
    EXPECT_EQ(line.session().calls_in_flight(), 3u) << "nothing has ended";

    core.service.gate.let_go(1);
    line.resume();
    EXPECT_TRUE(line.full());
    EXPECT_EQ(core.service.gate.waiting(), 3u);
    core.service.gate.let_go(0);
    line.resume();
    EXPECT_FALSE(line.full()) << "nothing is left that would have to wait";
    core.service.gate.let_all_go();
    EXPECT_EQ(texts(line.heard()),
              (Texts{echoed(2, 2), echoed(1, 1), echoed(3, 3), echoed(4, 4), echoed(5, 5)}));
}

TEST(BackPressure, DatagramsInFlight) {
    ServerOptions options = Core::small();
    options.calls_in_flight_max = 2;
    Core core{options};
    DatagramLine line{core};
    line.say(hex(echo(1, 1)));
    EXPECT_FALSE(line.session().full());
    line.say(hex(echo(2, 2)));
    EXPECT_TRUE(line.session().full());
    core.service.gate.let_go(0);
    EXPECT_FALSE(line.session().full());
    core.service.gate.let_go(0);
    EXPECT_EQ(texts(line.heard()), (Texts{echoed(1, 1), echoed(2, 2)}));
}

// Short calls with long replies: the unsent bytes are bounded, however much was received at once.
TEST(BackPressure, BytesOfABatch) {
    Core core;
    StreamLine line{core};
    const std::uint32_t size = 300'000;
    Bytes bytes;
    for (std::uint32_t i = 1; i <= 12; ++i)
        xdr::append(bytes, StreamLine::record(hex(call(i, 15, word(size)))));
    line.feed(bytes);
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 12u);
    for (std::uint32_t i = 1; i <= 12; ++i) {
        EXPECT_EQ(heard[i - 1].size(), 28 + size);
        EXPECT_EQ(xdr::load_u32(heard[i - 1].data()), i);
    }
    EXPECT_EQ(line.batches(), 3u) << "four answers pass the mebibyte";
}

// Calls without a reply leave no memory, even while another one waits in the same batch.
TEST(BackPressure, SilentCallsTakeNoMemory) {
    Core core;
    for (const bool one_waits : {false, true}) {
        StreamLine line{core};
        if (one_waits) line.say(hex(echo(1, 1)));
        const Bytes silent = hex(call(2, 11, "00000000"));
        for (int i = 0; i < 1000; ++i) line.say(silent);
        EXPECT_FALSE(line.session().has_output());
        const BatchRef output = line.session().take_output();
        if (!one_waits) {
            EXPECT_FALSE(output);
        } else {
            ASSERT_TRUE(output);
            EXPECT_TRUE(output->buffers.empty());
            EXPECT_LE(output->arena.bytes_held(), kBatchMemoryMax);
        }
    }
}

}  // namespace
}  // namespace helio::rpc::probe::server_test
