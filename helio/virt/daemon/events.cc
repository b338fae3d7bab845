// Registering for events.
#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// As many kinds as libvirt 12.6 has; those that cannot happen here may be waited for all the same.
constexpr int kDomainEventsCount = 28;
constexpr int kNetworkEventsCount = 2;
constexpr int kPoolEventsCount = 2;
constexpr int kDeviceEventsCount = 2;
constexpr int kSecretEventsCount = 2;

using About = ClientState::About;
using Style = ClientState::Style;

VirtError no_such_event(int event) {
    return virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE,
                      fmt::format("unsupported event ID {}", event));
}

// The number of the new callback, or why there is none.
Result<int, VirtError> add_callback(xdr::CallContext& call, EventHub& hub,
                                    const ClientState::Callback& wanted, int count) {
    if (wanted.event < 0 || wanted.event >= count) return fail(no_such_event(wanted.event));
    server::ServerClient& client = server::client_of(call);
    ClientState& state = client_state(client);
    if (state.callbacks.size() >= kCallbacksMax)
        return fail(virt_error(VIR_ERR_OPERATION_FAILED, VIR_FROM_REMOTE,
                               "too many callbacks are registered"));
    hub.attach(client);
    const int number = state.callback_next++;
    state.callbacks.emplace(number, wanted);
    return number;
}

void remove_callback(xdr::CallContext& call, About about, int number, std::string_view kind) {
    ClientState& state = client_state(server::client_of(call));
    const auto found = state.callbacks.find(number);
    if (found != state.callbacks.end() && found->second.about == about &&
        found->second.style == Style::numbered) {
        state.callbacks.erase(found);
        return;
    }
    fail_call<void>(call,
                    virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE,
                               fmt::format("{} event callback {} not registered", kind, number)));
}

// Plain callbacks are one for each kind; true when it was there.
bool remove_plain(xdr::CallContext& call, int event) {
    ClientState& state = client_state(server::client_of(call));
    return std::erase_if(state.callbacks, [&](const auto& one) {
               return one.second.style == Style::plain && one.second.event == event;
           }) > 0;
}

template <class Returned>
Returned register_numbered(xdr::CallContext& call, EventHub& hub,
                           const ClientState::Callback& wanted, int count) {
    const auto number = add_callback(call, hub, wanted, count);
    if (!number) return fail_call<Returned>(call, number.error());
    return {.callbackID = *number};
}

template <class Object>
std::optional<host::Uuid> only_of(const Object* object) {
    if (object == nullptr) return std::nullopt;
    return uuid_of(object->uuid);
}

remote_connect_domain_event_callback_register_any_ret connect_domain_event_callback_register_any(
    Context& context, xdr::CallContext& call,
    const remote_connect_domain_event_callback_register_any_args& args) {
    return register_numbered<remote_connect_domain_event_callback_register_any_ret>(
        call, context.events,
        {.about = About::domains, .event = args.eventID, .only = only_of(args.dom)},
        kDomainEventsCount);
}

void connect_domain_event_callback_deregister_any(
    Context&, xdr::CallContext& call,
    const remote_connect_domain_event_callback_deregister_any_args& args) {
    remove_callback(call, About::domains, args.callbackID, "domain");
}

remote_connect_network_event_register_any_ret connect_network_event_register_any(
    Context& context, xdr::CallContext& call,
    const remote_connect_network_event_register_any_args& args) {
    return register_numbered<remote_connect_network_event_register_any_ret>(
        call, context.events,
        {.about = About::networks, .event = args.eventID, .only = only_of(args.net)},
        kNetworkEventsCount);
}

void connect_network_event_deregister_any(
    Context&, xdr::CallContext& call,
    const remote_connect_network_event_deregister_any_args& args) {
    remove_callback(call, About::networks, args.callbackID, "network");
}

remote_connect_storage_pool_event_register_any_ret connect_storage_pool_event_register_any(
    Context& context, xdr::CallContext& call,
    const remote_connect_storage_pool_event_register_any_args& args) {
    return register_numbered<remote_connect_storage_pool_event_register_any_ret>(
        call, context.events,
        {.about = About::pools, .event = args.eventID, .only = only_of(args.pool)},
        kPoolEventsCount);
}

void connect_storage_pool_event_deregister_any(
    Context&, xdr::CallContext& call,
    const remote_connect_storage_pool_event_deregister_any_args& args) {
    remove_callback(call, About::pools, args.callbackID, "storage pool");
}

// Devices and secrets there are none of; who watches everything watches them too.
remote_connect_node_device_event_register_any_ret connect_node_device_event_register_any(
    Context& context, xdr::CallContext& call,
    const remote_connect_node_device_event_register_any_args& args) {
    return register_numbered<remote_connect_node_device_event_register_any_ret>(
        call, context.events, {.about = About::devices, .event = args.eventID}, kDeviceEventsCount);
}

void connect_node_device_event_deregister_any(
    Context&, xdr::CallContext& call,
    const remote_connect_node_device_event_deregister_any_args& args) {
    remove_callback(call, About::devices, args.callbackID, "node device");
}

remote_connect_secret_event_register_any_ret connect_secret_event_register_any(
    Context& context, xdr::CallContext& call,
    const remote_connect_secret_event_register_any_args& args) {
    return register_numbered<remote_connect_secret_event_register_any_ret>(
        call, context.events, {.about = About::secrets, .event = args.eventID}, kSecretEventsCount);
}

void connect_secret_event_deregister_any(
    Context&, xdr::CallContext& call, const remote_connect_secret_event_deregister_any_args& args) {
    remove_callback(call, About::secrets, args.callbackID, "secret");
}

remote_connect_domain_event_register_ret connect_domain_event_register(Context& context,
                                                                       xdr::CallContext& call) {
    (void)remove_plain(call, 0);
    const auto number =
        add_callback(call, context.events, {.style = Style::plain}, kDomainEventsCount);
    if (!number) return fail_call<remote_connect_domain_event_register_ret>(call, number.error());
    return {.cb_registered = 1};
}

remote_connect_domain_event_deregister_ret connect_domain_event_deregister(Context&,
                                                                           xdr::CallContext& call) {
    if (!remove_plain(call, 0))
        return fail_call<remote_connect_domain_event_deregister_ret>(
            call,
            virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE, "domain event 0 not registered"));
    return {.cb_registered = 0};
}

void connect_domain_event_register_any(Context& context, xdr::CallContext& call,
                                       const remote_connect_domain_event_register_any_args& args) {
    (void)remove_plain(call, args.eventID);
    const auto number = add_callback(
        call, context.events, {.event = args.eventID, .style = Style::plain}, kDomainEventsCount);
    if (!number) fail_call<void>(call, number.error());
}

void connect_domain_event_deregister_any(
    Context&, xdr::CallContext& call, const remote_connect_domain_event_deregister_any_args& args) {
    if (!remove_plain(call, args.eventID))
        fail_call<void>(call,
                        virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE,
                                   fmt::format("domain event {} not registered", args.eventID)));
}

}  // namespace

void add_events(Table& table) {
    table.CONNECT_DOMAIN_EVENT_CALLBACK_REGISTER_ANY = connect_domain_event_callback_register_any;
    table.CONNECT_DOMAIN_EVENT_CALLBACK_DEREGISTER_ANY =
        connect_domain_event_callback_deregister_any;
    table.CONNECT_NETWORK_EVENT_REGISTER_ANY = connect_network_event_register_any;
    table.CONNECT_NETWORK_EVENT_DEREGISTER_ANY = connect_network_event_deregister_any;
    table.CONNECT_STORAGE_POOL_EVENT_REGISTER_ANY = connect_storage_pool_event_register_any;
    table.CONNECT_STORAGE_POOL_EVENT_DEREGISTER_ANY = connect_storage_pool_event_deregister_any;
    table.CONNECT_NODE_DEVICE_EVENT_REGISTER_ANY = connect_node_device_event_register_any;
    table.CONNECT_NODE_DEVICE_EVENT_DEREGISTER_ANY = connect_node_device_event_deregister_any;
    table.CONNECT_SECRET_EVENT_REGISTER_ANY = connect_secret_event_register_any;
    table.CONNECT_SECRET_EVENT_DEREGISTER_ANY = connect_secret_event_deregister_any;
    table.CONNECT_DOMAIN_EVENT_REGISTER = connect_domain_event_register;
    table.CONNECT_DOMAIN_EVENT_DEREGISTER = connect_domain_event_deregister;
    table.CONNECT_DOMAIN_EVENT_REGISTER_ANY = connect_domain_event_register_any;
    table.CONNECT_DOMAIN_EVENT_DEREGISTER_ANY = connect_domain_event_deregister_any;
}

}  // namespace helio::virt::daemon
