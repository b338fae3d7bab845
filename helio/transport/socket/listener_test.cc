#include "helio/transport/socket/listener.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "testing/transport/faulty_network.h"

namespace helio::transport::listener_test {
namespace {

using namespace std::chrono_literals;
using Call = FaultyNetwork::Call;

class Folder final {
 public:
    Folder() : path_(mkdtemp(pattern_)) {}
    ~Folder() { std::filesystem::remove_all(path_); }
    Endpoint at(const char* name) const { return Endpoint::unix_path(path_ + "/" + name); }

 private:
    char pattern_[32] = "/tmp/helio-listener-XXXXXX";
    std::string path_;
};

class Host final : public Listener::Owner {
 public:
    void on_accepted(Fd socket, const Endpoint&) override {
        accepted.push_back(std::move(socket));
        if (when_accepted) when_accepted();
    }
    void on_refused() override { ++refused; }

    std::vector<Fd> accepted;
    int refused = 0;
    std::function<void()> when_accepted;
};

class ListenerTest : public ::testing::Test {
 protected:
    // Connected, or nothing.
    Fd client() const {
        Fd out{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        if (connect(out.get(), where_.address(), where_.size()) != 0) return {};
        return out;
    }
    static bool is_hung_up_on(const Fd& socket) {
        char ignored = 0;
        return ::recv(socket.get(), &ignored, 1, MSG_DONTWAIT) == 0;
    }

    Folder folder_;
    Endpoint where_ = folder_.at("socket");
    Host host_;
};

TEST_F(ListenerTest, AcceptsAllWaitingConnections) {
    EventLoop loop;
    const Listener listener{loop, host_, listening_socket(where_)};
    std::vector<Fd> clients;
    for (int i = 0; i < 5; ++i) clients.push_back(client());
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 5u);
}

// Existing connections get their turn between many new ones.
TEST_F(ListenerTest, AcceptsALimitedNumberPerTurn) {
    EventLoop loop;
    const Listener listener{loop, host_, listening_socket(where_)};
    std::vector<Fd> clients;
    for (int i = 0; i < 100; ++i) clients.push_back(client());
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 64u);
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 100u);
}

TEST_F(ListenerTest, LeavesConnectionsInTheQueueWhilePaused) {
    EventLoop loop;
    Listener listener{loop, host_, listening_socket(where_)};
    std::vector<Fd> clients;
    for (int i = 0; i < 5; ++i) clients.push_back(client());
    host_.when_accepted = [&] {
        if (host_.accepted.size() == 2) listener.pause();
    };
    loop.turn(0ms);
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 2u);
    listener.pause();  // twice is once
    listener.resume();
    listener.resume();
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 5u);
}

TEST_F(ListenerTest, HangsUpWithoutADescriptor) {
    FaultyNetwork network{fail_nth(Call::accept, 0, EMFILE)};
    EventLoop loop{network};
    const Listener listener{loop, host_, listening_socket(where_)};
    const Fd first = client(), second = client();
    loop.turn(0ms);
    EXPECT_EQ(host_.refused, 1);
    EXPECT_TRUE(is_hung_up_on(first));
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 1u);
    EXPECT_FALSE(is_hung_up_on(second));
}

// The spare does not help if memory is short: the loop must not spin.
TEST_F(ListenerTest, PausesWithoutMemory) {
    bool is_short = true;
    FaultyNetwork network{[&](Call) {
        return FaultyNetwork::Fate{is_short ? ENOBUFS : 0, SIZE_MAX};
    }};
    FakeClock clock;
    EventLoop loop{network};
    const Listener listener{loop, host_, listening_socket(where_)};
    const Fd waiting = client();
    loop.turn(0ms);
    EXPECT_EQ(host_.refused, 1);
    const std::size_t calls = network.calls();
    loop.turn(0ms);
    EXPECT_EQ(network.calls(), calls);
    is_short = false;
    ASSERT_TRUE(loop.next_timer());
    clock.advance_to(*loop.next_timer());
    loop.turn(0ms);
    loop.turn(0ms);
    EXPECT_EQ(host_.accepted.size(), 1u);
}

TEST_F(ListenerTest, SkipsConnectionsThatWereAborted) {
    for (const int error_number : {EINTR, ECONNABORTED}) {
        FaultyNetwork network{fail_nth(Call::accept, 0, error_number)};
        EventLoop loop{network};
        const Listener listener{loop, host_, listening_socket(where_)};
        const Fd waiting = client();
        loop.turn(0ms);
        EXPECT_EQ(host_.accepted.size(), 1u);
        host_.accepted.clear();
    }
}

TEST_F(ListenerTest, APathThatIsLeftOverIsReplacedAndOneThatLivesIsNot) {
    { const Fd gone = listening_socket(where_); }
    const Fd alive = listening_socket(where_);
    ASSERT_TRUE(alive);
    EXPECT_TRUE(client());
    EXPECT_FALSE(listening_socket(where_));
    EXPECT_EQ(errno, EADDRINUSE);
}

TEST_F(ListenerTest, APathHasTheRightsItIsGiven) {
    const Fd socket = listening_socket(where_, {.mode = 0640});
    ASSERT_TRUE(socket);
    struct stat status {};
    ASSERT_EQ(stat(where_.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640u);
}

}  // namespace
}  // namespace helio::transport::listener_test
