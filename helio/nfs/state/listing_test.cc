// Lists of clients, opens and locks, page by page, while they change.
#include <gtest/gtest.h>

#include <algorithm>

#include "helio/nfs/state/state.h"

namespace helio::nfs::state::listing_test {
namespace {

using namespace nfs4;
using namespace std::chrono_literals;

class NoRecords final : public Recovery {
 public:
    std::vector<std::string> recorded() override { return {}; }
    bool add(std::string_view) override { return true; }
    void remove(std::string_view) override {}
};

FileKey file(const std::string& name) { return {7, vfs::FileId::copy_of(as_bytes(name))}; }

struct ListingTest : ::testing::Test {
    NoRecords records;
    Instant now = 1000s;
    State state{records, 42, now};

    std::shared_ptr<Session> connect(const std::string& name) {
        const auto client =
            state.exchange_id({.owner = {name, 1}, .facts = {"Linux 6.12", "10.0.0.7", 2}}, now);
        const auto made = state.create_session({.client = client.client,
                                                .sequence = client.sequence,
                                                .fore = {1 << 20, 1 << 20, 4096, 8, 4}},
                                               now);
        const auto done = state.sequence({made.session, 1, 0, 0, 0, 1, 100}, now);
        EXPECT_EQ(done.status, NFS4_OK);
        return done.session;
    }
    StateId open(Session& session, const std::string& owner, const FileKey& key) {
        const auto done = state.open(session, {owner, key, kRead | kWrite, kWrite}, nullptr, now);
        EXPECT_EQ(done.status, NFS4_OK);
        return done.id;
    }
    StateId lock(Session& session, const StateId& opened, const std::string& owner,
                 const FileKey& key) {
        const auto done = state.first_lock(session, opened, owner, key);
        EXPECT_EQ(done.status, NFS4_OK);
        EXPECT_TRUE(state.lock_changed(session, done.id));
        return done.id;
    }
    // All rows, gathered in pages: "owner", "owner lock-owner".
    std::vector<std::string> rows(std::size_t page) {
        std::vector<std::string> out;
        Holding::Position at;
        for (;;) {
            const auto some = state.holdings(at, page);
            EXPECT_LE(some.size(), page);
            for (const Holding& one : some) {
                EXPECT_LT(at, one.position);
                at = one.position;
                out.push_back((one.is_lock() ? "lock " : "open ") + one.owner);
            }
            if (some.empty()) return out;
        }
    }
};

TEST_F(ListingTest, ClientsSayWhoTheyAreAndWhatTheyHold) {
    const auto a = connect("a");
    const auto b = connect("b");
    state.exchange_id({.owner = {"never confirmed", 1}}, now);
    const StateId id = open(*a, "p", file("x"));
    lock(*a, id, "l", file("x"));
    now += kLeaseDefault + 1s;
    connect("c");
    const auto all = state.clients(now);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].owner, "a");
    EXPECT_EQ(all[0].facts.implementation, "Linux 6.12");
    EXPECT_EQ(all[0].facts.address, "10.0.0.7");
    EXPECT_EQ(all[0].facts.minor_version, 2u);
    EXPECT_EQ(all[0].sessions, 1u);
    EXPECT_EQ(all[0].opens, 1u);
    EXPECT_EQ(all[0].lock_owners, 1u);
    EXPECT_FALSE(all[0].has_back_channel);
    EXPECT_TRUE(all[0].expired);
    EXPECT_EQ(all[0].silent, kLeaseDefault + 1s);
    EXPECT_EQ(all[2].owner, "c");
    EXPECT_FALSE(all[2].expired);
    EXPECT_EQ(all[2].silent, 0s);

    // In pages.
    const auto first = state.clients(now, 0, 2);
    ASSERT_EQ(first.size(), 2u);
    const auto rest = state.clients(now, first[1].id, 2);
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].owner, "c");
    EXPECT_TRUE(state.clients(now, UINT64_MAX, 2).empty());

    const Totals totals = state.totals(now);
    EXPECT_EQ(totals.clients, 3u);
    EXPECT_EQ(totals.expired, 2u);
    EXPECT_EQ(totals.sessions, 3u);
    EXPECT_EQ(totals.opens, 1u);
    EXPECT_FALSE(totals.in_grace);
}

TEST_F(ListingTest, FactsFollowTheLastIntroduction) {
    connect("a");
    state.exchange_id({.owner = {"a", 1}, .facts = {"Linux 6.13", "10.0.0.8", 1}}, now);
    EXPECT_EQ(state.clients(now)[0].facts.address, "10.0.0.8");
}

TEST_F(ListingTest, PagesOfAnySizeHaveTheSameRows) {
    std::vector<std::string> expected;
    for (const std::string client : {"a", "b", "c"}) {
        const auto session = connect(client);
        for (int i = 0; i < 5; ++i) {
            const FileKey key = file(client + std::to_string(i));
            const std::string name = client + std::to_string(i);
            const StateId id = open(*session, name, key);
            expected.push_back("open " + name);
            for (int j = 0; j < i; ++j) {
                lock(*session, id, name + "." + std::to_string(j), key);
                expected.push_back("lock " + name + "." + std::to_string(j));
            }
        }
        connect(client + " holds nothing");
    }
    for (std::size_t page = 1; page <= expected.size() + 1; ++page)
        EXPECT_EQ(rows(page), expected) << page;
}

TEST_F(ListingTest, AnOwnerWithSeveralOpensOfAFileIsListedOnce) {
    const auto a = connect("a");
    const auto one = state.open(*a, {"p", file("x"), kRead, 0}, nullptr, now);
    const auto two = state.open(*a, {"q", file("x"), kRead, 0}, nullptr, now);
    lock(*a, one.id, "l", file("x"));
    lock(*a, two.id, "l", file("x"));
    EXPECT_EQ(rows(100), (std::vector<std::string>{"open p", "lock l", "open q"}));
    StateId out;
    ASSERT_EQ(state.close(*a, one.id, file("x"), out), NFS4_OK);
    EXPECT_EQ(rows(100), (std::vector<std::string>{"open q", "lock l"}));
}

TEST_F(ListingTest, APageContinuesWhenItsLastRowIsGone) {
    const auto a = connect("a");
    std::vector<StateId> opens;
    for (int i = 0; i < 4; ++i) {
        const FileKey key = file(std::to_string(i));
        opens.push_back(open(*a, std::to_string(i), key));
    }
    const StateId gone = lock(*a, opens[2], "l", file("2"));
    lock(*a, opens[2], "m", file("2"));
    auto page = state.holdings({}, 2);
    ASSERT_EQ(page.size(), 2u);
    StateId out;
    ASSERT_EQ(state.close(*a, opens[1], file("1"), out), NFS4_OK);
    page = state.holdings(page[1].position, 2);
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].owner, "2");
    EXPECT_EQ(page[1].owner, "l");
    ASSERT_EQ(state.free(*a, {0, gone.other}), NFS4_OK);
    page = state.holdings(page[1].position, 2);
    ASSERT_EQ(page.size(), 2u);
    EXPECT_EQ(page[0].owner, "m");
    EXPECT_EQ(page[1].owner, "3");
    EXPECT_TRUE(state.holdings(page[1].position, 2).empty());
}

TEST_F(ListingTest, PositionsThatNeverExistedAreHarmless) {
    const auto a = connect("a");
    const auto b = connect("b");
    const StateId first = open(*a, "p", file("x"));
    lock(*a, first, "l", file("x"));
    open(*b, "q", file("y"));
    const auto all = state.holdings({}, 10);
    ASSERT_EQ(all.size(), 3u);
    // An open or a lock of another client.
    const Holding::Position foreign{all[2].position.client, all[0].position.open,
                                    all[1].position.lock};
    for (const Holding& one : state.holdings(foreign, 10))
        EXPECT_EQ(one.position.client, all[2].position.client);
    EXPECT_TRUE(state.holdings({UINT64_MAX, UINT64_MAX, UINT64_MAX}, 10).empty());
    EXPECT_EQ(state.holdings({1, UINT64_MAX, 5}, 10).size(), 3u);
}

TEST_F(ListingTest, AnEvictedClientLosesItsSessionsAndItsLocks) {
    std::vector<vfs::LockOwner> released;
    state.on_release(
        [&](const FileKey&, vfs::LockOwner owner, State::When) { released.push_back(owner); });
    const auto a = connect("a");
    const auto b = connect("b");
    const StateId id = open(*a, "p", file("x"));
    lock(*a, id, "l", file("x"));
    const ClientId who = state.clients(now)[0].id;
    EXPECT_EQ(state.check_share(*b, {"q", file("x"), kWrite, 0}, now), NFS4ERR_SHARE_DENIED);
    EXPECT_FALSE(state.evict(who + 1000));
    EXPECT_TRUE(state.evict(who));
    EXPECT_FALSE(state.evict(who));
    EXPECT_EQ(released.size(), 1u);
    EXPECT_EQ(state.check_share(*b, {"q", file("x"), kWrite, 0}, now), NFS4_OK);
    EXPECT_EQ(state.sequence({a->id(), 2, 0, 0, 0, 1, 100}, now).status, NFS4ERR_BADSESSION);
    EXPECT_EQ(state.clients(now).size(), 1u);
    EXPECT_EQ(state.totals(now).evicted, 1u);
    EXPECT_EQ(state.totals(now).made_way, 0u);
}

TEST_F(ListingTest, TotalsCountReplaysAndClientsThatMadeWay) {
    const auto a = connect("a");
    const std::byte reply[4] = {};
    state.finish(*a, 0, reply);
    EXPECT_EQ(state.sequence({a->id(), 1, 0, 0, 0, 1, 100}, now).kind, SequenceDone::Kind::replay);
    EXPECT_EQ(state.totals(now).replays, 1u);
    open(*a, "p", file("x"));
    now += kLeaseDefault + 1s;
    const auto b = connect("b");
    EXPECT_EQ(state.check_share(*b, {"q", file("x"), kWrite, 0}, now), NFS4_OK);
    EXPECT_EQ(state.totals(now).made_way, 1u);
}

}  // namespace
}  // namespace helio::nfs::state::listing_test
