// OncEnvelope: the header of RFC 5531 §9 around every call and reply, for servers; the same for
// clients as two functions.
//
//     call:  xid  CALL   2  prog  vers  proc  credential  verifier  arguments
//     reply: xid  REPLY  MSG_ACCEPTED  verifier  SUCCESS  results
//            xid  REPLY  MSG_DENIED  RPC_MISMATCH | AUTH_ERROR …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "helio/rpc/envelope.h"
#include "helio/rpc/onc/auth.h"
#include "helio/xdr/program.h"
#include "schema/authsys.h"
#include "schema/rpc.h"

namespace helio::rpc {

// Flavors besides AUTH_NONE and AUTH_SYS, each number once.
using AuthFlavors = std::vector<std::shared_ptr<AuthFlavor>>;

class OncEnvelope final : public Envelope {
 public:
    OncEnvelope() = default;
    // The table outlives it.
    explicit OncEnvelope(const AuthFlavors& flavors) : flavors_(&flavors) {}

    Refusal open(ByteView message, Call& call, ByteView& arguments) override;
    bool begin_reply(xdr::Writer& out, Call& call) override;
    bool end_reply(xdr::Writer& out, const xdr::Writer::Mark& results, Call& call) override;
    bool put_refusal(xdr::Writer& out, Call& call, const Refusal& refusal) override;
    std::size_t reply_overhead(const Call& call) const override;
    std::string answer_to(const Call& call, const Refusal& refusal) const override;

 private:
    Refusal open_protected(AuthFlavor::Presented presented, std::uint32_t flavor, ByteView rest,
                           Call& call, ByteView& arguments);
    std::unique_ptr<AuthState>& state_of(const AuthFlavor& flavor);

    const AuthFlavors* flavors_ = nullptr;
    std::vector<std::pair<const AuthFlavor*, std::unique_ptr<AuthState>>> states_;
};

// A client's credential: AUTH_NONE, or AUTH_SYS with these numbers. Encoded once, used for every
// call.
class ClientCredential final {
 public:
    ClientCredential() : ClientCredential(none()) {}
    static ClientCredential none();
    // At most 16 groups and a name of 255 bytes (RFC 5531 appendix A); more are omitted.
    static ClientCredential sys(std::uint32_t uid, std::uint32_t gid,
                                const std::vector<std::uint32_t>& gids, std::string_view machine);
    // The calling process, by its own numbers.
    static ClientCredential of_this_process();

    ByteView bytes() const { return encoded_; }  // credential and verifier

 private:
    explicit ClientCredential(std::vector<std::byte> encoded) : encoded_(std::move(encoded)) {}
    std::vector<std::byte> encoded_;
};

bool put_call(xdr::Writer& out, std::uint32_t xid, std::uint32_t program, std::uint32_t version,
              std::uint32_t procedure, const ClientCredential& credential);

// True for calls; anything else is a reply or garbage.
inline bool is_call(ByteView message) {
    return message.size() >= 8 && xdr::load_u32(message.data() + 4) == CALL;
}

// A reply: the xid, and the results or an error. Nothing if it is not a reply at all.
struct OpenedReply {
    std::uint32_t xid = 0;
    std::optional<xdr::CallError> error;
    ByteView results;
};
std::optional<OpenedReply> open_reply(ByteView message, xdr::Arena& arena);

// "the program is not served there", "version 4 is not served there; 2 to 3 are", …, as a
// sentence's second half.
std::string to_text(const xdr::CallError& error);

}  // namespace helio::rpc
