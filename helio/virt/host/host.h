// Host: a simulated virtualisation host: domains, networks, storage pools and volumes with the life
// cycle, rules and errors of libvirt's test driver, but without running anything. It knows no
// protocol; helio/virt/daemon translates. It is made for testing programs that talk to libvirt, so
// everything is deterministic: uuids are derived from names, ids count from 1, and a test may
// supply the clock.
//
// Thread-safe: one lock guards everything, and no function waits while holding it. Arguments are
// borrowed for the call; results are values. Objects are found by uuid, as libvirt's clients send
// it, volumes by pool and name.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/virt/host/storage/content.h"
#include "helio/virt/host/types.h"

namespace helio::virt::host {

// Domains of one host, twenty times what any real one runs. The same limit applies to networks, to
// pools, and to the volumes of one pool.
inline constexpr std::size_t kHostObjectsMax = 100'000;
// Bytes of one XML text: the protocol's limit for a string.
inline constexpr std::size_t kHostXmlBytesMax = 4 << 20;

// Total XML of a host: a hundred thousand domains of ten kilobytes each.
inline constexpr std::uint64_t kHostXmlTotalMax = std::uint64_t{1} << 30;

// Snapshots of one domain; the protocol lists 16,384.
inline constexpr std::size_t kDomainSnapshotsMax = 1024;

// Secrets, and bytes of one: the protocol's limit.
inline constexpr std::size_t kSecretsMax = 1000;
inline constexpr std::size_t kSecretValueMax = 65'536;

struct HostOptions {
    std::string hostname = "heliograph";
    NodeInfo node{.memory_kib = 3 << 20,
                  .cpus = 16,
                  .mhz = 1400,
                  .numa_nodes = 2,
                  .sockets = 2,
                  .cores = 2,
                  .threads = 2};
    // Time since a fixed point; the steady clock if empty.
    std::function<std::chrono::nanoseconds()> clock = {};
    std::uint64_t content_bytes_max = kContentBytesMax;
    std::uint64_t xml_bytes_max = kHostXmlTotalMax;
};

class Host final {
 public:
    explicit Host(HostOptions options = {});
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    // The contents of libvirt's test:///default: domain "test" running, network "default" and pool
    // "default-pool" active. Only on an empty host.
    void add_default();
    // Only one; set it before other threads use the host.
    void set_event_sink(EventSink sink);

    // ---- The node ----
    NodeInfo node() const;
    std::string hostname() const;
    std::string capabilities_xml() const;
    std::string domain_capabilities_xml() const;
    std::uint64_t free_memory() const;  // bytes not used by running domains
    unsigned vcpus_max() const;         // of one domain
    // For loading a host from a file, before other threads use it.
    void set_node(const NodeInfo& node);
    void set_hostname(std::string hostname);

    // ---- Domains: finding ----
    std::vector<DomainKey> domains(std::uint32_t list_flags) const;  // by name
    std::size_t domain_count(std::uint32_t list_flags) const;
    // Without copies, for lists of thousands; `each` must not call the host.
    void visit_domains(
        std::uint32_t list_flags,
        const std::function<void(std::string_view name, const Uuid& uuid, int id)>& each) const;
    Outcome<DomainKey> domain_by_name(std::string_view name) const;
    Outcome<DomainKey> domain_by_uuid(const Uuid& uuid) const;
    Outcome<DomainKey> domain_by_id(int id) const;

    // ---- Domains: asking ----
    Outcome<DomainInfo> domain_info(const Uuid& uuid) const;
    Outcome<DomainState> domain_state(const Uuid& uuid) const;
    Outcome<DomainStats> domain_stats(const Uuid& uuid) const;
    // For many domains, each at its own moment; `each` must not call the host.
    void visit_stats(std::uint32_t list_flags, StatsDetail detail,
                     const std::function<void(const DomainStats&)>& each) const;
    Outcome<std::string> domain_xml(const Uuid& uuid, Definition which) const;
    Outcome<std::string> domain_os_type(const Uuid& uuid) const;
    Outcome<bool> domain_persistent(const Uuid& uuid) const;
    Outcome<bool> domain_updated(const Uuid& uuid) const;  // live differs from config
    Outcome<bool> domain_autostart(const Uuid& uuid) const;
    Outcome<bool> domain_has_managed_save(const Uuid& uuid) const;
    Outcome<std::uint64_t> domain_memory_max(const Uuid& uuid) const;  // KiB
    Outcome<unsigned> domain_vcpus(const Uuid& uuid, Impact impact, VcpuCount which) const;
    Outcome<std::string> domain_metadata(const Uuid& uuid, Metadata type, std::string_view uri,
                                         Impact impact) const;
    // What a console prints when it is opened; fails unless the domain runs.
    Outcome<std::string> domain_console_greeting(const Uuid& uuid) const;

    // ---- Domains: life cycle ----
    // Defines a domain, or redefines the one with that name and uuid.
    Outcome<DomainKey> define_domain(std::string_view xml);
    // Starts a transient domain.
    Outcome<DomainKey> create_domain(std::string_view xml, StartAs how = StartAs::running);
    Outcome<DomainKey> start_domain(const Uuid& uuid, StartAs how = StartAs::running);
    Outcome<void> shutdown_domain(const Uuid& uuid);
    Outcome<void> destroy_domain(const Uuid& uuid);
    Outcome<void> suspend_domain(const Uuid& uuid);
    Outcome<void> resume_domain(const Uuid& uuid);
    Outcome<void> reboot_domain(const Uuid& uuid);
    Outcome<void> reset_domain(const Uuid& uuid);
    Outcome<void> undefine_domain(const Uuid& uuid, UndefineAlso also = {});
    Outcome<void> managed_save_domain(const Uuid& uuid);
    Outcome<void> remove_managed_save(const Uuid& uuid);
    Outcome<void> rename_domain(const Uuid& uuid, std::string_view name);

    // ---- Domains: changing ----
    Outcome<void> set_domain_autostart(const Uuid& uuid, bool autostart);
    Outcome<void> set_domain_memory(const Uuid& uuid, std::uint64_t kib, Impact impact);
    Outcome<void> set_domain_memory_max(const Uuid& uuid, std::uint64_t kib, Impact impact);
    Outcome<void> set_domain_vcpus(const Uuid& uuid, unsigned vcpus, Impact impact,
                                   VcpuCount which);
    // Without a text it is removed.
    Outcome<void> set_domain_metadata(const Uuid& uuid, Metadata type,
                                      std::optional<std::string_view> text, std::string_view key,
                                      std::string_view uri, Impact impact);

    // Attaches, detaches or updates a device, identified by its target or address.
    Outcome<void> change_device(const Uuid& uuid, std::string_view device_xml, DeviceChange change,
                                Impact impact);
    Outcome<void> detach_device_alias(const Uuid& uuid, std::string_view alias, Impact impact);
    // Host CPUs as a bitmap, for one virtual CPU.
    Outcome<void> pin_vcpu(const Uuid& uuid, unsigned vcpu, std::vector<std::byte> cpus,
                           Impact impact);
    // For each virtual CPU; all host CPUs by default.
    Outcome<std::vector<std::vector<std::byte>>> vcpu_pins(const Uuid& uuid) const;

    // For the domain, or for one of its interfaces or disks by target. Live and persistent settings
    // are the same here.
    Outcome<std::vector<TuningParam>> tuning(const Uuid& uuid, Tuning kind, std::string_view device,
                                             Impact impact) const;
    Outcome<void> set_tuning(const Uuid& uuid, Tuning kind, std::string_view device,
                             const std::vector<TuningParam>& params, Impact impact);

    // ---- Domains: saved to files (which exist only in memory) ----
    // `xml` replaces its own when it is restored. A paused domain is restored paused.
    Outcome<void> save_domain(const Uuid& uuid, std::string_view path,
                              std::optional<std::string_view> xml, StartAs restored_as);
    Outcome<DomainKey> restore_domain(std::string_view path, std::optional<std::string_view> xml,
                                      std::optional<StartAs> how);
    Outcome<std::string> saved_domain_xml(std::string_view path) const;

    // ---- Snapshots ----
    Outcome<std::string> create_snapshot(const Uuid& uuid, std::string_view xml,
                                         const SnapshotWanted& wanted);
    // Names, parents before children; `of` restricts it to children of that one.
    Outcome<std::vector<std::string>> snapshots(const Uuid& uuid, std::uint32_t list_flags,
                                                std::optional<std::string_view> of = {}) const;
    // Its parent, or empty.
    Outcome<std::string> snapshot_parent(const Uuid& uuid, std::string_view name) const;
    // Empty if there is none.
    Outcome<std::string> current_snapshot(const Uuid& uuid) const;
    Outcome<std::string> snapshot_xml(const Uuid& uuid, std::string_view name) const;
    Outcome<void> revert_to_snapshot(const Uuid& uuid, std::string_view name, RevertTo to);
    Outcome<void> delete_snapshot(const Uuid& uuid, std::string_view name, DeleteWhat what);

    // ---- Networks ----
    std::vector<NetworkKey> networks(std::uint32_t list_flags) const;
    Outcome<NetworkKey> network_by_name(std::string_view name) const;
    Outcome<NetworkKey> network_by_uuid(const Uuid& uuid) const;
    Outcome<NetworkInfo> network_info(const Uuid& uuid) const;
    Outcome<std::string> network_xml(const Uuid& uuid) const;
    Outcome<std::vector<Lease>> network_leases(const Uuid& uuid, std::string_view mac) const;
    Outcome<NetworkKey> define_network(std::string_view xml);
    Outcome<NetworkKey> create_network(std::string_view xml);
    Outcome<void> start_network(const Uuid& uuid);
    Outcome<void> destroy_network(const Uuid& uuid);
    Outcome<void> undefine_network(const Uuid& uuid);
    // Numbers of virNetworkUpdateCommand and virNetworkUpdateSection; `index` selects the <ip>, -1
    // the first.
    Outcome<void> update_network(const Uuid& uuid, std::uint32_t command, std::uint32_t section,
                                 int index, std::string_view xml);
    Outcome<void> set_network_autostart(const Uuid& uuid, bool autostart);

    // ---- Secrets ----
    std::vector<SecretKey> secrets() const;
    Outcome<SecretKey> secret_by_uuid(const Uuid& uuid) const;
    Outcome<SecretKey> secret_by_usage(int type, std::string_view id) const;
    Outcome<SecretKey> define_secret(std::string_view xml);
    Outcome<std::string> secret_xml(const Uuid& uuid) const;
    Outcome<void> set_secret_value(const Uuid& uuid, std::vector<std::byte> value);
    Outcome<std::vector<std::byte>> secret_value(const Uuid& uuid) const;
    Outcome<void> undefine_secret(const Uuid& uuid);

    // ---- Storage pools ----
    std::vector<PoolKey> pools(std::uint32_t list_flags) const;
    Outcome<PoolKey> pool_by_name(std::string_view name) const;
    Outcome<PoolKey> pool_by_uuid(const Uuid& uuid) const;
    Outcome<PoolKey> pool_by_path(std::string_view path) const;
    Outcome<PoolInfo> pool_info(const Uuid& uuid) const;
    Outcome<std::string> pool_xml(const Uuid& uuid) const;
    Outcome<PoolKey> define_pool(std::string_view xml);
    Outcome<PoolKey> create_pool(std::string_view xml);
    Outcome<void> start_pool(const Uuid& uuid);
    Outcome<void> destroy_pool(const Uuid& uuid);
    Outcome<void> undefine_pool(const Uuid& uuid);
    Outcome<void> build_pool(const Uuid& uuid);
    Outcome<void> refresh_pool(const Uuid& uuid);
    Outcome<void> delete_pool(const Uuid& uuid);
    Outcome<void> set_pool_autostart(const Uuid& uuid, bool autostart);

    // ---- Volumes ----
    Outcome<std::vector<VolumeKey>> volumes(const Uuid& pool) const;
    Outcome<VolumeKey> volume_by_name(const Uuid& pool, std::string_view name) const;
    Outcome<VolumeKey> volume_by_key(std::string_view key) const;  // a key is a path here
    Outcome<VolumeInfo> volume_info(std::string_view key) const;
    Outcome<std::string> volume_xml(std::string_view key) const;
    Outcome<VolumeKey> create_volume(const Uuid& pool, std::string_view xml);
    Outcome<VolumeKey> clone_volume(const Uuid& pool, std::string_view xml,
                                    std::string_view source_key);
    Outcome<void> delete_volume(std::string_view key);
    Outcome<void> wipe_volume(std::string_view key);
    Outcome<void> resize_volume(std::string_view key, std::uint64_t size, ResizeOptions options);
    // For streams.
    Outcome<std::shared_ptr<VolumeContent>> volume_content(std::string_view key) const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace helio::virt::host
