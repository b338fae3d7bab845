// Bytes on the wire, compared with those of Linux's client and server.
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "helio/frame/rdma_message.h"
#include "testing/xdr/bytes.h"

namespace helio::frame::rdma_message_wire_test {
namespace {

using xdr::Bytes;
using xdr::hex;
using xdr::to_hex;

// What Linux's client and server sent each other, from a capture.
const Bytes kLinuxWriteCall =
    hex("fd7d738e 00000001 00000080 00000000"  // RDMA_MSG
        "00000001 00000070"                    // a read chunk where the data of a WRITE goes
        "00000671 00004e21 fd7d738e8624c000 00000000"  // 20,001 bytes
        "00000000 00000000");
const Bytes kLinuxLongCall =
    hex("227e738e 00000001 00000080 00000001"  // RDMA_NOMSG: a SYMLINK, head and tail apart
        "00000001 00000000 00001904 00000060 227e738e898b4000"
        "00000001 00000000 00002c05 00000fb8 227e738e89bc1000"
        "00000000 00000000 00000000");
const Bytes kLinuxReadCall =
    hex("d97d738e 00000001 00000080 00000000 00000000"
        "00000001 00000001 00000c77 00001000 d97d738e865b8000 00000000"  // room for 4,096 bytes
        "00000000");
const Bytes kLinuxReadReply =
    hex("d97d738e 00000001 00000040 00000000 00000000"
        "00000001 00000001 00000c77 0000012c d97d738e865b8000 00000000"  // 300 of them are used
        "00000000");
const Bytes kLinuxLongReply =
    hex("f47d738e 00000001 00000040 00000001 00000000 00000000"
        "00000001 00000003"
        "00000ac0 00000088 f47d738e89882000"
        "000009e1 00000000 f47d738e89a7b000"
        "000007d0 00000000 f47d738e89882100");

RdmaHeader header_of(const Bytes& bytes) {
    RdmaHeader header;
    const auto result = read_rdma_header(bytes, header);
    EXPECT_TRUE(result) << (result ? "" : to_text(result.error()));
    return header;
}

RdmaOffer offer_of(const Bytes& call_header) {
    RdmaOffer offer;
    offer.take(header_of(call_header));
    return offer;
}

TEST(RdmaWire, LinuxCallsArePutTogether) {
    RdmaCallPlan plan;
    ASSERT_TRUE(plan_rdma_call(header_of(kLinuxWriteCall), 0x70, 1u << 20, plan));
    EXPECT_EQ(plan.size, 112u + 20'001 + 3);
    ASSERT_EQ(plan.fetches.size(), 1u);
    EXPECT_EQ(plan.fetches[0].from, (RdmaSegment{0x671, 20'001, 0xfd7d738e8624c000}));
    EXPECT_EQ(plan.fetches[0].to, 112u);
    ASSERT_EQ(plan.zeros.size(), 1u);
    EXPECT_EQ(plan.zeros[0].to, 112u + 20'001);

    ASSERT_TRUE(plan_rdma_call(header_of(kLinuxLongCall), 0, 1u << 20, plan));
    EXPECT_EQ(plan.size, 0x60u + 0xfb8);
    EXPECT_EQ(plan.fetches.size(), 2u);
    EXPECT_TRUE(plan.moves.empty() && plan.zeros.empty());
}

TEST(RdmaWire, LinuxRepliesAreWritten) {
    RdmaReplyPlan plan;
    Bytes out(500);
    const Bytes data(300);
    const xdr::Segment read_reply[] = {{ByteView{data}.first(128)}, {data, false, true}};
    ASSERT_TRUE(plan_rdma_reply(offer_of(kLinuxReadCall), read_reply, 4096, plan));
    out.resize(write_rdma_reply_header(offer_of(kLinuxReadCall), plan, 0x40, out));
    EXPECT_EQ(to_hex(out), to_hex(kLinuxReadReply));

    RdmaOffer offer;
    offer.xid = 0xf47d738e;
    offer.has_reply = true;
    offer.reply = {{0xac0, 0x88, 0xf47d738e89882000},
                   {0x9e1, 0x1000, 0xf47d738e89a7b000},
                   {0x7d0, 0x10, 0xf47d738e89882100}};
    const xdr::Segment long_reply[] = {{ByteView{data}.first(0x88)}};
    ASSERT_TRUE(plan_rdma_reply(offer, long_reply, 28 + 4 + 48, plan));
    out.resize(500);
    out.resize(write_rdma_reply_header(offer, plan, 0x40, out));
    EXPECT_EQ(to_hex(out), to_hex(kLinuxLongReply));
}

TEST(RdmaWire, KeysToInvalidate) {
    EXPECT_EQ(offer_of(kLinuxReadCall).invalidate, 0xc77u);
    EXPECT_EQ(offer_of(kLinuxWriteCall).invalidate, 0x671u);
    EXPECT_EQ(offer_of(kLinuxLongCall).invalidate, std::nullopt);  // two of them
    RdmaHeader header;
    RdmaOffer offer = offer_of(kLinuxReadCall);
    offer.take(header);
    EXPECT_EQ(offer.invalidate, std::nullopt);
    EXPECT_TRUE(offer.write_segments.empty());
    header.has_reply = true;
    header.reply = {{5, 1, 1}, {5, 1, 2}};
    offer.take(header);
    EXPECT_EQ(offer.invalidate, 5u);
    EXPECT_EQ(offer.reply_bytes(), 2u);
    header.write_segments = {{6, 1, 1}};
    header.write_ends = {1};
    offer.take(header);
    EXPECT_EQ(offer.invalidate, std::nullopt);
    EXPECT_EQ(offer.write_bytes(), 1u);
}

// ---- Headers ----

// If there is too little room nothing is written, and the size is returned.
template <class Write>
Bytes written_in_any_room(Write&& write) {
    const std::size_t size = write(std::span<std::byte>{});
    for (std::size_t room = 0; room < size; ++room) {
        Bytes small(room, std::byte{0xee});
        EXPECT_EQ(write(std::span{small}), size);
        EXPECT_EQ(small, Bytes(room, std::byte{0xee}));
    }
    Bytes out(size + 1, std::byte{0xee});
    EXPECT_EQ(write(std::span{out}), size);
    EXPECT_EQ(out.back(), std::byte{0xee});
    out.pop_back();
    return out;
}

TEST(RdmaWire, CallHeadersAreLinuxs) {
    for (const Bytes* bytes : {&kLinuxWriteCall, &kLinuxLongCall, &kLinuxReadCall}) {
        const RdmaHeader header = header_of(*bytes);
        const Bytes out = written_in_any_room([&](std::span<std::byte> to) {
            return write_rdma_call_header({.xid = header.xid,
                                           .credits = header.credits,
                                           .no_message = header.kind == RdmaKind::no_message,
                                           .reads = header.reads,
                                           .write = header.write_segments,
                                           .reply = header.reply},
                                          to);
        });
        EXPECT_EQ(to_hex(out), to_hex(*bytes));
    }
    const RdmaSegment reply[] = {{0xcccc, 9, 10}, {0xcccd, 11, 0x100000000}};
    const Bytes out = written_in_any_room([&](std::span<std::byte> to) {
        return write_rdma_call_header({.xid = 1, .credits = 2, .reply = reply}, to);
    });
    EXPECT_EQ(to_hex(out), to_hex(hex("00000001 00000001 00000002 00000000 00000000 00000000"
                                      "00000001 00000002 0000cccc 00000009 000000000000000a"
                                      "0000cccd 0000000b 0000000100000000")));
}

TEST(RdmaWire, ReplyHeadersNeedTheirRoom) {
    RdmaOffer offer;
    offer.write_segments = {{1, 9, 50}};
    offer.write_ends = {1, 1};  // one chunk of a segment, one of none
    offer.has_reply = true;
    offer.reply = {{5, 40, 90}};
    EXPECT_EQ(offer.header_size_with_reply_chunk(), 28u + 8 + 16 + 8 + 4 + 16);
    EXPECT_EQ(offer.header_size_without_reply_chunk(), 28u + 8 + 16 + 8);
    const Bytes bytes(28);
    const xdr::Segment message[] = {{bytes}, {ByteView{bytes}.first(4), false, true}};
    for (const std::size_t inline_max : {std::size_t{80}, std::size_t{1000}}) {
        RdmaReplyPlan plan;
        ASSERT_TRUE(plan_rdma_reply(offer, message, inline_max, plan));
        EXPECT_EQ(plan.in_reply_chunk, inline_max == 80);
        const Bytes out = written_in_any_room(
            [&](std::span<std::byte> to) { return write_rdma_reply_header(offer, plan, 3, to); });
        EXPECT_EQ(out.size(), (plan.in_reply_chunk ? offer.header_size_with_reply_chunk()
                                                   : offer.header_size_without_reply_chunk()));
        EXPECT_EQ(header_of(out).size, out.size());
    }
}

TEST(RdmaWire, Errors) {
    const auto error = [](std::uint32_t version, bool is_version) {
        return to_hex(written_in_any_room([&](std::span<std::byte> to) {
            return write_rdma_error(0x11223344, version, 32, is_version, to);
        }));
    };
    EXPECT_EQ(error(2, true),
              "1122334400000002000000200000000400000001"
              "00000001"
              "00000001");
    EXPECT_EQ(error(1, false), "1122334400000001000000200000000400000002");
}

// ---- RFC 8797 ----

TEST(RdmaWire, PrivateData) {
    const auto written = [](bool invalidation, std::size_t send, std::size_t receive) {
        std::array<std::byte, kRdmaPrivateDataSize> out;
        write_rdma_private_data({invalidation, send, receive}, out);
        return to_hex(out);
    };
    EXPECT_EQ(written(true, 4096, 4096), "f6ab0e1801010303");  // Linux's value
    EXPECT_EQ(written(false, 1024, 262'144), "f6ab0e18010000ff");
    // Never announces more than it receives, nor less than it sends.
    EXPECT_EQ(written(false, 4097, 5119), "f6ab0e1801000403");
    EXPECT_EQ(written(false, 0, 1), "f6ab0e1801000000");
    EXPECT_EQ(written(false, SIZE_MAX, SIZE_MAX), "f6ab0e180100ffff");

    const auto read = [](std::string_view text) {
        const RdmaPrivateData data = read_rdma_private_data(hex(text));
        return std::tuple{data.remote_invalidation, data.send_size, data.receive_size};
    };
    EXPECT_EQ(read("f6ab0e18 01 01 03 07"), (std::tuple{true, 4096, 8192}));
    EXPECT_EQ(read("f6ab0e18 01 fe 00 ff 00000000"), (std::tuple{false, 1024, 262'144}));
    const std::tuple nothing_said{false, kRdmaInlineDefault, kRdmaInlineDefault};
    for (const char* text : {"", "f6ab0e18 01 01 03", "f6ab0e19 01 01 03 07",
                             "f6ab0e18 02 01 03 07", "f6ab0e18 00 01 03 07"})
        EXPECT_EQ(read(text), nothing_said) << text;
}

}  // namespace
}  // namespace helio::frame::rdma_message_wire_test
