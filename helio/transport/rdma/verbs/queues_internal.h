// Queues: the queue pair of one link, its completion queue, and the requests in flight. Belongs to
// the link and to the thread of its loop.
//
// A failed completion does not tell the kind of its request, and unsignaled requests that succeed
// have no completion. So requests have numbers and are recorded here until they are known to be
// done.
//
// Long reads are split into parts, and the bytes in flight over all reads of the link are limited:
// the other side's device answers as fast as it can make packets, whether or not the network and
// receiver can take them. (Soft-RoCE on Linux drops what exceeds the receiver's backlog of 1000
// packets, and a megabyte is 1024; then it waits for a timeout.)
#pragma once

#include <infiniband/verbs.h>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "helio/transport/rdma/fabric.h"
#include "helio/transport/rdma/verbs/connection_manager_internal.h"
#include "helio/transport/rdma/verbs/devices_internal.h"

namespace helio::transport::rdma {

// Requests of one queue. Signaled ones may complete in any order: requests after a read may
// overtake it (siw does that). Unsignaled ones are done when a later one is.
class InFlightWork final {
 public:
    struct Request {
        std::uint64_t id = 0;
        Verb verb = Verb::send;
        bool signaled = true;
        bool is_told = true;  // reported to the link's owner on success too
    };

    explicit InFlightWork(std::uint32_t room);
    std::uint32_t push(const Request& request);  // its number
    // The device rejected it. If there are several, take back the youngest first.
    void take_back(std::uint32_t number);
    bool is_read(std::uint32_t number) const;
    // It has completed. Nothing if it is unknown.
    std::optional<Request> done(std::uint32_t number);
    // The oldest one left. Slow: for the end.
    std::optional<Request> pop();

 private:
    struct Slot {
        Request request;
        std::uint64_t order = 0;  // 0: free
    };
    void free(std::uint32_t number);

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> silent_;  // a ring of those without a signal, oldest first
    std::uint64_t silent_first_ = 0;
    std::uint64_t silent_next_ = 0;
    std::uint64_t order_ = 0;
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

    // The requested limits, or less if the device cannot do as much.
    const LinkLimits& limits() const { return limits_; }
    // Readable when something has completed since listen_again().
    int fd() const { return channel_->fd; }
    void listen_again();

    // 0 or an errno.
    int post_receive(std::uint64_t id, const Piece& into);
    int post(std::span<const Work> works);

    // Completed requests. If there are fewer than fit, there are no others.
    std::span<const Completion> poll(std::span<Completion> room);
    // The first failure so far; one with its own cause takes precedence over those that only failed
    // with the connection.
    ibv_wc_status fault() const { return fault_; }

    // The device touches no memory for this link any more.
    void destroy_pair();
    // The same, but the queue pair stays, broken, until this is destroyed.
    void break_pair();
    // After either: requests still in flight, as failed. Empty when all have been reported.
    std::span<const Completion> take_unfinished(std::span<Completion> room);

 private:
    struct Read {
        std::uint32_t number;  // in works_
        Piece rest;
        std::uint32_t remote_key;
        std::uint64_t remote_address;
    };
    struct Asked {
        std::uint32_t number;
        std::uint32_t size;
        bool is_last;  // of that read
    };

    Queues(ConnectionManager& manager, rdma_cm_id* id, const Device& device,
           const LinkLimits& wanted);
    bool make_completion_queue();
    bool make_pair();
    int post_together(std::span<const Work> works);
    void fill(ibv_send_wr& request, std::span<ibv_sge> pieces, const Work& work);
    void fill_send(ibv_send_wr& request, const Work& work);
    int ask_for_more();
    bool is_read_done(std::uint32_t number, bool ok);
    std::optional<Completion> translate(const ibv_wc& completed);

    ConnectionManager& manager_;
    rdma_cm_id* const id_;
    const Device& device_;
    LinkLimits limits_;
    ibv_comp_channel* channel_ = nullptr;
    ibv_cq* completed_ = nullptr;
    bool has_pair_ = false;
    bool broken_ = false;
    std::uint32_t inline_bytes_max_ = 0;
    InFlightWork receives_;
    InFlightWork works_;
    // Reads not completely requested yet, and the bytes requested.
    std::deque<Read> reads_;
    std::deque<Asked> asked_;
    std::size_t asked_bytes_ = 0;
    ibv_wc_status fault_ = IBV_WC_SUCCESS;
};

}  // namespace helio::transport::rdma
