// Events of the host on their way to clients that asked for them. The hub knows which connections
// have asked for anything; each connection's ClientState knows for what, and is looked at on that
// connection's thread alone.
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

// One client's, on its thread.
struct ClientState {
    enum class About : std::uint8_t { domains, networks, pools, devices, secrets };
    // How the client wants to hear of it: by a number of the callback, or as clients before
    // libvirt 1.2.1 do, without.
    enum class Style : std::uint8_t { numbered, plain };
    struct Callback {
        About about = About::domains;
        int event = 0;                                  // virDomainEventID, virNetworkEventID, …
        std::optional<host::Uuid> only = std::nullopt;  // of this object
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
    // The connection wants to hear of events from now on.
    void attach(server::ServerClient& connection);
    // From the host, on any thread.
    void publish(const host::Event& event);

 private:
    std::mutex mutex_;
    std::vector<std::weak_ptr<server::ServerClient>> connections_;
};

// On the connection's thread: what its callbacks say of the event.
void deliver(server::ServerClient& connection, const host::Event& event);

}  // namespace helio::virt::daemon
