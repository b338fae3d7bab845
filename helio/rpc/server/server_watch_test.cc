// The server core's duplicates, statistics, observer and log.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "helio/rpc/server/server.h"
#include "testing/rpc/probe_service.h"

namespace helio::rpc::probe::server_watch_test {
namespace {

using xdr::hex;
using Texts = std::vector<std::string>;

const std::string kCount = call(1, 3, "00000001");
const std::string kCountLater = call(2, 5, "00000001");

// ---- Duplicates ----

TEST(Duplicates, RunOncePerClientXidAndBytes) {
    Core core;
    StreamLine line{core};
    StreamLine reconnected{core};
    DatagramLine by_udp{core};
    StreamLine another{core, 8};
    const std::vector<std::pair<Line*, std::string>> first_answer = {
        {&line, success(1, word(1))},
        {&line, success(1, word(1))},
        {&reconnected, success(1, word(1))},
        {&by_udp, success(1, word(1))},   // the same client by another transport
        {&another, success(1, word(2))},  // another client has the same xid
        {&another, success(1, word(2))},
        {&line, success(1, word(1))},
    };
    for (const auto& [who, wanted] : first_answer) {
        who->say(hex(kCount));
        EXPECT_EQ(texts(who->heard()), Texts{wanted});
    }
    line.say(hex(call(1, 3, "00000005")));  // the same xid, other bytes
    EXPECT_EQ(texts(line.heard()), Texts{success(1, word(7))});
    EXPECT_EQ(core.service.sum, 7);
    EXPECT_EQ(core.server.duplicates().counters().replayed, 5u);
}

TEST(Duplicates, WithinOneBatch) {
    Core core;
    StreamLine line{core};
    Bytes bytes = StreamLine::record(hex(kCount));
    xdr::append(bytes, Bytes{bytes});
    line.feed(bytes);
    EXPECT_EQ(texts(line.heard()), (Texts{success(1, word(1)), success(1, word(1))}));
}

TEST(Duplicates, IdempotentCallsAreNotRemembered) {
    Core core;
    StreamLine line{core};
    line.say(hex(call(1, 2, "00000000")));
    line.say(hex(call(1, 0)));
    EXPECT_EQ(core.server.duplicates().counters().lookups, 0u);
}

TEST(Duplicates, FailuresAreRememberedToo) {
    Core core;
    StreamLine line{core};
    for (int i = 0; i < 2; ++i) {
        line.say(hex(call(1, 8)));
        EXPECT_EQ(texts(line.heard()), Texts{accepted(1, kSystemError)});
    }
    EXPECT_EQ(core.server.duplicates().counters().replayed, 1u);
}

TEST(Duplicates, WhileItRuns) {
    Core core;
    StreamLine line{core};
    DatagramLine by_udp{core};
    line.say(hex(kCountLater));
    line.say(hex(kCountLater));
    by_udp.say(hex(kCountLater));
    EXPECT_EQ(core.service.gate.waiting(), 1u) << "it runs once";
    EXPECT_EQ(line.waiters_made, 1);
    EXPECT_EQ(by_udp.waiters_made, 1);
    core.service.gate.let_go(0);
    EXPECT_EQ(texts(line.heard()), Texts{success(2, word(1))});
    EXPECT_EQ(texts(line.waiter->answers), Texts{success(2, word(1))});
    EXPECT_EQ(texts(by_udp.waiter->answers), Texts{success(2, word(1))});
}

TEST(Duplicates, WaitersLearnWhatBecameOfACallWhoseSessionEnded) {
    Core core;
    auto first = std::make_unique<StreamLine>(core);
    first->say(hex(kCountLater));
    first.reset();
    StreamLine again{core};
    again.say(hex(kCountLater));
    EXPECT_TRUE(again.heard().empty());
    core.service.gate.let_go(0);
    EXPECT_EQ(texts(again.waiter->answers), Texts{success(2, word(1))});
    EXPECT_EQ(core.service.sum, 1);
}

// A waiter on the same thread may write its answer at once: the first one must be complete by then.
class ImpatientOwner final : public Session::Owner {
 public:
    struct Waiter final : DuplicateCache::Waiter {
        StreamSession* session = nullptr;
        void answer(const CachedReply& reply) override { session->send_cached(reply, peer_at(7)); }
    };
    void output_ready() override {}
    std::shared_ptr<DuplicateCache::Waiter> make_waiter(const Peer&) override { return waiter; }
    std::shared_ptr<Waiter> waiter = std::make_shared<Waiter>();
};

TEST(Duplicates, AWaiterMayAnswerIntoTheSameSession) {
    Core core;
    ImpatientOwner owner;
    StreamSession session{*core.worker, owner, core.server.make_envelope(), peer_at(7)};
    owner.waiter->session = &session;
    const Bytes record = StreamLine::record(hex(kCountLater));
    for (int i = 0; i < 2; ++i) {
        const BufferRef buffer = core.worker->buffers().take(record.size());
        std::copy(record.begin(), record.end(), buffer->bytes.get());
        EXPECT_EQ(session.receive(buffer, {buffer->bytes.get(), record.size()}).consumed,
                  record.size());
    }
    core.service.gate.let_go(0);
    const BatchRef batch = session.take_output();
    frame::Feeder replies;
    ASSERT_TRUE(replies.feed(joined(batch->writer->segments())));
    EXPECT_EQ(texts(replies.messages()), (Texts{success(2, word(1)), success(2, word(1))}));
}

// ---- Statistics ----

std::uint64_t counted(Server& server, std::string_view procedure, CallOutcome outcome,
                      std::uint32_t version = 2) {
    for (const auto& row : server.statistics().snapshot())
        if (row.procedure_name() == procedure && row.version_number() == version)
            return row.count(outcome);
    ADD_FAILURE() << "no row " << procedure;
    return 0;
}

TEST(Counters, CountEveryOutcomeWhereItBelongs) {
    Core core;
    core.service.gate.open = true;
    StreamLine line{core};
    for (const std::string& said :
         {call(1, 0), call(2, 1, "0000000100000001"), call(3, 1, "00"), call(4, 8), call(5, 9),
          call(6, 10), call(7, 11, "00000000"), call(8, 14), call(9, 99), call(10, 0, "", 9),
          call(11, 0, "", 2, 1), word(12) + "0000000000000001", success(13), kCount, kCount,
          call(14, 0, "", 4)})
        line.say(hex(said));
    Server& server = core.server;
    EXPECT_EQ(counted(server, "NULL", CallOutcome::success), 1u);
    EXPECT_EQ(counted(server, "NULL", CallOutcome::success, 4), 1u);
    EXPECT_EQ(counted(server, "ADD", CallOutcome::success), 1u);
    EXPECT_EQ(counted(server, "ADD", CallOutcome::garbage_arguments), 1u);
    EXPECT_EQ(counted(server, "THROW", CallOutcome::system_error), 1u);
    EXPECT_EQ(counted(server, "THROW_LATER", CallOutcome::system_error), 1u);
    EXPECT_EQ(counted(server, "REFUSE", CallOutcome::auth_error), 1u);
    EXPECT_EQ(counted(server, "SILENT", CallOutcome::dropped), 1u);
    EXPECT_EQ(counted(server, "MISSING", CallOutcome::procedure_unavailable), 1u);
    EXPECT_EQ(counted(server, "unknown", CallOutcome::procedure_unavailable), 1u);
    EXPECT_EQ(counted(server, "unknown", CallOutcome::program_mismatch, 0), 1u);
    EXPECT_EQ(counted(server, "unknown", CallOutcome::program_unavailable, 0), 1u);
    EXPECT_EQ(counted(server, "unknown", CallOutcome::rpc_mismatch, 0), 1u);
    EXPECT_EQ(counted(server, "unknown", CallOutcome::dropped, 0), 1u);
    EXPECT_EQ(counted(server, "COUNT", CallOutcome::success), 1u);
    EXPECT_EQ(counted(server, "COUNT", CallOutcome::dropped), 1u) << "a duplicate";
    for (const auto& row : server.statistics().snapshot()) {
        if (row.procedure_name() != "ADD" || row.version_number() != 2) continue;
        EXPECT_EQ(row.bytes_in, 48u + 41u);
        EXPECT_EQ(row.bytes_out, 28u + 24u);
    }
}

// ---- Observer ----

struct Watcher final : Observer {
    struct Seen {
        std::string said, heard;
        CallOutcome outcome;
        std::uint32_t xid, procedure;
    };
    std::vector<Seen> seen;
    void on_call(const Trace& trace) override {
        EXPECT_GE(trace.took.count(), 0);
        seen.push_back({xdr::to_hex(trace.call.message), xdr::to_hex(joined(trace.reply)),
                        trace.outcome, trace.call.xid, trace.call.procedure});
    }
};

TEST(Observing, SeesTheExactBytes) {
    for (const bool datagrams : {false, true}) {
        Watcher watcher;
        ServerOptions options = Core::small();
        options.observer = &watcher;
        Core core{options};
        std::unique_ptr<Line> line;
        if (datagrams)
            line = std::make_unique<DatagramLine>(core);
        else
            line = std::make_unique<StreamLine>(core);
        const Texts said = {call(1, 1, "0000000200000003"), call(2, 8),
                            call(3, 11, "00000000"),        word(4) + "0000000000000003",
                            call(5, 15, word(10'000)),      call(6, 4, "00000000")};
        for (const std::string& one : said) line->say(hex(one));
        core.service.gate.let_go(0);
        const auto heard = texts(line->heard());
        ASSERT_EQ(watcher.seen.size(), 6u);
        ASSERT_EQ(heard.size(), 5u);
        std::size_t answered = 0;
        for (std::size_t i = 0; i < said.size(); ++i) {
            EXPECT_EQ(watcher.seen[i].said, said[i]);
            EXPECT_EQ(watcher.seen[i].xid, i + 1);
            EXPECT_EQ(watcher.seen[i].heard, i == 2 ? "" : heard[answered++]) << i;
        }
        EXPECT_EQ(watcher.seen[1].outcome, CallOutcome::system_error);
        EXPECT_EQ(watcher.seen[2].outcome, CallOutcome::dropped);
        EXPECT_EQ(watcher.seen[3].outcome, CallOutcome::rpc_mismatch);
        EXPECT_EQ(watcher.seen[5].outcome, CallOutcome::success);
    }
}

// ---- Log ----

struct LoggedCore {
    Texts log;
    Core core{options(log)};
    StreamLine line{core};

    static ServerOptions options(Texts& lines) {
        ServerOptions options = Core::small();
        options.log = [&lines](std::string_view text) { lines.emplace_back(text); };
        return options;
    }
};

TEST(Log, NamesPeerXidPlaceAndAnswer) {
    struct Row {
        std::string said, line;
    };
    const std::string who = "rpc: tcp 10.0.0.7:801 xid ";
    const std::vector<Row> rows = {
        {call(0x5e1f, 1, "00"),
         "5e1f PROBE_V2 ADD: truncated at byte 1: 8 more bytes needed, 1 there; answered "
         "GARBAGE_ARGS"},
        {call(2, 8), "2 PROBE_V2 THROW: thrown\\nby a procedure; answered SYSTEM_ERR"},
        {call(3, 9), "3 PROBE_V2 THROW_LATER: thrown later; answered SYSTEM_ERR"},
        {call(4, 6, "00000011"),
         "4 PROBE_V2 NAME: too long at byte 28: 17, the limit is 16; answered SYSTEM_ERR"},
        {call(5, 10), "5 PROBE_V2 REFUSE: it said so; answered AUTH_ERROR AUTH_TOOWEAK"},
        {call(6, 14), "6 PROBE_V2 MISSING: there is no such procedure; answered PROC_UNAVAIL"},
        {call(7, 99), "7 PROBE_V2 procedure 99: there is no such procedure; answered PROC_UNAVAIL"},
        {call(8, 1, "", 9),
         "8 program 536871424 version 9 procedure 1: it is served in versions 2 to 5; answered "
         "PROG_MISMATCH"},
        {call(9, 1, "", 2, 77),
         "9 program 77 version 2 procedure 1: it is not served here; answered PROG_UNAVAIL"},
        {word(10) + "0000000000000001", "a it is not RPC version 2; answered RPC_MISMATCH"},
        {word(11) + "0000000000000002", "b the header is cut short; answered GARBAGE_ARGS"},
        {success(12), "0 it is no call; ignored"},
    };
    for (const Row& row : rows) {
        LoggedCore logged;
        logged.core.service.gate.open = true;
        logged.line.say(hex(row.said));
        EXPECT_EQ(logged.log, Texts{who + row.line});
    }
}

TEST(Log, SaysNothingOfWhatWentWell) {
    LoggedCore logged;
    logged.line.say(hex(call(1, 0)));
    logged.line.say(hex(call(2, 0, "", 4)));  // NULL that no service implements
    logged.line.say(hex(kCount));
    logged.line.say(hex(kCount));
    logged.line.say(hex(call(3, 11, "00000000")));  // deliberate silence
    EXPECT_EQ(logged.log, Texts{});
}

// Clients try some programs on their own: that deserves no warning, and must not displace one.
TEST(Log, KeepsProbesApart) {
    Texts lines, probes;
    ServerOptions options = LoggedCore::options(lines);
    options.probed_programs = {77, 536871424};
    options.log_probe = [&probes](std::string_view text) { probes.emplace_back(text); };
    Core core{options};
    StreamLine line{core};
    for (std::uint32_t i = 0; i <= kLogLinesPerSecondMax; ++i) line.say(hex(call(9, 1, "", 2, 77)));
    ASSERT_GE(probes.size(), kLogLinesPerSecondMax);
    EXPECT_EQ(probes[0],
              "rpc: tcp 10.0.0.7:801 xid 9 program 77 version 2 procedure 1: it is not served "
              "here; answered PROG_UNAVAIL");
    EXPECT_EQ(lines, Texts{});
    line.say(hex(call(1, 1, "", 2, 78)));  // a program that nobody expects
    line.say(hex(call(2, 1, "", 9)));      // a version of one that is served
    EXPECT_EQ(lines.size(), 2u);
}

TEST(Log, MayLeaveProbesOut) {
    Texts lines;
    ServerOptions options = LoggedCore::options(lines);
    options.probed_programs = {77};
    Core core{options};
    StreamLine line{core};
    line.say(hex(call(9, 1, "", 2, 77)));
    EXPECT_EQ(lines, Texts{});
}

// A flood of bad calls must not cause a flood of lines.
TEST(Log, IsLimitedPerSecond) {
    LoggedCore logged;
    const Bytes bad = hex(call(1, 99));
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) logged.line.say(bad);
    const auto took = std::chrono::steady_clock::now() - begin;
    const auto seconds =
        static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(took).count());
    EXPECT_GE(logged.log.size(), kLogLinesPerSecondMax);
    EXPECT_LE(logged.log.size(), (kLogLinesPerSecondMax + 1) * (seconds + 1));
}

}  // namespace
}  // namespace helio::rpc::probe::server_watch_test
