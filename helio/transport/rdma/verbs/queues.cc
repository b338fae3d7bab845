#include "helio/transport/rdma/verbs/queues_internal.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include "helio/base/assert.h"

namespace helio::transport::rdma {

namespace {

// Sends of at most so many bytes go to the device with the request, which saves it from fetching
// them: most calls and replies that carry no data. Devices that cannot do this do without.
constexpr std::uint32_t kInlineBytes = 256;
// Requests handed to the device at a time, described on the stack.
constexpr std::size_t kPostedTogether = 32;
constexpr std::size_t kPolledTogether = 64;

// The lowest bit of a request's number for the device tells the queues apart.
constexpr std::uint64_t kIsReceive = 1;
std::uint64_t tag(std::uint64_t number, std::uint64_t queue) { return number << 1 | queue; }

std::uint32_t at_most(std::uint32_t wanted, int limit) {
    return std::min(wanted, static_cast<std::uint32_t>(std::max(limit, 1)));
}

LinkLimits within(const LinkLimits& wanted, const ibv_device_attr& device) {
    return {.receives = at_most(wanted.receives, device.max_qp_wr),
            .works = at_most(wanted.works, device.max_qp_wr)};
}

ibv_sge to_verbs(const Piece& piece) {
    return {.addr = reinterpret_cast<std::uintptr_t>(piece.at),
            .length = piece.size,
            .lkey = piece.key};
}

}  // namespace

std::uint64_t UnderWay::push(const Request& request) {
    HELIO_ASSERT(!is_full());  // whoever posts counts
    ring_[next_ % ring_.size()] = request;
    return next_++;
}

std::optional<UnderWay::Request> UnderWay::done(std::uint64_t number) {
    if (number < first_ || number >= next_) return std::nullopt;
    first_ = number + 1;
    return ring_[number % ring_.size()];
}

std::optional<UnderWay::Request> UnderWay::pop() {
    if (first_ == next_) return std::nullopt;
    return ring_[first_++ % ring_.size()];
}

Queues::Queues(ConnectionManager& manager, rdma_cm_id* id, const Device& device,
               const LinkLimits& wanted)
    : manager_(manager),
      id_(id),
      device_(device),
      limits_(within(wanted, device.limits)),
      receives_(limits_.receives),
      works_(limits_.works) {}

std::unique_ptr<Queues> Queues::make(ConnectionManager& manager, rdma_cm_id* id,
                                     const Device& device, const LinkLimits& wanted,
                                     std::string& why) {
    std::unique_ptr<Queues> queues{new Queues(manager, id, device, wanted)};
    if (queues->make_completion_queue() && queues->make_pair()) return queues;
    const int error = errno;
    why = fmt::format("RDMA device {} gives no queues for {} receives and {} requests", device.name,
                      queues->limits_.receives, queues->limits_.works);
    queues.reset();
    errno = error;
    return nullptr;
}

bool Queues::make_completion_queue() {
    channel_ = ibv_create_comp_channel(device_.verbs);
    if (channel_ == nullptr) return false;
    fcntl(channel_->fd, F_SETFL, fcntl(channel_->fd, F_GETFL) | O_NONBLOCK);
    // When the link breaks every request completes, also those without a signal.
    const std::uint32_t room = at_most(limits_.receives + limits_.works, device_.limits.max_cqe);
    completed_ = ibv_create_cq(device_.verbs, static_cast<int>(room), this, channel_, 0);
    if (completed_ == nullptr) return false;
    if (const int error = ibv_req_notify_cq(completed_, 0); error != 0) {
        errno = std::abs(error);
        return false;
    }
    return true;
}

bool Queues::make_pair() {
    const std::lock_guard lock{manager_.mutex()};
    for (const std::uint32_t inlined : {kInlineBytes, 0u}) {
        ibv_qp_init_attr wanted{};
        wanted.qp_context = id_;
        wanted.send_cq = wanted.recv_cq = completed_;
        wanted.qp_type = IBV_QPT_RC;
        wanted.cap = {.max_send_wr = limits_.works,
                      .max_recv_wr = limits_.receives,
                      .max_send_sge = kPiecesMax,
                      .max_recv_sge = 1,
                      .max_inline_data = inlined};
        if (rdma_create_qp(id_, device_.domain->handle, &wanted) != 0) continue;
        has_pair_ = true;
        inline_bytes_max_ = inlined;
        return true;
    }
    return false;
}

Queues::~Queues() {
    destroy_pair();
    if (completed_ != nullptr) ibv_destroy_cq(completed_);
    if (channel_ != nullptr) ibv_destroy_comp_channel(channel_);
}

void Queues::destroy_pair() {
    if (!std::exchange(has_pair_, false)) return;
    const std::lock_guard lock{manager_.mutex()};
    rdma_destroy_qp(id_);
}

void Queues::listen_again() {
    ibv_cq* which = nullptr;
    void* context = nullptr;
    while (ibv_get_cq_event(channel_, &which, &context) == 0) ibv_ack_cq_events(which, 1);
    ibv_req_notify_cq(completed_, 0);
}

int Queues::post_receive(std::uint64_t id, const Piece& into) {
    if (!has_pair_) return ENOTCONN;
    ibv_sge piece = to_verbs(into);
    ibv_recv_wr request{};
    request.wr_id = tag(receives_.push({id, Verb::receive}), kIsReceive);
    request.sg_list = &piece;
    request.num_sge = 1;
    ibv_recv_wr* refused = nullptr;
    const int error = std::abs(ibv_post_recv(id_->qp, &request, &refused));
    if (error != 0) receives_.take_back(1);
    return error;
}

int Queues::post(std::span<const Work> works) {
    if (!has_pair_) return ENOTCONN;
    while (!works.empty()) {
        const auto now = works.first(std::min(works.size(), kPostedTogether));
        if (const int error = post_together(now); error != 0) return error;
        works = works.subspan(now.size());
    }
    return 0;
}

int Queues::post_together(std::span<const Work> works) {
    std::array<ibv_send_wr, kPostedTogether> requests;
    std::array<std::array<ibv_sge, kPiecesMax>, kPostedTogether> pieces;
    for (std::size_t i = 0; i < works.size(); ++i) {
        fill(requests[i], pieces[i], works[i]);
        requests[i].next = i + 1 < works.size() ? &requests[i + 1] : nullptr;
    }
    ibv_send_wr* refused = nullptr;
    const int error = std::abs(ibv_post_send(id_->qp, requests.data(), &refused));
    if (error != 0 && refused != nullptr)
        works_.take_back(works.size() - static_cast<std::size_t>(refused - requests.data()));
    return error;
}

void Queues::fill(ibv_send_wr& request, std::span<ibv_sge> pieces, const Work& work) {
    HELIO_ASSERT(!work.pieces.empty() && work.pieces.size() <= kPiecesMax);
    HELIO_ASSERT(work.verb != Verb::read || work.pieces.size() == 1);
    request = {};
    request.wr_id = tag(works_.push({work.id, work.verb}), 0);
    std::transform(work.pieces.begin(), work.pieces.end(), pieces.begin(), to_verbs);
    request.sg_list = pieces.data();
    request.num_sge = static_cast<int>(work.pieces.size());
    if (work.signaled) request.send_flags |= IBV_SEND_SIGNALED;
    if (work.verb == Verb::send) {
        std::size_t bytes = 0;
        for (const Piece& piece : work.pieces) bytes += piece.size;
        if (bytes <= inline_bytes_max_) request.send_flags |= IBV_SEND_INLINE;
        request.opcode = IBV_WR_SEND;
        if (!work.invalidates || !device_.can_invalidate) return;
        request.opcode = IBV_WR_SEND_WITH_INV;
        request.invalidate_rkey = work.invalidated_key;
        // siw's library (rdma-core 44) takes the key from here.
        request.wr.rdma.rkey = work.invalidated_key;
        return;
    }
    request.opcode = work.verb == Verb::read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
    request.wr.rdma.remote_addr = work.remote_address;
    request.wr.rdma.rkey = work.remote_key;
}

std::optional<Completion> Queues::translate(const ibv_wc& completed) {
    const bool is_receive = (completed.wr_id & kIsReceive) != 0;
    const auto request = (is_receive ? receives_ : works_).done(completed.wr_id >> 1);
    if (!request) return std::nullopt;
    Completion out{.id = request->id, .verb = request->verb};
    if (completed.status == IBV_WC_SUCCESS) {
        if (is_receive) out.bytes = completed.byte_len;
        return out;
    }
    out.ok = false;
    out.what = ibv_wc_status_str(completed.status);
    if (fault_ == IBV_WC_SUCCESS || fault_ == IBV_WC_WR_FLUSH_ERR) fault_ = completed.status;
    return out;
}

std::span<const Completion> Queues::poll(std::span<Completion> room) {
    std::array<ibv_wc, kPolledTogether> completed;
    std::size_t count = 0;
    while (count < room.size()) {
        const auto wanted = std::min(room.size() - count, completed.size());
        const int got = ibv_poll_cq(completed_, static_cast<int>(wanted), completed.data());
        if (got < 0) fault_ = IBV_WC_FATAL_ERR;
        if (got <= 0) break;
        for (int i = 0; i < got; ++i)
            if (const auto one = translate(completed[static_cast<std::size_t>(i)]))
                room[count++] = *one;
        if (static_cast<std::size_t>(got) < wanted) break;
    }
    return room.first(count);
}

std::span<const Completion> Queues::take_unfinished(std::span<Completion> room) {
    std::size_t count = 0;
    for (UnderWay* const queue : {&works_, &receives_}) {
        while (count < room.size()) {
            const auto request = queue->pop();
            if (!request) break;
            room[count++] = {.id = request->id,
                             .verb = request->verb,
                             .ok = false,
                             .what = ibv_wc_status_str(IBV_WC_WR_FLUSH_ERR)};
        }
    }
    return room.first(count);
}

}  // namespace helio::transport::rdma
