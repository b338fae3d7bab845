// Makes packets and capture files in memory, for tests: frames from payloads, files from frames.
// Everything is in network byte order and by value; checksums are zero, which the readers here
// ignore.
//
//     PcapFile file;
//     file.add(1'000'000, ethernet(ipv4(kClient, kServer,
//                                       tcp(kClient, kServer, {.sequence = 1}, payload))));
//     MemorySource source{file.bytes()};
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/message.h"

namespace helio::inspect::for_test {

using Bytes = std::vector<std::byte>;

// Builds a sequence of bytes, most significant byte first by default.
class BytesBuilder {
 public:
    explicit BytesBuilder(bool little = false) : little_(little) {}

    BytesBuilder& u8(std::uint64_t value) { return number(value, 1); }
    BytesBuilder& u16(std::uint64_t value) { return number(value, 2); }
    BytesBuilder& u32(std::uint64_t value) { return number(value, 4); }
    BytesBuilder& u64(std::uint64_t value) { return number(value, 8); }
    BytesBuilder& add(ByteView more) {
        bytes_.insert(bytes_.end(), more.begin(), more.end());
        return *this;
    }
    BytesBuilder& zeros(std::size_t count) {
        bytes_.resize(bytes_.size() + count);
        return *this;
    }
    // With zeros, up to a multiple of four.
    BytesBuilder& pad() { return zeros(padded(bytes_.size()) - bytes_.size()); }
    std::size_t size() const { return bytes_.size(); }
    const Bytes& bytes() const { return bytes_; }
    operator Bytes() const { return bytes_; }

 private:
    BytesBuilder& number(std::uint64_t value, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
            const unsigned shift = 8 * (little_ ? i : size - 1 - i);
            bytes_.push_back(static_cast<std::byte>(value >> shift));
        }
        return *this;
    }

    Bytes bytes_;
    bool little_;
};

inline Bytes text_bytes(std::string_view text) {
    const ByteView view = as_bytes(text);
    return {view.begin(), view.end()};
}

// `size` bytes that differ from their neighbours and, by `seed`, from other patterns.
inline Bytes pattern(std::size_t size, unsigned seed = 0) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>(i + (i >> 8) * 7 + seed * 13);
    }
    return bytes;
}

inline Endpoint v4_end(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d,
                       std::uint16_t port) {
    Endpoint end;
    end.address[0] = std::byte{a};
    end.address[1] = std::byte{b};
    end.address[2] = std::byte{c};
    end.address[3] = std::byte{d};
    end.port = port;
    return end;
}

// 2001:db8::last
inline Endpoint v6_end(std::uint16_t last, std::uint16_t port) {
    Endpoint end;
    end.v6 = true;
    end.address[0] = std::byte{0x20};
    end.address[1] = std::byte{0x01};
    end.address[2] = std::byte{0x0d};
    end.address[3] = std::byte{0xb8};
    end.address[14] = static_cast<std::byte>(last >> 8);
    end.address[15] = static_cast<std::byte>(last);
    end.port = port;
    return end;
}

inline const Endpoint kClient = v4_end(10, 0, 0, 1, 854);
inline const Endpoint kServer = v4_end(10, 0, 0, 2, 2049);
inline const Endpoint kClient6 = v6_end(1, 854);
inline const Endpoint kServer6 = v6_end(2, 2049);

constexpr std::uint8_t kFin = 1, kSyn = 2, kRst = 4, kPush = 8, kAck = 16;
constexpr std::uint8_t kProtocolTcp = 6, kProtocolUdp = 17;

struct TcpFields {
    std::uint32_t sequence = 0;
    std::uint32_t acknowledged = 0;
    std::uint8_t flags = kAck;
    std::size_t option_words = 0;  // of four bytes, all "no operation"
};

// RFC 9293 §3.1, from the port numbers on.
inline Bytes tcp(const Endpoint& from, const Endpoint& to, const TcpFields& fields,
                 ByteView payload) {
    BytesBuilder out;
    out.u16(from.port).u16(to.port).u32(fields.sequence).u32(fields.acknowledged);
    out.u8((5 + fields.option_words) << 4).u8(fields.flags).u16(65535).u16(0).u16(0);
    for (std::size_t i = 0; i < 4 * fields.option_words; ++i) out.u8(1);
    return out.add(payload);
}

// RFC 768.
inline Bytes udp(const Endpoint& from, const Endpoint& to, ByteView payload) {
    BytesBuilder out;
    return out.u16(from.port).u16(to.port).u16(8 + payload.size()).u16(0).add(payload);
}

struct Ipv4Fields {
    std::uint8_t protocol = kProtocolTcp;
    std::uint16_t id = 0;
    std::uint16_t fragment_offset = 0;  // in bytes; a multiple of eight
    bool more_fragments = false;
    std::size_t option_words = 0;
};

// RFC 791 §3.1.
inline Bytes ipv4(const Endpoint& from, const Endpoint& to, ByteView payload,
                  const Ipv4Fields& fields = {}) {
    const std::size_t header = 20 + 4 * fields.option_words;
    BytesBuilder out;
    out.u8(0x40 | header / 4).u8(0).u16(header + payload.size()).u16(fields.id);
    out.u16((fields.more_fragments ? 0x2000u : 0u) | fields.fragment_offset / 8u);
    out.u8(64).u8(fields.protocol).u16(0);
    out.add(ByteView{from.address}.first(4)).add(ByteView{to.address}.first(4));
    for (std::size_t i = 0; i < 4 * fields.option_words; ++i) out.u8(1);
    return out.add(payload);
}

// RFC 8200 §3. `payload` begins with the extension headers, if any; `next_header` is the type of
// the first.
inline Bytes ipv6(const Endpoint& from, const Endpoint& to, ByteView payload,
                  std::uint8_t next_header = kProtocolTcp) {
    BytesBuilder out;
    out.u32(0x60000000).u16(payload.size()).u8(next_header).u8(64);
    return out.add(from.address).add(to.address).add(payload);
}

// RFC 8200 §4.5: the extension header and its part of the datagram; goes into ipv6(…, 44).
inline Bytes ipv6_fragment(std::uint8_t next_header, std::uint32_t id, std::uint16_t offset,
                           bool more_fragments, ByteView part) {
    BytesBuilder out;
    return out.u8(next_header).u8(0).u16(offset | (more_fragments ? 1u : 0u)).u32(id).add(part);
}

// Splits `datagram` (from udp() or tcp()) into IPv4 packets with at most `part_size` bytes each, a
// multiple of eight.
inline std::vector<Bytes> ipv4_fragments(const Endpoint& from, const Endpoint& to,
                                         ByteView datagram, std::size_t part_size, std::uint16_t id,
                                         std::uint8_t protocol = kProtocolUdp) {
    std::vector<Bytes> packets;
    for (std::size_t at = 0; at < datagram.size(); at += part_size) {
        const std::size_t size = std::min(part_size, datagram.size() - at);
        packets.push_back(ipv4(from, to, datagram.subspan(at, size),
                               {.protocol = protocol,
                                .id = id,
                                .fragment_offset = static_cast<std::uint16_t>(at),
                                .more_fragments = at + size < datagram.size()}));
    }
    return packets;
}

// An Ethernet frame of an IP packet, whose version determines the type; `tags` are VLAN
// identifiers, outermost first, each after 0x8100, or all but the last after `outer_tag_type`.
// Padded to 60 bytes as on the wire.
inline Bytes ethernet(ByteView ip, std::initializer_list<std::uint16_t> tags = {},
                      std::uint16_t outer_tag_type = 0x8100) {
    BytesBuilder out;
    out.u16(0x0200).u32(2).u16(0x0200).u32(1);
    std::size_t left = tags.size();
    for (const std::uint16_t tag : tags) out.u16(left-- > 1 ? outer_tag_type : 0x8100).u16(tag);
    const bool v6 = !ip.empty() && (std::to_integer<unsigned>(ip[0]) >> 4) == 6;
    out.u16(v6 ? 0x86dd : 0x0800).add(ip);
    if (out.size() < 60) out.zeros(60 - out.size());
    return out;
}

// All layers down to Ethernet; the endpoints determine the IP version.
inline Bytes tcp_frame(const Endpoint& from, const Endpoint& to, const TcpFields& fields,
                       ByteView payload) {
    const Bytes segment = tcp(from, to, fields, payload);
    return ethernet(from.v6 ? ipv6(from, to, segment) : ipv4(from, to, segment));
}
inline Bytes udp_frame(const Endpoint& from, const Endpoint& to, ByteView payload) {
    const Bytes datagram = udp(from, to, payload);
    return ethernet(from.v6 ? ipv6(from, to, datagram, kProtocolUdp)
                            : ipv4(from, to, datagram, {.protocol = kProtocolUdp}));
}

constexpr std::uint32_t kLinkEthernet = 1;

// A pcap file that grows by packets.
class PcapFile {
 public:
    struct Shape {
        bool big_endian = false;
        bool nanoseconds = true;
        std::uint32_t link = kLinkEthernet;
        std::uint32_t snap_length = 262144;  // longer packets are cut
    };

    PcapFile() : PcapFile(Shape{}) {}
    explicit PcapFile(const Shape& shape) : shape_(shape), out_(!shape.big_endian) {
        out_.u32(shape.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4).u16(2).u16(4).u32(0).u32(0);
        out_.u32(shape.snap_length).u32(shape.link);
    }

    void add(std::int64_t time_ns, ByteView frame) { add(time_ns, frame, frame.size()); }
    // `frame` is the captured part of a packet of `original_size` bytes.
    void add(std::int64_t time_ns, ByteView frame, std::size_t original_size) {
        const ByteView kept = frame.first(std::min<std::size_t>(frame.size(), shape_.snap_length));
        const std::int64_t fraction = time_ns % 1'000'000'000;
        out_.u32(static_cast<std::uint64_t>(time_ns / 1'000'000'000));
        out_.u32(static_cast<std::uint64_t>(shape_.nanoseconds ? fraction : fraction / 1000));
        out_.u32(kept.size()).u32(original_size).add(kept);
    }
    const Bytes& bytes() const { return out_.bytes(); }

 private:
    Shape shape_;
    BytesBuilder out_;
};

}  // namespace helio::inspect::for_test
