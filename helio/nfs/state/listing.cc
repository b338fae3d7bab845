// Lists of clients, open files and locks for administrators, page by page: the lock is held while
// one page is copied, so that 100,000 locks stop nobody.
#include <algorithm>
#include <iterator>

#include "helio/nfs/state/state_internal.h"

namespace helio::nfs::state {
namespace {

// The confirmed clients for which `wanted` is true, in order of their ids, `count_max` at most.
template <class Clients, class Wanted>
std::vector<Client*> in_order(const Clients& clients, std::size_t count_max, Wanted wanted) {
    std::vector<Client*> out;
    for (const auto& [id, client] : clients)
        if (client->confirmed && wanted(*client)) out.push_back(client.get());
    const auto before = [](const Client* a, const Client* b) { return a->id < b->id; };
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(std::min(count_max, out.size()));
    std::partial_sort(out.begin(), end, out.end(), before);
    out.erase(end, out.end());
    return out;
}

// The first item of a list beyond `last`, the item with the number `after`. The list is in order of
// numbers. If that item is gone, we look from the front.
template <class List, class Item>
typename List::const_iterator beyond(const List& list, const Item* last, std::uint64_t after) {
    if (last != nullptr) return std::next(typename List::const_iterator{last->self});
    return std::find_if(list.begin(), list.end(),
                        [&](const auto& one) { return key_of(one.id) > after; });
}

}  // namespace

std::vector<ClientSummary> State::clients(Instant now, ClientId after, std::size_t count_max) {
    const Lock lock{mutex_};
    std::vector<ClientSummary> out;
    const auto wanted = [&](const Client& one) { return one.id > after; };
    for (const Client* const client : in_order(clients_, count_max, wanted))
        out.push_back({.id = client->id,
                       .owner = client->owner.name,
                       .facts = client->facts,
                       .sessions = client->sessions.size(),
                       .opens = client->opens.size(),
                       .lock_owners = client->lock_count,
                       .silent = now - client->renewed,
                       .expired = expired(*client, now),
                       .has_back_channel = std::any_of(
                           client->sessions.begin(), client->sessions.end(), [](const auto& one) {
                               return one->callbacks_ != nullptr && one->callbacks_->has_path();
                           })});
    return out;
}

// An open and its locks, as far as they are beyond the position. An owner that has locks through
// several of its opens is listed once.
void State::list_open(const OpenState& open, const Holding::Position& after, std::size_t count_max,
                      std::vector<Holding>& out) const {
    Holding row{.position = {open.client->id, key_of(open.id), 0},
                .file = open.file->key,
                .owner = open.owner,
                .access = open.access,
                .deny = open.deny,
                .handle = open.handle};
    const bool continued = after.client == open.client->id && after.open == row.position.open;
    if (!continued) out.push_back(row);
    auto at = open.locks.begin();
    if (continued && after.lock != 0) {
        const auto found = locks_.find(after.lock);
        const bool here = found != locks_.end() && found->second->open == &open;
        at = beyond(open.locks, here ? found->second : nullptr, after.lock);
    }
    for (; at != open.locks.end() && out.size() < count_max; ++at) {
        if (lock_owners_.at(at->number) != &*at) continue;
        row.position.lock = key_of(at->id);
        row.owner = at->owner;
        row.lock_owner = at->number;
        out.push_back(row);
    }
}

std::vector<Holding> State::holdings(const Holding::Position& after, std::size_t count_max) {
    const Lock lock{mutex_};
    std::vector<Holding> out;
    const auto wanted = [&](const Client& one) {
        return one.id >= after.client && !one.opens.empty();
    };
    // Each has at least one row, except perhaps the first.
    for (const Client* const client : in_order(clients_, count_max + 1, wanted)) {
        auto at = client->opens.begin();
        if (client->id == after.client && after.open != 0) {
            const auto found = opens_.find(after.open);
            const bool here = found != opens_.end() && found->second->client == client;
            // The locks of the last open may continue on this page.
            if (here) list_open(*found->second, after, count_max, out);
            at = beyond(client->opens, here ? found->second : nullptr, after.open);
        }
        for (; at != client->opens.end() && out.size() < count_max; ++at)
            list_open(*at, after, count_max, out);
        if (out.size() >= count_max) break;
    }
    return out;
}

Totals State::totals(Instant now) {
    const Lock lock{mutex_};
    end_grace_if_done(now);
    Totals out{.sessions = sessions_.size(),
               .opens = opens_.size(),
               .in_grace = !may_reclaim_.empty(),
               .made_way = made_way_,
               .evicted = evicted_,
               .replays = replays_};
    for (const auto& [id, client] : clients_) {
        out.clients += client->confirmed;
        out.expired += client->confirmed && expired(*client, now);
    }
    return out;
}

bool State::evict(ClientId id) {
    const Lock lock{mutex_};
    const auto at = clients_.find(id);
    if (at == clients_.end() || !at->second->confirmed) return false;
    ++evicted_;
    drop_client(*at->second);
    return true;
}

void State::drop_opens(const WhichOpens& which) {
    const Lock lock{mutex_};
    for (const auto& [id, client] : clients_)
        for (auto at = client->opens.begin(); at != client->opens.end();) {
            OpenState& one = *at++;
            if (which(one.file->key, one.handle)) drop_open(one);
        }
}

}  // namespace helio::nfs::state
