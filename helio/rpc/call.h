// Call: one call on the server's side, for procedures and the server core. Its arguments are views
// into the message, which lives as long as the call does.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/base/clock.h"
#include "helio/base/payload.h"
#include "helio/rpc/onc/auth.h"
#include "helio/rpc/payload_memory.h"
#include "helio/rpc/server/duplicate_cache.h"
#include "helio/xdr/array.h"
#include "helio/xdr/program.h"

namespace helio::rpc {

enum class Transport : std::uint8_t {
    tcp,
    udp,
    local,      // AF_UNIX
    rdma,       // RPC-over-RDMA (RFC 8166)
    in_process  // another part of this program
};
std::string_view name_of(Transport transport);

// The other end of a connection, or the sender of a datagram.
struct Peer {
    ClientAddress client;  // IPv4 as the IPv6 address it maps to
    std::uint16_t port = 0;
    Transport transport = Transport::tcp;
    bool local = false;       // the same machine, as far as the network can tell
    std::uint32_t scope = 0;  // interface of a link-local IPv6 address
    // Our address that the peer sent to, in the same form; zero if unknown.
    std::array<std::byte, 16> here{};
    // Identifies the call within its connection, for transports that keep something for each call
    // until its reply.
    std::uint64_t exchange = 0;
};
bool is_ipv4(const std::array<std::byte, 16>& address);
// "10.0.0.7:801", "[fe80::1]:801", "unix uid 1000"
std::string to_text(const Peer& peer);

// ClientAddress::kind
inline constexpr std::uint32_t kClientInternet = 1;
inline constexpr std::uint32_t kClientUnix = 2;  // the uid is in the first four bytes
inline constexpr std::uint32_t kClientInProcess = 3;

// The caller's claimed identity (RFC 5531 §8.2, appendix A). With AUTH_NONE only the flavor is set.
struct Credential {
    std::uint32_t flavor = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    xdr::Array<std::uint32_t> gids;
    std::string_view machine;

    bool is_sys() const { return flavor == 1; }
};

// A protocol's addition to each of its calls: its connection, its own error. The envelope attaches
// one when it opens the call; code for that protocol knows the derived class.
class CallExtra {
 public:
    virtual ~CallExtra() = default;
    // The call failed, and the protocol has its own error. The envelope's begin_reply() then writes
    // that instead of results; for RPC the call succeeded.
    virtual bool has_error() const { return false; }
};

class BackChannel;
class Envelope;

// The connection that calls come from, as far as services may use it.
class CallOrigin {
 public:
    virtual ~CallOrigin() = default;
    // nullptr: this transport has none.
    virtual std::shared_ptr<BackChannel> back_channel() { return nullptr; }
    // May one more call wait whose results will take this much memory? If not, the client has to
    // try later.
    virtual bool may_hold(std::size_t /*bytes*/) { return true; }
};

class Call final : public xdr::CallContext {
 public:
    using xdr::CallContext::CallContext;
    using xdr::CallContext::restart;

    std::uint32_t xid = 0;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    Credential credential;
    Peer peer;
    // The largest reply the transport carries, header and all.
    std::size_t reply_bytes_max = 0;
    // The most bytes for results, by transport and envelope; results that can be shorter must fit.
    std::size_t results_bytes_max() const;
    // The most bytes of the reply besides results.
    std::size_t reply_overhead() const;
    // Call it before the call waits: its results will take this much memory, which is charged to
    // its connection. False if memory is short: the client has to try later. Reserve the memory in
    // the arena that the results will be made in.
    [[nodiscard]] bool promise(std::size_t bytes);
    Clock::time_point arrived;
    ByteView message;                          // all of it, header included
    const xdr::ProcedureInfo* info = nullptr;  // nullptr while it is not known

    // Keeps an owner of memory that results point to until the reply has been sent. Not from other
    // threads.
    void hold(std::shared_ptr<const void> owner) { held.push_back(std::move(owner)); }
    // A result that is a piece of an open file, for a field marked @bulk: the kernel copies it from
    // the file to the socket. The file stays open while `owner`, which is held, lives. A file that
    // turns out shorter is padded with zeros. Empty if the transport cannot send files; then read
    // the bytes.
    Payload file_payload(int descriptor, std::uint64_t offset, std::size_t size,
                         std::shared_ptr<const void> owner);

    // A channel for our own calls over the caller's connection. nullptr if the transport has none
    // (UDP, RDMA) or the connection closed while the call waited.
    std::shared_ptr<BackChannel> back_channel() const {
        return origin != nullptr ? origin->back_channel() : nullptr;
    }

    std::unique_ptr<CallExtra> extra;  // for protocols that have one

    // ---- For the server core and envelopes ----
    CallOrigin* origin = nullptr;  // nullptr when the connection has closed
    const Envelope* envelope = nullptr;
    std::unique_ptr<CallSecurity> security;  // for flavors other than AUTH_NONE and AUTH_SYS
    ByteView plain_results;                  // before `security` protected them
    bool sends_files = false;                // the transport sends pieces of files itself
    std::size_t bytes_promised = 0;
    std::size_t* session_waiting_bytes = nullptr;  // the sum of its session, while it waits there
    std::vector<std::shared_ptr<const void>> held;
    // Where the transport wants result bytes to be made; empty: anywhere.
    std::shared_ptr<PayloadMemory> payloads;
};

// For services, which are passed a CallContext: every server here makes Calls.
inline Call& call_of(xdr::CallContext& context) { return static_cast<Call&>(context); }

}  // namespace helio::rpc
