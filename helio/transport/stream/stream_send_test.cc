// Sending with a Stream, split and interrupted everywhere.
#include <fcntl.h>
#include <sys/mman.h>

#include <random>

#include "testing/transport/stream.h"

namespace helio::transport::stream_send_test {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using Call = FaultyNetwork::Call;

// A file of 5,000 bytes.
class SendFixture {
 public:
    SendFixture() : file_(memfd_create("stream_test", MFD_CLOEXEC)) {
        content_ = body(5000, 42);
        EXPECT_EQ(::write(file_.get(), content_.data(), content_.size()), 5000);
    }
    // Entries of every sort, and what arrives of them.
    std::vector<std::unique_ptr<Entry>> entries(bool with_descriptors) {
        std::vector<std::unique_ptr<Entry>> out;
        out.push_back(std::make_unique<Entry>(std::vector<Bytes>{body(30, 1)}));
        out.push_back(
            std::make_unique<Entry>(std::vector<Bytes>{body(20, 2), {}, body(700, 3), body(1, 4)}));
        out.push_back(
            std::make_unique<Entry>(body(9, 5), FilePiece{file_.get(), 100}, 300, body(5, 6)));
        out.push_back(std::make_unique<Entry>(std::vector<Bytes>{{}, body(13, 7)}));
        out.push_back(std::make_unique<Entry>(Bytes{}, FilePiece{file_.get(), 4990}, 10, Bytes{}));
        expected_ = body(30, 1) + body(20, 2) + body(700, 3) + body(1, 4) + body(9, 5) +
                    ByteView{content_}.subspan(100, 300) + body(5, 6) + body(13, 7) +
                    ByteView{content_}.subspan(4990, 10);
        if (!with_descriptors) return out;
        std::vector<rpc::Batch::Descriptor> with;
        for (const std::size_t offset : {0u, 6u, 7u})
            with.push_back({offset, Fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)}});
        const Bytes zeros(9);
        out.push_back(std::make_unique<Entry>(std::vector<Bytes>{zeros}, std::move(with)));
        out.push_back(std::make_unique<Entry>(std::vector<Bytes>{body(12, 8)}));
        expected_ = std::move(expected_) + zeros + body(12, 8);
        return out;
    }

 protected:
    Fd file_;
    Bytes content_;
    Bytes expected_;
};
class StreamSend : public SendFixture, public ::testing::Test {};

TEST_F(StreamSend, AnyNumberOfBytesAtATime) {
    for (const Kind& kind : kKinds) {
        for (const std::size_t bytes : {1u, 2u, 3u, 5u, 17u, 64u, 1000u, 100'000u}) {
            Line line{kind, move_at_most(bytes)};
            const auto all = entries(!kind.encodes);
            for (const auto& one : all) line.stream().send(*one);
            const bool went = line.stream().flush();  // not all: a byte costs the socket hundreds
            EXPECT_EQ(went, line.stream().unsent() == 0);
            line.settle();
            EXPECT_EQ(line.near->events, went ? "" : "writable");
            EXPECT_EQ(line.stream().unsent(), 0u);
            ASSERT_EQ(plain(kind, line.far->heard), expected_) << kind.name << ", " << bytes;
            EXPECT_EQ(line.far->descriptors.size(), kind.encodes ? 0u : 3u);
            for (const auto& one : all) EXPECT_EQ(one->sent, 1);
        }
    }
}

// Blocked after each number of bytes, then continued.
TEST_F(StreamSend, EveryCutOfTheBytes) {
    for (const Kind& kind : {kKinds[0], kKinds[2]}) {
        (void)entries(!kind.encodes);
        const std::size_t size = wire(kind, expected_).size();
        for (std::size_t cut = 0; cut < size; ++cut) {
            std::size_t left = cut;
            bool blocked = false;
            Line line{kind, [&](Call call) -> FaultyNetwork::Fate {
                          if (call != Call::send || blocked) return {};
                          if (left == 0) return blocked = true, FaultyNetwork::Fate{EAGAIN};
                          return {0, std::exchange(left, 0)};
                      }};
            const auto all = entries(!kind.encodes);
            for (const auto& one : all) line.stream().send(*one);
            while (!blocked && line.stream().flush()) {
            }
            ASSERT_GT(line.stream().unsent(), 0u);
            line.settle();
            ASSERT_EQ(plain(kind, line.far->heard), expected_) << kind.name << " cut at " << cut;
            ASSERT_EQ(line.near->events, "writable");
        }
    }
}

TEST_F(StreamSend, AFaultOfEveryCall) {
    for (const Kind& kind : kKinds) {
        for (const int error_number : {EAGAIN, EINTR, ENOBUFS, EPIPE, ECONNRESET, EIO}) {
            const bool loses =
                error_number == EPIPE || error_number == ECONNRESET || error_number == EIO;
            for (std::size_t nth = 0; nth < 40; ++nth) {
                Line line{kind, fail_nth(Call::send, nth, error_number, 60)};
                const auto all = entries(!kind.encodes);
                for (const auto& one : all) line.stream().send(*one);
                (void)line.stream().flush();
                line.settle();
                const Bytes came = plain(kind, line.far->heard);
                if (line.stream().is_open()) {
                    ASSERT_EQ(came, expected_) << kind.name << " call " << nth;
                    continue;
                }
                ASSERT_TRUE(loses);
                ASSERT_EQ(line.near->events, std::string("lost ") + strerrorname_np(error_number));
                ASSERT_LE(came.size(), expected_.size());
                ASSERT_TRUE(std::equal(came.begin(), came.end(), expected_.begin()));
                // Sent or not, in order; only the first that was not can have begun.
                std::size_t at = 0;
                while (at < all.size() && all[at]->sent == 1) ++at;
                for (std::size_t i = at; i < all.size(); ++i) {
                    ASSERT_FALSE(all[i]->is_queued());
                    ASSERT_EQ(all[i]->sent, 0);
                    ASSERT_TRUE(i == at || !all[i]->has_begun());
                }
            }
        }
    }
}

// A client sends what did not leave on its next connection.
TEST_F(StreamSend, EntriesOfALostSocketGoOutOnAnother) {
    Line line{kKinds[0], fail_nth(Call::send, 1, ECONNRESET, 40)};
    Entry first{{body(60, 1)}}, second{{body(20, 2)}};
    line.stream().send(first);
    line.stream().send(second);
    EXPECT_FALSE(line.stream().flush());
    EXPECT_FALSE(first.is_queued() || second.is_queued());
    EXPECT_TRUE(first.has_begun());
    auto [here, there] = socket_pair();
    ASSERT_EQ(line.stream().open(std::move(here)), 0);
    for (Entry* const one : {&first, &second}) {
        one->set();
        line.stream().send(*one);
    }
    EXPECT_TRUE(line.stream().flush());
    FarEnd far{std::move(there)};
    far.receive();
    EXPECT_EQ(far.heard, body(60, 1) + body(20, 2));
}

TEST_F(StreamSend, AFileThatHasBecomeShorterIsFilledUpWithZeros) {
    for (const Kind& kind : {kKinds[0], kKinds[2]}) {
        Line line{kind};
        Entry one{body(10, 1), FilePiece{file_.get(), 1000}, 30'000, body(3, 2)};
        line.stream().send(one);
        EXPECT_TRUE(line.stream().flush());
        line.settle();
        const Bytes zeros(26'000);
        EXPECT_EQ(plain(kind, line.far->heard),
                  body(10, 1) + ByteView{content_}.subspan(1000) + zeros + body(3, 2))
            << kind.name;
    }
}

TEST_F(StreamSend, CopiedBytesKeepTheirPlaceAmongEntries) {
    for (const Kind& kind : kKinds) {
        Line line{kind, move_at_most(100)};
        Bytes expected;
        std::vector<std::unique_ptr<Entry>> all;
        for (unsigned i = 0; i < 50; ++i) {
            const Bytes bytes = body(i * i * 20 + 1, i);
            if (i % 3 == 0) {
                all.push_back(std::make_unique<Entry>(std::vector<Bytes>{bytes}));
                line.stream().send(*all.back());
            } else {
                line.stream().write(bytes);
            }
            expected = std::move(expected) + bytes;
            if (i % 7 == 6) line.settle();
            if (i % 7 == 6) (void)line.stream().flush();
        }
        while (!line.stream().flush()) line.settle();
        line.settle();
        ASSERT_EQ(plain(kind, line.far->heard), expected) << kind.name;
    }
}

TEST_F(StreamSend, CopiedDescriptorsKeepTheirPlace) {
    for (const std::size_t at_most : {1u, 3u, 1000u}) {
        Line line{kKinds[0], move_at_most(at_most)};
        for (int round = 0; round < 3; ++round) {
            line.stream().write(body(5, 1));
            line.stream().write(Fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)});
            line.stream().write(Fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)});
        }
        EXPECT_TRUE(line.stream().flush());
        line.settle();
        EXPECT_EQ(line.far->heard.size(), 21u);
        EXPECT_EQ(line.far->descriptors.size(), 6u);
    }
}

TEST_F(StreamSend, OnlyWhatHasNotBegunIsTakenBack) {
    Line line{kKinds[0], fail_nth(Call::send, 1, EAGAIN, 7)};
    Entry first{{body(5, 1)}}, half{{body(10, 2)}}, third{{body(9, 3)}}, last{{body(4, 4)}};
    for (Entry* const one : {&first, &half, &third, &last}) line.stream().send(*one);
    EXPECT_FALSE(line.stream().flush());
    EXPECT_EQ(first.sent, 1);
    EXPECT_FALSE(first.is_queued());
    EXPECT_TRUE(half.has_begun());
    EXPECT_FALSE(line.stream().take_back(half));
    EXPECT_TRUE(line.stream().take_back(third));
    EXPECT_FALSE(third.is_queued());
    EXPECT_EQ(line.stream().unsent(), 8u + 4u);
    // The caller goes away with its bytes; the stream must not end in the middle of them.
    EXPECT_TRUE(line.stream().copy_rest(half));
    EXPECT_FALSE(half.is_queued());
    line.settle();
    EXPECT_EQ(line.far->heard, body(5, 1) + body(10, 2) + body(4, 4));
    EXPECT_EQ(half.sent + third.sent, 0);
    EXPECT_EQ(last.sent, 1);
}

TEST_F(StreamSend, TheRestOfAnEntryOfEverySortIsCopied) {
    (void)entries(true);
    for (std::size_t cut = 1; cut < expected_.size(); ++cut) {
        Line line{kKinds[0], [&, left = cut](Call call) mutable -> FaultyNetwork::Fate {
                      if (call != Call::send || left == SIZE_MAX) return {};
                      if (left == 0) return left = SIZE_MAX, FaultyNetwork::Fate{EAGAIN};
                      return {0, std::exchange(left, 0)};
                  }};
        auto all = entries(true);
        for (const auto& one : all) line.stream().send(*one);
        (void)line.stream().flush();
        for (auto& one : all) {
            const bool is_free =
                !one->is_queued() || (one->has_begun() && line.stream().copy_rest(*one));
            if (is_free) one.reset();
        }
        line.settle();
        ASSERT_EQ(line.far->heard, expected_) << "cut at " << cut;
        ASSERT_EQ(line.far->descriptors.size(), 3u);
    }
}

TEST_F(StreamSend, APeerThatTakesNothingHoldsTheRestUp) {
    Line line{kKinds[0]};
    Entry large{{body(8u << 20, 1)}}, small{{body(10, 2)}};
    line.stream().send(large);
    line.stream().send(small);
    EXPECT_FALSE(line.stream().flush());
    const std::size_t calls = line.network.calls();
    EXPECT_FALSE(line.stream().flush());
    line.loop.turn(0ms);
    EXPECT_EQ(line.network.calls(), calls);  // no useless system call
    EXPECT_GT(line.stream().unsent(), 1u << 20);
    EXPECT_FALSE(large.sent);
    line.settle();
    EXPECT_EQ(line.far->heard, body(8u << 20, 1) + body(10, 2));
    EXPECT_EQ(small.sent, 1);
    EXPECT_EQ(line.stream().unsent(), 0u);
}

TEST_F(StreamSend, AnEntryMayQueueTheNext) {
    Line line{kKinds[0]};
    Entry first{{body(5, 1)}}, second{{body(6, 2)}};
    first.when_sent = [&] {
        if (first.sent > 3) return;
        first.set();
        line.stream().send(first);
        if (first.sent == 2) line.stream().send(second);
    };
    line.stream().send(first);
    EXPECT_TRUE(line.stream().flush());
    line.settle();
    EXPECT_EQ(line.far->heard, body(5, 1) + body(5, 1) + body(5, 1) + body(6, 2) + body(5, 1));
}

TEST_F(StreamSend, RoomIsAwaitedWithoutAnythingToSend) {
    Line line{kKinds[0]};
    line.loop.turn(0ms);
    EXPECT_EQ(line.near->events, "");
    line.stream().set_interest(Interest::read_write);
    line.loop.turn(0ms);
    EXPECT_EQ(line.near->events, "writable");
    line.stream().set_interest(Interest::read);
    line.near->events.clear();
    line.loop.turn(0ms);
    EXPECT_EQ(line.near->events, "");
}

// ---- Both ways, at random ----

struct Side {
    Side(EventLoop& loop, StreamOptions options) : owner(loop, options) {}
    NotingOwner owner;
    std::vector<std::unique_ptr<Entry>> entries;
    Bytes said;
};

void talk(std::uint64_t seed) {
    std::mt19937_64 random{seed};
    const bool encodes = seed % 3 == 0;
    FaultyNetwork network{random_faults(seed)};
    EventLoop loop{network};
    rpc::BufferPool pool;
    SharedReceiveBuffer room{pool};
    StreamOptions plain, shared;
    plain.buffer_size = 16u << seed % 12;
    shared.pool = &pool;
    shared.shared_room = &room;
    shared.buffer_size = 128;
    Side sides[] = {{loop, plain}, {loop, shared}};
    auto [one, other] = socket_pair();
    ASSERT_EQ(sides[0].owner.stream.open(std::move(one)), 0);
    ASSERT_EQ(sides[1].owner.stream.open(std::move(other)), 0);
    for (Side& side : sides) {
        Stream& stream = side.owner.stream;
        ASSERT_TRUE(!encodes || stream.set_layer(std::make_unique<BlockLayer>()));
    }
    const auto is_done = [&] {
        return sides[0].owner.heard == sides[1].said && sides[1].owner.heard == sides[0].said;
    };
    for (int step = 0; step < 100 || !is_done(); ++step) {
        ASSERT_LT(step, 100'000);
        Side& side = sides[random() % 2];
        Stream& stream = side.owner.stream;
        if (step < 100) {
            const Bytes next = message(random() % (random() % 10 == 0 ? 20'000 : 300),
                                       static_cast<unsigned>(step));
            side.said = std::move(side.said) + next;
            if (random() % 2 == 0) {
                stream.write(next);
            } else {
                const std::size_t cut = random() % next.size();
                const auto middle = next.begin() + static_cast<std::ptrdiff_t>(cut);
                side.entries.push_back(std::make_unique<Entry>(
                    std::vector<Bytes>{Bytes(next.begin(), middle), Bytes(middle, next.end())}));
                stream.send(*side.entries.back());
            }
        }
        if (random() % 2 == 0) (void)stream.flush();
        if (random() % 4 == 0)
            stream.set_interest(random() % 2 == 0 || step > 100 ? Interest::read : Interest::none);
        loop.turn(0ms);
    }
    for (Side& side : sides)
        for (const auto& entry : side.entries) ASSERT_EQ(entry->sent, 1);
}

TEST(StreamFaults, NoByteIsLostWhateverTheSeed) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        talk(seed);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace helio::transport::stream_send_test
