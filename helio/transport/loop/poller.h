// Poller: waits until one of many descriptors is ready, for one EventLoop. poller_epoll.cc is
// Linux's; another system needs one more file like it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace helio::transport {

// The events that a descriptor's owner waits for.
enum class Interest : std::uint8_t { none = 0, read = 1, write = 2, read_write = 3 };

constexpr Interest operator|(Interest a, Interest b) {
    return static_cast<Interest>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool includes(Interest all, Interest part) {
    return (static_cast<unsigned>(all) & static_cast<unsigned>(part)) != 0;
}

// The events for which a descriptor is ready.
class Readiness final {
 public:
    static constexpr unsigned kReadable = 1, kWritable = 2, kHungUp = 4;

    Readiness() = default;
    explicit Readiness(unsigned bits) : bits_(static_cast<std::uint8_t>(bits)) {}

    bool none() const { return bits_ == 0; }
    // Bytes, a connection to accept, or the end of the stream.
    bool readable() const { return (bits_ & kReadable) != 0; }
    bool writable() const { return (bits_ & kWritable) != 0; }
    // The peer has closed both directions, or the descriptor has failed. Reported regardless of the
    // interest, until the descriptor is removed.
    bool hung_up() const { return (bits_ & kHungUp) != 0; }

 private:
    std::uint8_t bits_ = 0;
};

// Events per wait; the system keeps the others for the next one.
inline constexpr std::size_t kEventsPerWaitMax = 256;

class Poller {
 public:
    // A descriptor's owner.
    class Handler {
     public:
        virtual ~Handler() = default;
        virtual void on_ready(Readiness ready) = 0;
    };
    // shared: other loops wait for the same descriptor, a listening socket. The poller tries to
    // wake only one of them. A shared descriptor can be removed, but not changed.
    enum class Sharing : std::uint8_t { own, shared };
    struct Event {
        Handler* handler = nullptr;  // nullptr: wake() was called
        Readiness ready;
    };

    virtual ~Poller() = default;

    // 0, or errno: the system watches no more descriptors for us, or this one cannot be watched.
    [[nodiscard]] virtual int add(int fd, Interest interest, Handler& handler, Sharing sharing) = 0;
    virtual void change(int fd, Interest interest, Handler& handler) = 0;
    // The descriptor is still open. False when it was not watched.
    virtual bool remove(int fd) = 0;
    // Waits for events, at most this long, or forever without a time. Returns at most
    // kEventsPerWaitMax. Events that are not handled are reported again.
    virtual std::size_t wait(std::span<Event> events,
                             std::optional<std::chrono::nanoseconds> time) = 0;
    // From any thread: wait() returns with an event that has no handler.
    virtual void wake() = 0;
};

// Throws std::system_error.
std::unique_ptr<Poller> make_poller();

}  // namespace helio::transport
