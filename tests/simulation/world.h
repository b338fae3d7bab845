// World: the server of one seed and everything around it. See simulation.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "helio/nfs/server/programs.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/server/server.h"
#include "testing/nfs/would_block_fs.h"
#include "tests/simulation/actor.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/simulation.h"

namespace helio::simulation {

class World final : SeededRun, rpc::Observer {
 public:
    World(std::uint64_t seed, bool prints, Report& report);
    ~World() override;

    // Throws Failure.
    void run();

 private:
    rpc::ServerOptions server_options();
    void make_files();
    void start_server();
    void make_clients();
    rpc::Peer peer_of(unsigned client);
    Fd connect(unsigned client);
    void on_call(const rpc::Trace& trace) override;
    vfs::Status refuse(const vfs::Caller& caller);

    // Continues until `is_over`; there must always be something left to happen.
    template <class IsOver>
    void run_until(const char* what, IsOver is_over);
    // A random participant acts. False if it had nothing to do.
    bool act();
    bool act_by(std::size_t number);
    std::size_t participants() const { return plan_.threads + clients_.size() + 1; }
    bool act_all();
    bool turn(std::size_t thread);
    bool run_job();
    void let_time_pass(const char* what);
    void leave();
    void stop();
    void compare();
    std::string describe(const char* what) const;
    void count();

    Report& report_;
    Dice file_dice_;

    std::shared_ptr<vfs::FileSystem> files_;
    std::shared_ptr<nfs::Reluctant> reluctant_;
    nfs::Exports exports_;
    transport::Pool pool_{0};
    nfs::Programs programs_;
    rpc::Server rpc_;
    std::optional<transport::Server> server_;
    std::vector<bool> threads_;  // that have not ended

    SharedNames shared_;
    std::vector<std::unique_ptr<Client>> clients_;
    std::vector<const Actor*> actors_;  // of the clients
    // How often the calls that must run once did: by client address and xid.
    std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> runs_;
    std::string wrong_;  // noticed where nothing may be thrown
    unsigned ports_ = 0;
    std::uint64_t steps_ = 0;
    unsigned lates_ = 0;
    bool is_leaving_ = false;
};

}  // namespace helio::simulation
