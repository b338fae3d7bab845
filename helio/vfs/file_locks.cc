#include "helio/vfs/file_locks.h"

#include <algorithm>

namespace helio::vfs {

namespace {

bool overlap(const LockRange& a, const LockRange& b) {
    return a.first <= b.last && b.first <= a.last;
}

// The first of the sorted ranges that does not end before `offset`.
template <class Ranges>
auto first_reaching(Ranges& ranges, std::uint64_t offset) {
    return std::lower_bound(
        ranges.begin(), ranges.end(), offset,
        [](const auto& held, std::uint64_t at) { return held.range.last < at; });
}

}  // namespace

std::optional<LockConflict> FileLocks::conflict(LockOwner owner, const LockRange& range,
                                                LockType type) const {
    std::optional<LockConflict> found;
    for (const auto& [other, ranges] : by_owner_) {
        if (other == owner) continue;
        for (auto at = first_reaching(ranges, range.first);
             at != ranges.end() && overlap(at->range, range); ++at) {
            if (type == LockType::read && at->type == LockType::read) continue;
            if (!found || at->range.first < found->range.first)
                found = LockConflict{at->range, at->type, other};
            break;
        }
    }
    return found;
}

// Removes a range from an owner's and returns the parts that were there.
std::vector<LockRange> FileLocks::cut(Ranges& ranges, const LockRange& range) {
    std::vector<LockRange> parts;
    Ranges kept;
    const auto begin = first_reaching(ranges, range.first);
    auto end = begin;
    for (; end != ranges.end() && overlap(end->range, range); ++end) {
        const LockRange held = end->range;
        parts.push_back({std::max(held.first, range.first), std::min(held.last, range.last)});
        if (held.first < range.first) kept.push_back({{held.first, range.first - 1}, end->type});
        if (held.last > range.last) kept.push_back({{range.last + 1, held.last}, end->type});
    }
    count_ += kept.size();
    count_ -= parts.size();
    ranges.insert(ranges.erase(begin, end), kept.begin(), kept.end());
    return parts;
}

void FileLocks::set(LockOwner owner, const LockRange& range, LockType type) {
    Ranges& ranges = by_owner_[owner];
    cut(ranges, range);
    HeldLock whole{range, type};
    auto at = first_reaching(ranges, range.first);
    // Merge with adjacent ranges of the same type.
    if (at != ranges.begin()) {
        const auto before = at - 1;
        if (before->type == type && before->range.last + 1 == range.first) {
            whole.range.first = before->range.first;
            at = ranges.erase(before);
            --count_;
        }
    }
    if (at != ranges.end() && at->type == type && range.last != kLockToEnd &&
        range.last + 1 == at->range.first) {
        whole.range.last = at->range.last;
        at = ranges.erase(at);
        --count_;
    }
    ranges.insert(at, whole);
    ++count_;
}

std::vector<LockRange> FileLocks::clear(LockOwner owner, const LockRange& range) {
    const auto at = by_owner_.find(owner);
    if (at == by_owner_.end()) return {};
    std::vector<LockRange> parts = cut(at->second, range);
    if (at->second.empty()) by_owner_.erase(at);
    return parts;
}

std::vector<HeldLock> FileLocks::held(LockOwner owner, std::uint64_t from,
                                      std::size_t count_max) const {
    const auto found = by_owner_.find(owner);
    if (found == by_owner_.end()) return {};
    const auto begin = first_reaching(found->second, from);
    const auto left = static_cast<std::size_t>(found->second.end() - begin);
    return {begin, begin + static_cast<std::ptrdiff_t>(std::min(left, count_max))};
}

std::vector<FileLocks::Piece> FileLocks::pieces(const LockRange& range) const {
    Ranges all;
    for (const auto& [owner, ranges] : by_owner_)
        for (auto at = first_reaching(ranges, range.first);
             at != ranges.end() && overlap(at->range, range); ++at)
            all.push_back(*at);
    std::sort(all.begin(), all.end(),
              [](const HeldLock& a, const HeldLock& b) { return a.range.first < b.range.first; });
    // Locks of different owners only overlap if all of them are read locks.
    std::vector<Piece> pieces;
    std::uint64_t next = range.first;
    for (const HeldLock& held : all) {
        if (held.range.last < next) continue;
        if (held.range.first > next) pieces.push_back({{next, held.range.first - 1}, std::nullopt});
        const LockRange part{std::max(held.range.first, next),
                             std::min(held.range.last, range.last)};
        if (!pieces.empty() && pieces.back().type == held.type)
            pieces.back().range.last = part.last;
        else
            pieces.push_back({part, held.type});
        if (part.last == range.last) return pieces;
        next = part.last + 1;
    }
    pieces.push_back({{next, range.last}, std::nullopt});
    return pieces;
}

}  // namespace helio::vfs
