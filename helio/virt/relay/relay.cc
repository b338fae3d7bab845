#include "helio/virt/relay/relay.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "helio/virt/relay/pair_internal.h"

namespace helio::virt::relay {

namespace {

std::string client_name(int socket, const transport::Endpoint& remote) {
    if (!remote.is_unix()) return to_text(remote);
    const transport::UnixPeer peer = transport::unix_peer(socket);
    return fmt::format("uid {} pid {}", peer.uid, peer.pid);
}

}  // namespace

std::size_t relay_clients_max(std::size_t descriptor_limit, std::size_t per_client) {
    // For the loop, the audit, listening sockets, and descriptors being passed between two sides.
    constexpr std::size_t kDescriptorsKept = 128;
    const std::size_t left = descriptor_limit - std::min(descriptor_limit / 4, kDescriptorsKept);
    return std::min(kRelayClientsMax, left / per_client);
}

Relay::Relay(transport::EventLoop& loop, const Policy& policy, RelayObserver& observer,
             RelayOptions options)
    : loop_(loop), policy_(policy), observer_(observer), options_(std::move(options)) {}

Relay::~Relay() {
    listeners_.clear();
    for (const std::string& path : paths_) unlink(path.c_str());
    while (!pairs_.empty()) pairs_.begin()->second->close("the relay stopped");
}

transport::Endpoint Relay::listen(const transport::Endpoint& where, mode_t rights) {
    Fd socket = transport::listening_socket(where, {.mode = rights});
    if (!socket)
        throw std::runtime_error(
            fmt::format("cannot listen on {}: {}", to_text(where), std::strerror(errno)));
    if (where.is_unix()) paths_.push_back(where.path());
    const transport::Endpoint local = transport::local_endpoint(socket.get());
    transport::Listener::Owner& owner = *this;
    listeners_.push_back(std::make_unique<transport::Listener>(loop_, owner, std::move(socket)));
    return local;
}

void Relay::on_accepted(Fd socket, const transport::Endpoint& remote) {
    std::string name = client_name(socket.get(), remote);
    adopt(std::move(socket), std::move(name), remote.is_unix());
}

void Relay::on_refused() {
    RelayClient who;
    who.number = ++accepted_;
    who.name = "unknown";
    observer_.on_disconnect(who, "refused: the relay is out of file descriptors");
}

void Relay::adopt(Fd client, std::string name, bool takes_descriptors) {
    RelayClient who;
    who.number = ++accepted_;
    who.name = std::move(name);
    if (pairs_.size() >= options_.clients_max && !unopened_.empty())
        unopened_.begin()->second->close(
            "closed to make room for a newer client, because it had not opened a connection");
    if (pairs_.size() >= options_.clients_max)
        return observer_.on_disconnect(who, "refused: too many clients");
    auto pair = std::make_unique<Pair>(*this, std::move(who), takes_descriptors);
    Pair& started = *pair;
    pairs_.emplace(&started, std::move(pair));
    unopened_.emplace(started.number(), &started);
    started.start(std::move(client));
}

void Relay::set_opened(const Pair& pair) { unopened_.erase(pair.number()); }

void Relay::let_go(Pair& pair) {
    const auto found = pairs_.find(&pair);
    if (found == pairs_.end()) return;
    unopened_.erase(pair.number());
    gone_.push_back(std::move(found->second));
    pairs_.erase(found);
    loop_.defer(*this);
}

void Relay::on_turn_end() { gone_.clear(); }

}  // namespace helio::virt::relay
