// Policy: the decisions shared by portmap's three versions, which only translate: which processes
// may register, which address a caller can use to reach a program, and how much an unknown caller
// gets over UDP.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "helio/base/clock.h"
#include "helio/portmap/portmapper.h"
#include "helio/portmap/registry.h"
#include "helio/portmap/statistics_internal.h"
#include "helio/portmap/universal_address.h"
#include "helio/rpc/call.h"
#include "schema/rpcb.h"

namespace helio::portmap {

// A copy that lives as long as the call; empty if there is no memory.
std::string_view keep(xdr::Arena& arena, std::string_view text);

// INDIRECT always needs an answer; CALLIT and BCAST are meant for broadcasts.
enum class RelayCall : std::uint8_t { broadcast, indirect };

class Policy final {
 public:
    explicit Policy(Registry& registry) : registry_(registry) {}

    Registry& registry() { return registry_; }
    Statistics& statistics() { return statistics_; }
    void set_log(std::function<void(std::string_view)> log) { log_ = std::move(log); }

    // SET and UNSET: only for callers on this machine. False and a line in the log otherwise. The
    // mapping's owner is set here.
    bool set(const rpc::Call& call, Mapping mapping);
    // An empty netid means all of them; portmap's version 2 means "tcp" and "udp".
    bool unset(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
               std::string_view netid);

    // The program's address for this caller; an endpoint without a family if there is none. An
    // empty netid means the caller's own transport.
    transport::Endpoint find(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
                             std::string_view netid, Match match);
    // A mapping's address as the caller can use it: a wildcard becomes the address it spoke to.
    static transport::Endpoint reachable(const Mapping& mapping, const rpc::Peer& caller);

    // True if results of this size are too long an answer: over UDP the sender's address may be a
    // victim's.
    static bool amplifies(const rpc::Call& call, std::size_t result_bytes);
    // CALLIT, BCAST and INDIRECT are not served: how to refuse them.
    xdr::Outcome refuse_relay(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
                              std::uint32_t procedure, RelayCall kind);

 private:
    bool is_here(const rpc::Call& call, std::uint32_t program, std::uint32_t version);
    void log_refusal(const rpc::Call& call, std::uint32_t program, std::uint32_t version,
                     std::string_view why);

    Registry& registry_;
    Statistics statistics_;
    std::function<void(std::string_view)> log_;
    std::mutex log_mutex_;
    Clock::time_point log_second_;
    std::uint32_t log_lines_ = 0;
};

}  // namespace helio::portmap
