// Services other than NFS, under a seed: batches of steps that wait on the pool, for timers, for
// callbacks over their own connection and for calls to another server (tests/rpc_callbacks). Both
// servers and the client are our own, and the system calls of all three have faults.
//
// Without a lost connection every batch succeeds. With one, a batch may end early, and its reply
// reports correctly what it did; no batch runs twice for one call.
#include <algorithm>
#include <optional>

#include "tests/rpc_callbacks/steps_service.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/simulation.h"
#include "tests/simulation/socket_path.h"

namespace helio::simulation {

namespace {

using namespace rpc_callbacks;

constexpr std::uint64_t kActsMax = 1'000'000;

struct Side {
    transport::Pool pool{0};
    StepsService service{pool};
    rpc::Server programs;
    std::optional<transport::Server> server;
    bool is_running = true;

    Side(const std::string& path, transport::Network& network) {
        programs.add(service);
        server.emplace(programs, transport::ServerLimits{.threads = 1}, network);
        server->listen_unix(path);
        server->start_driven();
    }
    void turn() { is_running = is_running && server->turn(0); }
};

struct Batch {
    std::vector<step> steps;
    std::vector<std::int32_t> sums;  // expected
};

Batch random_batch(Dice& dice) {
    Batch out;
    std::int32_t sum = 0;
    for (std::size_t left = dice.between(1, 12); left > 0; --left) {
        const auto number = static_cast<std::int32_t>(dice.below(1000));
        constexpr step_kind kKinds[] = {STEP_ADD, STEP_SLEEP, STEP_BLOCK, STEP_CALL_BACK,
                                        STEP_CALL_OUT};
        const step_kind kind = dice.pick(kKinds);
        out.steps.push_back(kind == STEP_CALL_OUT ? step::of_port(0)
                                                  : step::of_number(kind, number));
        sum += kind == STEP_SLEEP       ? 0
               : kind == STEP_CALL_BACK ? 2 * number
               : kind == STEP_CALL_OUT  ? 1
                                        : number;
        out.sums.push_back(sum);
    }
    return out;
}

class StepsWorld final : SeededRun {
 public:
    StepsWorld(std::uint64_t seed, bool prints, Report& report)
        : SeededRun(seed, prints), report_(report), loop_(*network_) {
        other_.emplace(socket_path("other"), *network_);
        first_.emplace(socket_path("first"), *network_);
        first_->service.other = transport::Endpoint::unix_path(socket_path("other"));
        helpers_.add(helper_);
        transport::ClientOptions options;
        options.callbacks = &helpers_;
        for (unsigned i = 0; i < plan_.clients; ++i)
            connections_.push_back(std::make_unique<transport::ClientConnection>(
                loop_, std::vector{transport::Endpoint::unix_path(socket_path("first"))}, options));
    }
    ~StepsWorld() { faults_.calm = true; }

    void run() {
        begin();
        faults_.calm = false;
        while (done_ < tasks_.size()) {
            if (++steps_ > kActsMax) throw Failure("it does not end");
            if (!act() && ++quiet_ > 20) pass_time();
        }
        faults_.calm = true;
        tasks_.clear();
        connections_.clear();
        stop(first_);
        stop(other_);
        report_.hash = trace_.hash();
        report_.events = trace_.events();
    }

 private:
    void begin() {
        const std::size_t count = plan_.clients * plan_.actors;
        for (std::size_t i = 0; i < count; ++i)
            tasks_.push_back(work(*connections_[i % connections_.size()], i));
        loop_.post([this] {
            for (Task<void>& one : tasks_) one.start(nullptr, nullptr);
        });
    }

    // One batch after the other.
    Task<void> work(transport::ClientConnection& connection, std::size_t number) {
        STEPS_V1::AsyncClient client{connection};
        for (unsigned left = plan_.operations / 2; left > 0; --left) {
            const Batch batch = random_batch(dice_);
            trace_.add("task", number, "begins", batch.steps.size());
            const auto reply = co_await client.RUN({0, batch.steps});
            ++report_.calls;
            if (!reply) {
                trace_.add("task", number, "has no answer");
                expect(faults_.losses > 0, "no answer, and no connection was lost");
                continue;
            }
            const outcome& result = **reply;
            trace_.add("task", number, "is answered", result.sums.size(), result.failed);
            expect(!result.failed || faults_.losses > 0,
                   "a step failed, and no connection was lost");
            expect(result.failed || result.sums.size() == batch.sums.size(), "steps are missing");
            expect(result.sums.size() <= batch.sums.size() &&
                       std::equal(result.sums.begin(), result.sums.end(), batch.sums.begin()),
                   "wrong sums");
        }
        ++done_;
    }
    // Coroutines do not throw: the loop runs them.
    void expect(bool good, const char* what) {
        if (!good && wrong_.empty()) wrong_ = what;
    }

    bool act() {
        const std::uint64_t events = faults_.events;
        const std::size_t who = dice_.below(5);
        if (who == 0) loop_.turn(std::chrono::milliseconds(0));
        if (who == 1) first_->turn();
        if (who == 2) other_->turn();
        bool did = faults_.events != events;
        transport::Pool& pool = who == 3 ? first_->pool : other_->pool;
        if (who >= 3 && pool.queued() > 0) {
            pool.run_queued(dice_.below(pool.queued()));
            ++report_.jobs;
            did = true;
        }
        if (!wrong_.empty()) throw Failure(wrong_);
        if (did) quiet_ = 0;
        return did;
    }

    void pass_time() {
        const std::uint64_t events = faults_.events;
        for (int i = 0; i < 2; ++i) {
            loop_.turn(std::chrono::milliseconds(0));
            first_->turn();
            other_->turn();
        }
        if (faults_.events != events || first_->pool.queued() + other_->pool.queued() > 0) {
            quiet_ = 0;
            return;
        }
        std::optional<Clock::time_point> next = loop_.next_timer();
        for (const Side* const side : {&*first_, &*other_}) {
            if (!side->is_running) continue;
            const auto timer = side->server->next_timer();
            if (timer && (!next || *timer < *next)) next = timer;
        }
        if (!next) throw Failure("nothing will ever happen again");
        clock_.advance_to(*next);
    }

    void stop(std::optional<Side>& side) {
        side->server->begin_stop();
        const auto begin = Clock::now();
        while (side->is_running) {
            if (++steps_ > kActsMax) throw Failure("it does not stop");
            if (!act() && ++quiet_ > 20) pass_time();
        }
        if (Clock::now() - begin >= transport::kDrainTimeout && faults_.losses == 0)
            throw Failure("the server took all the time it had to stop, and had nothing to do");
        const auto counters = side->server->counters();
        const auto cache = side->programs.duplicates().counters();
        if (counters.connections != 0 ||
            counters.memory_bytes > side->server->threads() * kThreadBytesMax)
            throw Failure("something is left");
        if (static_cast<std::uint64_t>(side->service.batches) != cache.fresh)
            throw Failure("the duplicate cache does not know of every batch");
        if (&side == &first_ && static_cast<std::uint64_t>(side->service.batches) > report_.calls)
            throw Failure("more batches ran than were called");
        report_.replayed += cache.replayed;
        report_.while_running += cache.while_running;
        side->service.forget_channel();
        side->server.reset();
    }

    Report& report_;
    std::optional<Side> other_, first_;
    HelperService helper_;
    rpc::Server helpers_;
    transport::EventLoop loop_;
    std::vector<std::unique_ptr<transport::ClientConnection>> connections_;
    std::vector<Task<void>> tasks_;
    std::size_t done_ = 0;
    std::string wrong_;
    std::uint64_t steps_ = 0;
    unsigned quiet_ = 0;
};

}  // namespace

void run_steps(std::uint64_t seed, bool prints, Report& report) {
    StepsWorld world{seed, prints, report};
    world.run();
}

}  // namespace helio::simulation
