// Linux's epoll(7), level-triggered, and an eventfd(2) to wake it.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "helio/base/assert.h"
#include "helio/base/fd.h"
#include "helio/transport/loop/poller.h"

namespace helio::transport {

namespace {

std::uint32_t to_epoll(Interest interest) {
    return (includes(interest, Interest::read) ? EPOLLIN : 0u) |
           (includes(interest, Interest::write) ? EPOLLOUT : 0u);
}

Readiness to_readiness(std::uint32_t events) {
    return Readiness{((events & EPOLLIN) != 0 ? Readiness::kReadable : 0u) |
                     ((events & EPOLLOUT) != 0 ? Readiness::kWritable : 0u) |
                     ((events & (EPOLLHUP | EPOLLERR)) != 0 ? Readiness::kHungUp : 0u)};
}

class EpollPoller final : public Poller {
 public:
    EpollPoller()
        : epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (!epoll_ || !wake_ || epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0)
            throw std::system_error(errno, std::generic_category(), "cannot make an event loop");
    }

    int add(int fd, Interest interest, Handler& handler, Sharing sharing) override {
        epoll_event event{};
        event.events = to_epoll(interest) | (sharing == Sharing::shared ? EPOLLEXCLUSIVE : 0u);
        event.data.ptr = &handler;
        return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
    }

    void change(int fd, Interest interest, Handler& handler) override {
        epoll_event event{};
        event.events = to_epoll(interest);
        event.data.ptr = &handler;
        const int result = epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
        HELIO_ASSERT(result == 0);  // it was added, and this needs no memory
    }

    bool remove(int fd) override {
        return epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr) == 0;
    }

    std::size_t wait(std::span<Event> events,
                     std::optional<std::chrono::nanoseconds> time) override {
        const int got = sleep(static_cast<int>(std::min(events.size(), raw_.size())), time);
        const std::size_t count = got > 0 ? static_cast<std::size_t>(got) : 0;
        for (std::size_t i = 0; i < count; ++i) {
            events[i].handler = static_cast<Handler*>(raw_[i].data.ptr);
            events[i].ready = to_readiness(raw_[i].events);
            if (events[i].handler == nullptr) [[unlikely]] {
                std::uint64_t times = 0;
                [[maybe_unused]] const auto got_times = read(wake_.get(), &times, sizeof times);
            }
        }
        return count;
    }

    void wake() override {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(wake_.get(), &one, sizeof one);
    }

 private:
    int sleep(int room, std::optional<std::chrono::nanoseconds> time) {
        // Milliseconds are too coarse for a client that sends at a fixed rate. The system call that
        // takes nanoseconds exists since Linux 5.11, and some sandboxes do not permit it.
        if (time && time->count() > 0 && !coarse_) {
            const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
            const timespec limit{seconds.count(), (*time - seconds).count()};
            const int count = epoll_pwait2(epoll_.get(), raw_.data(), room, &limit, nullptr);
            if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
            coarse_ = true;
        }
        // Rounded up: a turn that comes too early would find nothing to do.
        const auto ms = time ? std::chrono::ceil<std::chrono::milliseconds>(*time).count() : -1;
        return epoll_wait(epoll_.get(), raw_.data(), room, static_cast<int>(ms));
    }

    Fd epoll_, wake_;
    std::array<epoll_event, kEventsPerWaitMax> raw_;
    bool coarse_ = false;  // the kernel waits in whole milliseconds
};

}  // namespace

std::unique_ptr<Poller> make_poller() { return std::make_unique<EpollPoller>(); }

}  // namespace helio::transport
