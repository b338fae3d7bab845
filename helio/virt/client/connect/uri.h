// Uri: what libvirt's tools are told to connect to, `driver[+transport]://[user@][host][:port]/path
// [?parameters]`, taken apart. The words about the way there (socket, command, …) are ours; what is
// left of it is the name that the daemon is asked to open.
//
//     test+unix:///default?socket=/tmp/libvirt-sock      the name is test:///default
//     qemu:///system                                     this machine, AF_UNIX
//     qemu+tcp://host/system
//     qemu://host/system, qemu+tls://host/system         TLS
//     qemu+ssh://root@host/system                        by the system's ssh
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"

namespace helio::virt {

// libvirtd's port where it has listen_tcp.
inline constexpr std::uint16_t kVirtTcpPort = 16509;
// And where it has listen_tls.
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
    std::string socket;        // at this end, or of ssh at the other
    std::string command;       // instead of "ssh"
    std::string keyfile;       // for ssh
    std::string auth;          // "none", "sasl", "polkit": instead of the daemon's first
    std::string pki_folder;    // for TLS: where the certificates are, instead of the usual places
    std::string tls_priority;  // GnuTLS's words
    bool no_verify = false;    // for TLS: whatever the daemon's certificate says
    bool read_only = false;
};

// Or why it is none.
Result<Uri, std::string> parse_uri(std::string_view text);

// Where the daemon of this driver listens on this machine when nobody says: the driver's own
// (virtqemud-sock) if it is there, else libvirtd's, of the system or of the user.
std::string default_socket(const Uri& uri);

}  // namespace helio::virt
