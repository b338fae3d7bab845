#include "helio/frame/rdma_message.h"

#include <gtest/gtest.h>

#include "testing/frame/rdma_plan.h"

namespace helio::frame::rdma_message_test {
namespace {

// A header with these reads, as if it had been received.
RdmaHeader with_reads(RdmaKind kind, std::vector<RdmaReadSegment> reads) {
    RdmaHeader header;
    header.kind = kind;
    header.reads = std::move(reads);
    return header;
}

// "f HANDLE:OFFSET+LENGTH>TO m FROM+SIZE>TO z SIZE>TO = TOTAL"
std::string words_of(const RdmaCallPlan& plan) {
    std::string out;
    const auto n = [](std::uint64_t value) { return std::to_string(value); };
    for (const RdmaFetch& one : plan.fetches)
        out += "f " + n(one.from.handle) + ":" + n(one.from.offset) + "+" + n(one.from.length) +
               ">" + n(one.to) + " ";
    for (const RdmaMove& one : plan.moves)
        out += "m " + n(one.from) + "+" + n(one.size) + ">" + n(one.to) + " ";
    for (const RdmaMove& one : plan.zeros) out += "z " + n(one.size) + ">" + n(one.to) + " ";
    return out + "= " + n(plan.size);
}

struct CallRow {
    const char* what;
    RdmaKind kind;
    std::vector<RdmaReadSegment> reads;
    std::size_t inline_size;
    const char* plan;
};

TEST(RdmaMessage, CallsArePutTogether) {
    constexpr RdmaKind inline_ = RdmaKind::message;
    constexpr RdmaKind long_ = RdmaKind::no_message;
    const std::vector<CallRow> table = {
        {"inline", inline_, {}, 40, "m 0+40>0 = 40"},
        {"nothing at all", inline_, {}, 0, "= 0"},
        {"a chunk at the end", inline_, {{40, {1, 8, 100}}}, 40, "f 1:100+8>40 m 0+40>0 = 48"},
        {"its padding is added",
         inline_,
         {{40, {1, 5, 100}}},
         40,
         "f 1:100+5>40 m 0+40>0 z 3>45 = 48"},
        {"a chunk with words behind it",
         inline_,
         {{16, {1, 6, 100}}},
         40,
         "f 1:100+6>16 m 0+16>0 m 16+24>24 z 2>22 = 48"},
        {"padding behind the chunk, not behind its segments",
         inline_,
         {{8, {1, 3, 100}}, {8, {2, 2, 200}}, {8, {3, 1, 300}}},
         8,
         "f 1:100+3>8 f 2:200+2>11 f 3:300+1>13 m 0+8>0 z 2>14 = 16"},
        {"segments of no bytes",
         inline_,
         {{8, {1, 0, 100}}, {8, {2, 4, 200}}, {8, {3, 0, 300}}},
         8,
         "f 2:200+4>8 m 0+8>0 = 12"},
        {"a chunk of no bytes", inline_, {{8, {1, 0, 100}}}, 8, "m 0+8>0 = 8"},
        {"two chunks: the second's position counts the first and its padding",
         inline_,
         {{4, {1, 5, 100}}, {16, {2, 4, 200}}},
         12,
         "f 1:100+5>4 f 2:200+4>16 m 0+4>0 m 4+4>12 m 8+4>20 z 3>9 = 24"},
        {"two chunks, one behind the other",
         inline_,
         {{4, {1, 5, 100}}, {12, {2, 4, 200}}},
         4,
         "f 1:100+5>4 f 2:200+4>12 m 0+4>0 z 3>9 = 16"},
        {"the message is a chunk; what follows the header is nobody's",
         long_,
         {{0, {1, 8, 100}}, {0, {2, 4, 200}}},
         99,
         "f 1:100+8>0 f 2:200+4>8 = 12"},
        {"its last padding may be missing", long_, {{0, {1, 7, 100}}}, 0, "f 1:100+7>0 z 1>7 = 8"},
        {"a chunk within it, inside a segment",
         long_,
         {{0, {1, 12, 100}}, {0, {2, 4, 200}}, {8, {3, 5, 300}}},
         0,
         "f 1:100+8>0 f 3:300+5>8 f 1:108+4>16 f 2:200+4>20 z 3>13 = 24"},
        {"between two segments, one of which has no bytes",
         long_,
         {{0, {1, 8, 100}}, {0, {9, 0, 900}}, {0, {2, 4, 200}}, {8, {3, 4, 300}}},
         0,
         "f 1:100+8>0 f 3:300+4>8 f 2:200+4>12 = 16"},
        {"segments of the message need not end at words",
         long_,
         {{0, {1, 5, 100}}, {0, {2, 7, 200}}, {8, {3, 4, 300}}},
         0,
         "f 1:100+5>0 f 2:200+3>5 f 3:300+4>8 f 2:203+4>12 = 16"},
    };
    RdmaCallPlan plan;
    for (const CallRow& row : table) {
        const auto result =
            plan_rdma_call(with_reads(row.kind, row.reads), row.inline_size, 99, plan);
        ASSERT_TRUE(result) << row.what << ": " << to_text(result.error());
        EXPECT_EQ(words_of(plan), row.plan) << row.what;
        // The limit is the size, and one byte less is too little.
        EXPECT_TRUE(
            plan_rdma_call(with_reads(row.kind, row.reads), row.inline_size, plan.size, plan));
        if (plan.size == 0) continue;
        const auto over =
            plan_rdma_call(with_reads(row.kind, row.reads), row.inline_size, plan.size - 1, plan);
        ASSERT_FALSE(over) << row.what;
        EXPECT_EQ(over.error().fault, RdmaPlanFault::too_long) << row.what;
    }
}

struct FaultRow {
    RdmaKind kind;
    std::vector<RdmaReadSegment> reads;
    RdmaPlanError error;
    const char* text;
};

TEST(RdmaMessage, CallFaults) {
    const std::uint32_t huge = 0xffffffff;
    const std::vector<FaultRow> table = {
        {RdmaKind::no_message,
         {},
         {RdmaPlanFault::no_message, 0, 0},
         "there is no message, neither behind the header nor in a chunk at position 0"},
        {RdmaKind::no_message,
         {{4, {1, 8, 0}}},
         {RdmaPlanFault::no_message, 0, 0},
         "there is no message, neither behind the header nor in a chunk at position 0"},
        {RdmaKind::no_message,
         {{0, {1, 0, 0}}},
         {RdmaPlanFault::empty_chunk, 0, 0},
         "the chunk at position 0, which is the message, has no bytes"},
        {RdmaKind::message,
         {{44, {1, 8, 0}}},
         {RdmaPlanFault::position_beyond, 44, 40},
         "a chunk at position 44 of a message that ends at 40"},
        {RdmaKind::message,
         {{40, {1, 5, 0}}, {52, {2, 1, 0}}},
         {RdmaPlanFault::position_beyond, 52, 48},
         "a chunk at position 52 of a message that ends at 48"},
        {RdmaKind::message,
         {{0xfffffffc, {1, 8, 0}}},
         {RdmaPlanFault::position_beyond, 0xfffffffc, 40},
         "a chunk at position 4294967292 of a message that ends at 40"},
        {RdmaKind::no_message,
         {{0, {1, 8, 0}}, {12, {2, 4, 0}}},
         {RdmaPlanFault::position_beyond, 12, 8},
         "a chunk at position 12 of a message that ends at 8"},
        {RdmaKind::message,
         {{8, {1, 9, 0}}, {16, {2, 8, 0}}},
         {RdmaPlanFault::position_overlap, 16, 20},
         "a chunk at position 16, inside the one before it, which ends at 20"},
        {RdmaKind::message,
         {{8, {1, 100'000, 0}}},
         {RdmaPlanFault::too_long, 100'040, 65'536},
         "a message of 100040 bytes, more than 65536"},
        // Sums beyond 32 bits are correct.
        {RdmaKind::message,
         {{8, {1, huge, 0}}, {8, {2, huge, 0}}, {12, {3, huge, 0}}},
         {RdmaPlanFault::too_long, 40 + 0x200000000 + 0x100000000, 65'536},
         "a message of 12884901928 bytes, more than 65536"},
        {RdmaKind::no_message,
         {{0, {1, huge, 0}}, {0, {2, 1, 0}}, {8, {3, huge, 0}}},
         {RdmaPlanFault::too_long, 0x200000000, 65'536},
         "a message of 8589934592 bytes, more than 65536"},
    };
    RdmaCallPlan plan;
    for (const FaultRow& row : table) {
        const auto result = plan_rdma_call(with_reads(row.kind, row.reads), 40, 65'536, plan);
        ASSERT_FALSE(result) << row.text;
        EXPECT_EQ(result.error(), row.error) << to_text(result.error());
        EXPECT_EQ(to_text(result.error()), row.text);
    }
    for (const RdmaKind kind : {RdmaKind::padded, RdmaKind::done, RdmaKind::error})
        EXPECT_FALSE(plan_rdma_call(with_reads(kind, {{0, {1, 8, 0}}}), 40, 65'536, plan));
}

TEST(RdmaMessage, WarmPlansTakeNoMemory) {
    const RdmaHeader header = with_reads(RdmaKind::message, {{8, {1, 5, 100}}, {16, {2, 3, 200}}});
    RdmaCallPlan plan;
    ASSERT_TRUE(plan_rdma_call(header, 12, 100, plan));
    const auto* fetches = plan.fetches.data();
    const auto* moves = plan.moves.data();
    const auto* zeros = plan.zeros.data();
    ASSERT_TRUE(plan_rdma_call(header, 12, 100, plan));
    EXPECT_EQ(plan.fetches.data(), fetches);
    EXPECT_EQ(plan.moves.data(), moves);
    EXPECT_EQ(plan.zeros.data(), zeros);
}

// ---- Replies ----

RdmaOffer offering(std::vector<std::vector<RdmaSegment>> chunks,
                   std::optional<std::vector<RdmaSegment>> reply = {}) {
    RdmaOffer offer;
    offer.xid = 7;
    for (const auto& chunk : chunks) {
        offer.write_segments.insert(offer.write_segments.end(), chunk.begin(), chunk.end());
        offer.write_ends.push_back(static_cast<std::uint32_t>(offer.write_segments.size()));
    }
    offer.has_reply = reply.has_value();
    if (reply) offer.reply = *reply;
    return offer;
}

// Digits are plain bytes, letters bulk data, "." its padding; a space begins a new segment.
struct Layout {
    explicit Layout(const std::string& text) {
        std::size_t end = 0;
        for (std::size_t begin = 0; begin <= text.size(); begin = end + 1) {
            end = std::min(text.find(' ', begin), text.size());
            if (end != begin) pieces.push_back(text.substr(begin, end - begin));
        }
        for (const std::string& piece : pieces)
            segments.push_back({as_bytes(piece), false, piece[0] >= 'a' && piece[0] <= 'z'});
    }
    std::vector<std::string> pieces;
    std::vector<xdr::Segment> segments;
};

// "HANDLE:OFFSET=bytes … | rest | bytes used of write segments | of the reply's"
std::string words_of(const RdmaReplyPlan& plan) {
    std::string out;
    for (const RdmaStore& one : plan.bulk)
        out += std::to_string(one.handle) + ":" + std::to_string(one.offset) + "=" +
               std::string{as_text(one.from)} + " ";
    out += "| ";
    for (const ByteView piece : plan.rest) out += as_text(piece);
    out += " |";
    for (const std::uint32_t used : plan.write_used) out += " " + std::to_string(used);
    out += plan.in_reply_chunk ? " | reply" : " |";
    for (const std::uint32_t used : plan.reply_used) out += " " + std::to_string(used);
    return out;
}

struct ReplyRow {
    const char* what;
    RdmaOffer offer;
    std::string message;
    std::size_t inline_max;
    std::string plan;
};

// A header has 28 bytes without lists, a write chunk 8 and a reply chunk 4 more, a segment 16.
TEST(RdmaMessage, RepliesArePlanned) {
    const std::string forty = "0123456789012345678901234567890123456789";
    const std::vector<ReplyRow> table = {
        {"all inline", offering({}), "01234567", 36, "| 01234567 | |"},
        {"no chunk for bulk data", offering({}), "0123 abcd", 36, "| 0123abcd | |"},
        {"bulk data apart, without padding", offering({{{1, 100, 50}}}), "0123 abcde ...4567",
         52 + 8, "1:50=abcde | 01234567 | 5 |"},
        {"padding in segments of its own", offering({{{1, 100, 50}}}), "0123 a . .. 4567", 52 + 8,
         "1:50=a | 01234567 | 1 |"},
        {"over several segments, one of them of no bytes",
         offering({{{1, 2, 50}, {2, 0, 60}, {3, 2, 70}, {4, 9, 80}}}), "0123 abcde ...", 200,
         "1:50=ab 3:70=cd 4:80=e | 0123 | 2 0 2 1 |"},
        {"as much as there is room for", offering({{{1, 2, 50}, {3, 2, 70}}}), "0123 abcd", 200,
         "1:50=ab 3:70=cd | 0123 | 2 2 |"},
        {"a chunk that nothing goes to", offering({{{1, 9, 50}}}), "0123", 200, "| 0123 | 0 |"},
        {"one piece to each chunk, and what is left stays",
         offering({{{1, 9, 50}}, {{2, 9, 60}, {3, 9, 70}}}), "0 a ...1 bcdefghijk ..2 lm ..3", 200,
         "1:50=a 2:60=bcdefghij 3:70=k | 012lm..3 | 1 9 1 |"},
        {"a chunk of no segments: the caller wants it inline", offering({{}, {{2, 9, 60}}}),
         "0123 ab ..4567 cd ..", 200, "2:60=cd | 0123ab..4567 | 2 |"},
        {"four bytes too long to go inline", offering({}, {{{5, 20, 90}, {7, 100, 95}}}), forty,
         28 + 36, "| " + forty + " | | reply 20 20"},
        {"a reply chunk that is filled", offering({}, {{{5, 0, 90}, {7, 56, 95}}}),
         forty + " 0123456789012345", 28 + 52, "| " + forty + "0123456789012345 | | reply 0 56"},
        {"a reply chunk that is not needed", offering({}, {{{5, 20, 90}, {7, 100, 95}}}),
         "01234567", 28 + 8, "| 01234567 | | 0 0"},
        {"bulk data apart, and the rest in the reply chunk",
         offering({{{1, 9, 50}}}, {{{5, 4, 90}, {6, 40, 95}}}), forty + " abc .", 52 + 36,
         "1:50=abc | " + forty + " | 3 | reply 4 36"},
    };
    RdmaReplyPlan plan;
    for (const ReplyRow& row : table) {
        const Layout layout{row.message};
        ASSERT_TRUE(plan_rdma_reply(row.offer, layout.segments, row.inline_max, plan)) << row.what;
        EXPECT_EQ(words_of(plan), row.plan) << row.what;
        EXPECT_TRUE(carry_out(row.offer, plan, row.inline_max)) << row.what;
    }
}

TEST(RdmaMessage, ReplyFaults) {
    RdmaReplyPlan plan;
    const auto fault = [&](const RdmaOffer& offer, const char* message, std::size_t inline_max) {
        const Layout layout{message};
        const auto result = plan_rdma_reply(offer, layout.segments, inline_max, plan);
        EXPECT_FALSE(result) << message;
        return result ? std::optional<RdmaReplyFault>{} : result.error();
    };
    using enum RdmaReplyFault;
    EXPECT_EQ(fault(offering({{{1, 2, 0}, {2, 2, 0}}}), "0123 abcde ...", 999), bulk_too_long);
    EXPECT_EQ(fault(offering({{{1, 9, 0}}, {{2, 2, 0}}}), "0 abc . def .", 999), bulk_too_long);
    // One byte more than fits inline.
    EXPECT_EQ(fault(offering({}), "01234567", 28 + 7), reply_too_long);
    EXPECT_EQ(fault(offering({{{1, 9, 0}}}), "01234567 abcd", 52 + 7), reply_too_long);
    // A reply chunk that is a byte too short; and one of no segments.
    EXPECT_EQ(fault(offering({}, {{{5, 23, 0}}}), "012345678901234567890123", 48), reply_too_long);
    EXPECT_EQ(fault(offering({}, {{}}), "01234567", 28 + 4), reply_too_long);
    // The caller cannot receive the lists that it would have to get back.
    EXPECT_EQ(fault(offering({}, {{{5, 99, 0}}}), "012345678901234567890123", 47), reply_too_long);
    EXPECT_EQ(fault(offering({{{1, 9, 0}}}), "", 51), reply_too_long);
    EXPECT_EQ(fault(offering({}), "", 0), reply_too_long);
}

}  // namespace
}  // namespace helio::frame::rdma_message_test
