// Rpcbind, versions 3 and 4 (RFC 1833 §2): universal addresses on any transport. Version 4 is
// version 3 with a different GETADDR and more procedures.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>

#include "helio/portmap/services_internal.h"
#include "schema/rpcb_service.h"

namespace helio::portmap {

namespace {

std::size_t string_bytes(std::string_view text) { return 4 + padded(text.size()); }

// The procedures that are identical in both versions.
template <class Base>
class Rpcbind : public Base {
 public:
    explicit Rpcbind(Policy& policy) : policy_(policy) {}

    void NULL_(xdr::CallContext& context) final { counted(context); }

    bool SET(xdr::CallContext& context, const rpcb::rpcb& asked) final {
        const rpc::Call& call = counted(context);
        Mapping mapping{asked.r_prog, asked.r_vers, "", "", ""};
        // Copied only if known to be short: the registry rejects missing fields.
        if (find_netid(asked.r_netid) != nullptr) mapping.netid = asked.r_netid;
        if (asked.r_addr.size() <= kUniversalAddressMax) mapping.address = asked.r_addr;
        return policy_.set(call, std::move(mapping));
    }

    bool UNSET(xdr::CallContext& context, const rpcb::rpcb& asked) final {
        return policy_.unset(counted(context), asked.r_prog, asked.r_vers, asked.r_netid);
    }

    rpcb::rpcblist_ptr DUMP(xdr::CallContext& context) final {
        const rpc::Call& call = counted(context);
        xdr::Arena& arena = context.arena();
        std::size_t bytes = 4;
        rpcb::rpcblist_ptr first = nullptr;
        rpcb::rp__list* last = nullptr;
        for (const Mapping& one : policy_.registry().all()) {
            auto* const entry = arena.make<rpcb::rp__list>();
            if (entry == nullptr)
                return context.end_with<rpcb::rpcblist_ptr>(xdr::Outcome::system_error);
            new (entry) rpcb::rp__list{{one.program, one.version, keep(arena, one.netid),
                                        keep(arena, one.address), keep(arena, one.owner)},
                                       nullptr};
            (last == nullptr ? first : last->rpcb_next) = entry;
            last = entry;
            bytes +=
                12 + string_bytes(one.netid) + string_bytes(one.address) + string_bytes(one.owner);
        }
        if (Policy::amplifies(call, bytes))
            return context.end_with<rpcb::rpcblist_ptr>(xdr::Outcome::silent);
        return first;
    }

    std::uint32_t GETTIME(xdr::CallContext& context) final {
        counted(context);
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return static_cast<std::uint32_t>(
            std::chrono::duration_cast<std::chrono::seconds>(now).count());
    }

    // "The transport's own bytes" are this machine's struct sockaddr, as in rpcbind.
    rpcb::netbuf UADDR2TADDR(xdr::CallContext& context, const rpcb::uaddr& address) final {
        counted(context);
        const auto where = parse_universal_address(address);
        if (!where) return {};
        const std::string_view bytes = as_text(where->sockaddr_bytes());
        return {where->size(), as_bytes(keep(context.arena(), bytes))};
    }

    rpcb::uaddr TADDR2UADDR(xdr::CallContext& context, const rpcb::netbuf& address) final {
        counted(context);
        const auto where = transport::Endpoint::from_sockaddr(address.buf);
        if (!where) return {};
        return keep(context.arena(), to_universal_address(*where));
    }

 protected:
    const rpc::Call& counted(xdr::CallContext& context) {
        const rpc::Call& call = rpc::call_of(context);
        policy_.statistics().count_call(call.version, call.procedure);
        return call;
    }

    rpcb::uaddr find(xdr::CallContext& context, const rpcb::rpcb& asked, Match match) {
        const rpc::Call& call = counted(context);
        return keep(context.arena(), to_universal_address(policy_.find(
                                         call, asked.r_prog, asked.r_vers, asked.r_netid, match)));
    }

    rpcb::rpcb_rmtcallres refuse(xdr::CallContext& context, const rpcb::rpcb_rmtcallargs& asked,
                                 RelayCall kind) {
        const rpc::Call& call = counted(context);
        return context.end_with<rpcb::rpcb_rmtcallres>(
            policy_.refuse_relay(call, asked.prog, asked.vers, asked.proc, kind));
    }

    Policy& policy_;
};

class RpcbindV3 final : public Rpcbind<rpcb::RPCBVERS::Service> {
 public:
    using Rpcbind::Rpcbind;

    rpcb::uaddr GETADDR(xdr::CallContext& context, const rpcb::rpcb& asked) override {
        return find(context, asked, Match::exact);
    }
    rpcb::rpcb_rmtcallres CALLIT(xdr::CallContext& context,
                                 const rpcb::rpcb_rmtcallargs& asked) override {
        return refuse(context, asked, RelayCall::broadcast);
    }
};

class RpcbindV4 final : public Rpcbind<rpcb::RPCBVERS4::Service> {
 public:
    using Rpcbind::Rpcbind;

    rpcb::uaddr GETADDR(xdr::CallContext& context, const rpcb::rpcb& asked) override {
        return find(context, asked, Match::any_version);
    }
    rpcb::uaddr GETVERSADDR(xdr::CallContext& context, const rpcb::rpcb& asked) override {
        return find(context, asked, Match::exact);
    }
    rpcb::rpcb_rmtcallres BCAST(xdr::CallContext& context,
                                const rpcb::rpcb_rmtcallargs& asked) override {
        return refuse(context, asked, RelayCall::broadcast);
    }
    rpcb::rpcb_rmtcallres INDIRECT(xdr::CallContext& context,
                                   const rpcb::rpcb_rmtcallargs& asked) override {
        return refuse(context, asked, RelayCall::indirect);
    }

    rpcb::rpcb_entry_list_ptr GETADDRLIST(xdr::CallContext& context,
                                          const rpcb::rpcb& asked) override {
        const rpc::Call& call = counted(context);
        std::size_t bytes = 4;
        rpcb::rpcb_entry_list_ptr first = nullptr;
        rpcb::rpcb_entry_list* last = nullptr;
        for (const Mapping& one : policy_.registry().all()) {
            if (one.program != asked.r_prog || one.version != asked.r_vers) continue;
            const Netid* const netid = find_netid(one.netid);
            if (netid == nullptr || (netid->family == AF_UNIX && !call.peer.local)) continue;
            auto* const entry = context.arena().make<rpcb::rpcb_entry_list>();
            if (entry == nullptr)
                return context.end_with<rpcb::rpcb_entry_list_ptr>(xdr::Outcome::system_error);
            const std::string address = to_universal_address(Policy::reachable(one, call.peer));
            new (entry) rpcb::rpcb_entry_list{
                {keep(context.arena(), address), netid->name, netid->semantics,
                 netid->protocol_family, netid->protocol_name},
                nullptr};
            (last == nullptr ? first : last->rpcb_entry_next) = entry;
            last = entry;
            bytes += 8 + string_bytes(address) + string_bytes(netid->name) +
                     string_bytes(netid->protocol_family) + string_bytes(netid->protocol_name);
        }
        if (Policy::amplifies(call, bytes))
            return context.end_with<rpcb::rpcb_entry_list_ptr>(xdr::Outcome::silent);
        return first;
    }

    rpcb::rpcb_stat_byvers GETSTAT(xdr::CallContext& context) override {
        const rpc::Call& call = counted(context);
        if (Policy::amplifies(call, policy_.statistics().encoded_bytes()))
            return context.end_with<rpcb::rpcb_stat_byvers>(xdr::Outcome::silent);
        return policy_.statistics().all(context.arena());
    }
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_rpcbind_v3(Policy& policy) {
    return std::make_unique<RpcbindV3>(policy);
}

std::unique_ptr<xdr::ServiceBase> make_rpcbind_v4(Policy& policy) {
    return std::make_unique<RpcbindV4>(policy);
}

}  // namespace helio::portmap
