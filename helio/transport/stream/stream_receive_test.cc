// Receiving with a Stream, split and interrupted everywhere.
#include <fcntl.h>

#include "testing/transport/stream.h"

namespace helio::transport::stream_receive_test {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using Call = FaultyNetwork::Call;

Bytes some_messages() {
    Bytes out;
    unsigned seed = 0;
    for (const std::size_t size : {0u, 1u, 60u, 3u, 200u, 0u, 37u})
        out = out + message(size, ++seed);
    return out;
}

TEST(StreamReceive, EveryCutOfTheBytes) {
    const Bytes plain = some_messages();
    for (const Kind& kind : kKinds) {
        const Bytes bytes = wire(kind, plain);
        for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
            Line line{kind};
            line.far->send(ByteView{bytes}.first(cut));
            line.settle();
            line.far->send(ByteView{bytes}.subspan(cut));
            line.settle();
            ASSERT_EQ(line.near->heard, plain) << kind.name << " cut at " << cut;
            ASSERT_EQ(line.near->messages, 7);
            ASSERT_EQ(line.budget.used(), 0u);
            ASSERT_EQ(line.near->events, "");
        }
    }
}

TEST(StreamReceive, AnyNumberOfBytesAtATime) {
    const Bytes plain = some_messages() + message(9000, 99);
    for (const Kind& kind : kKinds) {
        for (const std::size_t bytes : {1u, 2u, 3u, 7u, 64u, 65u, 1000u}) {
            Line line{kind, move_at_most(bytes)};
            line.far->send(wire(kind, plain));
            line.settle();
            ASSERT_EQ(line.near->heard, plain) << kind.name << ", " << bytes << " at a time";
        }
    }
}

TEST(StreamReceive, AFaultOfEveryCall) {
    const Bytes plain = some_messages();
    for (const Kind& kind : kKinds) {
        const Bytes bytes = wire(kind, plain);
        for (const int error_number : {EAGAIN, EINTR, ECONNRESET, ETIMEDOUT, ENOMEM}) {
            const bool loses = error_number != EAGAIN && error_number != EINTR;
            for (std::size_t nth = 0;; ++nth) {
                Line line{kind, fail_nth(Call::receive, nth, error_number, 50)};
                line.far->send(bytes);
                line.settle();
                if (line.near->messages == 7) {
                    ASSERT_EQ(line.near->heard, plain) << kind.name;
                } else {
                    ASSERT_TRUE(loses) << kind.name << " call " << nth;
                    ASSERT_EQ(line.near->events,
                              std::string("lost ") + strerrorname_np(error_number));
                    ASSERT_TRUE(std::equal(line.near->heard.begin(), line.near->heard.end(),
                                           plain.begin()));
                    ASSERT_TRUE(line.stream().is_idle());
                }
                ASSERT_EQ(line.budget.used(), 0u);
                if (nth > bytes.size() / 50 + 2) break;
            }
        }
    }
}

// More than one turn's receives: others on the loop are heard in between.
// Messages outlive their turn, as those of a call that waits do.
class HoldingOwner final : public Stream::Owner {
 public:
    HoldingOwner(EventLoop& loop, const StreamOptions& options) : stream(loop, *this, options) {}
    void on_received(std::size_t) override {
        buffer = stream.buffer();
        message = stream.bytes();
        stream.consume(message.size());
        EXPECT_TRUE(stream.keep(0));
    }
    void on_lost(int) override {}

    Stream stream;
    rpc::BufferRef buffer;
    ByteView message;
};

// After a receive that found nothing, another stream receives at the same place of the room.
TEST(StreamReceive, NothingThereLeavesTheRoomToOthers) {
    Line line{kKinds[1], fail_nth(Call::receive, 0, EAGAIN)};
    line.far->send(message(8, 1));
    line.loop.turn(0ms);
    line.stream().set_interest(Interest::none);

    StreamOptions options;
    options.pool = &line.pool;
    options.shared_room = &line.room;
    HoldingOwner other{line.loop, options};
    auto [here, there] = socket_pair();
    ASSERT_EQ(other.stream.open(std::move(here)), 0);
    FarEnd{std::move(there)}.send(message(8, 2));
    line.loop.turn(0ms);
    ASSERT_EQ(Bytes(other.message.begin(), other.message.end()), message(8, 2));

    line.stream().set_interest(Interest::read);
    line.loop.turn(0ms);
    EXPECT_EQ(line.near->heard, message(8, 1));
    EXPECT_EQ(Bytes(other.message.begin(), other.message.end()), message(8, 2));
    other.buffer = {};
}

TEST(StreamReceive, OthersGetTheirTurn) {
    Line line{kKinds[0], move_at_most(10)};
    line.far->send(message(1000, 1));
    line.loop.turn(0ms);
    EXPECT_LE(line.network.calls(), kReceivesPerTurnMax);
    EXPECT_EQ(line.near->messages, 0);
    line.settle();
    EXPECT_EQ(line.near->messages, 1);
}

TEST(StreamReceive, AHeaderDoesNotMakeMemory) {
    for (const Kind& kind : kKinds) {
        Line line{kind};
        line.far->send(ByteView{wire(kind, message(3u << 20, 1))}.first(40));
        line.settle();
        ASSERT_LE(line.near->stream.buffer()->capacity,
                  std::max<std::size_t>(kind.buffer_size, 320))
            << kind.name;
    }
}

TEST(StreamReceive, ARecordOfMegabytes) {
    for (const Kind& kind : kKinds) {
        Line line{kind};
        const Bytes plain = message(3u << 20, 5);
        const Bytes bytes = wire(kind, plain);
        for (std::size_t at = 0; at < bytes.size(); at += 100'000) {
            line.far->send(ByteView{bytes}.subspan(at).first(
                std::min<std::size_t>(100'000, bytes.size() - at)));
            line.settle();
        }
        ASSERT_EQ(line.near->heard, plain) << kind.name;
    }
}

TEST(StreamReceive, NothingWhileReadingIsOff) {
    Line line{kKinds[0]};
    line.stream().set_interest(Interest::none);
    line.far->send(message(5, 1));
    line.settle();
    EXPECT_EQ(line.network.calls(), 0u);
    line.stream().set_interest(Interest::read);
    line.settle();
    EXPECT_EQ(line.near->messages, 1);
}

// The owner pauses after each message; none is lost, and the socket is not read.
TEST(StreamReceive, PausedFromWithin) {
    Line line{kKinds[0], move_at_most(9)};
    line.near->when_received = [&] { line.stream().set_interest(Interest::none); };
    line.far->send(some_messages());
    for (int i = 0; i < 100; ++i) {
        const std::size_t before = line.network.calls();
        line.loop.turn(0ms);
        ASSERT_LE(line.network.calls(), before + 1);
        line.stream().set_interest(Interest::read);
    }
    EXPECT_EQ(line.near->heard, some_messages());
}

TEST(StreamReceive, DescriptorsComeWithTheirBytes) {
    for (const std::size_t at_most : {1u, 2u, 5u, 1000u}) {
        Line line{kKinds[0], move_at_most(at_most), true};
        const Fd file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
        line.far->send(message(3, 1));
        ASSERT_EQ(send_descriptor(Network::kernel(), line.far->fd(), file.get()), 1);
        ASSERT_EQ(send_descriptor(Network::kernel(), line.far->fd(), file.get()), 1);
        line.far->send(Bytes(2));  // with the two bytes of those: the length of an empty message
        line.settle();
        EXPECT_EQ(line.near->messages, 2);
        EXPECT_EQ(line.stream().descriptors().size(), 2u);
    }
}

TEST(StreamReceive, BytesThatTheLayerRefusesLoseTheStream) {
    Line line{kKinds[2]};
    line.far->send(Bytes(3, std::byte{0xff}));
    line.settle();
    EXPECT_EQ(line.near->events, "lost EBADMSG");
}

TEST(StreamReceive, WaitsWithoutTheLoop) {
    Line line{kKinds[0]};
    EXPECT_EQ(line.stream().receive_now(), Stream::Received::nothing);
    ASSERT_TRUE(line.stream().set_blocking(5ms));
    const auto begin = Clock::now();
    EXPECT_EQ(line.stream().receive_and_wait(), Stream::Received::nothing);
    EXPECT_GE(Clock::now() - begin, 5ms);
    line.far->send(message(5, 1));
    EXPECT_EQ(line.stream().receive_and_wait(), Stream::Received::all);
    EXPECT_EQ(line.near->messages, 1);
    line.loop.turn(0ms);  // and the loop does not wait for it
    EXPECT_EQ(line.near->events, "");
    line.far->close();
    EXPECT_EQ(line.stream().receive_and_wait(), Stream::Received::all);
    EXPECT_EQ(line.near->events, "end, lost");
}

}  // namespace
}  // namespace helio::transport::stream_receive_test
