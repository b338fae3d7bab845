#include "helio/transport/offload.h"

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
            *link = job.next_job;
            if (end_ == &job.next_job) end_ = link;
            return;
        }
        ended_.wait(lock, [&] {
            return std::find(running_.begin(), running_.end(), &job) == running_.end();
        });
    }
    job.home->unpost(job);
}

void Pool::run(std::size_t thread) {
    for (;;) {
        Job* job = nullptr;
        {
            std::unique_lock lock{mutex_};
            if (std::exchange(running_[thread], nullptr) != nullptr) ended_.notify_all();
            work_.wait(lock, [this] { return first_ != nullptr || stopping_; });
            if (first_ == nullptr) return;
            job = first_;
            first_ = job->next_job;
            if (first_ == nullptr) end_ = &first_;
            running_[thread] = job;
        }
        job->work(*job);
        job->home->post(*job);  // and from here on it is not ours
    }
}

}  // namespace helio::transport
