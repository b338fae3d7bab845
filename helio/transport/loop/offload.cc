#include "helio/transport/loop/offload.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <system_error>

namespace helio::transport {

Pool::Pool(unsigned threads)
    : threads_max_(threads == 0 ? 0 : threads + kSpareThreadsMax), queue_(threads) {
    const std::lock_guard lock{mutex_};
    for (unsigned i = 0; i < threads; ++i) add_thread();
}

Pool::~Pool() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& one : threads_) one.join();
}

void Pool::add_thread() {
    Running& mine = running_.emplace_back();
    try {
        threads_.emplace_back(&Pool::run, this, std::ref(mine));
    } catch (const std::system_error&) {
        running_.pop_back();
        if (threads_.empty()) throw;
    }
}

// Ensures that a group whose jobs all hang does not keep other groups waiting.
void Pool::add_thread_if_one_starves() {
    if (idle_ == 0 && threads_.size() < threads_max_ && !stopping_ && queue_.has_starving_group())
        add_thread();
}

// One thread at a time is woken, and it wakes the next if it finds more jobs than its own. By then
// the running threads may have done them: waking takes longer than most jobs.
bool Pool::should_wake() {
    if (is_waking_ || idle_ == 0 || queue_.size() == 0) return false;
    is_waking_ = true;
    return true;
}

void Pool::give(Job& job) {
    bool wakes = false;
    {
        const std::lock_guard lock{mutex_};
        queue_.push(job);
        add_thread_if_one_starves();
        wakes = should_wake();
    }
    if (wakes) work_.notify_one();
}

namespace {
struct DetachedJob final : Pool::Job {
    std::function<void()> function;
};
}  // namespace

void Pool::run_detached(std::function<void()> work, const PoolOrder& order) {
    auto* const job = new DetachedJob;
    job->function = std::move(work);
    job->order = order;
    job->work = [](Job& self) {
        const std::unique_ptr<DetachedJob> mine{static_cast<DetachedJob*>(&self)};
        mine->function();
    };
    give(*job);
}

// Afterwards the job is not ours.
void Pool::run_job(Job& job) {
    EventLoop* const home = job.home;
    job.work(job);
    if (home != nullptr) home->post(job);
}

void Pool::take_back(Job& job) {
    {
        std::unique_lock lock{mutex_};
        if (queue_.remove(job)) return;
        ended_.wait(lock, [&] {
            return std::ranges::find(running_, &job, &Running::job) == running_.end();
        });
    }
    job.home->unpost(job);
}

bool Pool::wait_until_idle(std::chrono::milliseconds at_most) {
    std::unique_lock lock{mutex_};
    return ended_.wait_for(lock, at_most, [this] {
        return queue_.size() == 0 &&
               std::ranges::all_of(running_, [](const Running& one) { return one.job == nullptr; });
    });
}

std::size_t Pool::queued() const {
    const std::lock_guard lock{mutex_};
    return queue_.size();
}

std::size_t Pool::jobs_of(const void* group) const {
    const std::lock_guard lock{mutex_};
    return queue_.size_of(group);
}

std::chrono::milliseconds Pool::longest_of(const void* group) const {
    const auto now = Clock::now();
    std::chrono::milliseconds longest{0};
    const std::lock_guard lock{mutex_};
    for (const Running& one : running_)
        if (one.job != nullptr && one.order.group == group)
            longest = std::max(
                longest, std::chrono::duration_cast<std::chrono::milliseconds>(now - one.began));
    return longest;
}

void Pool::run_queued(std::size_t index) {
    HELIO_ASSERT(threads_.empty());
    Job* job = nullptr;
    {
        const std::lock_guard lock{mutex_};
        job = static_cast<Job*>(queue_.waiting().at(index));
        HELIO_ASSERT(queue_.remove(*job));
    }
    run_job(*job);
}

void Pool::run(Running& mine) {
    for (;;) {
        Job* job = nullptr;
        bool wakes = false;
        {
            std::unique_lock lock{mutex_};
            if (std::exchange(mine.job, nullptr) != nullptr) {
                queue_.ended(mine.order, Clock::now() - mine.began);
                ended_.notify_all();
            }
            while ((job = static_cast<Job*>(queue_.pop())) == nullptr) {
                if (stopping_ && queue_.size() == 0) break;
                ++idle_;
                work_.wait(lock);
                --idle_;
                is_waking_ = false;
            }
            if (job == nullptr) break;
            mine = {job, job->order, Clock::now()};
            add_thread_if_one_starves();
            wakes = should_wake();
        }
        if (wakes) work_.notify_one();
        run_job(*job);
    }
    work_.notify_all();  // others may have waited for the queue to be empty
}

}  // namespace helio::transport
