#include "helio/transport/rdma/verbs/connection_manager_internal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "helio/base/assert.h"

namespace helio::transport::rdma {

namespace {

// Pause after an error that may persist, so that a broken channel does not keep a core busy.
constexpr int kPauseMs = 100;

void do_not_block(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

CmEvent copy_event(const rdma_cm_event& event) {
    const rdma_conn_param& said = event.param.conn;
    CmEvent copy{.type = event.event,
                 .status = event.status,
                 .responder_resources = said.responder_resources,
                 .initiator_depth = said.initiator_depth,
                 .private_data = {}};
    if (said.private_data != nullptr) {
        const auto* const bytes = static_cast<const std::byte*>(said.private_data);
        copy.private_data.assign(bytes, bytes + said.private_data_len);
    }
    return copy;
}

}  // namespace

ConnectionManager::ConnectionManager(const std::vector<Device>& devices)
    : channel_(rdma_create_event_channel()), stop_(eventfd(0, EFD_CLOEXEC)) {
    if (channel_ == nullptr)
        throw std::runtime_error(
            fmt::format("cannot open RDMA's connection manager, /dev/infiniband/rdma_cm: {}",
                        std::strerror(errno)));
    do_not_block(channel_->fd);
    for (const Device& device : devices) {
        // iWARP has none of the events that matter here, and siw's library prints others to
        // standard output.
        if (device.iwarp) continue;
        do_not_block(device.verbs->async_fd);
        watched_devices_.push_back(device.verbs);
    }
    // Signals are for the threads that expect them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "rdma_cm");
}

ConnectionManager::~ConnectionManager() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
    thread_.join();
    aside_.clear();                                      // waits for them
    HELIO_ASSERT(mailboxes_.empty() && desks_.empty());  // links and listeners go first
    rdma_destroy_event_channel(channel_);
}

void ConnectionManager::watch(rdma_cm_id* id, EventLoop& loop, std::shared_ptr<Mailbox> mailbox) {
    const std::lock_guard lock{mutex_};
    mailboxes_[id] = {&loop, std::move(mailbox)};
}

void ConnectionManager::watch(rdma_cm_id* listening, std::shared_ptr<ArrivalSink> sink) {
    const std::lock_guard lock{mutex_};
    desks_[listening] = std::move(sink);
}

void ConnectionManager::forget(rdma_cm_id* id) {
    const std::lock_guard lock{mutex_};
    mailboxes_.erase(id);
    desks_.erase(id);
}

void ConnectionManager::do_aside(std::function<void()> work) {
    const std::lock_guard lock{mutex_};
    std::erase_if(aside_, [](const std::future<void>& one) {
        return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    aside_.push_back(std::async(std::launch::async, std::move(work)));
}

void ConnectionManager::run() {
    std::vector<pollfd> waiting{{stop_.get(), POLLIN, 0}, {channel_->fd, POLLIN, 0}};
    for (const ibv_context* const verbs : watched_devices_)
        waiting.push_back({verbs->async_fd, POLLIN, 0});
    for (;;) {
        if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
        if (waiting[0].revents != 0) return;
        if (waiting[1].revents != 0) {
            while (take_event()) {
            }
            if (errno != EAGAIN && errno != EINTR) poll(waiting.data(), 1, kPauseMs);
        }
        for (std::size_t i = 2; i < waiting.size(); ++i) {
            if ((waiting[i].revents & POLLIN) != 0) take_device_event(watched_devices_[i - 2]);
            // The device is gone; its connections get their own events about that.
            if ((waiting[i].revents & (POLLERR | POLLHUP)) != 0) waiting[i].fd = -1;
        }
    }
}

// False, with errno, if there is none.
bool ConnectionManager::take_event() {
    std::unique_lock lock{mutex_};
    rdma_cm_event* event = nullptr;
    if (rdma_get_cm_event(channel_, &event) != 0) return false;
    CmEvent copy = copy_event(*event);
    rdma_cm_id* const id = event->id;
    const rdma_cm_id* const listening = event->listen_id;
    rdma_ack_cm_event(event);

    if (copy.type != RDMA_CM_EVENT_CONNECT_REQUEST) {
        hand_on(id, std::move(copy));
        return true;
    }
    const auto found = desks_.find(listening);
    const auto sink = found != desks_.end() ? found->second : nullptr;
    lock.unlock();
    if (sink != nullptr) {
        const std::lock_guard arriving{sink->mutex};
        if (!sink->closed) {
            sink->arrive(id, copy);
            return true;
        }
    }
    rdma_destroy_id(id);  // refuses
    return true;
}

void ConnectionManager::hand_on(const rdma_cm_id* id, CmEvent event) {
    const auto found = mailboxes_.find(id);
    if (found == mailboxes_.end()) return;
    found->second.loop->post([mailbox = found->second.mailbox, said = std::move(event)] {
        if (mailbox->receiver != nullptr) mailbox->receiver->on_cm_event(said);
    });
}

// The first message may arrive before the handshake completes, or the handshake's last packet may
// be lost. The device notices; the connection manager has to be told.
void ConnectionManager::take_device_event(ibv_context* verbs) {
    const std::lock_guard lock{mutex_};
    ibv_async_event event{};
    if (ibv_get_async_event(verbs, &event) != 0) return;
    if (event.event_type == IBV_EVENT_COMM_EST) {
        auto* const id = static_cast<rdma_cm_id*>(event.element.qp->qp_context);
        if (mailboxes_.contains(id)) rdma_notify(id, IBV_EVENT_COMM_EST);
    }
    ibv_ack_async_event(&event);
}

}  // namespace helio::transport::rdma
