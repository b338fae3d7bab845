#include "tests/simulation/world.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

#include "helio/backend/memory/memory_fs.h"
#include "helio/xdr/wire.h"
#include "tests/simulation/socket_path.h"

namespace helio::simulation {

using namespace std::chrono_literals;

namespace {

constexpr nfs::HandleKey kKey{0x5eed000000000001, 0x5eed000000000002};
// Far more than any seed takes; it is about hanging.
constexpr std::uint64_t kStepsMax = 3'000'000;

}  // namespace

World::World(std::uint64_t seed, bool prints, Report& report)
    : SeededRun(seed, prints),
      report_(report),
      file_dice_(dice_.split()),
      exports_(kKey, [](std::string_view) {}),
      programs_(exports_, pool_),
      rpc_(server_options()) {
    make_files();
    start_server();
    make_clients();
    faults_.calm = false;
}

// Calls that end with the server are still observed.
World::~World() {
    faults_.calm = true;
    server_.reset();
}

rpc::ServerOptions World::server_options() {
    rpc::ServerOptions out;
    out.calls_in_flight_max = plan_.calls_in_flight_max;
    out.duplicates.entries_max = 512;
    // Clients that are deaf and cut off by turns can need longer than the default for a copy.
    out.duplicates.age_max = 1h;
    out.observer = this;
    return out;
}

void World::make_files() {
    backend::MemoryOptions options;
    options.root_mode = 0777;
    options.start_verifier = kWriteVerifier;
    files_ = backend::make_memory_fs(options);
    vfs::NewNode directory;
    directory.attributes.mode = 0777;
    vfs::CreateOut made;
    HELIO_ASSERT(files_->make({}, files_->root(), kSharedDirectory, directory, made) ==
                 vfs::Status::ok);
    reluctant_ = std::make_shared<nfs::Reluctant>(files_, 1);
    reluctant_->blocks = plan_.always_blocks;
    reluctant_->entries_before_wait = plan_.entries_before_wait;
    reluctant_->refuse = [this](const vfs::Caller& caller) { return refuse(caller); };
    nfs::Export all;
    all.path = "/";
    all.source = "memory:";
    all.files = reluctant_;
    HELIO_ASSERT(exports_.set({std::move(all)}).has_value());
    programs_.add_to(rpc_);
}

vfs::Status World::refuse(const vfs::Caller& caller) {
    if (!caller.may_block && file_dice_.one_in(plan_.wait_one_in)) return vfs::Status::would_block;
    if (!file_dice_.one_in(plan_.fail_one_in)) return vfs::Status::ok;
    trace_.add("disk fails");
    ++report_.failures_of_disk;
    return file_dice_.one_in(2) ? vfs::Status::io_error : vfs::Status::no_space;
}

void World::start_server() {
    transport::ServerLimits limits;
    limits.threads = plan_.threads;
    server_.emplace(rpc_, limits, *network_);
    if (plan_.by_listener) server_->listen_unix(socket_path("socket"));
    server_->start_driven();
    threads_.assign(plan_.threads, true);
}

// Clients with their own addresses use the same xids. Those on AF_UNIX are all the same user to the
// server, so their xids must differ.
void World::make_clients() {
    for (unsigned i = 0; i < plan_.clients; ++i) {
        const std::uint32_t first_xid = plan_.by_listener ? (i + 1) << 20 : 1;
        clients_.push_back(std::make_unique<Client>(i, plan_, dice_, trace_, first_xid,
                                                    [this, i] { return connect(i); }));
        for (unsigned j = 0; j < plan_.actors; ++j) {
            auto actor =
                std::make_unique<Actor>(fmt::format("c{}a{}", i, j), plan_, dice_, trace_, shared_);
            actors_.push_back(actor.get());
            clients_.back()->add(std::move(actor));
        }
    }
}

// The duplicate cache identifies a client by its address, without the port.
rpc::Peer World::peer_of(unsigned client) {
    rpc::Peer out;
    out.client.kind = rpc::kClientInternet;
    out.client.bytes[10] = out.client.bytes[11] = std::byte{0xff};
    out.client.bytes[12] = std::byte{10};
    out.client.bytes[15] = static_cast<std::byte>(client + 1);
    out.port = static_cast<std::uint16_t>(700 + ports_++ % 300);
    return out;
}

Fd World::connect(unsigned client) {
    if (!threads_.front()) return {};
    ++report_.connections;
    if (!plan_.by_listener) return server_->connect_as(peer_of(client));
    Fd out{socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket_path("socket");
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (::connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return {};
    return out;
}

void World::on_call(const rpc::Trace& trace) {
    ++report_.calls;
    trace_.add("server ran", trace.call.xid, trace.call.procedure);
    if (trace.call.info == nullptr || !rpc::is_remembered(*trace.call.info)) return;
    const std::uint32_t client = xdr::load_u32(trace.call.peer.client.bytes.data() + 12);
    if (++runs_[{client, trace.call.xid}] > 1)
        wrong_ = fmt::format("call {} ran twice, and must not", trace.call.xid);
}

// ---- Who acts next ----

bool World::turn(std::size_t thread) {
    if (!threads_[thread]) return false;
    const std::uint64_t events = faults_.events;
    threads_[thread] = server_->turn(thread);
    if (!wrong_.empty()) throw Failure(wrong_);
    return faults_.events != events;
}

bool World::run_job() {
    const std::size_t queued = pool_.queued();
    if (queued == 0) return false;
    if (dice_.one_in(plan_.slow_one_in) && !dice_.one_in(20)) return true;
    const std::size_t which = dice_.below(queued);
    trace_.add("pool runs", which, "of", queued);
    ++report_.jobs;
    pool_.run_queued(which);
    return true;
}

bool World::act_by(std::size_t number) {
    if (number < plan_.threads) return turn(number);
    if (number == plan_.threads) return run_job();
    Client& client = *clients_[number - plan_.threads - 1];
    return is_leaving_ ? client.hear_end() : client.act();
}

bool World::act() {
    if (!is_leaving_ && lates_ < plan_.late_max && dice_.one_in(plan_.late_one_in)) {
        ++lates_;
        clock_.advance(std::chrono::milliseconds(dice_.between(1, 3000)));
    }
    return act_by(dice_.below(participants()));
}

// Everyone in turn, the server twice: the end of a turn may cause work for the next one.
bool World::act_all() {
    bool did = false;
    for (int i = 0; i < 2; ++i)
        for (std::size_t number = 0; number < participants(); ++number) did |= act_by(number);
    return did;
}

void World::let_time_pass(const char* what) {
    if (!is_leaving_)
        for (const auto& client : clients_) client->check_quiet();
    std::optional<Clock::time_point> next = server_->next_timer();
    for (const auto& client : clients_)
        if (const auto one = is_leaving_ ? std::nullopt : client->next_time();
            one && (!next || *one < *next))
            next = one;
    if (!next) throw Failure("nothing will ever happen again\n" + describe(what));
    clock_.advance_to(*next);
}

template <class IsOver>
void World::run_until(const char* what, IsOver is_over) {
    std::size_t quiet = 0;
    while (!is_over()) {
        if (++steps_ > kStepsMax) throw Failure("it does not end\n" + describe(what));
        if (act()) {
            quiet = 0;
        } else if (++quiet < participants()) {
            continue;
        } else if (act_all()) {
            quiet = 0;
        } else if (!is_over()) {
            let_time_pass(what);  // and more if nothing follows from that
        }
    }
}

std::string World::describe(const char* what) const {
    const auto cache = const_cast<rpc::Server&>(rpc_).duplicates().counters();
    std::string out =
        fmt::format("while {}: {} connections, {} bytes received, {} jobs, {} calls running\n",
                    what, server_->counters().connections, server_->counters().memory_bytes,
                    pool_.queued(), cache.running);
    for (const auto& client : clients_) out += client->describe();
    return out;
}

// ---- From the beginning to the end ----

void World::run() {
    run_until("working", [this] {
        return std::all_of(clients_.begin(), clients_.end(),
                           [](const auto& one) { return one->is_done(); });
    });
    is_leaving_ = true;
    if (plan_.leaves_first) leave();
    stop();
    compare();
    count();
}

void World::leave() {
    for (const auto& client : clients_) client->leave();
    run_until("leaving",
              [this] { return server_->counters().connections == 0 && pool_.queued() == 0; });
}

// Copies of calls may still run, or wait to be read. The server lets running ones end.
void World::stop() {
    const auto begin = Clock::now();
    server_->begin_stop();
    run_until("stopping", [this] {
        return std::none_of(threads_.begin(), threads_.end(), [](bool one) { return one; });
    });
    // A connection that is slow to take its last replies may need all of the time.
    if (plan_.leaves_first && Clock::now() - begin >= transport::kDrainTimeout)
        throw Failure("the server took all the time it had to stop, and had nothing to do");
    run_until("waiting for the pool", [this] { return pool_.queued() == 0; });
    const auto counters = server_->counters();
    const auto cache = rpc_.duplicates().counters();
    if (counters.connections != 0 || counters.memory_bytes > server_->threads() * kThreadBytesMax)
        throw Failure("something is left\n" + describe("stopped"));
    if (plan_.leaves_first && cache.running != 0)
        throw Failure("calls are left\n" + describe("stopped"));
}

void World::compare() {
    for (const Actor* const actor : actors_) actor->compare(*files_);
    vfs::LookupOut shared, found;
    HELIO_ASSERT(files_->lookup({}, files_->root(), kSharedDirectory, shared) == vfs::Status::ok);
    for (std::size_t i = 0; i < kSharedNames; ++i) {
        const std::string name = SharedNames::name(i);
        const bool exists = files_->lookup({}, shared.id, name, found) == vfs::Status::ok;
        if (shared_.balance[i] != (exists ? 1 : 0))
            throw Failure(fmt::format("{} {}, but was created {} times more than removed", name,
                                      exists ? "exists" : "does not exist", shared_.balance[i]));
    }
}

void World::count() {
    const auto cache = rpc_.duplicates().counters();
    report_.replayed = cache.replayed;
    report_.while_running = cache.while_running;
    report_.timed_out = server_->counters().timed_out;
    report_.refused = server_->counters().refused;
    report_.hash = trace_.hash();
    report_.events = trace_.events();
}

}  // namespace helio::simulation
