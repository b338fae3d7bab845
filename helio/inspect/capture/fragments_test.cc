#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "testing/inspect/segments.h"

namespace helio::inspect::fragments_test {

using namespace helio::inspect::for_test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

const Bytes kPayload = pattern(60, 5);

std::vector<Bytes> fragments_of(ByteView payload, std::size_t part_size, std::uint16_t id = 1) {
    std::vector<Bytes> frames;
    for (const Bytes& ip :
         ipv4_fragments(kClient, kServer, udp(kClient, kServer, payload), part_size, id)) {
        frames.push_back(ethernet(ip));
    }
    return frames;
}

void expect_whole(const Dissection& got, const Bytes& payload) {
    ASSERT_EQ(got.segments().size(), 1u);
    EXPECT_FALSE(got.only().segment.tcp);
    EXPECT_EQ(got.only().segment.source, kClient);
    EXPECT_EQ(got.only().segment.destination, kServer);
    EXPECT_EQ(got.only().segment.payload_size, payload.size());
    EXPECT_EQ(got.only().payload, payload);
    EXPECT_EQ(got.sink().packets(), 0u);
}

TEST(Fragments, ComeInAnyOrder) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 16);  // 68 bytes: five fragments
    ASSERT_EQ(frames.size(), 5u);
    std::vector<std::size_t> order(frames.size());
    std::iota(order.begin(), order.end(), 0);
    do {
        Dissection got;
        for (std::size_t i = 0; i < order.size(); ++i) {
            ASSERT_TRUE(got.segments().empty());
            got.feed(frames[order[i]], static_cast<std::int64_t>(i));
        }
        expect_whole(got, kPayload);
        EXPECT_EQ(got.only().segment.time_ns, 4);
        EXPECT_EQ(got.only().segment.packet, 5u);
        got.flush();
        EXPECT_EQ(got.segments().size(), 1u);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Fragments, ManyOfALargestDatagram) {
    const Bytes payload = pattern(65507);  // 65535 with UDP and IP headers
    std::vector<Bytes> frames = fragments_of(payload, 1480);
    std::reverse(frames.begin(), frames.end());
    Dissection got;
    for (const Bytes& frame : frames) got.feed(frame);
    expect_whole(got, payload);
}

TEST(Fragments, OfIpv6) {
    const Bytes datagram = udp(kClient6, kServer6, kPayload);
    // Other headers may follow the fragment header; they are part of the fragmented data.
    const Bytes all = BytesBuilder{}.u8(kProtocolUdp).u8(0).zeros(6).add(datagram);
    for (const bool backwards : {false, true}) {
        std::vector<Bytes> frames;
        for (std::size_t at = 0; at < all.size(); at += 24) {
            const std::size_t size = std::min<std::size_t>(24, all.size() - at);
            // Only the first fragment's protocol counts.
            const Bytes part =
                ipv6_fragment(at == 0 ? 60 : 99, 0x12345678, static_cast<std::uint16_t>(at),
                              at + size < all.size(), ByteView{all}.subspan(at, size));
            frames.push_back(ethernet(ipv6(kClient6, kServer6, part, 44)));
        }
        if (backwards) std::reverse(frames.begin(), frames.end());
        Dissection got;
        for (const Bytes& frame : frames) got.feed(frame);
        ASSERT_EQ(got.segments().size(), 1u);
        EXPECT_EQ(got.only().segment.source, kClient6);
        EXPECT_EQ(got.only().segment.destination, kServer6);
        EXPECT_EQ(got.only().payload, kPayload);
    }
}

TEST(Fragments, OfTcp) {
    const Bytes segment = tcp(kClient, kServer, {.sequence = 9}, kPayload);
    Dissection got;
    for (const Bytes& ip : ipv4_fragments(kClient, kServer, segment, 8, 3, kProtocolTcp)) {
        got.feed(ethernet(ip));
    }
    ASSERT_EQ(got.segments().size(), 1u);
    EXPECT_TRUE(got.only().segment.tcp);
    EXPECT_EQ(got.only().segment.sequence, 9u);
    EXPECT_EQ(got.only().payload, kPayload);
}

TEST(Fragments, AreToldApartByAllThatIpSays) {
    const auto parts = [](const Endpoint& from, const Endpoint& to, unsigned seed,
                          std::uint16_t id) {
        return ipv4_fragments(from, to, udp(from, to, pattern(30, seed)), 16, id);
    };
    const Endpoint other = v4_end(10, 0, 0, 9, 854);
    const std::vector<Bytes> datagrams[] = {
        parts(kClient, kServer, 1, 1), parts(kClient, kServer, 2, 2), parts(other, kServer, 3, 1),
        parts(kClient, other, 4, 1)};
    Dissection got;
    for (std::size_t i = 0; i < 3; ++i) {
        for (const std::vector<Bytes>& datagram : datagrams) got.feed(ethernet(datagram[i]));
    }
    ASSERT_EQ(got.segments().size(), 4u);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(got.segments()[i].payload, pattern(30, i + 1));
}

TEST(Fragments, ThatComeTwiceAreTakenOnce) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 16);
    for (const bool each_twice : {true, false}) {
        Dissection got;
        for (std::size_t i = 0; i < 2 * frames.size(); ++i) {
            got.feed(frames[each_twice ? i / 2 : i % frames.size()]);
        }
        got.flush();
        expect_whole(got, kPayload);
    }
}

// For example, a router with a smaller MTU fragmented a retransmission.
TEST(Fragments, MayOverlapWhereTheyAgree) {
    const std::vector<Bytes> large = fragments_of(kPayload, 40), small = fragments_of(kPayload, 24);
    Dissection got;
    got.feed(small[1]);
    got.feed(large[0]);
    got.feed(large[1]);
    expect_whole(got, kPayload);
}

TEST(Fragments, ThatContradictBelongToAnotherDatagram) {
    const Bytes first = pattern(60, 1), second = pattern(60, 2);
    const std::vector<Bytes> old = fragments_of(first, 24), young = fragments_of(second, 24);
    Dissection got;
    got.feed(old[0]);
    got.feed(old[1]);
    for (const Bytes& frame : young) got.feed(frame);
    ASSERT_EQ(got.segments().size(), 2u);
    EXPECT_TRUE(got.segments()[0].cut());
    EXPECT_EQ(got.segments()[0].segment.cut_by, Unread::fragments_missing);
    EXPECT_EQ(got.segments()[0].segment.payload_size, 60u);
    EXPECT_EQ(got.segments()[0].payload, Bytes(first.begin(), first.begin() + 40));
    EXPECT_EQ(got.segments()[1].payload, second);
    EXPECT_EQ(got.sink().packets(), 0u);
}

TEST(Fragments, OfAnotherLengthBelongToAnotherDatagram) {
    const Bytes shorter = pattern(30, 1), longer = pattern(60, 1);
    const std::vector<Bytes> old = fragments_of(shorter, 16), young = fragments_of(longer, 40);
    Dissection got;
    got.feed(old[2]);    // ends at byte 38
    got.feed(young[1]);  // from byte 40 on
    got.feed(young[0]);
    ASSERT_EQ(got.segments().size(), 1u);
    EXPECT_EQ(got.only().payload, longer);
    EXPECT_EQ(got.sink().packets(Unread::fragments_missing), 1u);
    EXPECT_EQ(got.sink().bytes(Unread::fragments_missing), 6u);
}

TEST(Fragments, WithoutOthersAreGivenAtTheEnd) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 16);
    for (std::size_t missing = 0; missing < frames.size(); ++missing) {
        Dissection got;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            if (i != missing) got.feed(frames[i], static_cast<std::int64_t>(i));
        }
        ASSERT_TRUE(got.segments().empty());
        got.flush();
        if (missing == 0) {
            ASSERT_TRUE(got.segments().empty());
            EXPECT_EQ(got.sink().packets(Unread::fragments_missing), 4u);
            EXPECT_EQ(got.sink().bytes(Unread::fragments_missing), 52u);
            continue;
        }
        ASSERT_EQ(got.segments().size(), 1u) << missing;
        EXPECT_EQ(got.only().segment.payload_size, kPayload.size());
        EXPECT_EQ(got.only().segment.cut_by, Unread::fragments_missing);
        EXPECT_EQ(got.only().segment.time_ns, missing == 4 ? 3 : 4);
        EXPECT_EQ(got.only().segment.source, kClient);
        EXPECT_EQ(got.only().payload,
                  Bytes(kPayload.begin(), kPayload.begin() + 16 * std::ptrdiff_t(missing) - 8));
    }
}

TEST(Fragments, WaitAsLongAsLinuxDoes) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 40);
    const std::int64_t wait = std::chrono::nanoseconds{kFragmentWaitMax}.count();
    Dissection patient;
    patient.feed(frames[0], 5 * kSecond);
    patient.feed(frames[1], 5 * kSecond + wait);
    expect_whole(patient, kPayload);

    // Any packet advances the clock.
    Dissection late;
    late.feed(frames[0], 5 * kSecond);
    late.feed(udp_frame(kServer, kClient, pattern(3)), 5 * kSecond + wait + 1);
    ASSERT_EQ(late.segments().size(), 2u);
    EXPECT_EQ(late.segments()[0].payload, pattern(3));
    EXPECT_TRUE(late.segments()[1].cut());
    EXPECT_EQ(late.segments()[1].payload, Bytes(kPayload.begin(), kPayload.begin() + 32));
    late.feed(frames[1], 5 * kSecond + wait + 2);
    late.flush();
    EXPECT_EQ(late.segments().size(), 2u);
    EXPECT_EQ(late.sink().packets(Unread::fragments_missing), 1u);
}

// More first fragments than the memory limit allows: none is lost, and the newest still wait.
TEST(Fragments, ThatAreTooManyAreGivenUpOldestFirst) {
    constexpr std::size_t kDatagrams = 8000;
    const Bytes payload = pattern(1200, 1);
    std::vector<Bytes> parts = fragments_of(payload, 1000);
    const auto part = [&](std::size_t index, std::size_t id) -> const Bytes& {
        parts[index][14 + 4] = static_cast<std::byte>(id >> 8);
        parts[index][14 + 5] = static_cast<std::byte>(id);
        return parts[index];
    };
    Dissection got;
    for (std::size_t i = 0; i < kDatagrams; ++i) got.feed(part(0, i));
    EXPECT_GT(got.segments().size(), kDatagrams - kFragmentBytesMax / 1000);
    EXPECT_LT(got.segments().size(), kDatagrams - kFragmentBytesMax / 2000);
    got.feed(part(1, kDatagrams - 1));
    EXPECT_EQ(got.segments().back().payload, payload);
    got.feed(part(1, 0));  // the oldest: its beginning has been given up
    got.flush();
    EXPECT_EQ(got.segments().size(), kDatagrams);
    EXPECT_EQ(got.sink().packets(Unread::fragments_missing), 1u);
    for (const KeptSegment& kept : got.segments()) {
        ASSERT_EQ(kept.segment.payload_size, payload.size());
        ASSERT_GE(kept.payload.size(), 992u);
    }
}

// The overhead of small fragments counts too.
TEST(Fragments, ThatAreSmallCountWithWhatKeepingThemTakes) {
    Dissection got;
    for (std::size_t i = 0; i < 30'000; ++i) {
        got.feed(ethernet(ipv4(kClient, kServer, pattern(8),
                               {.protocol = kProtocolUdp,
                                .id = static_cast<std::uint16_t>(i),
                                .fragment_offset = 8,
                                .more_fragments = true})));
    }
    EXPECT_GT(got.sink().packets(Unread::fragments_missing), 30'000 - kFragmentBytesMax / 256);
    got.flush();
    EXPECT_EQ(got.sink().packets(Unread::fragments_missing), 30'000u);
    EXPECT_TRUE(got.segments().empty());
}

TEST(Fragments, CutByTheSnapLengthDoNotWait) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 40);
    Dissection got;
    got.feed(ByteView{frames[0]}.first(14 + 20 + 30), frames[0].size(), 0);
    got.feed(frames[1]);
    ASSERT_EQ(got.segments().size(), 1u);
    EXPECT_EQ(got.only().segment.payload_size, kPayload.size());
    EXPECT_EQ(got.only().segment.cut_by, Unread::not_captured);
    EXPECT_EQ(got.only().payload, Bytes(kPayload.begin(), kPayload.begin() + 22));
}

TEST(Fragments, ThatNobodyFetchedAreCounted) {
    const std::vector<Bytes> frames = fragments_of(kPayload, 40);
    CountingSink sink;
    Dissector dissector{sink};
    Segment segment;
    Packet packet{.number = 1, .link = kLinkEthernet, .original_size = 200, .bytes = frames[0]};
    EXPECT_FALSE(dissector.dissect(packet, segment));
    packet.bytes = frames[1];
    packet.time_ns = 100 * kSecond;  // gives up the first, which is never fetched
    EXPECT_FALSE(dissector.dissect(packet, segment));
    EXPECT_FALSE(dissector.dissect(packet, segment));
    EXPECT_FALSE(dissector.left_over(segment));
    EXPECT_EQ(sink.bytes(Unread::fragments_missing), 40u);
}

TEST(Fragments, ThatMakeNoSenseAreDamaged) {
    const auto fragment = [](std::size_t size, unsigned offset, bool more) {
        return ethernet(ipv4(kClient, kServer, pattern(size),
                             {.protocol = kProtocolUdp,
                              .fragment_offset = static_cast<std::uint16_t>(offset),
                              .more_fragments = more}));
    };
    Dissection got;
    got.feed(fragment(20, 8, true));        // only the last may be no multiple of eight
    got.feed(fragment(0, 8, false));        // empty
    got.feed(fragment(100, 65472, false));  // past what IP can carry
    // A fragment of a fragment.
    const Bytes inner = ipv6_fragment(kProtocolUdp, 2, 8, true, pattern(8));
    const Bytes first = ipv6_fragment(44, 1, 0, true, ByteView{inner}.first(8));
    const Bytes second = ipv6_fragment(44, 1, 8, false, ByteView{inner}.subspan(8));
    got.feed(ethernet(ipv6(kClient6, kServer6, first, 44)));
    got.feed(ethernet(ipv6(kClient6, kServer6, second, 44)));
    got.flush();
    EXPECT_TRUE(got.segments().empty());
    EXPECT_EQ(got.sink().packets(Unread::packet_damaged), 4u);
    EXPECT_EQ(got.sink().packets(), 4u);
}

}  // namespace
}  // namespace helio::inspect::fragments_test
