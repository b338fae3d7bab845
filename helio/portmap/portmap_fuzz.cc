// Any sequence of calls to a server with only a portmapper: from strangers and from this machine,
// over UDP and TCP. Strangers must change nothing, registrations must be well formed and bounded,
// and over UDP a stranger must get no more than a few times what it sent.
#include <cstdint>
#include <vector>

#include "helio/base/assert.h"
#include "helio/portmap/portmapper.h"
#include "helio/portmap/universal_address.h"
#include "testing/portmap/session.h"

using namespace helio;
using namespace helio::portmap;

namespace {

const rpc::Peer& peer_of(unsigned which) {
    static const rpc::Peer peers[] = {
        remote_peer(rpc::Transport::udp),
        remote_peer(rpc::Transport::tcp),
        loopback_peer(rpc::Transport::udp),
        loopback_peer(rpc::Transport::tcp),
        unix_peer(0),
        unix_peer(33),
    };
    return peers[which % std::size(peers)];
}

// The header is ours, most of the time: program, version and procedure from two bytes, AUTH_NONE.
std::vector<std::byte> header(std::uint32_t xid, unsigned version, unsigned procedure) {
    std::vector<std::byte> out(40);
    const std::uint32_t words[] = {xid, 0, 2, 100000, 2 + version % 3, procedure % 14};
    for (std::size_t i = 0; i < std::size(words); ++i) xdr::store_u32(out.data() + i * 4, words[i]);
    return out;
}

void check(const Registry& registry) {
    const auto all = registry.all();
    HELIO_ASSERT(all.size() <= kMappingsMax);
    for (const Mapping& one : all) {
        const Netid* const netid = find_netid(one.netid);
        HELIO_ASSERT(netid != nullptr);
        HELIO_ASSERT(parse_universal_address(netid->family, one.address).has_value());
        HELIO_ASSERT(!one.owner.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Portmapper portmapper;
    rpc::ServerOptions options;
    options.duplicates.entries_max = 64;  // made anew each time: small is fast
    rpc::Server programs{options};
    portmapper.add_to(programs);
    rpc::Worker worker{programs};
    HELIO_ASSERT(portmapper.registry().set({100003, 3, "tcp", "0.0.0.0.8.1", "33"}).has_value());
    std::uint32_t xid = 0;
    // Each call: caller, version, procedure, length of the rest; caller 255: no header of ours.
    while (size >= 4) {
        const unsigned who = data[0], version = data[1], procedure = data[2];
        const std::size_t length = std::min<std::size_t>(data[3] * 4u, size - 4);
        const auto* const bytes = reinterpret_cast<const std::byte*>(data + 4);
        std::vector<std::byte> message;
        if (who < 240) message = header(++xid, version, procedure);
        message.insert(message.end(), bytes, bytes + length);
        data += 4 + length;
        size -= 4 + length;

        const auto before = portmapper.registry().all();
        SessionChannel channel{worker, peer_of(who)};
        const auto reply = channel.send(message);
        if (!channel.peer.local) HELIO_ASSERT(portmapper.registry().all() == before);
        // 24 bytes is a reply without results; a refusal takes at most 32.
        if (!channel.peer.local && channel.peer.transport == rpc::Transport::udp)
            HELIO_ASSERT(reply.size() <=
                         std::max<std::size_t>(kUdpAmplificationMax * message.size(), 32));
        check(portmapper.registry());
    }
    return 0;
}
