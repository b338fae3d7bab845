#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "helio/base/system/descriptor_limit.h"
#include "helio/serve/announce.h"
#include "helio/serve/control/socket.h"
#include "helio/serve/server_internal.h"
#include "helio/serve/state/recovery_log.h"
#include "helio/transport/rdma/verbs/verbs_fabric.h"

namespace helio::serve {
namespace {

// Threads for calls that wait for a disk: enough to keep one busy; larger machines have two per
// core.
constexpr unsigned kPoolThreadsMin = 8;
constexpr int kLargeBlockMin = 256 << 10;

rpc::ServerOptions server_options(const Log& log, const nfs::Exports& exports) {
    rpc::ServerOptions options;
    options.trusts_datagrams_of = [&exports](const rpc::Peer& peer) {
        return exports.trusts_datagrams_of(peer);
    };
    options.log = [&log](const LogEvent& event) { log.write(LogLevel::warning, "rpc", event); };
    options.probed_programs.assign(nfs::kProbedPrograms.begin(), nfs::kProbedPrograms.end());
    options.log_probe = [&log](const LogEvent& event) { log.write(LogLevel::debug, "rpc", event); };
    return options;
}

// Looking up users and groups may read nsswitch.conf and the databases that it names: files, and
// what sssd, systemd and others have for everybody to read. Modules were loaded before.
void add_needs_of_names(SandboxNeeds& needs) {
    for (const char* const path :
         {"/etc", "/usr/lib", "/run/systemd", "/var/lib/sss", "/var/lib/extrausers"})
        needs.readable.emplace_back(path);
}

// What the exports and the rest of the server need.
SandboxNeeds all_needs(const Plan& plan, const State& state, const std::string& config,
                       const Settings& settings) {
    SandboxNeeds needs = needs_of(plan);
    // A reload looks up users and groups again: nsswitch.conf, passwd, group.
    if (settings.looks_up_names) needs.readable.emplace_back("/etc");
    if (settings.domain) add_needs_of_names(needs);
    if (settings.rdma) {
        // Devices, their entries in sysfs, and the libraries for them.
        needs.devices = {"/dev/infiniband"};
        for (const char* const path : {"/sys", "/proc/self", "/etc/libibverbs.d", "/usr/lib"})
            needs.readable.emplace_back(path);
    }
    if (state.persistent())
        needs.writable.push_back(state.directory());
    else if (const std::string runtime = runtime_directory(); !runtime.empty())
        needs.removable.push_back(runtime);  // the control socket
    // An editor replaces the file, so permit its directory.
    std::error_code error;
    if (!config.empty())
        needs.readable.push_back(std::filesystem::absolute(config, error).parent_path().string());
    return needs;
}

}  // namespace

Running::Running(const Request& request, const Settings& settings, Plan plan)
    : request_(request),
      settings_(settings),
      plan_(std::move(plan)),
      log_(STDERR_FILENO, settings.log_format.value_or(LogFormat::text),
           settings.log_level.value_or(LogLevel::info)),
      state_(State::open(settings.state.value_or(default_state_directory()))),
      file_systems_(
          state_, [this](std::string_view line) { log_.write(LogLevel::warning, "serve", line); }),
      exports_(state_.key(),
               [this](const LogEvent& event) { log_.write(LogLevel::warning, "nfs", event); }),
      rpc_(server_options(log_, exports_)) {
    // By default, glibc stops mapping large blocks separately as soon as one has been freed. From
    // then on they come from heaps, where small blocks keep them from being returned to the system.
    mallopt(M_MMAP_THRESHOLD, kLargeBlockMin);
    // Programs before the transport, whose threads need them for their counters; sockets before
    // confinement, which forbids new ones; files and threads after it.
    make_names();
    if (settings_.sandbox.value_or(true))
        sandbox_.emplace(all_needs(plan_, state_, request.config, settings_));
    make_pool();
    const Versions versions = settings_.versions.value_or(Versions{});
    if (versions.four) {
        std::string problem;
        recovery_ = RecoveryLog::open(state_, problem);
        if (!problem.empty())
            log_.write(
                LogLevel::warning, "serve",
                fmt::format("clients of NFS 4 cannot reclaim locks after a restart: {}", problem));
        nfs::Version4 version4{.recovery = *recovery_,
                               .server_id = nfs::public_id_of(state_.key()),
                               .names = names_ ? &*names_ : nullptr};
        if (settings_.lease_seconds)
            version4.lease = std::chrono::seconds{*settings_.lease_seconds};
        programs_.emplace(exports_, *pool_, version4);
    } else {
        programs_.emplace(exports_, *pool_);
    }
    programs_->add_to(rpc_, {.three = versions.three, .two = versions.two});
    portmapper_.add_to(rpc_);
    transport::ServerLimits limits;
    limits.threads = settings_.threads.value_or(0);
    limits.connections_max =
        std::min(limits.connections_max, share_descriptors(descriptor_limit()).connections);
    limits.memory_bytes_max = settings_.memory_bytes_max.value_or(0);
    server_.emplace(rpc_, limits);
    programs_->use_timers(server_->timers());
    listen();
    if (settings_.rdma) transport::rdma::allow_pinned_memory();
    listen_for_metrics();
    listen_for_control();
    find_portmapper();
    if (sandbox_) {
        // The health check connects to our own sockets; rpcbind is notified when we stop.
        for (const auto& one : server_->endpoints(rpc::Transport::tcp))
            sandbox_->allow_connecting_to(one.port());
        if (registration_) sandbox_->allow_connecting_to(portmap::kWellKnownPort);
        sandbox_->enter();
    }
    // Only now: the kernel allows a device to be used only with the credentials it was opened with.
    listen_for_rdma();
    open_exports();
}

// The first lookup loads the modules that nsswitch.conf names, while the process may still read
// them. A name that nobody has is looked up in all of them.
void Running::make_names() {
    if (!settings_.domain) return;
    names_.emplace(*settings_.domain, users_);
    std::uint32_t id = 0;
    for (const auto kind : {nfs::UserNames::Kind::user, nfs::UserNames::Kind::group})
        (void)users_.id_of(kind, "helio-loads-modules", id);
}

// Its threads begin at once, while the process still needs its privileges to listen. So they are
// created by a thread that has given them up.
void Running::make_pool() {
    const unsigned threads = std::max(kPoolThreadsMin, 2 * std::thread::hardware_concurrency());
    std::thread confined{[&] {
        if (sandbox_) sandbox_->enter();
        pool_.emplace(threads);
    }};
    confined.join();
}

void Running::listen() {
    if (server_->listen_inherited() > 0) return;
    for (const Listen& where : settings_.listen) {
        try {
            server_->listen(where.host, where.port);
        } catch (const std::runtime_error& error) {
            std::string text = error.what();
            if (text.find(std::strerror(EADDRINUSE)) != text.npos && where.port != 0)
                text += fmt::format("; --listen {}:0 picks a free port",
                                    where.host.empty() ? "*" : where.host);
            throw std::runtime_error(text);
        }
    }
}

void Running::listen_for_rdma() {
    if (!settings_.rdma) return;
    fabric_ = std::make_unique<transport::rdma::VerbsFabric>();
    server_->listen_rdma(*fabric_, settings_.rdma->host, settings_.rdma->port);
}

void Running::listen_for_metrics() {
    if (settings_.metrics_off.value_or(false)) return;
    const Listen where = settings_.metrics.value_or(kMetricsDefault);
    // Without its own settings, as in a shell, a second server on this machine gets another port. A
    // service must not: Prometheus would silently read the first server's metrics instead.
    const bool may_move = !settings_.metrics && request_.config.empty();
    try {
        http_ = std::make_unique<HttpServer>(where);
    } catch (const std::runtime_error& error) {
        if (!may_move)
            throw std::runtime_error(
                fmt::format("metrics: {}; set another address, or off, with --metrics or 'metrics'",
                            error.what()));
        http_ = std::make_unique<HttpServer>(Listen{where.host, 0});
        notes_.push_back(
            fmt::format("port {} is in use, perhaps by another server, so metrics and health are "
                        "on port {}; --metrics sets the address",
                        where.port, http_->endpoints().front().port()));
    }
}

// A server without a control socket serves as well, so this is no reason to stop.
void Running::listen_for_control() {
    std::vector<std::string> addresses;
    for (const auto& one : announced_addresses()) addresses.push_back(transport::to_text(one));
    control_service_.emplace(ControlService::Parts{
        .exports = exports_,
        .state = programs_->state(),
        .now = [this] { return programs_->now(); },
        .log = [this](std::string_view line) { log_.write(LogLevel::info, "serve", line); },
        .version = request_.version,
        .addresses = fmt::format("{}", fmt::join(addresses, ", ")),
        .user = geteuid()});
    rpc::ServerOptions options;
    options.log = [this](const LogEvent& event) { log_.write(LogLevel::warning, "rpc", event); };
    options.duplicates.entries_max = 0;  // nothing is sent twice over a local socket
    control_programs_.emplace(std::move(options));
    control_programs_->add(*control_service_);
    control_.emplace(*control_programs_,
                     transport::ServerLimits{.threads = 1,
                                             .connections_max = kControlConnectionsMax,
                                             .memory_bytes_max = kControlMemoryMax});
    const std::string directory = state_.persistent() ? state_.directory() : runtime_directory();
    try {
        if (directory.empty())
            throw std::runtime_error(state_.problem() + "; $XDG_RUNTIME_DIR is not set either");
        const std::string path = serve::listen_for_control(*control_, directory);
        log_.write(LogLevel::debug, "serve", "control socket", {{"path", path}});
    } catch (const std::runtime_error& error) {
        control_.reset();
        log_.write(
            LogLevel::warning, "serve",
            fmt::format("helio clients and helio locks cannot ask this server: {}", error.what()));
    }
}

void Running::find_portmapper() {
    if (settings_.portmap.value_or(false)) {
        portmap::WellKnown where;
        where.host = settings_.listen.front().host;
        where.socket.clear();  // clients that ask port 111 are on other machines
        const auto listening = portmap::listen_on_111(*server_, where);
        const auto& doors = server_->endpoints(rpc::Transport::tcp);
        on_port_111_ = std::any_of(doors.begin(), doors.end(), [](const auto& door) {
            return door.port() == portmap::kWellKnownPort;
        });
        if (!on_port_111_) {
            registration_.emplace(rpc_, *server_);
            on_port_111_ = registration_->problems().empty();
        }
        if (!on_port_111_) {
            notes_.push_back("this server is not registered at port 111: " + listening.error());
            for (const auto& problem : registration_->problems()) notes_.push_back(problem);
        }
    }
    for (const auto& problem : portmapper_.register_programs(rpc_, *server_))
        log_.write(LogLevel::warning, "portmap", problem);
}

void Running::open_exports() {
    auto table = file_systems_.make(plan_);
    if (!table) throw std::runtime_error(table.error());
    if (auto set = exports_.set(std::move(*table)); !set) throw std::runtime_error(set.error());
}

void Running::start() {
    server_->start();
    if (control_) control_->start();
    health_.emplace(*server_, exports_, *pool_, request_.version);
    watchdog_.emplace(*server_, exports_, *pool_, request_.version);
    if (http_) http_->start([this](std::string_view path) { return answer(path); });
    announce();
    notify_.ready(fmt::format("serving {} export{}", plan_.size(), plan_.size() == 1 ? "" : "s"));
}

std::vector<transport::Endpoint> Running::announced_addresses() const {
    std::vector<transport::Endpoint> out;
    for (const auto& one : server_->endpoints(rpc::Transport::tcp))
        if (one.port() != portmap::kWellKnownPort) out.push_back(one);
    return out;
}

void Running::announce() {
    Announcement said{plan_};
    said.versions = settings_.versions.value_or(Versions{});
    said.listens = announced_addresses();
    said.rdma = server_->endpoints(rpc::Transport::rdma);
    said.on_port_111 = on_port_111_;
    said.asked_for_111 = settings_.portmap.value_or(false);
    said.interfaces = transport::interface_addresses();
    said.state_directory = state_.directory();
    said.without_state.assign(file_systems_.without_state().begin(),
                              file_systems_.without_state().end());
    said.state_problem = state_.problem();
    if (sandbox_) {
        said.confined_by = sandbox_->confined_by();
        said.not_confined = sandbox_->problems();
    }
    if (http_) said.metrics = "http://" + transport::to_text(http_->endpoints().front());
    said.notes = notes_;
    if (log_.format() == LogFormat::text) {
        fmt::print("{}", to_text(said));
        std::fflush(stdout);
        return;
    }
    // For machines: the text above as log records.
    for (const auto& one : said.listens)
        log_.write(LogLevel::info, "serve", "listening", {{"address", transport::to_text(one)}});
    for (const auto& one : said.rdma)
        log_.write(LogLevel::info, "serve", "listening for RDMA",
                   {{"address", transport::to_text(one)}});
    for (const auto& one : plan_)
        log_.write(LogLevel::info, "serve", "exporting",
                   {{"export", one.path},
                    {"source", one.source.source},
                    {"access", one.rules.read_only ? "ro" : "rw"},
                    {"for", who_may(one)},
                    {"identity", acting_as(one)}});
    for (const auto& phrase : said.confined_by)
        log_.write(LogLevel::info, "serve", "confined", {{"by", phrase}});
    for (const auto& sentence : said.not_confined) log_.write(LogLevel::warning, "serve", sentence);
    if (!said.state_problem.empty())
        log_.write(LogLevel::warning, "serve", "file handles become invalid when the server stops",
                   {{"why", said.state_problem}});
    warn_of_exposure();
    if (!said.metrics.empty())
        log_.write(LogLevel::info, "serve", "metrics", {{"address", said.metrics}});
    for (const auto& note : said.notes) log_.write(LogLevel::warning, "serve", note);
}

void Running::wait() {
    using namespace std::chrono;
    const sigset_t signals = served_signals();
    // Twice within systemd's interval, as sd_watchdog_enabled(3) advises.
    const auto interval = notify_.watchdog() ? *notify_.watchdog() / 2 : microseconds(hours(1));
    for (;;) {
        const auto whole = duration_cast<seconds>(interval);
        timespec time{};
        time.tv_sec = whole.count();
        time.tv_nsec = duration_cast<nanoseconds>(interval - whole).count();
        const int which = sigtimedwait(&signals, nullptr, &time);
        if (which == SIGHUP) reload();
        if (which == SIGTERM || which == SIGINT) {
            log_.write(LogLevel::info, "serve",
                       which == SIGTERM ? "SIGTERM: stopping" : "SIGINT: stopping");
            return;
        }
        if (notify_.watchdog() && watchdog_->alive()) notify_.alive();
    }
}

void Running::stop() {
    notify_.stopping();
    if (http_) http_->stop();
    control_.reset();
    registration_.reset();
    server_->stop();
    programs_->drop_all_opens();
    const bool idle = pool_->wait_until_idle(std::chrono::seconds(1));
    log_.write(LogLevel::info, "serve", "stopped");
    if (!idle) leave_hanging_calls();
}

// They cannot be ended: they wait in the kernel for a file system. What has been answered is on the
// disk, as after any stop: even a crash loses none of it.
void Running::leave_hanging_calls() {
    for (const nfs::Export& one : *exports_.table())
        if (const std::size_t calls = pool_->jobs_of(one.counters.get()); calls > 0)
            log_.write(LogLevel::warning, "serve",
                       fmt::format("{} does not respond: {} call{} left unanswered", one.path,
                                   calls, calls == 1 ? "" : "s"));
    std::fflush(nullptr);
    std::_Exit(0);
}

void Running::reload() {
    notify_.reloading();
    const bool done = reload_exports();
    ++(done ? reloads_ : reloads_refused_);
    if (done)
        log_.write(LogLevel::info, "serve", "reloaded", {{"exports", std::uint64_t{plan_.size()}}});
    else
        log_.write(LogLevel::error, "serve", "reload refused; the old settings stay in effect");
    if (done) warn_of_exposure();
    notify_.ready(done ? "reloaded" : "reload refused; the old settings stay");
}

void Running::warn_of_exposure() const {
    const Exposure exposure{announced_addresses(), transport::interface_addresses()};
    for (const auto& warning : exposure.warnings(plan_))
        log_.write(LogLevel::warning, "serve", warning);
}

bool Running::reload_exports() {
    const auto tell = [this](std::string_view line) {
        log_.write(LogLevel::error, "config", line);
    };
    auto next = gather_settings(request_, tell);
    if (!next) return false;
    auto plan = make_plan(*next, *request_.backends);
    if (!plan) return tell_plan_problems(request_, plan.error(), tell), false;
    if (!sandbox_reaches(*plan, tell)) return false;
    auto table = file_systems_.make(*plan);
    if (!table) return tell(table.error()), false;
    if (auto set = exports_.set(std::move(*table)); !set) return tell(set.error()), false;
    programs_->drop_stale_opens();
    tell_what_needs_a_restart(*next);
    log_.set_level(next->log_level.value_or(LogLevel::info));
    plan_ = std::move(*plan);
    settings_ = std::move(*next);
    return true;
}

bool Running::sandbox_reaches(const Plan& plan,
                              const std::function<void(std::string_view)>& tell) const {
    if (!sandbox_) return true;
    for (const PlannedExport& one : plan) {
        for (const std::string& path : one.source.paths) {
            if (sandbox_->reaches(path, !one.rules.read_only)) continue;
            tell(
                fmt::format("{}: Landlock keeps this process from {} it; restart the server, or "
                            "start it with --no-sandbox",
                            path, one.rules.read_only ? "reading" : "writing to"));
            return false;
        }
    }
    return true;
}

void Running::tell_what_needs_a_restart(const Settings& next) {
    const auto tell = [this](std::string_view key) {
        log_.write(LogLevel::warning, "config",
                   fmt::format("'{}' has changed; restart the server to apply it", key));
    };
    if (next.listen != settings_.listen) tell("listen");
    if (next.versions != settings_.versions) tell("versions");
    if (next.lease_seconds != settings_.lease_seconds) tell("lease");
    if (next.domain != settings_.domain) tell("domain");
    if (next.threads != settings_.threads) tell("threads");
    if (next.memory_bytes_max != settings_.memory_bytes_max) tell("memory");
    if (next.state != settings_.state) tell("state");
    if (next.log_format != settings_.log_format) tell("log");
    if (next.metrics != settings_.metrics || next.metrics_off != settings_.metrics_off)
        tell("metrics");
    if (next.sandbox != settings_.sandbox) tell("sandbox");
    if (next.portmap != settings_.portmap) tell("portmap");
    if (next.rdma != settings_.rdma) tell("rdma");
}

HttpAnswer Running::answer(std::string_view path) {
    if (path == "/metrics") return {.type = kMetricsType, .body = metrics_text()};
    if (path == "/health" || path == "/healthz") {
        HealthReport report = health_->look();
        report.state = state_counts();
        return {.status = report.well() ? 200 : 503,
                .type = "application/json",
                .body = to_json(report)};
    }
    if (path == "/")
        return {.body =
                    "helio serve\n\n/metrics  Prometheus metrics\n/health   200, or 503 with the "
                    "reason\n"};
    return {.status = 404, .body = "not found; try /metrics or /health\n"};
}

std::optional<StateCounts> Running::state_counts() {
    nfs::state::State* const state = programs_->state();
    if (state == nullptr) return std::nullopt;
    return StateCounts{state->totals(programs_->now()), count_locks(*exports_.table())};
}

std::string Running::metrics_text() {
    Metrics metrics;
    metrics.version = request_.version;
    metrics.procedures = rpc_.statistics().snapshot();
    metrics.exports = exports_.export_counts();
    metrics.clients = exports_.client_counts();
    metrics.transport = server_->counters();
    metrics.duplicates = rpc_.duplicates().counters();
    metrics.callbacks = programs_->callback_counts();
    metrics.process = process_.look();
    metrics.state = state_counts();
    metrics.reloads = reloads_;
    metrics.reloads_refused = reloads_refused_;
    return to_text(metrics);
}

}  // namespace helio::serve
