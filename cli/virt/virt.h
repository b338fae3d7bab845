// `helio virt`: libvirt's protocol on the command line. Each verb has its own file in this folder
// and adds itself to the app of `helio virt`; this header has what they share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "helio/base/system/sandbox.h"
#include "helio/transport/socket/endpoint.h"
#include "helio/virt/client/client.h"

namespace helio::cli {

// Flags of `helio virt` itself, for verbs that connect to a daemon.
struct VirtFlags {
    std::string uri;  // --connect; else LIBVIRT_DEFAULT_URI; else qemu:///system
    std::string timeout = "30s";
    std::string user;  // for SASL
    std::string password_file;
    bool read_only = false;
    bool no_keepalive = false;
    std::string keepalive_interval = "5s";
    unsigned keepalive_count = virt::kVirtKeepaliveCount;
};
using VirtFlagsRef = std::shared_ptr<const VirtFlags>;

void add_virt_call(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_console(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_edit(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_domains(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_event(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_info(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_host(Command& virt, VirtFlagsRef flags, int& exit_code);
// Daemons and relays take none of the common flags.
void add_virt_relay(Command& virt, int& exit_code);
void add_virt_serve(Command& virt, int& exit_code);
void add_virt_stats(Command& virt, VirtFlagsRef flags, int& exit_code);
void add_virt_storage(Command& virt, VirtFlagsRef flags, int& exit_code);

// Exit code or error.
using VirtDone = Result<int, virt::Failure>;

Result<std::unique_ptr<virt::Client>, virt::Failure> open_virt(const VirtFlags& flags);
// Prints the error as one line to stderr and returns its exit code.
int report_virt(const VirtFlags& flags, const virt::Failure& failure);

// Connects, runs `work(client)`, which returns a VirtDone, and reports errors.
template <class Work>
int with_virt(const VirtFlags& flags, Work&& work) {
    auto client = open_virt(flags);
    if (!client) return report_virt(flags, client.error());
    const VirtDone done = work(**client);
    return done ? *done : report_virt(flags, done.error());
}

struct DomainXml {
    std::string name;
    std::string xml;
};
inline constexpr std::uint32_t kDomainXmlSecure = 1;  // VIR_DOMAIN_XML_SECURE: with passwords
inline constexpr std::uint32_t kDomainXmlInactive =
    2;  // VIR_DOMAIN_XML_INACTIVE: of the next start
// The domain with this name, UUID or number.
Task<Result<DomainXml, virt::Failure>> get_domain_xml(virt::ClientConnection& connection,
                                                      std::string word, std::uint32_t flags);
// Returns the domain's name.
Task<Result<std::string, virt::Failure>> define_domain(virt::ClientConnection& connection,
                                                       std::string xml);

// "host", "host:port", "[::1]:0"; libvirt's port by default. Throws std::runtime_error.
transport::HostPort virt_host_port(const std::string& text);

// For servers, after their sockets listen and before their threads start: gives up privileges that
// they do not need, and reports on standard error what is confined and what is not. Only these TCP
// ports can be connected to afterwards.
void confine(const SandboxNeeds& needs, std::span<const std::uint16_t> ports);
// The directory that has this path, for SandboxNeeds.
std::string directory_of(const std::string& path);

// "100.00 GiB": bytes as shown by virsh.
std::string size_text(std::uint64_t bytes);

// Prints XML and similar text to stdout, escaped on a terminal.
void print_document(std::string_view text);

}  // namespace helio::cli
