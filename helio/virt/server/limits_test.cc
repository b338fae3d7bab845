// Limits on concurrent calls and clients, and the meaning of a schema's notes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "helio/virt/server/client_list.h"
#include "helio/virt/server/rules.h"
#include "helio/virt/server/workers.h"
#include "helio/virt/wire/programs.h"
#include "testing/virt/probe_service.h"

namespace helio::virt::server::limits_test {
namespace {

using namespace probe;

TEST(Rules, AreTheNotesOfTheSchema) {
    ProbeService service;
    rpc::Server server;
    server.add(service);
    const RuleTable table{server.programs()};
    const auto rules = [&](Procedure procedure) {
        const ProcedureRules* const found = table.find(kRemoteProgram, procedure);
        HELIO_ASSERT(found != nullptr);
        return *found;
    };
    EXPECT_EQ(rules(Procedure::CREATE).readers, ProcedureRules::Readers::denied);
    EXPECT_EQ(rules(Procedure::CREATE).function, "virDomainCreate");
    EXPECT_EQ(rules(Procedure::ECHO).readers, ProcedureRules::Readers::allowed);
    EXPECT_FALSE(rules(Procedure::OPEN).needs_open);
    EXPECT_TRUE(rules(Procedure::OPEN).needs_authentication);
    EXPECT_TRUE(rules(Procedure::ECHO).needs_open);
    EXPECT_FALSE(rules(Procedure::LOGIN).needs_authentication);
    EXPECT_FALSE(rules(Procedure::LOGIN).needs_open);
    EXPECT_TRUE(rules(Procedure::EVENT).is_event);
    EXPECT_TRUE(rules(Procedure::URGENT_WAIT).high_priority);
    EXPECT_FALSE(rules(Procedure::WAIT).high_priority);
    EXPECT_EQ(rules(Procedure::DOWN).stream, ProcedureRules::Stream::to_client);
    EXPECT_EQ(rules(Procedure::UP).stream, ProcedureRules::Stream::to_server);
    EXPECT_EQ(rules(Procedure::ECHO).stream, ProcedureRules::Stream::none);
    EXPECT_EQ(table.find(kRemoteProgram, 30), nullptr);  // in a gap
    EXPECT_EQ(table.find(kRemoteProgram, 999), nullptr);
    EXPECT_EQ(table.find(kAdminProgram, 1), nullptr);
}

TEST(WorkersTest, SomeAreKeptForTheUrgent) {
    Workers workers{2, 1};
    EXPECT_TRUE(workers.take(Priority::low));
    EXPECT_TRUE(workers.take(Priority::low));
    EXPECT_FALSE(workers.take(Priority::low));
    EXPECT_TRUE(workers.take(Priority::high));
    EXPECT_FALSE(workers.take(Priority::high));
    workers.give_back(Priority::low);
    EXPECT_TRUE(workers.take(Priority::high)) << "they may have the others too";
    EXPECT_FALSE(workers.take(Priority::low));
    workers.give_back(Priority::high);
    EXPECT_TRUE(workers.take(Priority::low));
    EXPECT_EQ(workers.figures().busy_low, 2u);
    EXPECT_EQ(workers.figures().busy_high, 1u);
}

TEST(WorkersTest, MoreOfThemWakeThoseWhoWait) {
    Workers workers{1, 0};
    ASSERT_TRUE(workers.take(Priority::low));
    int woken = 0;
    for (int i = 0; i < 3; ++i) workers.wait(Priority::low, [&] { ++woken; });
    EXPECT_EQ(workers.figures().waiting, 3u);
    workers.set_limits(9, 0);
    EXPECT_EQ(woken, 3);
    EXPECT_EQ(workers.figures().waiting, 0u);
}

// No wake-up is lost, whatever happens in between: threads wait like connections.
TEST(WorkersTest, ThreadsNeverMissAWake) {
    struct Waiter {
        std::atomic<bool> wants = false, woken = false;
        bool left_word = false;
    };
    Workers workers{1, 1};
    std::array<Waiter, 4> waiters;
    std::vector<std::thread> threads;
    for (Waiter& me : waiters)
        threads.emplace_back([&, priority = &me == &waiters[0] ? Priority::high : Priority::low] {
            for (int round = 0; round < 1000; ++round) {
                me.wants = true;
                while (!workers.take(priority)) {
                    if (!std::exchange(me.left_word, true)) {
                        workers.wait(priority, [&] {
                            me.woken = true;
                            me.woken.notify_one();
                            if (!me.wants) workers.wake_next();
                        });
                        continue;
                    }
                    me.woken.wait(false);
                    me.woken = false;
                    me.left_word = false;
                }
                me.wants = false;
                workers.give_back(priority);
            }
        });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(workers.figures().busy_low + workers.figures().busy_high, 0u);
}

struct LimitedTest : testing::Test {
    static ServerClientOptions with(Workers& workers, ClientList& clients) {
        ServerClientOptions options;
        options.workers = &workers;
        options.clients = &clients;
        return options;
    }
    Workers workers{2, 1};
    ClientList clients{{.clients = 4, .anonymous = 1}};
    ProbeCore core{with(workers, clients)};
    ProbeLine first{*core.worker, core.session_factory}, second{*core.worker, core.session_factory};

    void SetUp() override {
        for (ProbeLine* const one : {&first, &second})
            ASSERT_EQ(one->ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
    }
};

TEST_F(LimitedTest, CallsOfAllClientsShareTheWorkers) {
    first.say(head(Procedure::WAIT, 2), opaque("a"));
    second.say(head(Procedure::WAIT, 2), opaque("b"));
    second.say(head(Procedure::ECHO, 3), opaque("low"));
    first.say(head(Procedure::ECHO, 3), opaque("low"));
    EXPECT_TRUE(first.heard().empty()) << "both workers are busy";
    EXPECT_TRUE(second.heard().empty());
    EXPECT_FALSE(first.session().has_runnable_calls());
    EXPECT_EQ(second.ask(ping()).header.procedure, frame::kKeepalivePong);
    EXPECT_EQ(workers.figures().waiting, 2u);

    // An urgent one overtakes those waiting, and releases the others.
    second.say(head(Procedure::URGENT_FREE, 4));
    const auto heard = second.heard();
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0].header.serial, 4u);
    EXPECT_EQ(heard[0].payload, xdr::word(2));
    EXPECT_EQ(heard[1].payload, opaque("b"));
    EXPECT_EQ(first.heard().size(), 1u);
    for (ProbeLine* const one : {&first, &second}) {
        one->run_posted();
        one->resume();
        EXPECT_EQ(one->heard().at(0).payload, opaque("low"));
    }
    EXPECT_EQ(workers.figures().waiting, 0u);
    EXPECT_EQ(workers.figures().busy_low, 0u);
}

TEST_F(LimitedTest, AQueueThatWaitsForWorkersIsFullOnce) {
    first.say(head(Procedure::WAIT, 2), opaque("a"));
    first.say(head(Procedure::WAIT, 3), opaque("a"));
    for (std::uint32_t i = 0; i < kVirnetCallsQueuedMax; ++i)
        second.say(head(Procedure::ECHO, 2 + i), opaque("low"));
    EXPECT_FALSE(second.full);
    second.say(head(Procedure::ECHO, 1000), opaque("low"));
    EXPECT_TRUE(second.full);
    EXPECT_FALSE(second.session().may_run_more()) << "or a transport would try for ever";
    core.service.let_go();
    second.run_posted();
    EXPECT_TRUE(second.session().has_runnable_calls());
    second.resume();
    EXPECT_EQ(second.heard().size(), kVirnetCallsQueuedMax + 1);
    EXPECT_TRUE(second.session().may_run_more());
}

TEST_F(LimitedTest, WhoComesTooLateLeavesWordAgain) {
    first.say(head(Procedure::WAIT, 2), opaque("a"));
    first.say(head(Procedure::WAIT, 3), opaque("a"));
    second.say(head(Procedure::ECHO, 2), opaque("x"));
    core.service.let_go();
    ASSERT_TRUE(workers.take(Priority::low));
    ASSERT_TRUE(workers.take(Priority::low));
    second.run_posted();
    EXPECT_TRUE(second.session().has_runnable_calls()) << "to leave word";
    second.resume();
    EXPECT_FALSE(second.session().has_runnable_calls());
    EXPECT_EQ(workers.figures().waiting, 1u);
    workers.give_back(Priority::low);
    second.run_posted();
    second.resume();
    EXPECT_EQ(second.heard().size(), 1u);
    workers.give_back(Priority::low);
}

TEST_F(LimitedTest, WhoDoesNotGoOnLeavesTheWorkerToOthers) {
    ProbeLine third{*core.worker, core.session_factory};
    ASSERT_EQ(third.ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
    third.say(head(Procedure::WAIT, 2), opaque("a"));
    third.say(head(Procedure::WAIT, 3), opaque("a"));
    for (ProbeLine* const one : {&first, &second}) one->say(head(Procedure::ECHO, 2), opaque("x"));
    core.service.let_go();
    EXPECT_EQ(workers.figures().waiting, 0u) << "two workers are free, and both were told";
    ASSERT_TRUE(workers.take(Priority::low));
    ASSERT_TRUE(workers.take(Priority::low));  // another client was faster
    for (ProbeLine* const one : {&first, &second}) {
        one->run_posted();
        one->resume();
        one->run_posted();
    }
    EXPECT_EQ(workers.figures().waiting, 2u);
    workers.give_back(Priority::low);
    first.run_posted();  // its transport is woken but cannot send: its peer does not read
    EXPECT_EQ(workers.figures().waiting, 1u);
    first.run_posted();
    EXPECT_EQ(workers.figures().waiting, 0u);
    second.run_posted();
    second.resume();
    EXPECT_EQ(second.heard().size(), 1u);
    first.resume();
    EXPECT_EQ(first.heard().size(), 1u);
    workers.give_back(Priority::low);
}

TEST_F(LimitedTest, WhoGoesLeavesItsWorkers) {
    first.say(head(Procedure::WAIT, 2), opaque("a"));
    first.say(head(Procedure::WAIT, 3), opaque("a"));
    second.say(head(Procedure::ECHO, 2), opaque("low"));
    EXPECT_TRUE(second.heard().empty());
    first.go_away();
    second.run_posted();
    second.resume();
    EXPECT_EQ(second.heard().size(), 1u);
    core.service.let_go();
    EXPECT_EQ(workers.figures().busy_low, 0u);
}

TEST_F(LimitedTest, ClientsBeyondTheLimitAreCutOff) {
    ProbeLine third{*core.worker, core.session_factory}, fourth{*core.worker, core.session_factory};
    for (ProbeLine* const one : {&third, &fourth})
        ASSERT_EQ(one->ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
    std::optional<ProbeLine> fifth{std::in_place, *core.worker, core.session_factory};
    EXPECT_EQ(fifth->ask(head(Procedure::OPEN)).error().code, VIR_ERR_OPERATION_FAILED);
    fifth->run_posted();
    EXPECT_TRUE(fifth->ended);
    fifth.reset();
    EXPECT_EQ(clients.figures().clients, 4u);
    EXPECT_EQ(clients.figures().refused, 1u);
    third.go_away();
    fifth.emplace(*core.worker, core.session_factory);
    EXPECT_EQ(fifth->ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
    EXPECT_EQ(clients.list().back().id, 5u);
}

// Clients that open nothing keep nobody out, however many there are.
TEST_F(LimitedTest, TheOldestWhichSaysNothingGoesFirst) {
    ProbeLine third{*core.worker, core.session_factory}, fourth{*core.worker, core.session_factory};
    std::optional<ProbeLine> fifth{std::in_place, *core.worker, core.session_factory};
    third.run_posted();
    EXPECT_TRUE(third.ended);
    for (ProbeLine* const one : {&first, &second, &fourth}) {
        one->run_posted();
        EXPECT_FALSE(one->ended);
    }
    EXPECT_EQ(fifth->ask(head(Procedure::OPEN)).header.status, VirnetStatus::ok);
    EXPECT_EQ(clients.figures().clients, 4u);
    EXPECT_EQ(clients.figures().refused, 0u);
    EXPECT_EQ(clients.figures().displaced, 1u);
    fifth.reset();
    EXPECT_EQ(clients.figures().clients, 3u);
}

TEST_F(LimitedTest, StrangersHaveALimitOfTheirOwn) {
    ServerClientOptions options = with(workers, clients);
    options.needs_authentication = true;
    const SessionFactory strangers{options};
    ProbeLine one{*core.worker, strangers};
    EXPECT_EQ(clients.figures().anonymous, 1u);
    ProbeLine two{*core.worker, strangers};
    EXPECT_EQ(clients.figures().anonymous, 1u);
    one.run_posted();
    EXPECT_TRUE(one.ended) << "the oldest goes";
    EXPECT_EQ(two.ask(head(Procedure::LOGIN)).header.status, VirnetStatus::ok);
    EXPECT_EQ(clients.figures().anonymous, 0u);
    EXPECT_TRUE(clients.find(4)->authenticated);
    ProbeLine three{*core.worker, strangers};
    EXPECT_EQ(clients.figures().anonymous, 1u);
    two.run_posted();
    EXPECT_FALSE(two.ended);
}

}  // namespace
}  // namespace helio::virt::server::limits_test
