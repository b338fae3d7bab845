#include "helio/serve/announce.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/shell.h"
#include "helio/nfs/serve.h"
#include "helio/serve/log.h"

namespace helio::serve {
namespace {

using transport::Endpoint;

// The names of network interfaces with RDMA devices.
std::set<std::string> rdma_interfaces() {
    namespace fs = std::filesystem;
    std::set<std::string> out;
    std::error_code error;
    for (const auto& device : fs::directory_iterator("/sys/class/infiniband", error))
        for (const auto& port : fs::directory_iterator(device.path() / "ports", error)) {
            std::ifstream file{port.path() / "gid_attrs/ndevs/0"};
            if (std::string name; file >> name) out.insert(name);
        }
    return out;
}

// The wildcard address of RDMA cannot be mounted from: use the first address of its devices.
Endpoint reachable(const Endpoint& where, const std::vector<transport::InterfaceAddress>& all,
                   const std::set<std::string>& names) {
    if (!where.is_wildcard()) return where;
    for (const bool v6 : {false, true}) {
        if (v6 && where.is_ipv4()) continue;
        for (const auto& [interface, address, bits] : all) {
            if (address.is_ipv6() != v6) continue;
            if (!names.empty() && !names.contains(interface)) continue;
            if (address.is_loopback() || address.is_link_local()) continue;
            Endpoint out = address;
            out.set_port(where.port());
            return out;
        }
    }
    return where;
}

// "127.0.0.1", "[::1]"
std::string host_of(const Endpoint& where) {
    const std::string text = transport::to_text(where);
    return text.substr(0, text.rfind(':'));
}

std::string durability(const Plan& plan) {
    const auto outlives = [](const PlannedExport& one) { return one.source.outlives_server; };
    std::string text;
    if (std::any_of(plan.begin(), plan.end(), outlives)) {
        text += "Data is on disk before a stable WRITE or a COMMIT is answered. ";
        text += plan.front().request.sync_metadata
                    ? "So are names and attributes.\n"
                    : "Names and attributes follow\nwithin seconds, with the file system's journal "
                      "(--sync-metadata waits for it).\n";
    }
    if (!std::all_of(plan.begin(), plan.end(), outlives))
        text += "Files in memory are lost when the server stops.\n";
    return text;
}

std::string rdma_mount_line(const Endpoint& there, const Endpoint& tcp, const std::string& path) {
    return fmt::format(
        "RDMA     sudo mount -t nfs -o "
        "vers=3,proto=rdma{},port={},mountport={},mountproto=tcp,nolock {} /mnt",
        there.is_ipv6() ? "6" : "", there.port(), tcp.port(),
        shell_quoted(host_of(there) + ":" + path));
}

}  // namespace

namespace {

using Lines = std::vector<std::string>;

// Options for mount(8) with the port, if clients would not look there by themselves.
std::string with_port(std::string options, std::uint16_t port) {
    if (port != nfs::kNfsPort) options += fmt::format(",port={}", port);
    return options;
}

void add_v4_lines(const Endpoint& there, const std::string& path, Lines& lines) {
    const std::string host = host_of(there);
    const std::string what = shell_quoted(host + ":" + path);
    lines.push_back("Linux    " + nfs::mount_command(host, there.port(), path));
    lines.push_back(fmt::format("macOS 26 sudo mount -t nfs -o {} {} ~/mnt",
                                with_port("vers=4.1", there.port()), what));
    lines.push_back(fmt::format("FreeBSD  mount -t nfs -o {} {} /mnt",
                                with_port("nfsv4,minorversion=1", there.port()), what));
}

// libnfs 4.0 accepts no IPv6 addresses. It searches the list of exports for the file's export, and
// finds "/" there only for a path that begins with two slashes.
void add_libnfs_lines(const Endpoint& there, const std::string& path, Lines& lines) {
    if (!there.is_ipv4()) return;
    const std::string url = fmt::format("nfs://{}{}", host_of(there), path);
    const std::string ports = fmt::format("?nfsport={0}&mountport={0}", there.port());
    lines.push_back(fmt::format("libnfs   nfs-ls {}", shell_quoted(url + ports)));
    lines.push_back(fmt::format("         nfs-cat {}", shell_quoted(url + "/FILE" + ports)));
}

void add_lines_of_port_111(const MountTarget& server, const std::string& path, Lines& lines) {
    const std::string host = host_of(server.where);
    const std::string what = shell_quoted(host + ":" + path);
    if (!server.versions.four)
        lines.push_back(fmt::format("FreeBSD  mount -t nfs -o nfsv3,tcp,port={},nolockd {} /mnt",
                                    server.where.port(), what));
    lines.push_back(fmt::format("Windows  mount -o nolock,anon {} Z:", what));
    if (server.where.is_ipv4())
        lines.push_back(fmt::format("QEMU     qemu-img info {}",
                                    shell_quoted(fmt::format("nfs://{}{}/IMAGE", host, path))));
}

}  // namespace

std::vector<std::string> mount_lines(const MountTarget& server, const std::string& path) {
    const Endpoint& there = server.where;
    const std::string host = host_of(there);
    const Versions& versions = server.versions;
    Lines lines;
    if (versions.four) add_v4_lines(there, path, lines);
    if (!versions.three) {
        if (!versions.four)
            lines.push_back("Linux    " + nfs::mount_command(host, there.port(), path, 2));
        return lines;
    }
    // For clients without version 4.
    const auto second = lines.empty() ? lines.begin() : lines.begin() + 1;
    lines.insert(second, fmt::format("{:<8} {}", versions.four ? "NFS 3" : "Linux",
                                     nfs::mount_command(host, there.port(), path, 3)));
    // locallocks is what Linux calls nolock: locks among the programs of one machine.
    lines.push_back(fmt::format(
        "macOS    sudo mount -t nfs -o vers=3,tcp,port={0},mountport={0},locallocks {1} ~/mnt",
        there.port(), shell_quoted(host + ":" + path)));
    add_libnfs_lines(there, path, lines);
    if (server.on_port_111) add_lines_of_port_111(server, path, lines);
    return lines;
}

std::string to_text(const Plan& plan) {
    std::string text;
    std::size_t width = 0;
    for (const auto& one : plan) width = std::max(width, one.path.size());
    for (const auto& one : plan) {
        text += fmt::format("  {:<{}}  {}, {}\n", printable(one.path), width,
                            printable(one.source.description),
                            one.rules.read_only ? "read-only" : "read-write");
        text += fmt::format("  {:<{}}  for {}\n", "", width, who_may(one));
        text += fmt::format("  {:<{}}  {}\n", "", width, acting_as(one));
    }
    return text;
}

namespace {

std::string rdma_mounting(const Announcement& said, const std::string& path) {
    const auto names = rdma_interfaces();
    std::string text;
    for (const auto& rdma : said.rdma)
        text += fmt::format("  {}\n", rdma_mount_line(reachable(rdma, said.interfaces, names),
                                                      said.listens.front(), path));
    return text;
}

// A client asks for the root of the export over TCP, at the address it mounts from.
std::string rdma_advice(const Announcement& said) {
    if (said.rdma.empty()) return {};
    const Endpoint there = reachable(said.rdma.front(), said.interfaces, rdma_interfaces());
    const auto covers = [&](const Endpoint& tcp) {
        return tcp.is_wildcard() ||
               transport::address_bytes(tcp) == transport::address_bytes(there);
    };
    if (std::any_of(said.listens.begin(), said.listens.end(), covers)) return {};
    return fmt::format(
        "\nTo mount over RDMA, clients also need MOUNT over TCP at the same address: add "
        "--listen {}.\n",
        host_of(there));
}

// With version 4, the root of the server shows all exports.
std::string mounting_all(const Announcement& said) {
    if (!said.versions.four || said.plan.size() < 2) return {};
    const Exposure exposure = said.exposure();
    for (const auto& one : said.plan)
        if (const auto there = exposure.mount_address(one))
            return fmt::format("\nTo mount all exports:\n  Linux    {}\n",
                               nfs::mount_command(host_of(*there), there->port(), "/"));
    return {};
}

std::string port_111_advice(const Announcement& said) {
    if (said.asked_for_111 || !said.versions.three) return {};
    return fmt::format(
        "\n{}Windows and QEMU ask port 111 for the ports. For them, add --portmap: it "
        "registers with rpcbind,\nor, if rpcbind is not running, listens on port 111, which "
        "needs root.\n",
        said.versions.four ? "" : "FreeBSD, ");
}

std::string mounting(const Announcement& said) {
    std::string text = mounting_all(said);
    const Exposure exposure = said.exposure();
    for (const auto& one : said.plan) {
        const auto there = exposure.mount_address(one);
        if (!there) continue;  // a warning reports that
        text += fmt::format("\nTo mount {}:\n", printable(one.path));
        for (const auto& line : mount_lines({*there, said.versions, said.on_port_111}, one.path))
            text += "  " + line + "\n";
        if (said.versions.three) text += rdma_mounting(said, one.path);
    }
    if (said.versions.three) text += rdma_advice(said);
    return text + port_111_advice(said);
}

// How long handles stay valid.
std::string handles(const Announcement& said) {
    if (!said.state_problem.empty())
        return fmt::format(
            "File handles become invalid when the server stops, and clients must then mount "
            "again:\n"
            "{}.\n",
            said.state_problem);
    std::string without;
    for (const auto& one : said.without_state)
        without += (without.empty() ? "" : ", ") + printable(one);
    if (without.empty())
        return fmt::format("File handles stay valid across restarts; their key is in {}.\n",
                           said.state_directory);
    return fmt::format(
        "File handles of {} may become invalid when the server stops, because another server "
        "uses the index in {}.\n"
        "Give this server its own with --state DIR.\n",
        without, said.state_directory);
}

}  // namespace

std::string to_text(const Announcement& said) {
    std::string where;
    for (const auto& one : said.listens)
        where += (where.empty() ? "" : ", ") + transport::to_text(one);
    std::string text =
        fmt::format("NFS versions {} at {}, TCP and UDP\n", to_text(said.versions), where);
    for (const auto& one : said.rdma)
        text += fmt::format("and over RDMA at {}\n", transport::to_text(one));
    text += "\n";
    text += to_text(said.plan) + "\n";
    for (const auto& warning : said.exposure().warnings(said.plan))
        text += "WARNING: " + warning + "\n\n";
    text += durability(said.plan) + handles(said);
    std::string confined;
    for (const auto& one : said.confined_by) confined += (confined.empty() ? "" : "; ") + one;
    text += fmt::format("Sandbox: {}.\n", confined.empty() ? "none" : confined);
    for (const auto& one : said.not_confined) text += one + ".\n";
    if (!said.metrics.empty())
        text += fmt::format("Metrics: {0}/metrics  Health: {0}/health\n", said.metrics);
    for (const auto& note : said.notes) text += "Note: " + note + "\n";
    if (!said.listens.empty()) text += mounting(said);
    return text + "\nReady. Ctrl-C stops the server.\n";
}

}  // namespace helio::serve
