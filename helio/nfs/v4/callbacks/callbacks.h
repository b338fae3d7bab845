// Callbacks: the server's calls to its clients (RFC 8881 §20), over the connections that the
// clients bound for them. The state decides what is sent and over which connection; this sends it,
// and tells the state what came back.
//
// Any thread may call anything. A connection's calls are made on its own thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "helio/nfs/server/exports.h"
#include "helio/nfs/state/state.h"
#include "helio/rpc/back_channel.h"
#include "helio/rpc/call.h"
#include "helio/rpc/session.h"
#include "helio/transport/server/server_timers.h"
#include "schema/nfs4_cb_service.h"

namespace helio::nfs::v4 {

// A client that has not answered by then is taken to be unreachable over this connection.
inline constexpr std::chrono::seconds kCallbackTimeout{10};
// Between two looks at locks that programs outside the server hold: what Linux's client waits at
// first when it has to poll.
inline constexpr std::chrono::seconds kLockRound{1};

class Callbacks final {
 public:
    // Both outlive this, and this outlives the server.
    Callbacks(state::State& state, const Exports& exports, std::function<state::Instant()> now);
    ~Callbacks();
    Callbacks(const Callbacks&) = delete;
    Callbacks& operator=(const Callbacks&) = delete;

    // Without timers, owners that wait for a lock of a program outside the server are not notified.
    void use(transport::ServerTimers& timers);

    // The connection that a call came over; 0 if it cannot carry callbacks.
    state::ConnectionId connection_of(const rpc::Call& call);
    // Sends what the state has to send.
    void send_all();
    // A client waits for a lock.
    void watch_locks();

 private:
    struct CallbackConnection;
    struct Sending;
    void close(state::ConnectionId number);
    void begin(const state::Callback& callback);
    void look_at_locks();
    bool is_free(const state::OutsideWait& wait) const;
    static void erase(void* sending);
    Task<void> send(std::shared_ptr<rpc::BackChannel> channel, Sending& one);

    state::State& state_;
    const Exports& exports_;
    const std::function<state::Instant()> now_;
    std::mutex mutex_;  // guards the maps, not the connections, which belong to their threads
    std::unordered_map<state::ConnectionId, std::shared_ptr<CallbackConnection>> connections_;
    std::unordered_map<const rpc::BackChannel*, state::ConnectionId> numbers_;
    state::ConnectionId next_number_ = 1;
    transport::ServerTimers* timers_ = nullptr;
    transport::ServerTimer timer_;
};

// What a reply to this callback says.
state::CallbackEnd end_of(const state::Callback& callback, const nfs4_cb::CB_COMPOUND4res& reply);

}  // namespace helio::nfs::v4
