#include "helio/transport/offload.h"

namespace helio::transport {

Pool::Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back(&Pool::run, this);
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

void Pool::run() {
    for (;;) {
        Job* job = nullptr;
        {
            std::unique_lock lock{mutex_};
            work_.wait(lock, [this] { return first_ != nullptr || stopping_; });
            if (first_ == nullptr) return;
            job = first_;
            first_ = job->next_job;
            if (first_ == nullptr) end_ = &first_;
        }
        job->work(*job);
        job->home->post(*job);  // and from here on it is not ours
    }
}

}  // namespace helio::transport
