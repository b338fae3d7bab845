#include "helio/transport/loop/offload.h"

#include <algorithm>
#include <functional>

namespace helio::transport {

Pool::Pool(unsigned threads) : queue_(threads), running_(threads) {
    for (Running& one : running_) threads_.emplace_back(&Pool::run, this, std::ref(one));
}

Pool::~Pool() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
    }
    work_.notify_all();
    for (std::thread& one : threads_) one.join();
}

void Pool::give(Job& job) {
    {
        const std::lock_guard lock{mutex_};
        queue_.push(job);
    }
    work_.notify_one();
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
    job->work(*job);
    job->home->post(*job);
}

void Pool::run(Running& mine) {
    for (;;) {
        Job* job = nullptr;
        {
            std::unique_lock lock{mutex_};
            if (std::exchange(mine.job, nullptr) != nullptr) {
                queue_.ended(mine.order);
                ended_.notify_all();
            }
            work_.wait(lock, [&] {
                job = static_cast<Job*>(queue_.pop());
                return job != nullptr || (stopping_ && queue_.size() == 0);
            });
            if (job == nullptr) break;
            mine = {job, job->order, Clock::now()};
        }
        job->work(*job);
        job->home->post(*job);  // and from here on it is not ours
    }
    work_.notify_all();  // others may have waited for the queue to be empty
}

}  // namespace helio::transport
