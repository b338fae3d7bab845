// Conversations are separated, datagrams recognised by content, and everything is paired.
#include "helio/inspect/flow/flows.h"

#include <gtest/gtest.h>

#include "testing/inspect/messages.h"

namespace helio::inspect::flows_test {
namespace {

Endpoint end(std::uint8_t last, std::uint16_t port) {
    Endpoint out;
    out.address[0] = std::byte{10};
    out.address[3] = std::byte{last};
    out.port = port;
    return out;
}

Segment datagram(const Endpoint& from, const Endpoint& to, const Bytes& payload) {
    Segment segment;
    segment.source = from;
    segment.destination = to;
    segment.payload = payload;
    segment.payload_size = static_cast<std::uint32_t>(payload.size());
    return segment;
}

Segment tcp(const Endpoint& from, const Endpoint& to, std::uint32_t sequence,
            const Bytes& payload) {
    Segment segment = datagram(from, to, payload);
    segment.tcp = true;
    segment.sequence = sequence;
    return segment;
}

TEST(Flows, DatagramsAreJudgedByContentWhateverTheirPorts) {
    MessagesSeen seen;
    Flows flows{seen, builtin_catalogue()};
    const Endpoint client = end(1, 53);
    const Endpoint server = end(2, 443);
    flows.segment(datagram(client, server, call_message(5)));
    flows.segment(datagram(server, client, reply_message(5)));
    flows.segment(datagram(client, server, Bytes(64, std::byte{0x41})));
    ASSERT_EQ(seen.all.size(), 2u);
    EXPECT_TRUE(seen.all[0].call);
    EXPECT_FALSE(seen.all[1].call);
    EXPECT_EQ(seen.all[1].direction, 1);
    EXPECT_EQ(seen.bytes(Unread::not_rpc), 64u);
    EXPECT_EQ(flows.count(), 1u);
}

TEST(Flows, TcpAndUdpBetweenTheSamePortsAreTwo) {
    MessagesSeen seen;
    Flows flows{seen, builtin_catalogue()};
    Bytes record;
    append_record(record, call_message(1));
    for (std::uint16_t port = 600; port < 700; ++port) {  // with any hashes
        flows.segment(datagram(end(1, port), end(2, 2049), call_message(2)));
        flows.segment(tcp(end(1, port), end(2, 2049), 0, record));
    }
    EXPECT_EQ(flows.count(), 200u);
    EXPECT_EQ(seen.all.size(), 200u);
}

TEST(Flows, ManyConnectionsDoNotMix) {
    MessagesSeen seen;
    Flows flows{seen, builtin_catalogue()};
    constexpr std::uint16_t kClients = 1000;
    // Each client's record arrives in two halves, all first halves first.
    std::vector<Bytes> streams;
    for (std::uint16_t i = 0; i < kClients; ++i)
        append_record(streams.emplace_back(), call_message(i));
    for (const bool second : {false, true}) {
        for (std::uint16_t i = 0; i < kClients; ++i) {
            const Bytes& whole = streams[i];
            const Bytes half(whole.begin() + (second ? 30 : 0),
                             second ? whole.end() : whole.begin() + 30);
            flows.segment(tcp(end(1, i), end(2, 2049), second ? 30 : 0, half));
        }
    }
    ASSERT_EQ(seen.all.size(), kClients);
    for (std::uint32_t i = 0; i < kClients; ++i) EXPECT_EQ(seen.all[i].xid, i);
}

TEST(Flows, ConversationsBeyondTheLimitAreCounted) {
    MessagesSeen seen;
    Flows flows{seen, builtin_catalogue()};
    const Bytes call = call_message(1);
    for (std::uint32_t i = 0; i < kFlowsMax + 10; ++i) {
        Endpoint client = end(static_cast<std::uint8_t>(i >> 16), static_cast<std::uint16_t>(i));
        flows.segment(datagram(client, end(200, 111), call));
    }
    EXPECT_EQ(flows.count(), kFlowsMax);
    EXPECT_EQ(seen.all.size(), kFlowsMax);
    EXPECT_EQ(seen.bytes(Unread::too_much_held), 10 * call.size());
}

}  // namespace
}  // namespace helio::inspect::flows_test
