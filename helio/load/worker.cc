#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "helio/load/run.h"
#include "helio/load/worker_internal.h"
#include "helio/reflect/decode.h"
#include "helio/xdr/wire.h"

namespace helio::load {

namespace {

std::chrono::nanoseconds thread_cpu() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::uint64_t nanoseconds(Clock::duration time) {
    return time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
}

// A result that begins with an enumeration, taken as its status.
bool begins_with_status(const idl::Type* type) {
    if (type == nullptr) return false;
    const idl::Type& result = idl::resolve(*type);
    if (result.kind == idl::Kind::enumeration) return true;
    return result.kind == idl::Kind::union_ &&
           idl::resolve(*result.discriminant.type).kind == idl::Kind::enumeration;
}

template <class Key, class Same>
void count_in(std::vector<std::pair<Key, std::uint64_t>>& list, const Key& key, Same same) {
    for (auto& [one, count] : list) {
        if (!same(one)) continue;
        ++count;
        return;
    }
    list.emplace_back(key, 1);
}

}  // namespace

Worker::Worker(const std::vector<Step>& steps, const std::vector<std::uint16_t>& order,
               const Settings& settings, const Times& times, std::uint32_t index)
    : steps_(steps), order_(order), settings_(settings), times_(times), variant_at_(steps.size()) {
    if (settings.rate > 0) schedule_.emplace(times.start, settings.rate, index, settings.threads);
    transport::ClientOptions options = settings.client;
    options.reconnect = false;  // a lost connection is a result; the next call reconnects
    for (std::uint32_t i = index; i < settings.connections; i += settings.threads)
        connections_.push_back(
            std::make_unique<transport::ClientConnection>(loop_, settings.servers, options));
    slots_.resize(connections_.size() * settings.depth);
    // Slots alternate between connections, so an open loop spreads its calls.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        slots_[i].worker = this;
        slots_[i].connection = connections_[i % connections_.size()].get();
    }
    if (settings.source) source_ = &settings.source(index, slots_.size());
    order_at_ = index % order.size();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        // Threads start with different variants, so that they do not make the same call at once.
        variant_at_[i] =
            static_cast<std::uint32_t>(steps[i].arguments.size() * index / settings.threads);
        has_status_.push_back(steps[i].status_name != nullptr ||
                              begins_with_status(steps[i].result));
    }
    count_ = static_cast<std::size_t>(
        (times.end - times.begin + times.interval - std::chrono::nanoseconds(1)) / times.interval);
    series_ = std::make_unique<Interval[]>(count_);
    interval_end_ = times.begin + times.interval;
}

Worker::~Worker() {
    for (Slot& slot : slots_) slot.call.reset();  // before their connections
}

void Worker::start_thread() {
    thread_ = std::thread([this] { main(); });
}

void Worker::stop() {
    loop_.post([this] {
        if (!stopping_) end_measuring();
    });
}

void Worker::main() {
    // By default the kernel may end a sleep 50 µs late, which would count as latency.
    prctl(PR_SET_TIMERSLACK, 1);
    start_alarm_.set(times_.start);
    begin_alarm_.set(times_.begin);
    end_alarm_.set(times_.end);
    while (!over_) loop_.turn(std::chrono::milliseconds(-1));
    for (const auto& connection : connections_)
        figures_.retransmitted += connection->counters().retransmitted;
    for (const auto& connection : connections_) figures_.strays += connection->counters().ignored;
    for (Slot& slot : slots_) slot.call.reset();
    ended_.store(true, std::memory_order_release);
}

void Worker::begin_all() {
    if (!schedule_) {
        for (Slot& slot : slots_) start_call(slot, Clock::now());
        return;
    }
    for (Slot& slot : slots_) idle_.push_back(&slot);
    idle_count_ = idle_.size();
    tick_.set(schedule_->due(0));
}

// ---- The path of one call ----

void Worker::start_call(Slot& slot, Clock::time_point begin) {
    slot.begin = begin;
    if (source_ != nullptr) {
        slot.step = source_->choose(index_of(slot));
    } else {
        slot.step = order_[order_at_];
        if (++order_at_ == order_.size()) order_at_ = 0;
    }
    const Step& step = steps_[slot.step];
    slot.call = step.info != nullptr ? slot.connection->begin(*step.version_info, *step.info)
                                     : slot.connection->begin(step.program, step.version,
                                                              step.procedure, step.idempotent);
    const bool written = write_arguments(slot);
    slot.connection->set_done(*slot.call, on_done, &slot);
    ++in_flight_;
    if (written) slot.call->send();
    if (!written || slot.call->finished()) [[unlikely]] {  // no memory: there will be no callback
        --in_flight_;
        count_failure(slot, Clock::now(), {xdr::Outcome::system_error, {}, {}, 0});
        park(slot);
    }
}

bool Worker::write_arguments(Slot& slot) {
    xdr::Writer& out = slot.call->arguments();
    if (source_ != nullptr) {
        const auto before = out.mark();
        if (!source_->write(index_of(slot), out)) return false;
        slot.argument_bytes = out.size_since(before);
        return true;
    }
    const auto& variants = steps_[slot.step].arguments;
    std::uint32_t& variant = variant_at_[slot.step];
    const std::vector<std::byte>& arguments = variants[variant];
    if (++variant == variants.size()) variant = 0;
    slot.argument_bytes = arguments.size();
    return out.append(arguments);
}

void Worker::on_done(void* slot, xdr::AsyncCall& call) {
    Slot& mine = *static_cast<Slot*>(slot);
    mine.worker->done(mine, call);
}

void Worker::done(Slot& slot, xdr::AsyncCall& call) {
    const auto now = loop_.now();
    --in_flight_;
    bool away = false;
    if (const xdr::Reader* const results = call.results()) [[likely]] {
        count_answer(slot, now, results->rest(), transport::ClientConnection::bulk_of(call));
    } else {
        const xdr::CallError error = call.why();
        away = error.outcome == xdr::Outcome::unreachable;
        if (away) note_away(error, now);
        if (source_ != nullptr) source_->failed(index_of(slot));
        count_failure(slot, now, error);
    }
    slot.call.reset();
    if (stopping_) {
        if (in_flight_ == 0) give_up();
    } else if (away) {
        park(slot);
    } else {
        next(slot, now);
    }
}

Worker::Interval* Worker::interval_at(Clock::time_point now) {
    if (now < times_.begin || now >= times_.end || stopping_) return nullptr;
    if (now >= interval_end_) {
        interval_at_ = static_cast<std::size_t>((now - times_.begin) / times_.interval);
        interval_end_ =
            times_.begin + (static_cast<std::int64_t>(interval_at_) + 1) * times_.interval;
    }
    return &series_[interval_at_];
}

void Worker::count_answer(const Slot& slot, Clock::time_point now, ByteView results,
                          std::span<const ByteView> bulk) {
    last_answer_ = now;
    const Step& step = steps_[slot.step];
    if (settings_.check && step.result != nullptr && !fits(slot, results)) {
        count_failure(slot, now, {xdr::Outcome::garbage_reply, tree_.error, {}, 0});
        return;
    }
    const char* const wrong =
        source_ != nullptr ? source_->check(index_of(slot), results, bulk) : nullptr;
    if (source_ != nullptr && slot.begin >= times_.begin) ++figures_.checked;
    if (wrong != nullptr) [[unlikely]] {
        if (count_one_failed(slot, now))
            count_in(figures_.wrong, wrong,
                     [wrong](const char* one) { return std::strcmp(one, wrong) == 0; });
        return;
    }
    answered_so_far_.add(1);
    Interval* const interval = interval_at(now);
    if (interval != nullptr) interval->answered.add(1);
    if (slot.begin < times_.begin) return;  // warm-up
    (interval != nullptr ? interval->latency : figures_.latency)
        .record(nanoseconds(now - slot.begin));
    ++figures_.answered;
    figures_.argument_bytes += slot.argument_bytes;
    figures_.result_bytes += results.size();
    for (const ByteView& one : bulk) figures_.result_bytes += padded(one.size());
    if (has_status_[slot.step]) count_status(slot, results);
}

void Worker::count_status(const Slot& slot, ByteView results) {
    if (results.size() < 4) return;
    const std::int64_t key =
        std::int64_t{slot.step} << 32 | std::int64_t{xdr::load_u32(results.data())};
    count_in(figures_.statuses, key, [key](std::int64_t one) { return one == key; });
}

bool Worker::fits(const Slot& slot, ByteView results) {
    if (slot.begin >= times_.begin) ++figures_.checked;
    reflect::decode_into(tree_, results, *steps_[slot.step].result, {.strict = true});
    return tree_.ok();
}

// False: it belongs to the warm-up.
bool Worker::count_one_failed(const Slot& slot, Clock::time_point now) {
    failed_so_far_.add(1);
    Interval* const interval = interval_at(now);
    if (interval != nullptr) interval->failed.add(1);
    if (slot.begin < times_.begin && now < times_.begin) return false;
    ++figures_.failed;
    return true;
}

void Worker::count_failure(const Slot& slot, Clock::time_point now, const xdr::CallError& error) {
    if (!count_one_failed(slot, now)) return;
    Interval* const interval = interval_at(now);
    // A timeout is a lower bound of the latency; an immediate refusal is not a latency.
    if (error.outcome == xdr::Outcome::timed_out && slot.begin >= times_.begin)
        (interval != nullptr ? interval->latency : figures_.latency)
            .record(nanoseconds(now - slot.begin));
    count_in(figures_.errors, error, [&error](const xdr::CallError& one) {
        return one.outcome == error.outcome && one.reason == error.reason &&
               one.error_number == error.error_number && one.detail.fault == error.detail.fault;
    });
}

// The slot is free: send a call if one is due, or let it wait.
void Worker::next(Slot& slot, Clock::time_point now) {
    if (!schedule_) return start_call(slot, now);
    const auto due = schedule_->due(scheduled_);
    if (due > now || due >= times_.end) {
        idle_[(idle_first_ + idle_count_++) % idle_.size()] = &slot;
        return;
    }
    if (idle_count_ > 0)
        note_lag(due, now);  // it could have been sent earlier
    else if (due >= times_.begin)
        ++figures_.held_back;
    ++scheduled_;
    start_call(slot, due);
}

// ---- Open loop ----

void Worker::note_lag(Clock::time_point due, Clock::time_point now) {
    if (due >= times_.begin) figures_.lag.record(nanoseconds(now - due));
}

void Worker::send_due() {
    const auto now = Clock::now();
    while (idle_count_ > 0 && !stopping_) {
        const auto due = schedule_->due(scheduled_);
        if (due >= times_.end) return;
        if (due > now) break;
        Slot& slot = *idle_[idle_first_];
        idle_first_ = (idle_first_ + 1) % idle_.size();
        --idle_count_;
        note_lag(due, now);
        ++scheduled_;
        start_call(slot, due);
    }
    // If no slot is free, the next answer sends the overdue call.
    const auto due = schedule_->due(scheduled_);
    tick_.set(due > now ? due : now + std::chrono::milliseconds(1));
}

// ---- Unreachable servers ----

void Worker::note_away(const xdr::CallError& error, Clock::time_point now) {
    last_away_ = error;
    if (away_since_ <= last_answer_) away_since_ = now;
}

void Worker::park(Slot& slot) {
    slot.call.reset();
    if (stopping_) return;
    parked_.push_back(&slot);
    if (!retry_alarm_.is_set()) retry_alarm_.set(Clock::now() + kRetryAfter);
}

void Worker::retry() {
    if (stopping_) return;
    const auto now = Clock::now();
    const bool never = last_answer_ == Clock::time_point{};
    const bool away = away_since_ > last_answer_ && (never || now - away_since_ > kAwayMax);
    if (away && in_flight_ == 0) {
        figures_.away = last_away_;
        return end_measuring();
    }
    for (Slot* const slot : std::exchange(parked_, {})) next(*slot, now);
}

// ---- Begin and end ----

void Worker::begin_measuring() {
    cpu_before_ = thread_cpu();
    if (source_ != nullptr) source_->begin_measuring();
}

void Worker::end_measuring() {
    figures_.cpu = thread_cpu() - cpu_before_;
    figures_.end = std::min(Clock::now(), times_.end);
    if (source_ != nullptr) source_->end_measuring();
    stopping_ = true;
    start_alarm_.cancel();
    tick_.cancel();
    end_alarm_.cancel();
    retry_alarm_.cancel();
    // Calls that were due and never sent have waited as well.
    if (schedule_) {
        for (;; ++scheduled_) {
            const auto due = schedule_->due(scheduled_);
            if (due >= figures_.end) break;
            if (due < times_.begin) continue;
            figures_.latency.record(nanoseconds(figures_.end - due));
            ++figures_.unanswered;
        }
    }
    if (in_flight_ == 0 || figures_.away) return give_up();
    drain_alarm_.set(Clock::now() + kDrainMax);
}

void Worker::give_up() {
    const auto now = Clock::now();
    for (Slot& slot : slots_) {
        if (!slot.call || slot.begin < times_.begin) continue;
        figures_.latency.record(nanoseconds(now - slot.begin));
        ++figures_.unanswered;
    }
    over_ = true;
}

}  // namespace helio::load
