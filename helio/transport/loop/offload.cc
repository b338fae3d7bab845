#include "helio/transport/loop/offload.h"

#include <algorithm>

namespace helio::transport {

Pool::Pool(unsigned threads) : running_(threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back(&Pool::run, this, i);
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
        job.next_job = nullptr;
        *end_ = &job;
        end_ = &job.next_job;
    }
    work_.notify_one();
}

void Pool::take_back(Job& job) {
    {
        std::unique_lock lock{mutex_};
        for (Job** link = &first_; *link != nullptr; link = &(*link)->next_job) {
            if (*link != &job) continue;
            unlink(link);
            return;
        }
        ended_.wait(lock, [&] {
            return std::find(running_.begin(), running_.end(), &job) == running_.end();
        });
    }
    job.home->unpost(job);
}

Pool::Job* Pool::unlink(Job** link) {
    Job* const job = *link;
    *link = job->next_job;
    if (end_ == &job->next_job) end_ = link;
    return job;
}

std::size_t Pool::queued() const {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    for (const Job* one = first_; one != nullptr; one = one->next_job) ++count;
    return count;
}

void Pool::run_queued(std::size_t index) {
    HELIO_ASSERT(threads_.empty());
    Job* job = nullptr;
    {
        const std::lock_guard lock{mutex_};
        Job** link = &first_;
        for (; index > 0 && *link != nullptr; --index) link = &(*link)->next_job;
        HELIO_ASSERT(*link != nullptr);
        job = unlink(link);
    }
    job->work(*job);
    job->home->post(*job);
}

void Pool::run(std::size_t thread) {
    for (;;) {
        Job* job = nullptr;
        {
            std::unique_lock lock{mutex_};
            if (std::exchange(running_[thread], nullptr) != nullptr) ended_.notify_all();
            work_.wait(lock, [this] { return first_ != nullptr || stopping_; });
            if (first_ == nullptr) return;
            job = unlink(&first_);
            running_[thread] = job;
        }
        job->work(*job);
        job->home->post(*job);  // and from here on it is not ours
    }
}

}  // namespace helio::transport
