// Registering for events.
#include <fmt/format.h>

#include "helio/virt/daemon/procedures_internal.h"

namespace helio::virt::daemon {

using namespace helio::remote;

namespace {

// The number of event kinds in libvirt 12.6. Clients may register for all of them, even for those
// that never happen here.
constexpr int kDomainEventsCount = 28;
constexpr int kOtherEventsCount = 2;  // of networks, pools, node devices and secrets each

using About = ClientState::About;
using Style = ClientState::Style;

// Names in error messages, indexed by About.
constexpr std::string_view kAboutNames[] = {"domain", "network", "storage pool", "node device",
                                            "secret"};

VirtError no_such_event(int event) {
    return virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE,
                      fmt::format("unsupported event ID {}", event));
}

// Registers a callback and returns its number.
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

// There is one plain callback for each kind of event. True if it was registered.
bool remove_plain(xdr::CallContext& call, int event) {
    ClientState& state = client_state(server::client_of(call));
    return std::erase_if(state.callbacks, [&](const auto& one) {
               return one.second.style == Style::plain && one.second.event == event;
           }) > 0;
}

// The object that events must be about, if the client named one.
template <class Args>
std::optional<host::Uuid> only_of(const Args& args) {
    const auto uuid_if = [](const auto* object) {
        return object != nullptr ? std::optional(uuid_of(object->uuid)) : std::nullopt;
    };
    if constexpr (requires { args.dom; })
        return uuid_if(args.dom);
    else if constexpr (requires { args.net; })
        return uuid_if(args.net);
    else if constexpr (requires { args.pool; })
        return uuid_if(args.pool);
    else
        return std::nullopt;  // node devices and secrets have no events here
}

template <About Kind, class Ret, class Args>
Ret register_any(Context& context, xdr::CallContext& call, const Args& args) {
    const auto number = add_callback(
        call, context.events, {.about = Kind, .event = args.eventID, .only = only_of(args)},
        Kind == About::domains ? kDomainEventsCount : kOtherEventsCount);
    if (!number) return fail_call<Ret>(call, number.error());
    return {.callbackID = *number};
}

template <About Kind, class Args>
void deregister_any(Context&, xdr::CallContext& call, const Args& args) {
    ClientState& state = client_state(server::client_of(call));
    const auto found = state.callbacks.find(args.callbackID);
    if (found == state.callbacks.end() || found->second.about != Kind ||
        found->second.style != Style::numbered)
        return fail_call<void>(
            call, virt_error(VIR_ERR_INTERNAL_ERROR, VIR_FROM_REMOTE,
                             fmt::format("{} event callback {} not registered",
                                         kAboutNames[static_cast<int>(Kind)], args.callbackID)));
    state.callbacks.erase(found);
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
    table.CONNECT_DOMAIN_EVENT_CALLBACK_REGISTER_ANY = register_any<About::domains>;
    table.CONNECT_DOMAIN_EVENT_CALLBACK_DEREGISTER_ANY = deregister_any<About::domains>;
    table.CONNECT_NETWORK_EVENT_REGISTER_ANY = register_any<About::networks>;
    table.CONNECT_NETWORK_EVENT_DEREGISTER_ANY = deregister_any<About::networks>;
    table.CONNECT_STORAGE_POOL_EVENT_REGISTER_ANY = register_any<About::pools>;
    table.CONNECT_STORAGE_POOL_EVENT_DEREGISTER_ANY = deregister_any<About::pools>;
    table.CONNECT_NODE_DEVICE_EVENT_REGISTER_ANY = register_any<About::devices>;
    table.CONNECT_NODE_DEVICE_EVENT_DEREGISTER_ANY = deregister_any<About::devices>;
    table.CONNECT_SECRET_EVENT_REGISTER_ANY = register_any<About::secrets>;
    table.CONNECT_SECRET_EVENT_DEREGISTER_ANY = deregister_any<About::secrets>;
    table.CONNECT_DOMAIN_EVENT_REGISTER = connect_domain_event_register;
    table.CONNECT_DOMAIN_EVENT_DEREGISTER = connect_domain_event_deregister;
    table.CONNECT_DOMAIN_EVENT_REGISTER_ANY = connect_domain_event_register_any;
    table.CONNECT_DOMAIN_EVENT_DEREGISTER_ANY = connect_domain_event_deregister_any;
}

}  // namespace helio::virt::daemon
