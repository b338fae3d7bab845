// Queues: the queue pair of one link, its completion queue, and what is under way in them. Belongs
// to the link, and to the thread of its loop.
//
// A completion that failed does not say of which kind its request was, and requests without a
// signal have no completion at all when they go well. So requests are numbered, and remembered here
// until they, or later ones of the same queue, are done.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/verbs/connection_manager_internal.h"
#include "helio/transport/rdma/verbs/devices_internal.h"

namespace helio::transport::rdma {

// Requests of one queue, oldest first. They complete in this order.
class UnderWay final {
 public:
    struct Request {
        std::uint64_t id = 0;
        Verb verb = Verb::send;
    };

    explicit UnderWay(std::uint32_t room) : ring_(room) {}
    bool is_full() const { return next_ - first_ == ring_.size(); }
    std::uint64_t push(const Request& request);  // its number
    // The youngest ones: the device did not take them.
    void take_back(std::size_t count) { next_ -= count; }
    // It is done, and so are those before it. Nothing when it is not here.
    std::optional<Request> done(std::uint64_t number);
    std::optional<Request> pop();

 private:
    std::vector<Request> ring_;
    std::uint64_t first_ = 0;
    std::uint64_t next_ = 0;
};

class Queues final {
 public:
    // nullptr and a phrase in `why`, with errno, when the device has none left.
    static std::unique_ptr<Queues> make(ConnectionManager& manager, rdma_cm_id* id,
                                        const Device& device, const LinkLimits& wanted,
                                        std::string& why);
    // The connection is still there.
    ~Queues();
    Queues(const Queues&) = delete;
    Queues& operator=(const Queues&) = delete;

    // What was wanted, or less if the device cannot do so much.
    const LinkLimits& limits() const { return limits_; }
    // Readable when something has completed since listen_again().
    int fd() const { return channel_->fd; }
    void listen_again();

    // 0 or an errno.
    int post_receive(std::uint64_t id, const Piece& into);
    int post(std::span<const Work> works);

    // What has completed. Less than there is room for: nothing else has.
    std::span<const Completion> poll(std::span<Completion> room);
    // Of the completions so far the first that failed; one that failed for a reason of its own goes
    // before those that only went with the connection.
    ibv_wc_status fault() const { return fault_; }

    // The device touches no memory for this link any more, and completes nothing.
    void destroy_pair();
    // After that: what was still under way, as failed. Empty when all of it has been told.
    std::span<const Completion> take_unfinished(std::span<Completion> room);

 private:
    Queues(ConnectionManager& manager, rdma_cm_id* id, const Device& device,
           const LinkLimits& wanted);
    bool make_completion_queue();
    bool make_pair();
    int post_together(std::span<const Work> works);
    void fill(ibv_send_wr& request, std::span<ibv_sge> pieces, const Work& work);
    std::optional<Completion> translate(const ibv_wc& completed);

    ConnectionManager& manager_;
    rdma_cm_id* const id_;
    const Device& device_;
    LinkLimits limits_;
    ibv_comp_channel* channel_ = nullptr;
    ibv_cq* completed_ = nullptr;
    bool has_pair_ = false;
    std::uint32_t inline_bytes_max_ = 0;
    UnderWay receives_;
    UnderWay works_;
    ibv_wc_status fault_ = IBV_WC_SUCCESS;
};

}  // namespace helio::transport::rdma
