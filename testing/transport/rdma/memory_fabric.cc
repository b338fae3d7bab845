#include "testing/transport/rdma/memory_fabric.h"

#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "helio/base/assert.h"
#include "testing/transport/rdma/memory_fabric_internal.h"

namespace helio::transport::rdma {

namespace {

class MemoryRegion final : public Region {
 public:
    MemoryRegion(std::shared_ptr<MemoryCore> core, MemorySide side, std::uint32_t slot)
        : core_(std::move(core)), side_(side), slot_(slot) {}
    ~MemoryRegion() override {
        const std::lock_guard lock{core_->mutex};
        core_->keys[side_index(side_)].remove(slot_);
    }

 private:
    const std::shared_ptr<MemoryCore> core_;
    const MemorySide side_;
    const std::uint32_t slot_;
};

std::unique_ptr<Region> add_memory_region(const std::shared_ptr<MemoryCore>& core, MemorySide side,
                                          std::span<std::byte> memory, Purpose purpose) {
    const std::lock_guard lock{core->mutex};
    if (core->refusing != 0) {
        errno = core->refusing;
        return nullptr;
    }
    MemoryKeys& keys = core->keys[side_index(side)];
    const std::uint32_t slot = keys.add(memory, purpose);
    auto region = std::make_unique<MemoryRegion>(core, side, slot);
    region->local_key = keys.local_key(slot);
    region->remote_key = keys.remote_key(slot);
    return region;
}

class MemoryRegistrar final : public Registrar {
 public:
    MemoryRegistrar(std::shared_ptr<MemoryCore> core, MemorySide side)
        : core_(std::move(core)), side_(side) {}
    std::unique_ptr<Region> add(std::span<std::byte> memory, Purpose purpose) override {
        return add_memory_region(core_, side_, memory, purpose);
    }

 private:
    const std::shared_ptr<MemoryCore> core_;
    const MemorySide side_;
};

// What a link needs of the fabric, which may be destroyed first.
struct MemoryLinkParts {
    std::shared_ptr<MemoryCore> core;
    std::array<std::shared_ptr<MemoryPool>, 2> pools;
};

class MemoryLink final : public Link {
 public:
    // With the mutex held.
    MemoryLink(MemoryLinkParts parts, MemorySide side, const LinkLimits& limits,
               const Endpoint& local, const Endpoint& remote)
        : queue_(std::make_shared<MemoryQueue>(parts.core, side, limits)),
          parts_(std::move(parts)),
          local_(local),
          remote_(remote) {
        parts_.core->queues.push_back(queue_.get());
    }
    ~MemoryLink() override { queue_->close(); }

    void attach(EventLoop& loop, Owner& owner) override {
        const std::lock_guard lock{parts_.core->mutex};
        queue_->attach(loop, owner);
    }
    void establish(ByteView private_data) override {
        HELIO_ASSERT(private_data.size() <= kPrivateDataMax);
        if (queue_->side == MemorySide::answering)
            answer(private_data);
        else
            ask(private_data);
    }

    const std::shared_ptr<MemoryPool>& memory() const override {
        return parts_.pools[side_index(queue_->side)];
    }
    const LinkLimits& limits() const override { return queue_->limits; }
    ByteView private_data() const override {
        const std::lock_guard lock{parts_.core->mutex};
        return queue_->has_heard ? ByteView{queue_->heard} : ByteView{};
    }
    Endpoint local() const override { return local_; }
    Endpoint remote() const override { return remote_; }
    bool post_receive(std::uint64_t id, const Piece& into) override {
        return queue_->post_receive(id, into);
    }
    bool post(std::span<const Work> works) override { return queue_->post(works); }

    MemoryQueue& queue() { return *queue_; }

 private:
    static void notify(MemoryQueue& whom, ByteView private_data) {
        std::copy(private_data.begin(), private_data.end(), whom.heard.begin());
        whom.has_heard = true;
    }

    void answer(ByteView private_data) {
        const std::lock_guard lock{parts_.core->mutex};
        if (queue_->state == MemoryQueue::State::lost) return;
        HELIO_ASSERT(queue_->state == MemoryQueue::State::made);
        notify(*queue_->peer, private_data);
        queue_->tell_connected();
        queue_->peer->tell_connected();
    }

    void ask(ByteView private_data) {
        std::shared_ptr<MemoryListening> listening;
        std::unique_ptr<MemoryLink> arrived;
        {
            MemoryCore& core = *parts_.core;
            const std::lock_guard lock{core.mutex};
            if (queue_->state == MemoryQueue::State::lost) return;
            HELIO_ASSERT(queue_->state == MemoryQueue::State::made);
            const auto found = core.listening.find(remote_.port());
            if (found == core.listening.end())
                return queue_->lose(ECONNREFUSED, "nobody listens there");
            listening = found->second;
            arrived = std::make_unique<MemoryLink>(parts_, MemorySide::answering, listening->limits,
                                                   remote_, local_);
            arrived->queue_->peer = queue_.get();
            notify(*arrived->queue_, private_data);
            queue_->peer = arrived->queue_.get();
            queue_->state = MemoryQueue::State::asked;
        }
        const std::lock_guard calling{listening->calling};
        if (!listening->closed) listening->arrival(std::move(arrived));
    }

    const std::shared_ptr<MemoryQueue> queue_;
    const MemoryLinkParts parts_;
    const Endpoint local_;
    const Endpoint remote_;
};

class MemoryListener final : public Listener {
 public:
    MemoryListener(std::shared_ptr<MemoryCore> core, std::shared_ptr<MemoryListening> listening,
                   const Endpoint& where)
        : core_(std::move(core)), listening_(std::move(listening)), where_(where) {}
    ~MemoryListener() override {
        {
            const std::lock_guard lock{core_->mutex};
            core_->listening.erase(where_.port());
        }
        const std::lock_guard calling{listening_->calling};
        listening_->closed = true;
    }
    Endpoint where() const override { return where_; }

 private:
    const std::shared_ptr<MemoryCore> core_;
    const std::shared_ptr<MemoryListening> listening_;
    const Endpoint where_;
};

// Source of a connection to `where`: the same address, or loopback for the wildcard.
Endpoint beside(const Endpoint& where, std::uint16_t port) {
    Endpoint out = where;
    if (where.family() == AF_INET6) {
        sockaddr_in6 address{};
        std::memcpy(&address, where.address(), sizeof address);
        if (IN6_IS_ADDR_UNSPECIFIED(&address.sin6_addr)) address.sin6_addr = in6addr_loopback;
        out = Endpoint{reinterpret_cast<const sockaddr*>(&address), sizeof address};
    } else if (where.family() == AF_INET) {
        sockaddr_in address{};
        std::memcpy(&address, where.address(), sizeof address);
        if (address.sin_addr.s_addr == 0) address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        out = Endpoint{reinterpret_cast<const sockaddr*>(&address), sizeof address};
    }
    out.set_port(port);
    return out;
}

}  // namespace

std::uint32_t MemoryKeys::add(std::span<std::byte> memory, Purpose purpose) {
    HELIO_ASSERT(entries_.size() < 1u << 24);
    const bool shared = purpose == Purpose::shared;
    entries_.push_back({memory.data(), memory.size(), shared, shared});
    return static_cast<std::uint32_t>(entries_.size() - 1);
}

const MemoryKeys::Entry* MemoryKeys::find(std::uint32_t key, std::uint32_t kind) const {
    const std::uint32_t slot = key >> 4 & 0xff'ffff;
    if (key != (device_ | slot << 4 | kind) || slot >= entries_.size()) return nullptr;
    return &entries_[slot];
}

bool MemoryKeys::is_local(const Piece& piece) const {
    const Entry* const entry = find(piece.key, kLocal);
    if (entry == nullptr) return false;
    const auto offset =
        reinterpret_cast<std::uintptr_t>(piece.at) - reinterpret_cast<std::uintptr_t>(entry->begin);
    return offset <= entry->size && piece.size <= entry->size - offset;
}

std::byte* MemoryKeys::remote(std::uint32_t key, std::uint64_t address, std::uint64_t size) const {
    const Entry* const entry = find(key, kRemote);
    if (entry == nullptr || !entry->remote_valid) return nullptr;
    // An address below the region wraps round to an offset beyond any size.
    const std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(entry->begin);
    if (offset > entry->size || size > entry->size - offset) return nullptr;
    return entry->begin + offset;
}

bool MemoryKeys::invalidate(std::uint32_t key) {
    if (!is_valid(key)) return false;
    entries_[key >> 4 & 0xff'ffff].remote_valid = false;
    return true;
}

bool MemoryKeys::is_valid(std::uint32_t key) const {
    const Entry* const entry = find(key, kRemote);
    return entry != nullptr && entry->remote_valid;
}

std::uint16_t MemoryCore::pick_port() {
    while (listening.contains(next_port)) next_port = next_port == 65535 ? 49152 : next_port + 1;
    return std::exchange(next_port, next_port == 65535 ? 49152 : next_port + 1);
}

MemoryFault MemoryCore::fault_for(MemorySide from, const Work& work) {
    if (works_until_fault > 0 && --works_until_fault == 0) return planned_fault;
    return decide ? decide(from, work) : MemoryFault::none;
}

MemoryFabric::MemoryFabric(std::size_t pool_bytes_max) : core_(std::make_shared<MemoryCore>()) {
    for (const Side side : {Side::asking, Side::answering})
        pools_[index(side)] =
            MemoryPool::make(std::make_unique<MemoryRegistrar>(core_, side), pool_bytes_max);
}

MemoryFabric::~MemoryFabric() = default;

std::unique_ptr<Listener> MemoryFabric::listen(const Endpoint& where, const LinkLimits& limits,
                                               Arrival arrival) {
    auto listening = std::make_shared<MemoryListening>();
    listening->limits = limits;
    listening->arrival = std::move(arrival);
    Endpoint found = where;
    {
        const std::lock_guard lock{core_->mutex};
        if (found.port() == 0) found.set_port(core_->pick_port());
        if (!core_->listening.emplace(found.port(), listening).second)
            throw std::runtime_error("cannot listen on " + to_text(where) + ": the port is taken");
    }
    return std::make_unique<MemoryListener>(core_, std::move(listening), found);
}

std::unique_ptr<Link> MemoryFabric::connect(const Endpoint& where, const LinkLimits& limits,
                                            EventLoop& loop, Link::Owner& owner) {
    const std::lock_guard lock{core_->mutex};
    auto link = std::make_unique<MemoryLink>(MemoryLinkParts{core_, pools_}, Side::asking, limits,
                                             beside(where, core_->pick_port()), where);
    link->queue().attach(loop, owner);
    link->queue().tell_ready();
    return link;
}

std::unique_ptr<Region> MemoryFabric::add(Side side, std::span<std::byte> memory, Purpose purpose) {
    return add_memory_region(core_, side, memory, purpose);
}

bool MemoryFabric::is_valid(std::uint32_t key) const {
    const std::lock_guard lock{core_->mutex};
    return core_->keys[0].is_valid(key) || core_->keys[1].is_valid(key);
}

void MemoryFabric::refuse_registrations(int error_number) {
    const std::lock_guard lock{core_->mutex};
    core_->refusing = error_number;
}

void MemoryFabric::on_work(std::function<Fault(Side, const Work&)> decide) {
    const std::lock_guard lock{core_->mutex};
    core_->decide = std::move(decide);
}

void MemoryFabric::fail_after(std::uint64_t count, Fault fault) {
    const std::lock_guard lock{core_->mutex};
    core_->works_until_fault = count + 1;
    core_->planned_fault = fault;
}

void MemoryFabric::release() {
    const std::lock_guard lock{core_->mutex};
    for (MemoryQueue* const queue : core_->queues) queue->release();
}

void MemoryFabric::hold_completions(bool held) {
    hold_completions(Side::asking, held);
    hold_completions(Side::answering, held);
}

void MemoryFabric::hold_completions(Side side, bool held) {
    const std::lock_guard lock{core_->mutex};
    core_->held[index(side)] = held;
    for (MemoryQueue* const queue : core_->queues) queue->notify();
}

void MemoryFabric::connect_late(bool late) {
    const std::lock_guard lock{core_->mutex};
    core_->connects_late = late;
    for (MemoryQueue* const queue : core_->queues) queue->notify();
}

void MemoryFabric::break_all() {
    const std::lock_guard lock{core_->mutex};
    for (MemoryQueue* const queue : core_->queues)
        queue->lose_both(ECONNRESET, "the connection broke");
}

void MemoryFabric::watch(std::function<void(Side, ByteView)> see) {
    const std::lock_guard lock{core_->mutex};
    core_->see = std::move(see);
}

MemoryFabric::Counters MemoryFabric::counters(Side side) const {
    const std::lock_guard lock{core_->mutex};
    return core_->counters[index(side)];
}

std::size_t MemoryFabric::links() const {
    const std::lock_guard lock{core_->mutex};
    return core_->queues.size();
}

}  // namespace helio::transport::rdma
