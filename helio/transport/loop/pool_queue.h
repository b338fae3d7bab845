// PoolQueue: the jobs that wait for a thread of a Pool, and which of them is next. No threads and
// no locks of its own.
//
// Clients take turns, so that one with a thousand jobs delays another's by one. Jobs belong to
// groups, each of which uses something that may hang, such as the file system of an export: a group
// never occupies all threads. Nor do its long jobs, such as listings, occupy all that it may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

namespace helio::transport {

struct PoolOrder {
    const void* client = nullptr;  // any pointers that tell them apart
    const void* group = nullptr;
    bool is_long = false;
};

struct PoolJob {
    PoolOrder order;
    std::uint64_t number = 0;  // in order of arrival
};

class PoolQueue final {
 public:
    // With 0 threads nothing is held back.
    explicit PoolQueue(std::size_t threads);

    void push(PoolJob& job);
    // The next one, which counts as running until ended(); nullptr if none may run now.
    PoolJob* pop();
    void ended(const PoolOrder& order);
    // False if it does not wait here.
    bool remove(PoolJob& job);

    std::size_t size() const { return size_; }
    // Those of a group that wait or run.
    std::size_t size_of(const void* group) const;
    // Whether jobs of some group wait and none of them runs.
    bool has_starving_group() const;
    // All that wait, in order of arrival.
    std::vector<PoolJob*> waiting() const;

 private:
    // One client's jobs after the other's.
    struct Lane {
        std::unordered_map<const void*, std::deque<PoolJob*>> jobs;
        std::deque<const void*> turns;  // clients with jobs

        bool empty() const { return turns.empty(); }
        void push(PoolJob& job);
        PoolJob* pop();
        bool remove(PoolJob& job);
    };
    struct Group {
        Lane lanes[2];  // by is_long
        std::size_t running = 0;
        std::size_t running_long = 0;
        std::size_t waiting = 0;
        bool last_was_long = false;
    };

    PoolJob* pop_from(Group& group);

    const std::size_t group_running_max_;
    const std::size_t long_running_max_;
    std::map<const void*, Group> groups_;
    const void* last_group_ = nullptr;
    std::size_t size_ = 0;
    std::uint64_t next_number_ = 1;
};

}  // namespace helio::transport
