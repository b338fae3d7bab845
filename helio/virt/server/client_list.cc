#include "helio/virt/server/client_list.h"

#include "helio/virt/server/server_client.h"

namespace helio::virt::server {

std::uint64_t ClientList::add(const std::shared_ptr<ServerClient>& connection, bool authenticated) {
    const std::lock_guard lock(mutex_);
    if (clients_.size() >= limits_.clients || (!authenticated && anonymous_ >= limits_.anonymous)) {
        ++refused_;
        return 0;
    }
    const std::uint64_t id = next_++;
    if (!authenticated) ++anonymous_;
    clients_[id] = {.id = id,
                    .since = std::chrono::system_clock::now(),
                    .peer = connection->peer(),
                    .authenticated = authenticated,
                    .read_only = connection->is_read_only(),
                    .user = {},
                    .connection = connection};
    return id;
}

void ClientList::remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    if (!found->second.authenticated) --anonymous_;
    clients_.erase(found);
}

void ClientList::set_authenticated(std::uint64_t id, const std::string& user) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    if (!std::exchange(found->second.authenticated, true)) --anonymous_;
    found->second.user = user;
}

void ClientList::set_read_only(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = clients_.find(id); found != clients_.end())
        found->second.read_only = true;
}

std::vector<ClientList::Entry> ClientList::list() const {
    const std::lock_guard lock(mutex_);
    std::vector<Entry> all;
    all.reserve(clients_.size());
    for (const auto& [id, entry] : clients_) all.push_back(entry);
    return all;
}

std::optional<ClientList::Entry> ClientList::find(std::uint64_t id) const {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return std::nullopt;
    return found->second;
}

ClientList::Limits ClientList::limits() const {
    const std::lock_guard lock(mutex_);
    return limits_;
}

void ClientList::set_limits(const Limits& limits) {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
}

ClientList::Figures ClientList::figures() const {
    const std::lock_guard lock(mutex_);
    return {.clients = clients_.size(), .anonymous = anonymous_, .refused = refused_};
}

}  // namespace helio::virt::server
