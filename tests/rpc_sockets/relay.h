// A bad network between client and server: a relay for one TCP connection that breaks it after a
// number of bytes, and one for UDP that loses datagrams. Each runs on its own thread until it is
// destroyed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "tests/rpc_sockets/raw_socket.h"

namespace wire {

// The first connection breaks after `up` bytes to the server or `down` bytes to the client; later
// ones do not.
class BreakingRelay final {
 public:
    struct Limits {
        std::size_t up = SIZE_MAX;
        std::size_t down = SIZE_MAX;
        bool reset = false;  // by RST instead of FIN
    };
    BreakingRelay(std::uint16_t server, Limits limits);
    ~BreakingRelay();
    std::string where() const { return listener_.where(); }

 private:
    void run();
    void relay(RawStream client, Limits limits);

    std::uint16_t server_;
    Limits limits_;
    RawListener listener_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

// Loses the first `up` datagrams to the server and the first `down` of its replies.
class LossyRelay final {
 public:
    LossyRelay(std::uint16_t server, int up, int down);
    ~LossyRelay();
    std::string where() const { return "127.0.0.1:" + std::to_string(socket_.port()); }

 private:
    void run();

    std::uint16_t server_;
    int up_, down_;
    RawDatagrams socket_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

// A scripted server: a function for each connection, on its own thread, which ends after the last
// of them.
class HandServer final {
 public:
    HandServer(int connections, std::function<void(RawStream&, int)> serve);
    ~HandServer() { thread_.join(); }
    std::string where() const { return listener_.where(); }
    std::uint16_t port() const { return listener_.port(); }

 private:
    RawListener listener_;
    std::thread thread_;
};

}  // namespace wire
