// Shares, limits and rates of domains.
#include "helio/virt/daemon/forward_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

using WireValue = remote_typed_param_value;

WireValue tuning_to_wire(xdr::CallContext& call, const host::TuningValue& value) {
    if (const auto* const one = std::get_if<std::int32_t>(&value)) return WireValue::of_i(*one);
    if (const auto* const one = std::get_if<std::uint32_t>(&value)) return WireValue::of_ui(*one);
    if (const auto* const one = std::get_if<std::uint64_t>(&value)) return WireValue::of_ul(*one);
    return WireValue::of_s(kept(call, std::get<std::string>(value)));
}

std::optional<host::TuningValue> tuning_from_wire(const WireValue& value) {
    if (value.has_i()) return value.i();
    if (value.has_ui()) return value.ui();
    if (value.has_ul()) return value.ul();
    if (value.has_s()) return std::string(value.s());
    return std::nullopt;
}

// The interface or disk that parameters belong to; empty for the domain itself.
template <class Args>
std::string_view device_of(const Args& args) {
    if constexpr (requires { args.device; })
        return args.device;
    else if constexpr (requires { *args.disk; })
        return text_or_empty(args.disk);
    else if constexpr (requires { args.disk; })
        return args.disk;
    else
        return {};
}

// A client asks for no parameters to learn how many there are, and then for that many.
template <host::Tuning Kind, class Ret, class Args>
Ret get_tuning(Context& context, xdr::CallContext& call, const Args& args) {
    const auto params =
        context.host.tuning(object_of(args), Kind, device_of(args), impact_of(args));
    if (!params) return refused<Ret>(call, args.dom, params.error());
    std::vector<remote_typed_param> all;
    for (const host::TuningParam& one : *params) {
        if (static_cast<std::int64_t>(all.size()) >= args.nparams) break;
        all.push_back({.field = kept(call, one.field), .value = tuning_to_wire(call, one.value)});
    }
    Ret out{};
    out.params = kept(call, all);
    if constexpr (requires { out.nparams; })
        out.nparams = args.nparams == 0 ? static_cast<std::int32_t>(params->size()) : 0;
    return out;
}

template <host::Tuning Kind, class Args>
void set_tuning(Context& context, xdr::CallContext& call, const Args& args) {
    std::vector<host::TuningParam> all;
    for (const remote_typed_param& one : args.params) {
        auto value = tuning_from_wire(one.value);
        if (!value)
            return refused(call, {host::ErrorCode::invalid_argument, host::ErrorSource::test,
                                  "invalid argument: a parameter is of another type"});
        all.push_back({.field = std::string(one.field), .value = std::move(*value)});
    }
    complete(call, args.dom,
             context.host.set_tuning(object_of(args), Kind, device_of(args), all, impact_of(args)));
}

}  // namespace

void add_domain_tuning(Table& table) {
    using host::Tuning;
    table.DOMAIN_GET_SCHEDULER_PARAMETERS = get_tuning<Tuning::scheduler>;
    table.DOMAIN_GET_SCHEDULER_PARAMETERS_FLAGS = get_tuning<Tuning::scheduler>;
    table.DOMAIN_SET_SCHEDULER_PARAMETERS = set_tuning<Tuning::scheduler>;
    table.DOMAIN_SET_SCHEDULER_PARAMETERS_FLAGS = set_tuning<Tuning::scheduler>;
    table.DOMAIN_GET_MEMORY_PARAMETERS = get_tuning<Tuning::memory>;
    table.DOMAIN_SET_MEMORY_PARAMETERS = set_tuning<Tuning::memory>;
    table.DOMAIN_GET_BLKIO_PARAMETERS = get_tuning<Tuning::block_weights>;
    table.DOMAIN_SET_BLKIO_PARAMETERS = set_tuning<Tuning::block_weights>;
    table.DOMAIN_GET_NUMA_PARAMETERS = get_tuning<Tuning::numa>;
    table.DOMAIN_SET_NUMA_PARAMETERS = set_tuning<Tuning::numa>;
    table.DOMAIN_GET_INTERFACE_PARAMETERS = get_tuning<Tuning::interface>;
    table.DOMAIN_SET_INTERFACE_PARAMETERS = set_tuning<Tuning::interface>;
    table.DOMAIN_GET_BLOCK_IO_TUNE = get_tuning<Tuning::disk>;
    table.DOMAIN_SET_BLOCK_IO_TUNE = set_tuning<Tuning::disk>;
}

}  // namespace helio::virt::daemon
