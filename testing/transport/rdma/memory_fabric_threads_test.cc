// The in-process fabric between two threads' loops; ThreadSanitizer shows errors here.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>

#include "testing/transport/rdma/memory_side.h"

namespace helio::transport::rdma::memory_fabric_threads_test {
namespace {

using namespace std::chrono_literals;
using Side = MemoryFabric::Side;

// Answers on its own thread's loop: sends each message back, after one write and one read of the
// memory that its first bytes name.
class MemoryEcho final : public Link::Owner {
 public:
    MemoryEcho(EventLoop& loop, std::unique_ptr<Link> arrived) : link(std::move(arrived)) {
        block = link->memory()->take(4096);
        link->attach(loop, *this);
        (void)link->post_receive(0, piece_of(block, 64));
        link->establish({});
    }
    void on_ready() override {}
    void on_connected() override {}
    void on_lost(int, std::string_view) override { link.reset(); }
    void on_completions(std::span<const Completion> completions) override {
        for (const Completion& one : completions) {
            if (!one.ok || one.verb != Verb::receive) continue;
            std::uint64_t told[2];
            std::memcpy(told, block.data(), sizeof told);
            const Piece data = piece_of(block, 512, 1024);
            const Piece back = piece_of(block, one.bytes);
            (void)link->post_receive(0, piece_of(block, 64));
            const auto key = static_cast<std::uint32_t>(told[0]);
            const Work works[] = {
                {.verb = Verb::read,
                 .signaled = false,
                 .pieces = {&data, 1},
                 .remote_key = key,
                 .remote_address = told[1]},
                {.verb = Verb::write,
                 .signaled = false,
                 .pieces = {&data, 1},
                 .remote_key = key,
                 .remote_address = told[1] + 512},
                {.verb = Verb::send, .pieces = {&back, 1}},
            };
            (void)link->post(works);
        }
    }
    std::unique_ptr<Link> link;
    Block block;
};

class MemoryAsker final : public Link::Owner {
 public:
    MemoryAsker(MemoryFabric& fabric, EventLoop& loop, const Endpoint& where)
        : loop_(loop), link_(fabric.connect(where, {}, loop, *this)) {}
    void on_ready() override {
        block_ = link_->memory()->take(4096);
        lent_ = link_->memory()->take(4096, Purpose::shared);
        link_->establish({});
    }
    void on_connected() override { ask(); }
    void on_lost(int, std::string_view) override { loop_.stop(); }
    void on_completions(std::span<const Completion> completions) override {
        for (const Completion& one : completions) {
            if (!one.ok || one.verb != Verb::receive) continue;
            good += std::memcmp(lent_.data(), lent_.data() + 512, 512) == 0;
            if (++rounds == kRounds) {
                loop_.stop();
                link_.reset();  // drop whatever is in flight
                return;
            }
            ask();
        }
    }
    static constexpr int kRounds = 500;
    int rounds = 0, good = 0;

 private:
    void ask() {
        std::memset(lent_.data(), rounds, 512);
        const std::uint64_t told[] = {lent_.remote_key(),
                                      reinterpret_cast<std::uintptr_t>(lent_.data())};
        std::memcpy(block_.data(), told, sizeof told);
        (void)link_->post_receive(1, piece_of(block_, 64, 64));
        const Piece piece = piece_of(block_, sizeof told);
        const Work work{.verb = Verb::send, .pieces = {&piece, 1}};
        (void)link_->post({&work, 1});
    }
    EventLoop& loop_;
    Block block_, lent_;
    std::unique_ptr<Link> link_;
};

TEST(MemoryFabric, TwoThreadsTalk) {
    MemoryFabric fabric;
    EventLoop server;
    std::vector<std::unique_ptr<MemoryEcho>> echoes;
    auto listener = fabric.listen(memory_address(), {}, [&](std::unique_ptr<Link> link) {
        server.post(
            [&server, &echoes, moved = std::make_shared<std::unique_ptr<Link>>(std::move(link))] {
                echoes.push_back(std::make_unique<MemoryEcho>(server, std::move(*moved)));
            });
    });
    std::thread answering{[&server] { server.run(); }};
    for (int round = 0; round < 3; ++round) {
        EventLoop loop;
        MemoryAsker asker{fabric, loop, listener->where()};
        loop.run();
        EXPECT_EQ(asker.rounds, MemoryAsker::kRounds);
        EXPECT_EQ(asker.good, MemoryAsker::kRounds);
    }
    server.stop();
    answering.join();
    echoes.clear();
    EXPECT_EQ(fabric.links(), 0u);
    EXPECT_EQ(fabric.memory(Side::asking)->blocks_lent(), 0u);
    EXPECT_EQ(fabric.memory(Side::answering)->blocks_lent(), 0u);
}

// After a link is destroyed its memory may be reused at once: ThreadSanitizer would show a device
// that still writes.
TEST(MemoryFabric, NothingTouchesTheMemoryOfALinkThatHasGone) {
    MemoryFabric fabric;
    EventLoop server;
    std::vector<std::byte> target(64);
    const auto region = fabric.add(Side::asking, target, Purpose::shared);

    class Writer final : public Link::Owner {
     public:
        void on_ready() override {}
        void on_connected() override { write(); }
        void on_lost(int, std::string_view) override { link.reset(); }
        void on_completions(std::span<const Completion> completions) override {
            if (completions.back().ok) write();
        }
        void write() {
            const Piece piece = piece_of(block, 64);
            const Work work{.verb = Verb::write,
                            .pieces = {&piece, 1},
                            .remote_key = key,
                            .remote_address = address};
            (void)link->post({&work, 1});
        }
        std::unique_ptr<Link> link;
        Block block;
        std::uint32_t key = 0;
        std::uint64_t address = 0;
    };
    std::vector<std::unique_ptr<Writer>> writers;
    auto listener = fabric.listen(memory_address(), {}, [&](std::unique_ptr<Link> link) {
        auto writer = std::make_shared<std::unique_ptr<Writer>>(std::make_unique<Writer>());
        (*writer)->block = link->memory()->take(64);
        std::memset((*writer)->block.data(), 1, 64);
        (*writer)->key = region->remote_key;
        (*writer)->address = reinterpret_cast<std::uintptr_t>(target.data());
        (*writer)->link = std::move(link);
        server.post([&, writer] {
            Writer& mine = **writer;
            writers.push_back(std::move(*writer));
            mine.link->attach(server, mine);
            mine.link->establish({});
        });
    });
    std::thread answering{[&server] { server.run(); }};
    for (int round = 0; round < 20; ++round) {
        EventLoop loop;
        MemoryEnd end;
        end.link = fabric.connect(listener->where(), {}, loop, end);
        while (end.events.empty()) loop.turn(-1ms);
        end.link->establish({});
        while (end.events.size() < 2) loop.turn(-1ms);
        EXPECT_EQ(end.events.back(), "connected");
        const auto before = fabric.counters(Side::answering).writes;
        while (fabric.counters(Side::answering).writes < before + 10) std::this_thread::yield();
        end.link.reset();
        for (std::byte& one : target) one = std::byte{2};
        for (const std::byte one : target) EXPECT_EQ(one, std::byte{2});
    }
    listener.reset();
    server.stop();
    answering.join();
    writers.clear();
    EXPECT_EQ(fabric.links(), 0u);
}

TEST(MemoryFabric, NobodyArrivesAnyMoreWhenAListenerHasGone) {
    MemoryFabric fabric;
    std::atomic<bool> inside{false}, go{false}, left{false};
    auto listener = fabric.listen(memory_address(), {}, [&](std::unique_ptr<Link>) {
        inside = true;
        while (!go) std::this_thread::yield();
        left = true;
    });
    std::thread asking{[&fabric, where = listener->where()] {
        EventLoop loop;
        MemoryEnd end;
        end.link = fabric.connect(where, {}, loop, end);
        while (end.events.empty()) loop.turn(-1ms);
        end.link->establish({});
        while (end.events.size() < 2) loop.turn(-1ms);
        EXPECT_EQ(end.events.back(),
                  "lost " + std::to_string(ECONNREFUSED) + ": the connection was refused");
    }};
    while (!inside) std::this_thread::yield();
    std::thread lets_go{[&go] { go = true; }};
    listener.reset();
    EXPECT_TRUE(left);
    lets_go.join();
    asking.join();
}

}  // namespace
}  // namespace helio::transport::rdma::memory_fabric_threads_test
