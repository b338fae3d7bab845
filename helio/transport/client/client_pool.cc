#include "helio/transport/client/client_pool.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::transport {

namespace {

bool same(const ClientOptions& a, const ClientOptions& b) {
    return a.udp == b.udp && a.reserved_port == b.reserved_port && a.reconnect == b.reconnect &&
           a.call_timeout == b.call_timeout && a.fabric == b.fabric && a.callbacks == b.callbacks &&
           !a.watch && !b.watch && std::ranges::equal(a.credential.bytes(), b.credential.bytes());
}

bool is_unused(const std::shared_ptr<ClientConnection>& connection) {
    return connection.use_count() == 1 && connection->calls_in_flight() == 0;
}

}  // namespace

ClientPool& ClientPool::here() {
    EventLoop* const loop = EventLoop::current();
    HELIO_ASSERT(loop != nullptr);
    return loop->local<ClientPool>();
}

std::shared_ptr<ClientConnection> ClientPool::to(const Endpoint& server,
                                                 const ClientOptions& options) {
    const auto now = loop_.now();
    if (!is_set()) set(now + kPooledIdleMax);
    for (Entry& one : entries_) {
        if (!(one.server == server) || !same(one.options, options)) continue;
        one.asked = now;
        return one.connection;
    }
    if (entries_.size() >= kPooledConnectionsMax) make_room();
    auto connection =
        std::make_shared<ClientConnection>(loop_, std::vector<Endpoint>{server}, options);
    entries_.push_back({server, options, connection, now});
    return connection;
}

void ClientPool::on_time() {
    const auto now = loop_.now();
    std::erase_if(entries_, [now](const Entry& one) {
        return now - one.asked >= kPooledIdleMax && is_unused(one.connection);
    });
    if (!entries_.empty()) set(now + kPooledIdleMax);
}

// A connection in use lives on without the pool.
void ClientPool::make_room() {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.asked < b.asked; });
    entries_.erase(oldest);
}

}  // namespace helio::transport
