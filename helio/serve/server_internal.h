// Running: one server from start to stop. Members are in order of construction: each may use those
// above it, and is destroyed before them.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/base/system/sandbox.h"
#include "helio/nfs/server/exports.h"
#include "helio/nfs/server/programs.h"
#include "helio/portmap/portmapper.h"
#include "helio/portmap/registration.h"
#include "helio/rpc/server/server.h"
#include "helio/serve/config/plan.h"
#include "helio/serve/control/service.h"
#include "helio/serve/log.h"
#include "helio/serve/monitor/health.h"
#include "helio/serve/monitor/http_server.h"
#include "helio/serve/monitor/metrics.h"
#include "helio/serve/names/domain_names.h"
#include "helio/serve/notify.h"
#include "helio/serve/serve.h"
#include "helio/serve/state/state.h"
#include "helio/transport/loop/offload.h"
#include "helio/transport/rdma/fabric.h"
#include "helio/transport/server/server.h"

namespace helio::serve {

class Running final {
 public:
    // Listens, confines the process, opens the file systems; throws when it cannot.
    Running(const Request& request, const Settings& settings, Plan plan);
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void start();
    // Returns after a signal that ends the server; other signals reload.
    void wait();
    void stop();

 private:
    [[noreturn]] void leave_hanging_calls();
    void make_names();
    void make_pool();
    void listen();
    void listen_for_rdma();
    void listen_for_metrics();
    void listen_for_control();
    void find_portmapper();
    void open_exports();
    // Where it listens for NFS over TCP.
    std::vector<transport::Endpoint> announced_addresses() const;
    void announce();
    void warn_of_exposure() const;
    void reload();
    bool reload_exports();
    // Does the sandbox permit everything that a new plan needs?
    bool sandbox_reaches(const Plan& plan, const std::function<void(std::string_view)>& tell) const;
    void tell_what_needs_a_restart(const Settings& next);
    HttpAnswer answer(std::string_view path);
    std::string metrics_text();
    std::optional<StateCounts> state_counts();

    const Request& request_;
    Settings settings_;
    Plan plan_;
    Log log_;
    Notify notify_;
    ProcessWatch process_;
    const State state_;
    std::vector<std::string> notes_;
    std::optional<Sandbox> sandbox_;
    FileSystems file_systems_;
    nfs::Exports exports_;
    std::optional<transport::Pool> pool_;
    std::unique_ptr<nfs::state::Recovery> recovery_;
    SystemUserDatabase users_;
    std::optional<DomainNames> names_;
    std::optional<nfs::Programs> programs_;
    portmap::Portmapper portmapper_;
    rpc::Server rpc_;
    std::unique_ptr<transport::rdma::Fabric> fabric_;
    std::optional<transport::Server> server_;
    std::optional<portmap::Registration> registration_;
    bool on_port_111_ = false;
    // For administrators of this machine, apart from everything that clients use.
    std::optional<ControlService> control_service_;
    std::optional<rpc::Server> control_programs_;
    std::optional<transport::Server> control_;
    std::unique_ptr<HttpServer> http_;
    std::optional<Health> health_;    // of the HTTP server's thread
    std::optional<Health> watchdog_;  // of the main thread
    std::atomic<std::uint64_t> reloads_ = 0;
    std::atomic<std::uint64_t> reloads_refused_ = 0;
};

// The settings of file and flags combined; problems are printed or logged by `tell`.
std::optional<Settings> gather_settings(const Request& request,
                                        const std::function<void(std::string_view)>& tell);
// Problems of exports: with the place in the file, if they come from there.
void tell_plan_problems(const Request& request, const std::vector<ConfigProblem>& problems,
                        const std::function<void(std::string_view)>& tell);
sigset_t served_signals();

}  // namespace helio::serve
