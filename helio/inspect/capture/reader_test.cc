#include "helio/inspect/capture/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "testing/inspect/packets.h"

namespace helio::inspect::reader_test {

using namespace helio::inspect::for_test;

namespace {

constexpr std::int64_t kSecondInNs = 1'000'000'000;

// Delivers a few bytes at a time, and ends with an error on request.
class DripSource final : public ByteSource {
 public:
    DripSource(ByteView bytes, std::size_t drop, int error_at_end = 0)
        : memory_(bytes), drop_(drop), error_at_end_(error_at_end) {}
    std::size_t read(std::span<std::byte> into) override {
        const std::size_t got = memory_.read(into.first(std::min(into.size(), drop_)));
        if (got == 0) error_ = error_at_end_;
        return got;
    }
    std::string error() const override {
        return error_ == 0 ? std::string{} : std::system_category().message(error_);
    }

 private:
    MemorySource memory_;
    std::size_t drop_;
    int error_at_end_;
    int error_ = 0;
};

struct ReadPacket {
    std::int64_t time_ns = 0;
    std::uint32_t link = 0;
    std::uint32_t original_size = 0;
    Bytes bytes;

    bool operator==(const ReadPacket&) const = default;
};

struct Outcome {
    std::vector<ReadPacket> packets;
    std::string error;
    CaptureKind kind = CaptureKind::none;
    std::uint64_t cut_off = 0;
};

Outcome read_all(ByteSource& source) {
    CaptureReader reader{source};
    Outcome out;
    Packet packet;
    while (reader.next(packet)) {
        EXPECT_EQ(packet.number, out.packets.size() + 1);
        EXPECT_GE(packet.original_size, packet.bytes.size());
        out.packets.push_back({packet.time_ns, packet.link, packet.original_size,
                               Bytes{packet.bytes.begin(), packet.bytes.end()}});
    }
    EXPECT_FALSE(reader.next(packet));
    out.error = reader.error();
    out.kind = reader.kind();
    out.cut_off = reader.cut_off();
    return out;
}

Outcome read_all(ByteView file) {
    MemorySource source{file};
    return read_all(source);
}

// A file under construction, with the offset where each packet is complete.
struct Sample {
    std::string name;
    std::vector<ReadPacket> packets;
    Bytes bytes{};
    std::vector<std::size_t> packet_ends{};
};

const Bytes kFirst = pattern(60, 1), kSecondPacket = pattern(7, 2), kThird = pattern(0);

// Times that microseconds can represent; one packet cut, one of odd size, one empty.
std::vector<ReadPacket> sample_packets(std::uint32_t link) {
    return {{1'600'000'000 * kSecondInNs + 123'456'000, link, 60, kFirst},
            {1'600'000'001 * kSecondInNs + 5'000, link, 1500, kSecondPacket},
            {1'600'000'002 * kSecondInNs, link, 0, kThird}};
}

Sample pcap_sample(bool big_endian, bool nanoseconds) {
    Sample sample{.name = "pcap", .packets = sample_packets(113)};
    PcapFile file{{.big_endian = big_endian, .nanoseconds = nanoseconds, .link = 113}};
    for (const ReadPacket& packet : sample.packets) {
        file.add(packet.time_ns, packet.bytes, packet.original_size);
        sample.packet_ends.push_back(file.bytes().size());
    }
    sample.bytes = file.bytes();
    return sample;
}

Sample modified_pcap_sample() {
    Sample sample{.name = "modified pcap", .packets = sample_packets(1)};
    BytesBuilder out{true};
    out.u32(0xa1b2cd34).u16(2).u16(4).u32(0).u32(0).u32(65535).u32(1);
    for (const ReadPacket& packet : sample.packets) {
        out.u32(packet.time_ns / kSecondInNs).u32(packet.time_ns % kSecondInNs / 1000);
        out.u32(packet.bytes.size()).u32(packet.original_size);
        out.u32(2).u16(0x0800).u8(4).u8(0);  // interface, protocol, packet type, nothing
        out.add(packet.bytes);
        sample.packet_ends.push_back(out.size());
    }
    sample.bytes = out;
    return sample;
}

// RFC 1761.
Sample snoop_sample() {
    Sample sample{.name = "snoop", .packets = sample_packets(1)};
    BytesBuilder out;
    out.add(as_bytes("snoop")).zeros(3).u32(2).u32(4);
    for (const ReadPacket& packet : sample.packets) {
        const std::size_t size = 24 + packet.bytes.size();
        out.u32(packet.original_size).u32(packet.bytes.size()).u32(padded(size)).u32(0);
        out.u32(packet.time_ns / kSecondInNs)
            .u32(packet.time_ns % kSecondInNs / 1000)
            .add(packet.bytes);
        sample.packet_ends.push_back(out.size());
        out.pad();
    }
    sample.bytes = out;
    return sample;
}

// Blocks of pcapng.
class PcapngFile {
 public:
    explicit PcapngFile(bool little) : little_(little) {}

    void set_order(bool little) { little_ = little; }
    BytesBuilder body() const { return BytesBuilder{little_}; }
    // Returns the offset of the body in the file.
    std::size_t block(std::uint32_t kind, ByteView body) {
        BytesBuilder out{little_};
        const std::size_t size = 12 + padded(body.size());
        out.u32(kind).u32(size).add(body).pad().u32(size);
        bytes_.insert(bytes_.end(), out.bytes().begin(), out.bytes().end());
        return bytes_.size() - size + 8;
    }
    void section() {
        block(0x0a0d0d0a, body().u32(0x1a2b3c4d).u16(1).u16(0).u64(~std::uint64_t{0}).bytes());
    }
    void interface(std::uint16_t link, std::uint32_t snap_length, ByteView options = {}) {
        block(1, body().u16(link).u16(0).u32(snap_length).add(options).bytes());
    }
    std::size_t enhanced(std::uint32_t index, std::uint64_t ticks, ByteView packet,
                         std::size_t original) {
        auto out = body().u32(index).u32(ticks >> 32).u32(ticks & 0xffffffff).u32(packet.size());
        return 20 + block(6, out.u32(original).add(packet).bytes());
    }
    const Bytes& bytes() const { return bytes_; }

 private:
    bool little_;
    Bytes bytes_;
};

Sample pcapng_sample(bool little) {
    Sample sample{.name = "pcapng", .packets = sample_packets(113)};
    PcapngFile file{little};
    file.section();
    file.block(5, pattern(13));  // statistics, ignored
    file.interface(113, 0);
    for (const ReadPacket& packet : sample.packets) {
        const auto ticks = static_cast<std::uint64_t>(packet.time_ns / 1000);
        const std::size_t at = file.enhanced(0, ticks, packet.bytes, packet.original_size);
        sample.packet_ends.push_back(at + packet.bytes.size());
        file.block(0x80000bad, pattern(21));
    }
    sample.bytes = file.bytes();
    return sample;
}

std::vector<Sample> all_samples() {
    return {pcap_sample(false, false), pcap_sample(true, false), pcap_sample(false, true),
            pcap_sample(true, true),   modified_pcap_sample(),   snoop_sample(),
            pcapng_sample(true),       pcapng_sample(false)};
}

TEST(CaptureReader, ReadsEveryFormat) {
    for (const Sample& sample : all_samples()) {
        const Outcome out = read_all(sample.bytes);
        EXPECT_EQ(out.packets, sample.packets) << sample.name;
        EXPECT_EQ(out.error, "") << sample.name;
        EXPECT_EQ(out.cut_off, 0u) << sample.name;
        EXPECT_EQ(out.kind, recognise(ByteView{sample.bytes}.first(24)));
        EXPECT_TRUE(sample.name.ends_with(name(out.kind))) << sample.name;
    }
}

TEST(CaptureReader, TakesWhatComesInPieces) {
    for (const Sample& sample : all_samples()) {
        for (const std::size_t drop : {1u, 3u, 64u}) {
            DripSource source{sample.bytes, drop};
            EXPECT_EQ(read_all(source).packets, sample.packets) << sample.name << " by " << drop;
        }
    }
}

TEST(CaptureReader, GivesEveryPacketThatIsWholeBeforeTheCut) {
    for (const Sample& sample : all_samples()) {
        for (std::size_t size = 12; size < sample.bytes.size(); ++size) {
            const Outcome out = read_all(ByteView{sample.bytes}.first(size));
            const auto whole = std::count_if(sample.packet_ends.begin(), sample.packet_ends.end(),
                                             [&](std::size_t end) { return end <= size; });
            ASSERT_EQ(out.packets.size(), static_cast<std::size_t>(whole))
                << sample.name << " cut at " << size;
            ASSERT_TRUE(std::equal(out.packets.begin(), out.packets.end(), sample.packets.begin()));
            ASSERT_EQ(out.error, "") << sample.name << " cut at " << size;
            ASSERT_LE(out.cut_off, size);
        }
        // The size of the incomplete packet is reported.
        const std::size_t cut = sample.packet_ends[1] - 2;
        EXPECT_GT(read_all(ByteView{sample.bytes}.first(cut)).cut_off, 0u) << sample.name;
    }
}

TEST(CaptureReader, AnyBitMayBeWrong) {
    for (Sample& sample : all_samples()) {
        for (std::size_t bit = 0; bit < 8 * sample.bytes.size(); ++bit) {
            const auto mask = static_cast<std::byte>(1u << bit % 8);
            sample.bytes[bit / 8] ^= mask;
            const Outcome out = read_all(sample.bytes);
            // No file yields more bytes than it has.
            std::size_t total = 0;
            for (const ReadPacket& packet : out.packets) total += packet.bytes.size();
            ASSERT_LE(total, sample.bytes.size());
            sample.bytes[bit / 8] ^= mask;
        }
    }
}

TEST(CaptureReader, PacketsLargerThanTheBufferAreWhole) {
    PcapFile file{{.snap_length = 1u << 30}};
    const Bytes small = pattern(100, 1), large = pattern(700'000, 2);
    for (int i = 0; i < 3; ++i) {
        file.add(i, small);
        file.add(i, large);
    }
    const Outcome out = read_all(file.bytes());
    ASSERT_EQ(out.packets.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out.packets[i].bytes, i % 2 != 0 ? large : small);
}

// Many times the buffer size, with packets across every buffer boundary.
TEST(CaptureReader, SlidesOverALongFile) {
    PcapFile file;
    for (unsigned i = 0; i < 2000; ++i) file.add(i, pattern(i % 1511, i));
    const Outcome out = read_all(file.bytes());
    ASSERT_EQ(out.packets.size(), 2000u);
    for (unsigned i = 0; i < 2000; ++i) {
        ASSERT_EQ(out.packets[i].bytes, pattern(i % 1511, i)) << i;
        ASSERT_EQ(out.packets[i].time_ns, i);
    }
}

// A file with a large claim and little content costs little; here the claim is within the limit.
TEST(CaptureReader, ALargestPacketIsTakenAndOneMoreByteIsAnError) {
    for (const bool too_large : {false, true}) {
        BytesBuilder out{true};
        out.add(PcapFile{}.bytes());
        out.u32(7).u32(9).u32(2).u32(2).u16(0xabcd);
        out.u32(8).u32(9).u32(kPacketSizeMax + (too_large ? 1 : 0)).u32(kPacketSizeMax);
        out.zeros(kPacketSizeMax + 1);
        const Outcome got = read_all(out.bytes());
        EXPECT_EQ(got.packets.size(), too_large ? 1u : 2u);
        EXPECT_EQ(
            got.error,
            too_large ? "packet 2 at byte 42: 16777217 bytes captured; the limit is 16777216" : "");
    }
}

TEST(CaptureReader, OldPcapHasTheSizesTheOtherWayRound) {
    for (const unsigned minor : {2u, 3u, 4u}) {
        BytesBuilder out;
        out.u32(0xa1b2c3d4).u16(2).u16(minor).u32(0).u32(0).u32(65535).u32(1);
        out.u32(1).u32(0).u32(minor == 4 ? 3 : 90).u32(minor == 4 ? 90 : 3).add(pattern(3));
        const Outcome got = read_all(out.bytes());
        ASSERT_EQ(got.packets.size(), 1u) << minor;
        EXPECT_EQ(got.packets[0].bytes, pattern(3));
        EXPECT_EQ(got.packets[0].original_size, 90u);
    }
}

TEST(CaptureReader, LinkOfPcapIsInTheLowerBits) {
    PcapFile file{{.link = 0x24000001}};  // frames end with four bytes of checksum
    file.add(1, kFirst);
    EXPECT_EQ(read_all(file.bytes()).packets.at(0).link, 1u);
}

TEST(CaptureReader, PcapngTimesHaveAnyResolution) {
    struct Row {
        unsigned resolution;
        std::int64_t offset_seconds;
        std::uint64_t ticks;
        std::int64_t time_ns;
    };
    const Row rows[] = {
        {6, 0, 1'600'000'000'000'001, 1'600'000'000'000'001'000},
        {9, 0, 1'600'000'000'000'000'001, 1'600'000'000'000'000'001},
        {0, 0, 1'600'000'000, 1'600'000'000 * kSecondInNs},
        {3, 100, 5, 100 * kSecondInNs + 5'000'000},
        {3, -100, 200'000, 100 * kSecondInNs},
        {12, 0, 3'000'999, 3'000},
        {127, 0, ~std::uint64_t{0}, 0},
        {0x80 | 0, 0, 77, 77 * kSecondInNs},
        {0x80 | 10, 0, 1024 + 512, kSecondInNs + kSecondInNs / 2},
        {0x80 | 32, 1, std::uint64_t{7} << 32 | 0x40000000, 8 * kSecondInNs + kSecondInNs / 4},
        {0x80 | 127, 0, ~std::uint64_t{0}, 0},
    };
    for (const bool little : {true, false}) {
        for (const Row& row : rows) {
            PcapngFile file{little};
            file.section();
            auto options = file.body();
            options.u16(2).u16(3).add(as_bytes("eth")).u8(0);  // its name
            options.u16(9).u16(1).u8(row.resolution).zeros(3);
            options.u16(14).u16(8).u64(static_cast<std::uint64_t>(row.offset_seconds));
            options.u16(0).u16(0);
            file.interface(1, 0, options.bytes());
            file.enhanced(0, row.ticks, kFirst, 60);
            EXPECT_EQ(read_all(file.bytes()).packets.at(0).time_ns, row.time_ns) << row.resolution;
        }
    }
}

TEST(CaptureReader, PcapngSectionsHaveInterfacesAndByteOrderOfTheirOwn) {
    PcapngFile file{true};
    file.section();
    file.interface(1, 0);
    file.interface(113, 0);
    file.enhanced(1, 5, kFirst, 60);
    file.enhanced(0, 6, kSecondPacket, 7);
    file.set_order(false);
    file.section();
    file.interface(276, 0);
    file.enhanced(0, 7, kFirst, 60);
    const Outcome out = read_all(file.bytes());
    EXPECT_EQ(out.error, "");
    const std::vector<ReadPacket> expected = {
        {5000, 113, 60, kFirst}, {6000, 1, 7, kSecondPacket}, {7000, 276, 60, kFirst}};
    EXPECT_EQ(out.packets, expected);
}

TEST(CaptureReader, PcapngHasSimpleAndObsoletePackets) {
    PcapngFile file{true};
    file.section();
    file.interface(1, 20);
    file.enhanced(0, 9, kSecondPacket, 7);
    file.block(3, file.body().u32(7).add(kSecondPacket).bytes());                // whole
    file.block(3, file.body().u32(60).add(ByteView{kFirst}.first(20)).bytes());  // cut at the limit
    file.block(2,
               file.body().u16(0).u16(3).u32(0).u32(11).u32(7).u32(90).add(kSecondPacket).bytes());
    const Outcome out = read_all(file.bytes());
    EXPECT_EQ(out.error, "");
    const Bytes cut{kFirst.begin(), kFirst.begin() + 20};
    const std::vector<ReadPacket> expected = {{9000, 1, 7, kSecondPacket},
                                              {9000, 1, 7, kSecondPacket},
                                              {9000, 1, 60, cut},
                                              {11000, 1, 90, kSecondPacket}};
    EXPECT_EQ(out.packets, expected);
}

TEST(CaptureReader, PcapngTakesAsManyInterfacesAsAllowed) {
    for (const bool one_more : {false, true}) {
        PcapngFile file{true};
        file.section();
        const std::size_t count = kInterfacesMax + (one_more ? 1 : 0);
        for (std::size_t i = 0; i < count; ++i) file.interface(1, 0);
        file.enhanced(kInterfacesMax - 1, 1, kFirst, 60);
        const Outcome out = read_all(file.bytes());
        EXPECT_EQ(out.packets.size(), one_more ? 0u : 1u);
        EXPECT_EQ(out.error, one_more ? "packet 1 at byte 327708: more than 16384 interfaces" : "");
    }
}

TEST(CaptureReader, SaysWhatIsWrongAndWhere) {
    const auto pcapng = [](auto&& more) {
        PcapngFile file{true};
        file.section();
        file.interface(1, 0);
        more(file);
        return file.bytes();
    };
    const Bytes short_block = pcapng([](PcapngFile& file) { file.block(6, pattern(16)); });
    const Bytes unknown_interface =
        pcapng([](PcapngFile& file) { file.enhanced(3, 0, kFirst, 60); });
    const Bytes too_much_of_block = pcapng([](PcapngFile& file) {
        file.block(6, file.body().u32(0).u64(0).u32(61).u32(61).add(kFirst).bytes());
    });
    const Bytes option_too_long = pcapng(
        [](PcapngFile& file) { file.interface(1, 0, file.body().u16(2).u16(5).u32(0).bytes()); });
    Bytes other_length = pcapng([](PcapngFile& file) { file.enhanced(0, 0, kFirst, 60); });
    other_length[other_length.size() - 4] ^= std::byte{8};
    const Bytes other_version = BytesBuilder{}.u32(0xa1b2c3d4).u16(3).u16(1).zeros(16);
    const Bytes other_snoop = BytesBuilder{}.add(as_bytes("snoop")).zeros(3).u32(9).u32(4);
    const Bytes snoop_record = BytesBuilder{}
                                   .add(as_bytes("snoop"))
                                   .zeros(3)
                                   .u32(2)
                                   .u32(4)
                                   .u32(60)
                                   .u32(60)
                                   .u32(83)
                                   .zeros(72);

    const std::pair<Bytes, std::string> rows[] = {
        {{}, "the file is empty"},
        {text_bytes("00000001 0000000"), "not a capture: the file is not pcap, pcapng or snoop"},
        {text_bytes("\x1f\x8b\x08 and so on"),
         "compressed with gzip; use zcat FILE | helio explain"},
        {other_version, "the pcap file has version 3.1; only version 2 is supported"},
        {other_snoop, "the snoop file has version 9; only version 2 is supported"},
        {snoop_record,
         "packet 1 at byte 16: a record of 83 bytes; it must have from 84 to 16777300"},
        {short_block,
         "packet 1 at byte 48: a block of type 6 has 28 bytes; it must have at least 32, and a "
         "multiple of 4"},
        {unknown_interface,
         "packet 1 at byte 48: a packet of interface 3, but the section has only 1 so far"},
        {too_much_of_block, "packet 1 at byte 48: 61 bytes captured; the limit is 60"},
        {option_too_long,
         "packet 1 at byte 48: option 2 of an interface has 5 bytes; the limit is 4"},
        {other_length,
         "packet 2 at byte 48: the block starts with length 92 and ends with length 84"},
    };
    for (const auto& [file, error] : rows) EXPECT_EQ(read_all(file).error, error);
}

TEST(CaptureReader, AReadErrorIsToldAfterThePacketsBeforeIt) {
    const Sample sample = pcap_sample(false, true);
    DripSource source{sample.bytes, 10, EIO};
    const Outcome out = read_all(source);
    EXPECT_EQ(out.packets, sample.packets);
    EXPECT_EQ(out.error, "packet 4 at byte 139: Input/output error");
}

TEST(RejoinedSource, GivesWhatWasReadAndThenTheRest) {
    const Sample sample = snoop_sample();
    const ByteView all = sample.bytes;
    MemorySource rest{all.subspan(30)};
    RejoinedSource source{all.first(30), rest};
    EXPECT_EQ(read_all(source).packets, sample.packets);
}

TEST(PackedFiles, AreKnownByTheirFirstBytes) {
    using namespace std::string_view_literals;
    EXPECT_TRUE(
        packed_file_hint(as_bytes("\x28\xb5\x2f\xfd....")).starts_with("compressed with zstd"));
    EXPECT_TRUE(packed_file_hint(as_bytes("\xfd"
                                          "7zXZ\0"sv))
                    .starts_with("compressed with xz"));
    EXPECT_TRUE(packed_file_hint(as_bytes("BZh91AY&SY....")).starts_with("compressed with bzip2"));
    EXPECT_EQ(packed_file_hint(as_bytes("BZh9 and other text")), "");
    EXPECT_EQ(packed_file_hint({}), "");
}

}  // namespace
}  // namespace helio::inspect::reader_test
