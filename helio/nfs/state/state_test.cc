// Events and decisions of the NFS 4 state machine, without a network, a file system or a clock.
#include "helio/nfs/state/state.h"

#include <gtest/gtest.h>

#include <set>

namespace helio::nfs::state::state_test {
namespace {

using namespace nfs4;
using namespace std::chrono_literals;

class Records final : public Recovery {
 public:
    std::vector<std::string> recorded() override { return {owners.begin(), owners.end()}; }
    bool add(std::string_view owner) override { return owners.insert(std::string{owner}), !broken; }
    void remove(std::string_view owner) override { owners.erase(std::string{owner}); }
    std::set<std::string> owners;
    bool broken = false;
};

constexpr Principal kRoot{1, 0};
const FileKey kFile{7, vfs::FileId::copy_of(as_bytes("file"))};
const FileKey kOther{7, vfs::FileId::copy_of(as_bytes("other"))};

struct StateTest : ::testing::Test {
    Records records;
    Instant now = 1000s;
    std::unique_ptr<State> state = std::make_unique<State>(records, 42, now);
    std::vector<std::pair<FileKey, vfs::LockOwner>> released;
    std::size_t released_soon = 0;  // of these

    StateTest() { watch(); }
    void watch() {
        state->on_release([this](const FileKey& file, vfs::LockOwner owner, State::When when) {
            released.emplace_back(file, owner);
            released_soon += when == State::When::soon;
        });
    }
    void restart(std::uint64_t random) {
        state = std::make_unique<State>(records, random, now);
        watch();
    }

    ExchangeIdDone introduce(const std::string& name, std::uint64_t verifier = 1,
                             Principal who = kRoot) {
        return state->exchange_id({{name, verifier}, who, false}, now);
    }
    CreateSessionDone session_of(const ExchangeIdDone& client, Principal who = kRoot) {
        return state->create_session(
            {client.client, client.sequence, who, {1 << 20, 1 << 20, 4096, 8, 4}}, now);
    }
    std::shared_ptr<Session> connect(const std::string& name, std::uint64_t verifier = 1) {
        const auto made = session_of(introduce(name, verifier));
        EXPECT_EQ(made.status, NFS4_OK);
        auto done = sequence(made.session, 0, 1);
        EXPECT_EQ(done.status, NFS4_OK);
        state->finish(*done.session, 0, {});
        return done.session;
    }
    SequenceDone sequence(const SessionId& session, std::uint32_t slot, std::uint32_t number,
                          std::uint64_t fingerprint = 0) {
        return state->sequence({session, number, slot, slot, fingerprint, 2, 100}, now);
    }
    OpenDone open(Session& session, const std::string& owner, std::uint8_t access,
                  std::uint8_t deny = 0, const FileKey& file = kFile) {
        const Open event{owner, file, access, deny, false};
        if (const nfsstat4 status = state->check_share(session, event, now); status != NFS4_OK)
            return {.status = status};
        return state->open(session, event, nullptr, now);
    }
};

TEST_F(StateTest, AClientIsConfirmedByItsFirstSession) {
    const auto first = introduce("a");
    EXPECT_EQ(first.status, NFS4_OK);
    EXPECT_FALSE(first.confirmed);
    EXPECT_EQ(session_of(first).status, NFS4_OK);
    const auto again = introduce("a");
    EXPECT_TRUE(again.confirmed);
    EXPECT_EQ(again.client, first.client);
    EXPECT_EQ(session_of({.client = first.client + 1, .sequence = 1}).status,
              NFS4ERR_STALE_CLIENTID);
}

TEST_F(StateTest, CreateSessionIsReplayedAndOrdered) {
    const auto client = introduce("a");
    const auto first = session_of(client);
    EXPECT_EQ(session_of(client).session, first.session);  // the same sequence: a retry
    EXPECT_EQ(session_of({.client = client.client, .sequence = client.sequence + 5}).status,
              NFS4ERR_SEQ_MISORDERED);
    const auto second = session_of({.client = client.client, .sequence = client.sequence + 1});
    EXPECT_EQ(second.status, NFS4_OK);
    EXPECT_NE(second.session, first.session);
}

TEST_F(StateTest, ARestartedClientLosesItsStateWhenItIsConfirmed) {
    const auto old = connect("a", 1);
    const auto opened = open(*old, "p", kRead);
    const auto fresh = introduce("a", 2);
    EXPECT_EQ(state->test(*old, opened.id), NFS4_OK);  // not yet
    EXPECT_EQ(session_of(fresh).status, NFS4_OK);
    EXPECT_EQ(sequence(old->id(), 0, 2).status, NFS4ERR_BADSESSION);
    EXPECT_EQ(state->test(*old, opened.id), NFS4ERR_BADSESSION);
}

TEST_F(StateTest, AnotherPrincipalCannotTakeAClientOver) {
    connect("a");
    EXPECT_EQ(introduce("a", 9, {1, 1000}).status, NFS4ERR_CLID_INUSE);
    now += kLeaseDefault + 1s;  // nobody uses it any more
    EXPECT_EQ(introduce("a", 9, {1, 1000}).status, NFS4_OK);
}

TEST_F(StateTest, UpdatesWantTheConfirmedClient) {
    const auto update = [&](std::uint64_t verifier, Principal who) {
        return state->exchange_id({{"a", verifier}, who, true}, now).status;
    };
    EXPECT_EQ(update(1, kRoot), NFS4ERR_NOENT);
    connect("a", 1);
    EXPECT_EQ(update(1, kRoot), NFS4_OK);
    EXPECT_EQ(update(2, kRoot), NFS4ERR_NOT_SAME);
    EXPECT_EQ(update(1, {1, 5}), NFS4ERR_PERM);
}

TEST_F(StateTest, SlotsExecuteEachCallOnce) {
    const SessionId id = session_of(introduce("a")).session;
    EXPECT_EQ(sequence(id, 0, 0).status, NFS4ERR_SEQ_MISORDERED);
    EXPECT_EQ(sequence(id, 0, 2).status, NFS4ERR_SEQ_MISORDERED);
    EXPECT_EQ(sequence(id, 4, 1).status, NFS4ERR_BADSLOT);
    EXPECT_EQ(state->sequence({id, 1, 0, 9, 0, 2, 100}, now).status, NFS4ERR_BAD_HIGH_SLOT);
    EXPECT_EQ(state->sequence({id, 1, 0, 0, 0, 9, 100}, now).status, NFS4ERR_TOO_MANY_OPS);
    EXPECT_EQ(state->sequence({id, 1, 0, 0, 0, 2, 2 << 20}, now).status, NFS4ERR_REQ_TOO_BIG);

    const auto first = sequence(id, 0, 1, 77);
    EXPECT_EQ(first.kind, SequenceDone::Kind::fresh);
    EXPECT_EQ(sequence(id, 0, 1, 77).status, NFS4ERR_DELAY);           // it still runs
    EXPECT_EQ(sequence(id, 0, 2, 77).status, NFS4ERR_SEQ_MISORDERED);  // no call may overtake it
    const auto reply = as_bytes("reply");
    state->finish(*first.session, 0, reply);
    const auto retry = sequence(id, 0, 1, 77);
    EXPECT_EQ(retry.kind, SequenceDone::Kind::replay);
    EXPECT_EQ(as_text(retry.reply), "reply");
    EXPECT_EQ(sequence(id, 0, 1, 78).status, NFS4ERR_SEQ_FALSE_RETRY);

    const auto second = sequence(id, 0, 2);
    state->finish(*second.session, 0, {});
    EXPECT_EQ(sequence(id, 0, 2).kind, SequenceDone::Kind::uncached_retry);
    EXPECT_EQ(sequence(id, 0, 1).status, NFS4ERR_SEQ_MISORDERED);
}

TEST_F(StateTest, ShareReservationsHoldBetweenOwners) {
    const auto a = connect("a");
    const auto b = connect("b");
    EXPECT_EQ(open(*a, "p", kRead, kWrite).status, NFS4_OK);
    EXPECT_EQ(open(*b, "p", kRead).status, NFS4_OK);
    EXPECT_EQ(open(*b, "p", kWrite).status, NFS4ERR_SHARE_DENIED);
    EXPECT_EQ(open(*a, "q", kWrite).status,
              NFS4ERR_SHARE_DENIED);  // another process of the same client
    EXPECT_EQ(open(*b, "p", kWrite, 0, kOther).status, NFS4_OK);
    EXPECT_EQ(open(*b, "p", kRead, kRead).status, NFS4ERR_SHARE_DENIED);
}

TEST_F(StateTest, OpensOfOneOwnerAreOneState) {
    const auto a = connect("a");
    const auto first = open(*a, "p", kRead);
    const auto second = open(*a, "p", kWrite);
    EXPECT_EQ(second.id.other, first.id.other);
    EXPECT_EQ(second.id.seqid, first.id.seqid + 1);
    EXPECT_EQ(second.access, kRead | kWrite);
    EXPECT_EQ(state->find(*a, first.id, kFile, kRead).status, NFS4ERR_OLD_STATEID);
    EXPECT_EQ(state->find(*a, second.id, kFile, kWrite).status, NFS4_OK);
    EXPECT_EQ(state->find(*a, {0, second.id.other}, kFile, kWrite).status, NFS4_OK);
    EXPECT_EQ(state->find(*a, {9, second.id.other}, kFile, kWrite).status, NFS4ERR_BAD_STATEID);
    EXPECT_EQ(state->find(*a, second.id, kOther, kRead).status, NFS4ERR_BAD_STATEID);

    const auto less = state->downgrade(*a, second.id, kFile, kRead, 0);
    EXPECT_EQ(less.status, NFS4_OK);
    EXPECT_EQ(state->find(*a, less.id, kFile, kWrite).status, NFS4ERR_OPENMODE);
    EXPECT_EQ(state->downgrade(*a, less.id, kFile, kRead | kWrite, 0).status, NFS4ERR_INVAL);
    StateId gone;
    EXPECT_EQ(state->close(*a, less.id, kFile, gone), NFS4_OK);
    EXPECT_EQ(state->close(*a, less.id, kFile, gone), NFS4ERR_BAD_STATEID);
}

TEST_F(StateTest, StateidsOfOthersAreNothing) {
    const auto a = connect("a");
    const auto b = connect("b");
    const auto mine = open(*a, "p", kRead);
    EXPECT_EQ(state->find(*b, mine.id, kFile, kRead).status, NFS4ERR_BAD_STATEID);
    StateId gone;
    EXPECT_EQ(state->close(*b, mine.id, kFile, gone), NFS4ERR_BAD_STATEID);
    EXPECT_EQ(state->free(*b, mine.id), NFS4ERR_BAD_STATEID);
    EXPECT_EQ(state->find(*a, {}, kFile, kRead).status, NFS4_OK);  // anonymous
}

TEST_F(StateTest, LocksFollowTheirOwner) {
    const auto a = connect("a");
    const auto opened = open(*a, "p", kRead | kWrite);
    const auto first = state->first_lock(*a, opened.id, "thread", kFile);
    ASSERT_EQ(first.status, NFS4_OK);
    EXPECT_TRUE(first.created);
    const StateId held = state->lock_changed(*a, first.id).value();
    EXPECT_EQ(held.seqid, 1u);
    state->forget(*a, first.id);  // too late: another call was granted a lock
    EXPECT_EQ(state->test(*a, held), NFS4_OK);
    EXPECT_EQ(state->next_lock(*a, held, kFile).owner, first.owner);
    EXPECT_EQ(state->first_lock(*a, opened.id, "thread", kFile).owner, first.owner);
    EXPECT_EQ(state->lock_owner(*a, "thread", kFile), first.owner);
    EXPECT_NE(state->lock_owner(*a, "nobody", kFile), first.owner);
    ASSERT_TRUE(state->holder(first.owner));
    EXPECT_EQ(state->holder(first.owner)->owner, "thread");
    EXPECT_EQ(state->find(*a, held, kFile, kWrite).status,
              NFS4_OK);  // a lock's stateid serves for I/O, too
    StateId gone;
    EXPECT_EQ(state->close(*a, opened.id, kFile, gone), NFS4_OK);
    EXPECT_EQ(released, (decltype(released){{kFile, first.owner}}));
    EXPECT_EQ(state->next_lock(*a, held, kFile).status, NFS4ERR_BAD_STATEID);
    EXPECT_FALSE(state->lock_changed(*a, held));  // granted too late: it belongs to nobody
}

TEST_F(StateTest, AnExpiredClientMakesWayOnlyWhenSomebodyAsks) {
    const auto a = connect("a");
    const auto b = connect("b");
    const auto held = open(*a, "p", kRead, kWrite);
    now += kLeaseDefault + 1s;
    EXPECT_EQ(sequence(b->id(), 0, 2).status, NFS4_OK);
    EXPECT_EQ(state->test(*a, held.id), NFS4_OK);  // nobody wanted it so far
    EXPECT_EQ(open(*b, "p", kWrite).status, NFS4_OK);
    EXPECT_EQ(sequence(a->id(), 0, 2).status, NFS4ERR_BADSESSION);
    EXPECT_FALSE(records.owners.contains("a"));
}

TEST_F(StateTest, ALockOfAnExpiredClientMakesWay) {
    const auto a = connect("a");
    const auto lock = state->first_lock(*a, open(*a, "p", kRead).id, "t", kFile);
    EXPECT_EQ(state->make_way(lock.owner, now), State::Way::blocked);
    now += kLeaseDefault + 1s;
    EXPECT_EQ(state->make_way(lock.owner, now), State::Way::evicted);
    EXPECT_EQ(released.size(), 1u);
    EXPECT_EQ(state->make_way(lock.owner, now), State::Way::gone);
}

TEST_F(StateTest, TheLeaseDecidesWhoIsExpiredAndHowLongTheGraceIs) {
    state = std::make_unique<State>(records, 42, now, kLeaseMin);
    const auto a = connect("a");
    open(*a, "p", kRead, kWrite);
    now += kLeaseMin;
    EXPECT_EQ(open(*connect("b"), "p", kWrite).status, NFS4ERR_SHARE_DENIED);
    now += 1s;
    EXPECT_EQ(open(*connect("b"), "p", kWrite).status, NFS4_OK);
    state = std::make_unique<State>(records, 43, now, kLeaseMin);
    EXPECT_TRUE(state->in_grace(now + kLeaseMin - 1s));
    EXPECT_FALSE(state->in_grace(now + kLeaseMin));
}

TEST_F(StateTest, WithoutStateThereIsNoGracePeriod) {
    EXPECT_FALSE(state->in_grace(now));
    const auto a = connect("a");  // a client that opens nothing
    EXPECT_TRUE(records.owners.empty());
    restart(43);
    EXPECT_FALSE(state->in_grace(now));
}

TEST_F(StateTest, OnlyThoseWhoHeldStateReclaimAndTheLastOneEndsTheGrace) {
    open(*connect("a"), "p", kRead);
    open(*connect("b"), "p", kRead);
    EXPECT_EQ(records.owners, (std::set<std::string>{"a", "b"}));
    restart(43);
    EXPECT_TRUE(state->in_grace(now));
    const auto a = connect("a");
    const auto stranger = connect("c");
    EXPECT_EQ(state->check_grace(*a, true, now), NFS4_OK);
    EXPECT_EQ(state->check_grace(*a, false, now), NFS4ERR_GRACE);
    EXPECT_EQ(state->check_grace(*stranger, true, now), NFS4ERR_RECLAIM_BAD);
    EXPECT_EQ(open(*a, "p", kRead).status, NFS4_OK);
    EXPECT_EQ(state->reclaim_complete(*a, now), NFS4_OK);
    EXPECT_EQ(state->reclaim_complete(*a, now), NFS4ERR_COMPLETE_ALREADY);
    EXPECT_EQ(state->check_grace(*a, true, now), NFS4ERR_NO_GRACE);
    EXPECT_TRUE(state->in_grace(now));  // b has not come back
    const auto b = connect("b");
    EXPECT_EQ(state->reclaim_complete(*b, now), NFS4_OK);
    EXPECT_FALSE(state->in_grace(now));
    EXPECT_EQ(records.owners, (std::set<std::string>{"a"}));  // b reclaimed nothing
    EXPECT_EQ(state->check_grace(*stranger, false, now), NFS4_OK);
}

TEST_F(StateTest, TheGracePeriodEndsWithoutThoseWhoStayAway) {
    open(*connect("a"), "p", kRead);
    restart(43);
    now += kLeaseDefault;
    EXPECT_FALSE(state->in_grace(now));
    EXPECT_TRUE(records.owners.empty());
}

TEST_F(StateTest, WithoutARecordNothingIsOpened) {
    const auto a = connect("a");
    records.broken = true;
    EXPECT_EQ(open(*a, "p", kRead).status, NFS4ERR_SERVERFAULT);
}

TEST_F(StateTest, SlotsOfAllSessionsAreBounded) {
    std::size_t granted = 0, sessions = 0;
    std::vector<SessionId> ids;
    const auto add = [&](const ExchangeIdDone& client, std::uint32_t number) {
        const auto made = state->create_session(
            {client.client, number, kRoot, {1 << 20, 1 << 20, 4096, 8, kSlotsMax}}, now);
        if (made.status != NFS4_OK) return made;
        granted += made.fore.slots;
        ++sessions;
        ids.push_back(made.session);
        return made;
    };
    EXPECT_EQ(add(introduce("the first"), 1).fore.slots, kSlotsMax);
    // Many clients with as many sessions as they get.
    for (int i = 0; granted < kSlotsOfAllMax; ++i) {
        const auto client = introduce("client " + std::to_string(i));
        for (std::uint32_t number = 1; add(client, number).status == NFS4_OK; ++number) {
        }
    }
    EXPECT_GT(sessions, 4000u);
    // From then on there is one slot for each client, and no more.
    const auto late = introduce("late");
    EXPECT_EQ(add(late, 1).fore.slots, 1u);
    EXPECT_EQ(add(late, 2).status, NFS4ERR_DELAY);
    EXPECT_LE(granted, kSlotsOfAllMax + kSlotsMax);
    // Those that are given back can be had again.
    for (const SessionId& id : ids) EXPECT_EQ(state->destroy_session(id, kRoot), NFS4_OK);
    EXPECT_EQ(add(late, 2).fore.slots, kSlotsMax);
}

TEST_F(StateTest, IntroductionsAreBounded) {
    const auto kept = connect("kept");
    for (int i = 0; i < 100'000; ++i)
        EXPECT_EQ(introduce("client " + std::to_string(i)).status, NFS4_OK);
    EXPECT_EQ(sequence(kept->id(), 0, 2).status, NFS4_OK);
    EXPECT_EQ(state->clients(now).size(), 1u);
}

TEST_F(StateTest, ClosingOneOfManyTakesNoLonger) {
    const auto a = connect("a");
    std::vector<std::pair<FileKey, StateId>> all;
    for (int i = 0; i < 50'000; ++i) {
        const FileKey file{7, vfs::FileId::copy_of(as_bytes(std::to_string(i)))};
        const auto opened = open(*a, "p", kRead, 0, file);
        ASSERT_EQ(opened.status, NFS4_OK);
        all.emplace_back(file, opened.id);
    }
    StateId gone;
    for (const auto& [file, id] : all) ASSERT_EQ(state->close(*a, id, file, gone), NFS4_OK);
    EXPECT_EQ(state->clients(now)[0].opens, 0u);
}

// Nor does one of many owners of the same file, of opens and of locks.
TEST_F(StateTest, ManyOwnersOfOneFileTakeNoLonger) {
    constexpr int kCount = static_cast<int>(kStatesPerClientMax / 2);
    const auto a = connect("a"), b = connect("b");
    const auto opened = open(*a, "p", kRead);
    for (int i = 1; i < kCount; ++i) ASSERT_EQ(open(*a, std::to_string(i), kRead).status, NFS4_OK);
    for (int i = 0; i < kCount; ++i) {
        const auto lock = state->first_lock(*a, opened.id, std::to_string(i), kFile);
        ASSERT_EQ(lock.status, NFS4_OK);
        ASSERT_EQ(state->lock_owner(*a, std::to_string(i), kFile), lock.owner);
    }
    EXPECT_EQ(open(*a, "one too many", kRead).status, NFS4ERR_DELAY);
    EXPECT_EQ(open(*b, "p", kWrite).status, NFS4_OK);
    EXPECT_EQ(open(*b, "q", kRead, kRead).status, NFS4ERR_SHARE_DENIED);
    EXPECT_TRUE(state->evict(state->clients(now)[0].id));
    EXPECT_EQ(released.size(), static_cast<std::size_t>(kCount));
    EXPECT_EQ(released_soon, released.size());
    EXPECT_EQ(open(*b, "q", kRead, kRead).status, NFS4_OK);
}

TEST_F(StateTest, LocksOfAnOwnerThroughSeveralOpensAreReleasedWithTheLast) {
    const auto a = connect("a");
    std::vector<StateId> opens;
    for (const char* const owner : {"p", "q", "r"}) opens.push_back(open(*a, owner, kRead).id);
    const vfs::LockOwner number = state->first_lock(*a, opens[0], "t", kFile).owner;
    const StateId second = state->first_lock(*a, opens[1], "t", kFile).id;
    EXPECT_EQ(state->first_lock(*a, opens[2], "t", kFile).owner, number);
    StateId gone;
    for (const int i : {0, 2}) {
        EXPECT_EQ(state->close(*a, opens[i], kFile, gone), NFS4_OK);
        EXPECT_TRUE(released.empty());
        EXPECT_EQ(state->lock_owner(*a, "t", kFile), number);
        EXPECT_EQ(state->holder(number)->owner, "t");
        EXPECT_EQ(state->first_lock(*a, opens[1], "t", kFile).id, second);
    }
    EXPECT_EQ(state->close(*a, opens[1], kFile, gone), NFS4_OK);
    EXPECT_EQ(released, (std::vector<std::pair<FileKey, vfs::LockOwner>>{{kFile, number}}));
    EXPECT_EQ(released_soon, 0u);
    EXPECT_FALSE(state->holder(number));
}

TEST_F(StateTest, WhenThereAreTooManyClientsOneThatIsSilentMakesWay) {
    const auto first = connect("the first");
    now += 1s;
    for (std::size_t i = 1; i < kClientsMax; ++i)
        ASSERT_EQ(session_of(introduce(std::to_string(i))).status, NFS4_OK);
    EXPECT_EQ(introduce("late").status, NFS4ERR_DELAY);
    EXPECT_EQ(introduce("late").status, NFS4ERR_DELAY);
    now += kLeaseDefault;
    EXPECT_EQ(introduce("late").status, NFS4_OK);
    EXPECT_EQ(sequence(first->id(), 0, 2).status, NFS4ERR_BADSESSION);
    EXPECT_EQ(introduce("later").status, NFS4ERR_DELAY);
    now += 1s;
    EXPECT_EQ(introduce("later").status, NFS4_OK);
}

// The record is written before OPEN comes to the state, without holding up others.
TEST_F(StateTest, AClientIsRecordedOnce) {
    const auto a = connect("a");
    EXPECT_TRUE(state->must_record(*a));
    EXPECT_TRUE(state->record(*a));
    EXPECT_FALSE(state->must_record(*a));
    records.broken = true;  // not written again
    EXPECT_EQ(open(*a, "p", kRead).status, NFS4_OK);
    const auto b = connect("b");
    EXPECT_FALSE(state->record(*b));
    EXPECT_TRUE(state->must_record(*b));
}

TEST_F(StateTest, BusyClientsAreNotDestroyed) {
    const auto client = introduce("a");
    const auto made = session_of(client);
    EXPECT_EQ(state->destroy_client(client.client, now), NFS4ERR_CLIENTID_BUSY);
    EXPECT_EQ(state->destroy_session(made.session, {1, 5}), NFS4ERR_WRONG_CRED);
    EXPECT_EQ(state->destroy_session(made.session, kRoot), NFS4_OK);
    EXPECT_EQ(state->destroy_session(made.session, kRoot), NFS4ERR_BADSESSION);
    EXPECT_EQ(state->destroy_client(client.client, now), NFS4_OK);
    EXPECT_EQ(state->destroy_client(client.client, now), NFS4ERR_STALE_CLIENTID);
}

}  // namespace
}  // namespace helio::nfs::state::state_test
