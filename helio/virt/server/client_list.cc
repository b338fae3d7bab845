#include "helio/virt/server/client_list.h"

#include "helio/virt/server/server_client.h"

namespace helio::virt::server {

std::uint64_t ClientList::add(const std::shared_ptr<ServerClient>& connection, bool authenticated) {
    std::vector<std::shared_ptr<ServerClient>> displaced;
    const std::uint64_t id = [&]() -> std::uint64_t {
        const std::lock_guard lock(mutex_);
        if (!authenticated && anonymous_.size() >= limits_.anonymous)
            displaced.push_back(displace(anonymous_));
        if (clients_.size() >= limits_.clients) displaced.push_back(displace(unopened_));
        if (clients_.size() >= limits_.clients ||
            (!authenticated && anonymous_.size() >= limits_.anonymous)) {
            ++refused_;
            return 0;
        }
        clients_[next_] = {.id = next_,
                           .since = std::chrono::system_clock::now(),
                           .peer = connection->peer(),
                           .authenticated = authenticated,
                           .opened = false,
                           .read_only = connection->is_read_only(),
                           .user = {},
                           .connection = connection};
        if (!authenticated) anonymous_.insert(next_);
        unopened_.insert(next_);
        return next_++;
    }();
    // Without the lock: their threads may be about to remove themselves.
    for (const auto& one : displaced)
        if (one != nullptr) one->post([](ServerClient& client) { client.disconnect(); });
    return id;
}

std::shared_ptr<ServerClient> ClientList::displace(const std::set<std::uint64_t>& oldest_first) {
    if (oldest_first.empty()) return nullptr;
    const auto found = clients_.find(*oldest_first.begin());
    auto connection = found->second.connection.lock();
    erase(found);
    ++displaced_;
    return connection;
}

void ClientList::erase(Entries::iterator entry) {
    anonymous_.erase(entry->first);
    unopened_.erase(entry->first);
    clients_.erase(entry);
}

void ClientList::remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = clients_.find(id); found != clients_.end()) erase(found);
}

void ClientList::set_opened(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    found->second.opened = true;
    unopened_.erase(id);
}

void ClientList::set_authenticated(std::uint64_t id, const std::string& user) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(id);
    if (found == clients_.end()) return;
    found->second.authenticated = true;
    found->second.user = user;
    anonymous_.erase(id);
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
    return {.clients = clients_.size(),
            .anonymous = anonymous_.size(),
            .refused = refused_,
            .displaced = displaced_};
}

}  // namespace helio::virt::server
