// helio load nfs: loads an NFS server with file operations and checks every answer.
#include "cli/load_nfs.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/interrupt.h"
#include "cli/target.h"
#include "helio/base/text/json_writer.h"
#include "helio/base/text/time_text.h"
#include "helio/load/nfs/run.h"
#include "helio/load/nfs/target.h"
#include "schema/mount_service.h"
#include "schema/nfs3_service.h"
#include "schema/nfs4_service.h"

#ifndef HELIO_VERSION
#define HELIO_VERSION "unknown"
#endif

namespace helio::cli {
namespace {

namespace nfs = load::nfs;

constexpr std::uint16_t kNfsPort = 2049;

constexpr const char* kExamples = R"(Examples:
  helio load nfs server:/export
  helio load nfs localhost:2049:/export getattr lookup read:4k write:64k --duration 5s
  helio load nfs nfs://localhost:2049/export read:1M:sequential --connections 2 --depth 4 --json
  helio load nfs localhost:2049:/a getattr --pid 4711 --against localhost:2050:/b --against-pid 4712
  helio load nfs server:/export list --path big/directory
  helio load nfs --rdma server:/export read:1M write:1M --depth 4
  helio load nfs --version 4.1 server:/export getattr open-read lock --locks 100000

It creates a directory helio-load-… in the export and removes it afterwards. OPERATION is null, getattr,
lookup, access, read, write, create (alternating with remove), readdirplus or mixed, and at version 4 also
open (alternating with close), open-read (open, read 4 KiB, close) or lock (alternating with unlock); several
run one after the other. read and write take a size, sequential or random, and unstable, data_sync or
file_sync: write:64k:random:file_sync. `list` lists an existing directory once.
At version 3, without a port, helio asks the server's rpcbind and then tries 2049; version 4 is on 2049. With
--rdma the port is 20049; if MOUNT is not served there, helio uses TCP for it.
Exit status: 0 all answers were right, 1 some were wrong or failed, 2 wrong usage, 3 the server
could not be reached, 4 it refused.)";

struct Flags {
    std::string target;
    std::string version = "3";
    std::vector<std::string> operations{"mixed"};
    std::string against;
    std::uint16_t port = 0;
    std::uint16_t mount_port = 0;
    std::uint16_t against_mount_port = 0;
    pid_t pid = 0;
    pid_t against_pid = 0;
    std::uint32_t uid = geteuid();
    std::uint32_t gid = getegid();
    std::string duration = "10s";
    std::string warmup = "1s";
    std::string timeout = "5s";
    std::string data_size = "4M";
    std::string reply_size = "64k";
    std::string path;
    nfs::Orders orders;
    bool rdma = false;
    bool json = false;
    std::string html;
};

// "4096", "64k", "1M"
std::uint64_t parse_size(std::string_view text) {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data(), end, value);
    std::uint64_t unit = 1;
    const std::string_view rest{at, static_cast<std::size_t>(end - at)};
    if (rest == "k" || rest == "K") unit = 1u << 10;
    if (rest == "M") unit = 1u << 20;
    if (rest == "G") unit = 1u << 30;
    if (fault != std::errc{} || (unit == 1 && !rest.empty()) || value == 0 ||
        value > UINT64_MAX / (unit << 20))
        throw std::runtime_error(fmt::format("'{}' is not a size; use 4096, 64k or 1M", text));
    return value * unit;
}

std::uint32_t parse_transfer_size(std::string_view text, std::uint64_t most) {
    const std::uint64_t size = parse_size(text);
    if (size > most)
        throw std::runtime_error(fmt::format("'{}' is more than {} bytes", text, most));
    return static_cast<std::uint32_t>(size);
}

void apply_word(nfs::TransferOptions& transfer, const std::string& word) {
    if (word == "sequential")
        transfer.pattern = nfs::Pattern::sequential;
    else if (word == "random")
        transfer.pattern = nfs::Pattern::random;
    else if (word == "unstable")
        transfer.stable = nfs::Stability::unstable;
    else if (word == "data_sync")
        transfer.stable = nfs::Stability::data_sync;
    else if (word == "file_sync")
        transfer.stable = nfs::Stability::file_sync;
    else
        transfer.read_bytes = transfer.write_bytes =
            parse_transfer_size(word, nfs::kTransferBytesMax);
}

nfs::Version parse_version(const std::string& text) {
    if (text == "3") return nfs::Version::v3;
    if (text == "4.1") return nfs::Version::v4_1;
    if (text == "4.2") return nfs::Version::v4_2;
    throw std::runtime_error(fmt::format("--version is 3, 4.1 or 4.2, not '{}'", text));
}

nfs::Job parse_job(const std::string& text, std::uint32_t reply_bytes, nfs::Version version) {
    std::istringstream parts{text};
    std::string part;
    std::getline(parts, part, ':');
    const auto operation = nfs::operation_named(part);
    if (!operation) throw std::runtime_error(fmt::format("unknown operation '{}'", text));
    if (version == nfs::Version::v3 && nfs::needs_state(*operation))
        throw std::runtime_error(
            fmt::format("'{}' needs --version 4.1 or 4.2: version 3 has no OPEN or LOCK", text));
    nfs::Job job{*operation, {}};
    job.transfer.reply_bytes = reply_bytes;
    const bool transfers =
        *operation == nfs::Operation::read || *operation == nfs::Operation::write;
    while (std::getline(parts, part, ':')) {
        if (!transfers)
            throw std::runtime_error(
                fmt::format("'{}': only read and write take a size and a pattern", text));
        apply_word(job.transfer, part);
    }
    return job;
}

class Unreachable final : public std::runtime_error {
 public:
    using runtime_error::runtime_error;
};

Target endpoints(const std::string& host, std::uint16_t port, std::chrono::milliseconds timeout,
                 const xdr::VersionInfo& program, bool rdma = false) {
    const bool v6 = host.find(':') != std::string::npos;
    const std::string bracketed = v6 ? "[" + host + "]" : host;
    const std::string where = port != 0 ? fmt::format("{}:{}", bracketed, port) : bracketed;
    auto found = find_target({where, {}, false, timeout, rdma}, program.program, program.version);
    if (!found) throw Unreachable(found.error());
    return std::move(*found);
}

// Servers without a portmapper serve MOUNT on the NFS port.
bool answers_mount_too(const nfs::ExportTarget& target) {
    transport::Client client{target.nfs, target.client};
    return mount::MOUNT_V3::Client{client}.NULL_().has_value();
}

void find_mount(nfs::ExportTarget& target, const std::string& host, std::uint16_t port,
                std::uint16_t mount_port, bool rdma) {
    const auto timeout = target.client.call_timeout;
    if (mount_port != 0) {
        target.mount = endpoints(host, mount_port, timeout, mount::MOUNT_V3::info()).servers;
    } else if ((port != 0 || rdma) && answers_mount_too(target)) {
        target.mount = target.nfs;
        target.mount_fabric = target.client.fabric;
    }
    if (target.mount.empty())
        target.mount = endpoints(host, 0, timeout, mount::MOUNT_V3::info()).servers;
}

nfs::Server find_server(const Flags& flags, const std::string& text, std::uint16_t port,
                        std::uint16_t mount_port, pid_t pid) {
    const auto name = nfs::parse_export(text);
    if (!name) throw std::runtime_error(name.error());
    nfs::Server server;
    nfs::ExportTarget& target = server.target;
    target.name = text;
    target.path = name->path;
    target.client.credential = rpc::ClientCredential::sys(flags.uid, flags.gid, {}, "helio");
    target.client.call_timeout = parse_duration(flags.timeout);
    if (name->port != 0) port = name->port;
    const auto timeout = target.client.call_timeout;
    target.version = parse_version(flags.version);
    const bool v3 = target.version == nfs::Version::v3;
    // Version 4 is not registered with rpcbind everywhere; its port is fixed.
    if (!v3 && port == 0 && !flags.rdma) port = kNfsPort;
    const Target nfs_server = endpoints(
        name->host, port, timeout, v3 ? nfs3::NFS_V3::info() : nfs4::NFS_V4::info(), flags.rdma);
    target.nfs = nfs_server.servers;
    target.client.fabric = nfs_server.fabric;
    if (v3) find_mount(target, name->host, port, mount_port, flags.rdma);
    if (pid != 0) {
        server.cpu = nfs::ServerCpu::of(pid);
        if (!server.cpu) throw std::runtime_error(fmt::format("no process has pid {}", pid));
    }
    return server;
}

int exit_code_of(const nfs::Failure& failure) {
    switch (failure.kind) {
        case nfs::Failure::Kind::unreachable:
            return kUnreachable;
        case nfs::Failure::Kind::refused:
            return kRefused;
        case nfs::Failure::Kind::wrong:
            break;
    }
    return kNo;
}

int exit_code_of(const std::vector<nfs::JobResult>& results) {
    int code = kDone;
    for (const nfs::JobResult& result : results)
        for (const auto& turns : result.turns)
            for (const nfs::Turn& turn : turns) {
                if (turn.report.unreachable && turn.report.answered == 0) return kUnreachable;
                if (!turn.right()) code = kNo;
            }
    return code;
}

int list_once(const Flags& flags, const nfs::Server& server, std::uint32_t reply_bytes) {
    const nfs::Listing listing = nfs::list_once(server, flags.path, reply_bytes);
    if (flags.json) {
        std::string out;
        JsonWriter json{out};
        json.open('{');
        json.member("target", flags.target);
        json.member("path", flags.path);
        json.member("seconds", listing.seconds, 6);
        json.member("names", listing.names);
        json.member("duplicates", listing.duplicates);
        json.member("replies", listing.replies);
        json.member("without_attributes", listing.without_attributes);
        json.key("server_cpu_s");
        listing.server_cpu_s ? json.fixed(*listing.server_cpu_s, 6) : json.null();
        json.close('}');
        fmt::print("{}\n", out);
    } else {
        fmt::print(
            "{} names in {} replies of at most {} bytes, {:.3f} s, server CPU {} s; {} names "
            "twice, {} without attributes\n",
            listing.names, listing.replies, reply_bytes, listing.seconds,
            listing.server_cpu_s ? fmt::format("{:.6f}", *listing.server_cpu_s) : "unknown",
            listing.duplicates, listing.without_attributes);
    }
    return listing.duplicates > 0 ? kNo : kDone;
}

int run_checked(Flags& flags) {
    nfs::Orders& orders = flags.orders;
    orders.data_bytes = parse_size(flags.data_size);
    const std::uint32_t reply_bytes = parse_transfer_size(flags.reply_size, nfs::kTransferBytesMax);
    const nfs::Version version = parse_version(flags.version);
    const bool listing = flags.operations == std::vector<std::string>{"list"};
    if (listing && !flags.against.empty())
        throw std::runtime_error("list takes one server at a time");
    if (listing && !flags.html.empty()) throw std::runtime_error("list has no --html report");
    if (!listing)
        for (const std::string& one : flags.operations)
            orders.jobs.push_back(parse_job(one, reply_bytes, version));
    orders.load.duration = parse_duration(flags.duration);
    orders.load.warmup = flags.warmup == "0" || flags.warmup == "0s" ? std::chrono::milliseconds(0)
                                                                     : parse_duration(flags.warmup);
    orders.servers.push_back(
        find_server(flags, flags.target, flags.port, flags.mount_port, flags.pid));
    if (listing) return list_once(flags, orders.servers.front(), reply_bytes);
    if (!flags.against.empty())
        orders.servers.push_back(
            find_server(flags, flags.against, 0, flags.against_mount_port, flags.against_pid));
    std::ofstream html;
    if (!flags.html.empty()) {
        html.open(flags.html, std::ios::binary);  // before the run: failing later would waste it
        if (!html) throw std::runtime_error(fmt::format("cannot write '{}'", flags.html));
    }
    orders.when = to_rfc3339(std::chrono::system_clock::now());
    orders.version = HELIO_VERSION;
    orders.command = command_line();
    const Interrupt interrupt;
    const auto results = nfs::run(orders, [&](const load::Progress&) { return !interrupt.came(); });
    if (html.is_open() && !(html << nfs::to_html(results, orders)).flush())
        throw std::runtime_error(fmt::format("cannot write '{}'", flags.html));
    const std::string out =
        flags.json ? nfs::to_json(results, orders) : nfs::to_text(results, orders);
    std::fwrite(out.data(), 1, out.size(), stdout);
    return exit_code_of(results);
}

int run(Flags& flags) {
    try {
        return run_checked(flags);
    } catch (const nfs::Failure& failure) {
        fmt::print(stderr, "helio: {}\n", failure.what());
        return exit_code_of(failure);
    } catch (const Unreachable& failure) {
        fmt::print(stderr, "helio: {}\n", failure.what());
        return kUnreachable;
    }
}

void add_shape(Command& verb, Flags& flags) {
    load::Settings& settings = flags.orders.load;
    verb.add_option("--connections", settings.connections, "number of connections")
        ->range(1u, load::kConnectionsMax)
        ->capture_default_str();
    verb.add_option("--depth", settings.depth, "calls in flight per connection")
        ->range(1u, load::kDepthMax)
        ->capture_default_str();
    verb.add_option("--threads", settings.threads, "threads of the load generator")
        ->range(1u, load::kThreadsMax)
        ->capture_default_str();
    verb.add_option("--rate", settings.rate, "open loop: calls per second")->range(0.01, 1e8);
    verb.add_option("--rounds", flags.orders.rounds, "rounds to run; the report shows medians")
        ->range(1u, nfs::kRoundsMax)
        ->capture_default_str();
    verb.add_option("--duration", flags.duration, "time to measure each operation in each round")
        ->check(check_duration)
        ->capture_default_str();
    verb.add_option("--warmup", flags.warmup, "time to run before measuring")
        ->capture_default_str();
    verb.add_option("--timeout", flags.timeout, "how long to wait for each answer")
        ->check(check_duration)
        ->capture_default_str();
}

void add_test_tree(Command& verb, Flags& flags) {
    constexpr std::uint32_t kDataFilesMax = 10'000;
    verb.add_option("--files", flags.orders.files,
                    "number of files for getattr, lookup, access, open and lock")
        ->range(1u, nfs::kEntriesMax)
        ->capture_default_str();
    verb.add_option("--data-files", flags.orders.data_files,
                    "number of files to read, and of files to write")
        ->range(1u, kDataFilesMax)
        ->capture_default_str();
    verb.add_option("--data-size", flags.data_size, "size of each data file")
        ->capture_default_str();
    verb.add_option("--entries", flags.orders.entries,
                    "number of entries in the directory that readdirplus lists")
        ->range(1u, nfs::kEntriesMax)
        ->capture_default_str();
    verb.add_option("--reply-size", flags.reply_size, "maximum reply size of readdirplus and list")
        ->capture_default_str();
    verb.add_option("--locks", flags.orders.locks,
                    "number of locks that are held in these files while lock runs")
        ->range(0u, nfs::kLocksMax)
        ->capture_default_str();
    verb.add_option("--path", flags.path, "directory to list, relative to the export");
}

}  // namespace

void add_load_nfs(Command& load, int& exit_code) {
    Command* const verb =
        load.add_subcommand("nfs", "Load-test an NFS server and check every answer");
    const auto flags = std::make_shared<Flags>();
    verb->add_option("TARGET", flags->target,
                     "HOST:/EXPORT, HOST:PORT:/EXPORT, nfs://HOST:PORT/EXPORT")
        ->required();
    verb->add_option("OPERATION", flags->operations, "operations to run, one after the other")
        ->capture_default_str();
    verb->add_option("--version", flags->version, "NFS version: 3, 4.1 or 4.2")
        ->capture_default_str();
    verb->add_option("--port", flags->port, "NFS port, if TARGET has none");
    verb->add_flag("--rdma", flags->rdma, "over RDMA (RFC 8166, RFC 8267) instead of TCP");
    verb->add_option("--mount-port", flags->mount_port, "MOUNT port, if it is not the NFS port");
    verb->add_option("--uid", flags->uid, "uid of the AUTH_SYS credential");
    verb->add_option("--gid", flags->gid, "gid of the AUTH_SYS credential");
    verb->add_option("--pid", flags->pid, "pid of the server, to report its CPU time per call");
    verb->add_option("--against", flags->against, "a second server to compare with");
    verb->add_option("--against-mount-port", flags->against_mount_port,
                     "MOUNT port of the second server");
    verb->add_option("--against-pid", flags->against_pid, "pid of the second server");
    add_shape(*verb, *flags);
    add_test_tree(*verb, *flags);
    verb->add_flag("--json", flags->json, "print the report as JSON");
    verb->add_option("--html", flags->html, "also write the report to this HTML file");
    verb->footer(kExamples);
    verb->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace helio::cli
