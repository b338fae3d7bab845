// ClientPool: calls from a service to other servers: NLM's GRANTED, NSM's notifications, callbacks
// without a back channel. Each thread of a server has one, on the loop that runs its services, and
// calls to one server share a connection.
//
//     const auto server = transport::ClientPool::here().to(where);
//     NLM_V4::AsyncClient nlm{*server};
//     const auto reply = co_await nlm.NLM4_GRANTED(lock);
//
// A connection is opened with the first call and kept for a while after the last one.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "helio/transport/client/client.h"
#include "helio/transport/loop/event_loop.h"

namespace helio::transport {

// An unused connection is closed after this time, which is shorter than servers' idle timeouts.
inline constexpr std::chrono::seconds kPooledIdleMax{60};
// Connections of one thread; beyond this the least recently used one is closed.
inline constexpr std::size_t kPooledConnectionsMax = 256;

class ClientPool final : Timer {
 public:
    explicit ClientPool(EventLoop& loop) : Timer(loop), loop_(loop) {}

    // The pool of this thread's current loop. It lives as long as the loop.
    static ClientPool& here();

    // The connection to this server with this credential and these options. Callers hold it until
    // their calls have ended.
    std::shared_ptr<ClientConnection> to(const Endpoint& server, const ClientOptions& options = {});
    std::size_t connections() const { return entries_.size(); }

 private:
    struct Entry {
        Endpoint server;
        ClientOptions options;
        std::shared_ptr<ClientConnection> connection;
        Clock::time_point asked;
    };
    void on_time() override;
    void make_room();

    EventLoop& loop_;
    std::vector<Entry> entries_;
};

}  // namespace helio::transport
