// PoolQueue: the jobs that wait for a thread of a Pool, and which of them is next. It has no
// threads and no locks.
//
// Each client gets the same share of the threads' time: the next job is from the client whose jobs
// have used the least, counted from when it had none (start-time fair queueing: Goyal, Vin and
// Cheng, 1996). So a hundred clients that list large directories delay another client's small job
// by one of their jobs, not by all of them. Jobs belong to groups, each of which uses something
// that may hang, such as the file system of an export. A group never occupies all threads, and its
// long jobs, such as listings, never occupy all threads that the group may have.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
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
    // `took` is charged to its client.
    void ended(const PoolOrder& order, std::chrono::nanoseconds took);
    // False if it is not queued here.
    bool remove(PoolJob& job);

    std::size_t size() const { return size_; }
    // Jobs of a group that wait or run.
    std::size_t size_of(const void* group) const;
    // Whether jobs of some group wait and none of them runs.
    bool has_starving_group() const;
    // All that wait, in order of arrival.
    std::vector<PoolJob*> waiting() const;

 private:
    class Lane final {
     public:
        bool empty() const { return turns_.empty(); }
        void push(PoolJob& job);
        PoolJob* pop();
        void ended(const void* client, std::chrono::nanoseconds took);
        bool remove(PoolJob& job);
        void add_waiting(std::vector<PoolJob*>& out) const;

     private:
        // Time that jobs took, in each client's own count.
        using Time = std::chrono::nanoseconds;
        struct Client {
            std::deque<PoolJob*> jobs;  // that wait
            std::size_t running = 0;
            Time due{0};  // its next job has its turn when no other client's is due earlier
        };
        void enlist(const void* key, const Client& client);
        void delist(const void* key, const Client& client);

        std::unordered_map<const void*, Client> clients_;
        std::set<std::tuple<Time, std::uint64_t, const void*>> turns_;  // of those with jobs
        // Clients without jobs that had used more than others: leaving must gain them nothing.
        std::set<std::pair<Time, const void*>> ahead_;
        std::size_t running_ = 0;  // jobs
        Time now_{0};              // when the last job that began was due
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
