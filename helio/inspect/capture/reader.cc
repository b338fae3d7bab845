#include "helio/inspect/capture/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "helio/inspect/capture/byte_order_internal.h"

namespace helio::inspect {
namespace {

// tcpdump.org's pcap-savefile(5): the first word tells the unit of time and the byte order.
constexpr std::uint32_t kMagicMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kMagicNanoseconds = 0xa1b23c4d;
// Alexey Kuznetzov's libpcap patch: each packet has eight more bytes in front, about its interface.
constexpr std::uint32_t kMagicModified = 0xa1b2cd34;
// pcapng: the block type that reads the same in both byte orders, and the word that tells them
// apart.
constexpr std::uint32_t kSectionKind = 0x0a0d0d0a;
constexpr std::uint32_t kPcapngMagic = 0x1a2b3c4d;

constexpr std::size_t kPcapHeadSize = 24;
constexpr std::size_t kSnoopHeadSize = 16;
constexpr std::size_t kSnoopPacketHeadSize = 24;

bool is_pcap(std::uint32_t magic) {
    return magic == kMagicMicroseconds || magic == kMagicNanoseconds || magic == kMagicModified;
}

bool begins(ByteView first, std::string_view magic) {
    return as_text(first).substr(0, magic.size()) == magic;
}

// Translates RFC 1761's numbers to LINKTYPE_. Types without one get an unused number.
std::uint32_t link_of_snoop(std::uint32_t datalink) {
    switch (datalink) {
        case 0:  // IEEE 802.3, which the Ethernet reader handles too
        case 4:
            return 1;
        case 2:
            return 6;  // token ring
        case 8:
            return 10;  // FDDI
        default:
            return 0xffff0000u | datalink;
    }
}

}  // namespace

std::string_view name(CaptureKind kind) {
    switch (kind) {
        case CaptureKind::none:
            return "none";
        case CaptureKind::pcap:
            return "pcap";
        case CaptureKind::pcapng:
            return "pcapng";
        case CaptureKind::snoop:
            return "snoop";
    }
    return "";
}

CaptureKind recognise(ByteView first) {
    using namespace std::string_view_literals;
    if (first.size() < 4) return CaptureKind::none;
    const std::uint32_t magic = host32(first.data());
    if (is_pcap(magic) || is_pcap(__builtin_bswap32(magic))) return CaptureKind::pcap;
    if (begins(first, "snoop\0\0\0"sv)) return CaptureKind::snoop;
    // The block type alone could be line ends in a text.
    if (magic == kSectionKind && first.size() >= 12) {
        const std::uint32_t order = host32(first.data() + 8);
        if (order == kPcapngMagic || order == __builtin_bswap32(kPcapngMagic)) {
            return CaptureKind::pcapng;
        }
    }
    return CaptureKind::none;
}

std::string_view packed_file_hint(ByteView first) {
    if (begins(first, "\x1f\x8b")) {
        return "compressed with gzip; use zcat FILE | helio explain";
    }
    if (begins(first, "\x28\xb5\x2f\xfd")) {
        return "compressed with zstd; use zstdcat FILE | helio explain";
    }
    if (begins(first,
               "\xfd"
               "7zXZ")) {
        return "compressed with xz; use xzcat FILE | helio explain";
    }
    if (begins(first, "BZh") && first.size() > 9 && begins(first.subspan(4), "1AY&SY")) {
        return "compressed with bzip2; use bzcat FILE | helio explain";
    }
    return {};
}

CaptureReader::CaptureReader(ByteSource& source) : window_(source), source_(source) {
    window_.ensure(kPcapHeadSize);
    const ByteView first = window_.bytes();
    kind_ = recognise(first);
    switch (kind_) {
        case CaptureKind::pcap:
            open_pcap();
            return;
        case CaptureKind::pcapng:
            state_ = State::pcapng;
            return;
        case CaptureKind::snoop:
            open_snoop();
            return;
        case CaptureKind::none:
            break;
    }
    if (!source.error().empty()) {
        end_of_source(0);
    } else if (first.empty()) {
        error_ = "the file is empty";
    } else if (const std::string_view hint = packed_file_hint(first); !hint.empty()) {
        error_ = hint;
    } else {
        error_ = "not a capture: the file is not pcap, pcapng or snoop";
    }
}

bool CaptureReader::next_other(Packet& packet) {
    switch (state_) {
        case State::pcap:
            return next_pcap(packet);
        case State::pcapng:
            return next_pcapng(packet);
        case State::snoop:
            return next_snoop(packet);
        case State::ended:
            break;
    }
    return false;
}

// magic, major and minor version, zone and accuracy of times (always zero), snap length, link:
//     a1b2c3d4 0002 0004 00000000 00000000 00040000 00000001
void CaptureReader::open_pcap() {
    if (window_.available() < kPcapHeadSize) {
        end_of_source(window_.available());
        return;
    }
    swapped_ = !is_pcap(word32(0));
    const std::uint32_t magic = word32(0);
    const std::uint16_t major = word16(4);
    minor_version_ = word16(6);
    if (major != 2) {
        error_ = fmt::format("the pcap file has version {}.{}; only version 2 is supported", major,
                             minor_version_);
        return;
    }
    if (magic == kMagicNanoseconds) fraction_ns_ = 1;
    if (magic == kMagicModified) head_size_ = 24;
    // The upper bits give the length of the frame checksum. IP's lengths exclude it anyway.
    link_ = word32(20) & 0x03ffffff;
    window_.take(kPcapHeadSize);
    state_ = State::pcap;
}

// Seconds, fraction, captured size, original size; the modified form has eight more bytes.
bool CaptureReader::next_pcap(Packet& packet) {
    if (!window_.ensure(head_size_)) [[unlikely]]
        return end_of_source(window_.available());
    const std::byte* head = window_.data();
    std::uint32_t seconds = host32(head);
    std::uint32_t fraction = host32(head + 4);
    std::uint32_t captured = host32(head + 8);
    std::uint32_t original = host32(head + 12);
    if (swapped_) {
        seconds = __builtin_bswap32(seconds);
        fraction = __builtin_bswap32(fraction);
        captured = __builtin_bswap32(captured);
        original = __builtin_bswap32(original);
    }
    // Before version 2.4 the two sizes were in the other order, at least in most files of 2.3.
    if (minor_version_ < 4) [[unlikely]] {
        if (minor_version_ < 3 || captured > original) std::swap(captured, original);
    }
    const std::size_t size = head_size_ + std::size_t{captured};
    if (!(captured <= kPacketSizeMax && window_.ensure(size))) [[unlikely]] {
        if (captured <= kPacketSizeMax) return end_of_source(window_.available());
        return fail_at(window_.offset(),
                       fmt::format("{} bytes captured; the limit is {}", captured, kPacketSizeMax));
    }
    packet.number = ++number_;
    packet.time_ns = std::int64_t{seconds} * 1'000'000'000 +
                     static_cast<std::int64_t>(std::uint64_t{fraction} * fraction_ns_);
    packet.link = link_;
    packet.original_size = std::max(original, captured);
    packet.bytes = {window_.data() + head_size_, captured};
    window_.take(size);
    return true;
}

// RFC 1761: "snoop" and three zeros, version, datalink; big-endian on every machine.
void CaptureReader::open_snoop() {
    if (window_.available() < kSnoopHeadSize) {
        end_of_source(window_.available());
        return;
    }
    swapped_ = kLittleHost;
    if (const std::uint32_t version = word32(8); version != 2) {
        error_ = fmt::format("the snoop file has version {}; only version 2 is supported", version);
        return;
    }
    link_ = link_of_snoop(word32(12));
    window_.take(kSnoopHeadSize);
    state_ = State::snoop;
}

// Original size, captured size, size of the record with its padding, drops, seconds, microseconds.
bool CaptureReader::next_snoop(Packet& packet) {
    window_.skip(padding_);
    padding_ = 0;
    if (!window_.ensure(kSnoopPacketHeadSize)) return end_of_source(window_.available());
    const std::uint32_t original = word32(0);
    const std::uint32_t captured = word32(4);
    const std::uint32_t record = word32(8);
    if (captured > kPacketSizeMax) {
        return fail_at(window_.offset(),
                       fmt::format("{} bytes captured; the limit is {}", captured, kPacketSizeMax));
    }
    const std::size_t size = kSnoopPacketHeadSize + std::size_t{captured};
    if (record < size || record - size > kPacketSizeMax) {
        return fail_at(window_.offset(),
                       fmt::format("a record of {} bytes; it must have from {} to {}", record, size,
                                   size + kPacketSizeMax));
    }
    if (!window_.ensure(size)) return end_of_source(window_.available());
    packet.number = ++number_;
    packet.time_ns = std::int64_t{word32(16)} * 1'000'000'000 + std::int64_t{word32(20)} * 1000;
    packet.link = link_;
    packet.original_size = std::max(original, captured);
    packet.bytes = {window_.data() + kSnoopPacketHeadSize, captured};
    // The last packet may lack its padding. The next call skips it: reading it now would move the
    // packet.
    padding_ = record - size;
    window_.take(size);
    return true;
}

std::uint16_t CaptureReader::word16(std::size_t at) const {
    const std::uint16_t value = host16(window_.data() + at);
    return swapped_ ? __builtin_bswap16(value) : value;
}

std::uint32_t CaptureReader::word32(std::size_t at) const {
    const std::uint32_t value = host32(window_.data() + at);
    return swapped_ ? __builtin_bswap32(value) : value;
}

bool CaptureReader::fail_at(std::uint64_t offset, std::string_view what) {
    error_ = fmt::format("packet {} at byte {}: {}", number_ + 1, offset, what);
    state_ = State::ended;
    return false;
}

bool CaptureReader::end_of_source(std::uint64_t there) {
    cut_off_ = there;
    state_ = State::ended;
    if (const std::string why = source_.error(); !why.empty())
        error_ = fmt::format("packet {} at byte {}: {}", number_ + 1, window_.read(), why);
    return false;
}

}  // namespace helio::inspect
