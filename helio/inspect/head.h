// Head: an ONC RPC message's header (RFC 5531 §9), parsed in a few loads from as many bytes as are
// available. Also answers the first question about any bytes in a capture: can this be an RPC
// message? The answer depends on the bytes, never on a port.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

// RFC 5531 §9: the version of the protocol, and msg_type.
inline constexpr std::uint32_t kRpcVersion = 2;
inline constexpr std::uint32_t kCallWord = 0;
inline constexpr std::uint32_t kReplyWord = 1;

// xid, direction, RPC version, program, version, procedure, two empty opaque_auth.
inline constexpr std::size_t kCallHeadMin = 40;
// xid, direction, accepted, an empty verifier, accept_stat.
inline constexpr std::size_t kReplyHeadMin = 24;
// A reply can be shorter: xid, direction, denied, AUTH_ERROR, auth_stat.
inline constexpr std::size_t kDeniedHeadMin = 20;

enum class Verdict : std::uint8_t {
    none,
    success,       // followed by results
    prog_unavail,  // the others: RFC 5531's accept_stat and reject_stat
    prog_mismatch,
    proc_unavail,
    garbage_args,
    system_err,
    rpc_mismatch,
    auth_error,
    failed,  // libvirt's ERROR: virNetMessageError follows
};
// "SUCCESS", "PROG_UNAVAIL" …
const char* name(Verdict verdict);

struct Head {
    std::uint32_t xid = 0;
    bool call = false;
    bool complete = false;  // the whole header is available, so `body` is valid
    // Of calls.
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    std::uint32_t flavor = 0;         // of the credential
    std::uint32_t credential_at = 0;  // offset of its body
    std::uint32_t credential_size = 0;
    // Of replies.
    Verdict verdict = Verdict::none;
    std::uint32_t low = 0;  // mismatch: the supported versions; auth_error: auth_stat
    std::uint32_t high = 0;

    std::uint32_t body = 0;  // offset of arguments or results
};

// False: these bytes cannot begin an RPC message. A call needs its first 24 bytes, a reply its
// first 12.
inline bool begins_message(ByteView bytes) {
    if (bytes.size() < 12) return false;
    const std::uint32_t type = xdr::load_u32(bytes.data() + 4);
    const std::uint32_t third = xdr::load_u32(bytes.data() + 8);
    if (type == kCallWord) return bytes.size() >= 24 && third == kRpcVersion;
    return type == kReplyWord && third <= 1;  // accepted or denied
}

// False unless begins_message(). A cut header is parsed as far as it goes.
bool read_head(ByteView bytes, Head& head);

// Message type in libvirt's header (virNetMessageHeader).
enum class VirnetType : std::uint8_t {
    call,
    reply,
    message,  // an event or keepalive: never answered
    stream,
    call_with_fds,
    reply_with_fds,
    stream_hole,
};
inline constexpr std::size_t kVirnetHeadSize = 24;
// False: fewer than kVirnetHeadSize bytes, or an unknown type or status. `call` is set only for
// calls with their own serial.
bool read_virnet_head(ByteView bytes, Head& head, VirnetType& type);

// Stricter, for bytes that may not be a message: flavors, lengths and numbers must be in use, and
// the size must fit. Needs kCallHeadMin or kReplyHeadMin bytes unless the message itself (size) is
// shorter. A program that `known` lacks passes only if everything else is beyond doubt.
class Catalogue;
bool plausible(ByteView bytes, std::uint64_t size, const Catalogue& known);

}  // namespace helio::inspect
