// State: what an NFS 4.1 server remembers about its clients: who they are, their sessions and
// slots, open files and locks, leases and the grace period (RFC 8881 §2.10, §8, §9). A pure state
// machine: each event is a function that takes the time and returns a decision. No I/O and no
// clock; only `Recovery` reaches the disk.
//
// Leases are friendly. A client whose lease has run out keeps its state until somebody else wants
// it. A grace period exists only if clients held state before the restart, and ends when the last
// of them has reclaimed.
//
// Thread-safe: one lock.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/nfs/state/callbacks.h"
#include "helio/nfs/state/lease.h"
#include "helio/nfs/state/lock_waiters.h"
#include "helio/nfs/state/recovery.h"
#include "helio/nfs/state/types.h"
#include "helio/vfs/range_locks.h"
#include "schema/nfs4.h"

namespace helio::nfs::state {

// Clients that were confirmed, and those that only introduced themselves. About 1 KiB each.
inline constexpr std::size_t kClientsMax = 16384;
inline constexpr std::size_t kUnconfirmedMax = 1024;
// Sessions of a client. Linux's has one, also with nconnect.
inline constexpr std::size_t kSessionsPerClientMax = 16;
// Calls of a session at one time: Linux asks for 64.
inline constexpr std::uint32_t kSlotsMax = 64;
// Slots of all sessions together, to bound the replies that they keep: half a gigabyte if all are
// as long as possible, which those of ordinary clients are not. Enough for 2,000 sessions of
// Linux's client; beyond half of it, new sessions get fewer slots.
inline constexpr std::size_t kSlotsOfAllMax = 131'072;
// Operations in one COMPOUND. Linux asks for 8.
inline constexpr std::uint32_t kOperationsMax = 64;
// A cached reply. Replies to calls that change something are a few hundred bytes.
inline constexpr std::uint32_t kCachedReplyBytesMax = 4096;
// Opens and lock owners of one client, to bound memory.
inline constexpr std::size_t kStatesPerClientMax = 100'000;
// If an open or a client ends with more lock owners than this, their locks are released later, so
// that nobody waits for it. Programs unlock before they close, so there are few or none.
inline constexpr std::size_t kReleasedAtOnceMax = 64;

// ca_…: what a session's two ends agreed on.
struct Channel {
    std::uint32_t request_bytes_max = 0;
    std::uint32_t response_bytes_max = 0;
    std::uint32_t cached_bytes_max = 0;
    std::uint32_t operations_max = 0;
    std::uint32_t slots = 0;
};

struct ExchangeId {
    ClientOwner owner = {};
    Principal principal = {};
    bool update = false;  // EXCHGID4_FLAG_UPD_CONFIRMED_REC_A
    ClientFacts facts = {};
};
struct ExchangeIdDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    ClientId client = 0;
    std::uint32_t sequence = 0;  // for CREATE_SESSION
    bool confirmed = false;
};

struct CreateSession {
    ClientId client = 0;
    std::uint32_t sequence = 0;
    Principal principal = {};
    Channel fore = {};  // as we grant it
    Channel back = {};
    std::optional<CallbackTarget> callbacks = {};  // empty: the client takes no callbacks
    ConnectionId back_connection = 0;              // bound for callbacks; 0: none
};
struct CreateSessionDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    SessionId session{};
    std::uint32_t sequence = 0;
    Channel fore = {};  // of a replay: what was granted then
    Channel back = {};
    bool is_bound = false;  // for callbacks: the connection of the call
};

class State;
struct Client;

// A session's slots. Held by calls while they run.
class Session {
 public:
    const SessionId& id() const { return id_; }
    const Channel& fore() const { return fore_; }

 private:
    friend class State;
    struct Slot {
        std::uint32_t sequence = 0;
        bool running = false;
        bool cached = false;  // `reply` answers a retry
        std::uint64_t fingerprint = 0;
        std::vector<std::byte> reply;
    };
    SessionId id_{};
    Channel fore_ = {};
    // Slots up to the highest that was used; `fore_.slots` are allowed. Most clients use few.
    std::vector<Slot> slots_;
    Client* client_ = nullptr;                     // null: destroyed
    std::unique_ptr<SessionCallbacks> callbacks_;  // null: the client takes none
};

struct Sequence {
    SessionId session{};
    std::uint32_t sequence = 0;
    std::uint32_t slot = 0;
    std::uint32_t highest_slot = 0;
    std::uint64_t fingerprint = 0;  // of the call, to tell a retry from another call in its place
    std::uint32_t operations = 0;
    std::size_t request_bytes = 0;
};
struct SequenceDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    std::shared_ptr<Session> session = {};
    enum class Kind : std::uint8_t { fresh, replay, uncached_retry } kind = Kind::fresh;
    std::vector<std::byte> reply = {};  // replay
    std::uint32_t slot_target = 0;
    std::uint32_t flags = 0;  // SEQ4_STATUS_…
};

// An open file that OPEN asks for.
struct Open {
    std::string owner = {};
    FileKey file = {};
    std::uint8_t access = 0;
    std::uint8_t deny = 0;
    bool reclaim = false;
};
struct OpenDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    StateId id = {};
    std::uint8_t access = 0;  // of all OPENs of this owner together
    std::shared_ptr<vfs::OpenFile> file = {};
};

// What a stateid of READ, WRITE, SETATTR or LOCK stands for.
struct Found {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    std::shared_ptr<vfs::OpenFile> file = {};  // null: anonymous
    std::uint8_t access = kRead | kWrite;
};

struct LockDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    StateId id = {};
    vfs::LockOwner owner = 0;
    std::shared_ptr<vfs::OpenFile> file = {};
    std::uint8_t access = 0;  // of the open; the file may have been opened for more
    bool created = false;     // if the lock is then denied, forget() it
};

// The owner of a lock, for LOCK4denied.
struct LockHolder {
    ClientId client = 0;
    std::string owner = {};
};

// For the metrics.
struct CallbackCounts {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;  // with NFS4_OK
    std::uint64_t failed = 0;    // with something else, or not at all
    std::size_t lock_waiters = 0;
};

// A lock that a client waits for, and what is needed to find out whether it is free.
struct OutsideWait {
    LockWait what = {};
    std::shared_ptr<vfs::OpenFile> file = {};
    vfs::LockOwner owner = 0;
};

// For `helio clients`.
struct ClientSummary {
    ClientId id = 0;
    std::string owner = {};
    ClientFacts facts = {};
    std::size_t sessions = 0;
    std::size_t opens = 0;
    std::size_t lock_owners = 0;
    Instant silent{};  // since the lease was renewed
    bool expired = false;
    bool has_back_channel = false;  // it can be notified of locks that it waits for
};

// For `helio locks`: an open file, or the owner of locks on one.
struct Holding {
    // Where it is in the list, which is in order of clients, and within a client in order of opens.
    // The locks of an open follow it.
    struct Position {
        ClientId client = 0;
        std::uint64_t open = 0;
        std::uint64_t lock = 0;  // 0: the open itself
        auto operator<=>(const Position&) const = default;
    };
    Position position = {};
    FileKey file = {};
    std::string owner = {};
    std::uint8_t access = 0;  // of the open
    std::uint8_t deny = 0;
    vfs::LockOwner lock_owner = 0;  // of locks; their ranges are in vfs::RangeLocks
    std::shared_ptr<vfs::OpenFile> handle = {};

    bool is_lock() const { return position.lock != 0; }
};

// For the metrics.
struct Totals {
    std::size_t clients = 0;  // confirmed
    std::size_t expired = 0;  // of these
    std::size_t sessions = 0;
    std::size_t opens = 0;
    bool in_grace = false;
    // Since the start.
    // Expired clients that were dropped because others needed their state or room.
    std::uint64_t made_way = 0;
    std::uint64_t evicted = 0;  // by an administrator
    std::uint64_t replays = 0;  // calls answered from the cache of their slot
};

class State final {
 public:
    // `random` is part of all ids, so that those of another start are not ours.
    State(Recovery& recovery, std::uint64_t random, Instant now,
          std::chrono::seconds lease = kLeaseDefault);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // ---- Clients and sessions ----
    ExchangeIdDone exchange_id(const ExchangeId& event, Instant now);
    CreateSessionDone create_session(const CreateSession& event, Instant now);
    nfs4::nfsstat4 destroy_session(const SessionId& id, const Principal& principal);
    nfs4::nfsstat4 destroy_client(ClientId id, Instant now);
    nfs4::nfsstat4 bind_connection(const SessionId& id, Instant now);
    nfs4::nfsstat4 reclaim_complete(Session& session, Instant now);

    SequenceDone sequence(const Sequence& event, Instant now);
    // The call has ended. `reply` is empty if it is not to be cached.
    void finish(Session& session, std::uint32_t slot, ByteView reply);

    // ---- Files ----
    // Whether an OPEN or LOCK that reclaims nothing (or something) may happen now.
    nfs4::nfsstat4 check_grace(Session& session, bool reclaim, Instant now);
    // The record of this client has to be on disk before its first OPEN is answered. record() waits
    // for the disk, but holds nobody up; open() does the same while everybody waits. False: it
    // could not be written.
    bool must_record(Session& session);
    bool record(Session& session);
    // Would this OPEN be allowed, beside the opens of others? Clients whose lease has run out make
    // way.
    nfs4::nfsstat4 check_share(Session& session, const Open& event, Instant now);
    // The file has been opened with the access of `event`, and what the same owner had before.
    OpenDone open(Session& session, const Open& event, std::shared_ptr<vfs::OpenFile> file,
                  Instant now);
    // Access that this owner has the file open for; 0 if it has not.
    std::uint8_t access_of(Session& session, const std::string& owner, const FileKey& file);
    OpenDone downgrade(Session& session, const StateId& id, const FileKey& file,
                       std::uint8_t access, std::uint8_t deny);
    nfs4::nfsstat4 close(Session& session, const StateId& id, const FileKey& file, StateId& out);

    // For READ, WRITE and SETATTR of `file`, which want this access.
    Found find(Session& session, const StateId& id, const FileKey& file, std::uint8_t wanted);
    // Somebody's open of the file, or null: a file that has lost its last name can still be reached
    // through it.
    std::shared_ptr<vfs::OpenFile> any_open(const FileKey& file);
    nfs4::nfsstat4 test(Session& session, const StateId& id);
    nfs4::nfsstat4 free(Session& session, const StateId& id);

    // ---- Locks: the ranges themselves are in vfs::RangeLocks ----
    LockDone first_lock(Session& session, const StateId& open, const std::string& owner,
                        const FileKey& file);
    LockDone next_lock(Session& session, const StateId& lock, const FileKey& file);
    // The lock was granted or released: its stateid changes. Empty: the state has ended while the
    // file system worked, so a lock that was granted belongs to nobody and has to be released.
    std::optional<StateId> lock_changed(Session& session, const StateId& lock);
    void forget(Session& session, const StateId& lock);
    vfs::LockOwner lock_owner(Session& session, const std::string& owner, const FileKey& file);
    std::optional<LockHolder> holder(vfs::LockOwner owner);
    // Another owner is in the way: if its client's lease has run out, the client goes.
    enum class Way : std::uint8_t {
        blocked,  // the lease runs
        evicted,
        gone  // no state has this owner: its locks are about to be released
    };
    Way make_way(vfs::LockOwner owner, Instant now);

    // ---- Callbacks ----
    // False: the session takes no callbacks, or does not exist.
    bool bind_back_channel(const SessionId& id, ConnectionId connection);
    // BACKCHANNEL_CTL. Without a credential, the old one stays.
    void set_callbacks(Session& session, std::uint32_t program,
                       const std::optional<rpc::ClientCredential>& credential);
    void connection_closed(ConnectionId connection);
    bool may_call_back(const Session& session);
    // What is to be sent now: ask after events, while has_callbacks(). callback_ended() for each.
    bool has_callbacks() const { return has_callbacks_.load(std::memory_order_relaxed); }
    std::vector<Callback> take_callbacks();
    void callback_ended(const Callback& callback, const CallbackEnd& end);
    CallbackCounts callback_counts();

    // ---- Owners that wait for locks. LOCK and LOCKU tell what happens only while has_waiters().
    bool has_waiters() const { return has_waiters_.load(std::memory_order_relaxed); }
    // A blocking LOCK was denied. False: the client cannot be notified. Then try once more, since
    // the lock may have been released before this.
    bool wait_for_lock(Session& session, LockWait what);
    void lock_granted(Session& session, LockWait what);
    void unlocked(const FileKey& file, const vfs::LockRange& range);
    // For the server's timer, about once a second.
    std::vector<OutsideWait> outside_waits();
    void outside_freed(const LockWait& what);
    void next_round(Instant now);

    // Where locks of a state that ends are dropped. Called with the state locked; must not call
    // back. What is released soon may be many, which would hold up everybody.
    enum class When : std::uint8_t { now, soon };
    using Release = std::function<void(const FileKey& file, vfs::LockOwner owner, When when)>;
    void on_release(Release release) { release_ = std::move(release); }

    // A client that is silent for longer loses its claim to its state.
    std::chrono::seconds lease() const { return lease_; }
    bool in_grace(Instant now);

    // ---- For administrators (listing.cc) ----
    // They hold up other calls only while they copy one page.
    // Confirmed clients with larger ids than `after`, in order.
    std::vector<ClientSummary> clients(Instant now, ClientId after = 0,
                                       std::size_t count_max = kClientsMax);
    // Open files and lock owners of all clients beyond a position, in order.
    std::vector<Holding> holdings(const Holding::Position& after, std::size_t count_max);
    Totals totals(Instant now);
    // False: there is no such client.
    bool evict(ClientId id);
    // Ends the opens that this is true of, with their locks. It is called with the state locked.
    using WhichOpens =
        std::function<bool(const FileKey& file, const std::shared_ptr<vfs::OpenFile>& handle)>;
    void drop_opens(const WhichOpens& which);

 private:
    struct OpenState;
    struct LockState;
    struct FileState;
    friend struct Client;

    // An owner of opens or of locks: clients name them for each file.
    struct OwnerKey {
        const Client* client = nullptr;
        const FileState* file = nullptr;
        std::string_view owner = {};
        bool operator==(const OwnerKey&) const = default;
    };
    struct OwnerHash {
        std::size_t operator()(const OwnerKey& key) const noexcept;
    };
    template <class Value>
    using ByOwner = std::unordered_map<OwnerKey, Value*, OwnerHash>;

    using Lock = std::lock_guard<std::mutex>;
    SessionId new_session_id(ClientId client);
    std::uint32_t slots_to_grant(std::uint32_t wanted) const;
    StateId new_stateid();
    Client& new_client(const ExchangeId& event, Instant now);
    void confirm(Client& client);
    void forget_unconfirmed(Client& client);
    void renew(Client& client, Instant now);
    bool expired(const Client& client, Instant now) const;
    void drop_client(Client& client);
    void drop_sessions(Client& client);
    void drop_open(OpenState& open);
    void drop_open(OpenState& open, When when);
    void drop_lock(LockState& lock, When when = When::now);
    bool leave_owner(const LockState& gone);
    void make_way(Client& client);
    void list_open(const OpenState& open, const Holding::Position& after, std::size_t count_max,
                   std::vector<Holding>& out) const;
    bool make_room(Instant now);
    bool may_conflict(const Client& client, const FileState& file, const Open& event) const;
    OpenState* open_by(const Client& client, const FileState& file, std::string_view owner) const;
    LockState* locks_by(const Client& client, const FileState& file, std::string_view owner) const;
    void notice_expired(Instant now, LockWaiters::Waits& out);
    void end_grace_if_done(Instant now);
    OpenState* open_of(Client& client, const StateId& id, nfs4::nfsstat4& status);
    LockState* lock_of(Client& client, const StateId& id, nfs4::nfsstat4& status);
    nfs4::nfsstat4 check_seqid(const StateId& given, const StateId& have) const;
    nfs4::nfsstat4 conflict(Client& client, const Open& event, Instant now);
    std::uint32_t callback_flags(const Session& session) const;
    void bind(Session& session, ConnectionId connection);
    void callbacks_ready(const SessionId& session);
    void notify(const LockWaiters::Waits& waits);
    void freed(const FileKey& file, const vfs::LockRange& range, LockWaiters::Freed how);

    std::mutex mutex_;
    Recovery& recovery_;
    Release release_;
    const std::uint64_t random_;
    const std::chrono::seconds lease_;
    std::uint64_t next_ = 1;
    std::unordered_map<ClientId, std::unique_ptr<Client>> clients_;
    std::unordered_map<std::string, ClientId> confirmed_;
    std::list<ClientId> unconfirmed_;  // the oldest first
    std::unordered_map<std::string, ClientId> unconfirmed_by_owner_;
    std::unordered_map<SessionId, std::shared_ptr<Session>, std::hash<SessionId>, SameSession>
        sessions_;
    std::size_t slots_granted_ = 0;  // of all of them
    Instant no_room_until_{};        // no lease runs out before
    std::unordered_map<FileKey, std::unique_ptr<FileState>> files_;
    std::unordered_map<std::uint64_t, OpenState*> opens_;
    std::unordered_map<std::uint64_t, LockState*> locks_;
    std::unordered_map<vfs::LockOwner, LockState*> lock_owners_;
    ByOwner<OpenState> opens_by_owner_;
    ByOwner<LockState> locks_by_owner_;

    LockWaiters waiters_;
    std::unordered_map<ConnectionId, std::vector<SessionId>> bound_;  // for callbacks
    std::vector<SessionId> ready_;                                    // may have callbacks to send
    std::vector<SessionId> postponed_;  // have notices for the next round
    CallbackCounts callback_counts_;
    std::atomic<bool> has_callbacks_ = false;  // ready_ is not empty
    std::atomic<bool> has_waiters_ = false;    // there are waiters_

    std::unordered_map<std::string, bool>
        may_reclaim_;  // recorded before the start; true: has reclaimed
    std::size_t reclaiming_ = 0;
    Instant grace_end_{};

    // Totals.
    std::uint64_t made_way_ = 0;
    std::uint64_t evicted_ = 0;
    std::uint64_t replays_ = 0;
};

}  // namespace helio::nfs::state
