#include "helio/rpc/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "helio/base/assert.h"
#include "helio/base/ip_address.h"
#include "helio/rpc/envelope.h"
#include "helio/xdr/wire.h"

namespace helio::rpc {

std::string_view name_of(Transport transport) {
    switch (transport) {
        case Transport::tcp:
            return "tcp";
        case Transport::udp:
            return "udp";
        case Transport::local:
            return "local";
        case Transport::rdma:
            return "rdma";
        case Transport::in_process:
            return "in-process";
    }
    HELIO_ASSERT(false);
    return {};
}

bool is_ipv4(const std::array<std::byte, 16>& address) {
    // ::ffff:0:0/96, RFC 4291 §2.5.5.2.
    const auto zero = [](std::byte one) { return one == std::byte{0}; };
    return std::all_of(address.begin(), address.begin() + 10, zero) &&
           address[10] == std::byte{0xff} && address[11] == std::byte{0xff};
}

std::string to_text(const Peer& peer) {
    const auto& bytes = peer.client.bytes;
    if (peer.client.kind == kClientUnix)
        return fmt::format("unix uid {}", xdr::load_u32(bytes.data()));
    if (peer.client.kind != kClientInternet) return "this process";
    if (is_ipv4(bytes))
        return fmt::format("{}:{}", ipv4_text(std::span{bytes}.last<4>()), peer.port);
    return fmt::format("[{}]:{}", ipv6_text(bytes), peer.port);
}

std::size_t Call::reply_overhead() const { return envelope->reply_overhead(*this); }

std::size_t Call::results_bytes_max() const {
    const std::size_t overhead = reply_overhead();
    return reply_bytes_max > overhead ? reply_bytes_max - overhead : 0;
}

bool Call::promise(std::size_t bytes) {
    if (origin != nullptr && !origin->may_hold(bytes)) return false;
    bytes_promised += bytes;
    if (session_waiting_bytes != nullptr) *session_waiting_bytes += bytes;
    return true;
}

Payload Call::file_payload(int descriptor, std::uint64_t offset, std::size_t size,
                           std::shared_ptr<const void> owner) {
    if (!sends_files || size == 0) return {};
    FilePiece* const piece = arena().make<FilePiece>();
    if (piece == nullptr) return {};
    *piece = {descriptor, offset};
    hold(std::move(owner));
    return {*piece, size};
}

}  // namespace helio::rpc
