// Administration: libvirt's admin program, with which virt-admin inspects a daemon: its workers,
// its clients, their limits, its log. It has its own socket and its own server.
//
//     daemon::Administration admin{{.workers = workers, .clients = clients, …}};
//     rpc::Server admin_programs;
//     admin.add_to(admin_programs);
#pragma once

#include <atomic>
#include <memory>

#include "helio/rpc/server/server.h"
#include "helio/virt/server/client_list.h"
#include "helio/virt/server/workers.h"

namespace helio::virt::daemon {

// virLogPriority: a daemon logs messages of this level and above.
inline constexpr unsigned kLogDebug = 1, kLogWarning = 3, kLogError = 4;

class Administration final {
 public:
    // Everything here must outlive Administration.
    struct Context {
        server::Workers& workers;
        server::ClientList& clients;
        server::ClientList& administrators;
        std::atomic<unsigned>& log_level;
    };
    explicit Administration(const Context& context);
    ~Administration();
    Administration(const Administration&) = delete;
    Administration& operator=(const Administration&) = delete;

    // The server must not outlive this.
    void add_to(rpc::Server& server);

 private:
    const Context context_;
    std::unique_ptr<xdr::ServiceBase> service_;
};

}  // namespace helio::virt::daemon
