// Shares, limits and rates of domains.
#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

using WireValue = remote_typed_param_value;

host::Impact tuning_impact(std::uint32_t flags) { return static_cast<host::Impact>(flags & 3); }

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

// A client asks how many there are with 0, and then for as many.
template <class Returned>
Returned give_tuning(xdr::CallContext& call, const remote_nonnull_domain& domain,
                     std::int32_t wanted,
                     const host::Outcome<std::vector<host::TuningParam>>& params) {
    if (!params) return refused<Returned>(call, domain, params.error());
    std::vector<remote_typed_param> all;
    for (const host::TuningParam& one : *params) {
        if (static_cast<std::int64_t>(all.size()) >= wanted) break;
        all.push_back({.field = kept(call, one.field), .value = tuning_to_wire(call, one.value)});
    }
    Returned out{};
    out.params = kept(call, all);
    if constexpr (requires { out.nparams; })
        out.nparams = wanted == 0 ? static_cast<std::int32_t>(params->size()) : 0;
    return out;
}

void set_tuning(xdr::CallContext& call, host::Host& host, const remote_nonnull_domain& domain,
                host::Tuning kind, std::string_view device,
                const xdr::Array<remote_typed_param>& params, std::uint32_t flags) {
    std::vector<host::TuningParam> all;
    for (const remote_typed_param& one : params) {
        auto value = tuning_from_wire(one.value);
        if (!value)
            return refused(call, {host::ErrorCode::invalid_argument, host::ErrorSource::test,
                                  "invalid argument: a parameter is of another type"});
        all.push_back({.field = std::string(one.field), .value = std::move(*value)});
    }
    const auto done =
        host.set_tuning(uuid_of(domain.uuid), kind, device, all, tuning_impact(flags));
    if (!done) refused(call, domain, done.error());
}

remote_domain_get_scheduler_parameters_ret domain_get_scheduler_parameters(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_scheduler_parameters_args& args) {
    return give_tuning<remote_domain_get_scheduler_parameters_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::scheduler, std::string_view(),
                            tuning_impact(0)));
}

remote_domain_get_scheduler_parameters_flags_ret domain_get_scheduler_parameters_flags(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_scheduler_parameters_flags_args& args) {
    return give_tuning<remote_domain_get_scheduler_parameters_flags_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::scheduler, std::string_view(),
                            tuning_impact(args.flags)));
}

void domain_set_scheduler_parameters(Context& context, xdr::CallContext& call,
                                     const remote_domain_set_scheduler_parameters_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::scheduler, std::string_view(),
               args.params, 0);
}

void domain_set_scheduler_parameters_flags(
    Context& context, xdr::CallContext& call,
    const remote_domain_set_scheduler_parameters_flags_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::scheduler, std::string_view(),
               args.params, args.flags);
}

remote_domain_get_memory_parameters_ret domain_get_memory_parameters(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_memory_parameters_args& args) {
    return give_tuning<remote_domain_get_memory_parameters_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::memory, std::string_view(),
                            tuning_impact(args.flags)));
}

void domain_set_memory_parameters(Context& context, xdr::CallContext& call,
                                  const remote_domain_set_memory_parameters_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::memory, std::string_view(), args.params,
               args.flags);
}

remote_domain_get_blkio_parameters_ret domain_get_blkio_parameters(
    Context& context, xdr::CallContext& call, const remote_domain_get_blkio_parameters_args& args) {
    return give_tuning<remote_domain_get_blkio_parameters_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::block_weights, std::string_view(),
                            tuning_impact(args.flags)));
}

void domain_set_blkio_parameters(Context& context, xdr::CallContext& call,
                                 const remote_domain_set_blkio_parameters_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::block_weights, std::string_view(),
               args.params, args.flags);
}

remote_domain_get_numa_parameters_ret domain_get_numa_parameters(
    Context& context, xdr::CallContext& call, const remote_domain_get_numa_parameters_args& args) {
    return give_tuning<remote_domain_get_numa_parameters_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::numa, std::string_view(),
                            tuning_impact(args.flags)));
}

void domain_set_numa_parameters(Context& context, xdr::CallContext& call,
                                const remote_domain_set_numa_parameters_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::numa, std::string_view(), args.params,
               args.flags);
}

remote_domain_get_interface_parameters_ret domain_get_interface_parameters(
    Context& context, xdr::CallContext& call,
    const remote_domain_get_interface_parameters_args& args) {
    return give_tuning<remote_domain_get_interface_parameters_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::interface, args.device,
                            tuning_impact(args.flags)));
}

void domain_set_interface_parameters(Context& context, xdr::CallContext& call,
                                     const remote_domain_set_interface_parameters_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::interface, args.device, args.params,
               args.flags);
}

remote_domain_get_block_io_tune_ret domain_get_block_io_tune(
    Context& context, xdr::CallContext& call, const remote_domain_get_block_io_tune_args& args) {
    return give_tuning<remote_domain_get_block_io_tune_ret>(
        call, args.dom, args.nparams,
        context.host.tuning(uuid_of(args.dom.uuid), host::Tuning::disk,
                            args.disk != nullptr ? *args.disk : std::string_view(),
                            tuning_impact(args.flags)));
}

void domain_set_block_io_tune(Context& context, xdr::CallContext& call,
                              const remote_domain_set_block_io_tune_args& args) {
    set_tuning(call, context.host, args.dom, host::Tuning::disk, args.disk, args.params,
               args.flags);
}

}  // namespace

void add_domain_tuning(Table& table) {
    table.DOMAIN_GET_SCHEDULER_PARAMETERS = domain_get_scheduler_parameters;
    table.DOMAIN_GET_SCHEDULER_PARAMETERS_FLAGS = domain_get_scheduler_parameters_flags;
    table.DOMAIN_SET_SCHEDULER_PARAMETERS = domain_set_scheduler_parameters;
    table.DOMAIN_SET_SCHEDULER_PARAMETERS_FLAGS = domain_set_scheduler_parameters_flags;
    table.DOMAIN_GET_MEMORY_PARAMETERS = domain_get_memory_parameters;
    table.DOMAIN_SET_MEMORY_PARAMETERS = domain_set_memory_parameters;
    table.DOMAIN_GET_BLKIO_PARAMETERS = domain_get_blkio_parameters;
    table.DOMAIN_SET_BLKIO_PARAMETERS = domain_set_blkio_parameters;
    table.DOMAIN_GET_NUMA_PARAMETERS = domain_get_numa_parameters;
    table.DOMAIN_SET_NUMA_PARAMETERS = domain_set_numa_parameters;
    table.DOMAIN_GET_INTERFACE_PARAMETERS = domain_get_interface_parameters;
    table.DOMAIN_SET_INTERFACE_PARAMETERS = domain_set_interface_parameters;
    table.DOMAIN_GET_BLOCK_IO_TUNE = domain_get_block_io_tune;
    table.DOMAIN_SET_BLOCK_IO_TUNE = domain_set_block_io_tune;
}

}  // namespace helio::virt::daemon
