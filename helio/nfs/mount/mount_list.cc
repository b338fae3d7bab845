#include "helio/nfs/mount/mount_list.h"

#include <algorithm>
#include <iterator>

#include "helio/nfs/server/counters.h"

namespace helio::nfs::mnt {

void MountList::add(const rpc::Peer& client, std::string_view path) {
    Entry entry{client_text(client.client), std::string{path}};
    const std::lock_guard lock{mutex_};
    std::erase(entries_, entry);
    entries_.push_back(std::move(entry));
    if (entries_.size() > kMountsMax) entries_.pop_front();
}

void MountList::remove(const rpc::Peer& client, std::string_view path) {
    const Entry entry{client_text(client.client), std::string{path}};
    const std::lock_guard lock{mutex_};
    std::erase(entries_, entry);
}

void MountList::remove_all(const rpc::Peer& client) {
    const std::string text = client_text(client.client);
    const std::lock_guard lock{mutex_};
    std::erase_if(entries_, [&](const Entry& one) { return one.client == text; });
}

std::vector<MountList::Entry> MountList::entries() const {
    const std::lock_guard lock{mutex_};
    return {entries_.begin(), entries_.end()};
}

std::vector<MountList::Entry> MountList::entries_of(const rpc::Peer& client) const {
    const std::string text = client_text(client.client);
    std::vector<Entry> out;
    const std::lock_guard lock{mutex_};
    std::ranges::copy_if(entries_, std::back_inserter(out),
                         [&](const Entry& one) { return one.client == text; });
    return out;
}

}  // namespace helio::nfs::mnt
