#include "helio/transport/loop/pool_queue.h"

#include <algorithm>

#include "helio/base/assert.h"

namespace helio::transport {

namespace {

// A quarter of the threads is reserved for other groups, and half of the group's threads for jobs
// that are not long.
std::size_t without_a_quarter(std::size_t threads) {
    return threads == 0 ? SIZE_MAX : std::max<std::size_t>(1, threads - (threads + 3) / 4);
}
std::size_t half(std::size_t threads) { return std::max<std::size_t>(1, threads / 2); }

// The cost charged when a job begins. If it takes longer, the rest is charged at its end.
constexpr std::chrono::microseconds kUsualCost{20};

}  // namespace

PoolQueue::PoolQueue(std::size_t threads)
    : group_running_max_(without_a_quarter(threads)), long_running_max_(half(group_running_max_)) {}

void PoolQueue::Lane::enlist(const void* key, const Client& client) {
    if (!client.jobs.empty())
        turns_.emplace(client.due, client.jobs.front()->number, key);
    else if (client.due > now_)
        ahead_.emplace(client.due, key);
    else if (client.running == 0)
        clients_.erase(key);
}

void PoolQueue::Lane::delist(const void* key, const Client& client) {
    if (!client.jobs.empty())
        turns_.erase({client.due, client.jobs.front()->number, key});
    else
        ahead_.erase({client.due, key});
}

void PoolQueue::Lane::push(PoolJob& job) {
    Client& client = clients_[job.order.client];
    delist(job.order.client, client);
    if (client.jobs.empty()) client.due = std::max(client.due, now_);
    client.jobs.push_back(&job);
    enlist(job.order.client, client);
}

PoolJob* PoolQueue::Lane::pop() {
    const auto [due, number, key] = *turns_.begin();
    Client& client = clients_.find(key)->second;
    delist(key, client);
    now_ = std::max(now_, due);
    PoolJob* const job = client.jobs.front();
    client.jobs.pop_front();
    ++client.running;
    ++running_;
    client.due += kUsualCost;
    enlist(key, client);
    while (!ahead_.empty() && ahead_.begin()->first <= now_) {
        const void* const caught_up = ahead_.begin()->second;
        ahead_.erase(ahead_.begin());
        enlist(caught_up, clients_.find(caught_up)->second);
    }
    return job;
}

void PoolQueue::Lane::ended(const void* key, std::chrono::nanoseconds took) {
    Client& client = clients_.find(key)->second;
    delist(key, client);
    --client.running;
    client.due += std::max(Time{0}, took - kUsualCost);
    enlist(key, client);
    if (--running_ > 0 || !turns_.empty()) return;
    // The queue is idle: all clients are equal again, and those that have gone are forgotten.
    clients_.clear();
    ahead_.clear();
    now_ = Time{0};
}

bool PoolQueue::Lane::remove(PoolJob& job) {
    const auto found = clients_.find(job.order.client);
    if (found == clients_.end()) return false;
    Client& client = found->second;
    const auto at = std::ranges::find(client.jobs, &job);
    if (at == client.jobs.end()) return false;
    delist(job.order.client, client);
    client.jobs.erase(at);
    enlist(job.order.client, client);
    return true;
}

void PoolQueue::Lane::add_waiting(std::vector<PoolJob*>& out) const {
    for (const auto& [key, client] : clients_)
        out.insert(out.end(), client.jobs.begin(), client.jobs.end());
}

void PoolQueue::push(PoolJob& job) {
    job.number = next_number_++;
    Group& group = groups_[job.order.group];
    group.lanes[job.order.is_long].push(job);
    ++group.waiting;
    ++size_;
}

PoolJob* PoolQueue::pop() {
    // In turn, beginning with the group after the last one served.
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

void PoolQueue::ended(const PoolOrder& order, std::chrono::nanoseconds took) {
    const auto found = groups_.find(order.group);
    HELIO_ASSERT(found != groups_.end() && found->second.running > 0);
    found->second.lanes[order.is_long].ended(order.client, took);
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
        for (const Lane& lane : group.lanes) lane.add_waiting(all);
    std::ranges::sort(all, {}, &PoolJob::number);
    return all;
}

}  // namespace helio::transport
