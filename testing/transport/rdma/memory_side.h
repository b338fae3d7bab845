// One side of a connection over the in-process fabric, for tests; records its events as text.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/transport/rdma/memory_fabric.h"

namespace helio::transport::rdma {

using MemoryEvents = std::vector<std::string>;

inline Endpoint memory_address(std::uint16_t port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return {reinterpret_cast<const sockaddr*>(&address), sizeof address};
}

inline Piece piece_of(const Block& block, std::size_t size, std::size_t from = 0) {
    return {block.data() + from, static_cast<std::uint32_t>(size), block.local_key()};
}

class MemoryEnd final : public Link::Owner {
 public:
    void on_ready() override { events.emplace_back("ready"); }
    void on_connected() override { events.emplace_back("connected"); }
    void on_completions(std::span<const Completion> completions) override {
        static constexpr const char* kVerbs[] = {"receive", "send", "read", "write"};
        for (const Completion& one : completions) {
            std::string text = kVerbs[static_cast<int>(one.verb)];
            text += " " + std::to_string(one.id);
            if (one.ok && one.verb == Verb::receive) text += ": " + std::to_string(one.bytes);
            if (!one.ok) text += ": " + std::string{one.what};
            events.push_back(text);
        }
        if (dies_of_completion) link.reset();
    }
    void on_lost(int error_number, std::string_view why) override {
        events.push_back("lost " + std::to_string(error_number) + ": " + std::string{why});
        if (dies_of_loss) link.reset();
    }

    MemoryEvents take() { return std::exchange(events, {}); }

    MemoryEvents events;
    std::unique_ptr<Link> link;
    bool dies_of_completion = false;
    bool dies_of_loss = false;
};

// Two ends on one loop.
class MemoryFabricTest : public testing::Test {
 protected:
    void start() {
        listener = fabric.listen(memory_address(), limits, [this](std::unique_ptr<Link> link) {
            answering.link = std::move(link);
        });
        asking.link = fabric.connect(listener->where(), limits, loop, asking);
        turn();
        ASSERT_EQ(asking.take(), MemoryEvents{"ready"});
    }
    void connect() {
        start();
        asking.link->establish(as_bytes("question"));
        ASSERT_NE(answering.link, nullptr);
        answering.link->attach(loop, answering);
        answering.link->establish(as_bytes("answer"));
        turn();
        ASSERT_EQ(asking.take(), MemoryEvents{"connected"});
        ASSERT_EQ(answering.take(), MemoryEvents{"connected"});
    }
    void turn() {
        for (int i = 0; i < 4; ++i) loop.turn(std::chrono::milliseconds(0));
    }

    using Side = MemoryFabric::Side;
    using Fault = MemoryFabric::Fault;

    MemoryFabric fabric;
    EventLoop loop;
    LinkLimits limits{.receives = 8, .works = 8};
    std::unique_ptr<Listener> listener;
    MemoryEnd asking, answering;
    // Blocks of both sides: for messages, and one of the asking side's that others may use.
    Block mine = fabric.memory(Side::asking)->take(4096);
    Block theirs = fabric.memory(Side::answering)->take(4096);
    Block lent = fabric.memory(Side::asking)->take(4096, Purpose::shared);

    bool send(MemoryEnd& from, std::uint64_t id, const Piece& piece, bool signaled = true) {
        const Work work{.verb = Verb::send, .signaled = signaled, .id = id, .pieces = {&piece, 1}};
        return from.link->post({&work, 1});
    }
    // From the answering side, which reads and writes.
    bool use(Verb verb, std::uint64_t id, std::uint32_t key, const std::byte* at,
             const Piece& piece) {
        const Work work{.verb = verb,
                        .id = id,
                        .pieces = {&piece, 1},
                        .remote_key = key,
                        .remote_address = reinterpret_cast<std::uintptr_t>(at)};
        return answering.link->post({&work, 1});
    }
    void expect_broken_by(std::uint64_t id, const std::string& verb, const std::string& what) {
        turn();
        EXPECT_EQ(answering.take(), (MemoryEvents{verb + " " + std::to_string(id) + ": " + what,
                                                  "lost " + std::to_string(EIO) + ": " + what}));
        EXPECT_EQ(asking.take(),
                  MemoryEvents{"lost " + std::to_string(ECONNRESET) + ": the connection broke"});
        EXPECT_FALSE(send(asking, 90, piece_of(mine, 1)));
        EXPECT_FALSE(send(answering, 91, piece_of(theirs, 1)));
        EXPECT_FALSE(asking.link->post_receive(92, piece_of(mine, 1)));
    }
};

}  // namespace helio::transport::rdma
