// Worker: one thread's part of a load run. Only its thread uses it, except for the atomic figures,
// which progress() of the run reads.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "helio/base/histogram.h"
#include "helio/load/plan.h"
#include "helio/load/schedule.h"
#include "helio/reflect/tree.h"
#include "helio/transport/client/client.h"
#include "helio/transport/loop/event_loop.h"

namespace helio::load {

using Clock = std::chrono::steady_clock;

// When things happen; the same for every thread.
struct Times {
    Clock::time_point start;
    Clock::time_point begin;  // of the measured time
    Clock::time_point end;
    std::chrono::nanoseconds interval;  // of the series
};

// A counter that one thread writes and others read: no locked instruction.
class Count final {
 public:
    void add(std::uint64_t by) { value_.store(get() + by, std::memory_order_relaxed); }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
    std::atomic<std::uint64_t> value_ = 0;
};

class Worker final {
 public:
    Worker(const std::vector<Step>& steps, const std::vector<std::uint16_t>& order,
           const Settings& settings, const Times& times, std::uint32_t index);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void start_thread();
    // From any thread: ends the run now.
    void stop();
    void join() { thread_.join(); }
    bool ended() const { return ended_.load(std::memory_order_acquire); }

    struct Interval {
        rpc::Histogram latency;
        Count answered;
        Count failed;
    };
    const Interval* interval(std::size_t i) const { return i < count_ ? &series_[i] : nullptr; }
    std::uint64_t answered_so_far() const { return answered_so_far_.get(); }
    std::uint64_t failed_so_far() const { return failed_so_far_.get(); }

    // Valid once it has ended.
    struct Figures {
        rpc::Histogram latency;  // of calls that ended after the last interval
        rpc::Histogram lag;
        std::uint64_t answered = 0, failed = 0, unanswered = 0;
        std::uint64_t argument_bytes = 0, result_bytes = 0;
        std::uint64_t checked = 0, held_back = 0, retransmitted = 0;
        std::vector<std::pair<xdr::CallError, std::uint64_t>> errors;
        std::vector<std::pair<std::int64_t, std::uint64_t>> statuses;  // step << 32 | status
        std::vector<std::pair<const char*, std::uint64_t>> wrong;      // by the Source
        std::uint64_t strays = 0;
        std::chrono::nanoseconds cpu{0};
        Clock::time_point end;  // of the measured time
        std::optional<xdr::CallError> away;
    };
    const Figures& figures() const { return figures_; }

 private:
    // Holds one call in flight.
    struct Slot {
        Worker* worker = nullptr;
        transport::ClientConnection* connection = nullptr;
        xdr::AsyncCall::Owner call;
        Clock::time_point begin;  // or when it was due
        std::uint16_t step = 0;
        std::size_t argument_bytes = 0;
    };
    class Alarm final : public transport::Timer {
     public:
        Alarm(Worker& owner, void (Worker::*what)())
            : Timer(owner.loop_), owner_(owner), what_(what) {}

     private:
        void on_time() override { (owner_.*what_)(); }
        Worker& owner_;
        void (Worker::*what_)();
    };

    void main();
    void begin_all();
    void start_call(Slot& slot, Clock::time_point begin);
    static void on_done(void* slot, xdr::AsyncCall& call);
    void done(Slot& slot, xdr::AsyncCall& call);
    void count_answer(const Slot& slot, Clock::time_point now, ByteView results,
                      std::span<const ByteView> bulk);
    void count_failure(const Slot& slot, Clock::time_point now, const xdr::CallError& error);
    bool count_one_failed(const Slot& slot, Clock::time_point now);
    std::size_t index_of(const Slot& slot) const {
        return static_cast<std::size_t>(&slot - slots_.data());
    }
    bool write_arguments(Slot& slot);
    void count_status(const Slot& slot, ByteView results);
    bool fits(const Slot& slot, ByteView results);
    void next(Slot& slot, Clock::time_point now);
    Interval* interval_at(Clock::time_point now);

    void send_due();
    void note_lag(Clock::time_point due, Clock::time_point now);
    void note_away(const xdr::CallError& error, Clock::time_point now);
    void park(Slot& slot);
    void retry();
    void begin_measuring();
    void end_measuring();
    void give_up();

    const std::vector<Step>& steps_;
    const std::vector<std::uint16_t>& order_;
    const Settings& settings_;
    const Times times_;
    Source* source_ = nullptr;
    std::optional<Schedule> schedule_;

    transport::EventLoop loop_;
    std::vector<std::unique_ptr<transport::ClientConnection>> connections_;
    std::vector<Slot> slots_;
    std::vector<Slot*> parked_;
    std::vector<Slot*> idle_;  // open loop: a ring, so that connections take turns
    std::size_t idle_first_ = 0, idle_count_ = 0;
    std::size_t in_flight_ = 0;
    std::uint64_t scheduled_ = 0;  // calls of the schedule begun so far
    std::size_t order_at_ = 0;
    std::vector<std::uint32_t> variant_at_;
    bool stopping_ = false;
    bool over_ = false;

    Alarm tick_{*this, &Worker::send_due};
    Alarm start_alarm_{*this, &Worker::begin_all};
    Alarm begin_alarm_{*this, &Worker::begin_measuring};
    Alarm end_alarm_{*this, &Worker::end_measuring};
    Alarm drain_alarm_{*this, &Worker::give_up};
    Alarm retry_alarm_{*this, &Worker::retry};

    std::unique_ptr<Interval[]> series_;
    std::size_t count_ = 0;
    std::size_t interval_at_ = 0;
    Clock::time_point interval_end_;
    Count answered_so_far_, failed_so_far_;
    Clock::time_point last_answer_{};
    Clock::time_point away_since_{};  // first failure to reach the server since then
    std::chrono::nanoseconds cpu_before_{0};
    xdr::CallError last_away_;
    reflect::Tree tree_;  // of results being checked
    std::vector<bool> has_status_;
    Figures figures_;
    std::thread thread_;
    std::atomic<bool> ended_ = false;
};

}  // namespace helio::load
