// CaptureReader: reads the packets of capture files: pcap (micro- and nanoseconds, both byte
// orders, and Kuznetzov's modified form), pcapng (several interfaces, sections of either byte
// order, enhanced, simple and obsolete packet blocks, time resolution and offset), snoop (RFC
// 1761). Reads a ByteSource once, front to back, through a buffer of bounded size, so it works on
// pipes and its memory does not depend on the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/capture/source.h"
#include "helio/inspect/capture/window.h"

namespace helio::inspect {

// A longer packet means a damaged file: libpcap's own limit is 256 KiB, or 128 MiB for USB, which
// carries no RPC.
inline constexpr std::size_t kPacketSizeMax = 16u << 20;

// Interfaces in one section of a pcapng file. A host with a thousand containers has a few thousand;
// the limit exists because each takes memory until the section ends.
inline constexpr std::size_t kInterfacesMax = 16384;

struct Packet {
    std::uint64_t number = 0;         // from 1
    std::int64_t time_ns = 0;         // since 1970; if the file has none, the previous packet's
    std::uint32_t link = 0;           // LINKTYPE_ of tcpdump.org's registry; snoop's are translated
    std::uint32_t original_size = 0;  // on the wire; never less than bytes.size()
    ByteView bytes;                   // captured; valid until the next next()
};

enum class CaptureKind : std::uint8_t { none, pcap, pcapng, snoop };
std::string_view name(CaptureKind kind);
// Decides by the first bytes: at least 24, or the whole file if it is shorter.
CaptureKind recognise(ByteView first);
// For the first bytes of a compressed file, what to do: "gzip: unpack it first, e.g. zcat FILE |
// …". Empty for any other file.
std::string_view packed_file_hint(ByteView first);

class CaptureReader final {
 public:
    // Reads the file header. `source` is borrowed and must outlive the reader.
    explicit CaptureReader(ByteSource& source);

    // False at the end or after an error (see error()), and from then on.
    bool next(Packet& packet) {
        if (state_ == State::pcap) [[likely]]
            return next_pcap(packet);
        return next_other(packet);
    }

    // Empty, or why reading stopped: "packet 12 at byte 4096: 3000000 bytes captured, at most …".
    const std::string& error() const { return error_; }
    CaptureKind kind() const { return kind_; }
    std::uint64_t bytes_read() const { return window_.read(); }  // of the file, for a progress bar
    // Bytes present of a packet (or file header) that is cut off by the end of the file. Not an
    // error: captures are often killed.
    std::uint64_t cut_off() const { return cut_off_; }

 private:
    enum class State : std::uint8_t { pcap, pcapng, snoop, ended };

    // An interface of pcapng.
    struct Interface {
        std::uint32_t link = 0;
        std::uint32_t snap_length = 0;  // 0: no bound
        bool binary = false;            // ticks of 2^-resolution seconds, else of 10^-resolution
        std::uint8_t resolution = 6;
        std::uint64_t offset_ns = 0;  // added, modulo 2^64

        std::int64_t time_ns(std::uint64_t ticks) const;
    };
    // A pcapng block: its start, its length, and how much of it is still unread, including the
    // trailing length.
    struct Block {
        std::uint64_t offset = 0;
        std::uint32_t kind = 0;
        std::uint32_t size = 0;
        std::uint64_t left = 0;
    };

    void open_pcap();
    void open_snoop();
    bool next_pcap(Packet& packet);
    bool next_snoop(Packet& packet);
    bool next_other(Packet& packet);

    bool next_pcapng(Packet& packet);
    bool open_block();
    bool close_block();
    bool section_block();
    bool interface_block();
    void interface_option(Interface& about, std::uint16_t code, std::uint16_t size);
    bool packet_block(Packet& packet);
    bool simple_packet_block(Packet& packet);
    bool block_packet(Packet& packet, std::size_t head, std::uint32_t captured);
    void take_of_block(std::size_t size);

    std::uint16_t word16(std::size_t at) const;
    std::uint32_t word32(std::size_t at) const;
    // "packet 12 at byte 4096: " and the rest. Always false.
    bool fail_at(std::uint64_t offset, std::string_view what);
    // The source has ended, `there` bytes into an item. Always false.
    bool end_of_source(std::uint64_t there);

    Window window_;
    ByteSource& source_;
    State state_ = State::ended;
    CaptureKind kind_ = CaptureKind::none;
    bool swapped_ = false;  // the file has the other byte order than this machine
    std::uint64_t number_ = 0;
    std::int64_t time_ns_ = 0;

    // pcap and snoop
    std::uint32_t link_ = 0;
    std::uint32_t fraction_ns_ = 1000;  // unit of the time's second word
    std::uint32_t head_size_ = 16;      // of each packet
    std::uint16_t minor_version_ = 4;
    std::uint64_t padding_ = 0;  // after snoop's latest packet, not yet read

    // pcapng
    std::vector<Interface> interfaces_;
    Block block_;

    std::string error_;
    std::uint64_t cut_off_ = 0;
};

}  // namespace helio::inspect
