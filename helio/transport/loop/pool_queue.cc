#include "helio/transport/loop/pool_queue.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::transport {

namespace {

// A quarter of the threads is left to other groups, and half of the group's to jobs that are not
// long.
std::size_t without_a_quarter(std::size_t threads) {
    return threads == 0 ? SIZE_MAX : std::max<std::size_t>(1, threads - (threads + 3) / 4);
}
std::size_t half(std::size_t threads) { return std::max<std::size_t>(1, threads / 2); }

}  // namespace

PoolQueue::PoolQueue(std::size_t threads)
    : group_running_max_(without_a_quarter(threads)), long_running_max_(half(group_running_max_)) {}

void PoolQueue::Lane::push(PoolJob& job) {
    auto& queue = jobs[job.order.client];
    if (queue.empty()) turns.push_back(job.order.client);
    queue.push_back(&job);
}

PoolJob* PoolQueue::Lane::pop() {
    const void* const client = turns.front();
    turns.pop_front();
    const auto found = jobs.find(client);
    PoolJob* const job = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
        jobs.erase(found);
    else
        turns.push_back(client);
    return job;
}

bool PoolQueue::Lane::remove(PoolJob& job) {
    const auto found = jobs.find(job.order.client);
    if (found == jobs.end() || std::erase(found->second, &job) == 0) return false;
    if (found->second.empty()) {
        std::erase(turns, job.order.client);
        jobs.erase(found);
    }
    return true;
}

void PoolQueue::push(PoolJob& job) {
    job.number = next_number_++;
    Group& group = groups_[job.order.group];
    group.lanes[job.order.is_long].push(job);
    ++group.waiting;
    ++size_;
}

PoolJob* PoolQueue::pop() {
    // From the group after the one that had the last turn, around to that one.
    auto at = groups_.upper_bound(last_group_);
    for (std::size_t i = 0; i < groups_.size(); ++i, ++at) {
        if (at == groups_.end()) at = groups_.begin();
        if (PoolJob* const job = pop_from(at->second)) {
            last_group_ = at->first;
            return job;
        }
    }
    return nullptr;
}

PoolJob* PoolQueue::pop_from(Group& group) {
    if (group.running >= group_running_max_) return nullptr;
    const bool has_long = !group.lanes[true].empty() && group.running_long < long_running_max_;
    const bool has_short = !group.lanes[false].empty();
    if (!has_long && !has_short) return nullptr;
    const bool takes_long = has_long && (!has_short || !group.last_was_long);
    group.last_was_long = takes_long;
    PoolJob* const job = group.lanes[takes_long].pop();
    --group.waiting;
    --size_;
    ++group.running;
    if (takes_long) ++group.running_long;
    return job;
}

void PoolQueue::ended(const PoolOrder& order) {
    const auto found = groups_.find(order.group);
    HELIO_ASSERT(found != groups_.end() && found->second.running > 0);
    --found->second.running;
    if (order.is_long) --found->second.running_long;
    if (found->second.running == 0 && found->second.waiting == 0) groups_.erase(found);
}

bool PoolQueue::remove(PoolJob& job) {
    const auto found = groups_.find(job.order.group);
    if (found == groups_.end()) return false;
    Group& group = found->second;
    if (!group.lanes[job.order.is_long].remove(job)) return false;
    --group.waiting;
    --size_;
    if (group.running == 0 && group.waiting == 0) groups_.erase(found);
    return true;
}

std::size_t PoolQueue::size_of(const void* group) const {
    const auto found = groups_.find(group);
    return found == groups_.end() ? 0 : found->second.running + found->second.waiting;
}

bool PoolQueue::has_starving_group() const {
    return std::ranges::any_of(
        groups_, [](const auto& one) { return one.second.running == 0 && one.second.waiting > 0; });
}

std::vector<PoolJob*> PoolQueue::waiting() const {
    std::vector<PoolJob*> all;
    for (const auto& [key, group] : groups_)
        for (const Lane& lane : group.lanes)
            for (const auto& [client, jobs] : lane.jobs)
                all.insert(all.end(), jobs.begin(), jobs.end());
    std::ranges::sort(all, {}, &PoolJob::number);
    return all;
}

}  // namespace helio::transport
