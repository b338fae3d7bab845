// VirnetHeader: the 24 bytes at the beginning of every libvirt message (virNetMessageHeader), after
// the length word. For servers, clients, relays and the inspector. No I/O, no state.
//
//     prog  vers  proc  type  serial  status  payload
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/xdr/writer.h"

namespace helio::frame {

enum class VirnetType : std::uint32_t {
    call = 0,
    reply = 1,
    message = 2,  // an event, or keepalive
    stream = 3,
    call_with_fds = 4,
    reply_with_fds = 5,
    stream_hole = 6,
};

enum class VirnetStatus : std::uint32_t {
    ok = 0,
    error = 1,
    more = 2,  // VIR_NET_CONTINUE: only in streams
};

// Answered by the connection itself, not by a service.
inline constexpr std::uint32_t kKeepaliveProgram = 0x6b656570;
inline constexpr std::uint32_t kKeepalivePing = 1;
inline constexpr std::uint32_t kKeepalivePong = 2;

// The largest payload of a stream packet: VIR_NET_MESSAGE_LEGACY_PAYLOAD_MAX. libvirt itself sends
// no more, and old versions cannot receive more.
inline constexpr std::size_t kStreamPacketMax = 262'120;
// Descriptors of one message: VIR_NET_MESSAGE_NUM_FDS_MAX.
inline constexpr std::size_t kVirnetFdsMax = 32;

struct VirnetHeader {
    static constexpr std::size_t kSize = 24;

    std::uint32_t program = 0;
    std::uint32_t version = 1;
    std::uint32_t procedure = 0;  // an int on the wire, but never negative
    VirnetType type = VirnetType::call;
    std::uint32_t serial = 0;
    VirnetStatus status = VirnetStatus::ok;

    friend bool operator==(const VirnetHeader&, const VirnetHeader&) = default;
};

// Reads the header of a message whose length LengthWord has checked. Type and status may have
// unknown values.
VirnetHeader read_virnet_header(const std::byte* at);
void write_virnet_header(std::byte* at, const VirnetHeader& header);
bool put_virnet_header(xdr::Writer& out, const VirnetHeader& header);
// A whole message: length word, header and payload.
std::vector<std::byte> make_virnet_message(const VirnetHeader& header, ByteView payload = {});

// How many descriptors come with a message: each has a byte after the message that its length does
// not count. Nothing if the message has no count, or one above kVirnetFdsMax.
std::optional<std::size_t> virnet_descriptors(const VirnetHeader& header, ByteView message);

// "CALL", "STREAM"; empty if it has no name.
std::string_view name_of(VirnetType type);

}  // namespace helio::frame
