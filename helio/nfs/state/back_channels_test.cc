// Back channels and waiting for locks, as events of the whole state.
#include <gtest/gtest.h>

#include "helio/nfs/state/state.h"

namespace helio::nfs::state::back_channels_test {
namespace {

using namespace nfs4;
using namespace std::chrono_literals;

constexpr Principal kRoot{1, 0};
const FileKey kFile{7, vfs::FileId::copy_of(as_bytes("file"))};

struct BackChannels : ::testing::Test {
    NoRecovery recovery;
    Instant now = 1000s;
    State state{recovery, 42, now};

    struct Client {
        std::shared_ptr<Session> session = {};
        std::uint32_t sequence = 1;
        ClientId id = 0;
    };
    Client connect(const std::string& name, ConnectionId connection, bool takes = true) {
        const auto known = state.exchange_id({{name, 1}, kRoot, false}, now);
        CreateSession event{.client = known.client,
                            .sequence = known.sequence,
                            .principal = kRoot,
                            .fore = {1 << 20, 1 << 20, 4096, 8, 4},
                            .back = {4096, 4096, 0, 2, 4}};
        if (takes) event.callbacks = CallbackTarget{.program = 99};
        event.back_connection = connection;
        const auto made = state.create_session(event, now);
        EXPECT_EQ(made.is_bound, takes && connection != 0);
        Client out{.id = known.client};
        const auto done = state.sequence({made.session, 1, 0, 0, 0, 1, 100}, now);
        EXPECT_EQ(done.status, NFS4_OK);
        out.session = done.session;
        state.finish(*out.session, 0, {});
        return out;
    }
    // What SEQUENCE says.
    std::uint32_t flags(Client& client) {
        const auto done =
            state.sequence({client.session->id(), ++client.sequence, 0, 0, 0, 1, 100}, now);
        EXPECT_EQ(done.status, NFS4_OK);
        state.finish(*client.session, 0, {});
        return done.flags;
    }
    StateId open(Client& client) {
        const Open event{"process", kFile, kRead | kWrite, 0, false};
        const auto done = state.open(*client.session, event, nullptr, now);
        EXPECT_EQ(done.status, NFS4_OK);
        return done.id;
    }
    LockDone lock(Client& client, const StateId& opened, const std::string& owner) {
        const LockDone done = state.first_lock(*client.session, opened, owner, kFile);
        EXPECT_EQ(done.status, NFS4_OK);
        EXPECT_TRUE(state.lock_changed(*client.session, done.id));
        return done;
    }
    bool wait(Client& client, const std::string& owner) {
        return state.wait_for_lock(*client.session,
                                   {.file = kFile, .owner = owner, .handle = "handle"});
    }
    // The owners that are notified now; all answer.
    std::vector<std::string> notified() {
        std::vector<std::string> out;
        while (state.has_callbacks())
            for (const Callback& one : state.take_callbacks()) {
                out.push_back(one.notice.owner);
                state.callback_ended(one, {CallbackEnd::Kind::answered, NFS4_OK, UINT32_MAX});
            }
        return out;
    }
};
using Names = std::vector<std::string>;

TEST_F(BackChannels, SequenceTellsThatThePathIsDown) {
    Client client = connect("a", 1);
    EXPECT_EQ(flags(client), 0u);
    EXPECT_TRUE(state.may_call_back(*client.session));
    state.connection_closed(1);
    EXPECT_EQ(flags(client), SEQ4_STATUS_CB_PATH_DOWN | SEQ4_STATUS_CB_PATH_DOWN_SESSION);
    EXPECT_FALSE(state.may_call_back(*client.session));
    EXPECT_TRUE(state.bind_back_channel(client.session->id(), 2));
    EXPECT_EQ(flags(client), 0u);
    state.connection_closed(1);  // of old
    EXPECT_EQ(flags(client), 0u);
}

TEST_F(BackChannels, AnotherSessionIsAnotherPath) {
    Client first = connect("a", 1);
    Client second = connect("a", 2);
    state.connection_closed(1);
    EXPECT_EQ(flags(first), SEQ4_STATUS_CB_PATH_DOWN_SESSION);
    EXPECT_EQ(flags(second), 0u);
    state.connection_closed(2);
    EXPECT_EQ(flags(second), SEQ4_STATUS_CB_PATH_DOWN | SEQ4_STATUS_CB_PATH_DOWN_SESSION);
}

TEST_F(BackChannels, WhoWantsNoneIsNotTold) {
    Client none = connect("a", 1, false);
    Client unbound = connect("b", 0);
    EXPECT_EQ(flags(none), 0u);
    EXPECT_EQ(flags(unbound), 0u);
    EXPECT_FALSE(state.bind_back_channel(none.session->id(), 3));
    EXPECT_FALSE(wait(none, "a") || wait(unbound, "a"));
    EXPECT_FALSE(state.has_waiters());
}

TEST_F(BackChannels, AClientThatDisagreesNeedsANewSession) {
    Client client = connect("a", 1);
    const StateId opened = open(client);
    lock(client, opened, "holder");
    ASSERT_TRUE(wait(client, "waiter"));
    state.unlocked(kFile, {});
    for (const Callback& one : state.take_callbacks())
        state.callback_ended(one, {CallbackEnd::Kind::answered, NFS4ERR_BADSESSION, 0});
    EXPECT_EQ(flags(client), SEQ4_STATUS_BACKCHANNEL_FAULT);
    EXPECT_EQ(state.callback_counts().failed, 1u);
}

TEST_F(BackChannels, WaitersAreNotifiedHoweverTheLockEnds) {
    Client holder = connect("holder", 1);
    Client waiter = connect("waiter", 2);
    open(waiter);
    const auto expect_notice = [&](const char* how, auto end) {
        const StateId opened = open(holder);
        const LockDone held = lock(holder, opened, "h");
        ASSERT_TRUE(wait(waiter, how));
        EXPECT_EQ(notified(), Names{}) << how;
        end(opened, held);
        EXPECT_EQ(notified(), Names{how});
        state.lock_granted(*waiter.session, {.file = kFile, .owner = how});
        EXPECT_FALSE(state.has_waiters()) << how;
    };
    StateId out;
    expect_notice("LOCKU", [&](const StateId&, const LockDone&) { state.unlocked(kFile, {0, 9}); });
    expect_notice("CLOSE", [&](StateId opened, const LockDone&) {
        opened.seqid = 0;
        EXPECT_EQ(state.close(*holder.session, opened, kFile, out), NFS4_OK);
    });
    expect_notice("FREE_STATEID", [&](const StateId&, const LockDone& held) {
        StateId id = held.id;
        id.seqid = 0;
        EXPECT_EQ(state.free(*holder.session, id), NFS4_OK);
    });
    expect_notice("evicted",
                  [&](const StateId&, const LockDone&) { EXPECT_TRUE(state.evict(holder.id)); });
}

TEST_F(BackChannels, WaitersAreNotifiedWhenTheHoldersLeaseRunsOut) {
    Client holder = connect("holder", 1), waiter = connect("waiter", 2);
    lock(holder, open(holder), "thread");
    open(waiter);
    ASSERT_TRUE(wait(waiter, "a"));
    now += state.lease();
    flags(waiter);  // renews
    state.next_round(now);
    EXPECT_EQ(notified(), Names{});  // the lease ends after this
    now += 1s;
    state.next_round(now);
    EXPECT_EQ(notified(), Names{"a"});
    // Once: the lock may be on other bytes, and the holder keeps it then.
    state.next_round(now);
    EXPECT_EQ(notified(), Names{});
    // Until it comes back and falls silent again.
    flags(holder);
    now += state.lease() + 1s;
    flags(waiter);
    wait(waiter, "a");
    state.next_round(now);
    EXPECT_EQ(notified(), Names{"a"});
}

// The state that LOCK made for an owner goes when the lock is denied, which frees nothing.
TEST_F(BackChannels, ADeniedLockNotifiesNobody) {
    Client client = connect("a", 1);
    const StateId opened = open(client);
    lock(client, opened, "holder");
    const LockDone denied = state.first_lock(*client.session, opened, "waiter", kFile);
    ASSERT_TRUE(denied.created && wait(client, "waiter"));
    state.forget(*client.session, denied.id);
    EXPECT_EQ(notified(), Names{});
}

TEST_F(BackChannels, WaitersGoWithTheirClientAndTheirFile) {
    Client holder = connect("holder", 1);
    Client gone = connect("gone", 2);
    Client closes = connect("closes", 3);
    lock(holder, open(holder), "h");
    open(gone);
    const StateId opened = open(closes);
    ASSERT_TRUE(wait(gone, "gone") && wait(closes, "closes"));
    EXPECT_EQ(state.callback_counts().lock_waiters, 2u);
    EXPECT_TRUE(state.evict(gone.id));
    EXPECT_EQ(state.callback_counts().lock_waiters, 1u);
    StateId out;
    EXPECT_EQ(state.close(*closes.session, opened, kFile, out), NFS4_OK);
    EXPECT_EQ(state.callback_counts().lock_waiters, 0u);
    state.unlocked(kFile, {});
    EXPECT_EQ(notified(), Names{});
}

TEST_F(BackChannels, ASessionIsDestroyedWithCallbacksInFlight) {
    Client client = connect("a", 1);
    lock(client, open(client), "h");
    ASSERT_TRUE(wait(client, "w"));
    state.unlocked(kFile, {});
    const auto sent = state.take_callbacks();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(state.destroy_session(client.session->id(), kRoot), NFS4_OK);
    state.callback_ended(sent[0], {CallbackEnd::Kind::answered, NFS4_OK, 0});
    state.connection_closed(1);
    state.next_round(now);
    EXPECT_EQ(notified(), Names{});
}

TEST_F(BackChannels, ProgramAndCredentialChange) {
    Client client = connect("a", 1);
    state.set_callbacks(*client.session, 1234, rpc::ClientCredential::sys(1, 2, {}, "name"));
    lock(client, open(client), "h");
    ASSERT_TRUE(wait(client, "w"));
    state.unlocked(kFile, {});
    const auto sent = state.take_callbacks();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].target.program, 1234u);
    EXPECT_GT(sent[0].target.credential.bytes().size(),
              rpc::ClientCredential::none().bytes().size());
}

// A connection over which a client makes and destroys sessions for ever.
TEST_F(BackChannels, EndedSessionsAreForgotten) {
    for (int i = 0; i < 1000; ++i) {
        Client client = connect("a", 1);
        EXPECT_EQ(state.destroy_session(client.session->id(), kRoot), NFS4_OK);
    }
    Client last = connect("a", 1);
    state.connection_closed(1);
    EXPECT_NE(flags(last), 0u);
}

}  // namespace
}  // namespace helio::nfs::state::back_channels_test
