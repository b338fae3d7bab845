#include "tests/simulation/faults.h"

#include <utility>

namespace helio::simulation {

namespace {

using transport::FaultyNetwork;
using transport::Interest;
using transport::Poller;

// Enough for a record mark and some of the shortest replies; the kernel doubles it.
constexpr int kSmallBuffer = 2048;

// In front of the kernel's poller. It never sleeps.
class ShufflingPoller final : public Poller {
 public:
    explicit ShufflingPoller(FaultState& state)
        : state_(state),
          inner_(transport::make_poller()),
          found_(transport::kEventsPerWaitMax + 1) {}

    int add(int fd, Interest interest, Handler& handler, Sharing sharing) override {
        if (state_.loses(state_.plan.unwatched_one_in)) {
            state_.trace.add("server: cannot watch a descriptor");
            return ENOSPC;
        }
        if (state_.plan.small_buffers)
            setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSmallBuffer, sizeof kSmallBuffer);
        return inner_->add(fd, interest, handler, sharing);
    }
    void change(int fd, Interest interest, Handler& handler) override {
        inner_->change(fd, interest, handler);
    }
    bool remove(int fd) override { return inner_->remove(fd); }
    void wake() override { inner_->wake(); }

    std::size_t wait(std::span<Event> events, std::optional<std::chrono::nanoseconds>) override {
        std::size_t count = inner_->wait(found_, std::chrono::nanoseconds(0));
        // The inner poller reports a wake-up once; other events it repeats.
        if (std::exchange(woken_, false)) found_[count++] = {};
        state_.events += count;
        std::size_t reported = 0;
        for (std::size_t i = 0; i < count; ++i) {
            std::swap(found_[i], found_[i + state_.dice.below(count - i)]);
            const bool withheld = reported == events.size() ||
                                  (!state_.calm && state_.dice.one_in(state_.plan.withhold_one_in));
            if (!withheld)
                events[reported++] = found_[i];
            else if (found_[i].handler == nullptr)
                woken_ = true;
        }
        return reported;
    }

 private:
    FaultState& state_;
    std::unique_ptr<Poller> inner_;
    std::vector<Event> found_;
    bool woken_ = false;  // and not yet reported
};

constexpr int kAccepts[] = {EMFILE, ENFILE, ECONNABORTED, EINTR, EAGAIN};
constexpr int kConnects[] = {ECONNREFUSED, ETIMEDOUT, ENETUNREACH};
constexpr int kSends[] = {EAGAIN, EINTR, ENOBUFS};
constexpr int kReceives[] = {EAGAIN, EINTR};
constexpr int kLosses[] = {ECONNRESET, EPIPE, ETIMEDOUT};

FaultyNetwork::Fate choose(FaultState& state, FaultyNetwork::Call call) {
    using Call = FaultyNetwork::Call;
    FaultyNetwork::Fate out;
    if (state.calm) return out;
    Dice& dice = state.dice;
    const Plan& plan = state.plan;
    if (call == Call::accept) {
        if (state.loses(plan.accept_one_in)) out.error_number = dice.pick(kAccepts);
    } else if (call == Call::connect) {
        if (state.loses(plan.accept_one_in)) out.error_number = dice.pick(kConnects);
    } else if (state.loses(plan.lose_one_in)) {
        out.error_number = dice.pick(kLosses);
    } else if (dice.one_in(plan.again_one_in)) {
        out.error_number = call == Call::send ? dice.pick(kSends) : dice.pick(kReceives);
    } else if (dice.one_in(plan.short_one_in)) {
        out.at_most = dice.between(1, plan.short_bytes);
    }
    if (out.error_number != 0 || out.at_most != SIZE_MAX)
        state.trace.add("server: fault in", static_cast<unsigned>(call), out.error_number,
                        out.at_most);
    return out;
}

}  // namespace

std::unique_ptr<FaultyNetwork> make_network(FaultState& state) {
    return std::make_unique<FaultyNetwork>(
        [&state](FaultyNetwork::Call call) { return choose(state, call); },
        [&state] { return std::make_unique<ShufflingPoller>(state); });
}

}  // namespace helio::simulation
