// The fabric of real devices. Most of this needs one: HELIO_RDMA_ADDRESS is an address of it that
// can be connected to from this machine (in the guest of tools/rdma_guest: 10.0.2.2 for RoCE,
// 10.0.1.1 for iWARP). Without it, only the words for a machine without devices are looked at.
#include "helio/transport/rdma/verbs/verbs_fabric.h"

#include <gtest/gtest.h>
#include <rdma/rdma_cma.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace helio::transport::rdma {
namespace {

using namespace std::chrono_literals;

const char* device_address() { return std::getenv("HELIO_RDMA_ADDRESS"); }

std::string words_of(const std::function<void()>& what) {
    try {
        what();
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "no complaint";
}

std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// iWARP's writes are done for who wrote when they are on their way. That a request was refused is
// heard as the end of the connection.
bool is_iwarp(Endpoint address) {
    rdma_event_channel* const channel = rdma_create_event_channel();
    rdma_cm_id* id = nullptr;
    rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
    address.set_port(0);
    rdma_bind_addr(id, const_cast<sockaddr*>(address.address()));
    const bool iwarp =
        id->verbs != nullptr && id->verbs->device->transport_type == IBV_TRANSPORT_IWARP;
    rdma_destroy_id(id);
    rdma_destroy_event_channel(channel);
    return iwarp;
}

TEST(VerbsFabric, SaysWhenThereIsNoDevice) {
    if (device_address() != nullptr) GTEST_SKIP() << "there is one";
    const std::string words = words_of([] { const VerbsFabric fabric; });
    if (words == "no complaint") GTEST_SKIP() << "there is one";
    EXPECT_EQ(words, "there is no RDMA device on this machine (rdma link shows what there is)");
}

// One end of a link, which writes down what it hears.
struct End final : Link::Owner {
    void on_ready() override { link->establish(as_bytes(greeting)); }
    void on_connected() override { connected = true; }
    void on_completions(std::span<const Completion> some) override {
        EXPECT_FALSE(lost);
        for (const Completion& one : some) {
            completions.push_back(one);
            whats.emplace_back(one.what);
        }
    }
    void on_lost(int error_number, std::string_view reason) override {
        EXPECT_FALSE(lost);
        lost = true;
        error = error_number;
        why = reason;
        link.reset();
    }

    Block take(std::size_t size, Purpose purpose, char fill) const {
        Block block = link->memory()->take(size, purpose);
        EXPECT_TRUE(block);
        std::memset(block.data(), fill, size);
        return block;
    }
    bool receive(std::uint64_t id, const Block& block, std::uint32_t size) const {
        return link->post_receive(id, {block.data(), size, block.local_key()});
    }
    bool work(Verb verb, std::uint64_t id, const Block& mine, std::uint32_t size,
              const Block* theirs = nullptr, std::uint64_t offset = 0) const {
        const Piece piece{mine.data(), size, mine.local_key()};
        Work one{.verb = verb, .id = id, .pieces = {&piece, 1}};
        if (theirs != nullptr) {
            one.remote_key = theirs->remote_key();
            one.remote_address = reinterpret_cast<std::uintptr_t>(theirs->data()) + offset;
        }
        return link->post({&one, 1});
    }
    const Completion* find(std::uint64_t id) const {
        for (const Completion& one : completions)
            if (one.id == id) return &one;
        return nullptr;
    }

    std::unique_ptr<Link> link;
    std::string greeting;
    bool connected = false;
    bool lost = false;
    int error = -1;
    std::string why;
    std::vector<Completion> completions;
    std::vector<std::string> whats;
};

class VerbsFabricWithDevice : public ::testing::Test {
 protected:
    void SetUp() override {
        if (device_address() == nullptr)
            GTEST_SKIP() << "needs an RDMA device: set HELIO_RDMA_ADDRESS to its address";
        fabric_ = std::make_unique<VerbsFabric>();
        where_ = resolve(device_address(), 0).value().front();
        listen();
    }

    void listen() {
        listener_ = fabric_->listen(where_, limits_, [this](std::unique_ptr<Link> link) {
            if (refuse_) return;
            loop_.post([this, link = std::make_shared<std::unique_ptr<Link>>(std::move(link))] {
                const std::string greeting = server_.greeting;
                server_ = End{};
                server_.greeting = greeting;
                server_.link = std::move(*link);
                server_.link->attach(loop_, server_);
                server_.link->establish(as_bytes(greeting));
            });
        });
        where_ = listener_->where();
    }

    bool until(const std::function<bool()>& what) {
        const auto end = EventLoop::Clock::now() + 30s;
        while (!what() && EventLoop::Clock::now() < end) loop_.turn(20ms);
        return what();
    }
    void call() { client_.link = fabric_->connect(where_, limits_, loop_, client_); }
    void connect() {
        call();
        ASSERT_TRUE(until([this] {
            return (client_.connected && server_.connected) || client_.lost || server_.lost;
        }));
        ASSERT_TRUE(client_.connected && server_.connected)
            << client_.why << " (" << client_.error << "), " << server_.why;
    }
    void forget() {
        client_.link.reset();
        server_.link.reset();
        client_ = End{};
        server_ = End{};
    }

    EventLoop loop_;
    LinkLimits limits_{.receives = 16, .works = 64};
    Endpoint where_;
    bool refuse_ = false;
    std::unique_ptr<VerbsFabric> fabric_;
    std::unique_ptr<Listener> listener_;
    End client_, server_;
};

std::string text_in(const Block& block, std::size_t size) {
    return {reinterpret_cast<const char*>(block.data()), size};
}

TEST_F(VerbsFabricWithDevice, SaysWhatItWasToldAndWhoIsThere) {
    client_.greeting = "may I?";
    server_.greeting = "you may";
    connect();
    if (HasFatalFailure()) return;
    EXPECT_EQ(as_text(client_.link->private_data()).substr(0, 7), "you may");
    EXPECT_EQ(as_text(server_.link->private_data()).substr(0, 6), "may I?");
    EXPECT_EQ(to_text(client_.link->remote()), to_text(where_));
    EXPECT_EQ(to_text(server_.link->local()), to_text(where_));
    EXPECT_EQ(to_text(server_.link->remote()), to_text(client_.link->local()));
    EXPECT_EQ(client_.link->limits().works, limits_.works);
    EXPECT_FALSE(fabric_->devices().empty());
}

TEST_F(VerbsFabricWithDevice, SendsBothWays) {
    connect();
    if (HasFatalFailure()) return;
    const Block heard = server_.take(4096, Purpose::own, 'x');
    const Block said = client_.take(4096, Purpose::own, 'q');
    const Block answer = client_.take(4096, Purpose::own, 'x');
    // Of a size that goes with the request, and of one that does not; gathered from pieces.
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

    // Written from pieces, and a message behind it: when that is here, so is what was written.
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

// Reads that are long and many at a time arrive whole, and what is posted behind them need not
// wait.
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

// What a wrong request does: the link is lost on both sides, all that was under way fails first.
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

TEST_F(VerbsFabricWithDevice, HangingUpIsHeardAsAnOrderlyEnd) {
    connect();
    if (HasFatalFailure()) return;
    const Block last_words = server_.take(64, Purpose::own, 'x');
    ASSERT_TRUE(server_.receive(1, last_words, 64));
    ASSERT_TRUE(server_.receive(2, last_words, 64));
    ASSERT_TRUE(client_.work(Verb::send, 3, client_.take(64, Purpose::own, 'b'), 64));
    ASSERT_TRUE(until([this] { return client_.find(3) != nullptr; }));
    client_.link.reset();
    ASSERT_TRUE(until([this] { return server_.lost; }));
    EXPECT_EQ(server_.error, 0);
    EXPECT_EQ(server_.why, "the other side hung up");
    ASSERT_EQ(server_.completions.size(), 2u);
    EXPECT_TRUE(server_.completions[0].ok);
    EXPECT_FALSE(server_.completions[1].ok);
    EXPECT_FALSE(client_.lost) << "who hangs up is told nothing";
}

TEST_F(VerbsFabricWithDevice, TheServerHangsUp) {
    connect();
    if (HasFatalFailure()) return;
    server_.link.reset();
    ASSERT_TRUE(until([this] { return client_.lost; }));
    EXPECT_EQ(client_.error, 0) << client_.why;
}

TEST_F(VerbsFabricWithDevice, ARefusalIsHeard) {
    refuse_ = true;
    call();
    ASSERT_TRUE(until([this] { return client_.lost; }));
    EXPECT_EQ(client_.error, ECONNREFUSED) << client_.why;
    EXPECT_FALSE(client_.connected);
}

TEST_F(VerbsFabricWithDevice, NobodyListens) {
    listener_.reset();
    call();
    ASSERT_TRUE(until([this] { return client_.lost; }));
    EXPECT_EQ(client_.error, ECONNREFUSED) << client_.why;
}

TEST_F(VerbsFabricWithDevice, NoDeviceLeadsThere) {
    where_ = resolve("127.0.0.2", 1).value().front();
    call();
    EXPECT_FALSE(client_.lost) << "not from within the call";
    ASSERT_TRUE(until([this] { return client_.lost; }));
    EXPECT_NE(client_.error, 0) << client_.why;
}

TEST_F(VerbsFabricWithDevice, ListensOnceOnAPortOfADevice) {
    const auto nothing = [](std::unique_ptr<Link>) {};
    EXPECT_EQ(words_of([&] { fabric_->listen(where_, limits_, nothing); }),
              "cannot listen for RDMA on " + to_text(where_) + ": somebody else does");
    const Endpoint foreign = resolve("192.0.2.1", 20049).value().front();
    EXPECT_EQ(words_of([&] { fabric_->listen(foreign, limits_, nothing); }),
              "cannot listen for RDMA on 192.0.2.1:20049: no RDMA device has this address");
    listener_.reset();
    EXPECT_NO_THROW(listen());
    connect();
}

TEST_F(VerbsFabricWithDevice, ListensOnEveryAddress) {
    const Endpoint device = where_;
    for (const char* const any : {"0.0.0.0", "::"}) {
        SCOPED_TRACE(any);
        listener_.reset();
        where_ = resolve(any, 0).value().front();
        listen();
        const std::uint16_t port = listener_->where().port();
        EXPECT_NE(port, 0);
        where_ = device;
        where_.set_port(port);
        connect();
        if (HasFatalFailure()) return;
        EXPECT_EQ(to_text(server_.link->local()), to_text(where_));
        forget();
    }
}

// A link may go at any step, on either side, also while the manager has something for it.
TEST_F(VerbsFabricWithDevice, LinksMayGoAtAnyTime) {
    for (int turns = 0; turns < 40; ++turns) {
        call();
        for (int i = 0; i < turns; ++i) loop_.turn(1ms);
        const bool server_first = turns % 2 == 0;
        if (server_first) server_.link.reset();
        client_.link.reset();
        loop_.turn(1ms);
        forget();
    }
    // Somebody may still be arriving.
    for (int i = 0; i < 20; ++i) loop_.turn(5ms);
    forget();
    connect();
}

TEST_F(VerbsFabricWithDevice, LeavesNoDescriptorsBehind) {
    connect();
    if (HasFatalFailure()) return;
    forget();
    ASSERT_TRUE(until([] { return true; }));
    const std::size_t before = open_descriptors();
    const char* const rounds = std::getenv("HELIO_RDMA_ROUNDS");
    for (int i = 0; i < (rounds != nullptr ? std::atoi(rounds) : 50); ++i) {
        connect();
        if (HasFatalFailure()) FAIL() << "connection " << i;
        // By turns: one side goes and the other hears of it, or both go at once.
        if (i % 3 == 0) client_.link.reset();
        if (i % 3 == 1) server_.link.reset();
        ASSERT_TRUE(until([this, i] { return i % 3 == 2 || client_.lost || server_.lost; }));
        forget();
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST_F(VerbsFabricWithDevice, MemoryMayStayLongerThanTheFabric) {
    connect();
    if (HasFatalFailure()) return;
    const Block block = server_.take(4096, Purpose::shared, 'x');
    forget();
    listener_.reset();
    fabric_.reset();
    std::memset(block.data(), 'y', block.size());
    fabric_ = std::make_unique<VerbsFabric>();  // and the next one does not mind
    listen();
    connect();
}

}  // namespace
}  // namespace helio::transport::rdma
