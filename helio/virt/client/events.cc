#include "helio/virt/client/events.h"

#include "schema/remote_codec.h"
#include "schema/remote_service.h"

namespace helio::virt {

namespace {

using RemoteVersion = remote::REMOTE_PROTOCOL_VERSION;

constexpr std::string_view kEventNames[] = {"lifecycle",
                                            "reboot",
                                            "rtc-change",
                                            "watchdog",
                                            "io-error",
                                            "graphics",
                                            "io-error-reason",
                                            "control-error",
                                            "block-job",
                                            "disk-change",
                                            "tray-change",
                                            "pm-wakeup",
                                            "pm-suspend",
                                            "balloon-change",
                                            "pm-suspend-disk",
                                            "device-removed",
                                            "block-job-2",
                                            "tunable",
                                            "agent-lifecycle",
                                            "device-added",
                                            "migration-iteration",
                                            "job-completed",
                                            "device-removal-failed",
                                            "metadata-change",
                                            "block-threshold",
                                            "memory-failure",
                                            "memory-device-size-change"};

// virDomainEventType, and the details of each.
struct LifecycleWords {
    std::string_view name;
    std::string_view details[9];
};
constexpr LifecycleWords kLifecycleWords[] = {
    {"Defined", {"Added", "Updated", "Renamed", "Snapshot"}},
    {"Undefined", {"Removed", "Renamed"}},
    {"Started", {"Booted", "Migrated", "Restored", "Snapshot", "Event wakeup"}},
    {"Suspended",
     {"Paused", "Migrated", "I/O Error", "Watchdog", "Restored", "Snapshot", "API error",
      "Post-copy", "Post-copy Error"}},
    {"Resumed", {"Unpaused", "Migrated", "Snapshot", "Post-copy", "Post-copy Error"}},
    {"Stopped", {"Shutdown", "Destroyed", "Crashed", "Migrated", "Saved", "Failed", "Snapshot"}},
    {"Shutdown", {"Finished", "Finished after guest request", "Finished after host request"}},
    {"PMSuspended", {"Memory", "Disk"}},
    {"Crashed", {"Panicked", "Crashloaded"}},
};
constexpr int kLifecycleCount = static_cast<int>(std::size(kLifecycleWords));

}  // namespace

std::span<const std::string_view> event_names() { return kEventNames; }

std::string_view lifecycle_name(int event) {
    return event >= 0 && event < kLifecycleCount ? kLifecycleWords[event].name : "unknown";
}

std::string_view lifecycle_detail(int event, int detail) {
    if (event < 0 || event >= kLifecycleCount || detail < 0 || detail >= 9) return "unknown";
    const std::string_view word = kLifecycleWords[event].details[detail];
    return word.empty() ? "unknown" : word;
}

std::optional<Lifecycle> lifecycle_of(const Event& event) {
    if (event.program != RemoteVersion::program ||
        event.procedure != RemoteVersion::DOMAIN_EVENT_CALLBACK_LIFECYCLE)
        return {};
    xdr::Arena arena;
    xdr::Reader in{event.payload, arena};
    remote::remote_domain_event_callback_lifecycle_msg message;
    if (!decode_remote_domain_event_callback_lifecycle_msg(in, message) || !in.finish()) return {};
    Lifecycle out;
    out.callback = message.callbackID;
    out.domain = owned(message.msg.dom);
    out.event = message.msg.event;
    out.detail = message.msg.detail;
    return out;
}

Events::Events(ClientConnection& connection)
    : connection_(connection), arrived_(connection.loop()) {
    connection_.set_event_handler([this](const EventView& event) {
        if (queue_.size() == kEventsQueuedMax) {
            queue_.pop_front();
            ++dropped_;
        }
        queue_.push_back(
            {event.program, event.procedure, {event.payload.begin(), event.payload.end()}});
        arrived_.notify();
    });
    connection_.set_loss_handler([this](int error_number) {
        lost_ = true;
        lost_error_ = error_number;
        arrived_.notify();
    });
}

Events::~Events() {
    connection_.set_event_handler({});
    connection_.set_loss_handler({});
}

Task<Result<int, Failure>> Events::subscribe(int event_id, std::optional<DomainRef> domain) {
    RemoteVersion::AsyncClient remote{connection_};
    remote::remote_connect_domain_event_callback_register_any_args args;
    args.eventID = event_id;
    remote::remote_nonnull_domain wire;
    if (domain) {
        wire = domain->wire();
        args.dom = &wire;
    }
    const auto registered = co_await remote.CONNECT_DOMAIN_EVENT_CALLBACK_REGISTER_ANY(args);
    if (!registered) co_return fail(connection_.failure(registered.error()));
    co_return (*registered)->callbackID;
}

Task<Result<void, Failure>> Events::unsubscribe(int callback) {
    RemoteVersion::AsyncClient remote{connection_};
    remote::remote_connect_domain_event_callback_deregister_any_args args;
    args.callbackID = callback;
    const auto done = co_await remote.CONNECT_DOMAIN_EVENT_CALLBACK_DEREGISTER_ANY(args);
    if (!done) co_return fail(connection_.failure(done.error()));
    co_return Result<void, Failure>{};
}

Task<Result<Event, Failure>> Events::next(std::optional<std::chrono::milliseconds> timeout) {
    const auto deadline = timeout ? Signal::Clock::now() + *timeout : Signal::kForever;
    while (queue_.empty()) {
        Failure failure;
        if (lost_ || connection_.is_lost()) {
            failure.call.error_number = lost_error_;
            co_return fail(failure);
        }
        const bool in_time = co_await arrived_.wait(deadline);
        if (in_time) continue;
        failure.call.outcome = xdr::Outcome::timed_out;
        co_return fail(failure);
    }
    Event out = std::move(queue_.front());
    queue_.pop_front();
    co_return out;
}

}  // namespace helio::virt
