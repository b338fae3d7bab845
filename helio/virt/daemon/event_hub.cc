#include "helio/virt/daemon/event_hub_internal.h"

#include "helio/virt/daemon/domains/console_internal.h"
#include "helio/virt/daemon/wire_internal.h"
#include "helio/virt/wire/programs.h"
#include "schema/remote_service.h"

namespace helio::virt::daemon {

using Procedure = remote::REMOTE_PROTOCOL_VERSION::Procedure;

ClientState& client_state(server::ServerClient& connection) {
    if (!connection.state) connection.state = std::make_shared<ClientState>();
    return *static_cast<ClientState*>(connection.state.get());
}

void EventHub::attach(server::ServerClient& connection) {
    ClientState& state = client_state(connection);
    if (state.attached) return;
    state.attached = true;
    const std::lock_guard lock(mutex_);
    std::erase_if(connections_, [](const auto& one) { return one.expired(); });
    connections_.push_back(connection.weak_from_this());
}

void EventHub::publish(const host::Event& event) {
    const std::lock_guard lock(mutex_);
    if (connections_.empty()) return;
    const auto shared = std::make_shared<const host::Event>(event);
    for (const auto& one : connections_)
        if (const auto connection = one.lock())
            connection->post([shared](server::ServerClient& there) { deliver(there, *shared); });
}

namespace {

// virDomainEventID of the events that the host has.
constexpr int kLifecycleId = 0, kRebootId = 1, kBalloonId = 13, kMetadataId = 23;
// virStoragePoolEventID and virNetworkEventID also start with the life cycle.
constexpr int kRefreshId = 1;

ClientState::About about_of(host::Event::Kind kind) {
    using Kind = host::Event::Kind;
    if (kind == Kind::network_lifecycle) return ClientState::About::networks;
    if (kind == Kind::pool_lifecycle || kind == Kind::pool_refresh)
        return ClientState::About::pools;
    return ClientState::About::domains;
}

int id_of(host::Event::Kind kind) {
    using Kind = host::Event::Kind;
    switch (kind) {
        case Kind::domain_lifecycle:
        case Kind::network_lifecycle:
        case Kind::pool_lifecycle:
            return kLifecycleId;
        case Kind::domain_reboot:
            return kRebootId;
        case Kind::domain_balloon:
            return kBalloonId;
        case Kind::domain_metadata:
            return kMetadataId;
        case Kind::pool_refresh:
            return kRefreshId;
    }
    return -1;
}

template <class Message>
void send(server::ServerClient& to, Procedure procedure,
          bool (*encode)(xdr::Writer&, const Message&), const Message& message) {
    to.send_event(kRemoteProgram, procedure, encode, message);
}

void send_domain_event(server::ServerClient& to, int callback, ClientState::Style style,
                       const host::Event& event) {
    using Kind = host::Event::Kind;
    const bool plain = style == ClientState::Style::plain;
    const remote::remote_nonnull_domain domain{
        .name = event.name, .uuid = to_wire(event.uuid), .id = event.id};
    if (event.kind == Kind::domain_lifecycle) {
        const remote::remote_domain_event_lifecycle_msg said{
            .dom = domain, .event = event.what, .detail = event.detail};
        if (plain)
            send(to, Procedure::DOMAIN_EVENT_LIFECYCLE,
                 remote::encode_remote_domain_event_lifecycle_msg, said);
        else
            send(to, Procedure::DOMAIN_EVENT_CALLBACK_LIFECYCLE,
                 remote::encode_remote_domain_event_callback_lifecycle_msg,
                 {.callbackID = callback, .msg = said});
    } else if (event.kind == Kind::domain_reboot) {
        const remote::remote_domain_event_reboot_msg said{.dom = domain};
        if (plain)
            send(to, Procedure::DOMAIN_EVENT_REBOOT, remote::encode_remote_domain_event_reboot_msg,
                 said);
        else
            send(to, Procedure::DOMAIN_EVENT_CALLBACK_REBOOT,
                 remote::encode_remote_domain_event_callback_reboot_msg,
                 {.callbackID = callback, .msg = said});
    } else if (event.kind == Kind::domain_balloon) {
        const remote::remote_domain_event_balloon_change_msg said{.dom = domain,
                                                                  .actual = event.number};
        if (plain)
            send(to, Procedure::DOMAIN_EVENT_BALLOON_CHANGE,
                 remote::encode_remote_domain_event_balloon_change_msg, said);
        else
            send(to, Procedure::DOMAIN_EVENT_CALLBACK_BALLOON_CHANGE,
                 remote::encode_remote_domain_event_callback_balloon_change_msg,
                 {.callbackID = callback, .msg = said});
    } else if (event.kind == Kind::domain_metadata && !plain) {
        const remote::remote_nonnull_string uri = event.text;
        send(to, Procedure::DOMAIN_EVENT_CALLBACK_METADATA_CHANGE,
             remote::encode_remote_domain_event_callback_metadata_change_msg,
             {.callbackID = callback,
              .dom = domain,
              .type = event.what,
              .nsuri = event.text.empty() ? nullptr : &uri});
    }
}

void send_other_event(server::ServerClient& to, int callback, const host::Event& event) {
    using Kind = host::Event::Kind;
    if (event.kind == Kind::network_lifecycle)
        send(to, Procedure::NETWORK_EVENT_LIFECYCLE,
             remote::encode_remote_network_event_lifecycle_msg,
             {.callbackID = callback,
              .net = {.name = event.name, .uuid = to_wire(event.uuid)},
              .event = event.what,
              .detail = event.detail});
    const remote::remote_nonnull_storage_pool pool{.name = event.name, .uuid = to_wire(event.uuid)};
    if (event.kind == Kind::pool_lifecycle)
        send(to, Procedure::STORAGE_POOL_EVENT_LIFECYCLE,
             remote::encode_remote_storage_pool_event_lifecycle_msg,
             {.callbackID = callback, .pool = pool, .event = event.what, .detail = event.detail});
    if (event.kind == Kind::pool_refresh)
        send(to, Procedure::STORAGE_POOL_EVENT_REFRESH,
             remote::encode_remote_storage_pool_event_refresh_msg,
             {.callbackID = callback, .pool = pool});
}

}  // namespace

void deliver(server::ServerClient& connection, const host::Event& event) {
    ClientState& state = client_state(connection);
    if (event.kind == host::Event::Kind::domain_lifecycle &&
        event.what == host::lifecycle::kStopped)
        for (const auto& one : state.consoles)
            if (const auto console = one.lock(); console && console->domain() == event.uuid)
                console->end();
    const ClientState::About about = about_of(event.kind);
    const int id = id_of(event.kind);
    for (const auto& [number, callback] : state.callbacks) {
        if (callback.about != about || callback.event != id) continue;
        if (callback.only && *callback.only != event.uuid) continue;
        if (about == ClientState::About::domains)
            send_domain_event(connection, number, callback.style, event);
        else
            send_other_event(connection, number, event);
    }
}

}  // namespace helio::virt::daemon
