// pcapng (draft-ietf-opsawg-pcapng). A file is a sequence of blocks. Each has its length at both
// ends; byte order and interfaces are those of the section it is in:
//     kind (4) | size of all (4) | body, padded to four bytes | size of all (4)
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "helio/inspect/capture/byte_order_internal.h"
#include "helio/inspect/capture/reader.h"

namespace helio::inspect {
namespace {

constexpr std::uint32_t kSection = 0x0a0d0d0a;
constexpr std::uint32_t kInterface = 1;
constexpr std::uint32_t kObsoletePacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint32_t kEnhancedPacket = 6;

constexpr std::uint32_t kSectionMagic = 0x1a2b3c4d;
constexpr std::size_t kBlockHeadSize = 8;
constexpr std::size_t kBlockTailSize = 4;

constexpr std::uint16_t kOptionEnd = 0;
constexpr std::uint16_t kOptionTimeResolution = 9;
constexpr std::uint16_t kOptionTimeOffset = 14;

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

constexpr std::array<std::uint64_t, 20> kPowersOfTen = [] {
    std::array<std::uint64_t, 20> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
}();

// Smallest useful body of a block of this kind; 0 for kinds that are skipped.
std::size_t body_size_min(std::uint32_t kind) {
    switch (kind) {
        case kSection:
            return 16;
        case kInterface:
            return 8;
        case kObsoletePacket:
        case kEnhancedPacket:
            return 20;
        case kSimplePacket:
            return 4;
        default:
            return 0;
    }
}

}  // namespace

// Absurd times wrap around instead of being undefined behaviour.
std::int64_t CaptureReader::Interface::time_ns(std::uint64_t ticks) const {
    std::uint64_t time = 0;
    if (binary) {
        __extension__ using Wide = unsigned __int128;
        time = static_cast<std::uint64_t>(Wide{ticks} * kNanosecondsPerSecond >> resolution);
    } else if (resolution <= 9) {
        time = ticks * kPowersOfTen[9u - resolution];
    } else if (resolution - 9u < kPowersOfTen.size()) {
        time = ticks / kPowersOfTen[resolution - 9u];
    }
    return static_cast<std::int64_t>(time + offset_ns);
}

bool CaptureReader::next_pcapng(Packet& packet) {
    for (;;) {
        if (!close_block() || !open_block()) return false;
        switch (block_.kind) {
            case kSection:
                if (!section_block()) return false;
                break;
            case kInterface:
                if (!interface_block()) return false;
                break;
            case kObsoletePacket:
            case kEnhancedPacket:
                return packet_block(packet);
            case kSimplePacket:
                return simple_packet_block(packet);
            default:
                break;  // names, statistics, secrets and so on: close_block() skips them
        }
    }
}

// Skips the rest of this block.
bool CaptureReader::close_block() {
    if (block_.left == 0) return true;
    const std::uint64_t begun = window_.offset();
    window_.skip(block_.left - kBlockTailSize);
    if (!window_.ensure(kBlockTailSize)) return end_of_source(window_.read() - begun);
    const std::uint32_t behind = word32(0);
    if (behind != block_.size) {
        return fail_at(block_.offset,
                       fmt::format("the block starts with length {} and ends with length {}",
                                   block_.size, behind));
    }
    window_.take(kBlockTailSize);
    block_.left = 0;
    return true;
}

// Leaves data() at the body, with at least the kind's minimum available.
bool CaptureReader::open_block() {
    if (!window_.ensure(kBlockHeadSize)) return end_of_source(window_.available());
    block_.offset = window_.offset();
    block_.kind = word32(0);
    const std::size_t needed = body_size_min(block_.kind);
    if (!window_.ensure(kBlockHeadSize + needed)) return end_of_source(window_.available());
    if (block_.kind == kSection) {  // the same in both byte orders; its own applies from here on
        swapped_ = host32(window_.data() + kBlockHeadSize) != kSectionMagic;
        if (const std::uint32_t magic = word32(kBlockHeadSize); magic != kSectionMagic) {
            return fail_at(block_.offset, fmt::format("the byte-order magic of a section is "
                                                      "{:#010x}, not {:#010x} in either byte order",
                                                      magic, kSectionMagic));
        }
    }
    block_.size = word32(4);
    const std::size_t least = kBlockHeadSize + needed + kBlockTailSize;
    if (block_.size < least || block_.size % 4 != 0) {
        return fail_at(
            block_.offset,
            fmt::format(
                "a block of type {} has {} bytes; it must have at least {}, and a multiple of 4",
                block_.kind, block_.size, least));
    }
    window_.take(kBlockHeadSize);
    block_.left = block_.size - kBlockHeadSize;
    return true;
}

// Byte order, major and minor version, size of the section (may be unknown, not needed).
bool CaptureReader::section_block() {
    if (const std::uint16_t major = word16(4); major != 1) {
        return fail_at(block_.offset,
                       fmt::format("a section has version {}.{}; only version 1 is supported",
                                   major, word16(6)));
    }
    interfaces_.clear();
    return true;
}

// Link (2), reserved (2), snap length (4), options: code (2), size (2), value, padding to 4 bytes.
bool CaptureReader::interface_block() {
    if (interfaces_.size() == kInterfacesMax) {
        return fail_at(block_.offset, fmt::format("more than {} interfaces", kInterfacesMax));
    }
    Interface about;
    about.link = word16(0);
    about.snap_length = word32(4);
    take_of_block(8);
    while (block_.left >= 4 + kBlockTailSize) {
        if (!window_.ensure(4)) return end_of_source(window_.available());
        const std::uint16_t code = word16(0);
        const std::uint16_t size = word16(2);
        if (code == kOptionEnd) break;
        const std::size_t whole = 4 + padded(size);
        if (whole + kBlockTailSize > block_.left) {
            return fail_at(block_.offset,
                           fmt::format("option {} of an interface has {} bytes; the limit is {}",
                                       code, size, block_.left - kBlockTailSize - 4));
        }
        if (!window_.ensure(whole)) return end_of_source(window_.available());
        interface_option(about, code, size);
        take_of_block(whole);
    }
    interfaces_.push_back(about);
    return true;
}

void CaptureReader::interface_option(Interface& about, std::uint16_t code, std::uint16_t size) {
    const std::byte* value = window_.data() + 4;
    if (code == kOptionTimeResolution && size >= 1) {
        about.binary = (net8(value) & 0x80) != 0;
        about.resolution = net8(value) & 0x7f;
    } else if (code == kOptionTimeOffset && size >= 8) {
        const std::uint64_t seconds = host64(value);
        about.offset_ns = (swapped_ ? __builtin_bswap64(seconds) : seconds) * kNanosecondsPerSecond;
    }
}

// Interface (4; in the obsolete block 2, then 2 of drops), time (4, 4), captured size, original
// size.
bool CaptureReader::packet_block(Packet& packet) {
    constexpr std::size_t kHead = 20;
    const std::uint32_t index = block_.kind == kEnhancedPacket ? word32(0) : word16(0);
    if (index >= interfaces_.size()) {
        return fail_at(block_.offset,
                       fmt::format("a packet of interface {}, but the section has only {} so far",
                                   index, interfaces_.size()));
    }
    const Interface& about = interfaces_[index];
    time_ns_ = about.time_ns(std::uint64_t{word32(4)} << 32 | word32(8));
    packet.link = about.link;
    packet.original_size = word32(16);
    return block_packet(packet, kHead, word32(12));
}

// Original size; the captured size is limited by the block and by the interface's snap length.
bool CaptureReader::simple_packet_block(Packet& packet) {
    constexpr std::size_t kHead = 4;
    if (interfaces_.empty()) {
        return fail_at(block_.offset,
                       "a packet of interface 0, but the section has no interface so far");
    }
    const Interface& about = interfaces_[0];
    const std::uint32_t original = word32(0);
    std::uint64_t captured =
        std::min<std::uint64_t>(original, block_.left - kHead - kBlockTailSize);
    if (about.snap_length != 0) captured = std::min<std::uint64_t>(captured, about.snap_length);
    packet.link = about.link;
    packet.original_size = original;
    return block_packet(packet, kHead, static_cast<std::uint32_t>(captured));
}

bool CaptureReader::block_packet(Packet& packet, std::size_t head, std::uint32_t captured) {
    const std::uint64_t allowed =
        std::min<std::uint64_t>(kPacketSizeMax, block_.left - head - kBlockTailSize);
    if (captured > allowed) {
        return fail_at(block_.offset,
                       fmt::format("{} bytes captured; the limit is {}", captured, allowed));
    }
    if (!window_.ensure(head + captured)) {
        return end_of_source(kBlockHeadSize + window_.available());
    }
    packet.number = ++number_;
    packet.time_ns = time_ns_;
    packet.original_size = std::max(packet.original_size, captured);
    packet.bytes = {window_.data() + head, captured};
    take_of_block(head + captured);
    return true;
}

void CaptureReader::take_of_block(std::size_t size) {
    window_.take(size);
    block_.left -= size;
}

}  // namespace helio::inspect
