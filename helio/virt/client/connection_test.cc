#include "helio/virt/client/connection.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "helio/transport/socket/descriptors.h"
#include "schema/remote_service.h"
#include "testing/virt/scripted_daemon.h"

namespace helio::virt::connection_test {
namespace {

using RemoteVersion = remote::REMOTE_PROTOCOL_VERSION;
using std::chrono::milliseconds;

class ConnectionTest : public ::testing::Test {
 protected:
    explicit ConnectionTest(ClientConnectionOptions options = {})
        : connection_(loop_, peer_.client_end(), std::move(options)) {}

    // Sends a call without arguments.
    xdr::AsyncCall::Owner call(std::uint32_t procedure = RemoteVersion::CONNECT_GET_HOSTNAME) {
        auto out = connection_.begin(RemoteVersion::program, 1, procedure);
        out->send();
        return out;
    }
    bool ends(const xdr::AsyncCall& one) {
        return turn_until(loop_, [&] { return one.finished(); });
    }

    transport::EventLoop loop_;
    Peer peer_;
    ClientConnection connection_;
};

// The words of a call, written out by hand from virnet.x.
TEST_F(ConnectionTest, CallIsLengthHeaderArguments) {
    auto one = connection_.begin(0x20008086, 1, 60);
    ASSERT_TRUE(one->arguments().append(words({10})));
    one->send();
    loop_.turn(milliseconds(0));
    const Bytes expected = words({32, 0x20008086, 1, 60, 0, 1, 0, 10});
    Bytes got(64);
    const ssize_t size = ::recv(peer_.fd(), got.data(), got.size(), MSG_DONTWAIT);
    ASSERT_EQ(size, 32);
    got.resize(32);
    EXPECT_EQ(got, expected);
}

TEST_F(ConnectionTest, RepliesInAnyOrder) {
    auto first = call(), second = call();
    const auto one = peer_.next(loop_).header, two = peer_.next(loop_).header;
    EXPECT_NE(one.serial, two.serial);
    peer_.reply(two, words({2}));
    ASSERT_TRUE(ends(*second));
    EXPECT_FALSE(first->finished());
    peer_.reply(one, words({1}));
    ASSERT_TRUE(ends(*first));
    EXPECT_EQ(xdr::load_u32(first->results()->rest().data()), 1u);
    EXPECT_EQ(xdr::load_u32(second->results()->rest().data()), 2u);
}

TEST_F(ConnectionTest, ReplyByteByByte) {
    auto one = call();
    auto header = peer_.next(loop_).header;
    header.type = frame::VirnetType::reply;
    const Bytes reply = frame::make_virnet_message(header, words({7, 8}));
    for (std::size_t i = 0; i < reply.size(); ++i) {
        EXPECT_FALSE(one->finished()) << "after " << i << " bytes";
        peer_.send_raw(ByteView{reply}.subspan(i, 1));
        loop_.turn(milliseconds(0));
    }
    ASSERT_TRUE(one->finished());
    EXPECT_EQ(one->results()->rest().size(), 8u);
}

TEST_F(ConnectionTest, RefusalHasTheDaemonsWords) {
    auto one = call();
    peer_.refuse(peer_.next(loop_).header, virt_error(VIR_ERR_NO_DOMAIN, VIR_FROM_TEST, "no 'x'"));
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->results(), nullptr);
    const Failure failure = connection_.failure(one->why());
    EXPECT_TRUE(failure.is(VIR_ERR_NO_DOMAIN));
    EXPECT_FALSE(failure.is_unsupported());
    EXPECT_EQ(to_text(failure), "Domain not found: no 'x'");
}

TEST_F(ConnectionTest, UnknownProcedureIsUnsupported) {
    auto one = call();
    peer_.refuse(peer_.next(loop_).header,
                 virt_error(VIR_ERR_RPC, VIR_FROM_RPC, "unknown procedure: 59"));
    ASSERT_TRUE(ends(*one));
    EXPECT_TRUE(connection_.failure(one->why()).is_unsupported());
}

TEST_F(ConnectionTest, RefusalThatIsNoneIsGarbage) {
    auto one = call();
    auto header = peer_.next(loop_).header;
    header.status = frame::VirnetStatus::error;
    peer_.reply(header, words({1}));
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().outcome, xdr::Outcome::garbage_reply);
    EXPECT_FALSE(connection_.is_lost());
}

// libvirtd stops reading at five.
TEST_F(ConnectionTest, FourAreSentAndOthersWait) {
    std::vector<xdr::AsyncCall::Owner> calls;
    for (int i = 0; i < 7; ++i) calls.push_back(call());
    EXPECT_EQ(peer_.waiting(loop_), 4u);
    calls[5] = {};  // a call not yet sent is never sent
    const auto first = peer_.next(loop_).header;
    peer_.reply(first);
    ASSERT_TRUE(ends(*calls[0]));
    EXPECT_EQ(peer_.waiting(loop_), 4u);  // three of them, and the fifth
    for (int i = 0; i < 4; ++i) peer_.reply(peer_.next(loop_).header);
    ASSERT_TRUE(ends(*calls[4]));
    const auto last = peer_.next(loop_).header;
    EXPECT_EQ(last.serial, first.serial + 6);
    peer_.reply(last);
    ASSERT_TRUE(ends(*calls[6]));
    EXPECT_EQ(connection_.calls_under_way(), 0u);
}

TEST_F(ConnectionTest, LateReplyIsIgnored) {
    connection_.set_call_timeout(milliseconds(5));
    auto one = call();
    const auto header = peer_.next(loop_).header;
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().outcome, xdr::Outcome::timed_out);
    peer_.reply(header, words({1}));
    ASSERT_TRUE(turn_until(loop_, [&] { return connection_.counters().ignored == 1; }));
    connection_.set_call_timeout(milliseconds(2'000));
    auto next = call();
    peer_.reply(peer_.next(loop_).header);
    ASSERT_TRUE(ends(*next));
    EXPECT_NE(next->results(), nullptr);
}

TEST_F(ConnectionTest, ReplyToACancelledCallIsIgnored) {
    auto one = call();
    const auto header = peer_.next(loop_).header;
    one = {};
    EXPECT_EQ(connection_.calls_under_way(), 0u);
    peer_.reply(header);
    EXPECT_TRUE(turn_until(loop_, [&] { return connection_.counters().ignored == 1; }));
}

TEST_F(ConnectionTest, PingIsAnsweredBeforeAnythingElse) {
    frame::VirnetHeader ping;
    ping.program = frame::kKeepaliveProgram;
    ping.procedure = frame::kKeepalivePing;
    ping.type = frame::VirnetType::message;
    peer_.send(ping);
    const auto pong = peer_.next(loop_).header;
    EXPECT_EQ(pong.program, frame::kKeepaliveProgram);
    EXPECT_EQ(pong.procedure, frame::kKeepalivePong);
    EXPECT_EQ(pong.type, frame::VirnetType::message);
    EXPECT_EQ(pong.serial, 0u);
}

// An event handler calls the daemon, which deadlocks in other libraries.
TEST_F(ConnectionTest, EventHandlerMayCall) {
    xdr::AsyncCall::Owner answer;
    Bytes seen;
    connection_.set_event_handler([&](const EventView& event) {
        EXPECT_EQ(event.procedure, 318u);
        seen.assign(event.payload.begin(), event.payload.end());
        answer = call();
    });
    frame::VirnetHeader event;
    event.program = RemoteVersion::program;
    event.procedure = 318;
    event.type = frame::VirnetType::message;
    event.serial = 1;
    peer_.send(event, words({4, 5}));
    peer_.reply(peer_.next(loop_).header);
    ASSERT_TRUE(answer);
    ASSERT_TRUE(ends(*answer));
    EXPECT_EQ(seen, words({4, 5}));
}

TEST_F(ConnectionTest, EndOfTheConnectionEndsCalls) {
    int told = -1;
    connection_.set_loss_handler([&](int error_number) { told = error_number; });
    auto one = call();
    peer_.next(loop_);
    peer_.close();
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().outcome, xdr::Outcome::unreachable);
    EXPECT_EQ(told, 0);
    EXPECT_TRUE(connection_.is_lost());
    auto next = call();
    EXPECT_TRUE(next->finished());
    EXPECT_EQ(next->why().outcome, xdr::Outcome::unreachable);
}

class BadDaemon : public ConnectionTest, public ::testing::WithParamInterface<Bytes> {};

TEST_P(BadDaemon, IsLeft) {
    auto one = call();
    peer_.next(loop_);
    peer_.send_raw(GetParam());
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().error_number, EBADMSG);
}

INSTANTIATE_TEST_SUITE_P(
    Words, BadDaemon,
    ::testing::Values(words({27}), words({0}), words({33554437}), words({0xffffffff}),
                      words({28, 0x20008086, 1, 59, 0, 1, 0}),     // a daemon must not call
                      words({28, 0x20008086, 1, 59, 7, 1, 0}),     // no such type
                      words({28, 0x20008086, 1, 59, 5, 1, 0}),     // descriptors without a count
                      words({32, 0x20008086, 1, 59, 5, 1, 0, 33})  // too many of them
                      ));

TEST_F(ConnectionTest, DescriptorsThatDoNotComeLoseTheConnection) {
    auto one = call();
    auto header = peer_.next(loop_).header;
    header.type = frame::VirnetType::reply_with_fds;
    peer_.send(header, words({1}));
    EXPECT_FALSE(
        turn_until(loop_, [&, turns = 0]() mutable { return one->finished() || ++turns == 3; }) &&
        one->finished());
    peer_.send_raw(Bytes(1));  // its byte without a descriptor
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().error_number, EBADMSG);
}

TEST_F(ConnectionTest, DescriptorsOfAReply) {
    auto first = call(), second = call();
    auto with = peer_.next(loop_).header;
    const auto without = peer_.next(loop_).header;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const Fd read_end{pipe_ends[0]}, write_end{pipe_ends[1]};
    with.type = frame::VirnetType::reply_with_fds;
    peer_.send(with, words({2, 99}));
    ASSERT_EQ(transport::send_descriptor(loop_.network(), peer_.fd(), read_end.get()), 1);
    ASSERT_EQ(transport::send_descriptor(loop_.network(), peer_.fd(), write_end.get()), 1);
    peer_.reply(without, words({1}));
    ASSERT_TRUE(ends(*second));
    ASSERT_TRUE(first->finished());
    EXPECT_EQ(xdr::load_u32(first->results()->rest().data()), 99u);
    const auto came = ClientConnection::take_descriptors(*first);
    ASSERT_EQ(came.size(), 2u);
    struct stat ours, theirs;
    ASSERT_EQ(fstat(read_end.get(), &ours), 0);
    ASSERT_EQ(fstat(came[0].get(), &theirs), 0);
    EXPECT_EQ(ours.st_ino, theirs.st_ino);
}

TEST_F(ConnectionTest, DescriptorsOfACall) {
    std::vector<Fd> descriptors;
    descriptors.emplace_back(dup(0));
    descriptors.emplace_back(dup(0));
    auto one = connection_.begin(RemoteVersion::program, 1, 385, std::move(descriptors));
    ASSERT_TRUE(one->arguments().append(words({5})));
    one->send();
    auto after = call();
    loop_.turn(milliseconds(0));
    Bytes head(36);
    ASSERT_EQ(::recv(peer_.fd(), head.data(), head.size(), 0), 36);
    EXPECT_EQ(head, words({36, 0x20008086, 1, 385, 4, 1, 0, 2, 5}));
    for (std::size_t i = 0; i < 2; ++i) {
        std::byte byte{1};
        std::vector<Fd> came;
        ASSERT_EQ(
            transport::receive_with_descriptors(loop_.network(), peer_.fd(), {&byte, 1}, 0, came),
            1);
        EXPECT_EQ(byte, std::byte{0});
        EXPECT_EQ(came.size(), 1u);
    }
    EXPECT_EQ(peer_.next(loop_).header.procedure,
              static_cast<std::uint32_t>(RemoteVersion::CONNECT_GET_HOSTNAME));
}

TEST_F(ConnectionTest, LongReplyInPieces) {
    auto one = call();
    auto header = peer_.next(loop_).header;
    header.type = frame::VirnetType::reply;
    Bytes payload(3u << 20, std::byte{7});
    const Bytes message = frame::make_virnet_message(header, payload);
    for (std::size_t at = 0; at < message.size();) {
        const ssize_t wrote = ::send(peer_.fd(), message.data() + at, message.size() - at, 0);
        if (wrote > 0) at += static_cast<std::size_t>(wrote);
        loop_.turn(milliseconds(0));
    }
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->results()->rest().size(), payload.size());
}

class KeepaliveTest : public ConnectionTest {
 protected:
    KeepaliveTest() : ConnectionTest(options()) {}
    static ClientConnectionOptions options() {
        ClientConnectionOptions out;
        out.keepalive_interval = milliseconds(5);
        out.keepalive_count = 2;
        return out;
    }
};

TEST_F(KeepaliveTest, SilentDaemonIsGivenUp) {
    auto one = call();
    peer_.next(loop_);
    connection_.start_keepalive();
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().error_number, ETIMEDOUT);
    EXPECT_EQ(connection_.counters().pings, 2u);
}

TEST_F(KeepaliveTest, AnyWordOfTheDaemonIsAnAnswer) {
    connection_.start_keepalive();
    for (int i = 0; i < 6; ++i) {
        auto ping = peer_.next(loop_).header;
        ASSERT_EQ(ping.procedure, frame::kKeepalivePing);
        ping.procedure = frame::kKeepalivePong;
        peer_.send(ping);
    }
    EXPECT_FALSE(connection_.is_lost());
}

TEST(ClientConnection, NobodyThere) {
    transport::EventLoop loop;
    ClientConnection connection{loop, {transport::Endpoint::unix_path("/nowhere/at/all")}};
    auto one = connection.begin(RemoteVersion::program, 1, 59);
    one->send();
    ASSERT_TRUE(turn_until(loop, [&] { return one->finished(); }));
    EXPECT_EQ(one->why().error_number, ENOENT);
}

// Inverts every byte and buffers blocks of 48 bytes, as a cipher would.
class BlockLayer final : public transport::Layer {
 public:
    bool encode(ByteView plain, Bytes& out) override {
        for (const std::byte one : plain) out.push_back(one ^ std::byte{0x5a});
        return true;
    }
    bool decode(ByteView wire, Bytes& out) override {
        held_.insert(held_.end(), wire.begin(), wire.end());
        const std::size_t whole = held_.size() / 48 * 48;
        encode(ByteView{held_}.first(whole), out);
        held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(whole));
        return wire.empty() || wire.front() != std::byte{0xff};
    }

 private:
    Bytes held_;
};

TEST_F(ConnectionTest, BytesThroughALayer) {
    connection_.set_layer(std::make_unique<BlockLayer>());
    auto one = call();
    loop_.turn(milliseconds(0));
    Bytes wire(28), plain;
    ASSERT_EQ(::recv(peer_.fd(), wire.data(), wire.size(), 0), 28);
    BlockLayer daemon;
    ASSERT_TRUE(daemon.encode(wire, plain));
    auto header = frame::read_virnet_header(plain.data() + 4);
    EXPECT_EQ(header.procedure, static_cast<std::uint32_t>(RemoteVersion::CONNECT_GET_HOSTNAME));
    header.type = frame::VirnetType::reply;
    // 28 bytes and so many more are whole blocks, many times what is received at once.
    const Bytes reply = frame::make_virnet_message(header, Bytes(48 * 3000 - 28, std::byte{1}));
    Bytes encoded;
    ASSERT_TRUE(daemon.encode(reply, encoded));
    for (std::size_t at = 0; at < encoded.size(); at += 1000) {
        peer_.send_raw(
            ByteView{encoded}.subspan(at, std::min<std::size_t>(1000, encoded.size() - at)));
        loop_.turn(milliseconds(0));
    }
    ASSERT_TRUE(ends(*one));
    ASSERT_NE(one->results(), nullptr);
    EXPECT_EQ(one->results()->rest().size(), 48u * 3000 - 28);
}

TEST_F(ConnectionTest, DescriptorsDoNotGoThroughALayer) {
    connection_.set_layer(std::make_unique<BlockLayer>());
    std::vector<Fd> descriptors;
    descriptors.emplace_back(dup(0));
    auto one = connection_.begin(RemoteVersion::program, 1, 385, std::move(descriptors));
    one->send();
    ASSERT_TRUE(one->finished());
    EXPECT_EQ(one->why().error_number, EOPNOTSUPP);
}

TEST_F(ConnectionTest, LayerThatDoesNotFitLosesTheConnection) {
    connection_.set_layer(std::make_unique<BlockLayer>());
    auto one = call();
    peer_.send_raw(Bytes(1, std::byte{0xff}));
    ASSERT_TRUE(ends(*one));
    EXPECT_EQ(one->why().error_number, EBADMSG);
}

// The generated client as a coroutine that is destroyed while it waits.
Task<int> max_vcpus(ClientConnection& connection) {
    RemoteVersion::AsyncClient remote{connection};
    remote::remote_connect_get_max_vcpus_args args;
    const auto answer = co_await remote.CONNECT_GET_MAX_VCPUS(args);
    co_return answer ? (*answer)->max_vcpus : -1;
}

TEST_F(ConnectionTest, CoroutineThatIsLetGo) {
    Task<int> task = max_vcpus(connection_);
    task.start([](void*) {}, nullptr);
    const auto header = peer_.next(loop_).header;
    task = {};
    peer_.reply(header, words({16}));
    EXPECT_TRUE(turn_until(loop_, [&] { return connection_.counters().ignored == 1; }));

    Task<int> again = max_vcpus(connection_);
    again.start([](void*) {}, nullptr);
    peer_.reply(peer_.next(loop_).header, words({16}));
    ASSERT_TRUE(turn_until(loop_, [&] { return again.finished(); }));
    EXPECT_EQ(again.take(), 16);
}

}  // namespace
}  // namespace helio::virt::connection_test
