// The callbacks of a session: what is sent, over which connection, and what any answer does.
#include "helio/nfs/state/callbacks.h"

#include <gtest/gtest.h>

namespace helio::nfs::state::callbacks_test {
namespace {

using namespace nfs4;

struct Callbacks : ::testing::Test {
    SessionId session{std::byte{7}};
    SessionCallbacks callbacks{session, {0x40000000, 1, rpc::ClientCredential::none()}, 2, 4096};

    static Notice notice(const std::string& owner) {
        return {.client = 5, .handle = "file", .owner = owner};
    }
    static CallbackEnd status(nfsstat4 status, std::uint32_t target = UINT32_MAX) {
        return {CallbackEnd::Kind::answered, status, target};
    }
    static CallbackEnd failed() { return {}; }
    // The owners of what is sent now.
    std::vector<Callback> all() {
        std::vector<Callback> out;
        while (auto one = callbacks.next()) out.push_back(*one);
        return out;
    }
    Callback one(const std::string& owner) {
        callbacks.push(notice(owner));
        auto sent = callbacks.next();
        EXPECT_TRUE(sent);
        return sent.value_or(Callback{});
    }
};

TEST_F(Callbacks, NothingIsSentWithoutAConnection) {
    callbacks.push(notice("a"));
    EXPECT_FALSE(callbacks.next());
    EXPECT_FALSE(callbacks.is_wanted());
    callbacks.bind(9);
    EXPECT_TRUE(callbacks.is_wanted() && callbacks.has_path());
    const auto sent = callbacks.next();
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->connection, 9u);
    EXPECT_EQ(sent->session, session);
    EXPECT_EQ(sent->notice.owner, "a");
    EXPECT_EQ(sent->slot, 0u);
    EXPECT_EQ(sent->sequence, 1u);
}

TEST_F(Callbacks, EachSlotCountsItsCalls) {
    callbacks.bind(1);
    for (const char* const owner : {"a", "b", "c"}) callbacks.push(notice(owner));
    const auto first = all();
    ASSERT_EQ(first.size(), 2u) << "two slots";
    EXPECT_EQ(first[1].slot, 1u);
    EXPECT_EQ(first[1].highest_slot, 1u);
    callbacks.ended(first[1], status(NFS4_OK));
    const auto next = all();
    ASSERT_EQ(next.size(), 1u);
    EXPECT_EQ(next[0].notice.owner, "c");
    EXPECT_EQ(next[0].slot, 1u);
    EXPECT_EQ(next[0].sequence, 2u);
    callbacks.ended(first[1], status(NFS4_OK));  // an answer that comes twice
    callbacks.push(notice("d"));
    EXPECT_FALSE(callbacks.next());
}

TEST_F(Callbacks, AClientMayAskForFewerSlots) {
    callbacks.bind(1);
    callbacks.ended(one("a"), status(NFS4_OK, 0));
    callbacks.push(notice("b"));
    callbacks.push(notice("c"));
    EXPECT_EQ(all().size(), 1u);
}

// What was not answered is sent again as it was, so that it executes once.
TEST_F(Callbacks, AnUnansweredCallIsRepeatedOverAnotherConnection) {
    callbacks.bind(1);
    const Callback first = one("a");
    callbacks.ended(first, failed());
    EXPECT_FALSE(callbacks.has_path());
    EXPECT_FALSE(callbacks.next());
    callbacks.bind(2);
    const auto again = callbacks.next();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->connection, 2u);
    EXPECT_EQ(again->slot, first.slot);
    EXPECT_EQ(again->sequence, first.sequence);
    EXPECT_EQ(again->notice.owner, "a");
    callbacks.ended(first, status(NFS4_OK));  // late, of the first attempt
    callbacks.ended(*again, status(NFS4ERR_RETRY_UNCACHED_REP));
    EXPECT_EQ(one("b").sequence, first.sequence + 1);
}

TEST_F(Callbacks, AClosedConnectionTakesItsCallsAlong) {
    callbacks.bind(1);
    callbacks.bind(2);
    const Callback first = one("a");
    EXPECT_EQ(first.connection, 2u);
    callbacks.unbind(2);
    EXPECT_TRUE(callbacks.has_path());
    const auto again = callbacks.next();
    ASSERT_TRUE(again);
    EXPECT_EQ(again->connection, 1u);
    EXPECT_EQ(again->sequence, first.sequence);
}

TEST_F(Callbacks, ConnectionsAreBounded) {
    for (ConnectionId i = 1; i <= kBackConnectionsMax + 1; ++i) callbacks.bind(i);
    for (ConnectionId i = 2; i <= kBackConnectionsMax; ++i) callbacks.unbind(i);
    EXPECT_TRUE(callbacks.has_path());
    callbacks.unbind(kBackConnectionsMax + 1);
    EXPECT_FALSE(callbacks.has_path()) << "the oldest has made way";
}

TEST_F(Callbacks, NoticesAreBoundedAndNotSentTwice) {
    callbacks.push(notice("same"));
    callbacks.push(notice("same"));
    for (std::size_t i = 0; i < 2 * kNoticesMax; ++i) callbacks.push(notice(std::to_string(i)));
    callbacks.bind(1);
    std::size_t count = 0;
    for (auto sent = callbacks.next(); sent; sent = callbacks.next()) {
        callbacks.ended(*sent, status(NFS4_OK));
        ++count;
    }
    EXPECT_EQ(count, kNoticesMax);
}

TEST_F(Callbacks, APostponedCallComesLaterAndNotForEver) {
    callbacks.bind(1);
    Callback sent = one("a");
    unsigned tries = 1;
    for (;; ++tries) {
        callbacks.ended(sent, status(NFS4ERR_DELAY));
        EXPECT_FALSE(callbacks.next()) << "not at once";
        callbacks.next_round();
        const auto again = callbacks.next();
        if (!again) break;
        EXPECT_EQ(again->sequence, sent.sequence) << "the slot has not advanced";
        sent = *again;
    }
    EXPECT_EQ(tries, kNoticeTriesMax);
}

// A client that has lost count loses the slot, and with the last slot the session.
TEST_F(Callbacks, MisorderedSlotsAreRetired) {
    callbacks.bind(1);
    const Callback first = one("a");
    callbacks.ended(first, status(NFS4ERR_SEQ_MISORDERED));
    EXPECT_FALSE(callbacks.is_broken());
    const auto again = callbacks.next();
    ASSERT_TRUE(again);
    EXPECT_NE(again->slot, first.slot);
    EXPECT_EQ(again->notice.owner, "a");
    callbacks.ended(*again, status(NFS4ERR_BADSLOT));
    EXPECT_TRUE(callbacks.is_broken());
    EXPECT_FALSE(callbacks.has_path());
    callbacks.push(notice("b"));
    EXPECT_FALSE(callbacks.next());
}

TEST_F(Callbacks, EveryStatusIsTaken) {
    for (const nfsstat4 any :
         {NFS4ERR_PERM, NFS4ERR_BADXDR, NFS4ERR_REQ_TOO_BIG, NFS4ERR_BAD_HIGH_SLOT,
          NFS4ERR_SEQ_FALSE_RETRY, NFS4ERR_OP_ILLEGAL, NFS4ERR_MINOR_VERS_MISMATCH,
          NFS4ERR_CONN_NOT_BOUND_TO_SESSION, NFS4ERR_BADSESSION, nfsstat4{123'456}}) {
        SessionCallbacks fresh{session, {}, 1, 4096};
        fresh.bind(1);
        fresh.push(notice("a"));
        fresh.ended(*fresh.next(), status(any));
        EXPECT_FALSE(fresh.next()) << any;
        EXPECT_EQ(fresh.is_broken(), any == NFS4ERR_BADSESSION) << any;
        EXPECT_EQ(fresh.has_path(),
                  any != NFS4ERR_BADSESSION && any != NFS4ERR_CONN_NOT_BOUND_TO_SESSION)
            << any;
        fresh.bind(2);
        fresh.push(notice("b"));
        EXPECT_EQ(fresh.next().has_value(), any != NFS4ERR_BADSESSION) << any;
    }
}

TEST_F(Callbacks, LongOwnersNeedLongCalls) {
    EXPECT_TRUE(callbacks.fits(notice(std::string(1024, 'o'))));
    SessionCallbacks small{session, {}, 1, 512};
    EXPECT_TRUE(small.fits(notice("o")));
    EXPECT_FALSE(small.fits(notice(std::string(1024, 'o'))));
}

}  // namespace
}  // namespace helio::nfs::state::callbacks_test
