// ConnectionManager: reads the events of librdmacm's one channel on one thread. A connection's
// events go to its link, on the thread of the link's loop; connection requests go to a listener, on
// this thread.
//
// librdmacm may change a connection's queue pair while its event is being read, and its
// documentation does not say what else may touch the connection then. So reading an event, and
// making or destroying a queue pair, exclude each other (mutex()). An event is acknowledged before
// the mutex is released, so that destroying a connection never waits for this thread.
#pragma once

#include <rdma/rdma_cma.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "helio/base/fd.h"
#include "helio/transport/loop/event_loop.h"
#include "helio/transport/rdma/verbs/devices_internal.h"

namespace helio::transport::rdma {

// A copy of an event, which has been acknowledged already.
struct CmEvent {
    rdma_cm_event_type type = RDMA_CM_EVENT_DISCONNECTED;
    int status = 0;
    unsigned responder_resources =
        0;  // of a connection request: what each side offers, as seen from here
    unsigned initiator_depth = 0;
    std::vector<std::byte> private_data;
};

// Delivers events to a link. Outlives the link while events are queued.
struct Mailbox {
    class Receiver {
     public:
        virtual ~Receiver() = default;
        virtual void on_cm_event(const CmEvent& event) = 0;
    };
    Receiver* receiver = nullptr;  // only for the loop's thread; nullptr when the link has gone
};

// Receives connection requests. Outlives the listener while one is on its way.
struct ArrivalSink {
    std::function<void(rdma_cm_id* id, const CmEvent& event)> arrive;  // takes `id`
    std::mutex mutex;  // held while a request is delivered
    bool closed = false;
};

class ConnectionManager final {
 public:
    explicit ConnectionManager(const std::vector<Device>& devices);  // throws std::runtime_error
    ~ConnectionManager();
    ConnectionManager(const ConnectionManager&) = delete;
    ConnectionManager& operator=(const ConnectionManager&) = delete;

    rdma_event_channel* channel() const { return channel_; }
    std::mutex& mutex() { return mutex_; }
    bool is_this_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

    // From now on, events of the connection go to the mailbox, on the loop's thread.
    void watch(rdma_cm_id* id, EventLoop& loop, std::shared_ptr<Mailbox> mailbox);
    void watch(rdma_cm_id* listening, std::shared_ptr<ArrivalSink> sink);
    // When it returns nothing more is posted for the connection.
    void forget(rdma_cm_id* id);
    // For work that may block for seconds: on its own thread, until the manager is destroyed.
    void do_aside(std::function<void()> work);

 private:
    struct Address {
        EventLoop* loop = nullptr;
        std::shared_ptr<Mailbox> mailbox;
    };

    void run();
    bool take_event();
    void hand_on(const rdma_cm_id* id, CmEvent event);
    void take_device_event(ibv_context* verbs);

    rdma_event_channel* channel_ = nullptr;
    Fd stop_;
    std::vector<ibv_context*> watched_devices_;
    std::mutex mutex_;
    std::unordered_map<const rdma_cm_id*, Address> mailboxes_;
    std::unordered_map<const rdma_cm_id*, std::shared_ptr<ArrivalSink>> desks_;
    std::vector<std::future<void>> aside_;
    std::thread thread_;
};

}  // namespace helio::transport::rdma
