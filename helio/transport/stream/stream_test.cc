// The life of a Stream: connecting, the ways it ends, and owners that act in its callbacks.
#include "helio/transport/stream/stream.h"

#include <fcntl.h>
#include <netinet/in.h>

#include <optional>

#include "testing/transport/stream.h"

namespace helio::transport::stream_test {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using Call = FaultyNetwork::Call;

// A local TCP port, with or without a listener.
class Port final {
 public:
    explicit Port(bool listens, int backlog = 16) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const auto* const where = reinterpret_cast<const sockaddr*>(&address);
        EXPECT_EQ(bind(fd_.get(), where, sizeof address), 0);
        const bool is_ready = !listens || listen(fd_.get(), backlog) == 0;
        EXPECT_TRUE(is_ready);
    }
    Endpoint where() const { return local_endpoint(fd_.get()); }
    Fd accept() const { return Fd{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)}; }

 private:
    Fd fd_{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

// A unix socket whose queue of one connection is full until accept().
class FullQueue final {
 public:
    FullQueue() {
        unlink(path_.c_str());
        EXPECT_EQ(bind(fd_.get(), where().address(), where().size()), 0);
        EXPECT_EQ(listen(fd_.get(), 0), 0);
        EXPECT_EQ(::connect(first_.get(), where().address(), where().size()), 0);
    }
    ~FullQueue() { unlink(path_.c_str()); }
    Endpoint where() const { return Endpoint::unix_path(path_); }
    Fd accept() const { return Fd{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)}; }

 private:
    std::string path_ = ::testing::TempDir() + "stream_test." + std::to_string(getpid());
    Fd fd_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    Fd first_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

class StreamConnect : public ::testing::Test {
 protected:
    void turn_until_settled() {
        for (int i = 0; i < 1000 && owner_.events.empty(); ++i) loop_.turn(5ms);
    }
    // The result of connecting to these.
    std::string connect(std::vector<Endpoint> where, ConnectOptions options = {}) {
        owner_.stream.connect(where, options);
        turn_until_settled();
        return owner_.events;
    }

    EventLoop loop_;
    NotingOwner owner_{loop_, {}};
    Port open_{true}, closed_{false};
};

TEST_F(StreamConnect, ToTheFirstThatAnswers) {
    EXPECT_EQ(connect({closed_.where(), Endpoint::unix_path("/nowhere"), open_.where()}),
              "connected");
    EXPECT_EQ(owner_.stream.address(), 2u);
    EXPECT_TRUE(owner_.stream.is_open());
    const Fd far = open_.accept();
    ASSERT_TRUE(far);
    EXPECT_EQ(::send(far.get(), message(3, 1).data(), 7, 0), 7);
    while (owner_.messages == 0) loop_.turn(-1ms);
    EXPECT_EQ(owner_.heard, message(3, 1));
}

TEST_F(StreamConnect, TellsOfTheLastThatDidNotAnswer) {
    EXPECT_EQ(connect({closed_.where(), Endpoint::unix_path("/nowhere")}), "lost ENOENT");
    EXPECT_TRUE(owner_.stream.is_idle());
    owner_.events.clear();
    EXPECT_EQ(connect({Endpoint::unix_path("/nowhere"), closed_.where()}), "lost ECONNREFUSED");
    owner_.events.clear();
    EXPECT_EQ(connect({}), "lost ECONNREFUSED");
}

TEST_F(StreamConnect, WhatIsQueuedBeforeGoesOutAfterwards) {
    Entry entry{{message(3, 1)}};
    owner_.stream.send(entry);
    owner_.when = [&](const std::string&) { EXPECT_TRUE(owner_.stream.flush()); };
    EXPECT_FALSE(owner_.stream.flush());
    EXPECT_EQ(connect({open_.where()}), "connected");
    EXPECT_EQ(entry.sent, 1);
}

TEST_F(StreamConnect, TriesAgainFromWithinTheLoss) {
    const std::vector<Endpoint> closed{closed_.where()}, open{open_.where()};
    int losses = 0;
    owner_.when = [&](const std::string& event) {
        if (event.starts_with("lost")) owner_.stream.connect(++losses < 3 ? closed : open);
    };
    owner_.stream.connect(closed);
    for (int i = 0; i < 1000 && !owner_.stream.is_open(); ++i) loop_.turn(5ms);
    EXPECT_EQ(losses, 3);
    EXPECT_TRUE(owner_.stream.is_open());
    EXPECT_EQ(owner_.stream.life(), 3u);
}

TEST_F(StreamConnect, AFullQueueIsAskedAgainWhileThereIsTime) {
    FakeClock clock;
    const FullQueue full;
    const std::vector<Endpoint> where{full.where()};
    owner_.stream.connect(where, {.timeout = 1s});
    clock.advance_to(*loop_.next_timer());
    loop_.turn(0ms);
    EXPECT_EQ(owner_.events, "");
    ASSERT_TRUE(full.accept());
    clock.advance_to(*loop_.next_timer());
    loop_.turn(0ms);
    EXPECT_EQ(owner_.events, "connected");
    EXPECT_EQ(loop_.next_timer(), std::nullopt);
}

TEST_F(StreamConnect, AFullQueueThatStaysFull) {
    FakeClock clock;
    const FullQueue full;
    EXPECT_EQ(connect({full.where()}), "lost EAGAIN");  // without a timeout it is not retried
    owner_.events.clear();
    const auto begin = Clock::now();
    const std::vector<Endpoint> where{full.where(), full.where()};
    owner_.stream.connect(where, {.timeout = 1s});
    while (owner_.events.empty()) {
        clock.advance_to(*loop_.next_timer());
        loop_.turn(0ms);
    }
    EXPECT_EQ(owner_.events, "lost EAGAIN");
    EXPECT_GE(Clock::now() - begin, 2s);
    EXPECT_LT(Clock::now() - begin, 2100ms);
}

// No answer at all: the kernel drops what would overflow the listener's queue.
TEST_F(StreamConnect, GivesUpOnAnAddressInTime) {
    const Port silent{true, 0};
    std::vector<Fd> others;
    for (int i = 0; i < 4; ++i) {
        others.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const Endpoint where = silent.where();
        (void)::connect(others.back().get(), where.address(), where.size());
    }
    FakeClock clock;
    const std::vector<Endpoint> where{silent.where(), open_.where()};
    owner_.stream.connect(where, {.timeout = 3s});
    for (int i = 0; i < 10; ++i) loop_.turn(1ms);
    ASSERT_EQ(owner_.events, "");
    EXPECT_EQ(loop_.next_timer(), Clock::now() + 3s);
    clock.advance(3s);
    loop_.turn(0ms);
    turn_until_settled();
    EXPECT_EQ(owner_.events, "connected");
    EXPECT_EQ(owner_.stream.address(), 1u);
    owner_.stream.close();
    owner_.events.clear();
    owner_.stream.connect(std::span{where}.first(1), {.timeout = 3s});
    clock.advance(3s);
    loop_.turn(0ms);
    EXPECT_EQ(owner_.events, "lost ETIMEDOUT");
}

TEST_F(StreamConnect, ClosedWhileItConnectsItIsSilent) {
    const std::vector<Endpoint> where{open_.where()};
    owner_.stream.connect(where, {.timeout = 1s});
    owner_.stream.close();
    EXPECT_EQ(loop_.next_timer(), std::nullopt);
    loop_.turn(0ms);
    EXPECT_EQ(owner_.events, "");
}

TEST(StreamConnectFaults, AnyErrorLeadsToTheNextAddress) {
    for (const int error_number : {EMFILE, ENETUNREACH, ECONNREFUSED, EACCES, EINTR, ENOBUFS}) {
        FaultyNetwork network{fail_nth(Call::connect, 0, error_number)};
        EventLoop loop{network};
        NotingOwner owner{loop, {}};
        const Port open{true};
        const std::vector<Endpoint> where{open.where(), open.where()};
        owner.stream.connect(where);
        for (int i = 0; i < 1000 && owner.events.empty(); ++i) loop.turn(5ms);
        EXPECT_EQ(owner.events, "connected");
        EXPECT_EQ(owner.stream.address(), 1u);
    }
}

// ---- The end ----

class StreamEnd : public ::testing::Test {
 protected:
    explicit StreamEnd(bool reads_to_the_end = true) {
        StreamOptions options;
        options.reads_to_the_end = reads_to_the_end;
        owner_.emplace(loop_, options);
        auto [here, there] = socket_pair();
        EXPECT_EQ(owner_->stream.open(std::move(here)), 0);
        far_.emplace(std::move(there));
    }
    void turns() {
        for (int i = 0; i < 5; ++i) loop_.turn(0ms);
    }
    Stream& stream() { return owner_->stream; }

    EventLoop loop_;
    std::optional<NotingOwner> owner_;
    std::optional<FarEnd> far_;
};

TEST_F(StreamEnd, APeerThatCloses) {
    far_->send(message(3, 1));
    far_->close();
    turns();
    EXPECT_EQ(owner_->heard, message(3, 1));
    EXPECT_EQ(owner_->events, "end, lost");
    EXPECT_TRUE(stream().is_idle());
}

// An owner that could not use all of it yet can still take it.
TEST_F(StreamEnd, BytesStayUntilTheLossHasBeenHandled) {
    Bytes rest;
    owner_->when = [&](const std::string& event) {
        if (event == "lost") rest.assign(stream().bytes().begin(), stream().bytes().end());
    };
    Bytes half = message(3, 1);
    half.resize(5);
    far_->send(half);
    far_->close();
    turns();
    EXPECT_EQ(owner_->events, "end, lost");
    EXPECT_EQ(rest, half);
    EXPECT_TRUE(stream().bytes().empty());
}

// The peer has sent everything, and still waits for replies.
TEST_F(StreamEnd, APeerThatOnlySendsNoMore) {
    owner_->stays_open = true;
    far_->send(message(3, 1));
    ASSERT_EQ(shutdown(far_->fd(), SHUT_WR), 0);
    turns();
    EXPECT_EQ(owner_->events, "end");
    stream().write(message(4, 2));
    EXPECT_TRUE(stream().flush());
    far_->receive();
    EXPECT_EQ(far_->heard, message(4, 2));
    far_->close();
    turns();
    EXPECT_EQ(owner_->events, "end, lost");
}

TEST_F(StreamEnd, APeerThatIsGoneWhileNobodyReads) {
    stream().set_interest(Interest::none);
    far_->send(message(3, 1));
    far_->close();
    turns();
    EXPECT_EQ(owner_->heard, message(3, 1));
    EXPECT_EQ(owner_->events, "end, lost");
}

class StreamEndAtOnce : public StreamEnd {
 protected:
    StreamEndAtOnce() : StreamEnd(false) {}
};

TEST_F(StreamEndAtOnce, APeerThatIsGoneWhileNobodyReads) {
    stream().set_interest(Interest::none);
    far_->send(message(3, 1));
    far_->close();
    turns();
    EXPECT_EQ(owner_->heard, Bytes{});
    EXPECT_EQ(owner_->events, "lost");
}

TEST_F(StreamEndAtOnce, APeerThatIsGoneWhileWeReadIsHeard) {
    far_->send(message(3, 1));
    far_->close();
    turns();
    EXPECT_EQ(owner_->heard, message(3, 1));
    EXPECT_EQ(owner_->events, "end, lost");
}

TEST_F(StreamEnd, CloseLetsGoOfWhatWasNotSent) {
    Entry first{{body(8u << 20, 1)}}, second{{body(3, 2)}};
    stream().write(body(5, 3));
    stream().send(first);
    stream().send(second);
    EXPECT_FALSE(stream().flush());
    stream().close();
    EXPECT_FALSE(first.is_queued() || second.is_queued());
    EXPECT_TRUE(first.has_begun());
    EXPECT_FALSE(second.has_begun());
    turns();
    EXPECT_EQ(owner_->events, "");
    EXPECT_EQ(stream().unsent(), 0u);
}

TEST_F(StreamEnd, SendingIsShutDown) {
    stream().write(message(4, 2));
    EXPECT_TRUE(stream().flush());
    stream().shut_down_sending();
    far_->receive();
    EXPECT_EQ(far_->heard, message(4, 2));
    EXPECT_TRUE(far_->is_at_end);
    far_->send(message(3, 1));
    turns();
    EXPECT_EQ(owner_->messages, 1);
}

TEST_F(StreamEnd, TheSocketGoesElsewhere) {
    const Fd socket = stream().release();
    ASSERT_TRUE(socket);
    EXPECT_TRUE(stream().is_idle());
    EXPECT_EQ(::send(socket.get(), "x", 1, 0), 1);
    far_->receive();
    EXPECT_EQ(far_->heard.size(), 1u);
    turns();
    EXPECT_EQ(owner_->events, "");
}

TEST_F(StreamEnd, ADescriptorThatCannotBeWatched) {
    stream().close();
    EXPECT_EQ(stream().open(Fd{::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)}), EPERM);
    EXPECT_TRUE(stream().is_idle());
}

// Bytes after the agreement to encrypt are encrypted.
TEST_F(StreamEnd, ALayerTakesWhatWasReceivedBeforeIt) {
    const Bytes plain = message(30, 1), wire = encoded(plain);
    owner_->when_received = [&] {
        owner_->when_received = {};
        ASSERT_TRUE(stream().set_layer(std::make_unique<BlockLayer>()));
        owner_->look();
    };
    far_->send(ByteView{wire}.first(3));  // too short for a length: not mistaken for a message
    turns();
    EXPECT_TRUE(stream().has_layer());
    far_->send(ByteView{wire}.subspan(3));
    turns();
    EXPECT_EQ(owner_->heard, plain);
}

// ---- In callbacks ----

TEST_F(StreamEnd, ClosedInAnyCallback) {
    for (const std::string which : {"received", "end", "writable", "lost"}) {
        auto [here, there] = socket_pair();
        NotingOwner owner{loop_, {}};
        ASSERT_EQ(owner.stream.open(std::move(here)), 0);
        FarEnd far{std::move(there)};
        bool closed = false;
        const auto close = [&] {
            closed = true;
            owner.stream.close();
        };
        owner.when = [&](const std::string& event) {
            if (event == which) close();
        };
        owner.when_received = [&] {
            if (which == "received") close();
        };
        owner.stream.set_interest(Interest::read_write);
        far.send(message(3, 1) + message(3, 2));
        if (which != "writable") far.close();
        turns();
        EXPECT_TRUE(closed) << which;
        EXPECT_TRUE(owner.stream.is_idle()) << which;
        EXPECT_TRUE(owner.events.ends_with(which) || which == "received") << owner.events;
    }
    const Port open{true};
    NotingOwner owner{loop_, {}};
    owner.when = [&](const std::string&) { owner.stream.close(); };
    const std::vector<Endpoint> where{open.where()};
    owner.stream.connect(where);
    for (int i = 0; i < 1000 && owner.events.empty(); ++i) loop_.turn(5ms);
    EXPECT_EQ(owner.events, "connected");
    EXPECT_TRUE(owner.stream.is_idle());
}

// Another socket replaces the first from within a receive: the rest of that is dropped.
TEST_F(StreamEnd, ReplacedInACallback) {
    auto [here, there] = socket_pair();
    FarEnd second{std::move(there)};
    owner_->when_received = [&, next = std::make_shared<Fd>(std::move(here))] {
        if (!*next) return;
        stream().close();
        EXPECT_EQ(stream().open(std::move(*next)), 0);
    };
    far_->send(message(3, 1) + Bytes(2));
    second.send(message(5, 2));
    turns();
    EXPECT_EQ(owner_->heard, message(3, 1) + message(5, 2));
    far_->receive();
    EXPECT_TRUE(far_->is_at_end);
}

using StreamDeath = StreamEnd;

TEST_F(StreamDeath, MustNotBeDestroyedInItsCallbacks) {
    owner_->when_received = [&] { owner_.reset(); };
    far_->send(message(3, 1));
    EXPECT_DEATH(turns(), "busy_");
}

TEST_F(StreamDeath, AnEntryMustNotCloseIt) {
    Entry entry{{body(3, 1)}};
    entry.when_sent = [&] { stream().close(); };
    stream().send(entry);
    EXPECT_DEATH((void)stream().flush(), "advancing_");
    entry.when_sent = {};
    stream().close();
}

TEST_F(StreamDeath, AnEntryIsQueuedOnce) {
    Entry entry{{body(3, 1)}};
    stream().send(entry);
    EXPECT_DEATH(stream().send(entry), "is_queued");
    stream().close();
}

}  // namespace
}  // namespace helio::transport::stream_test
