#include "helio/virt/daemon/daemon_server.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include <fmt/format.h>

#include "helio/transport/server/server.h"
#include "helio/virt/daemon/admin.h"

namespace helio::virt::daemon {

namespace {

enum class Access : std::uint8_t { full, read_only };

// Descriptors for listening sockets, loops, files and volumes; the rest is for clients.
constexpr rlim_t kDescriptorsKept = 128;

// A limit above the number of descriptors would never be reached: the kernel would refuse new
// clients instead, even in place of silent ones.
server::ClientList::Limits within_descriptors(server::ClientList::Limits limits) {
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) != 0) return limits;
    files.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) getrlimit(RLIMIT_NOFILE, &files);
    const rlim_t left = files.rlim_cur > 2 * kDescriptorsKept ? files.rlim_cur - kDescriptorsKept
                                                              : files.rlim_cur / 2;
    limits.clients = std::min<rlim_t>(limits.clients, left);
    limits.anonymous = std::min(limits.anonymous, limits.clients);
    return limits;
}

}  // namespace

// In the order in which they are needed: the sockets are destroyed first.
struct DaemonServer::Parts {
    Parts(host::Host& host, const DaemonServerOptions& options)
        : workers(options.workers, options.priority_workers),
          clients(within_descriptors(options.clients)),
          log_level(options.log_level),
          daemon(host, options.daemon),
          programs(with_log(options.log)),
          full(connection_options(options, Access::full)),
          read_only(connection_options(options, Access::read_only)),
          admin_sessions(admin_connection_options()) {
        daemon.add_to(programs);
        admin.add_to(admin_programs);
        main_server.emplace(
            programs, transport::ServerLimits{.threads = options.threads, .busy_polls = true});
        listen(options);
    }

    rpc::ServerOptions with_log(const std::function<void(std::string_view)>& log) {
        rpc::ServerOptions options;
        options.log = [this, log](std::string_view line) {
            if (log && log_level <= kLogWarning) log(line);
        };
        return options;
    }
    server::ServerClientOptions connection_options(const DaemonServerOptions& options,
                                                   Access access) {
        server::ServerClientOptions out;
        out.read_only = access == Access::read_only;
        out.needs_authentication = !options.daemon.sasl_passwords.empty() && access == Access::full;
        out.keepalive_interval = options.keepalive_interval;
        out.limits.calls_in_flight = options.client_requests;
        out.workers = &workers;
        out.clients = &clients;
        return out;
    }
    server::ServerClientOptions admin_connection_options() {
        server::ServerClientOptions out;
        out.clients = &administrators;
        return out;
    }
    void listen(const DaemonServerOptions& options) {
        if (!options.socket.empty()) {
            main_server->listen_unix(options.socket, &full);
            listening.push_back(fmt::format("unix {}", options.socket));
        }
        if (!options.socket_read_only.empty()) {
            main_server->listen_unix(options.socket_read_only, &read_only);
            listening.push_back(fmt::format("unix {} read-only", options.socket_read_only));
        }
        if (!options.listen.host.empty())
            for (const transport::Endpoint& one :
                 main_server->listen_tcp(options.listen.host, options.listen.port, &full))
                listening.push_back(fmt::format("tcp {}", to_text(one)));
        if (!options.socket_admin.empty()) {
            admin_server.emplace(admin_programs, transport::ServerLimits{.threads = 1});
            admin_server->listen_unix(options.socket_admin, &admin_sessions);
            listening.push_back(fmt::format("unix {} admin", options.socket_admin));
        }
    }

    server::Workers workers;
    server::ClientList clients, administrators;
    std::atomic<unsigned> log_level;  // changed by virt-admin
    Daemon daemon;
    Administration admin{{workers, clients, administrators, log_level}};
    rpc::Server programs, admin_programs;
    server::SessionFactory full, read_only, admin_sessions;
    std::optional<transport::Server> main_server, admin_server;
    std::vector<std::string> listening;
};

DaemonServer::DaemonServer(host::Host& host, const DaemonServerOptions& options)
    : parts_(std::make_unique<Parts>(host, options)) {}

DaemonServer::~DaemonServer() = default;

const std::vector<std::string>& DaemonServer::listening() const { return parts_->listening; }

void DaemonServer::start() {
    parts_->main_server->start();
    if (parts_->admin_server) parts_->admin_server->start();
}

void DaemonServer::wait_for_signal() {
    parts_->main_server->wait_for_signal();
    if (parts_->admin_server) parts_->admin_server->stop();
}

void DaemonServer::stop() {
    parts_->main_server->stop();
    if (parts_->admin_server) parts_->admin_server->stop();
}

}  // namespace helio::virt::daemon
