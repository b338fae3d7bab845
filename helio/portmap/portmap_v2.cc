// Portmap, version 2 (RFC 1833 §3): ports of TCP and UDP over IPv4.
#include <new>

#include "helio/portmap/services_internal.h"
#include "schema/rpcb_service.h"

namespace helio::portmap {

namespace {

constexpr std::uint32_t kPortMax = 65535;
// In pmaplist: four words and a presence word.
constexpr std::size_t kEntryBytes = 20;

class PortmapV2 final : public rpcb::PMAP_VERS::Service {
 public:
    explicit PortmapV2(Policy& policy) : policy_(policy) {}

    void NULL_(xdr::CallContext& context) override { counted(context); }

    bool SET(xdr::CallContext& context, const rpcb::mapping& asked) override {
        const rpc::Call& call = counted(context);
        const Netid* const netid = find_netid(asked.prot);
        Mapping mapping{asked.prog, asked.vers, netid ? std::string{netid->name} : "", "", ""};
        if (asked.port <= kPortMax)  // otherwise it has no address, and the registry rejects it
            mapping.address = "0.0.0.0." + std::to_string(asked.port >> 8) + "." +
                              std::to_string(asked.port & 255);
        return policy_.set(call, std::move(mapping));
    }

    bool UNSET(xdr::CallContext& context, const rpcb::mapping& asked) override {
        return policy_.unset(counted(context), asked.prog, asked.vers, "");
    }

    std::uint32_t GETPORT(xdr::CallContext& context, const rpcb::mapping& asked) override {
        const rpc::Call& call = counted(context);
        const Netid* const netid = find_netid(asked.prot);
        if (netid == nullptr) return 0;
        // Any version matches: `rpcinfo -u` does not know it and learns from the program which ones
        // it has.
        return policy_.find(call, asked.prog, asked.vers, netid->name, Match::any_version).port();
    }

    rpcb::pmaplist_ptr DUMP(xdr::CallContext& context) override {
        const rpc::Call& call = counted(context);
        std::size_t bytes = 4;
        rpcb::pmaplist_ptr first = nullptr;
        rpcb::pmaplist* last = nullptr;
        for (const Mapping& one : policy_.registry().all()) {
            const Netid* const netid = find_netid(one.netid);
            const auto where = parse_universal_address(one.address);
            if (netid == nullptr || netid->protocol == 0 || !where) continue;
            auto* const entry = context.arena().make<rpcb::pmaplist>();
            if (entry == nullptr)
                return context.end_with<rpcb::pmaplist_ptr>(xdr::Outcome::system_error);
            new (entry)
                rpcb::pmaplist{{one.program, one.version, netid->protocol, where->port()}, nullptr};
            (last == nullptr ? first : last->next) = entry;
            last = entry;
            bytes += kEntryBytes;
        }
        if (Policy::amplifies(call, bytes))
            return context.end_with<rpcb::pmaplist_ptr>(xdr::Outcome::silent);
        return first;
    }

    rpcb::call_result CALLIT(xdr::CallContext& context, const rpcb::call_args& asked) override {
        const rpc::Call& call = counted(context);
        return context.end_with<rpcb::call_result>(
            policy_.refuse_relay(call, asked.prog, asked.vers, asked.proc, RelayCall::broadcast));
    }

 private:
    const rpc::Call& counted(xdr::CallContext& context) {
        const rpc::Call& call = rpc::call_of(context);
        policy_.statistics().count_call(call.version, call.procedure);
        return call;
    }

    Policy& policy_;
};

}  // namespace

std::unique_ptr<xdr::ServiceBase> make_portmap_v2(Policy& policy) {
    return std::make_unique<PortmapV2>(policy);
}

}  // namespace helio::portmap
