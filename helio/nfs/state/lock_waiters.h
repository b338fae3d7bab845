// LockWaiters: owners whose blocking LOCK was denied (READW_LT, WRITEW_LT), in order of arrival
// (RFC 8881 §9.6). When bytes are unlocked, the first of them that can hold their locks beside each
// other are to be notified; they keep their place until they have been granted their lock, or do
// not ask for it again. A pure state machine whose clock is next_round(), about once a second.
//
// A notice is a hint: a client that misses it asks again by itself, Linux's after 30 seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "helio/nfs/state/types.h"
#include "helio/vfs/range_locks.h"

namespace helio::nfs::state {

// Owners of one client that wait, and of all clients: processes that block on locks at one time.
// Others are denied as usual, and poll. Up to 2 KiB each.
inline constexpr std::size_t kWaitersPerClientMax = 256;
inline constexpr std::size_t kWaitersMax = 4096;
// Owners notified when bytes are unlocked; if all of them only read, there may be more, whose turn
// comes with the next rounds.
inline constexpr std::size_t kNotifiedAtOnceMax = 64;
// Locks of programs outside the server that are tested in one round.
inline constexpr std::size_t kOutsideTestsMax = 256;
// A notified owner that has not asked after this many rounds does not want the lock any more.
inline constexpr std::uint64_t kAnswerRoundsMax = 2;
// An owner that has not asked for this many rounds has gone: three times Linux's 30 seconds.
inline constexpr std::uint64_t kWaitRoundsMax = 90;

struct LockWait {
    ClientId client = 0;
    SessionId session{};  // that the notice is sent over
    FileKey file = {};
    std::string owner = {};
    std::string handle = {};  // of the file, as the client knows it
    vfs::LockRange range = {};
    vfs::LockType type = vfs::LockType::write;
    bool outside = false;  // a program outside this server holds the lock

    bool same_owner(const LockWait& other) const {
        return client == other.client && owner == other.owner;
    }
};

class LockWaiters final {
 public:
    using Waits = std::vector<LockWait>;

    bool empty() const { return count_ == 0; }
    std::size_t count() const { return count_; }

    bool has(ClientId client, const FileKey& file) const;
    // It was denied. Who waits already keeps its place.
    void wait(LockWait what);
    void granted(const LockWait& what);
    // Bytes of a file are free, or free for readers. Appends those to be notified.
    enum class Freed : std::uint8_t { for_all, for_readers };
    void released(const FileKey& file, const vfs::LockRange& range, Freed freed, Waits& out);
    void drop_client(ClientId client);
    void drop_file(ClientId client, const FileKey& file);

    // Waits for locks of programs outside, a limited number of them; outside_freed() takes those
    // that could be granted.
    Waits outside();
    void outside_freed(const LockWait& what, Waits& out);
    // Time passes: owners that were notified and do not come make way for the next.
    void next_round(Waits& out);

 private:
    struct Entry {
        LockWait what;
        std::uint64_t id = 0;
        std::uint64_t asked = 0;     // the round
        std::uint64_t notified = 0;  // the round, if is_notified
        bool is_notified = false;
    };
    using Entries = std::list<Entry>;
    using Files = std::unordered_map<FileKey, Entries>;

    static Entry* find(Entries& entries, const LockWait& what);
    void notify_first(Entries& entries, const vfs::LockRange& range, Freed freed, Waits& out);
    Entries::iterator erase(Entries& entries, Entries::iterator at);
    template <class Condition>
    void drop_if(Files::iterator at, Condition condition);

    Files files_;
    std::unordered_map<ClientId, std::size_t> of_client_;
    std::size_t count_ = 0;
    std::uint64_t round_ = 1;
    std::uint64_t next_id_ = 1;
    std::uint64_t tested_ = 0;  // the last of outside()
};

}  // namespace helio::nfs::state
