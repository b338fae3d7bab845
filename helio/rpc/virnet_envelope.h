// VirnetEnvelope: libvirt's header of 24 bytes around every message, for servers; and the same as
// a value, for clients and relays. No I/O.
//
//     prog  vers  proc  type  serial  status  payload
//
// There is no credential: who calls is known of the connection. A reply repeats all but type and
// status; one with status ERROR carries a VirtError (virnet_error.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "helio/base/bytes.h"
#include "helio/rpc/envelope.h"
#include "helio/rpc/virnet_call.h"
#include "helio/rpc/virnet_error.h"

namespace helio::rpc {

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
    more = 2,  // VIR_NET_CONTINUE: of streams alone
};

inline constexpr std::uint32_t kRemoteProgram = 0x20008086;
inline constexpr std::uint32_t kQemuProgram = 0x20008087;
inline constexpr std::uint32_t kLxcProgram = 0x00068000;
inline constexpr std::uint32_t kAdminProgram = 0x06900690;
inline constexpr std::uint32_t kKeepaliveProgram = 0x6b656570;
inline constexpr std::uint32_t kKeepalivePing = 1;
inline constexpr std::uint32_t kKeepalivePong = 2;

// What one stream packet carries at most: VIR_NET_MESSAGE_LEGACY_PAYLOAD_MAX. libvirt's own sides
// send no more, and old ones could not take it.
inline constexpr std::size_t kStreamPacketMax = 262'120;
// Descriptors of one message: VIR_NET_MESSAGE_NUM_FDS_MAX.
inline constexpr std::size_t kVirnetFdsMax = 32;

struct VirnetHeader {
    static constexpr std::size_t kSize = 24;

    std::uint32_t program = 0;
    std::uint32_t version = 1;
    std::uint32_t procedure = 0;  // an int on the wire, of which none is negative
    VirnetType type = VirnetType::call;
    std::uint32_t serial = 0;
    VirnetStatus status = VirnetStatus::ok;

    friend bool operator==(const VirnetHeader&, const VirnetHeader&) = default;
};

// The header at the front of a message, whose length LengthWord has checked. Type and status may be
// numbers that have no name.
VirnetHeader read_virnet_header(const std::byte* at);
void write_virnet_header(std::byte* at, const VirnetHeader& header);
bool put_virnet_header(xdr::Writer& out, const VirnetHeader& header);

// "CALL", "STREAM"; empty when it has no name.
std::string_view name_of(VirnetType type);

class VirnetEnvelope final : public Envelope {
 public:
    // The next message that open() sees has this.
    void set_next_call(std::unique_ptr<VirtCall> next) { next_call_ = std::move(next); }

    Refusal open(ByteView message, Call& call, ByteView& arguments) override;
    bool begin_reply(xdr::Writer& out, Call& call) override;
    bool put_refusal(xdr::Writer& out, Call& call, const Refusal& refusal) override;
    std::size_t reply_overhead(const Call& call) const override;
    bool answers_procedure_zero() const override { return false; }
    std::string answer_to(const Call& call, const Refusal& refusal) const override;

 private:
    std::unique_ptr<VirtCall> next_call_;
};

// What a refusal of the server core is in libvirt's words: "unknown procedure: 999".
VirtError virt_error_of(const Call& call, const Refusal& refusal);

}  // namespace helio::rpc
