#include "helio/transport/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include "helio/base/assert.h"

namespace helio::transport {

namespace {
// Events fetched at a time; more stay in the kernel for the next turn.
constexpr std::size_t kEventsPerTurn = 256;
// A loop looks around once a minute, whatever its timers say.
constexpr std::chrono::minutes kSleepMax{1};

thread_local EventLoop* current_loop = nullptr;
}  // namespace

EventLoop* EventLoop::current() { return current_loop; }

EventLoop::EventLoop() : events_(kEventsPerTurn) {
    epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
    wake_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll_fd_ < 0 || wake_fd_ < 0)
        throw std::system_error(errno, std::generic_category(), "cannot make an event loop");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = nullptr;  // the loop itself
    if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot make an event loop");
}

EventLoop::~EventLoop() {
    for (Timer* const one : timers_) one->place_ = Timer::kNowhere;
    for (Deferred* const one : deferred_)
        if (one != nullptr) one->loop_ = nullptr;
    while (posted_ != nullptr) {
        Posted& one = *std::exchange(posted_, posted_->next);
        if (one.drop != nullptr) one.drop(one);
    }
    close(wake_fd_);
    close(epoll_fd_);
}

void EventLoop::add(int fd, std::uint32_t events, Handler& handler) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot watch a descriptor");
    ++watched_;
}

void EventLoop::change(int fd, std::uint32_t events, Handler& handler) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    const int result = epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, fd, &event);
    HELIO_ASSERT(result == 0);  // it was added, and memory is not needed for this
}

void EventLoop::remove(int fd, Handler& handler) {
    if (epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr) == 0) --watched_;  // not twice
    for (std::size_t i = event_; i < event_count_; ++i)
        if (events_[i].data.ptr == &handler) events_[i].events = 0;
}

EventLoop::Deferred::~Deferred() {
    if (loop_ == nullptr) return;
    auto& list = loop_->deferred_;
    if (place_ < list.size() && list[place_] == this) list[place_] = nullptr;
    auto& ending = loop_->ending_;
    if (place_ < ending.size() && ending[place_] == this) ending[place_] = nullptr;
}

void EventLoop::defer(Deferred& work) {
    if (work.loop_ != nullptr) return;
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
    while (!stopping_) turn(std::chrono::milliseconds(-1));
}

void EventLoop::turn(std::chrono::milliseconds wait) {
    const int count = wait_for_events(wait);
    EventLoop* const outer = std::exchange(current_loop, this);
    event_count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
    for (event_ = 0; event_ < event_count_; ++event_) {
        const epoll_event& event = events_[event_];
        if (event.events == 0) continue;  // its owner went away in this turn
        now_known_ = false;
        if (event.data.ptr == nullptr)
            take_posted();
        else
            static_cast<Handler*>(event.data.ptr)->on_events(event.events);
    }
    event_ = event_count_ = 0;

    now_known_ = false;
    std::swap(ready_, resuming_);
    for (std::size_t i = 0; i < resuming_.size(); ++i)
        if (const auto one = std::exchange(resuming_[i], {})) one.resume();
    resuming_.clear();
    if (!timers_.empty()) run_timers();

    now_known_ = false;
    std::swap(deferred_, ending_);
    for (std::size_t i = 0; i < ending_.size(); ++i) {
        Deferred* const one = ending_[i];
        if (one == nullptr) continue;
        one->loop_ = nullptr;  // it may be deferred again, or destroyed, from now on
        one->on_turn_end();
    }
    ending_.clear();
    now_known_ = false;
    current_loop = outer;
}

// How long a turn may wait; nothing: until something happens.
std::optional<std::chrono::nanoseconds> EventLoop::time_to_wait(
    std::chrono::milliseconds wait) const {
    if (!ready_.empty() || !deferred_.empty()) return std::chrono::nanoseconds(0);
    if (timers_.empty() && wait.count() < 0) return std::nullopt;
    std::chrono::nanoseconds time = wait.count() < 0 ? kSleepMax : wait;
    if (!timers_.empty())
        time = std::min<std::chrono::nanoseconds>(time, timers_.front()->when_ - Clock::now());
    return std::max(time, std::chrono::nanoseconds(0));
}

bool EventLoop::waits_for_one_only(Clock::duration time) const {
    return watched_ == 1 && ready_.empty() && deferred_.empty() &&
           (timers_.empty() || timers_.front()->when_ - Clock::now() > time);
}

int EventLoop::wait_for_events(std::chrono::milliseconds wait) {
    const auto time = time_to_wait(wait);
    if (!look_out_ || (time && *time <= look_out_->reach())) return sleep_until_events(time);
    if (look_out_->pays())
        if (const int count = look_for_events()) return count;
    const auto begin = Clock::now();
    const int count = sleep_until_events(time);
    if (count > 0) look_out_->slept(Clock::now() - begin);
    return count;
}

// For a while, without sleeping.
int EventLoop::look_for_events() {
    const auto room = static_cast<int>(events_.size());
    if (const int count = epoll_wait(epoll_fd_, events_.data(), room, 0)) return count;
    const auto begin = Clock::now();
    for (Clock::duration passed{0}; passed < look_out_->reach(); passed = Clock::now() - begin) {
        const int count = epoll_wait(epoll_fd_, events_.data(), room, 0);
        if (count == 0) continue;
        look_out_->came(Clock::now() - begin);
        return count;
    }
    look_out_->looked_in_vain();
    return 0;
}

int EventLoop::sleep_until_events(std::optional<std::chrono::nanoseconds> time) {
    const auto room = static_cast<int>(events_.size());
    // Milliseconds are too coarse for whoever sends at a rate; the call that takes nanoseconds is
    // of Linux 5.11, and some sandboxes do not let it pass.
    if (time && time->count() > 0 && !coarse_) {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
        const timespec limit{seconds.count(), (*time - seconds).count()};
        const int count = epoll_pwait2(epoll_fd_, events_.data(), room, &limit, nullptr);
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
        coarse_ = true;
    }
    // Rounded up: a turn that comes too early finds nothing to do.
    const auto ms = time ? std::chrono::ceil<std::chrono::milliseconds>(*time).count() : -1;
    return epoll_wait(epoll_fd_, events_.data(), room, static_cast<int>(ms));
}

void EventLoop::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(wake_fd_, &one, sizeof one);
}

void EventLoop::stop() {
    const std::lock_guard lock{posted_mutex_};
    stop_posted_ = true;
    if (!std::exchange(woken_, true)) wake();
}

void EventLoop::post(Posted& work) {
    const std::lock_guard lock{posted_mutex_};
    work.next = nullptr;
    *posted_end_ = &work;
    posted_end_ = &work.next;
    if (!std::exchange(woken_, true)) wake();
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
    std::uint64_t count = 0;
    [[maybe_unused]] const auto got = read(wake_fd_, &count, sizeof count);
    {
        const std::lock_guard lock{posted_mutex_};
        taken_ = std::exchange(posted_, nullptr);
        posted_end_ = &posted_;
        woken_ = false;
        if (std::exchange(stop_posted_, false)) stopping_ = true;
    }
    while (taken_ != nullptr) {
        Posted& one = *taken_;
        taken_ = one.next;  // running it may end its life
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
    while (!timers_.empty() && timers_.front()->when_ <= now) {
        Timer* const due = timers_.front();
        due->cancel();
        now_known_ = false;
        due->on_time();
    }
}

}  // namespace helio::transport
