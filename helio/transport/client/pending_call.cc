#include "helio/transport/client/pending_call.h"

#include <algorithm>

namespace helio::transport {

namespace {
constexpr std::size_t kPendingTableSizeMin = 16;
// Deadlines closer together than this are handled together.
constexpr std::chrono::milliseconds kDueStep{1};
}  // namespace

void PendingCall::fail_with(const xdr::CallError& error) {
    HELIO_ASSERT(state_ == State::writing);
    end(&error);
    // From the loop, since the callback may begin the next call, which may fail as well.
    if (done_ != nullptr) set(Clock::now());
}

// Reports what fail_with() recorded.
void PendingCall::on_time() {
    if (done_ != nullptr) done_(done_self_, *this);
}

PendingCalls::PendingCalls(EventLoop& loop, std::uint32_t first_number)
    : Timer(loop), table_(kPendingTableSizeMin), next_number_(first_number) {}

void PendingCalls::grow() {
    std::vector<PendingCall*> larger(table_.size() * 2);
    for (PendingCall* const one : table_)
        if (one != nullptr) larger[one->number_ & (larger.size() - 1)] = one;
    table_ = std::move(larger);
}

std::vector<std::uint32_t> PendingCalls::numbers() const {
    std::vector<std::uint32_t> out;
    for (const PendingCall* const one : table_)
        if (one != nullptr) out.push_back(one->number_);
    std::sort(out.begin(), out.end(), [this](std::uint32_t a, std::uint32_t b) {
        return next_number_ - a > next_number_ - b;  // also correct past 2^32
    });
    return out;
}

// Answered calls leave the timer unchanged, so often nothing is due.
void PendingCalls::on_time() {
    const auto now = Clock::now();
    for (const std::uint32_t number : numbers())
        if (PendingCall* const one = find(number); one != nullptr && one->due_ <= now)
            one->on_due(now);
    auto next = Clock::time_point::max();
    for (const PendingCall* const one : table_)
        if (one != nullptr) next = std::min(next, one->due_);
    if (under_way_ > 0) watch(std::max(next, now + kDueStep));
}

}  // namespace helio::transport
