// Things that the host does not have: its own interfaces, devices and filters, checkpoints, labels,
// jobs. Programs that show everything ask for them anyway, and an empty list is more useful to them
// than an error.
#include <fmt/format.h>

#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// Returns an empty result.
template <Results Ret, class... Args>
Ret nothing(Context&, xdr::CallContext&, const Args&...) {
    return {};
}

// Returns an empty result for a domain, which must exist.
template <class Ret, class Args>
Ret nothing_of_domain(Context& context, xdr::CallContext& call, const Args& args) {
    const auto state = context.host.domain_state(object_of(args));
    if (!state) return refuse<Ret>(call, args, state.error());
    return {};
}

// An object that does not exist: libvirt's error code and domain for it, and the message.
struct Missing {
    int code;
    int domain;
    std::string_view message;
};
constexpr Missing kInterface{57, VIR_FROM_INTERFACE, "Interface not found: no interface named"};
constexpr Missing kNodeDevice{53, VIR_FROM_NODEDEV,
                              "Node device not found: no node device with matching name"};
constexpr Missing kFilter{62, VIR_FROM_NWFILTER,
                          "Network filter not found: no nwfilter with matching name"};

template <const Missing& What, class Ret, class Args>
Ret not_found(Context&, xdr::CallContext& call, const Args& args) {
    return fail_call<Ret>(call, {.code = What.code,
                                 .domain = What.domain,
                                 .message = fmt::format("{} '{}'", What.message, args.name)});
}

}  // namespace

void add_absent(Table& table) {
    table.NODE_GET_SECURITY_MODEL = nothing;
    table.DOMAIN_GET_SECURITY_LABEL = nothing_of_domain;
    table.DOMAIN_GET_JOB_INFO = nothing_of_domain;  // VIR_DOMAIN_JOB_NONE
    table.DOMAIN_LIST_ALL_CHECKPOINTS = nothing_of_domain;
    table.DOMAIN_GET_MESSAGES = nothing_of_domain;
    table.DOMAIN_GET_JOB_STATS = nothing_of_domain;
    table.DOMAIN_GET_DISK_ERRORS = nothing_of_domain;
    table.INTERFACE_LOOKUP_BY_NAME = not_found<kInterface>;
    table.NODE_DEVICE_LOOKUP_BY_NAME = not_found<kNodeDevice>;
    table.NWFILTER_LOOKUP_BY_NAME = not_found<kFilter>;
    table.CONNECT_LIST_ALL_INTERFACES = nothing;
    table.CONNECT_LIST_ALL_NODE_DEVICES = nothing;
    table.CONNECT_LIST_ALL_NWFILTERS = nothing;
    table.CONNECT_LIST_ALL_NWFILTER_BINDINGS = nothing;
    table.CONNECT_NUM_OF_INTERFACES = nothing;
    table.CONNECT_NUM_OF_DEFINED_INTERFACES = nothing;
    table.NODE_NUM_OF_DEVICES = nothing;
    table.CONNECT_NUM_OF_NWFILTERS = nothing;
    table.CONNECT_GET_CPU_MODEL_NAMES = nothing;
    table.NETWORK_LIST_ALL_PORTS = nothing;
}

}  // namespace helio::virt::daemon
