#include "helio/rpc/onc/onc_envelope.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "helio/base/assert.h"
#include "helio/xdr/wire.h"

namespace helio::rpc {

namespace {

constexpr std::size_t kFixedCallSize = 24;  // xid to proc
constexpr std::size_t kAuthHeadSize = 8;    // flavor and size of a body
constexpr std::size_t kSuccessSize = 24;    // a reply's header with an empty verifier

Refusal auth_error(auth_stat why) {
    return {Refusal::Kind::auth_error, static_cast<std::uint32_t>(why), 0};
}

AuthFlavor* find_flavor(const AuthFlavors* flavors, std::uint32_t number) {
    if (flavors == nullptr) return nullptr;
    for (const auto& one : *flavors)
        if (one->number() == number) return one.get();
    return nullptr;
}

// AUTH_SYS at `body`, exactly. The numbers are only the caller's claim.
bool open_sys(ByteView body, Call& call) {
    xdr::Reader in{body, call.arena(), xdr::Mode::lenient};
    authsys::authsys_parms who;
    if (!authsys::decode_authsys_parms(in, who) || !in.rest().empty()) return false;
    call.credential = {AUTH_SYS, who.uid, who.gid, who.gids, who.machinename};
    return true;
}

// Removes a credential or verifier from the front. False if it is cut or longer than
// MAX_AUTH_BYTES.
bool take_auth(ByteView& rest, std::uint32_t& flavor, ByteView& body) {
    if (rest.size() < kAuthHeadSize) return false;
    flavor = xdr::load_u32(rest.data());
    const std::uint32_t size = xdr::load_u32(rest.data() + 4);
    if (size > MAX_AUTH_BYTES || rest.size() - kAuthHeadSize < padded(size)) return false;
    body = rest.subspan(kAuthHeadSize, size);
    rest = rest.subspan(kAuthHeadSize + padded(size));
    return true;
}

rpc_msg accepted(Call& call, const accepted_reply_data& data) {
    opaque_auth verifier;
    if (call.security) {
        const CallSecurity::Verifier made = call.security->verifier();
        verifier = {static_cast<auth_flavor>(made.flavor), made.body};
    }
    return {call.xid,
            rpc_msg_body::of_rbody(reply_body::of_areply(accepted_reply{verifier, data}))};
}
rpc_msg denied(const Call& call, const rejected_reply& why) {
    return {call.xid, rpc_msg_body::of_rbody(reply_body::of_rreply(why))};
}

}  // namespace

Refusal OncEnvelope::open(ByteView message, Call& call, ByteView& arguments) {
    const std::byte* const at = message.data();
    if (message.size() < 8) return {Refusal::Kind::ignore};
    if (const std::uint32_t type = xdr::load_u32(at + 4); type != CALL) [[unlikely]]
        return {type == REPLY ? Refusal::Kind::reply : Refusal::Kind::ignore};
    call.xid = xdr::load_u32(at);
    if (message.size() < 12) return {Refusal::Kind::garbage_arguments};
    if (xdr::load_u32(at + 8) != RPC_MSG_VERSION)
        return {Refusal::Kind::rpc_mismatch, RPC_MSG_VERSION, RPC_MSG_VERSION};
    if (message.size() < kFixedCallSize) return {Refusal::Kind::garbage_arguments};
    call.program = xdr::load_u32(at + 12);
    call.version = xdr::load_u32(at + 16);
    call.procedure = xdr::load_u32(at + 20);

    ByteView rest = message.subspan(kFixedCallSize);
    ByteView body;
    std::uint32_t flavor = 0;
    if (!take_auth(rest, flavor, body)) return auth_error(AUTH_BADCRED);
    call.credential = {flavor, 0, 0, {}, {}};
    if (flavor == AUTH_SYS) [[likely]] {
        if (!open_sys(body, call)) return auth_error(AUTH_BADCRED);
    } else if (flavor != AUTH_NONE) {
        AuthFlavor::Presented presented;
        presented.header = message.first(message.size() - rest.size());
        presented.credential = body;
        return open_protected(presented, flavor, rest, call, arguments);
    }
    if (!take_auth(rest, flavor, body) || flavor != AUTH_NONE || !body.empty())
        return auth_error(AUTH_BADVERF);
    arguments = rest;
    return {};
}

Refusal OncEnvelope::open_protected(AuthFlavor::Presented presented, std::uint32_t flavor,
                                    ByteView rest, Call& call, ByteView& arguments) {
    AuthFlavor* const found = find_flavor(flavors_, flavor);
    // An unknown flavor does not make a caller anonymous. This includes AUTH_SHORT: we never issue
    // a shorthand, and the client falls back to the long form.
    if (found == nullptr) return auth_error(AUTH_REJECTEDCRED);
    if (!take_auth(rest, presented.verifier_flavor, presented.verifier))
        return auth_error(AUTH_BADVERF);
    arguments = rest;
    const Refusal refusal = found->accept(presented, state_of(*found), call, arguments);
    HELIO_ASSERT(refusal || call.security);
    if (call.security && call.security->results() != CallSecurity::Results::plain)
        call.sends_files = false;  // their bytes are needed here
    return refusal;
}

std::unique_ptr<AuthState>& OncEnvelope::state_of(const AuthFlavor& flavor) {
    for (auto& [whose, state] : states_)
        if (whose == &flavor) return state;
    return states_.emplace_back(&flavor, nullptr).second;
}

std::size_t OncEnvelope::reply_overhead(const Call& call) const {
    return kSuccessSize + (call.security ? call.security->reply_bytes() : 0);
}

bool OncEnvelope::begin_reply(xdr::Writer& out, Call& call) {
    if (call.security) [[unlikely]]
        return encode_rpc_msg(out, accepted(call, accepted_reply_data::of(SUCCESS)));
    // xid, then REPLY, MSG_ACCEPTED, AUTH_NONE with an empty body, SUCCESS: all but one are zero.
    static_assert(MSG_ACCEPTED == 0 && AUTH_NONE == 0 && SUCCESS == 0);
    if (!out.ready(kSuccessSize)) return false;
    std::byte* const at = out.at();
    xdr::store_u32(at, call.xid);
    xdr::store_u32(at + 4, REPLY);
    std::memset(at + 8, 0, 16);
    return out.end(at + kSuccessSize);
}

// The procedure's output is replaced by its protected form.
bool OncEnvelope::end_reply(xdr::Writer& out, const xdr::Writer::Mark& results, Call& call) {
    if (call.security->results() == CallSecurity::Results::plain) return true;
    const std::size_t size = out.size_since(results);
    std::byte* const plain = call.arena().make<std::byte>(size);
    if (plain == nullptr) return false;
    std::byte* at = plain;
    bool good = true;
    out.for_each_since(results, 0, [&](const xdr::Segment& one) {
        good = good && one.data.copy_to(at);
        at += one.size();
    });
    out.rewind(results);
    call.plain_results = {plain, size};
    return good && call.security->put_results(call.plain_results, out);
}

bool OncEnvelope::put_refusal(xdr::Writer& out, Call& call, const Refusal& refusal) {
    using Kind = Refusal::Kind;
    const mismatch_range range{refusal.low, refusal.high};
    switch (refusal.kind) {
        case Kind::rpc_mismatch:
            return encode_rpc_msg(out, denied(call, rejected_reply::of_mismatch_info(range)));
        case Kind::auth_error:
            return encode_rpc_msg(
                out, denied(call, rejected_reply::of_why(static_cast<auth_stat>(refusal.low))));
        case Kind::version_mismatch:
            return encode_rpc_msg(out,
                                  accepted(call, accepted_reply_data::of_mismatch_info(range)));
        case Kind::program_unavailable:
            return encode_rpc_msg(out, accepted(call, accepted_reply_data::of(PROG_UNAVAIL)));
        case Kind::procedure_unavailable:
            return encode_rpc_msg(out, accepted(call, accepted_reply_data::of(PROC_UNAVAIL)));
        case Kind::garbage_arguments:
            return encode_rpc_msg(out, accepted(call, accepted_reply_data::of(GARBAGE_ARGS)));
        case Kind::system_error:
            return encode_rpc_msg(out, accepted(call, accepted_reply_data::of(SYSTEM_ERR)));
        case Kind::none:
        case Kind::ignore:
        case Kind::reply:
            break;
    }
    HELIO_ASSERT(false);
    return false;
}

// The names of RFC 5531 §9.
std::string OncEnvelope::answer_to(const Call&, const Refusal& refusal) const {
    using Kind = Refusal::Kind;
    switch (refusal.kind) {
        case Kind::rpc_mismatch:
            return "RPC_MISMATCH";
        case Kind::auth_error:
            return fmt::format("AUTH_ERROR {}", to_string(static_cast<auth_stat>(refusal.low)));
        case Kind::program_unavailable:
            return "PROG_UNAVAIL";
        case Kind::version_mismatch:
            return "PROG_MISMATCH";
        case Kind::procedure_unavailable:
            return "PROC_UNAVAIL";
        case Kind::garbage_arguments:
            return "GARBAGE_ARGS";
        default:
            return "SYSTEM_ERR";
    }
}

ClientCredential ClientCredential::none() {
    return ClientCredential{std::vector<std::byte>(2 * kAuthHeadSize)};
}

ClientCredential ClientCredential::sys(std::uint32_t uid, std::uint32_t gid,
                                       const std::vector<std::uint32_t>& gids,
                                       std::string_view machine) {
    xdr::Arena arena;
    xdr::Writer out{arena};
    authsys::authsys_parms who;
    who.machinename = machine.substr(0, authsys::AUTHSYS_MACHINENAME_MAX);
    who.uid = uid;
    who.gid = gid;
    who.gids = std::span(gids).first(std::min<std::size_t>(gids.size(), authsys::AUTHSYS_GIDS_MAX));
    HELIO_ASSERT(out.ready(4));
    xdr::store_u32(out.at(), AUTH_SYS);
    out.end(out.at() + 4);
    const auto body = out.open_body();
    const bool fits = authsys::encode_authsys_parms(out, who) &&
                      out.close_body(body, MAX_AUTH_BYTES) && encode_opaque_auth(out, {});
    HELIO_ASSERT(fits);  // its bounds were checked above
    return ClientCredential{out.joined()};
}

ClientCredential ClientCredential::of_this_process() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, getgroups(0, nullptr))));
    const int count = getgroups(static_cast<int>(groups.size()), groups.data());
    groups.resize(static_cast<std::size_t>(std::max(0, count)));
    return sys(geteuid(), getegid(), {groups.begin(), groups.end()}, name.data());
}

bool put_call(xdr::Writer& out, std::uint32_t xid, std::uint32_t program, std::uint32_t version,
              std::uint32_t procedure, const ClientCredential& credential) {
    const ByteView who = credential.bytes();
    if (!out.ready(kFixedCallSize + who.size())) return false;
    std::byte* const at = out.at();
    xdr::store_u32(at, xid);
    xdr::store_u32(at + 4, CALL);
    xdr::store_u32(at + 8, RPC_MSG_VERSION);
    xdr::store_u32(at + 12, program);
    xdr::store_u32(at + 16, version);
    xdr::store_u32(at + 20, procedure);
    std::memcpy(at + kFixedCallSize, who.data(), who.size());
    return out.end(at + kFixedCallSize + who.size());
}

namespace {

xdr::CallError error_of(const accepted_reply_data& data) {
    using xdr::Outcome;
    xdr::CallError error;
    switch (data.stat()) {
        case SUCCESS:
            error.outcome = Outcome::success;
            break;
        case PROG_UNAVAIL:
            error.outcome = Outcome::program_unavailable;
            break;
        case PROG_MISMATCH:
            error.outcome = Outcome::version_mismatch;
            error.reason =
                xdr::CallError::VersionRange{data.mismatch_info().low, data.mismatch_info().high};
            break;
        case PROC_UNAVAIL:
            error.outcome = Outcome::procedure_unavailable;
            break;
        case GARBAGE_ARGS:
            error.outcome = Outcome::garbage_arguments;
            break;
        case SYSTEM_ERR:
            error.outcome = Outcome::system_error;
            break;
        default:
            error.outcome = Outcome::garbage_reply;
            error.reason = xdr::CallError::UnknownStatus{static_cast<std::uint32_t>(data.stat())};
            break;
    }
    return error;
}

xdr::CallError error_of(const rejected_reply& why) {
    xdr::CallError error;
    if (const auto* const range = why.if_mismatch_info()) {
        error.outcome = xdr::Outcome::rpc_mismatch;
        error.reason = xdr::CallError::VersionRange{range->low, range->high};
    } else {
        error.outcome = xdr::Outcome::auth_error;
        error.reason = xdr::CallError::AuthStatus{static_cast<std::uint32_t>(why.why())};
    }
    return error;
}

}  // namespace

std::optional<OpenedReply> open_reply(ByteView message, xdr::Arena& arena) {
    if (message.size() < 8 || xdr::load_u32(message.data() + 4) != REPLY) return std::nullopt;
    OpenedReply opened;
    opened.xid = xdr::load_u32(message.data());
    // The usual reply: accepted, an empty verifier, SUCCESS.
    if (message.size() >= kSuccessSize && xdr::load_u32(message.data() + 8) == MSG_ACCEPTED &&
        xdr::load_u32(message.data() + 16) == 0 && xdr::load_u32(message.data() + 20) == SUCCESS) {
        opened.results = message.subspan(kSuccessSize);
        return opened;
    }
    xdr::Reader in{message, arena};
    rpc_msg reply;
    if (!decode_rpc_msg(in, reply)) {
        opened.error = xdr::CallError{xdr::Outcome::garbage_reply, in.error()};
        return opened;
    }
    const reply_body& body = reply.body.rbody();
    const xdr::CallError error =
        body.has_areply() ? error_of(body.areply().reply_data) : error_of(body.rreply());
    if (error.outcome == xdr::Outcome::success)
        opened.results = in.rest();
    else
        opened.error = error;
    return opened;
}

namespace {

// "2 to 3"
std::string range_text(const xdr::CallError& error) {
    const auto* const range = std::get_if<xdr::CallError::VersionRange>(&error.reason);
    return range == nullptr ? "?" : fmt::format("{} to {}", range->low, range->high);
}

}  // namespace

std::string to_text(const xdr::CallError& error) {
    using xdr::Outcome;
    switch (error.outcome) {
        case Outcome::success:
            return "SUCCESS";
        case Outcome::procedure_unavailable:
            return "PROC_UNAVAIL: no such procedure there";
        case Outcome::garbage_arguments:
            if (error.detail.fault == xdr::Fault::none)
                return "GARBAGE_ARGS: the server could not decode the arguments";
            return fmt::format("the arguments do not fit the schema: {}", to_string(error.detail));
        case Outcome::system_error:
            return "SYSTEM_ERR: the server failed";
        case Outcome::refused:
            return "refused";
        case Outcome::silent:
            return "no answer";
        case Outcome::suspended:
            return "not finished yet";
        case Outcome::program_unavailable:
            return "PROG_UNAVAIL: the program is not served there";
        case Outcome::version_mismatch:
            return fmt::format("PROG_MISMATCH: versions {} are served there", range_text(error));
        case Outcome::rpc_mismatch:
            return fmt::format("RPC_MISMATCH: RPC versions {} are spoken there", range_text(error));
        case Outcome::auth_error: {
            const auto* const status = std::get_if<xdr::CallError::AuthStatus>(&error.reason);
            const std::uint32_t number = status != nullptr ? status->number : 0;
            const std::string_view name = to_string(static_cast<auth_stat>(number));
            return fmt::format("AUTH_ERROR: {}",
                               name.empty() ? fmt::format("auth_stat {}", number) : name);
        }
        case Outcome::garbage_reply:
            if (const auto* status = std::get_if<xdr::CallError::UnknownStatus>(&error.reason))
                return fmt::format("the reply does not decode: its accept_stat is unknown: {}",
                                   status->number);
            return fmt::format("the reply does not decode: {}", to_string(error.detail));
        case Outcome::timed_out:
            return "no reply in time";
        case Outcome::unreachable:
            return error.error_number == 0 ? "the peer closed the connection"
                                           : std::strerror(error.error_number);
        case Outcome::cancelled:
            return "cancelled";
    }
    HELIO_ASSERT(false);
    return {};
}

}  // namespace helio::rpc
