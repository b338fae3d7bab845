// Model: what an NFS 4.1 server has to remember and to answer (RFC 8881 §2.10, §8, §9, §18),
// written to be read, not to be fast. Everything ever made stays in a list and is marked dead when
// it ends; locks are noted byte by byte. It shares no code with helio/nfs/state.
//
// Where the RFC leaves a choice, the model has the server's documented one: a client whose lease
// has run out keeps its state until somebody else wants it, and a grace period exists only for the
// clients that held state before the restart.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schema/nfs4.h"

namespace helio::tests::model {

using nfs4::nfsstat4;
using Seconds = std::chrono::seconds;

inline constexpr unsigned kFiles = 3;
// Bytes of a file that are told apart. The last one stands for all that follow.
inline constexpr unsigned kBytes = 12;
inline constexpr Seconds kLease{60};
inline constexpr unsigned kSlots = 3;
inline constexpr unsigned kSessionsMax = 16;

struct Client {
    std::string owner;
    std::uint64_t verifier = 0;
    std::uint32_t uid = 0;
    bool alive = true;
    bool confirmed = false;
    bool reclaim_complete = false;
    std::uint32_t next_create = 1;  // csa_sequence of the next CREATE_SESSION
    int last_session = -1;          // that CREATE_SESSION made
    Seconds renewed{};
};

struct Slot {
    std::uint32_t sequence = 0;
    bool cached = false;
    std::uint64_t call = 0;  // which call was made there
};

struct Session {
    int client = 0;
    bool alive = true;
    std::array<Slot, kSlots> slots;
};

// An open file or a lock owner's locks on it: what has a stateid.
struct State {
    int client = 0;
    std::string owner;
    unsigned file = 0;
    bool alive = true;
    std::uint32_t seqid = 1;
    bool is_lock = false;
    int open = -1;  // of a lock
    unsigned access = 0;
    unsigned deny = 0;
};

struct Range {
    unsigned first = 0;
    unsigned last = 0;  // kBytes - 1: to the end of the file
};

// A stateid in a call.
struct Given {
    enum class Kind { state, anonymous, bypass, current };
    enum class Seqid { same, zero, old, future };
    Kind kind = Kind::state;
    int state = -1;  // an index, of any client, dead or alive; -1: one that never was
    Seqid seqid = Seqid::same;
};

struct Answer {
    nfsstat4 status = nfs4::NFS4_OK;
    int made = -1;  // the client, session or state
    bool confirmed = false;
    std::uint32_t sequence = 0;
};

class Model final {
 public:
    Seconds now{1000};
    std::vector<Client> clients;
    std::vector<Session> sessions;
    std::vector<State> states;
    std::set<std::string> records;  // owners, in stable storage

    // ---- Clients and sessions ----
    Answer exchange_id(const std::string& owner, std::uint64_t verifier, std::uint32_t uid,
                       bool update);
    Answer create_session(int client, std::uint32_t sequence, std::uint32_t uid);
    nfsstat4 destroy_session(int session, std::uint32_t uid);
    nfsstat4 destroy_client(int client);
    nfsstat4 bind(int session);
    nfsstat4 reclaim_complete(int session);
    void evict(int client);
    void restart();

    enum class Begun { run, replay, uncached, refused };
    Begun sequence(int session, unsigned slot, std::uint32_t number, std::uint64_t call, bool cache,
                   nfsstat4& status);

    // ---- Files. The session is alive ----
    Answer open(int session, const std::string& owner, unsigned file, unsigned access,
                unsigned deny, bool reclaim);
    Answer downgrade(int session, const Given& id, unsigned file, unsigned access, unsigned deny);
    nfsstat4 close(int session, const Given& id, unsigned file);
    nfsstat4 read_or_write(int session, const Given& id, unsigned file, bool write);
    nfsstat4 test(int session, const Given& id);
    nfsstat4 free(int session, const Given& id);

    // ---- Locks ----
    struct LockCall {
        bool new_owner = false;  // `id` is an open, and `owner` counts
        Given id;
        std::string owner;
        unsigned file = 0;
        Range range;
        bool write = false;
        bool reclaim = false;
    };
    Answer lock(int session, const LockCall& call);
    Answer unlock(int session, const Given& id, unsigned file, const Range& range);
    nfsstat4 lock_test(int session, const std::string& owner, unsigned file, const Range& range,
                       bool write);
    // Is this a lock that somebody else than `owner` holds, and is it in the way?
    bool may_deny(int session, const std::string& owner, unsigned file, const Range& asked,
                  bool write, int holder, const std::string& holder_owner, const Range& held,
                  bool held_write) const;

    // Some of those in the way have expired and some have not. Whether the former lose their state
    // is then up to the server, so such calls are not made.
    bool mixed_opens(int session, const std::string& owner, unsigned file, unsigned access,
                     unsigned deny) const;
    bool mixed_locks(int session, const std::string& owner, unsigned file, const Range& range,
                     bool write) const;
    std::string lock_owner_of(int session, const Given& id) const;

    bool expired(int client) const { return now - clients[client].renewed > kLease; }
    bool in_grace();
    // Without noticing that it has ended, which a server may do as late as it likes.
    bool may_be_in_grace() const { return !may_reclaim_.empty(); }

 private:
    struct Held {
        int client = 0;
        std::string owner;
        bool write = false;
        bool operator==(const Held&) const = default;
    };
    using Byte = std::vector<Held>;

    int confirmed_client(const std::string& owner) const;
    bool has_sessions(int client) const;
    bool has_opens(int client) const;
    void drop_client(int client);
    void drop_session(int session) { sessions[session].alive = false; }
    void drop_state(int state);
    void end_grace();
    nfsstat4 check_grace(int client, bool reclaim);
    // NFS4_OK: `out` is the state, of this kind.
    nfsstat4 find(int client, const Given& id, bool lock, int& out) const;
    std::vector<int> opens_in_the_way(int client, const std::string& owner, unsigned file,
                                      unsigned access, unsigned deny) const;
    bool denying(unsigned file, bool write) const;
    std::set<int> lockers_in_the_way(int client, const std::string& owner, unsigned file,
                                     const Range& range, bool write) const;
    const Held* held_by(const Byte& byte, int client, const std::string& owner) const;
    void set_range(int client, const std::string& owner, unsigned file, const Range& range,
                   int type);

    std::array<std::array<Byte, kBytes>, kFiles> bytes_;
    std::map<std::string, bool> may_reclaim_;  // true: RECLAIM_COMPLETE came
    Seconds grace_end_{};
};

}  // namespace helio::tests::model
