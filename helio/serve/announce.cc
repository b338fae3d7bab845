#include "helio/serve/announce.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/serve/log.h"

namespace helio::serve {
namespace {

using transport::Endpoint;

// The network interfaces that RDMA devices are at, by name.
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

// The wildcard is not an address to mount from: use this machine's first address that others can
// reach, on one of these interfaces if given.
Endpoint reachable(const Endpoint& where, const std::set<std::string>& interfaces = {}) {
    if (!where.is_wildcard()) return where;
    const auto all = transport::interface_addresses();
    for (const bool v6 : {false, true}) {
        if (v6 && where.is_ipv4()) continue;
        for (const auto& [interface, address] : all) {
            if (address.is_ipv6() != v6) continue;
            if (!interfaces.empty() && !interfaces.contains(interface)) continue;
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

// Quotes a word for a shell.
std::string quoted(const std::string& text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view{"/:._-+=@[]"}.find(c) != std::string_view::npos;
    });
    if (plain) return text;
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string durability(const Plan& plan) {
    const auto outlives = [](const PlannedExport& one) { return one.source.outlives_server; };
    std::string text;
    if (std::any_of(plan.begin(), plan.end(), outlives)) {
        text += "Data is on the disk when a stable WRITE or a COMMIT has been answered. ";
        text += plan.front().request.sync_metadata
                    ? "So are names and attributes when what changed them has.\n"
                    : "Names and attributes\nfollow with the file system's journal, within seconds "
                      "(--sync-metadata waits for it).\n";
    }
    if (!std::all_of(plan.begin(), plan.end(), outlives))
        text += "What is in memory: ends with this process.\n";
    return text;
}

std::string rdma_mount_line(const Endpoint& there, const Endpoint& tcp, const std::string& path) {
    return fmt::format(
        "RDMA     sudo mount -t nfs -o "
        "vers=3,proto=rdma{},port={},mountport={},mountproto=tcp,nolock {} /mnt",
        there.is_ipv6() ? "6" : "", there.port(), tcp.port(), quoted(host_of(there) + ":" + path));
}

}  // namespace

std::vector<std::string> mount_lines(const Endpoint& where, const std::string& path,
                                     bool on_port_111) {
    const Endpoint there = reachable(where);
    const std::string host = host_of(there);
    const std::string what = quoted(host + ":" + path);
    const std::uint16_t port = there.port();
    const char* const six = there.is_ipv6() ? "6" : "";
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("Linux    sudo mount -t nfs -o "
                    "vers=3,proto=tcp{1},port={0},mountport={0},mountproto=tcp{1},nolock {2} /mnt",
                    port, six, what));
    // locallocks is what Linux calls nolock: locks among the programs of one machine.
    lines.push_back(fmt::format(
        "macOS    sudo mount -t nfs -o vers=3,tcp,port={0},mountport={0},locallocks {1} ~/mnt",
        port, what));
    if (!on_port_111) return lines;
    lines.push_back(
        fmt::format("FreeBSD  mount -t nfs -o nfsv3,tcp,port={},nolockd {} /mnt", port, what));
    lines.push_back(fmt::format("Windows  mount -o nolock,anon {} Z:", what));
    return lines;
}

std::string to_text(const Plan& plan) {
    std::string text;
    std::size_t width = 0;
    for (const auto& one : plan) width = std::max(width, one.path.size());
    for (const auto& one : plan) {
        text += fmt::format("  {:<{}}  {}, {}\n", printable(one.path), width,
                            printable(one.source.description),
                            one.rules.read_only ? "read only" : "read and write");
        text += fmt::format("  {:<{}}  for {}\n", "", width, who_may(one));
        text += fmt::format("  {:<{}}  {}\n", "", width, acting_as(one));
    }
    return text;
}

namespace {

std::string mounting(const Announcement& said) {
    std::string text;
    const auto interfaces = said.rdma.empty() ? std::set<std::string>{} : rdma_interfaces();
    for (const auto& one : said.plan) {
        text += fmt::format("\nTo mount {}:\n", printable(one.path));
        for (const auto& line : mount_lines(said.listens.front(), one.path, said.on_port_111))
            text += "  " + line + "\n";
        for (const auto& rdma : said.rdma)
            text += "  " +
                    rdma_mount_line(reachable(rdma, interfaces), said.listens.front(), one.path) +
                    "\n";
    }
    // A client asks over TCP where the root of the export is, at the address it mounts from.
    const auto covers = [&](const Endpoint& tcp) {
        return tcp.is_wildcard() ||
               transport::address_bytes(tcp) ==
                   transport::address_bytes(reachable(said.rdma.front(), interfaces));
    };
    if (!said.rdma.empty() && std::none_of(said.listens.begin(), said.listens.end(), covers))
        text += fmt::format(
            "\nTo mount over RDMA, MOUNT has to be reached at the same address over TCP: start "
            "with "
            "--listen {} too.\n",
            host_of(reachable(said.rdma.front(), interfaces)));
    if (!said.on_port_111)
        text +=
            "\nFreeBSD's and Windows' clients ask port 111 where MOUNT is, and cannot be told: for "
            "them start with\n--portmap, as root.\n";
    return text;
}

}  // namespace

std::string to_text(const Announcement& said) {
    std::string where;
    for (const auto& one : said.listens)
        where += (where.empty() ? "" : ", ") + transport::to_text(one);
    std::string text = fmt::format("NFS versions 3 and 2 at {}, TCP and UDP\n", where);
    for (const auto& one : said.rdma)
        text += fmt::format("and at {} over RDMA\n", transport::to_text(one));
    text += "\n";
    text += to_text(said.plan) + "\n" + durability(said.plan);
    if (said.state_problem.empty())
        text += fmt::format("Handles of files stay good over restarts; their key is in {}.\n",
                            said.state_directory);
    else
        text += fmt::format(
            "Handles end with this process, and clients will have to mount again after a restart:\n"
            "{}.\n",
            said.state_problem);
    std::string confined;
    for (const auto& one : said.confined_by) confined += (confined.empty() ? "" : "; ") + one;
    text += fmt::format("Confined by: {}.\n", confined.empty() ? "nothing" : confined);
    for (const auto& one : said.not_confined) text += one + ".\n";
    if (!said.metrics.empty())
        text += fmt::format("Metrics: {0}/metrics  Health: {0}/health\n", said.metrics);
    for (const auto& note : said.notes) text += "Note: " + note + "\n";
    if (!said.listens.empty()) text += mounting(said);
    return text;
}

}  // namespace helio::serve
