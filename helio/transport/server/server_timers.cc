#include "helio/transport/server/server_timers.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace helio::transport {

// Shared::mutex guards everything except `work`, which only its runner touches.
struct ServerTimer::Entry {
    std::shared_ptr<ServerTimers::Shared> shared;
    Clock::time_point when;
    std::chrono::nanoseconds interval{0};  // 0: once
    std::function<void()> work;
    bool is_cancelled = false;
};

// The loop's own timer, for the entry that is due next. On the loop's thread.
class ServerTimers::Alarm final : public Timer {
 public:
    Alarm(EventLoop& loop, Shared& shared) : Timer(loop), shared_(shared) {}

 private:
    void on_time() override;
    Shared& shared_;
};

struct ServerTimers::Shared {
    using Entry = ServerTimer::Entry;

    std::mutex mutex;
    std::condition_variable ended;
    std::vector<std::shared_ptr<Entry>> entries;  // few, so the next one is found by searching
    EventLoop* loop = nullptr;                    // while it runs
    std::unique_ptr<Alarm> alarm;                 // of the loop's thread
    const Entry* running = nullptr;
    std::thread::id runner;

    std::shared_ptr<Entry> take_due(Clock::time_point now) {
        const std::lock_guard lock{mutex};
        for (auto at = entries.begin(); at != entries.end(); ++at) {
            if ((*at)->when > now) continue;
            std::shared_ptr<Entry> due = *at;
            entries.erase(at);
            running = due.get();
            runner = std::this_thread::get_id();
            return due;
        }
        return nullptr;
    }
    void run_due(const std::shared_ptr<Entry>& due) {
        due->work();
        const std::lock_guard lock{mutex};
        running = nullptr;
        if (due->interval.count() > 0 && !due->is_cancelled) {
            due->when = Clock::now() + due->interval;
            entries.push_back(due);
        }
        ended.notify_all();
    }
    // On the loop's thread.
    void set_alarm() {
        const std::lock_guard lock{mutex};
        if (!alarm) return;
        alarm->cancel();
        if (entries.empty()) return;
        auto next = entries.front()->when;
        for (const auto& one : entries) next = std::min(next, one->when);
        alarm->set(next);
    }
};

void ServerTimers::Alarm::on_time() {
    const auto now = Clock::now();
    while (const auto due = shared_.take_due(now)) shared_.run_due(due);
    shared_.set_alarm();
}

ServerTimer& ServerTimer::operator=(ServerTimer&& other) noexcept {
    if (this != &other) {
        cancel();
        entry_ = std::move(other.entry_);
    }
    return *this;
}

void ServerTimer::cancel() {
    const std::shared_ptr<Entry> entry = std::move(entry_);
    if (!entry) return;
    ServerTimers::Shared& shared = *entry->shared;
    std::unique_lock lock{shared.mutex};
    entry->is_cancelled = true;
    std::erase(shared.entries, entry);
    if (shared.running == entry.get() && shared.runner != std::this_thread::get_id())
        shared.ended.wait(lock, [&] { return shared.running != entry.get(); });
}

ServerTimers::ServerTimers() : shared_(std::make_shared<Shared>()) {}
ServerTimers::~ServerTimers() {
    stop();
    const std::lock_guard lock{shared_->mutex};
    shared_->entries.clear();  // breaks the cycle: entries hold Shared
}

ServerTimer ServerTimers::after(std::chrono::nanoseconds time, std::function<void()> work) {
    return add(time, std::chrono::nanoseconds(0), std::move(work));
}

ServerTimer ServerTimers::every(std::chrono::nanoseconds interval, std::function<void()> work) {
    return add(interval, interval, std::move(work));
}

ServerTimer ServerTimers::add(std::chrono::nanoseconds first, std::chrono::nanoseconds interval,
                              std::function<void()> work) {
    auto entry = std::make_shared<ServerTimer::Entry>();
    entry->shared = shared_;
    entry->when = Clock::now() + first;
    entry->interval = interval;
    entry->work = std::move(work);
    const std::lock_guard lock{shared_->mutex};
    shared_->entries.push_back(entry);
    if (shared_->loop != nullptr) shared_->loop->post([shared = shared_] { shared->set_alarm(); });
    return ServerTimer{std::move(entry)};
}

void ServerTimers::start(EventLoop& loop) {
    const std::lock_guard lock{shared_->mutex};
    shared_->loop = &loop;
    loop.post([shared = shared_, &loop] {
        {
            const std::lock_guard inner{shared->mutex};
            if (shared->loop == &loop) shared->alarm = std::make_unique<Alarm>(loop, *shared);
        }
        shared->set_alarm();
    });
}

void ServerTimers::stop() {
    const std::lock_guard lock{shared_->mutex};
    shared_->loop = nullptr;
    shared_->alarm.reset();
}

}  // namespace helio::transport
