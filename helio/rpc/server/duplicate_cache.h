// DuplicateCache: remembers calls that must not run twice. A client that saw no reply sends its
// call again, over the same connection or a new one; running REMOVE again would answer "no such
// file" to the client that has just removed it, and running a WRITE again would undo a newer WRITE
// to the same bytes. So a retransmission gets the first reply: at once if the call is done, when it
// ends if it still runs, and never another client's.
//
//     const auto begun = cache.begin(key, now, [&] { return session.waiter(); });
//     if (begun.verdict == Verdict::done) return send(begun.reply.bytes());
//     if (begun.verdict == Verdict::running) return;   // the waiter, if any, will be answered
//     … run it …
//     cache.finish(begun.ticket, reply, now);          // or abandon, if there will be none
//
// Thread-safe. A call is found by a keyed hash of client, xid and procedure, which also chooses one
// of a few shards, each with its own mutex; the limits are divided among the shards. Clock values
// are passed in. RFC 5531 §5 describes the purpose of xids.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "helio/base/bytes.h"
#include "helio/base/clock.h"
#include "helio/base/memory_budget.h"
#include "helio/base/siphash.h"
#include "helio/xdr/program.h"
#include "helio/xdr/writer.h"

namespace helio::rpc {

// Calls remembered: 16,000 of them are some seconds of a busy server's changes to a file system,
// and a client retransmits over UDP after about one. They take 3 MiB when all are in use.
inline constexpr std::size_t kDuplicateEntriesMax = 16'384;
// Bytes of replies kept: 1 KiB for each entry, where an NFS CREATE is answered with some 270.
inline constexpr std::size_t kDuplicateBytesMax = 16u << 20;
// Longer replies are not kept. Calls that change something return attributes, not data.
inline constexpr std::size_t kDuplicateReplyMax = 8u << 10;
// Retransmissions of one running call that are answered with it: a client that has reconnected more
// often than this no longer waits on the older connections.
inline constexpr std::size_t kDuplicateWaitersMax = 4;
// Calls with one xid and procedure from one client that differ in their bytes. More than one means
// a client that reuses its xids, or several behind one address; the limit keeps the search short.
inline constexpr std::size_t kDuplicateSameXidMax = 8;
// Bytes of an overwriting call's arguments that its checksum covers: a WRITE has up to 1 MiB of
// data, whose SipHash would take longer than copying it. These bytes hold the handle, offset and
// count of an NFS WRITE (88 at most) and the beginning of the data. With the same client, xid,
// procedure, credential and size they tell calls apart: a client does not use an xid for another
// call before it has forgotten the first. Linux's server checksums 256 bytes, headers included.
inline constexpr std::size_t kDuplicateArgumentsMax = 128;
// Twice the 60 s after which Linux sends a call again over TCP (its timeo=600).
inline constexpr std::chrono::seconds kDuplicateAgeMax{120};

// A caller's address without the port: a client that reconnects has another one.
struct ClientAddress {
    std::array<std::byte, 16> bytes{};
    std::uint32_t kind = 0;  // chosen by the caller: address family, or uid of a local peer

    // Faster than std::array's comparison; called for every call.
    bool operator==(const ClientAddress& other) const {
        return kind == other.kind && std::memcmp(bytes.data(), other.bytes.data(), 16) == 0;
    }
};

// Why a call is remembered. Each kind can always have half of the cache, and more while the other
// needs less: a stream of WRITEs never pushes out the replies to other clients' REMOVEs.
enum class CallKind : std::uint8_t {
    change,     // run again, it has another result: REMOVE
    overwrite,  // run again at once it does no harm, but a late copy would undo newer calls: WRITE
};
inline constexpr std::size_t kCallKinds = 2;
inline CallKind kind_of(const xdr::ProcedureInfo& procedure) {
    return procedure.idempotent ? CallKind::overwrite : CallKind::change;
}
// Procedures that the schema marks @idempotent may run again, unless they are also marked
// @overwrites.
inline bool is_remembered(const xdr::ProcedureInfo& procedure) {
    return !procedure.idempotent || procedure.note("overwrites") != nullptr;
}

// What identifies a call.
struct CallKey {
    ClientAddress client;
    std::uint32_t xid = 0;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t procedure = 0;
    // Checksum of the bytes after the xid that a retransmission repeats: all of them, except that
    // RPCSEC_GSS uses a new sequence number each time (RFC 2203 §5.3.3.1) and so counts only its
    // arguments. Of an overwriting call's arguments only the first kDuplicateArgumentsMax.
    std::uint64_t checksum = 0;
    std::uint32_t size = 0;
    CallKind kind = CallKind::change;  // the same for all calls of a procedure

    bool operator==(const CallKey&) const = default;
};

// A 64-bit SipHash-1-3 with a random key per process, so that collisions cannot be constructed.
std::uint64_t call_checksum(ByteView bytes);

// A reply message without record mark, shared with the cache: it stays while it is being sent, even
// if the cache forgets it meanwhile.
class CachedReply final {
 public:
    CachedReply() = default;
    CachedReply(std::shared_ptr<const std::byte[]> owner, std::size_t size)
        : owner_(std::move(owner)), size_(size) {}

    ByteView bytes() const { return {owner_.get(), size_}; }
    explicit operator bool() const { return owner_ != nullptr; }
    // Keeps the bytes alive, for interfaces with a type-erased owner.
    std::shared_ptr<const void> owner() const { return owner_; }

 private:
    std::shared_ptr<const std::byte[]> owner_;
    std::size_t size_ = 0;
};

class DuplicateCache final {
 public:
    using Time = Clock::time_point;

    struct Limits {
        std::size_t entries_max = kDuplicateEntriesMax;  // 0: nothing is remembered
        std::size_t bytes_max = kDuplicateBytesMax;
        std::size_t reply_bytes_max = kDuplicateReplyMax;
        std::chrono::nanoseconds age_max = kDuplicateAgeMax;  // since it was last requested
    };

    // Waits for the reply of a call that still runs. One object may wait for several calls: the
    // reply carries its xid. If no reply comes it is destroyed without being called.
    class Waiter {
     public:
        virtual ~Waiter() = default;
        // Called once, without locks, on the thread that finished the call. The bytes are shared:
        // keep `reply`, not a copy.
        virtual void answer(const CachedReply& reply) = 0;
    };

    // Names a running call. One that is empty or out of date does nothing.
    struct Ticket {
        std::uint32_t entry = 0;
        std::uint32_t generation = 0;

        bool empty() const { return generation == 0; }
    };

    enum class Verdict : std::uint8_t {
        fresh,    // run it, then finish or abandon the ticket
        running,  // do not run it; the waiter, if one was made, gets the reply
        done,     // send the reply
    };
    struct Begun {
        Verdict verdict = Verdict::fresh;
        Ticket ticket;      // fresh; empty when there was no room to remember the call
        CachedReply reply;  // done
    };

    struct Counters {
        std::uint64_t lookups = 0;
        std::uint64_t fresh = 0;            // run, remembered or not
        std::uint64_t replayed = 0;         // answered from here
        std::uint64_t while_running = 0;    // came while the first still ran
        std::uint64_t dropped_waiters = 0;  // too many for one call, or the call gave no reply
        std::uint64_t unremembered = 0;     // fresh, but all entries were taken by running calls
        std::uint64_t mismatched = 0;       // fresh, with an xid seen before with other bytes
        std::uint64_t evicted = 0;          // dropped for lack of room
        std::uint64_t expired = 0;          // forgotten for their age
        std::uint64_t too_long = 0;         // replies too large to keep, or no memory
        std::uint64_t abandoned = 0;
        // Current values:
        std::uint64_t entries = 0;
        std::uint64_t running = 0;
        std::uint64_t reply_bytes = 0;
    };

    // Makes a Waiter when one is needed: any callable, borrowed for the call of begin(). It runs
    // under a lock: it must neither call the cache nor throw. It may return nullptr, when the first
    // call's reply goes where this one's would.
    class WaiterMaker {
     public:
        template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, WaiterMaker> &&
                 std::is_invocable_r_v<std::shared_ptr<Waiter>, F&>)
            WaiterMaker(
                F&& make)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
            : object_(const_cast<void*>(static_cast<const void*>(std::addressof(make)))),
              call_([](void* object) -> std::shared_ptr<Waiter> {
                  return (*static_cast<std::remove_reference_t<F>*>(object))();
              }) {}
        std::shared_ptr<Waiter> operator()() const { return call_(object_); }

     private:
        void* object_;
        std::shared_ptr<Waiter> (*call_)(void*);
    };

    DuplicateCache() : DuplicateCache(Limits{}) {}
    explicit DuplicateCache(const Limits& limits);
    ~DuplicateCache();
    DuplicateCache(const DuplicateCache&) = delete;
    DuplicateCache& operator=(const DuplicateCache&) = delete;

    Begun begin(const CallKey& key, Time now, WaiterMaker make_waiter);
    Begun begin(const CallKey& key, Time now);

    // Keeps the reply, whose parts are given in order, and gives it to the waiters.
    void finish(Ticket ticket, std::span<const xdr::Segment> reply, Time now);
    void finish(Ticket ticket, ByteView reply, Time now);
    // No reply will ever come: forgets the call, and its waiters.
    void abandon(Ticket ticket);

    // Drops entries that are too old. begin() does so bit by bit; this is for a server that has
    // become idle.
    void expire(Time now);

    Counters counters() const;

    // Its memory counts in a server's budget from now on, to within a few pages. nullptr ends this,
    // before the budget is destroyed.
    void count_in(MemoryBudget* budget);

 private:
    struct Entry;
    struct Shard;
    using Waiters = std::array<std::shared_ptr<Waiter>, kDuplicateWaitersMax>;

    Shard* shard_of(Ticket ticket) const;

    Limits limits_;
    std::uint32_t shard_count_ = 1;
    std::uint32_t shard_entries_ = 0;  // of each shard
    std::unique_ptr<Shard[]> shards_;
};

}  // namespace helio::rpc
