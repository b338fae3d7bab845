// Runs against a tiny server that can stall, refuse and leave.
#include "helio/load/run.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "helio/xdr/wire.h"

namespace helio::load::run_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Answers NULL calls over TCP, one thread for all connections.
class SmallServer final {
 public:
    struct Manners {
        std::uint32_t accept_stat = 0;
        Clock::duration stall{};  // once, `stall_after` the first call
        Clock::duration stall_after{};
        std::uint64_t leave_after = UINT64_MAX;  // calls
    };
    explicit SmallServer(Manners manners) : manners_(manners) {
        listener_ = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            listen(listener_, 100) != 0)
            throw std::runtime_error("no port");
        getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
        where_ = transport::Endpoint{reinterpret_cast<sockaddr*>(&address), size};
        thread_ = std::thread([this] { serve(); });
    }
    ~SmallServer() {
        stop_ = true;
        thread_.join();
    }
    const transport::Endpoint& where() const { return where_; }

 private:
    void serve() {
        std::vector<pollfd> sockets{{listener_, POLLIN, 0}};
        while (!stop_ && calls_ < manners_.leave_after) {
            poll(sockets.data(), sockets.size(), 5);
            for (std::size_t i = 1; i < sockets.size(); ++i)
                if (sockets[i].revents != 0 && !answer(sockets[i].fd)) sockets[i].events = 0;
            if (sockets[0].revents != 0)
                sockets.push_back({accept(listener_, nullptr, nullptr), POLLIN, 0});
        }
        for (const pollfd& one : sockets) close(one.fd);
    }
    bool answer(int fd) {
        constexpr std::size_t kCall = 44, kReply = 28;
        std::array<std::byte, 100 * kCall> in;
        const ssize_t got = recv(fd, in.data(), in.size(), MSG_DONTWAIT);
        if (got <= 0) return false;
        if (calls_ == 0) first_ = Clock::now();
        if (manners_.stall > 0s && Clock::now() - first_ > manners_.stall_after)
            std::this_thread::sleep_for(std::exchange(manners_.stall, {}));
        for (std::size_t at = 0; at + kCall <= static_cast<std::size_t>(got); at += kCall) {
            std::array<std::byte, kReply> reply{};
            xdr::store_u32(reply.data(), 0x80000018);
            std::copy_n(in.data() + at + 4, 4, reply.data() + 4);
            xdr::store_u32(reply.data() + 8, 1);
            xdr::store_u32(reply.data() + 24, manners_.accept_stat);
            if (send(fd, reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return false;
            ++calls_;
        }
        return true;
    }

    Manners manners_;
    int listener_ = -1;
    transport::Endpoint where_;
    std::atomic<bool> stop_ = false;
    std::uint64_t calls_ = 0;
    Clock::time_point first_;
    std::thread thread_;
};

std::vector<Step> null_step() {
    Step step;
    step.name = "test.NULL";
    step.program = 0x20000001;
    step.version = 1;
    step.arguments.emplace_back();
    return {step};
}

Settings settings_for(const transport::Endpoint& where) {
    Settings settings;
    settings.servers = {where};
    settings.target = to_text(where);
    settings.connections = 2;
    settings.depth = 2;
    settings.warmup = 20ms;
    settings.duration = 200ms;
    return settings;
}

TEST(Run, AClosedLoopKeepsGoing) {
    SmallServer server{{}};
    const Settings settings = settings_for(server.where());
    const Report report = run(null_step(), settings);
    EXPECT_GT(report.answered, 0u);
    EXPECT_EQ(report.failed + report.unanswered, 0u);
    EXPECT_EQ(report.latency.count(), report.answered);
    EXPECT_LE(report.rate * report.seconds, static_cast<double>(report.answered) + 0.5);
    // A run that does not end early is reported with the duration that was asked for.
    EXPECT_DOUBLE_EQ(report.seconds, std::chrono::duration<double>(settings.duration).count());
    EXPECT_EQ(report.series.size(), 2u);
    EXPECT_GT(report.cpu_us_per_call(), 0);
    EXPECT_TRUE(report.ended_early.empty());
}

TEST(Run, AnOpenLoopMakesTheCallsThatAreDueOnAnyNumberOfThreads) {
    for (const std::uint32_t threads : {1u, 3u}) {
        SmallServer server{{}};
        Settings settings = settings_for(server.where());
        settings.connections = 4;
        settings.rate = 1000;
        settings.threads = threads;
        const Report report = run(null_step(), settings);
        EXPECT_EQ(report.answered + report.unanswered, 200u);
        EXPECT_EQ(report.latency.count(), 200u);
        EXPECT_EQ(report.threads, threads);
        EXPECT_GT(report.lag.count(), 0u);
    }
}

// The server answers at once but sleeps once for 200 ms of 500. A closed loop sees one slow call
// per slot; but every call due meanwhile would have waited.
TEST(Run, AStallCountsForEveryCallThatWasDueInIt) {
    for (const bool open : {false, true}) {
        SmallServer server{{.stall = 200ms, .stall_after = 200ms}};
        Settings settings = settings_for(server.where());
        settings.warmup = 10ms;
        settings.duration = 500ms;
        settings.rate = open ? 500 : 0;
        const Report report = run(null_step(), settings);
        if (open) {
            // 40 of 100 calls are due in the stall; a slow machine only makes them wait longer.
            EXPECT_GT(report.latency.percentile(0.85), 20'000'000u);
            EXPECT_GT(report.held_back, 0u);
        } else {
            EXPECT_EQ(report.held_back, 0u);
        }
        EXPECT_GT(report.latency.max(), 150'000'000u);
    }
}

TEST(Run, WhatHasNoAnswerAtTheEndCountsWithTheTimeItWaited) {
    SmallServer server{{.stall = 3s, .stall_after = 0s}};
    Settings settings = settings_for(server.where());
    settings.rate = 100;
    settings.warmup = 0ms;
    const Report report = run(null_step(), settings);
    EXPECT_EQ(report.answered, 0u);
    EXPECT_EQ(report.unanswered, 20u);
    EXPECT_EQ(report.latency.count(), 20u);
    EXPECT_GT(report.latency.max(), 1'000'000'000u);  // the first, kDrainMax included
}

TEST(Run, RefusalsAreCountedByTheirStatus) {
    SmallServer server{{.accept_stat = 3}};  // PROC_UNAVAIL
    const Report report = run(null_step(), settings_for(server.where()));
    EXPECT_EQ(report.answered, 0u);
    EXPECT_GT(report.failed, 0u);
    ASSERT_EQ(report.errors.size(), 1u);
    EXPECT_NE(report.errors[0].name.find("PROC_UNAVAIL"), std::string::npos);
    EXPECT_EQ(report.errors[0].count, report.failed);
    EXPECT_FALSE(report.unreachable);
}

// Calls NULL, and finds every tenth answer wrong.
class CountingSource final : public Source {
 public:
    std::uint16_t choose(std::size_t slot) override {
        EXPECT_LT(slot, 64u);
        ++chosen;
        return 0;
    }
    bool write(std::size_t, xdr::Writer&) override {
        ++written;
        return true;
    }
    const char* check(std::size_t, ByteView results, std::span<const ByteView>) override {
        EXPECT_TRUE(results.empty());
        return ++answered % 10 == 0 ? "the tenth" : nullptr;
    }
    void failed(std::size_t) override { ++failures; }
    void begin_measuring() override { measuring.push_back(true); }
    void end_measuring() override { measuring.push_back(false); }

    std::uint64_t chosen = 0, written = 0, answered = 0, failures = 0;
    std::vector<bool> measuring;
};

TEST(Run, ASourceMakesTheCallsAndJudgesTheAnswers) {
    SmallServer server{{}};
    Settings settings = settings_for(server.where());
    settings.warmup = 0ms;
    CountingSource source;
    settings.source = [&](std::uint32_t thread, std::size_t slots) -> Source& {
        EXPECT_EQ(thread, 0u);
        EXPECT_EQ(slots, std::size_t{settings.connections} * settings.depth);
        return source;
    };
    auto steps = null_step();
    steps[0].arguments.clear();
    const Report report = run(steps, settings);
    EXPECT_EQ(source.chosen, source.written);
    EXPECT_EQ(report.answered + report.failed, source.answered);
    EXPECT_EQ(report.failed, source.answered / 10);
    EXPECT_EQ(report.wrong, report.failed);
    EXPECT_EQ(report.checked, source.answered);
    ASSERT_EQ(report.errors.size(), 1u);
    EXPECT_EQ(report.errors[0].name, "the tenth");
    EXPECT_EQ(source.measuring, (std::vector<bool>{true, false}));
}

TEST(Run, ASourceIsToldOfCallsWithoutAResult) {
    SmallServer server{{.accept_stat = 3}};
    Settings settings = settings_for(server.where());
    CountingSource source;
    settings.source = [&](std::uint32_t, std::size_t) -> Source& { return source; };
    const Report report = run(null_step(), settings);
    EXPECT_EQ(source.answered, 0u);
    EXPECT_GT(source.failures, 0u);
    EXPECT_EQ(report.answered, 0u);
}

TEST(Run, NobodyThereEndsItAtOnce) {
    transport::Endpoint where = SmallServer{{}}.where();  // gone again
    Settings settings = settings_for(where);
    settings.duration = 1h;
    for (const double rate : {0.0, 50.0}) {
        settings.rate = rate;
        const Report report = run(null_step(), settings);  // returns soon
        EXPECT_TRUE(report.unreachable);
        EXPECT_EQ(report.answered, 0u);
        EXPECT_NE(report.ended_early.find("Connection refused"), std::string::npos);
    }
}

TEST(Run, AServerThatLeavesEndsItAndWhatWasSeenIsReported) {
    SmallServer server{{.leave_after = 500}};
    Settings settings = settings_for(server.where());
    settings.warmup = 0ms;
    settings.duration = 1h;
    const Report report = run(null_step(), settings);
    EXPECT_GT(report.answered, 0u);
    EXPECT_TRUE(report.unreachable);
    EXPECT_GT(report.failed, 0u);
    EXPECT_FALSE(report.ended_early.empty());
    EXPECT_LT(report.seconds, 3600);
}

TEST(Run, TheTickCanStopIt) {
    SmallServer server{{}};
    Settings settings = settings_for(server.where());
    settings.warmup = 0ms;
    settings.duration = 1h;
    int ticks = 0;
    const Report report = run(null_step(), settings, [&](const Progress& progress) {
        EXPECT_NEAR(progress.total_s, 3600, 0.1);
        return ++ticks < 3;
    });
    EXPECT_EQ(report.ended_early, "interrupted");
    EXPECT_GT(report.answered, 0u);
    EXPECT_LT(report.seconds, 3600);
    EXPECT_FALSE(report.unreachable);
}

}  // namespace
}  // namespace helio::load::run_test
