// Programs: NFS versions 4.2, 4.1, 3 and 2 and MOUNT versions 3, 2 and 1 over one table of exports,
// to add to a server:
//
//     nfs::Exports exports{key, log};
//     exports.set(…);
//     transport::Pool pool{4};
//     nfs::Programs programs{exports, pool};
//     rpc::Server server{…};
//     programs.add_to(server);
//
// Calls that need only memory are answered at once, on the connection's thread; those that wait for
// a disk go to the pool.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "helio/nfs/server/exports.h"
#include "helio/nfs/server/user_names.h"
#include "helio/nfs/state/lease.h"
#include "helio/nfs/state/recovery.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server_timers.h"

namespace helio::nfs {

namespace state {
class State;
}

// Programs beside NFS that clients look for at our port and can do without: NFSACL, which Linux
// tries at every mount of version 3, and RQUOTA, which quota(1) calls. See ServerOptions.
inline constexpr std::array<std::uint32_t, 2> kProbedPrograms = {100227, 100011};

// NFS 4.1 and 4.2, which keep state: sessions, open files and locks.
struct Version4 {
    state::Recovery& recovery;
    // The same after restarts, and at all addresses: clients recognise the server by it, and see
    // it. public_id_of(key) is such a number.
    std::uint64_t server_id = 0;
    // For tests: what leases and the grace period are measured with. By default a steady clock.
    std::function<std::chrono::nanoseconds()> now = {};
    std::chrono::seconds lease = state::kLeaseDefault;
    // Users and groups by name; null: as numbers.
    UserNames* names = nullptr;
};

// Calls of the server to clients of version 4, which tell them that a lock may be free.
struct CallbackCounts {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::uint64_t failed = 0;      // not answered, or with an error
    std::size_t lock_waiters = 0;  // owners that wait for a lock now
};

class Programs final {
 public:
    // They outlive this, and this outlives the server.
    Programs(const Exports& exports, transport::Pool& pool);
    Programs(const Exports& exports, transport::Pool& pool, const Version4& version4);
    // Without a pool, calls block the thread they are made on: for tests, and for file systems that
    // never wait.
    explicit Programs(const Exports& exports);
    Programs(const Exports& exports, const Version4& version4);
    ~Programs();
    Programs(const Programs&) = delete;
    Programs& operator=(const Programs&) = delete;

    // Version 4 is added if there is one.
    struct Served {
        bool three = true;
        bool two = true;
    };
    void add_to(rpc::Server& server, Served served);
    void add_to(rpc::Server& server) { add_to(server, Served{}); }
    // Timers of the server that they were added to: version 4 then notices locks that programs
    // outside the server release. Call it before the server starts.
    void use_timers(transport::ServerTimers& timers);
    CallbackCounts callback_counts() const;

    // For administrators: what clients of version 4 hold. Null without version 4.
    state::State* state() const;
    // The time that it is measured with.
    std::chrono::nanoseconds now() const;
    // After Exports::set: ends the opens and locks of clients of version 4 whose file system is not
    // exported any more, or has been replaced. Until then they keep their file systems alive.
    void drop_stale_opens();
    // Before the server ends: ends all of them, while the pool can still close what takes time.
    void drop_all_opens();

 private:
    Programs(const Exports& exports, transport::Pool* pool, const Version4* version4 = nullptr);
    struct Services;
    std::unique_ptr<Services> services_;
};

}  // namespace helio::nfs
