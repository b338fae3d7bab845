// Head: an ONC RPC message's header (RFC 5531 §9) read in a few loads, from as many of its bytes as
// there are. And the question everything in a capture begins with: can this be an RPC message at
// all? The answer comes from the bytes, never from a port.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"

namespace helio::inspect {

// xid, direction, RPC version, program, version, procedure, two empty opaque_auth.
inline constexpr std::size_t kCallHeadMin = 40;
// xid, direction, accepted, an empty verifier, accept_stat.
inline constexpr std::size_t kReplyHeadMin = 24;
// A reply can be shorter: xid, direction, denied, AUTH_ERROR, auth_stat.
inline constexpr std::size_t kDeniedHeadMin = 20;

enum class Verdict : std::uint8_t {
    none,
    success,       // results follow
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
    bool complete = false;  // the whole header is there, so `body` counts
    // Of calls.
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    std::uint32_t flavor = 0;         // of the credential
    std::uint32_t credential_at = 0;  // offset of its body
    std::uint32_t credential_size = 0;
    // Of replies.
    Verdict verdict = Verdict::none;
    std::uint32_t low = 0;  // of a mismatch: the versions there are; of auth_error: auth_stat
    std::uint32_t high = 0;

    std::uint32_t body = 0;  // offset of arguments or results
};

// False: these bytes cannot begin an RPC message. A header that is cut is read as far as it goes:
// a call needs its first 24 bytes, a reply its first 12, to be believed.
bool read_head(ByteView bytes, Head& head);

// libvirt's header (virNetMessageHeader), which says in one word what a message is.
enum class VirnetType : std::uint8_t {
    call,
    reply,
    message,  // an event or keepalive: nobody answers
    stream,
    call_with_fds,
    reply_with_fds,
    stream_hole,
};
inline constexpr std::size_t kVirnetHeadSize = 24;
// False: fewer than kVirnetHeadSize bytes, or a type or status there is none of. Only calls with a
// serial of their own have `call` set.
bool read_virnet_head(ByteView bytes, Head& head, VirnetType& type);

// Stricter, for bytes of which nobody has said that a message begins there: flavors, lengths and
// numbers are such as are in use, and the size fits. Needs kCallHeadMin or kReplyHeadMin bytes
// unless the message itself (size) is shorter. A program that `known` does not hold passes when
// everything else is beyond doubt.
class Catalogue;
bool plausible(ByteView bytes, std::uint64_t size, const Catalogue& known);

}  // namespace helio::inspect
