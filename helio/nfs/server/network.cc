#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "helio/base/ip_address.h"
#include "helio/nfs/server/exports.h"

namespace helio::nfs {

namespace {
constexpr unsigned kMappedBits = 96;  // bits before an IPv4 address, RFC 4291 §2.5.5.2
constexpr std::size_t kTextMax = 64;  // no address is longer
}  // namespace

Result<Network, std::string> Network::parse(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return fail(fmt::format("{} is not a network: {}", quoted(text), why));
    };
    const std::size_t slash = text.find('/');
    const std::string_view host = text.substr(0, slash);
    if (host.size() > kTextMax) return wrong("it is too long");
    Network out;
    unsigned bits = 128;
    if (const auto v4 = parse_ipv4(host)) {
        out.address[10] = out.address[11] = std::byte{0xff};
        std::copy(v4->begin(), v4->end(), out.address.begin() + 12);
        bits = 32;
    } else if (const auto v6 = parse_ipv6(host)) {
        out.address = *v6;
    } else {
        return wrong("it should look like 10.0.0.0/8, 192.168.1.7 or fe80::/64");
    }
    unsigned prefix = bits;
    if (slash != std::string_view::npos) {
        const std::string_view number = text.substr(slash + 1);
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), prefix);
        if (error != std::errc{} || end != number.data() + number.size() || prefix > bits)
            return wrong(
                fmt::format("what is behind the slash must be a number from 0 to {}", bits));
    }
    out.prefix_bits = bits == 32 ? kMappedBits + prefix : prefix;
    Network whole = out;
    for (unsigned bit = out.prefix_bits; bit < 128; ++bit)
        whole.address[bit / 8] &= static_cast<std::byte>(~(0x80u >> (bit % 8)));
    // Most likely a typo, and it would allow more than it seems.
    if (whole.address != out.address)
        return wrong(
            fmt::format("it has bits behind its prefix; did you mean {}?", to_text(whole)));
    return out;
}

bool Network::contains(const std::array<std::byte, 16>& other) const {
    const std::size_t whole = prefix_bits / 8;
    if (std::memcmp(address.data(), other.data(), whole) != 0) return false;
    const unsigned rest = prefix_bits % 8;
    if (rest == 0) return true;
    const auto mask = static_cast<std::byte>(0xff00u >> rest);
    return (address[whole] & mask) == (other[whole] & mask);
}

std::string to_text(const Network& network) {
    const bool v4 = rpc::is_ipv4(network.address) && network.prefix_bits >= kMappedBits;
    const unsigned bits = v4 ? network.prefix_bits - kMappedBits : network.prefix_bits;
    const std::span address{network.address};
    const std::string text = v4 ? ipv4_text(address.last<4>()) : ipv6_text(address);
    if (bits == (v4 ? 32 : 128)) return text;
    return fmt::format("{}/{}", text, bits);
}

std::string client_text(const rpc::ClientAddress& client) {
    rpc::Peer peer;
    peer.client = client;
    if (client.kind != rpc::kClientInternet) return rpc::to_text(peer);
    Network host;
    host.address = client.bytes;
    host.prefix_bits = 128;
    return to_text(host);
}

}  // namespace helio::nfs
