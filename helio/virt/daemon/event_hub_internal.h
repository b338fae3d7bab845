// EventHub: passes the host's events to clients that subscribed to them. The hub knows which
// connections have any subscription; each connection's ClientState knows which, and is used only on
// that connection's thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "helio/virt/host/types.h"
#include "helio/virt/server/server_client.h"

namespace helio::virt::daemon {

// Callbacks that one client may have registered: one for each kind of event of thousands of
// domains.
inline constexpr std::size_t kCallbacksMax = 65'536;

class Console;
class SaslLogin;

// State of one client, used on its thread.
struct ClientState {
    enum class About : std::uint8_t { domains, networks, pools, devices, secrets };
    // How the client receives events: with the number of the callback, or without it, like clients
    // before libvirt 1.2.1.
    enum class Style : std::uint8_t { numbered, plain };
    struct Callback {
        About about = About::domains;
        int event = 0;                                  // virDomainEventID, virNetworkEventID, …
        std::optional<host::Uuid> only = std::nullopt;  // only for this object
        Style style = Style::numbered;
    };

    std::string uri = "test:///default";
    std::map<int, Callback> callbacks;
    int callback_next = 0;
    bool attached = false;  // to the hub
    std::vector<std::weak_ptr<Console>> consoles;
    std::shared_ptr<SaslLogin> login;  // while it authenticates
};
ClientState& client_state(server::ServerClient& connection);

class EventHub final {
 public:
    // Sends events to this connection from now on.
    void attach(server::ServerClient& connection);
    // From the host, on any thread.
    void publish(const host::Event& event);

 private:
    std::mutex mutex_;
    std::vector<std::weak_ptr<server::ServerClient>> connections_;
};

// On the connection's thread: sends the event to each callback that matches.
void deliver(server::ServerClient& connection, const host::Event& event);

}  // namespace helio::virt::daemon
