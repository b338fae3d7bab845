#include "helio/nfs/server/counters.h"

#include <bitset>
#include <random>

#include "helio/base/siphash.h"
#include "schema/nfs2_service.h"
#include "schema/nfs3_service.h"
#include "schema/nfs4_service.h"

namespace helio::nfs {

namespace {

// Numbers of threads; they are reused when a thread ends.
class ThreadNumbers final {
 public:
    std::size_t take() {
        const std::lock_guard lock{mutex_};
        for (std::size_t i = 0; i < kThreadsCountedMax; ++i)
            if (!taken_[i]) {
                taken_[i] = true;
                return i;
            }
        return kThreadsCountedMax;
    }
    void give_back(std::size_t number) {
        const std::lock_guard lock{mutex_};
        if (number < kThreadsCountedMax) taken_[number] = false;
    }

 private:
    std::mutex mutex_;
    std::bitset<kThreadsCountedMax> taken_;
};

// Never destroyed: threads may end after everything else.
ThreadNumbers& thread_numbers() {
    static auto& only = *new ThreadNumbers;
    return only;
}

constexpr std::size_t kUnknownNumber = SIZE_MAX;
thread_local constinit std::size_t known_number = kUnknownNumber;

std::size_t first_thread_number() {
    struct Owner {
        std::size_t number = thread_numbers().take();
        ~Owner() {
            thread_numbers().give_back(number);
            known_number = kThreadsCountedMax;
        }
    };
    thread_local Owner owner;
    return known_number = owner.number;
}

// Only the thread that owns the counter writes it.
void grow_own(std::atomic<std::uint64_t>& word, std::uint64_t by) {
    word.store(word.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}
void grow_shared(std::atomic<std::uint64_t>& word, std::uint64_t by) {
    word.fetch_add(by, std::memory_order_relaxed);
}

// The counters of the calling thread, created on first use.
template <class Shard>
Shard& own_shard(std::atomic<Shard*>& mine) {
    Shard* shard = mine.load(std::memory_order_relaxed);
    if (shard == nullptr) {
        shard = new Shard;
        mine.store(shard, std::memory_order_release);
    }
    return *shard;
}

std::size_t place_of(std::uint32_t version, std::uint32_t procedure) {
    const std::size_t place = version == 4   ? kProcedures3 + kProcedures2 + procedure
                              : version == 2 ? kProcedures3 + procedure
                                             : procedure;
    return place < kProceduresAll ? place : 0;
}

}  // namespace

std::size_t thread_number() {
    const std::size_t number = known_number;
    return number != kUnknownNumber ? number : first_thread_number();
}

ExportCounters::~ExportCounters() {
    for (auto& one : shards_) delete one.load(std::memory_order_relaxed);
}

ExportCounters::Shard& ExportCounters::mine(std::size_t thread) {
    if (thread >= kThreadsCountedMax) return shared_;
    return own_shard(shards_[thread]);
}

void ExportCounters::count(std::uint32_t version, std::uint32_t procedure, bool error,
                           std::uint64_t bytes_read, std::uint64_t bytes_written) {
    const std::size_t thread = thread_number();
    Shard& shard = mine(thread);
    const auto grow = thread < kThreadsCountedMax ? grow_own : grow_shared;
    const std::size_t place = place_of(version, procedure);
    grow(shard.calls[place], 1);
    if (error) grow(shard.errors[place], 1);
    if (bytes_read != 0) grow(shard.bytes_read, bytes_read);
    if (bytes_written != 0) grow(shard.bytes_written, bytes_written);
}

ExportCounts ExportCounters::counts() const {
    ExportCounts out;
    for (const auto* const info :
         {&nfs3::NFS_V3::info(), &nfs2::NFS_VERSION::info(), &nfs4::NFS_V4::info()})
        for (const xdr::ProcedureInfo& one : info->procedures)
            out.procedures.push_back({info->version, one.short_name, 0, 0});
    const auto add = [&out](const Shard& shard) {
        for (std::size_t i = 0; i < out.procedures.size(); ++i) {
            out.procedures[i].calls += shard.calls[i].load(std::memory_order_relaxed);
            out.procedures[i].errors += shard.errors[i].load(std::memory_order_relaxed);
        }
        out.bytes_read += shard.bytes_read.load(std::memory_order_relaxed);
        out.bytes_written += shard.bytes_written.load(std::memory_order_relaxed);
    };
    add(shared_);
    for (const auto& one : shards_)
        if (const Shard* const shard = one.load(std::memory_order_acquire)) add(*shard);
    return out;
}

ClientCounters::ClientCounters()
    : places_(std::make_unique<Client[]>(kPlaces)), shared_(std::make_unique<Shard>()) {
    std::random_device random;
    key_ = std::uint64_t{random()} << 32 | random();
}

ClientCounters::~ClientCounters() {
    for (auto& one : shards_) delete one.load(std::memory_order_relaxed);
}

std::size_t ClientCounters::find(const rpc::ClientAddress& address) {
    // Keyed, so that chosen addresses cannot collide.
    const std::uint64_t hash = siphash13(key_, address.kind, address.bytes);
    for (std::size_t i = 0; i < kPlaces; ++i) {
        const std::size_t place = (hash + i) % kPlaces;
        Client& one = places_[place];
        if (one.taken.load(std::memory_order_acquire)) {
            if (one.address == address) return place;
            continue;
        }
        if (taken_.load(std::memory_order_relaxed) >= kClientsCountedMax) return kPlaces;
        const std::lock_guard lock{mutex_};
        if (one.taken.load(std::memory_order_relaxed)) {  // by another thread meanwhile
            if (one.address == address) return place;
            continue;
        }
        if (taken_.load(std::memory_order_relaxed) >= kClientsCountedMax) return kPlaces;
        one.address = address;
        one.taken.store(true, std::memory_order_release);
        taken_.fetch_add(1, std::memory_order_relaxed);
        return place;
    }
    return kPlaces;
}

ClientCounters::Shard& ClientCounters::mine(std::size_t thread) {
    if (thread >= kThreadsCountedMax) return *shared_;
    return own_shard(shards_[thread]);
}

void ClientCounters::count(const rpc::ClientAddress& client, bool error, std::uint64_t bytes_read,
                           std::uint64_t bytes_written) {
    // Calls of one client come in a row. A slot is never given to another client.
    struct Last {
        std::uint64_t owner = 0;
        std::size_t thread = 0;  // a thread gives up its number before it ends
        rpc::ClientAddress address;
        Counts* counts = nullptr;
    };
    thread_local Last last;
    const std::size_t thread = thread_number();
    if (last.counts == nullptr || last.owner != key_ || last.thread != thread ||
        !(last.address == client))
        last = {key_, thread, client, &mine(thread)[find(client)]};
    const auto grow = thread < kThreadsCountedMax ? grow_own : grow_shared;
    grow(last.counts->calls, 1);
    if (error) grow(last.counts->errors, 1);
    if (bytes_read != 0) grow(last.counts->bytes_read, bytes_read);
    if (bytes_written != 0) grow(last.counts->bytes_written, bytes_written);
}

ClientCounts ClientCounters::sum(std::size_t place) const {
    ClientCounts out;
    const auto add = [&out, place](const Shard& shard) {
        const Counts& one = shard[place];
        out.calls += one.calls.load(std::memory_order_relaxed);
        out.errors += one.errors.load(std::memory_order_relaxed);
        out.bytes_read += one.bytes_read.load(std::memory_order_relaxed);
        out.bytes_written += one.bytes_written.load(std::memory_order_relaxed);
    };
    add(*shared_);
    for (const auto& one : shards_)
        if (const Shard* const shard = one.load(std::memory_order_acquire)) add(*shard);
    return out;
}

std::vector<ClientCounts> ClientCounters::counts() const {
    std::vector<ClientCounts> out;
    for (std::size_t i = 0; i < kPlaces; ++i) {
        if (!places_[i].taken.load(std::memory_order_acquire)) continue;
        out.push_back(sum(i));
        out.back().client = client_text(places_[i].address);
    }
    if (ClientCounts others = sum(kPlaces); others.calls > 0) {
        others.client = "others";
        out.push_back(std::move(others));
    }
    return out;
}

}  // namespace helio::nfs
