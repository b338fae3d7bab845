// The fabric of real devices: listening, connecting, closing. Without a device, only the error
// message is checked.
#include "helio/transport/rdma/verbs/verbs_fabric.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "helio/transport/rdma/verbs/device_test.h"

namespace helio::transport::rdma::verbs_fabric_test {
namespace {

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

TEST(VerbsFabric, SaysWhenThereIsNoDevice) {
    if (device_address() != nullptr) GTEST_SKIP() << "there is one";
    const std::string words = words_of([] { const VerbsFabric fabric; });
    if (words == "no complaint") GTEST_SKIP() << "there is one";
    EXPECT_EQ(words, "there is no RDMA device on this machine (rdma link shows what there is)");
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

// A link may be destroyed at any step, on either side, even while the manager has events for it.
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
    // A connection may still be arriving.
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
        // In turn: one side closes and the other is notified, or both close at once.
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
    fabric_ = std::make_unique<VerbsFabric>();  // does not affect the next one
    listen();
    connect();
}

}  // namespace
}  // namespace helio::transport::rdma::verbs_fabric_test
