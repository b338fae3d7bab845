// EventLoop: one thread's descriptors, timers and coroutines. Everything except post() and stop()
// belongs to the thread that runs it. A turn handles, in this order: events from the poller, work
// posted by other threads, coroutines that waited for the next turn, timers that are due, and work
// deferred to the end of the turn, which is when connections send what the turn has gathered.
//
// docs/decisions/0003 explains why this is not Asio.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "helio/base/clock.h"
#include "helio/base/task.h"
#include "helio/transport/loop/busy_poll.h"
#include "helio/transport/loop/poller.h"
#include "helio/transport/socket/network.h"

namespace helio::transport {

class EventLoop;

// Calls a function at a given time. Not movable while it is set; destroying it cancels it.
class Timer {
 public:
    using Clock = helio::Clock;
    explicit Timer(EventLoop& loop) : loop_(loop) {}
    virtual ~Timer() { cancel(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void set(Clock::time_point when);  // replaces any time set before
    void cancel();
    bool is_set() const { return place_ != kNowhere; }

 protected:
    virtual void on_time() = 0;

 private:
    friend class EventLoop;
    static constexpr std::size_t kNowhere = SIZE_MAX;
    EventLoop& loop_;
    Clock::time_point when_;
    std::size_t place_ = kNowhere;  // in the loop's heap
};

class EventLoop final {
 public:
    using Clock = helio::Clock;

    using Handler = Poller::Handler;
    using Sharing = Poller::Sharing;
    // Work for the end of the turn. Destroying it cancels it.
    class Deferred {
     public:
        Deferred() = default;
        virtual ~Deferred();
        Deferred(const Deferred&) = delete;
        Deferred& operator=(const Deferred&) = delete;

     protected:
        virtual void on_turn_end() = 0;

     private:
        friend class EventLoop;
        EventLoop* loop_ = nullptr;  // set while it waits
        std::size_t place_ = 0;
    };
    // Work for another thread's loop. A member of the object that waits for it, so nothing is
    // allocated.
    struct Posted {
        void (*run)(Posted& self) = nullptr;
        void (*drop)(Posted& self) = nullptr;  // called if the loop ends first
        Posted* next = nullptr;
    };

    // Throws std::system_error. The network outlives the loop.
    explicit EventLoop(Network& network = Network::kernel());
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    // The loop that this thread is running; nullptr outside of a turn.
    static EventLoop* current();
    // Everything on this loop receives and sends through this network.
    Network& network() { return network_; }

    // An object owned by this loop, made on first use and destroyed before the loop.
    template <class T>
    T& local() {
        for (const Local& one : locals_)
            if (one.key == &kLocalKey<T>) return *static_cast<T*>(one.object.get());
        auto made = std::make_shared<T>(*this);
        locals_.push_back({&kLocalKey<T>, made});
        return *made;
    }

    // The time, read once per event, timer and end of turn; outside of a turn it is read anew. For
    // code that handles many messages of one event.
    Clock::time_point now() {
        if (now_known_) return now_;
        now_ = Clock::now();
        now_known_ = current() == this;
        return now_;
    }

    // Runs until stop().
    void run();
    // Runs one turn. Waits at most this long for an event, forever if negative.
    void turn(std::chrono::milliseconds wait);
    // From now on a turn polls for events before it sleeps, as long as that pays.
    void busy_poll(std::chrono::microseconds reach = kBusyPollMax) { busy_poll_.emplace(reach); }
    // True if a turn would wait only for one descriptor, and no timer is due within `time`. The
    // descriptor's owner may then wait for it without the loop; work posted meanwhile has to wait.
    bool waits_for_one_only(Clock::duration time) const;
    // When the next timer is due, if any: how far a test may advance its FakeClock before a timer
    // fires.
    std::optional<Clock::time_point> next_timer() const {
        if (timers_.empty()) return std::nullopt;
        return timers_.front()->when_;
    }
    // True once a turn has seen stop(); run() resets it.
    bool is_stopped() const { return stopping_; }
    // From any thread.
    void stop();
    void post(Posted& work);
    void post(std::function<void()> work);
    // On the loop's thread: cancels posted work. False if it is not queued.
    bool unpost(Posted& work);

    // As in Poller: 0 or errno.
    [[nodiscard]] int add(int fd, Interest interest, Handler& handler,
                          Sharing sharing = Sharing::own);
    void change(int fd, Interest interest, Handler& handler) {
        poller_->change(fd, interest, handler);
    }
    // The descriptor is still open. Its handler is not called any more.
    void remove(int fd, Handler& handler);
    void defer(Deferred& work) {
        if (work.loop_ == nullptr) add_deferred(work);
    }

    // `co_await loop.next_turn()`: resumes after everything that is ready now.
    class NextTurn final {
     public:
        explicit NextTurn(EventLoop& loop) : loop_(loop) {}
        NextTurn(const NextTurn&) = delete;
        NextTurn& operator=(const NextTurn&) = delete;
        ~NextTurn() {
            if (waiter_) loop_.forget(waiter_);  // destroyed while it waited
        }
        bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> waiter) {
            waiter_ = waiter;
            loop_.resume_soon(waiter);
        }
        void await_resume() noexcept { waiter_ = {}; }

     private:
        EventLoop& loop_;
        std::coroutine_handle<> waiter_;
    };
    NextTurn next_turn() { return NextTurn{*this}; }
    // For awaitables: the coroutine resumes in this turn or the next, not within this call.
    void resume_soon(std::coroutine_handle<> waiter) { ready_.push_back(waiter); }
    // A coroutine passed to resume_soon() will not resume: its frame is being destroyed.
    void forget(std::coroutine_handle<> waiter);
    // `co_await loop.sleep(5ms)`
    class Sleep final : private Timer {
     public:
        Sleep(EventLoop& loop, Clock::duration time) : Timer(loop), time_(time) {}
        bool await_ready() const noexcept { return time_ <= Clock::duration::zero(); }
        void await_suspend(std::coroutine_handle<> waiter) {
            waiter_ = waiter;
            set(Clock::now() + time_);
        }
        void await_resume() const noexcept {}

     private:
        void on_time() override { waiter_.resume(); }
        Clock::duration time_;
        std::coroutine_handle<> waiter_;
    };
    Sleep sleep(Clock::duration time) { return {*this, time}; }

 private:
    friend class Timer;
    template <class T>
    static constexpr char kLocalKey = 0;  // only its address is used
    struct Local {
        const void* key;
        std::shared_ptr<void> object;
    };
    void turn_again(std::chrono::milliseconds wait);
    void take_posted();
    void resume_ready();
    void add_deferred(Deferred& work);
    void run_timers();
    void run_deferred();
    std::optional<std::chrono::nanoseconds> time_to_wait(std::chrono::milliseconds wait) const;
    std::size_t wait_for_events(std::chrono::milliseconds wait);
    std::size_t look_for_events();
    void sift_up(std::size_t place);
    void sift_down(std::size_t place);
    void put(std::size_t place, Timer* timer);

    Network& network_;
    std::vector<Local> locals_;
    std::unique_ptr<Poller> poller_;
    std::size_t watched_ = 0;  // descriptors
    std::vector<Poller::Event> events_;
    std::size_t event_ = 0;        // the one being handled
    std::size_t event_count_ = 0;  // of this turn
    std::vector<std::coroutine_handle<>> ready_, resuming_;
    std::vector<Deferred*> deferred_, ending_;
    std::vector<Timer*> timers_;  // a heap, the next one first
    bool stopping_ = false;
    Clock::time_point now_;
    bool now_known_ = false;
    Clock::time_point checked_{};  // when timers were checked, if nothing has run since
    std::optional<BusyPoll> busy_poll_;

    std::mutex posted_mutex_;
    Posted* taken_ = nullptr;  // posted work that runs next; only for the loop's thread
    Posted* posted_ = nullptr;
    Posted** posted_end_ = &posted_;
    bool stop_posted_ = false;
    bool woken_ = false;
};

}  // namespace helio::transport
