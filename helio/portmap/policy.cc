#include "helio/portmap/policy_internal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "helio/rpc/server/server.h"
#include "helio/transport/socket/socket.h"
#include "helio/xdr/wire.h"

namespace helio::portmap {

namespace {

constexpr std::array<std::byte, 16> kNoAddress{};

// The registering process, as far as the kernel knows it. A credential proves nothing.
std::string owner_of(const rpc::Peer& peer) {
    if (peer.client.kind == rpc::kClientUnix)
        return owner_name(xdr::load_u32(peer.client.bytes.data()));
    if (peer.client.kind == rpc::kClientInProcess) return owner_name(geteuid());
    return std::string{kUnknownOwner};
}

Standing standing_of(const rpc::Peer& peer) {
    switch (peer.client.kind) {
        case rpc::kClientInProcess:
            return Standing::privileged;
        case rpc::kClientUnix: {
            const std::uint32_t uid = xdr::load_u32(peer.client.bytes.data());
            return uid == 0 || uid == geteuid() ? Standing::privileged : Standing::ordinary;
        }
        default:
            return peer.port < kReservedPortsEnd ? Standing::privileged : Standing::ordinary;
    }
}

int family_of(const rpc::Peer& peer) {
    if (peer.client.kind != rpc::kClientInternet) return AF_UNIX;
    return rpc::is_ipv4(peer.client.bytes) ? AF_INET : AF_INET6;
}

std::string_view netid_of(const rpc::Peer& peer) {
    const Netid* const netid = find_netid(peer.transport, family_of(peer));
    return netid == nullptr ? std::string_view{} : netid->name;
}

transport::Endpoint endpoint_at(const std::array<std::byte, 16>& address, int family,
                                std::uint16_t port) {
    rpc::Peer peer;
    peer.client.bytes = address;
    peer.port = port;
    return transport::to_endpoint(peer, family);
}

}  // namespace

std::string_view keep(xdr::Arena& arena, std::string_view text) {
    char* const out = arena.make<char>(text.size());
    if (out == nullptr) return {};
    text.copy(out, text.size());
    return {out, text.size()};
}

bool Policy::set(const rpc::Call& call, Mapping mapping) {
    if (!is_here(call, mapping.program, mapping.version)) return false;
    mapping.owner = owner_of(call.peer);
    if (const auto done = registry_.set(mapping, standing_of(call.peer)); !done) {
        log_refusal(call, mapping.program, mapping.version, done.error());
        return false;
    }
    statistics_.count_set(call.version);
    return true;
}

bool Policy::unset(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
                   std::string_view netid) {
    if (!is_here(call, program, version)) return false;
    const auto remove = [&](std::initializer_list<std::string_view> netids) {
        return registry_.unset(program, version, netids, owner_of(call.peer),
                               standing_of(call.peer));
    };
    const auto done = call.version == 2 ? remove({"tcp", "udp"})
                      : netid.empty()   ? remove({})
                                        : remove({netid});
    // Servers unregister before they register, to be safe: no need to log that.
    if (!done) return false;
    statistics_.count_unset(call.version);
    return true;
}

bool Policy::is_here(const rpc::Call& call, std::uint32_t program, std::uint32_t version) {
    if (call.peer.local) return true;
    log_refusal(call, program, version, "the caller is not on this machine");
    return false;
}

transport::Endpoint Policy::find(const rpc::Call& call, std::uint32_t program,
                                 std::uint32_t version, std::string_view netid, Match match) {
    if (netid.empty()) netid = netid_of(call.peer);
    const Netid* const known = find_netid(netid);  // others are not even counted: any text may come
    if (known == nullptr) return {};
    const auto mapping = registry_.find(program, version, netid, match);
    statistics_.count_lookup(call.version, program, version, netid, mapping.has_value());
    if (!mapping) return {};
    return reachable(*mapping, call.peer);
}

transport::Endpoint Policy::reachable(const Mapping& mapping, const rpc::Peer& caller) {
    const auto where = parse_universal_address(mapping.address);
    if (!where) return {};
    if (!where->is_wildcard()) return *where;
    const int family = where->family();
    if (caller.here != kNoAddress && rpc::is_ipv4(caller.here) == (family == AF_INET))
        return endpoint_at(caller.here, family, where->port());
    // The query came over another address family: on this machine loopback always works.
    return caller.local ? transport::to_loopback(*where) : *where;
}

bool Policy::amplifies(const rpc::Call& call, std::size_t result_bytes) {
    return call.peer.transport == rpc::Transport::udp && !call.peer.local &&
           call.reply_overhead() + result_bytes > kUdpAmplificationMax * call.message.size();
}

// An open relay would send calls for strangers with the rights of a local caller (CVE-2013-1950 and
// many before it), so there is none. RFC 1833 §2.2.1 requires no reply to a failed CALLIT, because
// it is meant for broadcasts. Over a connection there are no broadcasts, and silence would only
// keep the caller waiting.
xdr::Outcome Policy::refuse_relay(const rpc::Call& call, std::uint32_t program,
                                  std::uint32_t version, std::uint32_t procedure, RelayCall kind) {
    const bool indirect = kind == RelayCall::indirect;
    statistics_.count_relay(call.version, program, version, procedure, indirect,
                            netid_of(call.peer));
    if (!indirect && call.peer.transport == rpc::Transport::udp) return xdr::Outcome::silent;
    return xdr::Outcome::procedure_unavailable;
}

// Logs numbers only: names and addresses in the call are the caller's text and stay out of the log.
void Policy::log_refusal(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
                         std::string_view why) {
    if (!log_) return;
    const std::lock_guard lock{log_mutex_};
    const auto now = Clock::now();
    if (now - log_second_ >= std::chrono::seconds(1)) {
        if (log_lines_ > rpc::kLogLinesPerSecondMax)
            log_(fmt::format("portmap: {} similar lines were suppressed",
                             log_lines_ - rpc::kLogLinesPerSecondMax));
        log_second_ = now;
        log_lines_ = 0;
    }
    if (++log_lines_ > rpc::kLogLinesPerSecondMax) return;
    log_(fmt::format("portmap: {} {} xid {:x} {} of program {} version {}: {}; answered FALSE",
                     rpc::name_of(call.peer.transport), rpc::to_text(call.peer), call.xid,
                     call.procedure == 1 ? "SET" : "UNSET", program, version, why));
}

}  // namespace helio::portmap
