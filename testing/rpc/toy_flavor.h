// A security flavor for tests that needs everything of an envelope that RPCSEC_GSS (RFC 2203)
// needs: contexts that belong to a connection, sequence numbers, verifiers over headers, results
// wrapped for integrity or privacy. Its cryptography is fake: a keyed hash, and XOR.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "helio/base/siphash.h"
#include "helio/rpc/onc/auth.h"
#include "helio/xdr/plain.h"
#include "schema/rpc.h"
#include "testing/rpc/probe_service.h"

namespace helio::rpc::toy {

using probe::Bytes;
using probe::PROBE_V2;

inline constexpr std::uint32_t kToy = 300'000;
enum Control : std::uint32_t { kInit, kData, kDestroy };
enum Protection : std::uint32_t { kPlain, kIntegrity, kPrivacy };
inline constexpr std::size_t kMacSize = 8;

inline Bytes mac(ByteView bytes) {
    const std::uint64_t hash = siphash24(11, 22, bytes);
    Bytes out(kMacSize);
    std::memcpy(out.data(), &hash, kMacSize);
    return out;
}
inline Bytes mac_of(std::uint32_t word) { return mac(xdr::word(word)); }

inline Bytes scrambled(ByteView bytes) {
    Bytes out{bytes.begin(), bytes.end()};
    for (std::byte& one : out) one ^= std::byte{0x5a};
    return out;
}

inline Bytes opaque(ByteView body) {
    Bytes out = xdr::word(static_cast<std::uint32_t>(body.size()));
    xdr::append(out, body);
    out.resize(4 + padded(body.size()));
    return out;
}

// The sequence number and the content, as on the wire.
inline Bytes wrapped(Protection protection, std::uint32_t sequence, ByteView content) {
    if (protection == kPlain) return {content.begin(), content.end()};
    Bytes body = xdr::word(sequence);
    xdr::append(body, content);
    if (protection == kPrivacy) return opaque(scrambled(body));
    Bytes out = opaque(body);
    xdr::append(out, opaque(mac(body)));
    return out;
}

// The content; nothing if it is invalid.
inline std::optional<Bytes> unwrapped(Protection protection, std::uint32_t sequence,
                                      ByteView bytes) {
    if (protection == kPlain) return Bytes{bytes.begin(), bytes.end()};
    xdr::Arena arena;
    xdr::Reader in{bytes, arena};
    ByteView body, sum;
    if (!xdr::decode_plain(in, body)) return std::nullopt;
    if (protection == kIntegrity && !xdr::decode_plain(in, sum)) return std::nullopt;
    if (!in.finish()) return std::nullopt;
    Bytes plain{body.begin(), body.end()};
    if (protection == kPrivacy) plain = scrambled(body);
    if (protection == kIntegrity && !xdr::same(sum, mac(body))) return std::nullopt;
    if (plain.size() < 4 || xdr::load_u32(plain.data()) != sequence) return std::nullopt;
    plain.erase(plain.begin(), plain.begin() + 4);
    return plain;
}

struct ToyState final : AuthState {
    std::map<std::uint32_t, std::set<std::uint32_t>>
        contexts;  // with the sequence numbers they used
    static inline int alive = 0;
    ToyState() { ++alive; }
    ~ToyState() override { --alive; }
};

class ToySecurity final : public CallSecurity {
 public:
    ToySecurity(Control control, std::uint32_t context, std::uint32_t sequence,
                Protection protection)
        : control_(control), context_(context), sequence_(sequence), protection_(protection) {}

    std::uint64_t caller() const override { return context_; }
    std::size_t reply_bytes() const override {
        const std::size_t wrapping = protection_ == kPlain       ? 0
                                     : protection_ == kIntegrity ? 4 + 4 + 4 + kMacSize
                                                                 : 4 + 4;
        return kMacSize + wrapping;
    }
    Verifier verifier() override {
        verifier_ = mac_of(control_ == kInit ? context_ : sequence_);
        return {kToy, verifier_};
    }
    Results results() const override {
        if (control_ != kData) return Results::own;
        return protection_ == kPlain ? Results::plain : Results::protected_;
    }
    bool put_results(ByteView plain, xdr::Writer& out) override {
        if (control_ == kInit) return xdr::encode_plain(out, context_);
        if (control_ == kDestroy) return true;
        return out.append(wrapped(protection_, sequence_, plain));
    }

 private:
    const Control control_;
    const std::uint32_t context_;
    const std::uint32_t sequence_;
    const Protection protection_;
    Bytes verifier_;
};

class Toy final : public AuthFlavor {
 public:
    std::uint32_t number() const override { return kToy; }
    Refusal accept(const Presented& presented, std::unique_ptr<AuthState>& kept, Call& call,
                   ByteView& arguments) override {
        if (presented.credential.size() != 16) return {Refusal::Kind::auth_error, AUTH_BADCRED};
        const auto word = [&](std::size_t i) {
            return xdr::load_u32(presented.credential.data() + 4 * i);
        };
        if (word(0) > kDestroy || word(3) > kPrivacy)
            return {Refusal::Kind::auth_error, AUTH_BADCRED};
        if (!kept) kept = std::make_unique<ToyState>();
        auto& state = static_cast<ToyState&>(*kept);
        std::uint32_t context = word(1);
        if (word(0) == kInit) {
            context = ++made;
            state.contexts[context];
        } else {
            if (presented.verifier_flavor != kToy ||
                !xdr::same(presented.verifier, mac(presented.header)))
                return {Refusal::Kind::auth_error, AUTH_BADVERF};
            const auto found = state.contexts.find(context);
            if (found == state.contexts.end())
                return {Refusal::Kind::auth_error, AUTH_REJECTEDCRED};
            if (!found->second.insert(word(2)).second) return {Refusal::Kind::ignore};
            if (word(0) == kDestroy) state.contexts.erase(found);
        }
        const auto protection = static_cast<Protection>(word(3));
        if (word(0) == kData) {
            const auto plain = unwrapped(protection, word(2), arguments);
            if (!plain) return {Refusal::Kind::garbage_arguments};
            auto* const copy = call.arena().make<std::byte>(plain->size());
            std::copy(plain->begin(), plain->end(), copy);
            arguments = {copy, plain->size()};
        }
        call.credential.uid = context;
        call.security = std::make_unique<ToySecurity>(static_cast<Control>(word(0)), context,
                                                      word(2), protection);
        return {};
    }
    std::uint32_t made = 0;
};

struct ProtectedCall {
    std::uint32_t xid = 1;
    std::uint32_t procedure = 0;
    Control control = kData;
    std::uint32_t context = 1;
    std::uint32_t sequence = 0;
    Protection protection = kPlain;
    Bytes arguments = {};
    bool forged = false;
};

inline Bytes message_of(const ProtectedCall& said) {
    Bytes out;
    for (const std::uint32_t one :
         {said.xid, 0u, 2u, PROBE_V2::program, PROBE_V2::version, said.procedure, kToy, 16u,
          static_cast<std::uint32_t>(said.control), said.context, said.sequence,
          static_cast<std::uint32_t>(said.protection)})
        xdr::append(out, xdr::word(one));
    Bytes verifier = mac(out);
    if (said.forged) verifier[3] ^= std::byte{1};
    if (said.control == kInit) {
        xdr::append(out, xdr::word(0));
        xdr::append(out, xdr::word(0));
    } else {
        xdr::append(out, xdr::word(kToy));
        xdr::append(out, opaque(verifier));
    }
    xdr::append(out, said.control == kData ? wrapped(said.protection, said.sequence, said.arguments)
                                           : said.arguments);
    return out;
}

}  // namespace helio::rpc::toy
