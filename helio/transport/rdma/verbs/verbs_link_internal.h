// VerbsLink: a connection of two queue pairs, made by the connection manager. The connecting side
// follows librdmacm's steps: resolve address and route, make the queues, connect.
//
// A link ends once. When a completion fails, or the connection manager reports the end, completed
// work is passed on; then the queue pair is destroyed, after which the device touches nothing; then
// work still in flight is reported as failed; and last the owner gets on_lost. So no device has to
// be trusted to flush its queues.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/verbs/connection_manager_internal.h"
#include "helio/transport/rdma/verbs/devices_internal.h"
#include "helio/transport/rdma/verbs/queues_internal.h"

namespace helio::transport::rdma {

class VerbsLink final : public Link, private EventLoop::Handler, private Mailbox::Receiver {
 public:
    // The connecting side. Errors are reported to the owner, from the loop.
    VerbsLink(ConnectionManager& manager, const std::vector<Device>& devices,
              const LinkLimits& limits, const Endpoint& where, EventLoop& loop, Owner& owner);
    // The answering side: `request` is the connection request. The link owns `id`.
    VerbsLink(ConnectionManager& manager, const Device& device, const LinkLimits& limits,
              rdma_cm_id* id, const CmEvent& request);
    ~VerbsLink() override;

    void attach(EventLoop& loop, Owner& owner) override;
    void establish(ByteView private_data) override;
    const std::shared_ptr<MemoryPool>& memory() const override { return memory_; }
    const LinkLimits& limits() const override { return limits_; }
    ByteView private_data() const override { return private_data_; }
    Endpoint local() const override;
    Endpoint remote() const override { return remote_; }
    bool post_receive(std::uint64_t id, const Piece& into) override;
    bool post(std::span<const Work> works) override;

 private:
    enum class Step : std::uint8_t {
        finding_address,
        finding_route,
        ready,         // the queues exist
        establishing,  // the other side was asked, or answered
        connected,
        breaking,  // requests failed because the connection has gone; the reason follows
        lost,
    };
    class DeadlineTimer final : public Timer {
     public:
        DeadlineTimer(EventLoop& loop, VerbsLink& link) : Timer(loop), link_(link) {}

     private:
        void on_time() override { link_.on_deadline(); }
        VerbsLink& link_;
    };

    void on_cm_event(const CmEvent& event) override;
    void on_ready(Readiness) override { deliver_completions(); }
    void on_deadline();
    void find_route();
    void make_queues();
    void enter_connected(const CmEvent& event);
    void watch_completions();
    void deliver_completions();
    void check_faults();
    bool deliver_rest();
    bool deliver(std::span<const Completion> completions);
    void wait_for(std::chrono::milliseconds time);
    void lose_soon(int error_number, std::string why);
    void lose(int error_number, const std::string& why);
    // If false, the end of the link is on its way.
    bool can_post() const {
        return queues_ != nullptr && step_ < Step::breaking && queues_->fault() == IBV_WC_SUCCESS;
    }
    bool may_take_long() const { return asked_ && device_->iwarp; }
    void hang_up();

    ConnectionManager& manager_;
    const std::vector<Device>* const devices_;  // for the connecting side, to choose one
    const Device* device_ = nullptr;
    rdma_cm_id* id_ = nullptr;
    const bool asks_;
    Step step_;
    bool watched_ = false;    // completions, by the loop
    bool returning_ = false;  // deliver_completions() has been posted
    bool asked_ = false;      // the other side, which has not answered
    bool stood_ = false;      // there is something to hang up
    LinkLimits limits_;
    Endpoint remote_;
    EventLoop* loop_ = nullptr;
    Owner* owner_ = nullptr;
    std::shared_ptr<MemoryPool> memory_;
    std::shared_ptr<Mailbox> mailbox_;
    std::optional<DeadlineTimer> deadline_timer_;
    std::unique_ptr<Queues> queues_;
    std::vector<std::byte> private_data_;
    unsigned reads_of_us_max_ = 0;  // in flight at a time, as far as the other side allows
    unsigned reads_by_us_max_ = 0;
    int fault_ = 0;  // why there are no queues, reported once there is an owner
    std::string fault_text_;
};

}  // namespace helio::transport::rdma
