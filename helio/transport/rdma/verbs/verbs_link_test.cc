// Established links over a real device: transfers and rejected requests.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "helio/transport/rdma/verbs/device_test.h"

namespace helio::transport::rdma::verbs_link_test {
namespace {

TEST_F(VerbsFabricWithDevice, SendsBothWays) {
    connect();
    if (HasFatalFailure()) return;
    const Block heard = server_.take(4096, Purpose::own, 'x');
    const Block said = client_.take(4096, Purpose::own, 'q');
    const Block answer = client_.take(4096, Purpose::own, 'x');
    // Sizes that go with the request and sizes that do not; gathered from pieces.
    for (const std::uint32_t size : {1u, 200u, 4096u}) {
        ASSERT_TRUE(server_.receive(1, heard, 4096));
        ASSERT_TRUE(client_.receive(2, answer, 4096));
        std::memset(said.data(), static_cast<int>('a' + size % 26), size);
        const std::array<Piece, 2> pieces{
            Piece{said.data(), size / 2, said.local_key()},
            Piece{said.data() + size / 2, size - size / 2, said.local_key()}};
        const auto some = std::span{pieces}.subspan(size / 2 == 0 ? 1 : 0);
        const Work work{.verb = Verb::send, .id = 3, .pieces = some};
        ASSERT_TRUE(client_.link->post({&work, 1}));
        ASSERT_TRUE(until([this] { return server_.find(1) && client_.find(3); }));
        EXPECT_TRUE(server_.find(1)->ok && client_.find(3)->ok);
        EXPECT_EQ(server_.find(1)->bytes, size);
        EXPECT_EQ(server_.find(1)->verb, Verb::receive);
        EXPECT_EQ(client_.find(3)->verb, Verb::send);
        EXPECT_EQ(text_in(heard, size), text_in(said, size));
        ASSERT_TRUE(server_.work(Verb::send, 4, heard, size));
        ASSERT_TRUE(until([this] { return client_.find(2) && server_.find(4); }));
        EXPECT_EQ(text_in(answer, size), text_in(said, size));
        client_.completions.clear();
        server_.completions.clear();
    }
}

TEST_F(VerbsFabricWithDevice, ReadsAndWritesSharedMemory) {
    connect();
    if (HasFatalFailure()) return;
    const std::uint32_t size = 1u << 20;
    const Block theirs = client_.take(size, Purpose::shared, 'a');
    const Block mine = server_.take(size, Purpose::own, 'x');
    std::memcpy(theirs.data() + size - 3, "end", 3);
    ASSERT_TRUE(server_.work(Verb::read, 1, mine, size, &theirs));
    ASSERT_TRUE(until([this] { return server_.find(1); }));
    ASSERT_TRUE(server_.find(1)->ok) << server_.find(1)->what;
    EXPECT_EQ(server_.find(1)->verb, Verb::read);
    EXPECT_TRUE(text_in(mine, size) == text_in(theirs, size));

    // Written from pieces, followed by a message: once that has arrived, so has the data.
    std::memset(mine.data(), 'w', size);
    const Block heard = client_.take(64, Purpose::own, 'x');
    ASSERT_TRUE(client_.receive(2, heard, 64));
    const std::array<Piece, 2> pieces{Piece{mine.data(), 5, mine.local_key()},
                                      Piece{mine.data() + 9, size - 9, mine.local_key()}};
    const Piece word{mine.data(), 4, mine.local_key()};
    const std::array<Work, 2> works{
        Work{.verb = Verb::write,
             .signaled = false,
             .id = 3,
             .pieces = pieces,
             .remote_key = theirs.remote_key(),
             .remote_address = reinterpret_cast<std::uintptr_t>(theirs.data())},
        Work{.verb = Verb::send, .id = 4, .pieces = {&word, 1}}};
    ASSERT_TRUE(server_.link->post(works));
    ASSERT_TRUE(until([this] { return client_.find(2) && server_.find(4); }));
    EXPECT_TRUE(text_in(theirs, size) == std::string(size - 4, 'w') + "aend");
    EXPECT_EQ(server_.find(3), nullptr);
}

TEST_F(VerbsFabricWithDevice, ManyRequestsGoThroughSmallQueues) {
    connect();
    if (HasFatalFailure()) return;
    const Block theirs = client_.take(65536, Purpose::shared, 'a');
    const Block mine = server_.take(65536, Purpose::own, 'x');
    std::uint64_t done = 0;
    for (std::uint64_t round = 0; round < 8; ++round) {
        for (std::uint64_t i = 0; i < limits_.works; ++i)
            ASSERT_TRUE(server_.work(i % 2 == 0 ? Verb::read : Verb::write, i, mine, 1024, &theirs,
                                     1024 * (i % 64)));
        done += limits_.works;
        ASSERT_TRUE(until([&] { return server_.completions.size() == done; }));
    }
    for (const Completion& one : server_.completions) ASSERT_TRUE(one.ok) << one.what;
}

// Many long reads arrive complete, and later requests need not wait for them.
TEST_F(VerbsFabricWithDevice, LongReadsGoInParts) {
    connect();
    if (HasFatalFailure()) return;
    const std::uint32_t size = (1u << 20) + 5;
    const Block theirs = client_.take(size, Purpose::shared, 'a');
    for (std::uint32_t i = 0; i < size; ++i) theirs.data()[i] = static_cast<std::byte>(i % 251);
    std::vector<Block> mine;
    for (std::uint64_t i = 0; i < 3; ++i) {
        mine.push_back(server_.take(size, Purpose::own, 'x'));
        ASSERT_TRUE(server_.work(Verb::read, i, mine.back(), size, &theirs));
    }
    const Block heard = client_.take(64, Purpose::own, 'x');
    ASSERT_TRUE(client_.receive(8, heard, 64));
    ASSERT_TRUE(server_.work(Verb::send, 9, mine[0], 64));
    ASSERT_TRUE(until([this] { return server_.completions.size() == 4 && client_.find(8); }));
    for (const Completion& one : server_.completions) EXPECT_TRUE(one.ok) << one.what;
    for (const Block& block : mine) EXPECT_TRUE(text_in(block, size) == text_in(theirs, size));
}

// As a server does with several read chunks of a call: the last completion covers all.
TEST_F(VerbsFabricWithDevice, AReadWithoutASignalIsDoneWhenALaterOneIs) {
    connect();
    if (HasFatalFailure()) return;
    const std::uint32_t size = 300'000;  // more than a part
    const Block theirs = client_.take(size, Purpose::shared, 'a');
    const Block first = server_.take(size, Purpose::own, 'x');
    const Block second = server_.take(size, Purpose::own, 'x');
    const Piece pieces[] = {{first.data(), size, first.local_key()},
                            {second.data(), size, second.local_key()}};
    Work works[2];
    for (std::size_t i = 0; i < 2; ++i)
        works[i] = {.verb = Verb::read,
                    .signaled = i == 1,
                    .id = i,
                    .pieces = {&pieces[i], 1},
                    .remote_key = theirs.remote_key(),
                    .remote_address = reinterpret_cast<std::uintptr_t>(theirs.data())};
    ASSERT_TRUE(server_.link->post(works));
    ASSERT_TRUE(until([this] { return server_.find(1) != nullptr; }));
    EXPECT_TRUE(text_in(first, size) == text_in(theirs, size));
    EXPECT_TRUE(text_in(second, size) == text_in(theirs, size));
    loop_.turn(20ms);
    EXPECT_EQ(server_.completions.size(), 1u);
}

// A wrong request loses the link on both sides; all work in flight fails first.
class VerbsFabricRefuses : public VerbsFabricWithDevice {
 protected:
    void expect_broken() {
        ASSERT_TRUE(until([this] { return server_.lost && client_.lost; }));
        ASSERT_NE(server_.find(9), nullptr) << "the receive has to fail too";
        EXPECT_FALSE(server_.find(9)->ok);
        ASSERT_EQ(client_.completions.size(), limits_.receives);
        for (const Completion& one : client_.completions) EXPECT_FALSE(one.ok);
        ASSERT_NE(server_.find(1), nullptr);
        if (server_.find(1)->verb == Verb::write && is_iwarp(where_)) return;
        EXPECT_FALSE(server_.find(1)->ok);
        EXPECT_FALSE(server_.find(1)->what.empty());
        EXPECT_TRUE(server_.error != 0 || is_iwarp(where_)) << server_.why;
    }
    void ask_with_wrong_key(Verb verb) {
        const Piece piece{mine_.data(), 64, mine_.local_key()};
        const Work work{.verb = verb,
                        .id = 1,
                        .pieces = {&piece, 1},
                        .remote_key = 0xdeadbe00,
                        .remote_address = reinterpret_cast<std::uintptr_t>(mine_.data())};
        ASSERT_TRUE(server_.link->post({&work, 1}));
    }
    void prepare() {
        connect();
        if (HasFatalFailure()) return;
        listening_ = server_.take(4096, Purpose::own, 'x');
        ASSERT_TRUE(server_.receive(9, listening_, 4096));
        for (std::uint64_t i = 0; i < limits_.receives; ++i)
            ASSERT_TRUE(client_.receive(100 + i, listening_, 64));
        mine_ = server_.take(8192, Purpose::own, 'm');
    }
    Block listening_, mine_;
};

TEST_F(VerbsFabricRefuses, WritingWithAWrongKey) {
    prepare();
    if (HasFatalFailure()) return;
    ask_with_wrong_key(Verb::write);
    expect_broken();
}

TEST_F(VerbsFabricRefuses, ReadingWithAWrongKey) {
    prepare();
    if (HasFatalFailure()) return;
    ask_with_wrong_key(Verb::read);
    expect_broken();
}

TEST_F(VerbsFabricRefuses, ReadingMemoryThatIsNotShared) {
    if (is_iwarp(where_)) GTEST_SKIP() << "siw does not mind";
    prepare();
    if (HasFatalFailure()) return;
    const Block theirs = client_.take(4096, Purpose::own, 's');
    ASSERT_TRUE(server_.work(Verb::read, 1, mine_, 4096, &theirs));
    expect_broken();
    EXPECT_EQ(text_in(mine_, 1), "m");
}

TEST_F(VerbsFabricRefuses, WritingBeyondTheEnd) {
    prepare();
    if (HasFatalFailure()) return;
    const Block theirs = client_.take(4096, Purpose::shared, 's');
    ASSERT_TRUE(server_.work(Verb::write, 1, mine_, 64, &theirs, 1u << 30));
    expect_broken();
}

TEST_F(VerbsFabricRefuses, AMessageLongerThanTheReceive) {
    prepare();
    if (HasFatalFailure()) return;
    ASSERT_TRUE(server_.work(Verb::send, 1, mine_, 4096));
    ASSERT_TRUE(until([this] { return client_.lost && server_.lost; }));
    EXPECT_EQ(client_.completions.size(), limits_.receives);
    EXPECT_FALSE(client_.completions.front().ok);
}

TEST_F(VerbsFabricRefuses, PostingWhenItIsBroken) {
    prepare();
    if (HasFatalFailure()) return;
    ask_with_wrong_key(Verb::read);
    ASSERT_TRUE(until([this] { return server_.find(1) != nullptr; }));
    EXPECT_TRUE(server_.lost || !server_.work(Verb::send, 2, mine_, 64));
}

}  // namespace
}  // namespace helio::transport::rdma::verbs_link_test
