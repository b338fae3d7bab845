// Calls and replies matched: late, early, repeated, alone.
#include "helio/inspect/pairing.h"

#include <gtest/gtest.h>

#include "testing/inspect/messages.h"

namespace helio::inspect::pairing_test {
namespace {

class PairingTest : public testing::Test, public ExchangeSink {
 protected:
    void exchange(const Exchange& exchange) override {
        std::string line = fmt_xid(exchange.xid);
        if (exchange.paired()) line += " paired " + std::to_string(exchange.latency_ns());
        if (exchange.call == nullptr) line += " orphan";
        if (exchange.reply == nullptr) line += " unanswered";
        if (exchange.retransmissions != 0) line += " x" + std::to_string(exchange.retransmissions);
        if (exchange.procedure != nullptr) line += " " + exchange.procedure->name;
        seen.push_back(line);
        arguments = Bytes(exchange.arguments.begin(), exchange.arguments.end());
    }
    static std::string fmt_xid(std::uint32_t xid) { return std::to_string(xid); }

    void call(std::uint32_t xid, std::int64_t time, std::uint32_t procedure = 1) {
        send(call_message(xid, procedure), time, 0);
    }
    void reply(std::uint32_t xid, std::int64_t time) { send(reply_message(xid), time, 1); }
    void send(const Bytes& bytes, std::int64_t time, std::uint8_t direction) {
        Message message;
        message.time_ns = time;
        message.flow = &flow;
        message.direction = direction;
        message.carrier = carrier;
        message.bytes = bytes;
        message.size = bytes.size();
        pairing.message(message);
    }

    Carrier carrier = Carrier::tcp;
    FlowEnds flow;
    std::vector<std::string> seen;
    Bytes arguments;
    Pairing pairing{*this, builtin_catalogue()};
};

TEST_F(PairingTest, AReplyFindsItsCall) {
    call(7, 100);
    call(8, 110, 6);
    reply(8, 150);
    reply(7, 180);
    EXPECT_EQ(seen,
              (std::vector<std::string>{"8 paired 40 nfs3.READ", "7 paired 80 nfs3.GETATTR"}));
    EXPECT_EQ(arguments.size(), 12u);
}

TEST_F(PairingTest, AReplySeenFirstWaits) {
    reply(7, 180);
    call(7, 100);
    EXPECT_EQ(seen, (std::vector<std::string>{"7 paired 80 nfs3.GETATTR"}));
}

TEST_F(PairingTest, WhatIsAloneIsSaidAtTheEnd) {
    call(1, 100);
    reply(2, 110);
    pairing.finish();
    EXPECT_EQ(seen, (std::vector<std::string>{"1 unanswered nfs3.GETATTR", "2 orphan"}));
    EXPECT_EQ(pairing.ledger().unanswered, 1u);
    EXPECT_EQ(pairing.ledger().orphans, 1u);
}

TEST_F(PairingTest, RetransmissionsAreCountedOnce) {
    carrier = Carrier::udp;
    call(7, 100);
    call(7, 200);
    reply(7, 230);
    reply(7, 240);
    call(7, 300);
    reply(7, 310);
    EXPECT_EQ(seen, (std::vector<std::string>{"7 paired 130 x1 nfs3.GETATTR",
                                              "7 paired 10 nfs3.GETATTR"}));
    EXPECT_EQ(pairing.ledger().calls, 3u);
    EXPECT_EQ(pairing.ledger().replies, 3u);
    EXPECT_EQ(pairing.ledger().retransmitted, 2u);
    EXPECT_EQ(pairing.ledger().repeated_replies, 1u);
}

TEST_F(PairingTest, AnXidUsedForAnotherCallEndsTheFirst) {
    call(7, 100, 1);
    call(7, 200, 6);
    reply(7, 230);
    EXPECT_EQ(seen,
              (std::vector<std::string>{"7 unanswered nfs3.GETATTR", "7 paired 30 nfs3.READ"}));
}

TEST_F(PairingTest, BothEndsMayCall) {
    send(call_message(7), 100, 0);
    send(call_message(7), 110, 1);
    send(reply_message(7), 120, 0);
    send(reply_message(7), 150, 1);
    EXPECT_EQ(seen,
              (std::vector<std::string>{"7 paired 10 nfs3.GETATTR", "7 paired 50 nfs3.GETATTR"}));
}

TEST_F(PairingTest, MemoryIsBounded) {
    for (std::uint32_t i = 0; i < kPendingMax + 100; ++i) call(i, i);
    EXPECT_EQ(seen.size(), 100u);
    EXPECT_EQ(seen[0], "0 unanswered nfs3.GETATTR");
    seen.clear();
    for (std::uint32_t i = 0; i < kPendingMax; ++i) reply(i + 100, 100000 + i);
    EXPECT_EQ(pairing.ledger().paired, kPendingMax);
    for (std::uint32_t i = 0; i < kEarlyRepliesMax + 10; ++i) reply(i + 500000, i);
    EXPECT_EQ(pairing.ledger().orphans, 10u);
}

}  // namespace
}  // namespace helio::inspect::pairing_test
