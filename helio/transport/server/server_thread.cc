#include <algorithm>
#include <csignal>
#include <functional>

#include "helio/transport/rdma/server_connection_internal.h"
#include "helio/transport/server/datagram_socket_internal.h"
#include "helio/transport/server/server_listener_internal.h"
#include "helio/transport/server/server_thread_internal.h"
#include "helio/transport/server/stream_connection_internal.h"

namespace helio::transport {

namespace {
// The least room for an unfinished record; small records nearly always arrive whole.
constexpr std::size_t kRecordRoomMin = 1024;
constexpr std::chrono::milliseconds kSweepInterval{1000};
}  // namespace

ServerThread::Reaper::~Reaper() = default;
void ServerThread::Reaper::on_turn_end() { clear(); }
void ServerThread::Reaper::clear() {
    closed.clear();
    closed_rdma.clear();
}

ServerThread::ServerThread(rpc::Server& server, ServerShared& shared)
    : shared_(shared),
      loop_(shared.network),
      worker_(server, &shared.memory),
      loop_handle_(std::make_shared<LoopHandle>()) {
    loop_handle_->loop = &loop_;
    if (shared.limits.busy_polls) loop_.busy_poll();
}

ServerThread::~ServerThread() {
    {
        const std::lock_guard lock{loop_handle_->mutex};
        loop_handle_->loop = nullptr;
    }
    end_connections();
    listeners_.clear();
}

void ServerThread::add_listener(Fd socket, rpc::Transport transport,
                                const rpc::SessionFactory* session_factory) {
    listeners_.push_back(
        std::make_unique<ServerListener>(*this, std::move(socket), transport, session_factory));
}

void ServerThread::add_datagram_socket(Fd socket) {
    datagram_sockets_.push_back(std::make_unique<DatagramSocket>(*this, std::move(socket)));
}

void ServerThread::add_connection(Fd socket, const rpc::Peer& peer,
                                  const rpc::SessionFactory* session_factory) {
    if (draining_) return;
    const std::uint64_t id = next_connection_++;
    auto connection = std::make_unique<StreamConnection>(*this, id, peer, session_factory);
    if (connection->open(std::move(socket)) != 0) {  // the kernel cannot watch any more for us
        shared_.connections_refused.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    connections_.emplace(id, std::move(connection));
    shared_.connections.fetch_add(1, std::memory_order_relaxed);
}

void ServerThread::remove_connection(StreamConnection& connection) {
    const auto found = connections_.find(connection.id());
    if (found == connections_.end()) return;
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
    reaper_.closed.push_back(std::move(found->second));
    connections_.erase(found);
    loop_.defer(reaper_);
}

void ServerThread::add_rdma(std::unique_ptr<rdma::Link> link) {
    if (draining_) return;
    if (shared_.is_full() && !evict_idle_connection()) {
        shared_.connections_refused.fetch_add(1, std::memory_order_relaxed);
        return;  // destroying the link refuses the connection
    }
    shared_.count_in_memory(link->memory());
    const std::uint64_t id = next_connection_++;
    auto connection = std::make_unique<rdma::ServerConnection>(*this, id, std::move(link));
    if (!connection->start()) {
        shared_.connections_refused.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    rdma_connections_.emplace(id, std::move(connection));
    shared_.connections.fetch_add(1, std::memory_order_relaxed);
}

void ServerThread::remove_rdma(rdma::ServerConnection& connection) {
    const auto found = rdma_connections_.find(connection.id());
    if (found == rdma_connections_.end()) return;
    shared_.connections.fetch_sub(1, std::memory_order_relaxed);
    reaper_.closed_rdma.push_back(std::move(found->second));
    rdma_connections_.erase(found);
    loop_.defer(reaper_);
}

StreamOptions ServerThread::stream_options(bool takes_descriptors) {
    StreamOptions out;
    out.pool = &worker_.buffers();
    out.shared_room = &shared_receive_buffer_;
    out.budget = &shared_.memory;
    out.buffer_size = kRecordRoomMin;
    out.takes_descriptors = takes_descriptors;
    out.receives_per_turn = 1;     // replies to what has arrived are sent first
    out.reads_to_the_end = false;  // no reply can reach a disconnected peer
    return out;
}

namespace {

// Delivers the reply of a call to a connection of another thread, if that still exists.
class ConnectionWaiter final : public rpc::DuplicateCache::Waiter {
 public:
    ConnectionWaiter(std::shared_ptr<LoopHandle> loop_handle,
                     std::function<void(const rpc::CachedReply&)> send)
        : loop_handle_(std::move(loop_handle)), send_(std::move(send)) {}
    void answer(const rpc::CachedReply& reply) override {
        const std::lock_guard lock{loop_handle_->mutex};
        if (loop_handle_->loop != nullptr)
            loop_handle_->loop->post([send = send_, reply] { send(reply); });
    }

 private:
    std::shared_ptr<LoopHandle> loop_handle_;
    std::function<void(const rpc::CachedReply&)> send_;
};

}  // namespace

std::shared_ptr<rpc::DuplicateCache::Waiter> ServerThread::make_waiter(std::uint64_t connection) {
    return std::make_shared<ConnectionWaiter>(loop_handle_,
                                              [this, connection](const rpc::CachedReply& reply) {
                                                  const auto found = connections_.find(connection);
                                                  if (found != connections_.end())
                                                      found->second->send_cached(reply);
                                              });
}

namespace {

// The same for an exchange over RDMA, which waits for its reply only while this exists.
class RdmaWaiter final : public rpc::DuplicateCache::Waiter {
 public:
    // `bring` is called with the reply, or with nullptr if there will be none.
    using Bring = std::function<void(const rpc::CachedReply*)>;
    RdmaWaiter(std::shared_ptr<LoopHandle> loop_handle, Bring bring)
        : loop_handle_(std::move(loop_handle)), bring_(std::move(bring)) {}
    ~RdmaWaiter() override {
        post([bring = bring_] { bring(nullptr); });
    }
    void answer(const rpc::CachedReply& reply) override {
        post([bring = bring_, reply] { bring(&reply); });
    }

 private:
    void post(std::function<void()> work) {
        const std::lock_guard lock{loop_handle_->mutex};
        if (loop_handle_->loop != nullptr) loop_handle_->loop->post(std::move(work));
    }

    std::shared_ptr<LoopHandle> loop_handle_;
    Bring bring_;
};

}  // namespace

std::shared_ptr<rpc::DuplicateCache::Waiter> ServerThread::make_rdma_waiter(
    std::uint64_t connection, std::uint64_t exchange) {
    return std::make_shared<RdmaWaiter>(
        loop_handle_, [this, connection, exchange](const rpc::CachedReply* reply) {
            const auto found = rdma_connections_.find(connection);
            if (found == rdma_connections_.end()) return;
            if (reply != nullptr)
                found->second->send_cached(*reply, exchange);
            else
                found->second->drop_exchange(exchange);
        });
}

namespace {

// Work for a connection from other threads, if it still exists by then.
class ConnectionHandle final : public rpc::SessionHandle {
 public:
    ConnectionHandle(std::shared_ptr<LoopHandle> loop_handle, std::function<bool()> exists)
        : loop_handle_(std::move(loop_handle)), exists_(std::move(exists)) {}
    void post(std::function<void()> work) override {
        const std::lock_guard lock{loop_handle_->mutex};
        if (loop_handle_->loop == nullptr) return;
        loop_handle_->loop->post([exists = exists_, work = std::move(work)] {
            if (exists()) work();
        });
    }

 private:
    std::shared_ptr<LoopHandle> loop_handle_;
    std::function<bool()> exists_;
};

}  // namespace

std::shared_ptr<rpc::SessionHandle> ServerThread::make_handle(std::uint64_t connection) {
    return std::make_shared<ConnectionHandle>(
        loop_handle_, [this, connection] { return connections_.count(connection) > 0; });
}

void ServerThread::start() { thread_ = std::thread(&ServerThread::run, this); }

// On the thread that will turn the loop.
void ServerThread::prepare() {
    // sendfile() has no MSG_NOSIGNAL: block SIGPIPE, so that a lost peer is an ordinary error.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

    const ServerLimits& limits = shared_.limits;
    const auto shortest =
        std::min({limits.idle_timeout, limits.record_timeout, limits.send_timeout}) / 4;
    sweep_interval_ = std::clamp(shortest, std::chrono::milliseconds(10), kSweepInterval);
    sweep_.set(EventLoop::Clock::now() + sweep_interval_);
}

void ServerThread::run() {
    prepare();
    loop_.run();
    // Coroutines and connections end on the thread they lived on.
    end_connections();
}

void ServerThread::start_driven() { prepare(); }

bool ServerThread::turn() {
    if (loop_.is_stopped()) return false;
    loop_.turn(std::chrono::milliseconds(0));
    if (!loop_.is_stopped()) return true;
    end_connections();
    return false;
}

void ServerThread::end_connections() {
    reaper_.clear();
    connections_.clear();
    rdma_connections_.clear();
    datagram_sockets_.clear();
    worker_.buffers().clear();
    worker_.batches().clear();
}

void ServerThread::sweep() {
    const auto now = EventLoop::Clock::now();
    // Collected first: both may remove connections.
    std::vector<StreamConnection*> overdue;
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, connection] : connections_) {
        if (connection->overdue(now) || !connection->tick(now))
            overdue.push_back(connection.get());
        else if (connection->waits_for_budget())
            waiting.push_back(id);
    }
    for (StreamConnection* const one : overdue) {
        shared_.connections_timed_out.fetch_add(1, std::memory_order_relaxed);
        remove_connection(*one);
    }
    std::vector<rdma::ServerConnection*> overdue_rdma;
    for (const auto& [id, connection] : rdma_connections_)
        if (connection->overdue(now)) overdue_rdma.push_back(connection.get());
    for (rdma::ServerConnection* const one : overdue_rdma) {
        shared_.connections_timed_out.fetch_add(1, std::memory_order_relaxed);
        remove_rdma(*one);
    }
    for (const std::uint64_t id : waiting)
        if (const auto found = connections_.find(id); found != connections_.end())
            found->second->retry();
    if (shared_.is_full()) evict_idle_connection();  // makes room for connections of other threads
    relief_is_due_ = false;
    hold_much_.clear();
    if (shared_.memory.is_tight()) shed_slow_connections(now);
    return_memory();
    if (draining_) check_drained();
    sweep_.set(now + (draining_ ? std::chrono::milliseconds(10) : sweep_interval_));
}

void ServerThread::begin_drain(EventLoop::Clock::time_point deadline) {
    loop_.post([this, deadline] {
        draining_ = true;
        drain_deadline_ = deadline;
        listeners_.clear();
        for (const auto& one : datagram_sockets_) one->stop_receiving();
        std::vector<std::uint64_t> ids;
        for (const auto& [id, connection] : connections_) ids.push_back(id);
        for (const std::uint64_t id : ids)
            if (const auto found = connections_.find(id); found != connections_.end())
                found->second->drain();
        ids.clear();
        for (const auto& [id, connection] : rdma_connections_) ids.push_back(id);
        for (const std::uint64_t id : ids)
            if (const auto found = rdma_connections_.find(id); found != rdma_connections_.end())
                found->second->drain();
        sweep_.set(EventLoop::Clock::now());
    });
}

void ServerThread::check_drained() {
    const bool datagrams_done = std::all_of(datagram_sockets_.begin(), datagram_sockets_.end(),
                                            [](const auto& one) { return one->drained(); });
    if ((connections_.empty() && rdma_connections_.empty() && datagrams_done) ||
        EventLoop::Clock::now() >= drain_deadline_)
        loop_.stop();
}

void ServerThread::join() {
    if (thread_.joinable()) thread_.join();
}

}  // namespace helio::transport
