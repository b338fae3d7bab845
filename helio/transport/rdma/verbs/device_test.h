// Two ends of a link over a real device, for tests that need one. HELIO_RDMA_ADDRESS is an address
// of it that this machine can connect to (in the guest of tools/rdma_guest: 10.0.2.2 for RoCE,
// 10.0.1.1 for iWARP); without it those tests are skipped.
#pragma once

#include <gtest/gtest.h>
#include <rdma/rdma_cma.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::transport::rdma {

using namespace std::chrono_literals;

inline const char* device_address() { return std::getenv("HELIO_RDMA_ADDRESS"); }

// With iWARP, a write completes when it has been sent; a rejected one shows up as the end of the
// connection.
inline bool is_iwarp(Endpoint address) {
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

// One end of a link, which records its events.
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

inline std::string text_in(const Block& block, std::size_t size) {
    return {reinterpret_cast<const char*>(block.data()), size};
}

}  // namespace helio::transport::rdma
