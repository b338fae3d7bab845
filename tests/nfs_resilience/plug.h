// Plug: keeps calls that were given to a server's pool from ending.
#pragma once

#include <atomic>

#include "tests/nfs_resilience/socket_server.h"

namespace helio::tests {

// Occupies the one thread that the server's export may have while this lives, so that calls that
// were given to the pool do not end.
class Plug final : transport::Pool::Job {
 public:
    explicit Plug(SocketServer& server) : pool_(server.pool) {
        order.group = server.pool_group();
        work = [](Job& self) { static_cast<Plug&>(self).pulled_.wait(false); };
        run = drop = [](Posted&) {};
        home = &loop_;
        pool_.give(*this);
    }
    ~Plug() {
        pulled_ = true;
        pulled_.notify_all();
        pool_.take_back(*this);
    }

 private:
    transport::Pool& pool_;
    transport::EventLoop loop_;
    std::atomic<bool> pulled_ = false;
};

}  // namespace helio::tests
