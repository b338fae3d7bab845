#include "helio/nfs/counters.h"

#include <bitset>
#include <random>

#include "helio/base/siphash.h"
#include "schema/nfs2_service.h"
#include "schema/nfs3_service.h"

namespace helio::nfs {

namespace {

// Numbers of threads, given back when they end.
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

// Only the thread that owns the word writes it.
void grow_own(std::atomic<std::uint64_t>& word, std::uint64_t by) {
    word.store(word.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}
void grow_shared(std::atomic<std::uint64_t>& word, std::uint64_t by) {
    word.fetch_add(by, std::memory_order_relaxed);
}

std::size_t place_of(std::uint32_t version, std::uint32_t procedure) {
    const std::size_t place = version == 2 ? kProcedures3 + procedure : procedure;
    return place < kProcedures3 + kProcedures2 ? place : 0;
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
    Shard* shard = shards_[thread].load(std::memory_order_relaxed);
    if (shard == nullptr) {
        shard = new Shard;
        shards_[thread].store(shard, std::memory_order_release);
    }
    return *shard;
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
    for (const auto* const info : {&nfs3::NFS_V3::info(), &nfs2::NFS_VERSION::info()})
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

ClientCounters::ClientCounters() : places_(std::make_unique<Client[]>(kPlaces)) {
    std::random_device random;
    key_ = std::uint64_t{random()} << 32 | random();
}

ClientCounters::Client& ClientCounters::find(const rpc::ClientAddress& address) {
    // Keyed: who can choose addresses cannot make them collide.
    const std::uint64_t hash = siphash13(key_, address.kind, address.bytes);
    for (std::size_t i = 0; i < kPlaces; ++i) {
        Client& one = places_[(hash + i) % kPlaces];
        if (one.taken.load(std::memory_order_acquire)) {
            if (one.address == address) return one;
            continue;
        }
        if (taken_.load(std::memory_order_relaxed) >= kClientsCountedMax) return others_;
        const std::lock_guard lock{mutex_};
        if (one.taken.load(std::memory_order_relaxed)) {  // by another thread, meanwhile
            if (one.address == address) return one;
            continue;
        }
        if (taken_.load(std::memory_order_relaxed) >= kClientsCountedMax) return others_;
        one.address = address;
        one.taken.store(true, std::memory_order_release);
        taken_.fetch_add(1, std::memory_order_relaxed);
        return one;
    }
    return others_;
}

void ClientCounters::count(const rpc::ClientAddress& client, bool error, std::uint64_t bytes_read,
                           std::uint64_t bytes_written) {
    // Calls of one client come in a row. A place once taken is that client's for ever.
    struct Last {
        std::uint64_t owner = 0;
        rpc::ClientAddress address;
        Client* place = nullptr;
    };
    thread_local Last last;
    if (last.place == nullptr || last.owner != key_ || !(last.address == client))
        last = {key_, client, &find(client)};
    Client& one = *last.place;
    grow_shared(one.calls, 1);
    if (error) grow_shared(one.errors, 1);
    if (bytes_read != 0) grow_shared(one.bytes_read, bytes_read);
    if (bytes_written != 0) grow_shared(one.bytes_written, bytes_written);
}

std::vector<ClientCounts> ClientCounters::counts() const {
    std::vector<ClientCounts> out;
    const auto add = [&out](const Client& one, std::string name) {
        out.push_back({std::move(name), one.calls.load(std::memory_order_relaxed),
                       one.errors.load(std::memory_order_relaxed),
                       one.bytes_read.load(std::memory_order_relaxed),
                       one.bytes_written.load(std::memory_order_relaxed)});
    };
    for (std::size_t i = 0; i < kPlaces; ++i)
        if (places_[i].taken.load(std::memory_order_acquire))
            add(places_[i], client_text(places_[i].address));
    if (others_.calls.load(std::memory_order_relaxed) > 0) add(others_, "others");
    return out;
}

}  // namespace helio::nfs
