// Blocking programs that wait for one call: without the loop if possible, with it otherwise.
#include <sys/eventfd.h>

#include <thread>

#include <gtest/gtest.h>

#include "helio/virt/client/connection.h"
#include "schema/remote_service.h"
#include "testing/virt/scripted_daemon.h"

namespace helio::virt::wait_test {
namespace {

using RemoteVersion = remote::REMOTE_PROTOCOL_VERSION;
using std::chrono::milliseconds;

class WaitTest : public ::testing::TestWithParam<bool> {
 protected:
    explicit WaitTest(milliseconds timeout = std::chrono::seconds(10))
        : connection_(loop_, peer_.client_end(), options(timeout)) {
        loop_.turn(milliseconds(0));
    }

    static ClientConnectionOptions options(milliseconds timeout) {
        ClientConnectionOptions out;
        out.call_timeout = timeout;
        out.busy_polls = GetParam();
        return out;
    }
    xdr::AsyncCall::Owner send() {
        auto out =
            connection_.begin(RemoteVersion::program, 1, RemoteVersion::CONNECT_GET_HOSTNAME);
        connection_.send_now(*out);
        return out;
    }
    // The client's last message, without a turn of its loop.
    frame::VirnetHeader heard() {
        Bytes got(4 + frame::VirnetHeader::kSize);
        EXPECT_EQ(::recv(peer_.fd(), got.data(), got.size(), MSG_WAITALL),
                  static_cast<ssize_t>(got.size()));
        return frame::read_virnet_header(got.data() + 4);
    }

    transport::EventLoop loop_;
    Peer peer_;
    ClientConnection connection_;
};
INSTANTIATE_TEST_SUITE_P(LookingOutAndNot, WaitTest, ::testing::Bool());

TEST_P(WaitTest, ManyCalls) {
    for (std::uint32_t i = 0; i < 100; ++i) {
        auto one = send();
        peer_.reply(heard(), words({i}));
        connection_.wait_for(*one);
        ASSERT_NE(one->results(), nullptr);
        EXPECT_EQ(xdr::load_u32(one->results()->rest().data()), i);
    }
}

TEST_P(WaitTest, ReplyInPiecesBehindAnEvent) {
    int events = 0;
    connection_.set_event_handler([&](const EventView&) { ++events; });
    auto one = send();
    frame::VirnetHeader header = heard();
    std::thread daemon{[&] {
        frame::VirnetHeader event = header;
        event.type = frame::VirnetType::message;
        peer_.send(event, words({1}));
        header.type = frame::VirnetType::reply;
        for (const std::byte byte : frame::make_virnet_message(header, words({7})))
            peer_.send_raw({&byte, 1});
    }};
    connection_.wait_for(*one);
    daemon.join();
    ASSERT_NE(one->results(), nullptr);
    EXPECT_EQ(xdr::load_u32(one->results()->rest().data()), 7u);
    EXPECT_EQ(events, 1);
}

TEST_P(WaitTest, DaemonThatCloses) {
    auto one = send();
    peer_.close();
    connection_.wait_for(*one);
    EXPECT_EQ(one->why().outcome, xdr::Outcome::unreachable);
    EXPECT_TRUE(connection_.is_lost());
    auto next = send();
    connection_.wait_for(*next);
    EXPECT_EQ(next->results(), nullptr);
}

TEST_P(WaitTest, WorkThatAnotherThreadPosts) {
    auto one = send();
    const frame::VirnetHeader header = heard();
    std::thread other{[&] { loop_.post([&] { peer_.reply(header); }); }};
    connection_.wait_for(*one);
    other.join();
    EXPECT_NE(one->results(), nullptr);
}

// The reply comes after another handler on the loop has run.
class Answerer final : public transport::EventLoop::Handler {
 public:
    Answerer(transport::EventLoop& loop, std::function<void()> answer)
        : loop_(loop), answer_(std::move(answer)), fd_(eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK)) {
        EXPECT_EQ(loop_.add(fd_.get(), transport::Interest::read, *this), 0);
    }
    ~Answerer() override { loop_.remove(fd_.get(), *this); }

 private:
    void on_ready(transport::Readiness) override {
        eventfd_t count = 0;
        if (eventfd_read(fd_.get(), &count) == 0) answer_();
    }
    transport::EventLoop& loop_;
    std::function<void()> answer_;
    Fd fd_;
};

TEST_P(WaitTest, OthersOnTheLoop) {
    auto one = send();
    const frame::VirnetHeader header = heard();
    const Answerer other{loop_, [&] { peer_.reply(header); }};
    connection_.wait_for(*one);
    EXPECT_NE(one->results(), nullptr);
}

class ShortWaitTest : public WaitTest {
 protected:
    ShortWaitTest() : WaitTest(milliseconds(5)) {}
};
class LongerWaitTest : public WaitTest {
 protected:
    LongerWaitTest() : WaitTest(kVirtAloneMax * 2) {}
};
INSTANTIATE_TEST_SUITE_P(LookingOutAndNot, ShortWaitTest, ::testing::Bool());
INSTANTIATE_TEST_SUITE_P(LookingOutAndNot, LongerWaitTest, ::testing::Bool());

TEST_P(ShortWaitTest, SilentDaemon) {
    auto one = send();
    connection_.wait_for(*one);
    EXPECT_EQ(one->why().outcome, xdr::Outcome::timed_out);
}

TEST_P(LongerWaitTest, SilentDaemon) {
    auto one = send();
    const auto begin = std::chrono::steady_clock::now();
    connection_.wait_for(*one);
    EXPECT_EQ(one->why().outcome, xdr::Outcome::timed_out);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, kVirtAloneMax * 2);
}

}  // namespace
}  // namespace helio::virt::wait_test
