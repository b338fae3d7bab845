// Universal addresses and netids (RFC 5665): rpcbind's notation for where a program listens. A
// netid names a transport ("tcp6"), a universal address a place on it:
//
//     192.0.2.1.8.1     IPv4: six numbers, the last two are the port's bytes (8 × 256 + 1 = 2049)
//     2001:db8::1.8.1   IPv6: the address's text, then the port's bytes
//     /run/x.sock       local: a path
//
// They are untrusted; anything else is rejected with a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "helio/base/result.h"
#include "helio/rpc/call.h"
#include "helio/transport/socket/socket.h"

namespace helio::portmap {

// The longest one is a path: sockaddr_un holds 107 bytes and a zero. IPv6 needs at most 53.
inline constexpr std::size_t kUniversalAddressMax = 107;

struct Netid {
    std::string_view name;
    int family = 0;              // AF_INET, AF_INET6, AF_UNIX
    std::uint32_t protocol = 0;  // IP's number, for portmap version 2; 0: it has none
    // As in GETADDRLIST (rpcb_entry).
    std::uint32_t semantics = 0;
    std::string_view protocol_family;
    std::string_view protocol_name;
};

// nullptr if unknown.
const Netid* find_netid(std::string_view name);
// The one for a socket of this family; an in-process caller counts as local. nullptr: none.
const Netid* find_netid(rpc::Transport transport, int family);
// "tcp" and "udp", from portmap's numbers.
const Netid* find_netid(std::uint32_t protocol);

// The reason is the second half of a sentence and lives forever.
Result<transport::Endpoint, std::string_view> parse_universal_address(int family,
                                                                      std::string_view text);
// The text determines the family.
Result<transport::Endpoint, std::string_view> parse_universal_address(std::string_view text);
// Empty if the endpoint's family is unknown.
std::string to_universal_address(const transport::Endpoint& endpoint);

}  // namespace helio::portmap
