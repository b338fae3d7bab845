#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "helio/base/assert.h"
#include "testing/transport/rdma/memory_fabric_internal.h"

namespace helio::transport::rdma {

namespace says {
// The verbs library's texts, so that logs of both fabrics look alike.
constexpr std::string_view kAccessError = "remote access error";
constexpr std::string_view kFlushed = "flushed";
constexpr std::string_view kLocalProtection = "local protection error";
constexpr std::string_view kLocalLength = "local length error";
constexpr std::string_view kRemoteRequest = "remote invalid request error";
constexpr std::string_view kRemoteOperation = "remote operation error";
constexpr std::string_view kNotReady = "receiver not ready";
constexpr std::string_view kBroke = "the connection broke";
constexpr std::string_view kDisconnected = "the other side disconnected";
constexpr std::string_view kRefused = "the connection was refused";
}  // namespace says

MemoryQueue::MemoryQueue(std::shared_ptr<MemoryCore> of, MemorySide on, const LinkLimits& made_for)
    : core(std::move(of)), side(on), limits(made_for), receives_(made_for.receives) {
    run = [](EventLoop::Posted& self) { static_cast<MemoryQueue&>(self).deliver(); };
    drop = [](EventLoop::Posted& self) {
        auto& queue = static_cast<MemoryQueue&>(self);
        const std::lock_guard lock{queue.core->mutex};
        queue.posted_ = false;
        queue.loop_ = nullptr;
    };
}

void MemoryQueue::attach(EventLoop& loop, Link::Owner& owner) {
    HELIO_ASSERT(loop_ == nullptr);
    loop_ = &loop;
    owner_ = &owner;
    notify();  // it may have been lost already
}

void MemoryQueue::tell_ready() {
    ready_ = true;
    notify();
}

void MemoryQueue::tell_connected() {
    state = State::connected;
    connected_ = true;
    notify();
}

void MemoryQueue::close() {
    bool waits = false;
    {
        const std::lock_guard lock{core->mutex};
        owner_ = nullptr;
        waits = std::exchange(posted_, false);
        if (MemoryQueue* const other_end = std::exchange(peer, nullptr)) {
            const bool refused = side == MemorySide::answering && state == State::made;
            other_end->lose(refused ? ECONNREFUSED : 0,
                            refused ? says::kRefused : says::kDisconnected);
        }
        state = State::lost;
        std::erase(core->queues, this);
    }
    if (waits) loop_->unpost(*this);
}

bool MemoryQueue::post_receive(std::uint64_t id, const Piece& into) {
    const std::lock_guard lock{core->mutex};
    if (state == State::lost) return false;
    HELIO_ASSERT(receives_under_way_ < limits.receives);
    ++receives_under_way_;
    ++core->counters[side_index(side)].receives;
    std::size_t place = first_receive_ + receive_count_++;
    if (place >= receives_.size()) place -= receives_.size();
    receives_[place] = {id, into};
    return true;
}

bool MemoryQueue::post(std::span<const Work> works) {
    const std::lock_guard lock{core->mutex};
    if (state == State::lost) return false;
    HELIO_ASSERT(state == State::connected);
    HELIO_ASSERT(works.size() <= limits.works - works_under_way_);
    works_under_way_ += static_cast<std::uint32_t>(works.size());
    for (const Work& work : works) {
        HELIO_ASSERT(!work.pieces.empty() && work.pieces.size() <= kPiecesMax);
        HELIO_ASSERT(work.verb != Verb::receive);
        HELIO_ASSERT(work.verb != Verb::read || work.pieces.size() == 1);
        if (state == State::lost)
            flush(work, says::kFlushed);  // by one before it
        else
            take(work);
    }
    notify();
    if (peer != nullptr) peer->notify();
    return true;
}

void MemoryQueue::take(const Work& work) {
    switch (core->fault_for(side, work)) {
        case MemoryFault::none:
            break;
        case MemoryFault::access_error:
            return fail(work, says::kAccessError);
        case MemoryFault::drop:
            return hold(HeldWork::Why::dropped, work);
        case MemoryFault::lose:
            return complete(work);
        case MemoryFault::delay:
            return hold(HeldWork::Why::delayed, work);
        case MemoryFault::disconnect:
            flush(work, says::kFlushed);
            return lose_both(0, says::kDisconnected);
    }
    if (!held_.empty() && is_held_up()) return hold(HeldWork::Why::delayed, work);
    if (const auto what = carry_out(work); !what.empty()) return fail(work, what);
    if (!held_.empty() && completes_later()) return hold(HeldWork::Why::done, work);
    complete(work);
}

void MemoryQueue::hold(HeldWork::Why why, const Work& work) {
    HeldWork& held = held_.emplace_back(HeldWork{why, work, {}});
    std::copy(work.pieces.begin(), work.pieces.end(), held.pieces.begin());
}

bool MemoryQueue::is_held_up() const {
    return std::any_of(held_.begin(), held_.end(), [](const HeldWork& one) {
        return one.why == HeldWork::Why::delayed && one.work.verb != Verb::read;
    });
}

bool MemoryQueue::completes_later() const {
    return std::any_of(held_.begin(), held_.end(),
                       [](const HeldWork& one) { return one.why == HeldWork::Why::delayed; });
}

void MemoryQueue::release() {
    for (HeldWork& one : std::exchange(held_, {})) {
        one.work.pieces = std::span{one.pieces}.first(one.work.pieces.size());
        if (state == State::lost)
            flush(one.work, says::kFlushed);
        else if (one.why == HeldWork::Why::dropped)
            held_.push_back(one);
        else if (one.why == HeldWork::Why::done)
            complete(one.work);
        else if (const auto what = carry_out(one.work); !what.empty())
            fail(one.work, what);
        else
            complete(one.work);
    }
    notify();
    if (peer != nullptr) peer->notify();
}

std::string_view MemoryQueue::carry_out(const Work& work) {
    std::uint64_t size = 0;
    for (const Piece& piece : work.pieces) {
        // Some devices treat an empty piece as two gigabytes.
        HELIO_ASSERT(piece.size > 0);
        if (!core->keys[side_index(side)].is_local(piece)) return says::kLocalProtection;
        size += piece.size;
    }
    auto& counters = core->counters[side_index(side)];
    if (work.verb == Verb::send) {
        ++counters.sends;
        counters.bytes_sent += size;
        return send(work, size);
    }
    std::byte* remote =
        core->keys[side_index(other_side(side))].remote(work.remote_key, work.remote_address, size);
    if (work.verb == Verb::read) {
        ++counters.reads;
        if (remote == nullptr) return says::kAccessError;
        counters.bytes_read += size;
        std::memcpy(work.pieces[0].at, remote, size);
        return {};
    }
    ++counters.writes;
    if (remote == nullptr) return says::kAccessError;
    counters.bytes_written += size;
    for (const Piece& piece : work.pieces) {
        std::memcpy(remote, piece.at, piece.size);
        remote += piece.size;
    }
    return {};
}

std::string_view MemoryQueue::send(const Work& work, std::uint64_t size) {
    if (peer->receive_count_ == 0) return says::kNotReady;
    MemoryKeys& keys = core->keys[side_index(peer->side)];
    const Receive receive = peer->receives_[peer->first_receive_];
    if (size > receive.into.size) {
        peer->receive_failure_ = says::kLocalLength;
        return says::kRemoteRequest;
    }
    if (!keys.is_local(receive.into)) {
        peer->receive_failure_ = says::kLocalProtection;
        return says::kRemoteOperation;
    }
    if (work.invalidates) {
        ++core->counters[side_index(side)].invalidations;
        if (!keys.invalidate(work.invalidated_key)) return says::kAccessError;
    }
    std::byte* at = receive.into.at;
    for (const Piece& piece : work.pieces) {
        std::memcpy(at, piece.at, piece.size);
        at += piece.size;
    }
    if (core->see) core->see(side, {receive.into.at, size});
    peer->receive_count_--;
    if (++peer->first_receive_ == peer->receives_.size()) peer->first_receive_ = 0;
    peer->pending_.push_back(
        {receive.id, Verb::receive, true, static_cast<std::uint32_t>(size), {}});
    ++peer->receives_to_tell_;
    return {};
}

void MemoryQueue::complete(const Work& work) {
    ++unsignaled_;
    if (!work.signaled) return;
    pending_.push_back({work.id, work.verb, true, 0, {}});
    works_to_tell_ += std::exchange(unsignaled_, 0);
}

void MemoryQueue::flush(const Work& work, std::string_view what) {
    pending_.push_back({work.id, work.verb, false, 0, what});
    works_to_tell_ += std::exchange(unsignaled_, 0) + 1;
}

void MemoryQueue::fail(const Work& work, std::string_view what) {
    flush(work, what);
    MemoryQueue* const other_end = peer;
    lose(EIO, what);
    if (other_end != nullptr) other_end->lose(ECONNRESET, says::kBroke);
}

void MemoryQueue::lose_both(int error_number, std::string_view why) {
    MemoryQueue* const other_end = peer;
    lose(error_number, why);
    if (other_end != nullptr) other_end->lose(error_number, why);
}

void MemoryQueue::lose(int error_number, std::string_view why) {
    if (state == State::lost) return;
    state = State::lost;
    peer = nullptr;
    for (const HeldWork& one : std::exchange(held_, {})) flush(one.work, says::kFlushed);
    std::string_view what = receive_failure_.empty() ? says::kFlushed : receive_failure_;
    for (; receive_count_ > 0; --receive_count_) {
        pending_.push_back({receives_[first_receive_].id, Verb::receive, false, 0, what});
        if (++first_receive_ == receives_.size()) first_receive_ = 0;
        ++receives_to_tell_;
        what = says::kFlushed;
    }
    error_number_ = error_number;
    why_ = why;
    lost_ = true;
    notify();
}

void MemoryQueue::notify() {
    if (loop_ == nullptr || owner_ == nullptr || posted_) return;
    const bool completions = !pending_.empty() && !core->held[side_index(side)];
    const bool lost = lost_ && !core->held[side_index(side)];
    const bool connected = connected_ && (completions || !is_connected_late());
    if (!ready_ && !connected && !completions && !lost) return;
    posted_ = true;
    loop_->post(*this);
}

bool MemoryQueue::is_connected_late() const {
    return core->connects_late && side == MemorySide::answering;
}

// On the loop's thread, the only one on which owner_ changes: any call may destroy the link.
void MemoryQueue::deliver() {
    const auto self = shared_from_this();
    std::vector<Completion> batch;
    bool ready = false, connected = false, late = false, lost = false;
    {
        const std::lock_guard lock{core->mutex};
        posted_ = false;
        if (!core->held[side_index(side)]) {
            batch.swap(pending_);
            pending_.swap(spare_);
            receives_under_way_ -= std::exchange(receives_to_tell_, 0);
            works_under_way_ -= std::exchange(works_to_tell_, 0);
            lost = std::exchange(lost_, false);
        }
        ready = std::exchange(ready_, false) && state != State::lost;
        late = is_connected_late();
        if (!late || !batch.empty()) connected = std::exchange(connected_, false);
    }
    if (ready) owner_->on_ready();
    if (connected && !late && owner_ != nullptr) owner_->on_connected();
    if (!batch.empty() && owner_ != nullptr) owner_->on_completions(batch);
    if (connected && late && owner_ != nullptr) owner_->on_connected();
    if (lost && owner_ != nullptr) owner_->on_lost(error_number_, why_);
    batch.clear();
    if (spare_.capacity() < batch.capacity()) spare_.swap(batch);
}

}  // namespace helio::transport::rdma
