// Streams split into records: in any pieces, with any piece missing, from any offset.
#include "helio/inspect/flow/record_cutter.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "testing/inspect/messages.h"

namespace helio::inspect::record_cutter_test {
namespace {

class Cutting {
 public:
    explicit Cutting(std::size_t keep_max = kRecordSizeMax) : buffers(keep_max) {}
    void data(ByteView bytes) { cutter.data(bytes, {++time, 1, nullptr, 0, Carrier::stream}); }
    void gap(std::uint64_t size) {
        cutter.gap(size, Unread::lost, {++time, 1, nullptr, 0, Carrier::stream});
    }
    void finish() { cutter.finish({}); }

    MessagesSeen seen;
    RecordBuffers buffers;
    RecordCutter cutter{seen, builtin_catalogue(), buffers};
    std::int64_t time = 0;
};

// Calls of several sizes, with xids 1 to 6; where each record begins is in `starts`.
Bytes six_calls(std::vector<std::size_t>* starts = nullptr) {
    Bytes stream;
    for (std::uint32_t xid = 1; xid <= 6; ++xid) {
        if (starts != nullptr) starts->push_back(stream.size());
        append_record(stream, call_message(xid, 1 + xid % 3, xid * 12));
    }
    return stream;
}

TEST(RecordCutter, RecordsInOnePieceAreUsedInPlace) {
    Cutting cutting;
    const Bytes stream = six_calls();
    cutting.data(stream);
    EXPECT_EQ(cutting.seen.xids(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(cutting.seen.unread_all, 0u);
}

TEST(RecordCutter, AnyTwoPiecesMakeTheSame) {
    const Bytes stream = six_calls();
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        Cutting cutting;
        cutting.data(ByteView{stream}.first(at));
        cutting.data(ByteView{stream}.subspan(at));
        EXPECT_EQ(cutting.seen.xids(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6})) << at;
        for (const auto& one : cutting.seen.all) EXPECT_FALSE(one.cut);
    }
}

TEST(RecordCutter, ByteByByte) {
    Cutting cutting;
    const Bytes stream = six_calls();
    for (std::size_t at = 0; at < stream.size(); ++at)
        cutting.data(ByteView{stream}.subspan(at, 1));
    EXPECT_EQ(cutting.seen.all.size(), 6u);
    EXPECT_EQ(cutting.seen.unread_all, 0u);
}

TEST(RecordCutter, SeveralFragmentsAreOneRecord) {
    Cutting cutting;
    const Bytes call = call_message(7);
    Bytes stream;
    append_word(stream, 44);
    stream.insert(stream.end(), call.begin(), call.begin() + 44);
    append_word(stream, 0x80000000u | static_cast<std::uint32_t>(call.size() - 44));
    stream.insert(stream.end(), call.begin() + 44, call.end());
    append_record(stream, call_message(8));
    cutting.data(stream);
    ASSERT_EQ(cutting.seen.xids(), (std::vector<std::uint32_t>{7, 8}));
    EXPECT_EQ(cutting.seen.all[0].bytes, call);
}

// Whatever piece is missing: all records that do not touch it are found, none is invented, and
// those with a header are reported as cut.
TEST(RecordCutter, AnyPieceMissing) {
    std::vector<std::size_t> starts;
    const Bytes stream = six_calls(&starts);
    starts.push_back(stream.size());
    for (std::size_t from = 0; from < stream.size(); from += 3) {
        for (const std::size_t size : {1u, 4u, 17u, 60u, 150u}) {
            const std::size_t to = std::min(from + size, stream.size());
            Cutting cutting;
            cutting.data(ByteView{stream}.first(from));
            cutting.gap(to - from);
            cutting.data(ByteView{stream}.subspan(to));
            cutting.finish();
            for (std::uint32_t xid = 1; xid <= 6; ++xid) {
                const std::size_t begin = starts[xid - 1];
                const std::size_t end = starts[xid];
                const auto found = std::find_if(cutting.seen.all.begin(), cutting.seen.all.end(),
                                                [&](const auto& one) { return one.xid == xid; });
                const bool untouched = end <= from || begin >= to;
                // With a complete header it must be reported; with less than its first 24 bytes,
                // which name the procedure, it must not.
                const bool head_there = begin + 4 + kCallHeadMin <= from;
                const bool named = begin + 4 + 24 <= from;
                const bool reported = found != cutting.seen.all.end();
                EXPECT_TRUE(reported ? untouched || named : !untouched && !head_there)
                    << "xid " << xid << " without " << from << " to " << to;
                EXPECT_TRUE(found == cutting.seen.all.end() || found->cut == !untouched);
            }
            EXPECT_LE(cutting.seen.all.size(), 6u);
        }
    }
}

TEST(RecordCutter, JoinedInTheMiddle) {
    std::vector<std::size_t> starts;
    const Bytes stream = six_calls(&starts);
    for (std::size_t from = 0; from < stream.size(); ++from) {
        Cutting cutting;
        cutting.data(ByteView{stream}.subspan(from));
        cutting.finish();
        const auto whole = static_cast<std::size_t>(std::count_if(
            starts.begin(), starts.end(), [&](std::size_t start) { return start >= from; }));
        EXPECT_EQ(cutting.seen.all.size(), whole) << from;
    }
}

TEST(RecordCutter, StreamsOfAnotherKindGiveNothing) {
    Cutting cutting;
    cutting.cutter.begin(RecordCutter::Start::seen, {});
    Bytes noise(1u << 20);
    std::uint32_t state = 1;
    for (std::byte& b : noise)
        b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
    for (std::size_t at = 0; at < noise.size(); at += 1448)
        cutting.data(ByteView{noise}.subspan(at, std::min<std::size_t>(1448, noise.size() - at)));
    cutting.finish();
    EXPECT_TRUE(cutting.seen.all.empty());
    EXPECT_EQ(cutting.seen.bytes(Unread::not_rpc), noise.size());
}

TEST(RecordCutter, LengthsOfLibvirt) {
    Bytes stream;
    for (std::uint32_t serial = 1; serial <= 3; ++serial) {
        append_word(stream, 28);
        for (const std::uint32_t word : {0x6b656570u, 1u, 1u, 2u, serial, 0u})
            append_word(stream, word);
    }
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        Cutting cutting;
        cutting.data(ByteView{stream}.first(at));
        cutting.data(ByteView{stream}.subspan(at));
        ASSERT_EQ(cutting.seen.all.size(), 3u) << at;
        EXPECT_EQ(cutting.seen.all[2].shape, Shape::virnet);
    }
}

// libvirt over AF_UNIX: two descriptors, each with a byte that no length counts.
TEST(RecordCutter, DescriptorsOfLibvirt) {
    Bytes stream;
    for (std::uint32_t serial = 1; serial <= 3; ++serial) {
        append_word(stream, 32);
        for (const std::uint32_t word : {0x6b656570u, 1u, 9u, 4u, serial, 0u, 2u})
            append_word(stream, word);
        stream.insert(stream.end(), 2, std::byte{0});
    }
    for (std::size_t at = 0; at <= stream.size(); ++at) {
        Cutting cutting;
        cutting.data(ByteView{stream}.first(at));
        cutting.data(ByteView{stream}.subspan(at));
        ASSERT_EQ(cutting.seen.all.size(), 3u) << at;
        EXPECT_EQ(cutting.seen.bytes(Unread::record_damaged), 0u) << at;
    }
}

TEST(RecordCutter, OfALargeRecordOnlyTheBeginningIsKept) {
    Cutting cutting{256};
    Bytes stream;
    append_record(stream, call_message(1, 7, 100000));
    append_record(stream, call_message(2));
    for (std::size_t at = 0; at < stream.size(); at += 1000)
        cutting.data(ByteView{stream}.subspan(at, std::min<std::size_t>(1000, stream.size() - at)));
    ASSERT_EQ(cutting.seen.all.size(), 2u);
    EXPECT_EQ(cutting.seen.all[0].bytes.size(), 256u);
    EXPECT_EQ(cutting.seen.all[0].size, 100052u);
    EXPECT_FALSE(cutting.seen.all[0].cut) << "it is in the capture";
}

TEST(RecordCutter, ADamagedMarkCostsNoMoreThanItsRecord) {
    std::vector<std::size_t> starts;
    Bytes stream = six_calls(&starts);
    stream[starts[2]] = std::byte{0x7f};
    Cutting cutting;
    cutting.data(stream);
    cutting.finish();
    EXPECT_EQ(cutting.seen.xids(), (std::vector<std::uint32_t>{1, 2, 4, 5, 6}));
}

}  // namespace
}  // namespace helio::inspect::record_cutter_test
