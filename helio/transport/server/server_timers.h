// ServerTimers: timers for a whole server instead of one connection: leases that expire, grace
// periods that end. They run on one thread of the server, always the same, and only after the
// server has started.
//
//     lease_ = server.timers().every(10s, [this] { expire(); });
//
// Any thread may set and cancel them. Once cancel() or the destructor has returned, the work does
// not run any more; if called from within the work itself, it does not run again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "helio/base/clock.h"
#include "helio/transport/loop/event_loop.h"

namespace helio::transport {

class ServerTimer final {
 public:
    ServerTimer() = default;  // none
    ServerTimer(ServerTimer&&) noexcept = default;
    ServerTimer& operator=(ServerTimer&& other) noexcept;
    ~ServerTimer() { cancel(); }

    void cancel();
    explicit operator bool() const { return entry_ != nullptr; }

 private:
    friend class ServerTimers;
    struct Entry;
    explicit ServerTimer(std::shared_ptr<Entry> entry) : entry_(std::move(entry)) {}
    std::shared_ptr<Entry> entry_;
};

class ServerTimers final {
 public:
    ServerTimers();
    ~ServerTimers();
    ServerTimers(const ServerTimers&) = delete;
    ServerTimers& operator=(const ServerTimers&) = delete;

    // Once, after this much time.
    [[nodiscard]] ServerTimer after(std::chrono::nanoseconds time, std::function<void()> work);
    // Again and again, with this much time from the end of one run to the next.
    [[nodiscard]] ServerTimer every(std::chrono::nanoseconds interval, std::function<void()> work);

    // ---- For the server ----

    // The loop they run on, from now on. stop() when its thread has ended, and before the loop
    // does.
    void start(EventLoop& loop);
    void stop();

 private:
    friend class ServerTimer;
    struct Shared;
    class Alarm;
    ServerTimer add(std::chrono::nanoseconds first, std::chrono::nanoseconds interval,
                    std::function<void()> work);

    std::shared_ptr<Shared> shared_;
};

}  // namespace helio::transport
