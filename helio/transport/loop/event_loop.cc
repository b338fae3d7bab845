#include "helio/transport/loop/event_loop.h"

#include <algorithm>
#include <memory>

namespace helio::transport {

namespace {
// A loop wakes up at least once a minute, whatever its timers say.
constexpr std::chrono::minutes kSleepMax{1};

thread_local EventLoop* current_loop = nullptr;
}  // namespace

EventLoop* EventLoop::current() { return current_loop; }

EventLoop::EventLoop(Network& network)
    : network_(network), poller_(network.make_poller()), events_(kEventsPerWaitMax) {}

EventLoop::~EventLoop() {
    while (!locals_.empty()) locals_.pop_back();
    for (Timer* const one : timers_) one->place_ = Timer::kNowhere;
    for (Deferred* const one : deferred_)
        if (one != nullptr) one->loop_ = nullptr;
    while (posted_ != nullptr) {
        Posted& one = *std::exchange(posted_, posted_->next);
        if (one.drop != nullptr) one.drop(one);
    }
}

int EventLoop::add(int fd, Interest interest, Handler& handler, Sharing sharing) {
    const int error_number = poller_->add(fd, interest, handler, sharing);
    if (error_number == 0) ++watched_;
    return error_number;
}

void EventLoop::remove(int fd, Handler& handler) {
    if (poller_->remove(fd)) --watched_;  // not twice
    for (std::size_t i = event_; i < event_count_; ++i)
        if (events_[i].handler == &handler) events_[i].ready = {};
}

EventLoop::Deferred::~Deferred() {
    if (loop_ == nullptr) return;
    auto& list = loop_->deferred_;
    if (place_ < list.size() && list[place_] == this) list[place_] = nullptr;
    auto& ending = loop_->ending_;
    if (place_ < ending.size() && ending[place_] == this) ending[place_] = nullptr;
}

void EventLoop::add_deferred(Deferred& work) {
    work.loop_ = this;
    work.place_ = deferred_.size();
    deferred_.push_back(&work);
}

void EventLoop::forget(std::coroutine_handle<> waiter) {
    std::replace(ready_.begin(), ready_.end(), waiter, std::coroutine_handle<>{});
    std::replace(resuming_.begin(), resuming_.end(), waiter, std::coroutine_handle<>{});
}

void EventLoop::run() {
    stopping_ = false;
    // The clock is not read again between the end of a turn and the next wait.
    for (checked_ = {}; !stopping_;) turn_again(std::chrono::milliseconds(-1));
}

void EventLoop::turn(std::chrono::milliseconds wait) {
    checked_ = {};
    turn_again(wait);
}

void EventLoop::turn_again(std::chrono::milliseconds wait) {
    event_count_ = wait_for_events(wait);
    checked_ = {};
    EventLoop* const outer = std::exchange(current_loop, this);
    for (event_ = 0; event_ < event_count_; ++event_) {
        const auto [handler, ready] = events_[event_];
        now_known_ = false;
        if (handler == nullptr)
            take_posted();
        else if (!ready.none())  // otherwise it was removed
            handler->on_ready(ready);
    }
    event_ = event_count_ = 0;

    now_known_ = false;
    if (!ready_.empty()) resume_ready();
    if (!timers_.empty()) run_timers();

    if (!deferred_.empty()) run_deferred();
    now_known_ = false;
    current_loop = outer;
}

void EventLoop::resume_ready() {
    std::swap(ready_, resuming_);
    for (std::size_t i = 0; i < resuming_.size(); ++i)
        if (const auto one = std::exchange(resuming_[i], {})) one.resume();
    resuming_.clear();
}

void EventLoop::run_deferred() {
    checked_ = {};
    now_known_ = false;
    std::swap(deferred_, ending_);
    for (std::size_t i = 0; i < ending_.size(); ++i) {
        Deferred* const one = ending_[i];
        if (one == nullptr) continue;
        one->loop_ = nullptr;  // from now on it may be deferred again, or destroyed
        one->on_turn_end();
    }
    ending_.clear();
}

// How long a turn may wait; nothing: until something happens.
std::optional<std::chrono::nanoseconds> EventLoop::time_to_wait(
    std::chrono::milliseconds wait) const {
    if (!ready_.empty() || !deferred_.empty()) return std::chrono::nanoseconds(0);
    if (timers_.empty() && wait.count() < 0) return std::nullopt;
    std::chrono::nanoseconds time = wait.count() < 0 ? kSleepMax : wait;
    if (!timers_.empty()) {
        const auto now = checked_ != Clock::time_point{} ? checked_ : Clock::now();
        time = std::min<std::chrono::nanoseconds>(time, timers_.front()->when_ - now);
    }
    return std::max(time, std::chrono::nanoseconds(0));
}

bool EventLoop::waits_for_one_only(Clock::duration time) const {
    return watched_ == 1 && ready_.empty() && deferred_.empty() &&
           (timers_.empty() || timers_.front()->when_ - Clock::now() > time);
}

std::size_t EventLoop::wait_for_events(std::chrono::milliseconds wait) {
    const auto time = time_to_wait(wait);
    if (!busy_poll_ || (time && *time <= busy_poll_->reach())) return poller_->wait(events_, time);
    if (busy_poll_->pays())
        if (const std::size_t count = look_for_events()) return count;
    const auto begin = Clock::now();
    const std::size_t count = poller_->wait(events_, time);
    if (count > 0) busy_poll_->slept(Clock::now() - begin);
    return count;
}

// Polls for a while, without sleeping.
std::size_t EventLoop::look_for_events() {
    constexpr std::chrono::nanoseconds kNoTime{0};
    if (const std::size_t count = poller_->wait(events_, kNoTime)) return count;
    const auto begin = Clock::now();
    for (Clock::duration passed{0}; passed < busy_poll_->reach(); passed = Clock::now() - begin) {
        const std::size_t count = poller_->wait(events_, kNoTime);
        if (count == 0) continue;
        busy_poll_->came(Clock::now() - begin);
        return count;
    }
    busy_poll_->found_nothing();
    return 0;
}

void EventLoop::stop() {
    const std::lock_guard lock{posted_mutex_};
    stop_posted_ = true;
    if (!std::exchange(woken_, true)) poller_->wake();
}

void EventLoop::post(Posted& work) {
    const std::lock_guard lock{posted_mutex_};
    work.next = nullptr;
    *posted_end_ = &work;
    posted_end_ = &work.next;
    if (!std::exchange(woken_, true)) poller_->wake();
}

void EventLoop::post(std::function<void()> work) {
    struct Owned : Posted {
        std::function<void()> work;
    };
    auto* const owned = new Owned;
    owned->work = std::move(work);
    owned->run = [](Posted& self) {
        const std::unique_ptr<Owned> mine{static_cast<Owned*>(&self)};
        mine->work();
    };
    owned->drop = [](Posted& self) { delete static_cast<Owned*>(&self); };
    post(static_cast<Posted&>(*owned));
}

void EventLoop::take_posted() {
    {
        const std::lock_guard lock{posted_mutex_};
        taken_ = std::exchange(posted_, nullptr);
        posted_end_ = &posted_;
        woken_ = false;
        if (std::exchange(stop_posted_, false)) stopping_ = true;
    }
    while (taken_ != nullptr) {
        Posted& one = *taken_;
        taken_ = one.next;  // running it may destroy it
        one.run(one);
    }
}

bool EventLoop::unpost(Posted& work) {
    const std::lock_guard lock{posted_mutex_};
    for (Posted** const list : {&taken_, &posted_}) {
        for (Posted** link = list; *link != nullptr; link = &(*link)->next) {
            if (*link != &work) continue;
            *link = work.next;
            if (posted_end_ == &work.next) posted_end_ = link;
            return true;
        }
    }
    return false;
}

void Timer::set(Clock::time_point when) {
    cancel();
    when_ = when;
    loop_.timers_.push_back(this);
    place_ = loop_.timers_.size() - 1;
    loop_.sift_up(place_);
}

void Timer::cancel() {
    if (!is_set()) return;
    const std::size_t place = std::exchange(place_, kNowhere);
    Timer* const last = loop_.timers_.back();
    loop_.timers_.pop_back();
    if (last == this) return;
    loop_.put(place, last);
    loop_.sift_up(place);
    loop_.sift_down(last->place_);
}

void EventLoop::put(std::size_t place, Timer* timer) {
    timers_[place] = timer;
    timer->place_ = place;
}

void EventLoop::sift_up(std::size_t place) {
    Timer* const timer = timers_[place];
    while (place > 0 && timer->when_ < timers_[(place - 1) / 2]->when_) {
        put(place, timers_[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(place, timer);
}

void EventLoop::sift_down(std::size_t place) {
    Timer* const timer = timers_[place];
    for (;;) {
        std::size_t child = 2 * place + 1;
        if (child >= timers_.size()) break;
        if (child + 1 < timers_.size() && timers_[child + 1]->when_ < timers_[child]->when_)
            ++child;
        if (timer->when_ <= timers_[child]->when_) break;
        put(place, timers_[child]);
        place = child;
    }
    put(place, timer);
}

void EventLoop::run_timers() {
    const auto now = Clock::now();
    if (timers_.front()->when_ > now) [[likely]] {
        checked_ = now;
        return;
    }
    while (!timers_.empty() && timers_.front()->when_ <= now) {
        Timer* const due = timers_.front();
        due->cancel();
        now_known_ = false;
        due->on_time();
    }
}

}  // namespace helio::transport
