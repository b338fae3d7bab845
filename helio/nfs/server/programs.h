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
#include <cstdint>
#include <memory>

#include "helio/nfs/server/exports.h"
#include "helio/nfs/state/recovery.h"
#include "helio/rpc/server/server.h"
#include "helio/transport/loop/offload.h"

namespace helio::nfs {

// Programs beside NFS that clients look for at our port and can do without: NFSACL, which Linux
// tries at every mount of version 3, and RQUOTA, which quota(1) calls. See ServerOptions.
inline constexpr std::array<std::uint32_t, 2> kProbedPrograms = {100227, 100011};

// NFS 4.1 and 4.2, which keep state: sessions, open files and locks.
struct Version4 {
    state::Recovery& recovery;
    // The same after restarts, and at all addresses: clients recognise the server by it.
    std::uint64_t server_id = 0;
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

 private:
    Programs(const Exports& exports, transport::Pool* pool, const Version4* version4 = nullptr);
    struct Services;
    std::unique_ptr<Services> services_;
};

}  // namespace helio::nfs
