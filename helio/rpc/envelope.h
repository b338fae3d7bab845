// Envelope: what is around arguments and results. One of the two axes of a connection, the other is
// how the stream is cut into messages (helio/frame): TCP is record marks × ONC, UDP datagrams ×
// ONC, libvirt length words × Virnet. The server core knows none of them. No I/O. Each session has
// one of its own, which keeps what the protocol keeps for a connection: its security, say. A call
// that waits holds it, since the session may end first.
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
        ignore,  // nothing anybody could answer: it has no xid
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
    // Fills in who calls what; `arguments` is what follows the header. On a refusal the fields that
    // could be read are set, the xid above all.
    virtual Refusal open(ByteView message, Call& call, ByteView& arguments) = 0;
    // The header of a reply whose results follow; or all of it, when the call's CallExtra has an
    // error. False when there is no memory.
    virtual bool begin_reply(xdr::Writer& out, Call& call) = 0;
    // The results are written, behind `results`: what protects them may take their place. Only for
    // calls that have a CallSecurity. False when there is no memory.
    virtual bool end_reply(xdr::Writer& /*out*/, const xdr::Writer::Mark& /*results*/, Call&) {
        return true;
    }
    // A whole reply without results.
    virtual bool put_refusal(xdr::Writer& out, Call& call, const Refusal& refusal) = 0;
    // At most how many bytes of a reply are not results.
    virtual std::size_t reply_overhead(const Call& call) const = 0;
    // Whether procedure 0 answers in every program, served or not (RFC 5531 §12.1).
    virtual bool answers_procedure_zero() const { return true; }
    // For the log: what a refusal is called, "PROC_UNAVAIL".
    virtual std::string answer_to(const Call& call, const Refusal& refusal) const = 0;
};

}  // namespace helio::rpc
