// The back channel of NFS 4.1 over real sockets: clients that wait for locks are notified, and
// whatever they answer, or do not, disturbs nobody.
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <atomic>
#include <thread>

#include "helio/base/clock.h"
#include "helio/nfs/state/callbacks.h"
#include "helio/nfs/state/lock_waiters.h"
#include "helio/transport/server/server.h"
#include "testing/nfs/callback_client.h"
#include "testing/nfs/server.h"
#include "tests/rpc_sockets/raw_socket.h"

namespace helio::nfs::v4_back_channel_test {
namespace {

using namespace nfs4;
using namespace nfs4_cb;
using namespace std::chrono_literals;
using Operation = nfs_argop4;

struct Programs4 {
    Programs4() {
        ExportTable table;
        table.push_back(
            TestServer::export_of("/", backend::make_memory_fs(TestServer::open_to_all())));
        HELIO_ASSERT(exports.set(std::move(table)).has_value());
        programs.add_to(rpc);
    }
    state::NoRecovery recovery;
    Exports exports{kTestKey, [](std::string_view) {}};
    // Time stands still: however slow the machine is, no lease runs out.
    Programs programs{exports, Version4{recovery, 7, [] { return 1000s; }}};
    rpc::Server rpc;
};

struct BackChannelV4 : ::testing::Test {
    Programs4 served;
    transport::Server server{served.rpc, {.threads = 2}};
    std::uint16_t port = 0;

    BackChannelV4() {
        served.programs.use_timers(server.timers());
        port = server.listen("127.0.0.1", 0);
        server.start();
    }
    Fd connection() const {
        Fd out{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        HELIO_ASSERT(::connect(out.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
        return out;
    }
    CallbackClient client() {
        return {connection(), [] { std::this_thread::sleep_for(1ms); }};
    }
    CallbackClient client(std::string_view name) {
        CallbackClient out = client();
        out.start(name);
        return out;
    }
};

// A client that holds a lock, and another that waits for it.
struct Waiting : BackChannelV4 {
    CallbackClient holder = client("holder");
    CallbackClient waiter = client("waiter");

    void SetUp() override {
        ASSERT_EQ(holder.lock("a"), NFS4_OK);
        ASSERT_EQ(waiter.lock("b"), NFS4ERR_DENIED);
    }
    // Both are served, and the lock works.
    void TearDown() override {
        EXPECT_EQ(holder.send({Operation::of(OP_PUTROOTFH)}).status(), NFS4_OK);
        CallbackClient third = client("third");
        EXPECT_EQ(third.lock("c", WRITE_LT), NFS4_OK);
        EXPECT_EQ(holder.lock("a", WRITE_LT), NFS4ERR_DENIED);
    }
};

TEST_F(Waiting, TheWaiterIsNotified) {
    EXPECT_NE(waiter.open_flags & OPEN4_RESULT_MAY_NOTIFY_LOCK, 0u);
    EXPECT_EQ(waiter.flags(), 0u);
    EXPECT_FALSE(waiter.has_callback());
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = waiter.callback();
    ASSERT_TRUE(call);
    EXPECT_EQ(call->program(), CallbackClient::kProgram);
    EXPECT_EQ(call->flavor(), 0u);
    EXPECT_EQ(call->args.minorversion, 1u);
    ASSERT_EQ(call->args.argarray.size(), 2u);
    EXPECT_EQ(call->sequence().csa_sessionid, waiter.session);
    EXPECT_EQ(call->sequence().csa_sequenceid, 1u);
    EXPECT_EQ(call->sequence().csa_slotid, 0u);
    EXPECT_FALSE(call->sequence().csa_cachethis);
    EXPECT_TRUE(xdr::same(call->notice().cnla_fh, waiter.file));
    EXPECT_EQ(call->notice().cnla_lock_owner.clientid, waiter.client);
    EXPECT_EQ(as_text(call->notice().cnla_lock_owner.owner), "b");
    waiter.accept(*call);
    EXPECT_EQ(waiter.lock("b"), NFS4_OK);
    EXPECT_EQ(waiter.unlock(), NFS4_OK);
    EXPECT_TRUE(wire::eventually([&] { return served.programs.callback_counts().answered == 1; }));
    EXPECT_EQ(served.programs.callback_counts().lock_waiters, 0u);
}

// §18.33.
TEST_F(Waiting, BackchannelCtlChangesProgramAndCredential) {
    const authsys::authsys_parms who{1, "name", 12, 34, {}};
    const auto sys = callback_sec_parms4::of_cbsp_sys_cred(who);
    EXPECT_EQ(waiter.send({Operation::of_opbackchannel_ctl({777, {&sys, 1}})}).status(), NFS4_OK);
    const auto gss = callback_sec_parms4::of_cbsp_gss_handles({RPC_GSS_SVC_NONE, {}, {}});
    EXPECT_EQ(waiter.send({Operation::of_opbackchannel_ctl({778, {&gss, 1}})}).status(),
              NFS4ERR_NOENT);
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = waiter.callback();
    ASSERT_TRUE(call);
    EXPECT_EQ(call->program(), 777u);
    EXPECT_EQ(call->flavor(), 1u);
    waiter.accept(*call);
}

constexpr std::uint32_t kPathDown = SEQ4_STATUS_CB_PATH_DOWN | SEQ4_STATUS_CB_PATH_DOWN_SESSION;

// What was not answered comes again, as it was, over the next connection that is bound.
TEST_F(Waiting, ALostCallbackIsRepeatedOverANewConnection) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto first = waiter.callback();
    ASSERT_TRUE(first);
    waiter.use(connection());  // closes the old one
    EXPECT_TRUE(wire::eventually([&] { return waiter.flags() == kPathDown; }));
    waiter.open();
    EXPECT_EQ(waiter.open_flags & OPEN4_RESULT_MAY_NOTIFY_LOCK, 0u);
    EXPECT_EQ(waiter.bind(CDFC4_FORE), NFS4_OK);
    EXPECT_EQ(waiter.flags(), kPathDown);
    EXPECT_EQ(waiter.bind(CDFC4_FORE_OR_BOTH), NFS4_OK);
    const auto again = waiter.callback();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->sequence().csa_slotid, first->sequence().csa_slotid);
    EXPECT_EQ(again->sequence().csa_sequenceid, first->sequence().csa_sequenceid);
    EXPECT_EQ(as_text(again->notice().cnla_lock_owner.owner), "b");
    EXPECT_EQ(waiter.flags(), 0u);
    waiter.accept(*again);
}

// §18.37.3. The answer comes when the session is gone.
TEST_F(Waiting, TheSessionIsDestroyedWithACallbackInFlight) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = waiter.callback();
    ASSERT_TRUE(call);
    EXPECT_EQ(waiter.call({Operation::of_opdestroy_session({waiter.session})}).status(), NFS4_OK);
    waiter.accept(*call);
    EXPECT_EQ(waiter.create_session(waiter.session_args()).status(), NFS4_OK);
    EXPECT_EQ(waiter.flags(), 0u);
}

TEST_F(Waiting, AClientThatLeavesIsNotMissed) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    ASSERT_TRUE(waiter.callback());
    waiter.take_connection();
    EXPECT_TRUE(wire::eventually([&] { return server.counters().connections == 1; }));
}

// ---- Answers that no good client gives ----

struct AnswerRow {
    const char* what;
    std::function<CallbackClient::Bytes(const ReceivedCallback&)> answer;
    std::uint32_t flags;  // that SEQUENCE has afterwards
};

CallbackClient::Bytes results(const ReceivedCallback& call, const CB_COMPOUND4res& all) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    HELIO_ASSERT(encode_CB_COMPOUND4res(out, all));
    return CallbackClient::reply(call.xid(), out.joined());
}
CallbackClient::Bytes changed(const ReceivedCallback& call, void (*change)(CB_SEQUENCE4resok&)) {
    CB_SEQUENCE4resok ok = CallbackClient::good(call);
    change(ok);
    return CallbackClient::answer(call, NFS4_OK, ok);
}
CallbackClient::Bytes with_status(const ReceivedCallback& call, nfsstat4 status) {
    return CallbackClient::answer(call, status, {});
}

const AnswerRow kAnswers[] = {
    {"other_session",
     [](auto& call) {
         return changed(call, [](auto& ok) { ok.csr_sessionid[3] ^= std::byte{1}; });
     },
     kPathDown},
    {"other_sequence",
     [](auto& call) { return changed(call, [](auto& ok) { ++ok.csr_sequenceid; }); }, kPathDown},
    {"other_slot", [](auto& call) { return changed(call, [](auto& ok) { ok.csr_slotid = 77; }); },
     kPathDown},
    {"absurd_target",
     [](auto& call) {
         return changed(call, [](auto& ok) { ok.csr_target_highest_slotid = UINT32_MAX; });
     },
     0},
    {"no_results",
     [](auto& call) {
         return results(call, {NFS4_OK, {}, {}});
     },
     kPathDown},
    {"badxdr",
     [](auto& call) {
         return results(call, {NFS4ERR_BADXDR, {}, {}});
     },
     0},
    {"other_operation",
     [](auto& call) {
         const auto other = nfs_cb_resop4::of_opcbnotify_lock({NFS4_OK});
         return results(call, {NFS4_OK, {}, {&other, 1}});
     },
     kPathDown},
    {"huge_tail",
     [](auto& call) {
         auto out = CallbackClient::answer(call, NFS4_OK, CallbackClient::good(call));
         out.resize(1 << 20);
         return out;
     },
     0},
    {"huge_tag",
     [](auto& call) {
         const std::string tag(1 << 20, 't');
         return results(call, {NFS4_OK, tag, {}});
     },
     kPathDown},
    {"no_words", [](auto& call) { return CallbackClient::reply(call.xid(), {}); }, kPathDown},
    {"absurd_counts",
     [](auto& call) {
         return CallbackClient::reply(call.xid(), CallbackClient::Bytes(64, std::byte{0xff}));
     },
     kPathDown},
    {"prog_unavail",
     [](auto& call) {
         auto out = CallbackClient::reply(call.xid(), {});
         xdr::store_u32(out.data() + 20, 1);
         return out;
     },
     kPathDown},
    {"auth_error",
     [](auto& call) {
         auto out = CallbackClient::reply(call.xid(), {});
         xdr::store_u32(out.data() + 8, 1);   // MSG_DENIED
         xdr::store_u32(out.data() + 12, 1);  // AUTH_ERROR
         xdr::store_u32(out.data() + 16, 5);  // AUTH_TOOWEAK
         out.resize(20);
         return out;
     },
     kPathDown},
    {"badsession", [](auto& call) { return with_status(call, NFS4ERR_BADSESSION); },
     SEQ4_STATUS_BACKCHANNEL_FAULT},
    {"not_bound", [](auto& call) { return with_status(call, NFS4ERR_CONN_NOT_BOUND_TO_SESSION); },
     kPathDown},
    {"unknown_status", [](auto& call) { return with_status(call, nfsstat4{9'999'999}); }, 0},
};

class Answer : public Waiting, public ::testing::WithParamInterface<AnswerRow> {};
TEST_P(Answer, DisturbsNobody) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = waiter.callback();
    ASSERT_TRUE(call);
    waiter.send_record(GetParam().answer(*call));
    EXPECT_TRUE(wire::eventually([&] {
        const auto counts = served.programs.callback_counts();
        return counts.answered + counts.failed == 1;
    }));
    EXPECT_EQ(waiter.flags(), GetParam().flags);
    if (GetParam().flags != kPathDown) return;
    // It is repaired by binding the connection again.
    EXPECT_EQ(waiter.bind(CDFC4_FORE_OR_BOTH), NFS4_OK);
    EXPECT_EQ(waiter.flags(), 0u);
    const auto again = waiter.callback();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->sequence().csa_sequenceid, call->sequence().csa_sequenceid);
    waiter.accept(*again);
    EXPECT_TRUE(wire::eventually([&] { return served.programs.callback_counts().answered == 1; }));
}
INSTANTIATE_TEST_SUITE_P(All, Answer, ::testing::ValuesIn(kAnswers),
                         [](const auto& row) { return row.param.what; });

// A slot that the client has lost count of is not used again; the notice takes the next one.
TEST_F(Waiting, AMisorderedSlotIsRetired) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    for (std::uint32_t slot = 0; slot < state::kCallbackSlotsMax; ++slot) {
        EXPECT_EQ(waiter.flags(), 0u);
        const auto call = waiter.callback();
        ASSERT_TRUE(call);
        EXPECT_EQ(call->sequence().csa_slotid, slot);
        waiter.send_record(with_status(*call, NFS4ERR_SEQ_MISORDERED));
    }
    EXPECT_TRUE(wire::eventually([&] { return waiter.flags() == SEQ4_STATUS_BACKCHANNEL_FAULT; }));
}

TEST_F(Waiting, EveryCutOfAnAnswer) {
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    auto call = waiter.callback();
    ASSERT_TRUE(call);
    const auto whole = CallbackClient::answer(*call, NFS4_OK, CallbackClient::good(*call));
    // From the xid, the message type and the reply's status on: shorter ones are no replies.
    for (std::size_t size = 24; size < whole.size(); ++size) {
        auto cut = CallbackClient::answer(*call, NFS4_OK, CallbackClient::good(*call));
        cut.resize(size);
        waiter.send_record(cut);
        ASSERT_TRUE(wire::eventually([&] { return waiter.flags() == kPathDown; })) << size;
        ASSERT_EQ(waiter.bind(CDFC4_FORE_OR_BOTH), NFS4_OK);
        call = waiter.callback();
        ASSERT_TRUE(call) << size;
    }
    waiter.accept(*call);
}

TEST_F(Waiting, AnswersToNothing) {
    for (const std::size_t size : {4, 8, 24, 64, 1000}) {
        CallbackClient::Bytes noise(size, std::byte{0});
        if (size >= 8) xdr::store_u32(noise.data() + 4, 1);
        waiter.send_record(noise);
    }
    EXPECT_EQ(waiter.flags(), 0u);
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = waiter.callback();
    ASSERT_TRUE(call);
    waiter.accept(*call);
    waiter.accept(*call);  // twice
    EXPECT_EQ(waiter.flags(), 0u);
}

// ---- Sessions ----

TEST_F(BackChannelV4, WhatCreateSessionGrants) {
    CallbackClient one = client();
    one.introduce("client");
    CREATE_SESSION4args args = one.session_args();
    const auto gss = callback_sec_parms4::of_cbsp_gss_handles({RPC_GSS_SVC_NONE, {}, {}});
    args.csa_sec_parms = {&gss, 1};
    EXPECT_EQ(one.create_session(args).status(), NFS4ERR_NOENT);
    args = one.session_args();
    args.csa_back_chan_attrs.ca_maxrequestsize = 100;
    EXPECT_EQ(one.create_session(args).status(), NFS4ERR_TOOSMALL);
    args.csa_flags = 0;  // it wants no callbacks, so that is good enough
    auto made = one.create_session(args);
    EXPECT_EQ(made.status(), NFS4_OK);
    EXPECT_EQ(one.bind(CDFC4_BACK_OR_BOTH), NFS4ERR_INVAL);
    EXPECT_EQ(one.bind(CDFC4_BACK), NFS4ERR_INVAL);
    EXPECT_EQ(one.bind(CDFC4_FORE_OR_BOTH), NFS4_OK);
    EXPECT_EQ(one.flags(), 0u);

    args = one.session_args();
    args.csa_sec_parms = {};
    made = one.create_session(args);
    ASSERT_EQ(made.status(), NFS4_OK);
    const auto granted = [&]() -> const CREATE_SESSION4resok& {
        return made.results().resarray[0].opcreate_session().csr_resok4();
    };
    EXPECT_EQ(granted().csr_flags, 0u) << "no credential to call it with";
    args = one.session_args();
    args.csa_back_chan_attrs = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                UINT32_MAX, UINT32_MAX, {}};
    made = one.create_session(args);
    ASSERT_EQ(made.status(), NFS4_OK);
    EXPECT_EQ(granted().csr_flags, CREATE_SESSION4_FLAG_CONN_BACK_CHAN);
    EXPECT_EQ(granted().csr_back_chan_attrs.ca_maxrequestsize, state::kCallbackBytesMax);
    EXPECT_EQ(granted().csr_back_chan_attrs.ca_maxresponsesize, UINT32_MAX);
    EXPECT_EQ(granted().csr_back_chan_attrs.ca_maxoperations, 2u);
    EXPECT_EQ(granted().csr_back_chan_attrs.ca_maxrequests, state::kCallbackSlotsMax);
}

// A connection that is only for callbacks, and others for calls: each finds the same server.
TEST_F(BackChannelV4, ConnectionsAreTrunked) {
    CallbackClient one = client("client");
    CallbackClient other = client();
    const auto identity = [](CallbackClient& asks) {
        EXCHANGE_ID4args who{};
        who.eia_clientowner.co_ownerid = as_bytes("client");
        who.eia_state_protect = state_protect4_a::of(SP4_NONE);
        auto known = asks.call({Operation::of_opexchange_id(who)});
        const auto& ok = known.results().resarray[0].opexchange_id().eir_resok4();
        return std::tuple{ok.eir_clientid, std::string{as_text(ok.eir_server_owner.so_major_id)},
                          ok.eir_server_owner.so_minor_id,
                          std::string{as_text(ok.eir_server_scope)}};
    };
    EXPECT_EQ(identity(one), identity(other));
    // The session is used over both, and the second takes over the callbacks.
    other.session = one.session;
    EXPECT_EQ(other.bind(CDFC4_BACK), NFS4_OK);
    CallbackClient holder = client("holder");
    ASSERT_EQ(holder.lock("a"), NFS4_OK);
    ASSERT_EQ(one.lock("b"), NFS4ERR_DENIED);
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    const auto call = other.callback();
    ASSERT_TRUE(call);
    other.accept(*call);
    // Without it, the first is used again.
    other.take_connection();
    EXPECT_TRUE(wire::eventually([&] { return server.counters().connections == 2; }));
    EXPECT_EQ(one.flags(), 0u);
}

TEST_F(BackChannelV4, OnlyUnprotectedState) {
    CallbackClient one = client();
    EXCHANGE_ID4args who{};
    who.eia_clientowner.co_ownerid = as_bytes("client");
    who.eia_state_protect = state_protect4_a::of_spa_mach_ops({});
    EXPECT_EQ(one.call({Operation::of_opexchange_id(who)}).status(), NFS4ERR_INVAL);
    who.eia_state_protect = state_protect4_a::of_spa_ssv_parms({});
    EXPECT_EQ(one.call({Operation::of_opexchange_id(who)}).status(), NFS4ERR_ENCR_ALG_UNSUPP);
}

// A client that waits for more than it may, and answers nothing.
TEST_F(BackChannelV4, WaitingIsBounded) {
    CallbackClient holder = client("holder"), greedy = client("greedy");
    ASSERT_EQ(holder.lock("a"), NFS4_OK);
    for (std::size_t i = 0; i < state::kWaitersPerClientMax + 50; ++i)
        ASSERT_EQ(greedy.lock("owner " + std::to_string(i)), NFS4ERR_DENIED);
    EXPECT_EQ(served.programs.callback_counts().lock_waiters, state::kWaitersPerClientMax);
    EXPECT_EQ(holder.unlock(), NFS4_OK);
    ASSERT_TRUE(greedy.callback());
    CallbackClient other = client("other");
    EXPECT_EQ(other.lock("b"), NFS4_OK);
}

// Many clients pass one lock around; the count under it is right.
TEST_F(BackChannelV4, ALockIsPassedAround) {
    constexpr int kClients = 4, kTurns = 10;
    int count = 0;  // the lock guards it
    std::atomic<int> notices = 0;
    const auto work = [&](int number) {
        CallbackClient one = client("client " + std::to_string(number));
        for (int turn = 0; turn < kTurns; ++turn) {
            while (one.lock("owner") != NFS4_OK)
                if (const auto call = one.callback(200ms)) {
                    ++notices;
                    one.accept(*call);
                }
            ++count;
            EXPECT_EQ(one.unlock(), NFS4_OK);
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < kClients; ++i) threads.emplace_back(work, i);
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(count, kClients * kTurns);
    EXPECT_GT(notices, 0);
}

// ---- Time, which a test without threads can move ----

TEST(BackChannelTimeV4, WhoNeverAnswersIsUnreachable) {
    FakeClock clock;
    Programs4 served;
    transport::Server server{served.rpc, {.threads = 1}};
    served.programs.use_timers(server.timers());
    server.start_driven();
    const auto turn = [&] { server.turn(0); };
    {
        CallbackClient holder{server.connect_in_process(), turn};
        CallbackClient silent{server.connect_in_process(), turn};
        CallbackClient next{server.connect_in_process(), turn};
        holder.start("holder");
        silent.start("silent");
        next.start("next");
        ASSERT_EQ(holder.lock("a"), NFS4_OK);
        ASSERT_EQ(silent.lock("b"), NFS4ERR_DENIED);
        ASSERT_EQ(next.lock("c"), NFS4ERR_DENIED);
        EXPECT_EQ(holder.unlock(), NFS4_OK);
        ASSERT_TRUE(silent.callback());
        EXPECT_FALSE(next.has_callback());
        // It does not ask for the lock, so it is the next one's turn.
        for (int i = 0; i < 4; ++i) {
            clock.advance(1s);
            turn();
        }
        const auto call = next.callback();
        ASSERT_TRUE(call);
        next.accept(*call);
        for (int i = 0; i < 10; ++i) {
            clock.advance(1s);
            turn();
        }
        EXPECT_EQ(silent.flags(), kPathDown);
        EXPECT_EQ(next.flags(), 0u);
    }
    server.begin_stop(0ms);
    while (server.turn(0)) {
    }
    server.stop();
}

}  // namespace
}  // namespace helio::nfs::v4_back_channel_test
