// The simulated host's types: domains, networks, pools and volumes, their events and errors. Plain
// values without any protocol. The numbers of states, reasons, events and errors are those of
// libvirt's API, so that a server can pass them on unchanged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "helio/base/hash.h"
#include "helio/base/result.h"

namespace helio::virt::host {

// Sixteen bytes as on the wire; text has hyphens.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    friend bool operator==(const Uuid&, const Uuid&) = default;
    friend auto operator<=>(const Uuid&, const Uuid&) = default;
};
struct UuidHash {
    // Uuids are random enough, or chosen by a client that may crash the daemon anyway.
    std::size_t operator()(const Uuid& uuid) const {
        std::uint64_t halves[2];
        std::memcpy(halves, uuid.bytes.data(), sizeof halves);
        return static_cast<std::size_t>(halves[0] ^ (halves[1] * kGoldenRatio));
    }
};
std::string to_text(const Uuid& uuid);
// With or without hyphens; nothing if it is not a uuid.
std::optional<Uuid> uuid_from_text(std::string_view text);
// Always the same for a kind ("domain") and name, so that a file without uuids describes the same
// host every time.
Uuid uuid_of_name(std::string_view kind, std::string_view name);

// virErrorNumber, as far as the host and its services need it.
enum class ErrorCode : int {
    internal_error = 1,
    no_support = 3,
    invalid_argument = 8,
    operation_failed = 9,
    no_name = 21,
    xml_error = 27,
    domain_exists = 28,
    operation_denied = 29,
    xml_detail = 35,
    network_exists = 37,
    system_error = 38,
    rpc = 39,
    no_domain = 42,
    no_network = 43,
    auth_failed = 45,
    no_storage_pool = 49,
    no_storage_volume = 50,
    operation_invalid = 55,
    no_interface = 57,
    invalid_secret = 65,
    no_secret = 66,
    config_unsupported = 67,
    no_snapshot = 72,
    argument_unsupported = 74,
    no_metadata = 80,
    overflow = 82,
    storage_volume_exists = 90,
    device_missing = 99,
};

// virErrorDomain: the part of libvirt that reports the error.
enum class ErrorSource : int {
    none = 0,
    xml = 5,
    rpc = 7,
    test = 12,
    remote = 13,
    storage = 18,
    network = 19,
    domain = 20,
    secret = 30,
    streams = 38,
};

struct Error {
    ErrorCode code = ErrorCode::internal_error;
    ErrorSource source = ErrorSource::test;
    std::string message;  // complete, as a user sees it: "Domain not found"
};
template <class T>
using Outcome = Result<T, Error>;

// ---- Domains ----

// virDomainState.
enum class State : int {
    none = 0,
    running = 1,
    blocked = 2,
    paused = 3,
    shutting_down = 4,
    off = 5,
    crashed = 6,
    sleeping = 7,
};

// Identifies a domain; every lookup returns it. id is -1 while it is off.
struct DomainKey {
    std::string name;
    Uuid uuid;
    int id = -1;
};

struct DomainState {
    State state = State::off;
    int reason = 0;  // virDomainRunningReason and so on
};

// virDomainInfo; memory in KiB.
struct DomainInfo {
    State state = State::off;
    std::uint64_t memory_max_kib = 0;
    std::uint64_t memory_kib = 0;
    unsigned vcpus = 0;
    std::uint64_t cpu_time_ns = 0;
};

struct DiskStats {
    std::string target;  // vda
    std::string source;  // a path, or empty
    std::uint64_t capacity = 0;
    std::uint64_t allocation = 0;
    std::uint64_t physical = 0;
    std::uint64_t read_requests = 0, read_bytes = 0;
    std::uint64_t write_requests = 0, write_bytes = 0;
};
struct InterfaceStats {
    std::string name;  // vnet0
    std::string mac;
    std::string network;  // that it is connected to, or empty
    std::uint64_t received_bytes = 0, received_packets = 0;
    std::uint64_t sent_bytes = 0, sent_packets = 0;
};
// Statistics of one domain at one moment.
struct DomainStats {
    DomainKey key;
    DomainState state;
    DomainInfo info;
    unsigned vcpus_max = 0;
    std::uint64_t vcpu_time_ns = 0;  // of each
    std::uint64_t memory_rss_kib = 0;
    std::vector<DiskStats> disks;
    std::vector<InterfaceStats> interfaces;
};

// virConnectListAllDomainsFlags: bits of one group are alternatives; all groups must match. A group
// without a bit matches everything.
namespace list_domains {
inline constexpr std::uint32_t kActive = 1, kInactive = 2, kPersistent = 4, kTransient = 8,
                               kRunning = 16, kPaused = 32, kShutOff = 64, kOther = 128,
                               kManagedSave = 256, kNoManagedSave = 512, kAutostart = 1024,
                               kNoAutostart = 2048, kHasSnapshot = 4096, kNoSnapshot = 8192,
                               kHasCheckpoint = 16384, kNoCheckpoint = 32768, kAll = 0xffff;
}

// virDomainSnapshotListFlags. The first bit selects a domain's roots, or all descendants of a
// snapshot.
namespace list_snapshots {
inline constexpr std::uint32_t kRoots = 1, kDescendants = 1, kLeaves = 4, kNoLeaves = 8,
                               kNoMetadata = 16, kInactive = 32, kActive = 64, kDiskOnly = 128,
                               kInternal = 256, kExternal = 512;
}
// How to take a snapshot.
struct SnapshotWanted {
    bool halt = false;       // the domain is off afterwards
    bool disk_only = false;  // without its memory
    bool forget = false;     // do not record it
};
enum class RevertTo : std::uint8_t { as_it_was, running, paused };
enum class DeleteWhat : std::uint8_t { one, with_children, children_only };

// Initial state of a domain.
enum class StartAs : std::uint8_t { running, paused };
// The definition it runs with now, or the one for its next start.
enum class Definition : std::uint8_t { current, inactive };
enum class VcpuCount : std::uint8_t { current, maximum };
enum class StatsDetail : std::uint8_t { without_devices, with_devices };
// What to delete with an undefined domain.
struct UndefineAlso {
    bool managed_save = false;
    bool snapshots = false;
};
// How to resize a volume.
struct ResizeOptions {
    bool delta = false;   // the size is added, or subtracted with `shrink`
    bool shrink = false;  // it may shrink
};

// What to do with a device's XML.
enum class DeviceChange : std::uint8_t { attach, detach, update };

// Settings outside the definition: shares, limits, rates. The subset of virTypedParameter that they
// use.
enum class Tuning : std::uint8_t { scheduler, memory, block_weights, numa, interface, disk };
using TuningValue = std::variant<std::int32_t, std::uint32_t, std::uint64_t, std::string>;
struct TuningParam {
    std::string field;
    TuningValue value;
};

// virDomainModificationImpact.
enum class Impact : std::uint32_t { current = 0, live = 1, config = 2, both = 3 };

// virDomainMetadataType.
enum class Metadata : int { description = 0, title = 1, element = 2 };

// ---- Networks, pools, volumes ----

struct NetworkKey {
    std::string name;
    Uuid uuid;
};
struct NetworkInfo {
    bool active = false;
    bool persistent = true;
    bool autostart = false;
    std::string bridge;
};
// virConnectListAllNetworksFlags; pools have the same bits first.
namespace list_networks {
inline constexpr std::uint32_t kInactive = 1, kActive = 2, kPersistent = 4, kTransient = 8,
                               kAutostart = 16, kNoAutostart = 32, kAll = 63;
}
struct Lease {
    std::string mac, address, hostname, interface_name;
    unsigned prefix = 24;
    std::int64_t expires_s = 0;
};

struct SecretKey {
    Uuid uuid;
    int usage_type = 0;  // virSecretUsageType
    std::string usage_id;
};

struct PoolKey {
    std::string name;
    Uuid uuid;
};
struct PoolInfo {
    bool active = false;
    bool persistent = true;
    bool autostart = false;
    int state = 0;  // virStoragePoolState: 0 inactive, 2 running
    std::uint64_t capacity = 0, allocation = 0, available = 0;
};

struct VolumeKey {
    std::string pool;
    std::string name;
    std::string key;  // the path: unique on the host
};
struct VolumeInfo {
    int type = 0;  // virStorageVolType: 0 file, 1 block
    std::uint64_t capacity = 0, allocation = 0;
};

// ---- The node ----

struct NodeInfo {
    std::string model = "x86_64";
    std::uint64_t memory_kib = 0;
    unsigned cpus = 0, mhz = 0, numa_nodes = 0, sockets = 0, cores = 0, threads = 0;
};

// ---- What happens ----

struct Event {
    enum class Kind : std::uint8_t {
        domain_lifecycle,  // what, detail: virDomainEventType and its details
        domain_reboot,
        domain_balloon,   // number: KiB now
        domain_metadata,  // what: Metadata; text: the uri
        network_lifecycle,
        pool_lifecycle,
        pool_refresh,
    };
    Kind kind = Kind::domain_lifecycle;
    int what = 0;
    int detail = 0;
    std::uint64_t number = 0;
    std::string name;  // of the domain, network or pool
    Uuid uuid;
    int id = -1;
    std::string text;
};
// Called in order while the host is locked: it must only pass the event on, and never call the
// host.
using EventSink = std::function<void(const Event&)>;

// virDomainEventType and the details that occur here.
namespace lifecycle {
inline constexpr int kDefined = 0, kUndefined = 1, kStarted = 2, kSuspended = 3, kResumed = 4,
                     kStopped = 5, kShutdown = 6;
inline constexpr int kDefinedAdded = 0, kDefinedUpdated = 1, kDefinedRenamed = 2,
                     kUndefinedRemoved = 0, kUndefinedRenamed = 1, kStartedBooted = 0,
                     kStartedRestored = 2, kStartedFromSnapshot = 3, kSuspendedPaused = 0,
                     kSuspendedFromSnapshot = 5, kResumedUnpaused = 0, kResumedFromSnapshot = 2,
                     kStoppedShutdown = 0, kStoppedDestroyed = 1, kStoppedSaved = 4,
                     kStoppedFromSnapshot = 6, kShutdownFinished = 0;
}  // namespace lifecycle
// virNetworkEventLifecycleType, and virStoragePoolEventLifecycleType which has two more.
namespace object_lifecycle {
inline constexpr int kDefined = 0, kUndefined = 1, kStarted = 2, kStopped = 3, kCreated = 4,
                     kDeleted = 5;
}

}  // namespace helio::virt::host
