// Exports: which file systems are shown to whom, and as whom. Every call comes through open(): the
// handle's seal, the client's address, read-only and squash are checked on each of them, not at
// MOUNT alone. The table can be exchanged while calls run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/nfs/handle.h"
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
    all    // everybody does
};

// What nobody should own: "nobody" and "nogroup" of Debian.
inline constexpr std::uint32_t kNobody = 65'534;

struct ExportRules {
    bool read_only = false;
    Squash squash = Squash::root;
    std::uint32_t anonymous_uid = kNobody;
    std::uint32_t anonymous_gid = kNobody;
    std::vector<Network> allowed;  // empty: every address that can reach us
};

struct ExportCounters;

struct Export {
    std::string path;    // as clients mount it: "/" or "/data"
    std::string source;  // what is behind it, for people: "/srv/data", "memory:"
    ExportRules rules;
    std::shared_ptr<vfs::FileSystem> files;

    // Made by Exports.
    std::uint32_t tag = 0;  // in handles: from the path and the root's FileId
    std::shared_ptr<ExportCounters> counters;
};

using ExportTable = std::vector<Export>;

// What a call is about to do to the file behind a handle.
enum class Intent : std::uint8_t { look, change };

// A handle that was found good.
struct Door {
    const Export* where = nullptr;
    vfs::FileSystem* files = nullptr;
    vfs::FileId file;
    vfs::Caller caller;
};

class Exports final {
 public:
    // `log` gets one line per denial, with the rule, address or id that caused it. Any thread.
    Exports(const HandleKey& key, std::function<void(std::string_view)> log);
    ~Exports();
    Exports(const Exports&) = delete;
    Exports& operator=(const Exports&) = delete;

    // The table from now on; calls that run keep the one they began with. Exports that stay (same
    // path and FileSystem) keep their counters. Error: two exports that cannot be told apart.
    Result<void, std::string> set(ExportTable table);
    // Valid while the pointer is held.
    std::shared_ptr<const ExportTable> table() const;

    // `groups` of the caller are views into the call's credential.
    vfs::Status open(const rpc::Call& call, ByteView handle, Intent intent, Door& out) const;
    // Whether two doors lead to the same export: RENAME and LINK ask.
    // For MOUNT: the export of a path and the path below it; nullptr when there is none or the
    // client may not. Says why in the log.
    vfs::Status find(const rpc::Call& call, std::string_view path, Door& out,
                     std::string_view& below) const;
    Handle seal(const Export& where, const vfs::FileId& file) const;

    void deny(const rpc::Call& call, const Export* where, std::string_view why) const;

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace helio::nfs
