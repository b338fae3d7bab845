// Security flavors (RFC 5531 §8.2). OncEnvelope implements AUTH_NONE and AUTH_SYS itself; any other
// is an AuthFlavor given to the server (ServerOptions::flavors) and is looked up by number.
//
//     AuthFlavor     one per server: keys, contexts, policy. Thread-safe.
//     AuthState      its state for one connection, if any.
//     CallSecurity   its state for one call: the reply's verifier, and protection of the results.
//
// RPCSEC_GSS (RFC 2203) would fit like this: accept() checks the MIC of the header, unwraps the
// arguments and returns; the reply's verifier is the MIC of the sequence number; put_results()
// wraps the results for integrity or privacy; the flavor answers INIT and DESTROY itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "helio/base/bytes.h"
#include "helio/xdr/writer.h"

namespace helio::rpc {

class Call;
struct Refusal;

// One call that came with a flavor of the table. Lives as long as the call.
class CallSecurity {
 public:
    virtual ~CallSecurity() = default;

    // Which principal calls, for the duplicate cache: a reply is never replayed to another one.
    virtual std::uint64_t caller() const = 0;
    // The most bytes that a reply has in addition to an empty verifier and plain results.
    virtual std::size_t reply_bytes() const = 0;

    // The verifier of the reply, accepted or not (RFC 5531 §9). The body stays while the call does.
    struct Verifier {
        std::uint32_t flavor = 0;
        ByteView body;
    };
    virtual Verifier verifier() = 0;

    enum class Results : std::uint8_t {
        plain,       // the procedure's, unchanged
        protected_,  // put_results() gets those of the procedure
        own          // the flavor answers the call: no procedure runs, put_results() gets nothing
    };
    virtual Results results() const { return Results::plain; }
    // What follows the header in the reply. False: no memory.
    virtual bool put_results(ByteView /*plain*/, xdr::Writer& /*out*/) { return false; }
};

class AuthState {
 public:
    virtual ~AuthState() = default;
};

class AuthFlavor {
 public:
    virtual ~AuthFlavor() = default;
    virtual std::uint32_t number() const = 0;

    struct Presented {
        ByteView header;      // from the xid to the end of the credential: signed by the verifier
        ByteView credential;  // the bodies of both
        std::uint32_t verifier_flavor = 0;
        ByteView verifier;
    };
    // A call with a credential of this flavor. Fills in call.credential and call.security, and may
    // put the arguments that it unwrapped, in memory of call.arena(), in the place of `arguments`.
    // `state` is the connection's, empty at first. A refusal is the answer to the call.
    virtual Refusal accept(const Presented& presented, std::unique_ptr<AuthState>& state,
                           Call& call, ByteView& arguments) = 0;
};

}  // namespace helio::rpc
