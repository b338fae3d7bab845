// serve(): an NFS server in one call, for programs that bring their own file system. It sets up
// exports, programs, the pool for calls that wait, the port mapper and the sockets. `helio serve`
// (helio/serve) uses the same parts, with settings, confinement, metrics and reload.
//
// It serves NFS versions 4.2, 4.1, 3 and 2. Open files and locks of version 4 are lost when the
// program ends: clients can reclaim them only from a server with records of them (Recovery).
//
//     helio::nfs::serve({{.path = "/hello", .files = std::make_shared<Hello>()}}, {.port = 12049});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "helio/nfs/server/exports.h"

namespace helio::nfs {

// IANA's port for NFS, where clients look without being told.
inline constexpr std::uint16_t kNfsPort = 2049;

struct ServeOptions {
    std::string host = "127.0.0.1";  // empty: every address
    std::uint16_t port = kNfsPort;   // TCP and UDP; 0 picks a free one
    // Seals handles. Without a key a random one is made, and clients have to mount again after a
    // restart of the program. Keep it secret: with it, anybody can forge handles.
    std::optional<HandleKey> key = {};
    unsigned threads = 0;       // threads for connections; 0: one per core
    unsigned pool_threads = 8;  // for calls that wait
    // Both are called with whole sentences. Default: the start text goes to stdout, the log to
    // stderr.
    std::function<void(std::string_view text)> announce = {};
    std::function<void(std::string_view line)> log = {};  // denied and broken calls
};

// Serves until SIGTERM or SIGINT; running calls end first. Call it from the main thread before any
// other exists: it blocks these signals for all threads. Throws std::runtime_error with a sentence
// if it cannot start.
void serve(ExportTable file_systems, const ServeOptions& options = {});

// The command that mounts an export on Linux over TCP, "sudo mount -t nfs HOST:PATH /mnt", quoted
// for a shell. An IPv6 address may be in brackets. Version 4: the client chooses, and begins with
// 4.2. Versions 3 and 2 need every port by name, because otherwise the client asks port 111.
std::string mount_command(const std::string& host, std::uint16_t port, const std::string& path,
                          unsigned version = 4);

}  // namespace helio::nfs
