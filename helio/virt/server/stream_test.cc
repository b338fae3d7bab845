#include "helio/virt/server/stream.h"

#include <gtest/gtest.h>

#include "testing/virt/probe_service.h"

namespace helio::virt::server::stream_test {
namespace {

using namespace probe;

struct StreamTest : testing::Test {
    StreamTest() { line.ask(head(Procedure::OPEN)); }
    // Opens a download stream of this size and serial.
    void down(std::uint32_t serial, int size) {
        line.say(head(Procedure::DOWN, serial), xdr::word(static_cast<std::uint32_t>(size)));
    }
    void up(std::uint32_t serial) {
        ASSERT_EQ(line.ask(head(Procedure::UP, serial)).header.status, VirnetStatus::ok);
    }
    static VirnetHeader packet(std::uint32_t procedure, std::uint32_t serial, VirnetStatus status,
                               VirnetType type = VirnetType::stream) {
        return head(procedure, serial, type, status);
    }

    ProbeCore core;
    ProbeLine line{*core.worker, core.session_factory};
    StreamDiary& diary = core.service.diary;
};

TEST_F(StreamTest, DownInPacketsWithAnEmptyOneAtTheEnd) {
    down(7, 600'000);
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 5u);
    EXPECT_EQ(heard[0].header, head(Procedure::DOWN, 7, VirnetType::reply));
    std::size_t sum = 0;
    for (std::size_t i = 1; i < heard.size(); ++i) {
        EXPECT_EQ(heard[i].header, packet(Procedure::DOWN, 7, VirnetStatus::more));
        EXPECT_LE(heard[i].payload.size(), frame::kStreamPacketMax);
        sum += heard[i].payload.size();
    }
    EXPECT_EQ(sum, 600'000u);
    EXPECT_TRUE(heard[4].payload.empty());
    EXPECT_EQ(diary.finished, 0);

    const Heard last = line.ask(packet(Procedure::DOWN, 7, VirnetStatus::ok));
    EXPECT_EQ(last.header, packet(Procedure::DOWN, 7, VirnetStatus::ok));
    EXPECT_EQ(diary.finished, 1);
    EXPECT_EQ(diary.aborted, 0);
    EXPECT_EQ(diary.destroyed, 1);
}

TEST_F(StreamTest, UpTakesBytesAndHoles) {
    up(7);
    line.say(packet(Procedure::UP, 7, VirnetStatus::more), as_bytes("abc"));
    Bytes hole = xdr::word(0);
    xdr::append(hole, xdr::word(4096));
    xdr::append(hole, xdr::word(0));
    line.say(packet(Procedure::UP, 7, VirnetStatus::more, VirnetType::stream_hole), hole);
    line.say(packet(Procedure::UP, 7, VirnetStatus::more), as_bytes("de"));
    EXPECT_TRUE(line.heard().empty());
    EXPECT_EQ(diary.received, Bytes(as_bytes("abcde").begin(), as_bytes("abcde").end()));
    EXPECT_EQ(diary.holes, std::vector<std::uint64_t>{4096});
    EXPECT_EQ(line.ask(packet(Procedure::UP, 7, VirnetStatus::ok)).header.status, VirnetStatus::ok);
    EXPECT_EQ(diary.finished, 1);
}

TEST_F(StreamTest, AnErrorOfTheServerEndsItAndTheRestIsIgnored) {
    up(7);
    const Heard heard = line.ask(packet(Procedure::UP, 7, VirnetStatus::more), as_bytes("!"));
    EXPECT_EQ(heard.header, packet(Procedure::UP, 7, VirnetStatus::error));
    EXPECT_EQ(heard.error().message, "operation failed: full");
    EXPECT_EQ(diary.aborted, 1);
    EXPECT_EQ(diary.destroyed, 1);
    line.say(packet(Procedure::UP, 7, VirnetStatus::more), as_bytes("late"));
    line.say(packet(Procedure::UP, 7, VirnetStatus::ok));
    EXPECT_TRUE(line.heard().empty());
}

TEST_F(StreamTest, TheClientMayAbort) {
    up(7);
    const Heard heard = line.ask(packet(Procedure::UP, 7, VirnetStatus::error));
    EXPECT_EQ(heard.header, packet(Procedure::UP, 7, VirnetStatus::ok));
    EXPECT_TRUE(heard.payload.empty());
    EXPECT_EQ(diary.aborted, 1);
    EXPECT_EQ(diary.finished, 0);
}

TEST_F(StreamTest, NonsenseEndsIt) {
    up(7);
    const auto error = line.ask(packet(Procedure::UP, 7, VirnetStatus{9})).error();
    EXPECT_EQ(error.message, "stream aborted with unexpected status 9");
    EXPECT_EQ(error.domain, VIR_FROM_STREAMS);
    up(8);
    EXPECT_EQ(line.ask(packet(Procedure::UP, 8, VirnetStatus::more, VirnetType::stream_hole),
                       as_bytes("short"))
                  .header.status,
              VirnetStatus::error);
    down(9, 100'000);
    line.heard();
    EXPECT_EQ(
        line.ask(packet(Procedure::DOWN, 9, VirnetStatus::more), as_bytes("x")).error().message,
        "stream had unexpected termination");
}

TEST_F(StreamTest, PacketsOfNoStreamAreIgnored) {
    up(7);
    line.say(packet(Procedure::UP, 8, VirnetStatus::more), as_bytes("x"));
    line.say(packet(Procedure::DOWN, 7, VirnetStatus::more), as_bytes("x"));
    line.say(packet(Procedure::UP, 8, VirnetStatus::ok));
    EXPECT_TRUE(line.heard().empty());
    EXPECT_TRUE(diary.received.empty());
}

// Two at once: neither waits for the other's end.
TEST_F(StreamTest, StreamsTakeTurns) {
    down(7, 3 * static_cast<int>(frame::kStreamPacketMax));
    down(8, 3 * static_cast<int>(frame::kStreamPacketMax));
    std::vector<std::uint32_t> order;
    for (const Heard& one : line.heard())
        if (one.header.type == VirnetType::stream) order.push_back(one.header.serial);
    EXPECT_EQ(order, (std::vector<std::uint32_t>{7, 8, 7, 8, 7, 8, 7, 8}));
}

TEST_F(StreamTest, TooManyAreRefused) {
    for (std::uint32_t serial = 0; serial < kStreamsOpenMax; ++serial) up(serial + 10);
    EXPECT_EQ(line.ask(head(Procedure::UP, 1000)).error().message, "too many");
    EXPECT_EQ(diary.destroyed, 1);
    EXPECT_EQ(line.ask(head(Procedure::UP, 10)).error().message, "too many") << "serial in use";
    line.go_away();
    EXPECT_EQ(diary.aborted, static_cast<int>(kStreamsOpenMax));
}

TEST_F(StreamTest, TheServerMayEndItAtAnyTime) {
    up(7);
    const StreamHandle handle = core.service.last_stream;
    EXPECT_TRUE(handle.is_open());
    handle.fail(virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_TEST, "gone"));
    EXPECT_TRUE(line.session().has_more_output());
    const auto heard = line.heard();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_EQ(heard[0].error().message, "operation failed: gone");
    EXPECT_FALSE(handle.is_open());
    handle.wake();
    line.go_away();
    handle.wake();
}

}  // namespace
}  // namespace helio::virt::server::stream_test
