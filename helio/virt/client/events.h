// Events: the events of a daemon's domains, for a coroutine to await. While it exists it is the
// connection's event handler.
//
//     virt::Events events{connection};
//     auto id = co_await events.subscribe(virt::kEventLifecycle);
//     for (;;) {
//         const auto event = co_await events.next();
//         if (!event) co_return fail(event.error());
//         if (const auto change = virt::lifecycle_of(*event)) …
//     }
//
// Events queue up without waiting for the reader; beyond a limit the oldest are dropped and
// counted.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/task.h"
#include "helio/virt/client/connection.h"
#include "helio/virt/client/objects.h"
#include "helio/virt/client/signal.h"

namespace helio::virt {

// Unread events: enough for a host that starts all its domains at once.
inline constexpr std::size_t kEventsQueuedMax = 65'536;

// virDomainEventID
inline constexpr int kEventLifecycle = 0;
// "lifecycle", "io-error": virsh's names, indexed by number.
std::span<const std::string_view> event_names();

struct Event {
    std::uint32_t program = 0;
    std::uint32_t procedure = 0;  // REMOTE_PROC_DOMAIN_EVENT_CALLBACK_…
    std::vector<std::byte> payload;
};

struct Lifecycle {
    int callback = 0;
    DomainRef domain;
    int event = 0;
    int detail = 0;
};
// Nothing if it is another kind of event.
std::optional<Lifecycle> lifecycle_of(const Event& event);
// "Started", "Booted"
std::string_view lifecycle_name(int event);
std::string_view lifecycle_detail(int event, int detail);

class Events final {
 public:
    explicit Events(ClientConnection& connection);
    ~Events();
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    // Subscribes to one kind of event, of one domain or of all. The result is the daemon's callback
    // number, the first field of its messages.
    Task<Result<int, Failure>> subscribe(int event_id, std::optional<DomainRef> domain = {});
    Task<Result<void, Failure>> unsubscribe(int callback);

    // Without a timeout it waits until the connection ends. One reader at a time.
    Task<Result<Event, Failure>> next(std::optional<std::chrono::milliseconds> timeout = {});
    std::uint64_t dropped() const { return dropped_; }

 private:
    ClientConnection& connection_;
    std::deque<Event> queue_;
    Signal arrived_;
    std::uint64_t dropped_ = 0;
    bool lost_ = false;
    int lost_error_ = 0;
};

}  // namespace helio::virt
