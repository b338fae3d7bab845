// Envelope: reads and writes the header around arguments and results. It is one of the two axes of
// a connection; the other is how the stream is split into messages (helio/frame). TCP is record
// marks × ONC, UDP datagrams × ONC, libvirt length words × Virnet; the server core knows none of
// them. No I/O. Each session has its own envelope, which keeps the protocol's state for a
// connection, such as its security. A waiting call holds it, since the session may end first.
#pragma once

#include <cstdint>
#include <string>

#include "helio/base/bytes.h"
#include "helio/rpc/call.h"
#include "helio/xdr/writer.h"

namespace helio::rpc {

// Why a message is not a call that can be dispatched, or was one that failed.
struct Refusal {
    enum class Kind : std::uint8_t {
        none,
        ignore,  // cannot be answered: it has no xid
        reply,   // no call, but the answer to one of ours
        rpc_mismatch,
        auth_error,  // `low` is the auth_stat
        program_unavailable,
        version_mismatch,  // `low` to `high` are served
        procedure_unavailable,
        garbage_arguments,
        system_error,
    };
    Kind kind = Kind::none;
    std::uint32_t low = 0;
    std::uint32_t high = 0;

    explicit operator bool() const { return kind != Kind::none; }
};

class Envelope {
 public:
    virtual ~Envelope() = default;
    // Fills in the caller and the procedure; `arguments` is what follows the header. On a refusal
    // the fields that could be read are set, most importantly the xid.
    virtual Refusal open(ByteView message, Call& call, ByteView& arguments) = 0;
    // The header of a reply, to be followed by results; or the whole reply, if the call's CallExtra
    // has an error. False: no memory.
    virtual bool begin_reply(xdr::Writer& out, Call& call) = 0;
    // The results have been written after `results`: a flavor's protection may replace them. Only
    // for calls with a CallSecurity. False: no memory.
    virtual bool end_reply(xdr::Writer& /*out*/, const xdr::Writer::Mark& /*results*/, Call&) {
        return true;
    }
    // A whole reply without results.
    virtual bool put_refusal(xdr::Writer& out, Call& call, const Refusal& refusal) = 0;
    // The most bytes of a reply besides results.
    virtual std::size_t reply_overhead(const Call& call) const = 0;
    // Does procedure 0 answer in every program, served or not (RFC 5531 §12.1)?
    virtual bool answers_procedure_zero() const { return true; }
    // For the log: the name of a refusal, "PROC_UNAVAIL".
    virtual std::string answer_to(const Call& call, const Refusal& refusal) const = 0;
};

}  // namespace helio::rpc
