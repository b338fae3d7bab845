// Finds and lists domains, networks, pools and volumes, as coroutines over a ClientConnection. The
// results own their data; nothing refers to the reply.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/task.h"
#include "helio/virt/client/connection.h"
#include "schema/remote.h"

namespace helio::virt {

using Uuid = std::array<std::byte, 16>;
// "6695eb01-f6a4-8304-79aa-97f2502e193f"
std::string to_text(const Uuid& uuid);
// With or without hyphens.
bool parse_uuid(std::string_view text, Uuid& out);

struct DomainRef {
    std::string name;
    Uuid uuid{};
    int id = -1;

    remote::remote_nonnull_domain wire() const;  // a view of this
};
struct NetworkRef {
    std::string name;
    Uuid uuid{};

    remote::remote_nonnull_network wire() const;
};
struct PoolRef {
    std::string name;
    Uuid uuid{};

    remote::remote_nonnull_storage_pool wire() const;
};
struct VolumeRef {
    std::string pool;
    std::string name;
    std::string key;

    remote::remote_nonnull_storage_vol wire() const;
};

DomainRef owned(const remote::remote_nonnull_domain& domain);
NetworkRef owned(const remote::remote_nonnull_network& network);
PoolRef owned(const remote::remote_nonnull_storage_pool& pool);
VolumeRef owned(const remote::remote_nonnull_storage_vol& volume);

// By id, then by UUID, then by name, like virsh.
Task<Result<DomainRef, Failure>> find_domain(ClientConnection& connection, std::string word);
Task<Result<NetworkRef, Failure>> find_network(ClientConnection& connection, std::string word);
Task<Result<PoolRef, Failure>> find_pool(ClientConnection& connection, std::string word);
// By name in a pool, or without a pool by path or key.
Task<Result<VolumeRef, Failure>> find_volume(ClientConnection& connection, std::string pool,
                                             std::string word);

enum class Which : std::uint8_t { active, inactive, all };

struct DomainRow {
    DomainRef domain;
    int state = 0;
    int reason = 0;
};
// Takes one call if the daemon has statistics. Otherwise it takes one more call for each domain,
// with many of them in flight at a time.
Task<Result<std::vector<DomainRow>, Failure>> list_domains(ClientConnection& connection,
                                                           Which which);
// "running", "shut off"
std::string_view state_name(int state);

struct NetworkRow {
    NetworkRef network;
    bool active = false;
    bool autostart = false;
    bool persistent = false;
};
Task<Result<std::vector<NetworkRow>, Failure>> list_networks(ClientConnection& connection,
                                                             Which which);

struct PoolRow {
    PoolRef pool;
    int state = 0;
    bool autostart = false;
    bool persistent = false;
    std::uint64_t capacity = 0;
    std::uint64_t allocation = 0;
    std::uint64_t available = 0;
};
Task<Result<std::vector<PoolRow>, Failure>> list_pools(ClientConnection& connection, Which which);
// "inactive", "running"
std::string_view pool_state_name(int state);

struct VolumeRow {
    VolumeRef volume;
    std::string path;
    int type = 0;
    std::uint64_t capacity = 0;
    std::uint64_t allocation = 0;
};
Task<Result<std::vector<VolumeRow>, Failure>> list_volumes(ClientConnection& connection,
                                                           PoolRef pool);
// "file", "block"
std::string_view volume_type_name(int type);

}  // namespace helio::virt
