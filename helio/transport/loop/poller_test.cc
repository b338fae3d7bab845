#include "helio/transport/loop/poller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

#include "helio/base/clock.h"
#include "helio/base/fd.h"

namespace helio::transport::poller_test {
namespace {

using namespace std::chrono_literals;

class Nobody final : public Poller::Handler {
    void on_ready(Readiness) override {}
};

std::string to_text(Readiness ready) {
    return std::string(ready.readable() ? "r" : "") + (ready.writable() ? "w" : "") +
           (ready.hung_up() ? "h" : "");
}

class PollerTest : public ::testing::Test {
 protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        here_ = Fd{ends[0]};
        there_ = Fd{ends[1]};
    }
    // The events reported for here_, or "".
    std::string ready() {
        std::array<Poller::Event, 4> events;
        const std::size_t count = poller_->wait(events, 0ns);
        EXPECT_LE(count, 1u);
        if (count == 0) return "";
        EXPECT_EQ(events[0].handler, &handler_);
        return to_text(events[0].ready);
    }
    void send() { ASSERT_EQ(::send(there_.get(), "x", 1, 0), 1); }

    std::unique_ptr<Poller> poller_ = make_poller();
    Nobody handler_;
    Fd here_, there_;
};

TEST_F(PollerTest, ReportsWhatIsWantedAndAgainUntilItIsHandled) {
    ASSERT_EQ(poller_->add(here_.get(), Interest::none, handler_, Poller::Sharing::own), 0);
    EXPECT_EQ(ready(), "");
    send();
    EXPECT_EQ(ready(), "");
    struct Row {
        Interest interest;
        const char* ready;
    };
    for (const Row& row : {Row{Interest::read, "r"}, Row{Interest::write, "w"},
                           Row{Interest::read_write, "rw"}, Row{Interest::none, ""}}) {
        poller_->change(here_.get(), row.interest, handler_);
        EXPECT_EQ(ready(), row.ready);
        EXPECT_EQ(ready(), row.ready);
    }
}

TEST_F(PollerTest, ReportsTheEndOfAStreamToWhoeverReads) {
    ASSERT_EQ(poller_->add(here_.get(), Interest::read, handler_, Poller::Sharing::own), 0);
    ASSERT_EQ(shutdown(there_.get(), SHUT_WR), 0);
    EXPECT_EQ(ready(), "r");
    poller_->change(here_.get(), Interest::none, handler_);
    EXPECT_EQ(ready(), "");
}

TEST_F(PollerTest, ReportsAPeerThatIsGoneWhateverTheInterest) {
    ASSERT_EQ(poller_->add(here_.get(), Interest::none, handler_, Poller::Sharing::own), 0);
    there_.reset();
    EXPECT_EQ(ready(), "h");
    EXPECT_EQ(ready(), "h");
    poller_->change(here_.get(), Interest::read, handler_);
    EXPECT_EQ(ready(), "rh");
}

TEST_F(PollerTest, ForgetsWhatIsRemoved) {
    EXPECT_FALSE(poller_->remove(here_.get()));
    ASSERT_EQ(poller_->add(here_.get(), Interest::write, handler_, Poller::Sharing::own), 0);
    EXPECT_EQ(poller_->add(here_.get(), Interest::write, handler_, Poller::Sharing::own), EEXIST);
    EXPECT_EQ(ready(), "w");
    EXPECT_TRUE(poller_->remove(here_.get()));
    EXPECT_EQ(ready(), "");
    EXPECT_FALSE(poller_->remove(here_.get()));
}

TEST_F(PollerTest, SaysThatAFileCannotBeWatched) {
    const Fd file{open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
    ASSERT_TRUE(file);
    EXPECT_EQ(poller_->add(file.get(), Interest::read, handler_, Poller::Sharing::own), EPERM);
}

// No more than there is room for; the rest follows next time.
TEST_F(PollerTest, HandsOutAsManyAsFit) {
    ASSERT_EQ(poller_->add(here_.get(), Interest::write, handler_, Poller::Sharing::own), 0);
    Nobody other;
    ASSERT_EQ(poller_->add(there_.get(), Interest::write, other, Poller::Sharing::own), 0);
    std::array<Poller::Event, 1> one;
    ASSERT_EQ(poller_->wait(one, 0ns), 1u);
    const auto* const first = one[0].handler;
    ASSERT_EQ(poller_->wait(one, 0ns), 1u);
    EXPECT_NE(one[0].handler, first);
}

TEST_F(PollerTest, WaitsForAsLongAsItIsTold) {
    std::array<Poller::Event, 1> events;
    for (const std::chrono::microseconds time : {300us, 2000us, 15000us}) {
        const auto begin = Clock::now();
        EXPECT_EQ(poller_->wait(events, time), 0u);
        EXPECT_GE(Clock::now() - begin, time);
    }
}

TEST_F(PollerTest, IsWokenFromAnotherThreadOnceForAllTheTimesItWasCalled) {
    std::array<Poller::Event, 2> events;
    std::thread other{[&] {
        poller_->wake();
        poller_->wake();
    }};
    ASSERT_EQ(poller_->wait(events, std::nullopt), 1u);
    EXPECT_EQ(events[0].handler, nullptr);
    other.join();
    while (poller_->wait(events, 0ns) > 0) EXPECT_EQ(events[0].handler, nullptr);
    poller_->wake();  // before anything waits
    EXPECT_EQ(poller_->wait(events, std::nullopt), 1u);
}

TEST_F(PollerTest, SharedDescriptorsWakeAtLeastOne) {
    const std::unique_ptr<Poller> second = make_poller();
    for (Poller* const one : {poller_.get(), second.get()})
        ASSERT_EQ(one->add(here_.get(), Interest::read, handler_, Poller::Sharing::shared), 0);
    send();
    std::array<Poller::Event, 1> events;
    EXPECT_GE(poller_->wait(events, 0ns) + second->wait(events, 0ns), 1u);
    for (Poller* const one : {poller_.get(), second.get()}) EXPECT_TRUE(one->remove(here_.get()));
}

}  // namespace
}  // namespace helio::transport::poller_test
