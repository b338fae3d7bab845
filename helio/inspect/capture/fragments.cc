#include <algorithm>
#include <chrono>
#include <cstring>

#include "helio/inspect/capture/fragments_internal.h"
#include "helio/inspect/capture/segment.h"

namespace helio::inspect {
namespace {

// A capture on two interfaces holds every packet twice, close together, so a few are enough; a
// datagram takes at most 64 KiB.
constexpr std::size_t kDoneKept = 8;

// Overhead per datagram: list and tree nodes, and malloc's share of each.
constexpr std::size_t kDatagramOverhead = sizeof(Datagram) + sizeof(FragmentKey) + 128;

constexpr std::int64_t kWaitNs = std::chrono::nanoseconds{kFragmentWaitMax}.count();

std::int64_t deadline_of(const Datagram& datagram) {
    std::int64_t end = 0;
    const bool overflows = __builtin_add_overflow(datagram.first_time_ns, kWaitNs, &end);
    return overflows ? INT64_MAX : end;
}

}  // namespace

void Runs::add(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    // The first run that touches or follows, and the first that follows with a gap.
    const auto first =
        std::lower_bound(runs_.begin(), runs_.end(), begin,
                         [](const Run& run, std::size_t at) { return run.end < at; });
    const auto last = std::upper_bound(
        first, runs_.end(), end, [](std::size_t at, const Run& run) { return at < run.begin; });
    if (first == last) {
        runs_.insert(first, {begin, end});
        return;
    }
    first->begin = std::min(first->begin, begin);
    first->end = std::max(std::prev(last)->end, end);
    runs_.erase(std::next(first), last);
}

std::size_t Runs::total() const {
    std::size_t sum = 0;
    for (const Run& run : runs_) sum += run.end - run.begin;
    return sum;
}

bool Runs::agrees(ByteView held, ByteView bytes, std::size_t begin) const {
    const std::size_t end = begin + bytes.size();
    for (const Run& run : runs_) {
        const std::size_t from = std::max(run.begin, begin);
        const std::size_t to = std::min(run.end, end);
        if (from >= to) continue;
        if (std::memcmp(held.data() + from, bytes.data() + (from - begin), to - from) != 0) {
            return false;
        }
    }
    return true;
}

std::size_t Datagram::memory() const {
    return kDatagramOverhead + bytes.capacity() + there.memory() + claimed.memory();
}

bool Datagram::takes(const Fragment& fragment) const {
    const std::size_t end = fragment.offset + fragment.wire_size;
    if (size_known ? end > size || (!fragment.more && end != size)
                   : !fragment.more && end < claimed.end()) {
        return false;
    }
    return there.agrees(bytes, fragment.bytes, fragment.offset);
}

void Datagram::merge(const Fragment& fragment) {
    const std::size_t captured_end = fragment.offset + fragment.bytes.size();
    if (packets == 0) first_time_ns = fragment.time_ns;
    ++packets;
    time_ns = fragment.time_ns;
    packet = fragment.packet;
    if (fragment.offset == 0) protocol = fragment.protocol;
    if (!fragment.more) {
        size_known = true;
        size = fragment.offset + fragment.wire_size;
    }
    if (!fragment.bytes.empty()) {
        if (bytes.size() < captured_end) bytes.resize(captured_end);
        // Overlapping bytes are equal here.
        std::memcpy(bytes.data() + fragment.offset, fragment.bytes.data(), fragment.bytes.size());
    }
    there.add(fragment.offset, captured_end);
    claimed.add(fragment.offset, fragment.offset + fragment.wire_size);
}

const Datagram* FragmentTable::add(const Fragment& fragment) {
    auto known = by_key_.find(fragment.key);
    if (known != by_key_.end() && !known->second->takes(fragment)) {
        give_up(known->second);
        known = by_key_.end();
    } else if (known == by_key_.end() && repeats_done(fragment)) {
        return nullptr;
    }
    if (known == by_key_.end()) {
        waiting_.emplace_back().key = fragment.key;
        held_ += waiting_.back().memory();
        known = by_key_.emplace(fragment.key, std::prev(waiting_.end())).first;
    }
    Datagram& datagram = *known->second;
    held_ -= datagram.memory();
    datagram.merge(fragment);
    held_ += datagram.memory();
    if (datagram.whole()) return finish(known->second);
    while (held_ > kFragmentBytesMax && waiting_.size() > 1) give_up(waiting_.begin());
    return nullptr;
}

bool FragmentTable::repeats_done(const Fragment& fragment) const {
    for (const Datagram& datagram : done_) {
        if (datagram.key == fragment.key && datagram.takes(fragment) &&
            fragment.time_ns <= deadline_of(datagram)) {
            return true;
        }
    }
    return false;
}

const Datagram* FragmentTable::finish(Waiting::iterator datagram) {
    held_ -= datagram->memory();
    by_key_.erase(datagram->key);
    done_.splice(done_.end(), waiting_, datagram);
    if (done_.size() > kDoneKept) done_.pop_front();
    return &done_.back();
}

void FragmentTable::give_up(Waiting::iterator datagram) {
    held_ -= datagram->memory();
    by_key_.erase(datagram->key);
    if (datagram->there.first_end() != 0) {
        given_up_.splice(given_up_.end(), waiting_, datagram);
        return;
    }
    sink_.unread(Unread::fragments_missing, datagram->there.total(), datagram->packets);
    waiting_.erase(datagram);
}

void FragmentTable::give_up_old(std::int64_t now_ns) {
    while (!waiting_.empty() && deadline_of(waiting_.front()) < now_ns) give_up(waiting_.begin());
}

void FragmentTable::give_up_all() {
    while (!waiting_.empty()) give_up(waiting_.begin());
}

const Datagram* FragmentTable::next_given_up() {
    fetched_.clear();
    if (given_up_.empty()) return nullptr;
    fetched_.splice(fetched_.end(), given_up_, given_up_.begin());
    return &fetched_.front();
}

void FragmentTable::forget_given_up() {
    for (const Datagram& datagram : given_up_) {
        sink_.unread(Unread::fragments_missing, datagram.there.total(), datagram.packets);
    }
    given_up_.clear();
}

std::int64_t FragmentTable::wait_ends_ns() const {
    return waiting_.empty() ? INT64_MAX : deadline_of(waiting_.front());
}

}  // namespace helio::inspect
