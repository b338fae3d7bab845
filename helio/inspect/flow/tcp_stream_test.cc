// Segments in any order, twice, overlapping, cut and lost.
#include "helio/inspect/flow/tcp_stream.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "testing/inspect/messages.h"

namespace helio::inspect::tcp_stream_test {
namespace {

class Collected final : public StreamSink {
 public:
    void begin(RecordCutter::Start start, const RecordCutter::Origin&) override {
        begins += start == RecordCutter::Start::seen;
    }
    void data(ByteView bytes, const RecordCutter::Origin& origin) override {
        text.append(as_text(bytes));
        times.push_back(origin.time_ns);
    }
    void gap(std::uint64_t size, Unread why, const RecordCutter::Origin&) override {
        text += why == Unread::not_captured ? std::string(size, '.') : std::string(size, '?');
    }
    std::string text;
    std::vector<std::int64_t> times;
    int begins = 0;
};

class TcpStreamTest : public testing::Test {
 protected:
    Segment made(std::uint32_t at, std::string_view payload, std::uint32_t more = 0) {
        Segment segment;
        segment.tcp = true;
        segment.time_ns = ++time_;
        segment.sequence = base_ + at;
        segment.payload = as_bytes(payload);
        segment.payload_size = static_cast<std::uint32_t>(payload.size()) + more;
        return segment;
    }
    void send(std::uint32_t at, std::string_view payload, std::uint32_t more = 0) {
        stream_.segment(made(at, payload, more));
    }
    void syn() {
        Segment segment = made(0, "");
        segment.flags = 2;
        segment.sequence = base_ - 1;
        stream_.segment(segment);
    }

    std::uint32_t base_ = 0xfffffff0;  // wraps soon
    std::int64_t time_ = 0;
    FlowEnds ends_;
    Collected out_;
    RecordBuffers buffers_{kRecordSizeMax};
    TcpStream stream_{out_, buffers_, ends_, 0};
};

TEST_F(TcpStreamTest, InOrder) {
    syn();
    send(0, "abc");
    send(3, "def");
    EXPECT_EQ(out_.text, "abcdef");
    EXPECT_EQ(out_.begins, 1);
}

TEST_F(TcpStreamTest, OutOfOrderTwiceAndOverlapping) {
    syn();
    send(3, "def");
    send(9, "jkl");
    send(3, "def");
    send(0, "abc");
    EXPECT_EQ(out_.text, "abcdef");
    send(4, "efghi");
    EXPECT_EQ(out_.text, "abcdefghijkl");
    send(0, "abcdefghijklm");
    EXPECT_EQ(out_.text, "abcdefghijklm");
}

TEST_F(TcpStreamTest, WhatWasHeldKeepsItsTime) {
    syn();
    send(3, "def");
    send(0, "abc");
    EXPECT_EQ(out_.times, (std::vector<std::int64_t>{3, 2}));
}

TEST_F(TcpStreamTest, LostToTheCaptureButAcknowledged) {
    syn();
    send(0, "abc");
    for (std::uint32_t i = 0; i < 80; ++i) {
        send(10 + i, "x");
        stream_.acknowledged(base_ + 10 + i);
    }
    EXPECT_EQ(out_.text.substr(0, 10), "abc???????");
    stream_.finish();
    EXPECT_EQ(out_.text, "abc???????" + std::string(80, 'x'));
}

TEST_F(TcpStreamTest, CutSegmentsLeaveAGapOfTheirOwn) {
    syn();
    send(0, "abc", 2);
    send(5, "fgh");
    EXPECT_EQ(out_.text, "abc..fgh");
}

TEST_F(TcpStreamTest, JoinedInTheMiddle) {
    send(1000, "abc");
    send(1003, "def");
    EXPECT_EQ(out_.text, "abcdef");
    EXPECT_EQ(out_.begins, 0);
}

TEST_F(TcpStreamTest, ASynBehindItsDataChangesNothing) {
    send(0, "abc");
    syn();
    send(3, "def");
    EXPECT_EQ(out_.text, "abcdef");
    EXPECT_EQ(out_.begins, 0);
}

TEST_F(TcpStreamTest, AnotherConnectionBetweenTheSamePorts) {
    syn();
    send(0, "abc");
    base_ += 0x70000000;
    syn();
    send(0, "new");
    EXPECT_EQ(out_.text, "abcnew");
    EXPECT_EQ(out_.begins, 2);
}

TEST_F(TcpStreamTest, AnyOrderOfAnyPieces) {
    const std::string whole =
        "the quick brown fox jumps over the lazy dog, again and again and again";
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 engine(seed);
        const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
        out_.text.clear();
        base_ = random();
        TcpStream stream{out_, buffers_, ends_, 0};
        std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
        for (std::uint32_t at = 0; at < whole.size();) {
            const std::uint32_t size = 1 + random() % 9;
            pieces.emplace_back(
                at, std::min<std::uint32_t>(size + random() % 4,
                                            static_cast<std::uint32_t>(whole.size()) - at));
            at += size;
        }
        for (std::size_t i = 0, n = pieces.size(); i < n; i += 3)
            pieces.push_back(pieces[random() % n]);
        std::shuffle(pieces.begin(), pieces.end(), engine);
        Segment start = made(0, "");
        start.flags = 2;
        start.sequence = base_ - 1;
        stream.segment(start);
        for (const auto& [at, size] : pieces)
            stream.segment(made(at, std::string_view{whole}.substr(at, size)));
        stream.finish();
        EXPECT_EQ(out_.text, whole) << seed;
    }
}

TEST_F(TcpStreamTest, MemoryIsBounded) {
    syn();
    const std::string block(60000, 'x');
    for (std::uint32_t i = 1; i < 400; ++i) send(i * 60000, block);  // the first one never arrives
    EXPECT_GT(out_.text.size(), 12u << 20) << "held back at most 8 MiB";
    EXPECT_TRUE(buffers_.hold(kFlowBytesMax - (9u << 20)));
}

}  // namespace
}  // namespace helio::inspect::tcp_stream_test
