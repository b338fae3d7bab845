// ClientList: the clients of a daemon, and their limits. Unauthenticated clients have their own,
// lower limit. At a limit, a new client takes the place of the oldest that has not progressed as
// far as it should: to authenticate, or to open the host. That one is disconnected, so that clients
// which connect and send nothing keep nobody out. If there is none, the new client is disconnected.
// Thread-safe; the admin interface uses it to list and disconnect clients.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "helio/rpc/call.h"

namespace helio::virt::server {

class ServerClient;

// libvirtd's max_clients and max_anonymous_clients.
inline constexpr std::size_t kClientsMax = 5000;
inline constexpr std::size_t kAnonymousClientsMax = 20;

class ClientList final {
 public:
    struct Limits {
        std::size_t clients = kClientsMax;
        std::size_t anonymous = kAnonymousClientsMax;
    };
    struct Entry {
        std::uint64_t id = 0;
        std::chrono::system_clock::time_point since;
        rpc::Peer peer;
        bool authenticated = false;
        bool opened = false;  // at some time
        bool read_only = false;
        std::string user;  // its SASL user name
        std::weak_ptr<ServerClient> connection;
    };

    explicit ClientList(Limits limits) : limits_(limits) {}
    ClientList() = default;
    ClientList(const ClientList&) = delete;
    ClientList& operator=(const ClientList&) = delete;

    // Returns its number, from 1; 0 if there are too many. May disconnect another one.
    std::uint64_t add(const std::shared_ptr<ServerClient>& connection, bool authenticated);
    void remove(std::uint64_t id);
    // It has opened the host.
    void set_opened(std::uint64_t id);
    void set_authenticated(std::uint64_t id, const std::string& user);
    void set_read_only(std::uint64_t id);

    std::vector<Entry> list() const;
    std::optional<Entry> find(std::uint64_t id) const;
    Limits limits() const;
    void set_limits(const Limits& limits);
    struct Figures {
        std::size_t clients = 0, anonymous = 0;
        std::uint64_t refused = 0;
        std::uint64_t displaced = 0;  // disconnected for a newer one
    };
    Figures figures() const;

 private:
    using Entries = std::map<std::uint64_t, Entry>;
    void erase(Entries::iterator entry);
    // Makes room by dropping the oldest of these. Null: there is none.
    std::shared_ptr<ServerClient> displace(const std::set<std::uint64_t>& oldest_first);

    mutable std::mutex mutex_;
    Limits limits_;
    Entries clients_;
    // By number, so the oldest first.
    std::set<std::uint64_t> anonymous_;  // not authenticated
    std::set<std::uint64_t> unopened_;
    std::uint64_t next_ = 1;
    std::uint64_t refused_ = 0;
    std::uint64_t displaced_ = 0;
};

}  // namespace helio::virt::server
