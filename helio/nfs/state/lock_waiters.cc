#include "helio/nfs/state/lock_waiters.h"

#include <algorithm>
#include <iterator>

namespace helio::nfs::state {

namespace {

bool overlap(const vfs::LockRange& one, const vfs::LockRange& other) {
    return one.first <= other.last && other.first <= one.last;
}

bool conflict(const LockWait& one, const LockWait& other) {
    const bool both_read = one.type == vfs::LockType::read && other.type == vfs::LockType::read;
    return !both_read && !one.same_owner(other) && overlap(one.range, other.range);
}

bool same(const LockWait& one, const LockWait& other) {
    return one.same_owner(other) && one.range == other.range && one.type == other.type;
}

}  // namespace

LockWaiters::Entry* LockWaiters::find(Entries& entries, const LockWait& what) {
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& one) { return same(one.what, what); });
    return at != entries.end() ? &*at : nullptr;
}

void LockWaiters::wait(LockWait what) {
    if (const auto file = files_.find(what.file); file != files_.end())
        if (Entry* const known = find(file->second, what)) {
            known->what.session = what.session;
            known->what.outside = what.outside;
            known->asked = round_;
            known->is_notified = false;
            return;
        }
    if (count_ >= kWaitersMax || of_client_[what.client] >= kWaitersPerClientMax) return;
    ++count_;
    ++of_client_[what.client];
    Entries& entries = files_[what.file];
    entries.push_back({.what = std::move(what), .id = next_id_++, .asked = round_});
}

LockWaiters::Entries::iterator LockWaiters::erase(Entries& entries, Entries::iterator at) {
    --count_;
    const auto client = of_client_.find(at->what.client);
    if (--client->second == 0) of_client_.erase(client);
    return entries.erase(at);
}

// Also forgets the file if nobody waits for it any more.
template <class Condition>
void LockWaiters::drop_if(Files::iterator at, Condition condition) {
    Entries& entries = at->second;
    for (auto one = entries.begin(); one != entries.end();)
        one = condition(*one) ? erase(entries, one) : std::next(one);
    if (entries.empty()) files_.erase(at);
}

void LockWaiters::granted(const LockWait& what) {
    if (const auto at = files_.find(what.file); at != files_.end())
        drop_if(at, [&](const Entry& one) { return same(one.what, what); });
}

void LockWaiters::drop_client(ClientId client) {
    if (!of_client_.contains(client)) return;
    for (auto at = files_.begin(); at != files_.end();) {
        const auto next = std::next(at);
        drop_if(at, [&](const Entry& one) { return one.what.client == client; });
        at = next;
    }
}

bool LockWaiters::has(ClientId client, const FileKey& file) const {
    if (!of_client_.contains(client)) return false;
    const auto at = files_.find(file);
    return at != files_.end() && std::ranges::any_of(at->second, [&](const Entry& one) {
               return one.what.client == client;
           });
}

void LockWaiters::drop_file(ClientId client, const FileKey& file) {
    if (const auto at = files_.find(file); at != files_.end())
        drop_if(at, [&](const Entry& one) { return one.what.client == client; });
}

void LockWaiters::released(const FileKey& file, const vfs::LockRange& range, Freed freed,
                           Waits& out) {
    if (const auto at = files_.find(file); at != files_.end())
        notify_first(at->second, range, freed, out);
}

// In order of arrival: each that overlaps the range and can hold its lock beside those notified
// before it.
void LockWaiters::notify_first(Entries& entries, const vfs::LockRange& range, Freed freed,
                               Waits& out) {
    std::vector<const LockWait*> notified;
    for (const Entry& one : entries)
        if (one.is_notified && notified.size() < kNotifiedAtOnceMax) notified.push_back(&one.what);
    for (Entry& one : entries) {
        if (notified.size() >= kNotifiedAtOnceMax) return;
        if (one.is_notified || !overlap(one.what.range, range)) continue;
        if (freed == Freed::for_readers && one.what.type != vfs::LockType::read) continue;
        const bool in_the_way =
            std::any_of(notified.begin(), notified.end(),
                        [&](const LockWait* other) { return conflict(one.what, *other); });
        if (in_the_way) continue;
        one.is_notified = true;
        one.notified = round_;
        notified.push_back(&one.what);
        out.push_back(one.what);
    }
}

LockWaiters::Waits LockWaiters::outside() {
    std::vector<const Entry*> all;
    for (const auto& [file, entries] : files_)
        for (const Entry& one : entries)
            if (one.what.outside && !one.is_notified) all.push_back(&one);
    std::sort(all.begin(), all.end(),
              [](const Entry* one, const Entry* other) { return one->id < other->id; });
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const Entry* one) { return one->id > tested_; });
    std::rotate(all.begin(), first, all.end());
    if (all.size() > kOutsideTestsMax) all.resize(kOutsideTestsMax);
    Waits out;
    for (const Entry* const one : all) out.push_back(one->what);
    if (!all.empty()) tested_ = all.back()->id;
    return out;
}

void LockWaiters::outside_freed(const LockWait& what, Waits& out) {
    const auto at = files_.find(what.file);
    if (at == files_.end() || find(at->second, what) == nullptr) return;
    notify_first(at->second, what.range, Freed::for_all, out);
}

void LockWaiters::next_round(Waits& out) {
    ++round_;
    const auto is_silent = [&](const Entry& one) {
        return one.is_notified && round_ - one.notified >= kAnswerRoundsMax;
    };
    for (auto at = files_.begin(); at != files_.end();) {
        const auto next = std::next(at);
        vfs::LockRange free{UINT64_MAX, 0};  // what the silent ones leave, from end to end
        for (const Entry& one : at->second) {
            if (!is_silent(one)) continue;
            free.first = std::min(free.first, one.what.range.first);
            free.last = std::max(free.last, one.what.range.last);
        }
        const FileKey file = at->first;
        drop_if(at, [&](const Entry& one) {
            return is_silent(one) || round_ - one.asked >= kWaitRoundsMax;
        });
        if (free.first <= free.last) released(file, free, Freed::for_all, out);
        at = next;
    }
}

}  // namespace helio::nfs::state
