// MountList: which clients claim to have mounted what (RFC 1813 §5.2.2), for DUMP. Informational:
// clients vanish without UMNT, and nothing depends on it. Bounded: the oldest entry is dropped
// first. Thread-safe.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "helio/rpc/call.h"

namespace helio::nfs::mnt {

// Entries remembered: with the longest names and paths they still fit into one reply over TCP.
inline constexpr std::size_t kMountsMax = 1024;

class MountList final {
 public:
    struct Entry {
        std::string client;
        std::string path;
        bool operator==(const Entry&) const = default;
    };

    void add(const rpc::Peer& client, std::string_view path);
    void remove(const rpc::Peer& client, std::string_view path);
    void remove_all(const rpc::Peer& client);
    std::vector<Entry> entries() const;
    std::vector<Entry> entries_of(const rpc::Peer& client) const;

 private:
    mutable std::mutex mutex_;
    std::deque<Entry> entries_;
};

}  // namespace helio::nfs::mnt
