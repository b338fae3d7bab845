#include "helio/rpc/server/duplicate_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "helio/base/assert.h"

namespace helio::rpc {
namespace {

// Enough that the threads of a large server seldom contend for one.
constexpr std::size_t kShardsMax = 16;
// A smaller shard would forget early where hashes are uneven; a small cache has fewer shards
// instead.
constexpr std::size_t kShardEntriesMin = 64;
// Old entries that one begin() removes. Two for each new one, so their number shrinks.
constexpr std::size_t kExpiredPerCallMax = 2;
constexpr std::uint32_t kNone = UINT32_MAX;
// A shard's memory counts in the budget in steps, so that most calls need not touch it.
constexpr std::size_t kBudgetStep = 16u << 10;

struct HashKey {
    std::uint64_t first;
    std::uint64_t second;
};

const HashKey& process_key() {
    static const HashKey key = [] {
        std::random_device random;
        const auto word = [&random] { return std::uint64_t{random()} << 32 | random(); };
        return HashKey{word(), word()};
    }();
    return key;
}

// Hashes the key without the checksum, so that a reused xid is found beside its first use.
std::uint64_t place_of(const CallKey& key) {
    // In whole words of eight bytes. A peer chooses the first three freely, but not the last, which
    // two calls may share.
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), key.client.bytes.data(), 16);
    words[2] = std::uint64_t{key.xid} << 32 | key.procedure;
    words[3] = std::uint64_t{key.program} << 32 | (key.version ^ key.client.kind << 16);
    return call_checksum(std::as_bytes(std::span{words}));
}

bool same_place(const CallKey& one, const CallKey& other) {
    return one.xid == other.xid && one.procedure == other.procedure &&
           one.program == other.program && one.version == other.version &&
           one.client == other.client;
}

// Nothing if there is no memory for it, or a file in it cannot be read.
CachedReply joined(std::span<const xdr::Segment> parts, std::size_t size) {
    try {
        auto bytes = std::make_shared_for_overwrite<std::byte[]>(size);
        std::byte* at = bytes.get();
        for (const xdr::Segment& part : parts) {
            if (!part.data.copy_to(at)) return {};
            at += part.size();
        }
        return {std::move(bytes), size};
    } catch (const std::bad_alloc&) {
        return {};
    }
}

}  // namespace

std::uint64_t call_checksum(ByteView bytes) {
    const HashKey& key = process_key();
    return siphash13(key.first, key.second, bytes);
}

struct DuplicateCache::Entry {
    CallKey key;
    std::uint32_t bucket = 0;
    std::uint32_t generation = 0;
    std::uint32_t next = kNone;   // in its bucket, or among the free ones
    std::uint32_t newer = kNone;  // among the done ones
    std::uint32_t older = kNone;
    bool running = false;
    std::uint8_t waiter_count = 0;
    Time used;
    CachedReply reply;
    Waiters waiters;
};

// All members but the constants are guarded by `mutex`.
struct alignas(64) DuplicateCache::Shard {
    std::mutex mutex;
    // Reserved in full and filled as needed: entries do not move, and unused ones cost only address
    // space.
    std::vector<Entry> entries;
    std::vector<std::uint32_t> buckets;  // the first entry of each
    std::uint32_t free = kNone;
    // Calls of one kind.
    struct Share {
        std::uint32_t newest = kNone;  // the done ones by last use; running ones are in no list
        std::uint32_t oldest = kNone;
        std::size_t entries = 0;
        std::size_t reply_bytes = 0;
    };
    std::array<Share, kCallKinds> shares;
    Counters counts;
    MemoryBudget* budget = nullptr;
    std::size_t charged = 0;  // in the budget

    std::size_t entries_max = 0;
    std::size_t bytes_max = 0;
    std::chrono::nanoseconds age_max{};

    struct Lookup {
        std::uint32_t same = kNone;         // the same call
        std::uint32_t replaceable = kNone;  // the least recently used done one with its xid
        std::size_t same_xid = 0;           // others with its xid
    };
    Lookup find(const CallKey& key, std::uint32_t bucket) const;
    Begun again(std::uint32_t index, Time now, const WaiterMaker* make_waiter);
    Begun insert(const CallKey& key, std::uint32_t bucket, const Lookup& found);
    Entry* of_ticket(Ticket ticket, std::uint32_t index);
    void keep(std::uint32_t index, CachedReply reply, Time now);
    Share& share_of(const Entry& entry) { return shares[static_cast<std::size_t>(entry.key.kind)]; }
    std::size_t reply_bytes() const { return shares[0].reply_bytes + shares[1].reply_bytes; }
    std::uint32_t victim(CallKind newcomer, std::size_t Share::*used, std::size_t max) const;
    void expire(Time now, std::size_t count_max);
    void remove(std::uint32_t index);
    void link_newest(std::uint32_t index);
    void unlink(std::uint32_t index);
    void charge();
};

DuplicateCache::Shard::Lookup DuplicateCache::Shard::find(const CallKey& key,
                                                          std::uint32_t bucket) const {
    Lookup found;
    for (std::uint32_t i = buckets[bucket]; i != kNone; i = entries[i].next) {
        const Entry& entry = entries[i];
        if (!same_place(entry.key, key)) continue;
        if (entry.key == key) {
            found.same = i;
            return found;
        }
        ++found.same_xid;
        if (!entry.running &&
            (found.replaceable == kNone || entry.used < entries[found.replaceable].used))
            found.replaceable = i;
    }
    return found;
}

DuplicateCache::Begun DuplicateCache::Shard::again(std::uint32_t index, Time now,
                                                   const WaiterMaker* make_waiter) {
    Entry& entry = entries[index];
    if (!entry.running) {
        ++counts.replayed;
        unlink(index);
        link_newest(index);
        entry.used = now;
        return {Verdict::done, {}, entry.reply};
    }
    ++counts.while_running;
    if (make_waiter != nullptr) {
        if (entry.waiter_count == kDuplicateWaitersMax) {
            ++counts.dropped_waiters;
        } else if (auto waiter = (*make_waiter)()) {
            entry.waiters[entry.waiter_count++] = std::move(waiter);
        }
    }
    return {Verdict::running, {}, {}};
}

// The ticket's entry is an index in this shard; the cache makes it an index in all shards.
DuplicateCache::Begun DuplicateCache::Shard::insert(const CallKey& key, std::uint32_t bucket,
                                                    const Lookup& found) {
    ++counts.fresh;
    if (found.same_xid != 0) ++counts.mismatched;
    const bool crowded = found.same_xid >= kDuplicateSameXidMax;
    if (crowded || (free == kNone && entries.size() == entries_max)) {
        const std::uint32_t replaced =
            crowded ? found.replaceable : victim(key.kind, &Share::entries, entries_max);
        if (replaced == kNone) {
            ++counts.unremembered;
            return {};
        }
        remove(replaced);
        ++counts.evicted;
    }
    std::uint32_t index = free;
    if (index == kNone) {
        index = static_cast<std::uint32_t>(entries.size());
        entries.emplace_back();
    } else {
        free = entries[index].next;
    }
    Entry& entry = entries[index];
    entry.key = key;
    entry.bucket = bucket;
    entry.running = true;
    if (++entry.generation == 0) entry.generation = 1;  // 0 is the empty ticket's
    entry.next = std::exchange(buckets[bucket], index);
    ++share_of(entry).entries;
    ++counts.entries;
    ++counts.running;
    return {Verdict::fresh, {index, entry.generation}, {}};
}

DuplicateCache::Entry* DuplicateCache::Shard::of_ticket(Ticket ticket, std::uint32_t index) {
    if (index >= entries.size()) return nullptr;
    Entry& entry = entries[index];
    return entry.running && entry.generation == ticket.generation ? &entry : nullptr;
}

// The oldest done call of the newcomer's kind if that kind has its half, otherwise of the other
// kind, which has more than its half. kNone: none can be removed.
std::uint32_t DuplicateCache::Shard::victim(CallKind newcomer, std::size_t Share::*used,
                                            std::size_t max) const {
    const Share& own = shares[static_cast<std::size_t>(newcomer)];
    const Share& other = shares[1 - static_cast<std::size_t>(newcomer)];
    const bool has_half = own.*used >= max / 2;
    const Share& first = has_half ? own : other;
    const Share& second = has_half ? other : own;
    return first.oldest != kNone ? first.oldest : second.oldest;
}

void DuplicateCache::Shard::keep(std::uint32_t index, CachedReply reply, Time now) {
    Entry& entry = entries[index];
    const std::size_t size = reply.bytes().size();
    while (reply_bytes() + size > bytes_max) {
        const std::uint32_t dropped = victim(entry.key.kind, &Share::reply_bytes, bytes_max);
        if (dropped == kNone) break;
        remove(dropped);
        ++counts.evicted;
    }
    share_of(entry).reply_bytes += size;
    entry.running = false;
    entry.used = now;
    entry.reply = std::move(reply);
    --counts.running;
    link_newest(index);
    charge();
}

void DuplicateCache::Shard::expire(Time now, std::size_t count_max) {
    for (const Share& share : shares) {
        for (; count_max > 0 && share.oldest != kNone && now - entries[share.oldest].used > age_max;
             --count_max) {
            remove(share.oldest);
            ++counts.expired;
        }
    }
}

void DuplicateCache::Shard::remove(std::uint32_t index) {
    Entry& entry = entries[index];
    std::uint32_t* link = &buckets[entry.bucket];
    while (*link != index) link = &entries[*link].next;
    *link = entry.next;
    if (entry.running) {
        --counts.running;
        entry.running = false;
    } else {
        unlink(index);
    }
    share_of(entry).reply_bytes -= entry.reply.bytes().size();
    --share_of(entry).entries;
    entry.reply = {};
    entry.next = std::exchange(free, index);
    --counts.entries;
    charge();
}

void DuplicateCache::Shard::charge() {
    if (budget == nullptr) return;
    const std::size_t bytes = reply_bytes() + entries.size() * sizeof(Entry);
    const std::size_t due = bytes / kBudgetStep * kBudgetStep;
    if (due == charged) return;
    budget->add(due - charged);  // may be negative, modulo 2^64
    charged = due;
}

void DuplicateCache::Shard::link_newest(std::uint32_t index) {
    Share& share = share_of(entries[index]);
    entries[index].newer = kNone;
    entries[index].older = share.newest;
    (share.newest == kNone ? share.oldest : entries[share.newest].newer) = index;
    share.newest = index;
}

void DuplicateCache::Shard::unlink(std::uint32_t index) {
    const Entry& entry = entries[index];
    Share& share = share_of(entry);
    (entry.newer == kNone ? share.newest : entries[entry.newer].older) = entry.older;
    (entry.older == kNone ? share.oldest : entries[entry.older].newer) = entry.newer;
}

DuplicateCache::DuplicateCache(const Limits& limits) : limits_(limits) {
    HELIO_ASSERT(limits.entries_max < kNone);
    const std::size_t shard_count = std::bit_floor(
        std::clamp<std::size_t>(limits.entries_max / kShardEntriesMin, 1, kShardsMax));
    shard_count_ = static_cast<std::uint32_t>(shard_count);
    shard_entries_ = static_cast<std::uint32_t>(limits.entries_max / shard_count);
    limits_.reply_bytes_max = std::min(limits.reply_bytes_max, limits.bytes_max / shard_count);
    shards_ = std::make_unique<Shard[]>(shard_count);
    for (Shard& shard : std::span{shards_.get(), shard_count}) {
        shard.entries_max = shard_entries_;
        shard.bytes_max = limits.bytes_max / shard_count;
        shard.age_max = limits.age_max;
        shard.entries.reserve(shard_entries_);
        shard.buckets.assign(std::bit_ceil(std::max<std::size_t>(shard_entries_, 1)), kNone);
    }
    process_key();  // gets the random key at start-up, not with the first call
}

DuplicateCache::~DuplicateCache() = default;

DuplicateCache::Begun DuplicateCache::begin(const CallKey& key, Time now) {
    return begin(key, now, [] { return std::shared_ptr<Waiter>{}; });
}

DuplicateCache::Begun DuplicateCache::begin(const CallKey& key, Time now, WaiterMaker make_waiter) {
    const std::uint64_t place = place_of(key);
    const auto number = static_cast<std::uint32_t>(place & (shard_count_ - 1));
    Shard& shard = shards_[number];
    const auto bucket = static_cast<std::uint32_t>((place >> 32) & (shard.buckets.size() - 1));

    const std::lock_guard lock{shard.mutex};
    ++shard.counts.lookups;
    shard.expire(now, kExpiredPerCallMax);
    Shard::Lookup found = shard.find(key, bucket);
    if (found.same != kNone) {
        const Entry& entry = shard.entries[found.same];
        if (entry.running || now - entry.used <= limits_.age_max)
            return shard.again(found.same, now, &make_waiter);
        shard.remove(found.same);
        ++shard.counts.expired;
        found = shard.find(key, bucket);
    }
    Begun begun = shard.insert(key, bucket, found);
    begun.ticket.entry += number * shard_entries_;
    return begun;
}

void DuplicateCache::finish(Ticket ticket, ByteView reply, Time now) {
    const xdr::Segment whole{reply, false};
    finish(ticket, std::span{&whole, 1}, now);
}

void DuplicateCache::finish(Ticket ticket, std::span<const xdr::Segment> reply, Time now) {
    if (ticket.empty()) return;
    std::size_t size = 0;
    for (const xdr::Segment& part : reply) size += part.size();
    // Copied before the lock is taken, although the ticket may turn out to be out of date.
    CachedReply kept;
    if (size <= limits_.reply_bytes_max) kept = joined(reply, size);

    std::optional<Waiters> waiters;  // few calls have any
    std::size_t waiter_count = 0;
    {
        Shard& shard = *shard_of(ticket);
        const std::lock_guard lock{shard.mutex};
        const std::uint32_t index = ticket.entry % shard_entries_;
        Entry* const entry = shard.of_ticket(ticket, index);
        if (entry == nullptr) return;
        waiter_count = std::exchange(entry->waiter_count, std::uint8_t{0});
        if (waiter_count > 0) waiters.emplace(std::move(entry->waiters));
        if (kept) {
            shard.keep(index, waiters ? kept : std::move(kept), now);
        } else {
            ++shard.counts.too_long;
            shard.remove(index);
        }
    }
    if (!waiters) return;
    if (!kept) kept = joined(reply, size);
    if (!kept) return;
    for (std::size_t i = 0; i < waiter_count; ++i) (*waiters)[i]->answer(kept);
}

void DuplicateCache::abandon(Ticket ticket) {
    if (ticket.empty()) return;
    Waiters waiters;  // released after the lock
    Shard& shard = *shard_of(ticket);
    const std::lock_guard lock{shard.mutex};
    const std::uint32_t index = ticket.entry % shard_entries_;
    Entry* const entry = shard.of_ticket(ticket, index);
    if (entry == nullptr) return;
    std::swap(waiters, entry->waiters);
    shard.counts.dropped_waiters += std::exchange(entry->waiter_count, std::uint8_t{0});
    ++shard.counts.abandoned;
    shard.remove(index);
}

DuplicateCache::Shard* DuplicateCache::shard_of(Ticket ticket) const {
    const std::uint32_t number = shard_entries_ == 0 ? kNone : ticket.entry / shard_entries_;
    HELIO_ASSERT(number < shard_count_);  // a ticket of this cache
    return &shards_[number];
}

void DuplicateCache::expire(Time now) {
    for (Shard& shard : std::span{shards_.get(), shard_count_}) {
        const std::lock_guard lock{shard.mutex};
        shard.expire(now, shard.entries.size());
    }
}

void DuplicateCache::count_in(MemoryBudget* budget) {
    for (Shard& shard : std::span{shards_.get(), shard_count_}) {
        const std::lock_guard lock{shard.mutex};
        if (shard.budget != nullptr) shard.budget->remove(std::exchange(shard.charged, 0));
        shard.budget = budget;
        shard.charge();
    }
}

DuplicateCache::Counters DuplicateCache::counters() const {
    Counters sum;
    for (Shard& shard : std::span{shards_.get(), shard_count_}) {
        const std::lock_guard lock{shard.mutex};
        const Counters& one = shard.counts;
        sum.lookups += one.lookups;
        sum.fresh += one.fresh;
        sum.replayed += one.replayed;
        sum.while_running += one.while_running;
        sum.dropped_waiters += one.dropped_waiters;
        sum.unremembered += one.unremembered;
        sum.mismatched += one.mismatched;
        sum.evicted += one.evicted;
        sum.expired += one.expired;
        sum.too_long += one.too_long;
        sum.abandoned += one.abandoned;
        sum.entries += one.entries;
        sum.running += one.running;
        sum.reply_bytes += shard.reply_bytes();
    }
    return sum;
}

}  // namespace helio::rpc
