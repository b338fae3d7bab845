// Plans of random messages, executed: the result equals the original.
#include <gtest/gtest.h>

#include <random>

#include "helio/frame/rdma_message.h"
#include "testing/frame/rdma_plan.h"

namespace helio::frame::rdma_message_random_test {
namespace {

constexpr int kRounds = 3000;

class Dice final {
 public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    // 0 … most
    std::uint32_t upto(std::uint32_t most) {
        return static_cast<std::uint32_t>(engine_() % (most + 1));
    }
    bool one_in(std::uint32_t n) { return upto(n - 1) == 0; }
    PlanBytes bytes(std::size_t size) {
        PlanBytes out(size);
        for (std::byte& one : out) one = static_cast<std::byte>(1 + upto(254));  // no zeros
        return out;
    }

 private:
    std::mt19937 engine_;
};

// The caller's memory: a segment's offset is an address in it, its handle selects the piece.
class CallersMemory final {
 public:
    explicit CallersMemory(Dice& dice) : dice_(dice) {}

    // Cut at random, with segments of no bytes among them.
    void place(ByteView data, std::uint32_t position, std::vector<RdmaReadSegment>& reads) {
        do {
            const std::uint32_t size = dice_.one_in(2)
                                           ? static_cast<std::uint32_t>(data.size())
                                           : dice_.upto(static_cast<std::uint32_t>(data.size()));
            bytes_.resize(bytes_.size() + dice_.upto(9), std::byte{0xdd});
            reads.push_back({position, {kHandle, size, kBase + bytes_.size()}});
            bytes_.insert(bytes_.end(), data.begin(), data.begin() + static_cast<long>(size));
            data = data.subspan(size);
        } while (!data.empty());
    }
    std::byte peek(std::uint32_t handle, std::uint64_t address) const {
        EXPECT_EQ(handle, kHandle);
        return bytes_.at(address - kBase);
    }

 private:
    static constexpr std::uint32_t kHandle = 0x1234;
    static constexpr std::uint64_t kBase = 0xfffffffffff00000;
    Dice& dice_;
    PlanBytes bytes_;
};

void append_bytes(PlanBytes& to, ByteView more) { to.insert(to.end(), more.begin(), more.end()); }

TEST(RdmaMessageRandom, CallsComeOutWhole) {
    Dice dice{20049};
    RdmaHeader header;
    RdmaCallPlan plan;
    for (int round = 0; round < kRounds; ++round) {
        CallersMemory memory{dice};
        const bool in_chunk = dice.one_in(2);
        PlanBytes message = dice.bytes(4 + 4 * dice.upto(8));
        PlanBytes stream = message;
        std::vector<RdmaReadSegment> chunks;
        for (std::uint32_t left = dice.upto(4); left != 0; --left) {
            PlanBytes data = dice.bytes(1 + dice.upto(40));
            const std::size_t full = padded(data.size());
            // Some senders include the padding in the chunk.
            const PlanBytes with_padding = [&] {
                PlanBytes out = data;
                out.resize(full);
                return out;
            }();
            if (dice.one_in(3)) data = with_padding;
            memory.place(data, static_cast<std::uint32_t>(message.size()), chunks);
            append_bytes(message, with_padding);
            const PlanBytes between = dice.bytes(4 * dice.upto(5));
            append_bytes(message, between);
            append_bytes(stream, between);
        }
        std::vector<RdmaReadSegment> reads;
        if (in_chunk) memory.place(stream, 0, reads);
        reads.insert(reads.end(), chunks.begin(), chunks.end());

        PlanBytes bytes(8192);
        const RdmaCallHeader call{.xid = 1, .credits = 2, .no_message = in_chunk, .reads = reads};
        bytes.resize(write_rdma_call_header(call, bytes));
        ASSERT_TRUE(read_rdma_header(bytes, header));
        ASSERT_EQ(header.reads, reads);
        const ByteView behind = in_chunk ? ByteView{} : ByteView{stream};
        ASSERT_TRUE(plan_rdma_call(header, behind.size(), message.size(), plan));
        const auto made = carry_out(plan, behind, [&](std::uint32_t handle, std::uint64_t address) {
            return memory.peek(handle, address);
        });
        ASSERT_TRUE(made.has_value()) << round;
        ASSERT_EQ(*made, message) << round;
    }
}

// A reply split into segments anywhere, and its pieces of bulk data.
struct RandomReply {
    explicit RandomReply(Dice& dice) {
        plain(dice, dice.bytes(4 * dice.upto(20)));
        for (std::uint32_t left = dice.upto(3); left != 0; --left) {
            pieces.push_back(dice.bytes(dice.upto(50)));
            bulk.push_back(true);
            items.push_back(pieces.back().size());
            PlanBytes behind(padded(items.back()) - items.back());  // zeros
            append_bytes(behind, dice.bytes(4 * dice.upto(20)));
            plain(dice, behind);
        }
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            segments.push_back({pieces[i], false, bulk[i]});
            append_bytes(whole, pieces[i]);
        }
    }
    void plain(Dice& dice, ByteView bytes) {
        while (!bytes.empty()) {
            const std::size_t size =
                dice.one_in(2) ? bytes.size() : dice.upto(static_cast<std::uint32_t>(bytes.size()));
            pieces.emplace_back(bytes.begin(), bytes.begin() + static_cast<long>(size));
            bulk.push_back(false);
            bytes = bytes.subspan(size);
        }
    }
    std::vector<PlanBytes> pieces;
    std::vector<bool> bulk;
    std::vector<std::size_t> items;  // sizes of bulk data
    std::vector<xdr::Segment> segments;
    PlanBytes whole;
};

std::vector<RdmaSegment> random_segments(Dice& dice, std::uint32_t bytes) {
    std::vector<RdmaSegment> out;
    while (bytes != 0) {
        const std::uint32_t size = dice.one_in(3) ? bytes : dice.upto(bytes);
        out.push_back({dice.upto(9), size, std::uint64_t{dice.upto(1000)} << 40});
        bytes -= size;
    }
    return out;
}

RdmaOffer random_offer(Dice& dice) {
    RdmaOffer offer;
    offer.xid = dice.upto(99);
    for (std::uint32_t left = dice.upto(3); left != 0; --left) {
        const auto chunk = random_segments(dice, dice.one_in(5) ? 0 : 10 + dice.upto(70));
        offer.write_segments.insert(offer.write_segments.end(), chunk.begin(), chunk.end());
        offer.write_ends.push_back(static_cast<std::uint32_t>(offer.write_segments.size()));
    }
    offer.has_reply = dice.one_in(2);
    if (offer.has_reply) offer.reply = random_segments(dice, dice.upto(400));
    return offer;
}

// The expected fault, from sizes alone.
std::optional<RdmaReplyFault> fault_to_expect(const RdmaOffer& offer, const RandomReply& reply,
                                              std::size_t inline_max) {
    std::size_t rest = reply.whole.size();
    for (std::size_t i = 0; i < reply.items.size() && i < offer.write_ends.size(); ++i) {
        const std::uint64_t room = bytes_of(offer.write(i));
        if (room == 0) continue;
        if (reply.items[i] > room) return RdmaReplyFault::bulk_too_long;
        rest -= padded(reply.items[i]);
    }
    if (offer.header_size_without_reply_chunk() + rest <= inline_max) return {};
    if (offer.has_reply && offer.reply_bytes() >= rest &&
        offer.header_size_with_reply_chunk() <= inline_max)
        return {};
    return RdmaReplyFault::reply_too_long;
}

TEST(RdmaMessageRandom, RepliesComeOutWhole) {
    Dice dice{8166};
    RdmaReplyPlan plan;
    int whole = 0;
    int in_reply_chunk = 0;
    for (int round = 0; round < kRounds; ++round) {
        const RandomReply reply{dice};
        const RdmaOffer offer = random_offer(dice);
        const std::size_t inline_max = 100 + dice.upto(500);
        const auto result = plan_rdma_reply(offer, reply.segments, inline_max, plan);
        const auto fault = fault_to_expect(offer, reply, inline_max);
        ASSERT_EQ(!result, fault.has_value()) << round;
        if (fault) {
            ASSERT_EQ(result.error(), *fault) << round;
            continue;
        }
        const auto carried = carry_out(offer, plan, inline_max);
        ASSERT_TRUE(carried.has_value()) << round;
        ASSERT_EQ(put_back(reply.segments, *carried), reply.whole) << round;
        ++whole;
        in_reply_chunk += plan.in_reply_chunk ? 1 : 0;
    }
    // Enough of each, or the test would prove little.
    EXPECT_GT(whole, kRounds / 2);
    EXPECT_GT(in_reply_chunk, kRounds / 50);
}

}  // namespace
}  // namespace helio::frame::rdma_message_random_test
