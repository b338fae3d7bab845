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

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/nfs/state/recovery.h"
#include "helio/nfs/state/types.h"
#include "helio/vfs/range_locks.h"
#include "schema/nfs4.h"

namespace helio::nfs::state {

// A client that does not speak for so long loses its claim to its state.
inline constexpr std::chrono::seconds kLease{60};
// Clients that were confirmed, and those that only introduced themselves. About 1 KiB each.
inline constexpr std::size_t kClientsMax = 16384;
inline constexpr std::size_t kUnconfirmedMax = 1024;
// Sessions of a client. Linux's has one, also with nconnect.
inline constexpr std::size_t kSessionsPerClientMax = 16;
// Calls of a session at one time: Linux asks for 64.
inline constexpr std::uint32_t kSlotsMax = 64;
// Operations in one COMPOUND. Linux asks for 8.
inline constexpr std::uint32_t kOperationsMax = 64;
// A cached reply. Replies to calls that change something are a few hundred bytes.
inline constexpr std::uint32_t kCachedReplyBytesMax = 4096;
// Opens and lock owners of one client, to bound memory.
inline constexpr std::size_t kStatesPerClientMax = 100'000;

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
};
struct CreateSessionDone {
    nfs4::nfsstat4 status = nfs4::NFS4_OK;
    SessionId session{};
    std::uint32_t sequence = 0;
    Channel fore = {};  // of a replay: what was granted then
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
    std::vector<Slot> slots_;
    std::uint32_t highest_used_ = 0;
    Client* client_ = nullptr;  // null: destroyed
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
    bool created = false;  // if the lock is then denied, forget() it
};

// The owner of a lock, for LOCK4denied.
struct LockHolder {
    ClientId client = 0;
    std::string owner = {};
};

// For `helio clients` and the metrics.
struct ClientSummary {
    ClientId id = 0;
    std::string owner = {};
    std::size_t sessions = 0;
    std::size_t opens = 0;
    std::size_t lock_owners = 0;
    bool expired = false;
};

class State final {
 public:
    // `random` is part of all ids, so that those of another start are not ours.
    State(Recovery& recovery, std::uint64_t random, Instant now);
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
    // The lock was granted or released: its stateid changes.
    StateId lock_changed(Session& session, const StateId& lock);
    void forget(Session& session, const StateId& lock);
    vfs::LockOwner lock_owner(Session& session, const std::string& owner, const FileKey& file);
    std::optional<LockHolder> holder(vfs::LockOwner owner);
    // Another owner is in the way: if its client's lease has run out, the client goes, and true is
    // returned.
    bool make_way(vfs::LockOwner owner, Instant now);

    // Where locks of a state that ends are dropped. Called with the state locked; must not call
    // back.
    void on_release(std::function<void(const FileKey&, vfs::LockOwner)> release) {
        release_ = std::move(release);
    }

    bool in_grace(Instant now);
    std::vector<ClientSummary> clients(Instant now);
    bool evict(ClientId id);

 private:
    struct OpenState;
    struct LockState;
    struct FileState;
    friend struct Client;

    using Lock = std::lock_guard<std::mutex>;
    SessionId new_session_id(ClientId client);
    StateId new_stateid();
    Client& new_client(const ExchangeId& event, Instant now);
    void confirm(Client& client);
    void forget_unconfirmed(Client& client);
    void renew(Client& client, Instant now);
    bool expired(const Client& client, Instant now) const;
    void drop_client(Client& client);
    void drop_sessions(Client& client);
    void drop_open(OpenState& open);
    void drop_lock(LockState& lock);
    bool make_room(Instant now);
    void end_grace_if_done(Instant now);
    OpenState* open_of(Client& client, const StateId& id, nfs4::nfsstat4& status);
    LockState* lock_of(Client& client, const StateId& id, nfs4::nfsstat4& status);
    nfs4::nfsstat4 check_seqid(const StateId& given, const StateId& have) const;
    nfs4::nfsstat4 conflict(Client& client, const Open& event, Instant now);

    std::mutex mutex_;
    Recovery& recovery_;
    std::function<void(const FileKey&, vfs::LockOwner)> release_;
    const std::uint64_t random_;
    std::uint64_t next_ = 1;
    std::unordered_map<ClientId, std::unique_ptr<Client>> clients_;
    std::unordered_map<std::string, ClientId> confirmed_;
    std::list<ClientId> unconfirmed_;  // the oldest first
    std::unordered_map<std::string, ClientId> unconfirmed_by_owner_;
    std::unordered_map<SessionId, std::shared_ptr<Session>> sessions_;
    std::unordered_map<FileKey, std::unique_ptr<FileState>> files_;
    std::unordered_map<std::uint64_t, OpenState*> opens_;
    std::unordered_map<std::uint64_t, LockState*> locks_;
    std::unordered_map<vfs::LockOwner, LockState*> lock_owners_;

    std::unordered_map<std::string, bool>
        may_reclaim_;  // recorded before the start; true: has reclaimed
    std::size_t reclaiming_ = 0;
    Instant grace_end_{};
};

}  // namespace helio::nfs::state
