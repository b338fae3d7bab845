// Server: the programs of an rpc::Server on real sockets: TCP, UDP and AF_UNIX, every program on
// every one of them. One thread per core, each with its own listening socket; start() makes them,
// stop() lets running calls end.
//
//     rpc::Server programs;
//     programs.add(greeter);
//     transport::Server server{programs};
//     const auto port = server.listen("127.0.0.1", 0);   // TCP and UDP, a free port
//     server.start();
//     server.wait_for_signal();                           // SIGTERM, SIGINT: drains
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/rpc/server/server.h"
#include "helio/rpc/session.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/server/server_timers.h"
#include "helio/transport/socket/socket.h"

namespace helio::transport {

namespace rdma {
class Fabric;
class Listener;
}  // namespace rdma

struct ServerShared;
class ServerThread;

// Connections of one server; each costs less than 4 KiB while it is idle. When there are as many,
// idle ones are closed for new ones.
inline constexpr std::size_t kConnectionsMax = 65'536;
// By default, all clients together may make a server hold a quarter of the machine's memory
// (machine_memory.h), and at least this much.
inline constexpr std::size_t kMemoryBytesMin = 64u << 20;
// Linux's client hangs up after 5 minutes without a call, its server after 6.
inline constexpr std::chrono::seconds kIdleTimeout{360};
// A record that has begun must end within this time, plus the time its size takes at a modem's
// speed.
inline constexpr std::chrono::seconds kRecordTimeout{30};
// A peer that takes nothing of a reply for this long is considered gone.
inline constexpr std::chrono::seconds kSendTimeout{60};
// Time that stop() gives running calls.
inline constexpr std::chrono::seconds kDrainTimeout{5};

struct ServerLimits {
    unsigned threads = 0;  // 0: one per core
    std::size_t connections_max = kConnectionsMax;
    std::size_t memory_bytes_max = 0;  // 0: a quarter of the machine's
    std::chrono::milliseconds idle_timeout = kIdleTimeout;
    std::chrono::milliseconds record_timeout = kRecordTimeout;
    std::chrono::milliseconds send_timeout = kSendTimeout;
    // Threads poll for more work before they sleep, as long as that pays (busy_poll.h): for clients
    // that send one call after the other.
    bool busy_polls = false;
};

class Server final {
 public:
    explicit Server(rpc::Server& programs, ServerLimits limits = {},
                    Network& network = Network::kernel());
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Call these before start(). They throw std::runtime_error with a sentence on failure, and
    // return where they listen. An empty host is every address, IPv6 and IPv4; port 0 picks a free
    // one. Streams speak ONC RPC unless a session factory is given, which must outlive the server.
    std::vector<Endpoint> listen_tcp(const std::string& host, std::uint16_t port,
                                     const rpc::SessionFactory* session_factory = nullptr);
    std::vector<Endpoint> listen_udp(const std::string& host, std::uint16_t port);
    // Both, on one port.
    std::uint16_t listen(const std::string& host, std::uint16_t port);
    void listen_unix(const std::string& path, const rpc::SessionFactory* session_factory = nullptr);
    // RPC-over-RDMA (RFC 8166), by the devices of a fabric, which must outlive the server. It has
    // its own threads, as many as there are others: on Linux a device can be used only with the
    // credentials that it was opened with, and procedures may change those of their threads. So
    // call this, and start(), with the credentials that the fabric was made with.
    std::vector<Endpoint> listen_rdma(rdma::Fabric& fabric, const std::string& host,
                                      std::uint16_t port);
    // Uses sockets that were opened for us (systemd's LISTEN_FDS protocol). Returns how many.
    std::size_t listen_inherited();

    void start();
    // Blocks the calling thread until one of the signals arrives, then stops. The signals must be
    // blocked in every thread: call block_signals() first of all in main.
    static void block_signals();
    void wait_for_signal();
    void stop(std::chrono::milliseconds drain = kDrainTimeout);

    // ---- Driven by the caller ----
    //
    // A server without threads, for tests and simulations: everything happens in turn(), so that
    // the caller chooses the order of events, and with a FakeClock also the time. Give its services
    // a Pool without threads (offload.h). Use it from one thread, on which SIGPIPE is blocked from
    // then on. Not with listen_rdma().
    //
    //     server.start_driven();
    //     const Fd client = server.connect_in_process();
    //     … send a call …
    //     server.turn(0);

    // Instead of start().
    void start_driven();
    // One turn of the thread with this number, below threads(); it does not wait. False when that
    // thread has ended.
    bool turn(std::size_t thread);
    // When the next timer of any thread is due.
    std::optional<EventLoop::Clock::time_point> next_timer() const;
    // The first step of stop(). Then call turn() until no thread is left, and stop(), which gives a
    // driven server no time to drain.
    void begin_stop(std::chrono::milliseconds drain = kDrainTimeout);

    // For the whole server: they run on one of its threads, from start() to stop().
    ServerTimers& timers() { return timers_; }

    // A connection to this server that never leaves the process; a client adopts it. From any
    // thread.
    Fd connect_in_process(const rpc::SessionFactory* session_factory = nullptr);
    // The same, from a peer that the caller makes up: the duplicate cache, access rules and log
    // treat it as that client. To be recognised after a reconnect, pass the same peer again.
    Fd connect_as(const rpc::Peer& peer, const rpc::SessionFactory* session_factory = nullptr);

    struct Counters {
        std::size_t connections = 0;
        std::size_t memory_bytes = 0;  // held for clients
        std::size_t memory_bytes_max = 0;
        std::uint64_t refused = 0;    // out of descriptors, or beyond the limit
        std::uint64_t timed_out = 0;  // idle, slow, or not taking replies
        std::uint64_t evicted = 0;    // idle, closed to make room
        std::uint64_t shed = 0;       // held much and were slow while memory was short
        // Bulk data of replies over RDMA that had to be copied to memory a device can use.
        std::uint64_t rdma_bytes_copied = 0;
    };
    Counters counters() const;
    std::size_t threads() const { return threads_.size(); }
    const std::vector<Endpoint>& endpoints(rpc::Transport transport) const;

 private:
    Endpoint listen_on(Endpoint endpoint, rpc::Transport transport,
                       const rpc::SessionFactory* session_factory = nullptr);

    rpc::Server& programs_;
    std::unique_ptr<ServerShared> shared_;
    ServerTimers timers_;
    std::vector<std::unique_ptr<ServerThread>> threads_;
    std::vector<std::unique_ptr<ServerThread>> rdma_threads_;
    std::vector<Endpoint> tcp_, udp_, local_, rdma_;
    std::vector<std::unique_ptr<rdma::Listener>> rdma_listeners_;
    std::vector<std::string> unlink_;
    std::atomic<std::size_t> next_thread_ = 0;
    std::atomic<std::size_t> next_rdma_thread_ = 0;
    bool running_ = false;
    bool driven_ = false;  // by turn()
};

}  // namespace helio::transport
