// ServerThread: one thread of a Server: its loop, its worker, its listeners and its connections. A
// connection lives here from accept to close; no other thread touches it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "helio/rpc/onc/onc_envelope.h"
#include "helio/rpc/server/server.h"
#include "helio/rpc/session.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/server/server.h"
#include "helio/transport/socket/socket.h"
#include "helio/transport/stream/stream.h"

namespace helio::transport {

namespace rdma {
class Link;
class MemoryPool;
class ServerConnection;
}  // namespace rdma

class StreamConnection;
class DatagramSocket;
class ServerListener;

// State shared by the threads of one server.
struct ServerShared {
    ServerShared(const ServerLimits& given, Network& used)
        : limits(given), network(used), memory(given.memory_bytes_max) {}
    ~ServerShared();
    bool is_full() const {
        return connections.load(std::memory_order_relaxed) >= limits.connections_max;
    }

    // The memory of an RDMA device counts too.
    void count_in_memory(const std::shared_ptr<rdma::MemoryPool>& pool);
    // Releases what devices' pools do not need.
    void trim_pools();

    const ServerLimits limits;
    Network& network;
    MemoryBudget memory;
    std::mutex pools_mutex;
    std::vector<std::weak_ptr<rdma::MemoryPool>> pools;  // guarded by pools_mutex
    // The most that was in use since memory was last returned to the system.
    std::atomic<std::size_t> memory_peak = 0;
    // Held while accepting, so that another thread's accept does not take the spare descriptor that
    // a thread frees to refuse a client.
    std::mutex accept_mutex;
    std::atomic<std::size_t> connections = 0;
    std::atomic<std::uint64_t> connections_refused = 0;
    std::atomic<std::uint64_t> connections_timed_out = 0;
    std::atomic<std::uint64_t> connections_evicted = 0;
    std::atomic<std::uint64_t> connections_shed = 0;
    std::atomic<std::uint64_t> rdma_bytes_copied = 0;
};

// A reference to a loop for objects that may outlive it: the duplicate cache, which other servers
// of the same programs share.
struct LoopHandle {
    std::mutex mutex;
    EventLoop* loop = nullptr;
};

class ServerThread final {
 public:
    ServerThread(rpc::Server& server, ServerShared& shared);
    ~ServerThread();

    EventLoop& loop() { return loop_; }
    rpc::Worker& worker() { return worker_; }
    ServerShared& shared() { return shared_; }

    // Before start(), or on the loop's thread.
    void add_listener(Fd socket, rpc::Transport transport,
                      const rpc::SessionFactory* session_factory = nullptr);
    void add_datagram_socket(Fd socket);
    // Memory is short: soon closes the connections that hold most of it and are slowest.
    void relieve_soon();
    // May a connection that holds `mine` bytes have this many more? The last eighth of the budget
    // is reserved for those that hold little.
    bool may_hold(std::size_t mine, std::size_t more);
    // Memory was short at the last check, and this client's network held more than others.
    bool holds_much(const rpc::ClientAddress& client) const;
    // On the loop's thread.
    void add_connection(Fd socket, const rpc::Peer& peer,
                        const rpc::SessionFactory* session_factory);
    void remove_connection(StreamConnection& connection);
    // Closes an idle connection of the client that has the most. False if all are in use.
    bool evict_idle_connection();
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_waiter(std::uint64_t connection);
    std::shared_ptr<rpc::SessionHandle> make_handle(std::uint64_t connection);
    void add_rdma(std::unique_ptr<rdma::Link> link);
    void remove_rdma(rdma::ServerConnection& connection);
    std::shared_ptr<rpc::DuplicateCache::Waiter> make_rdma_waiter(std::uint64_t connection,
                                                                  std::uint64_t exchange);

    void start();
    // Instead of start(): the caller's thread turns the loop, without waiting. False when the
    // thread would have ended.
    void start_driven();
    bool turn();
    // Lets calls that run end and their replies leave, until the deadline; then ends the thread.
    void begin_drain(EventLoop::Clock::time_point deadline);
    void join();

    SharedReceiveBuffer& shared_receive_buffer() { return shared_receive_buffer_; }
    StreamOptions stream_options(bool takes_descriptors);

 private:
    class Sweep final : public Timer {
     public:
        explicit Sweep(ServerThread& owner) : Timer(owner.loop_), owner_(owner) {}

     private:
        void on_time() override { owner_.sweep(); }
        ServerThread& owner_;
    };
    // Closed connections are destroyed at the end of the turn, when nothing uses them.
    class Reaper final : public EventLoop::Deferred {
     public:
        ~Reaper() override;
        std::vector<std::unique_ptr<StreamConnection>> closed;
        std::vector<std::unique_ptr<rdma::ServerConnection>> closed_rdma;
        void clear();

     private:
        void on_turn_end() override;
    };
    void find_idle_connections();
    void sweep();
    void shed_slow_connections(EventLoop::Clock::time_point now);
    void return_memory();
    void end_connections();
    void check_drained();
    void prepare();
    void run();

    ServerShared& shared_;
    EventLoop loop_;
    rpc::Worker worker_;
    std::shared_ptr<LoopHandle> loop_handle_;
    SharedReceiveBuffer shared_receive_buffer_{worker_.buffers()};
    std::vector<std::unique_ptr<ServerListener>> listeners_;
    std::vector<std::unique_ptr<DatagramSocket>> datagram_sockets_;
    std::unordered_map<std::uint64_t, std::unique_ptr<StreamConnection>> connections_;
    std::unordered_map<std::uint64_t, std::unique_ptr<rdma::ServerConnection>> rdma_connections_;
    std::uint64_t next_connection_ = 1;
    std::vector<std::uint64_t> idle_;            // connections to evict, the last one first
    std::vector<rpc::ClientAddress> hold_much_;  // networks
    EventLoop::Clock::time_point idle_found_;
    EventLoop::Clock::duration idle_search_pause_{};
    Reaper reaper_;
    Sweep sweep_{*this};
    std::chrono::milliseconds sweep_interval_{1000};
    bool draining_ = false;
    bool relief_is_due_ = false;
    EventLoop::Clock::time_point drain_deadline_;
    std::thread thread_;
};

}  // namespace helio::transport
