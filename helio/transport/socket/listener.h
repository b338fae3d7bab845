// Listener: accepts connections on one listening socket, on one event loop. If the process has no
// descriptor left, it frees a spare one, accepts the connection with it and closes it: the client
// learns at once, and the loop does not spin.
#pragma once

#include <mutex>
#include <utility>

#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/socket/socket.h"

namespace helio::transport {

class Listener final : Poller::Handler, Timer {
 public:
    class Owner {
     public:
        virtual ~Owner() = default;
        // A new connection, non-blocking. The owner may pause and resume listeners here, but must
        // not destroy this one.
        virtual void on_accepted(Fd socket, const Endpoint& remote) = 0;
        // A connection was closed because no descriptor was left for it.
        virtual void on_refused() {}
    };
    struct Options {
        // Sharing::shared: other loops accept from the same socket.
        EventLoop::Sharing sharing = EventLoop::Sharing::own;
        // Held during accept, so that another thread's accept cannot take the spare descriptor
        // that this one has just freed.
        std::mutex* mutex = nullptr;
    };

    // Throws std::system_error when the loop cannot watch the socket.
    Listener(EventLoop& loop, Owner& owner, Fd socket, const Options& options);
    Listener(EventLoop& loop, Owner& owner, Fd socket)
        : Listener(loop, owner, std::move(socket), Options{}) {}
    ~Listener() override;

    // New connections wait in the kernel's queue until resume().
    void pause();
    void resume();

 private:
    void on_ready(Readiness ready) override;
    void on_time() override;
    void refuse_one();
    int watch();
    void unwatch();

    EventLoop& loop_;
    Owner& owner_;
    const Options options_;
    Fd socket_;
    Fd spare_;
    bool is_watched_ = false;
    bool is_paused_ = false;
};

}  // namespace helio::transport
