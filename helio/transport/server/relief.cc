// Relief for a ServerThread when connections or memory run short: it closes connections, first
// those of the network that has or holds the most.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>
#include <vector>

#include "helio/transport/rdma/server_connection_internal.h"
#include "helio/transport/server/server_thread_internal.h"
#include "helio/transport/server/stream_connection_internal.h"

namespace helio::transport {

namespace {

// When memory is short, connections that have held some for less than this are spared.
constexpr std::chrono::milliseconds kSlowMin{500};
constexpr std::chrono::milliseconds kReliefPause{100};
// When memory is short, a connection may still hold this much: one of the largest calls.
constexpr std::size_t kFairShareBytes = 2u << 20;
// Freed memory is returned to the system when there is this much of it.
constexpr std::size_t kMemoryReturnMin = 64u << 20;
// The search for idle connections looks at all of them, so it may take at most a twentieth of the
// time.
constexpr int kIdleSearchShare = 20;
constexpr std::chrono::milliseconds kIdleSearchPauseMin{10};

// An IPv6 client has a whole /64 of addresses.
rpc::ClientAddress network_of(const rpc::ClientAddress& client) {
    rpc::ClientAddress network = client;
    if (client.kind == rpc::kClientInternet && !rpc::is_ipv4(client.bytes))
        std::fill(network.bytes.begin() + 8, network.bytes.end(), std::byte{});
    return network;
}

bool is_before(const rpc::ClientAddress& a, const rpc::ClientAddress& b) {
    return std::tie(a.kind, a.bytes) < std::tie(b.kind, b.bytes);
}

// A connection of either kind that holds memory.
struct Holder {
    StreamConnection* stream;
    rdma::ServerConnection* rdma;
    std::size_t bytes;
    std::chrono::milliseconds slow_for;

    const rpc::Peer& peer() const { return stream != nullptr ? stream->peer() : rdma->peer(); }
};

std::string describe_shed(const Holder& holder, const MemoryBudget& memory) {
    return fmt::format(
        "rpc: {} {} holds {} KiB and has been slow for {} ms, and clients hold {} of {} "
        "MiB; closed the connection",
        name_of(holder.peer().transport), to_text(holder.peer()), holder.bytes >> 10,
        holder.slow_for.count(), memory.used() >> 20, memory.bytes_max() >> 20);
}

// The connections of one network that hold memory.
struct HoldingNetwork {
    rpc::ClientAddress address;
    std::size_t bytes = 0;
    std::vector<Holder> slow;  // the worst one last
};

std::vector<HoldingNetwork> by_network(std::vector<Holder> holders) {
    const auto network = [](const Holder& one) { return network_of(one.peer().client); };
    std::ranges::sort(holders, is_before, network);
    std::vector<HoldingNetwork> all;
    for (const Holder& holder : holders) {
        const rpc::ClientAddress address = network(holder);
        if (all.empty() || all.back().address != address) all.push_back({address, 0, {}});
        all.back().bytes += holder.bytes;
        if (holder.slow_for >= kSlowMin) all.back().slow.push_back(holder);
    }
    for (HoldingNetwork& one : all)
        std::ranges::sort(one.slow, {}, [](const Holder& holder) {
            return static_cast<double>(holder.bytes) * static_cast<double>(holder.slow_for.count());
        });
    return all;
}

}  // namespace

// ---- Connections ----

// The client with the most connections loses one first: a flood of them evicts itself. Of one
// client's, first those that never made a call, then those that have been idle for longest.
void ServerThread::find_idle_connections() {
    struct Candidate {
        const StreamConnection* connection;
        bool is_idle;
        rpc::ClientAddress network;
        std::size_t rank = 0;  // connections of the same network that matter more
    };
    std::vector<Candidate> all;
    all.reserve(connections_.size());
    for (const auto& [id, connection] : connections_)
        all.push_back(
            {connection.get(), connection->is_idle(), network_of(connection->peer().client)});
    const auto worth = [](const Candidate& one) {
        return std::tuple{!one.is_idle, one.connection->has_called(), one.connection->active()};
    };
    std::ranges::sort(all, [&](const Candidate& a, const Candidate& b) {
        return a.network == b.network ? worth(a) > worth(b) : is_before(a.network, b.network);
    });
    for (std::size_t i = 1; i < all.size(); ++i)
        if (all[i].network == all[i - 1].network) all[i].rank = all[i - 1].rank + 1;
    std::erase_if(all, [](const Candidate& one) { return !one.is_idle; });
    std::ranges::sort(all, [&](const Candidate& a, const Candidate& b) {
        return a.rank != b.rank ? a.rank < b.rank : worth(a) > worth(b);
    });
    // By the time these are gone, others will have come: then search again.
    const std::size_t rank_min = all.empty() ? 0 : (all.back().rank + 1) / 2;
    for (const Candidate& one : all)
        if (one.rank >= rank_min) idle_.push_back(one.connection->id());
}

bool ServerThread::evict_idle_connection() {
    const auto now = EventLoop::Clock::now();
    if (idle_.empty() && now - idle_found_ >= idle_search_pause_) {
        idle_found_ = now;
        find_idle_connections();
        idle_search_pause_ = std::max<EventLoop::Clock::duration>(
            kIdleSearchPauseMin, kIdleSearchShare * (EventLoop::Clock::now() - now));
    }
    while (!idle_.empty()) {
        const auto found = connections_.find(idle_.back());
        idle_.pop_back();
        if (found == connections_.end() || !found->second->is_idle() ||
            (found->second->has_called() && found->second->active() > idle_found_))
            continue;
        shared_.connections_evicted.fetch_add(1, std::memory_order_relaxed);
        remove_connection(*found->second);
        return true;
    }
    return false;
}

// ---- Memory ----

ServerShared::~ServerShared() {
    for (const auto& one : pools)
        if (const auto pool = one.lock()) pool->count_in(nullptr);
}

void ServerShared::count_in_memory(const std::shared_ptr<rdma::MemoryPool>& pool) {
    const std::lock_guard lock{pools_mutex};
    std::erase_if(pools, [](const auto& one) { return one.expired(); });
    for (const auto& one : pools)
        if (one.lock() == pool) return;
    pools.push_back(pool);
    pool->count_in(&memory);
}

void ServerShared::trim_pools() {
    const std::lock_guard lock{pools_mutex};
    for (const auto& one : pools)
        if (const auto pool = one.lock()) pool->trim();
}

void ServerThread::relieve_soon() {
    if (std::exchange(relief_is_due_, true)) return;
    sweep_.set(EventLoop::Clock::now() + std::min(kReliefPause, sweep_interval_));
}

bool ServerThread::may_hold(std::size_t mine, std::size_t more) {
    const MemoryBudget& memory = shared_.memory;
    const std::size_t used = memory.used() + more;
    if (used <= memory.tight()) [[likely]]
        return true;
    relieve_soon();
    return used <= memory.bytes_max() && mine + more <= kFairShareBytes;
}

bool ServerThread::holds_much(const rpc::ClientAddress& client) const {
    return !hold_much_.empty() &&
           std::ranges::find(hold_much_, network_of(client)) != hold_much_.end();
}

// Each thread closes its share, until an eighth of the budget is free, beginning with the network
// that holds the most.
void ServerThread::shed_slow_connections(EventLoop::Clock::time_point now) {
    using std::chrono::duration_cast, std::chrono::milliseconds;
    std::vector<Holder> holders;
    for (const auto& [id, one] : connections_)
        holders.push_back({one.get(), nullptr, one->bytes_held(),
                           duration_cast<milliseconds>(one->slow_for(now))});
    for (const auto& [id, one] : rdma_connections_)
        holders.push_back({nullptr, one.get(), one->bytes_held(),
                           duration_cast<milliseconds>(one->slow_for(now))});
    std::erase_if(holders, [](const Holder& one) { return one.bytes == 0; });
    std::size_t ours = 0;
    for (const Holder& one : holders) ours += one.bytes;
    std::vector<HoldingNetwork> networks = by_network(std::move(holders));
    for (const HoldingNetwork& one : networks)
        if (one.bytes > ours / networks.size()) hold_much_.push_back(one.address);
    const std::size_t used = std::max(shared_.memory.used(), ours);
    const std::size_t wanted = shared_.memory.tight() / 8 * 7;
    const std::size_t excess = used > wanted ? used - wanted : 0;
    const auto share = static_cast<std::size_t>(
        used == 0
            ? 0.0
            : static_cast<double>(excess) * static_cast<double>(ours) / static_cast<double>(used));
    bool has_slow_ones = false;
    for (std::size_t freed = 0; freed <= share;) {
        std::erase_if(networks, [](const HoldingNetwork& one) { return one.slow.empty(); });
        if (networks.empty()) break;
        has_slow_ones = true;
        HoldingNetwork& most = *std::ranges::max_element(networks, {}, &HoldingNetwork::bytes);
        const Holder one = most.slow.back();
        most.slow.pop_back();
        most.bytes -= one.bytes;
        freed += one.bytes;
        shared_.connections_shed.fetch_add(1, std::memory_order_relaxed);
        if (worker_.logs()) worker_.log(describe_shed(one, shared_.memory));
        if (one.stream != nullptr)
            remove_connection(*one.stream);
        else
            remove_rdma(*one.rdma);
    }
    if (has_slow_ones) relieve_soon();
}

// This thread and the allocator keep what was freed for the next burst, which may never come.
void ServerThread::return_memory() {
    const std::size_t freed = worker_.buffers().trim() + worker_.batches().trim();
    shared_.trim_pools();
    if (freed >= kMemoryReturnMin / 8) malloc_trim(0);
    const std::size_t used = shared_.memory.used();
    std::size_t peak = shared_.memory_peak.load(std::memory_order_relaxed);
    if (used >= peak) {
        shared_.memory_peak.store(used, std::memory_order_relaxed);
    } else if (peak - used >= kMemoryReturnMin &&
               shared_.memory_peak.compare_exchange_strong(peak, used)) {
        malloc_trim(0);
    }
}

}  // namespace helio::transport
