#include "helio/transport/rdma/verbs/queues_internal.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "helio/base/assert.h"

namespace helio::transport::rdma {

namespace {

// Sends up to this size are copied into the request, so the device need not fetch them: most calls
// and replies without data. Devices that cannot do this go without.
constexpr std::uint32_t kInlineBytes = 256;
// Requests handed to the device at a time, described on the stack.
constexpr std::size_t kPostedTogether = 32;
constexpr std::size_t kPolledTogether = 64;

// Size of a part of a read, and total of all reads in flight: more than a fast network holds (100
// Gb/s over 20 µs are 250 KB), and half of what overflows soft-RoCE.
constexpr std::uint32_t kReadPart = 128u << 10;
constexpr std::size_t kReadBytesUnderWay = 512u << 10;
constexpr std::uint32_t kReadParts = kReadBytesUnderWay / kReadPart;

// The lowest bit of a request's id tells the queues apart.
constexpr std::uint64_t kIsReceive = 1;
std::uint64_t tag(std::uint64_t number, std::uint64_t queue) { return number << 1 | queue; }
std::uint32_t number_in(std::uint64_t tagged) { return static_cast<std::uint32_t>(tagged >> 1); }

std::uint32_t at_most(std::uint32_t wanted, int limit) {
    return std::min(wanted, static_cast<std::uint32_t>(std::max(limit, 1)));
}

LinkLimits within(const LinkLimits& wanted, const ibv_device_attr& device) {
    return {.receives = at_most(wanted.receives, device.max_qp_wr),
            .works = at_most(wanted.works, device.max_qp_wr - static_cast<int>(kReadParts))};
}

ibv_sge to_verbs(const Piece& piece) {
    return {.addr = reinterpret_cast<std::uintptr_t>(piece.at),
            .length = piece.size,
            .lkey = piece.key};
}

}  // namespace

InFlightWork::InFlightWork(std::uint32_t room) : slots_(room), silent_(room) {
    free_.reserve(room);
    for (std::uint32_t number = room; number > 0; --number) free_.push_back(number - 1);
}

void InFlightWork::free(std::uint32_t number) {
    slots_[number].order = 0;
    free_.push_back(number);
}

std::uint32_t InFlightWork::push(const Request& request) {
    HELIO_ASSERT(!free_.empty());  // the caller respects the limits
    const std::uint32_t number = free_.back();
    free_.pop_back();
    slots_[number] = {request, ++order_};
    if (!request.signaled) silent_[silent_next_++ % silent_.size()] = number;
    return number;
}

void InFlightWork::take_back(std::uint32_t number) {
    if (!slots_[number].request.signaled) --silent_next_;
    free(number);
}

bool InFlightWork::is_read(std::uint32_t number) const {
    return number < slots_.size() && slots_[number].request.verb == Verb::read;
}

std::optional<InFlightWork::Request> InFlightWork::done(std::uint32_t number) {
    if (number >= slots_.size() || slots_[number].order == 0) return std::nullopt;
    const Slot slot = slots_[number];
    while (silent_first_ != silent_next_) {
        const std::uint32_t silent = silent_[silent_first_ % silent_.size()];
        if (slots_[silent].order > slot.order) break;
        ++silent_first_;
        if (silent != number) free(silent);
    }
    free(number);
    return slot.request;
}

std::optional<InFlightWork::Request> InFlightWork::pop() {
    const auto waits_longer = [](const Slot& a, const Slot& b) {
        return a.order != 0 && (b.order == 0 || a.order < b.order);
    };
    const auto oldest = std::min_element(slots_.begin(), slots_.end(), waits_longer);
    if (oldest == slots_.end() || oldest->order == 0) return std::nullopt;
    oldest->order = 0;  // it is not reused: nothing more is posted
    return oldest->request;
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
    // When the link breaks every request completes, even unsignaled ones.
    const std::uint32_t room =
        at_most(limits_.receives + limits_.works + kReadParts, device_.limits.max_cqe);
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
        wanted.cap = {.max_send_wr = limits_.works + kReadParts,
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

// The lock is not held while it is destroyed: iWARP's kernel may wait for the other side then.
void Queues::destroy_pair() {
    if (!std::exchange(has_pair_, false)) return;
    std::unique_lock lock{manager_.mutex()};
    ibv_qp* const pair = std::exchange(id_->qp, nullptr);
    lock.unlock();
    ibv_destroy_qp(pair);
}

void Queues::break_pair() {
    broken_ = true;
    if (!has_pair_) return;
    ibv_qp_attr wanted{};
    wanted.qp_state = IBV_QPS_ERR;
    ibv_modify_qp(id_->qp, &wanted, IBV_QP_STATE);
}

void Queues::listen_again() {
    ibv_cq* which = nullptr;
    void* context = nullptr;
    // One event per requested notification. If another came meanwhile, the loop calls again.
    if (ibv_get_cq_event(channel_, &which, &context) == 0) ibv_ack_cq_events(which, 1);
    ibv_req_notify_cq(completed_, 0);
}

int Queues::post_receive(std::uint64_t id, const Piece& into) {
    if (!has_pair_ || broken_) return ENOTCONN;
    ibv_sge piece = to_verbs(into);
    ibv_recv_wr request{};
    request.wr_id = tag(receives_.push({id, Verb::receive, true}), kIsReceive);
    request.sg_list = &piece;
    request.num_sge = 1;
    ibv_recv_wr* refused = nullptr;
    const int error = std::abs(ibv_post_recv(id_->qp, &request, &refused));
    if (error != 0) receives_.take_back(number_in(request.wr_id));
    return error;
}

int Queues::post(std::span<const Work> works) {
    if (!has_pair_ || broken_) return ENOTCONN;
    const auto is_read = [](const Work& work) { return work.verb == Verb::read; };
    while (!works.empty()) {
        if (is_read(works.front())) {
            const Work& work = works.front();
            HELIO_ASSERT(work.pieces.size() == 1);
            reads_.push_back({works_.push({work.id, work.verb, true, work.signaled}),
                              work.pieces[0], work.remote_key, work.remote_address});
            works = works.subspan(1);
            continue;
        }
        const auto read = std::find_if(works.begin(), works.end(), is_read);
        const auto before = static_cast<std::size_t>(read - works.begin());
        const auto now = works.first(std::min(before, kPostedTogether));
        if (const int error = post_together(now); error != 0) return error;
        works = works.subspan(now.size());
    }
    return ask_for_more();
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
    if (error == 0 || refused == nullptr) return error;
    for (std::size_t i = works.size(); i > 0 && &requests[i - 1] >= refused; --i)
        works_.take_back(number_in(requests[i - 1].wr_id));
    return error;
}

void Queues::fill(ibv_send_wr& request, std::span<ibv_sge> pieces, const Work& work) {
    HELIO_ASSERT(!work.pieces.empty() && work.pieces.size() <= kPiecesMax);
    request = {};
    request.wr_id = tag(works_.push({work.id, work.verb, work.signaled}), 0);
    std::transform(work.pieces.begin(), work.pieces.end(), pieces.begin(), to_verbs);
    request.sg_list = pieces.data();
    request.num_sge = static_cast<int>(work.pieces.size());
    if (work.signaled) request.send_flags |= IBV_SEND_SIGNALED;
    if (work.verb == Verb::send) return fill_send(request, work);
    request.opcode = IBV_WR_RDMA_WRITE;
    request.wr.rdma.remote_addr = work.remote_address;
    request.wr.rdma.rkey = work.remote_key;
}

void Queues::fill_send(ibv_send_wr& request, const Work& work) {
    std::size_t bytes = 0;
    for (const Piece& piece : work.pieces) bytes += piece.size;
    if (bytes <= inline_bytes_max_) request.send_flags |= IBV_SEND_INLINE;
    request.opcode = IBV_WR_SEND;
    if (!work.invalidates || !device_.can_invalidate) return;
    request.opcode = IBV_WR_SEND_WITH_INV;
    request.invalidate_rkey = work.invalidated_key;
    // siw's library (rdma-core 44) takes the key from here.
    request.wr.rdma.rkey = work.invalidated_key;
}

// Each part of a read takes a slot in the device's queue, which has one for each request in flight
// and a few more.
int Queues::ask_for_more() {
    while (!reads_.empty() && asked_bytes_ < kReadBytesUnderWay) {
        Read& read = reads_.front();
        const std::uint32_t size = std::min(read.rest.size, kReadPart);
        ibv_sge piece = to_verbs({read.rest.at, size, read.rest.key});
        ibv_send_wr request{};
        request.wr_id = tag(read.number, 0);
        request.sg_list = &piece;
        request.num_sge = 1;
        request.opcode = IBV_WR_RDMA_READ;
        request.send_flags = IBV_SEND_SIGNALED;
        request.wr.rdma.remote_addr = read.remote_address;
        request.wr.rdma.rkey = read.remote_key;
        ibv_send_wr* refused = nullptr;
        if (const int error = std::abs(ibv_post_send(id_->qp, &request, &refused)); error != 0)
            return error;
        read.rest.at += size;
        read.rest.size -= size;
        read.remote_address += size;
        asked_bytes_ += size;
        asked_.push_back({read.number, size, read.rest.size == 0});
        if (read.rest.size == 0) reads_.pop_front();
    }
    return 0;
}

// A part has completed. True if its read is complete, or nothing more will come.
bool Queues::is_read_done(std::uint32_t number, bool ok) {
    const auto part = std::find_if(asked_.begin(), asked_.end(),
                                   [number](const Asked& one) { return one.number == number; });
    if (part == asked_.end()) return true;
    const bool is_last = part->is_last;
    asked_bytes_ -= part->size;
    asked_.erase(part);
    return is_last || !ok;
}

std::optional<Completion> Queues::translate(const ibv_wc& completed) {
    const bool is_receive = (completed.wr_id & kIsReceive) != 0;
    const bool ok = completed.status == IBV_WC_SUCCESS;
    const std::uint32_t number = number_in(completed.wr_id);
    if (!is_receive && works_.is_read(number) && !is_read_done(number, ok)) return std::nullopt;
    const auto request = (is_receive ? receives_ : works_).done(number);
    if (!request) return std::nullopt;
    if (ok && !request->is_told) return std::nullopt;
    Completion out{.id = request->id, .verb = request->verb};
    if (ok) {
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
    if (has_pair_ && !broken_ && fault_ == IBV_WC_SUCCESS && ask_for_more() != 0)
        fault_ = IBV_WC_FATAL_ERR;
    return room.first(count);
}

std::span<const Completion> Queues::take_unfinished(std::span<Completion> room) {
    std::size_t count = 0;
    for (InFlightWork* const queue : {&works_, &receives_}) {
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
