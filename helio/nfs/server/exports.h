// Exports: which file systems are exported, to which clients, and as which user. Every call goes
// through open(), which checks the handle's seal, the client's address, read-only and squash;
// checking in MOUNT alone would not be enough. The table can be replaced while calls run.
//
// Any thread may call anything.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/base/text/log_event.h"
#include "helio/nfs/server/counters.h"
#include "helio/nfs/wire/handle.h"
#include "helio/rpc/call.h"
#include "helio/vfs/file_system.h"

namespace helio::nfs {

// "10.0.0.0/8", "fe80::/64", "192.168.1.7". IPv4 is kept as the IPv6 address it maps to.
struct Network {
    std::array<std::byte, 16> address{};
    unsigned prefix_bits = 0;  // of the 128

    static Result<Network, std::string> parse(std::string_view text);
    bool contains(const std::array<std::byte, 16>& other) const;
};
std::string to_text(const Network& network);

enum class Squash : std::uint8_t {
    none,  // uid 0 of a client is the superuser here too
    root,  // uid 0 becomes the anonymous user
    all    // every uid becomes the anonymous user
};

// The anonymous user: "nobody" and "nogroup" of Debian.
inline constexpr std::uint32_t kNobody = 65'534;

struct ExportRules {
    bool read_only = false;
    Squash squash = Squash::root;
    std::uint32_t anonymous_uid = kNobody;
    std::uint32_t anonymous_gid = kNobody;
    std::vector<Network> allowed = {};  // empty: every address that can reach us
    // NFS over UDP for every client. Otherwise only for this machine and for the clients in
    // `allowed`: the source of a datagram can be forged, and the replies would go there.
    bool udp = false;
};

struct Export {
    std::string path;         // as clients mount it: "/" or "/data"
    std::string source = {};  // for people: "/srv/data", "memory:"
    ExportRules rules = {};
    std::shared_ptr<vfs::FileSystem> files;

    // Filled in by Exports.
    std::uint32_t tag = 0;  // in handles: from the path and the root's FileId
    std::shared_ptr<ExportCounters> counters = {};
};

using ExportTable = std::vector<Export>;
// Exports in a table: four times as many as `helio serve` accepts. READDIR of NFS 4 keeps as many
// cookies for them.
inline constexpr std::size_t kExportTableMax = 4'096;

class ExportTree;  // helio/nfs/server/export_tree.h

// What a call will do with a handle's file.
enum class Intent : std::uint8_t { read, change };

// AUTH_SYS carries at most this many (RFC 5531 appendix A).
inline constexpr std::size_t kGroupsMax = 16;

// A handle that passed all checks, with the caller it is used for. Not copied, since
// `caller.groups` may point into it. Valid as long as the guard.
struct AuthorizedHandle {
    const Export* where = nullptr;
    vfs::FileSystem* files = nullptr;
    vfs::FileId file;
    vfs::Caller caller;

    AuthorizedHandle() {}  // the groups below are filled in when they are needed
    AuthorizedHandle(const AuthorizedHandle&) = delete;
    AuthorizedHandle& operator=(const AuthorizedHandle&) = delete;
    std::array<std::uint32_t, kGroupsMax> groups;
};

class Exports final {
    struct Impl;
    struct Snapshot;

 public:
    // `log` gets one line per denial, with the rule, address or id that caused it. Any thread.
    Exports(const HandleKey& key, std::function<void(const LogEvent&)> log);
    ~Exports();  // after the last guard
    Exports(const Exports&) = delete;
    Exports& operator=(const Exports&) = delete;

    // Replaces the table; running calls keep the one they began with. Exports that stay (same path
    // and FileSystem) keep their counters. Error: two exports that cannot be distinguished, or too
    // many.
    Result<void, std::string> set(ExportTable table);
    // Valid while the pointer is held.
    std::shared_ptr<const ExportTable> table() const;

    // Holds the table for one call, so that replacing it does not affect the call. Used on one
    // thread; costs no lock and no shared counter.
    class TableGuard final {
     public:
        explicit TableGuard(const Exports& exports);
        ~TableGuard();
        TableGuard(const TableGuard&) = delete;
        TableGuard& operator=(const TableGuard&) = delete;
        const ExportTable& table() const { return *table_; }
        // The same exports, as NFS 4 shows them.
        const ExportTree& tree() const;
        // For a call that is about to wait: frees the thread's slot, which other calls of the
        // thread need meanwhile. The table stays held.
        void keep();

     private:
        Impl& impl_;
        const ExportTable* table_ = nullptr;
        const Snapshot* snapshot_ = nullptr;
        std::atomic<const Snapshot*>* slot_ = nullptr;
        std::shared_ptr<const Snapshot> held_;  // when the thread has no slot to spare
    };

    // ok, or bad_handle, stale (the export is gone), access_denied (not for this client) and
    // read_only; these have been logged.
    vfs::Status open(const TableGuard& guard, const rpc::Call& call, ByteView handle, Intent intent,
                     AuthorizedHandle& out) const;
    // For MOUNT: the root of the export for a path, and the path below it, which is empty or
    // without slashes at its ends. not_found and access_denied have been logged.
    vfs::Status find(const TableGuard& guard, const rpc::Call& call, std::string_view path,
                     AuthorizedHandle& out, std::string_view& below) const;
    // May a client with this address use the export?
    static bool allows(const Export& where, const rpc::Peer& peer);
    // May replies to datagrams from this address be longer than they are?
    bool trusts_datagrams_of(const rpc::Peer& peer) const;
    Handle seal(const Export& where, const vfs::FileId& file) const;

    // One log line, rate-limited: "why" names the rule, address or id. `where` is the export that
    // the call was for, if that is known.
    void deny(const rpc::Call& call, vfs::Status status, std::string_view why,
              const Export* where = nullptr) const;

    // Statistics by export and by client; from any thread.
    std::vector<ExportCounts> export_counts() const;
    std::vector<ClientCounts> client_counts() const;
    // A procedure of NFS has ended. `where` is nullptr if its handle was invalid.
    void count(const rpc::Call& call, const Export* where, vfs::Status status,
               std::uint64_t bytes_read, std::uint64_t bytes_written) const;

 private:
    std::shared_ptr<const Snapshot> snapshot() const;
    const Export* export_of(const TableGuard& guard, const rpc::Call& call,
                            std::uint32_t tag) const;
    vfs::Status check_client(const TableGuard& guard, const rpc::Call& call, const Export& where,
                             const vfs::FileId& file) const;

    std::unique_ptr<Impl> impl_;
};

// A client's name for something, safe for a log: quoted, cut, without control characters.
std::string quoted(std::string_view name);

// A path in the form that exports use: it begins with a slash and has no empty names and no ".",
// which change nothing. ".." stays: where it leads depends on the file system.
std::string normalized_path(std::string_view path);

}  // namespace helio::nfs
