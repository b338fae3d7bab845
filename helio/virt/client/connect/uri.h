// Uri: a libvirt connection URI, `driver[+transport]://[user@][host][:port]/path[?parameters]`,
// parsed. Parameters about the connection (socket, command, …) are ours; the rest is the name that
// the daemon is asked to open.
//
//     test+unix:///default?socket=/tmp/libvirt-sock      the name is test:///default
//     qemu:///system                                     this machine, AF_UNIX
//     qemu+tcp://host/system
//     qemu://host/system, qemu+tls://host/system         TLS
//     qemu+ssh://root@host/system                        through the system's ssh
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio::virt {

// libvirtd's port for listen_tcp.
inline constexpr std::uint16_t kVirtTcpPort = 16509;
// And for listen_tls.
inline constexpr std::uint16_t kVirtTlsPort = 16514;

struct Uri {
    enum class Transport : std::uint8_t { unix_socket, tcp, tls, ssh };

    Transport transport = Transport::unix_socket;
    std::string driver;  // "qemu", "test"
    std::string user;    // of ssh
    std::string host;    // empty: this machine
    std::uint16_t port = 0;
    std::string path;  // "/system"
    std::string name;  // for CONNECT_OPEN

    // Parameters that libvirt has too.
    std::string socket;        // at this end, or with ssh at the other
    std::string command;       // instead of "ssh"
    std::string keyfile;       // for ssh
    std::string auth;          // "none", "sasl", "polkit": overrides the daemon's first offer
    std::string pki_folder;    // for TLS: folder of the certificates; empty: the usual places
    std::string tls_priority;  // a GnuTLS priority string
    bool no_verify = false;    // for TLS: accept any certificate
    bool read_only = false;
};

// The error says why it is not a URI.
Result<Uri, std::string> parse_uri(std::string_view text);

// The socket of this driver's daemon on this machine: the driver's own (virtqemud-sock) if it
// exists, else libvirtd's, of the system or of the user.
std::string default_socket(const Uri& uri);
// The sockets that it chooses from: of the driver's own daemon, and of libvirtd.
std::array<std::string, 2> usual_sockets(const Uri& uri);

}  // namespace helio::virt
