// Calls the three services through sessions of the server core, without sockets, so that a caller
// can be anybody: this machine's superuser, or a distant stranger.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <ctime>

#include <fmt/format.h>

#include "helio/portmap/portmapper.h"
#include "helio/portmap/universal_address.h"
#include "helio/xdr/wire.h"
#include "schema/rpcb_service.h"
#include "testing/portmap/session.h"
#include "testing/xdr/bytes.h"

namespace helio::portmap::services_test {
namespace {

using rpc::Transport;
using rpcb::PMAP_VERS;
using rpcb::RPCBVERS;
using rpcb::RPCBVERS4;
using xdr::Outcome;

class Services : public testing::Test {
 protected:
    Services() {
        portmapper.add_to(programs);
        worker.emplace(programs);
    }
    rpc::ServerOptions logging() {
        rpc::ServerOptions out;
        out.log = [this](std::string_view line) { log.emplace_back(line); };
        return out;
    }
    SessionChannel channel(const rpc::Peer& peer) { return {*worker, peer}; }

    std::vector<std::string> log;
    Portmapper portmapper;
    rpc::Server programs{logging()};
    std::optional<rpc::Worker> worker;
};

// RFC 1833 §3.1 and §3.2, by hand: the bytes of a version 2 client.
TEST_F(Services, Version2OnTheWire) {
    auto caller = channel(loopback_peer(Transport::udp));
    const std::string header =
        "00000001 00000000 00000002"                                 // xid, CALL, RPC version 2
        "000186a0 00000002";                                         // program 100000, version 2
    const std::string none = "00000000 00000000 00000000 00000000";  // credential and verifier
    const std::string accepted = "00000001 00000001 00000000 00000000 00000000 00000000";
    const auto plain = [](std::string text) {
        std::erase(text, ' ');
        return text;
    };
    EXPECT_EQ(xdr::to_hex(caller.send(xdr::hex(header + "00000001" + none +  // SET
                                               "000186a3 00000003"           // NFS, version 3
                                               "00000006 00000801"))),       // TCP, port 2049
              plain(accepted + "00000001"));                                 // TRUE
    EXPECT_EQ(xdr::to_hex(caller.send(xdr::hex(header + "00000003" + none +  // GETPORT
                                               "000186a3 00000003 00000006 00000000"))),
              plain(accepted + "00000801"));
    EXPECT_EQ(xdr::to_hex(caller.send(xdr::hex(header + "00000004" + none))),  // DUMP
              plain(accepted + "00000001 000186a3 00000003 00000006 00000801 00000000"));
}

TEST_F(Services, NullInEachVersion) {
    for (const auto transport : {Transport::tcp, Transport::udp}) {
        auto caller = channel(remote_peer(transport));
        EXPECT_TRUE(PMAP_VERS::Client{caller}.NULL_().has_value());
        EXPECT_TRUE(RPCBVERS::Client{caller}.NULL_().has_value());
        EXPECT_TRUE(RPCBVERS4::Client{caller}.NULL_().has_value());
    }
}

TEST_F(Services, StrangersChangeNothing) {
    ASSERT_TRUE(portmapper.registry().set({5, 1, "tcp", "0.0.0.0.8.1", "unknown"}).has_value());
    const auto before = portmapper.registry().all();
    for (const auto transport : {Transport::tcp, Transport::udp}) {
        auto caller = channel(remote_peer(transport));
        log.clear();
        EXPECT_EQ(PMAP_VERS::Client{caller}.SET({6, 1, 6, 2049}), false);
        EXPECT_EQ(PMAP_VERS::Client{caller}.UNSET({5, 1, 6, 2049}), false);
        EXPECT_EQ(RPCBVERS::Client{caller}.SET({6, 1, "tcp", "0.0.0.0.8.1", "superuser"}), false);
        EXPECT_EQ(RPCBVERS::Client{caller}.UNSET({5, 1, "tcp", "", "superuser"}), false);
        EXPECT_EQ(RPCBVERS4::Client{caller}.SET({6, 1, "tcp", "0.0.0.0.8.1", "superuser"}), false);
        EXPECT_EQ(RPCBVERS4::Client{caller}.UNSET({5, 1, "", "", "superuser"}), false);
        EXPECT_EQ(portmapper.registry().all(), before);
    }
    ASSERT_FALSE(log.empty());
    EXPECT_NE(log.front().find("SET of program 6 version 1: the caller is not on this machine"),
              std::string::npos)
        << log.front();
    EXPECT_NE(log.front().find("192.0.2.77:801"), std::string::npos) << log.front();
    // Many of them do not flood the log.
    auto caller = channel(remote_peer(Transport::udp));
    for (int i = 0; i < 1000; ++i) (void)PMAP_VERS::Client{caller}.SET({6, 1, 6, 2049});
    EXPECT_LT(log.size(), 100u);
}

TEST_F(Services, OwnersAreWhoTheyAreNotWhoTheySay) {
    auto root = channel(unix_peer(0)), user = channel(unix_peer(33)),
         other = channel(unix_peer(34)), loopback = channel(loopback_peer(Transport::tcp));
    EXPECT_EQ(RPCBVERS4::Client{user}.SET({7, 1, "tcp", "0.0.0.0.8.1", "superuser"}), true);
    EXPECT_EQ(RPCBVERS4::Client{root}.SET({8, 1, "tcp", "0.0.0.0.8.1", "33"}), true);
    EXPECT_EQ(RPCBVERS4::Client{loopback}.SET({9, 1, "tcp", "0.0.0.0.8.1", "superuser"}), true);
    std::vector<std::string> owners;
    for (const Mapping& one : portmapper.registry().all()) owners.push_back(one.owner);
    EXPECT_EQ(owners, (std::vector<std::string>{"33", "superuser", "unknown"}));

    EXPECT_EQ(RPCBVERS4::Client{other}.UNSET({7, 1, "", "", "33"}), false);
    EXPECT_EQ(RPCBVERS4::Client{loopback}.UNSET({7, 1, "", "", "33"}), false);
    EXPECT_EQ(PMAP_VERS::Client{loopback}.UNSET({8, 1, 0, 0}), false);
    EXPECT_EQ(RPCBVERS::Client{user}.UNSET({7, 1, "tcp", "", ""}), true);
    EXPECT_EQ(PMAP_VERS::Client{root}.UNSET({8, 1, 0, 0}), true);
    EXPECT_EQ(PMAP_VERS::Client{loopback}.UNSET({9, 1, 0, 0}), true);
    EXPECT_TRUE(portmapper.registry().all().empty());
}

rpc::Peer ordinary_loopback_peer() {
    rpc::Peer out = loopback_peer(Transport::tcp);
    out.port = 40'000;
    return out;
}

// Otherwise a local user could answer for this machine's NFS, or use up the table.
TEST_F(Services, OrdinaryUsersHaveAShare) {
    const auto universal = [](int port) {
        return fmt::format("127.0.0.1.{}.{}", port / 256, port % 256);
    };
    auto root = channel(unix_peer(0)), user = channel(unix_peer(33)),
         other = channel(unix_peer(34)), loopback = channel(ordinary_loopback_peer());
    ASSERT_EQ(RPCBVERS4::Client{root}.SET({0x20000001, 1, "tcp", universal(4000), ""}), true);
    for (SessionChannel* const one : {&user, &loopback}) {
        RPCBVERS4::Client client{*one};
        log.clear();
        EXPECT_EQ(client.SET({100003, 4, "tcp", universal(4001), ""}), false);
        EXPECT_EQ(client.SET({0x20000001, 2, "tcp", universal(4001), ""}), false);
        EXPECT_EQ(client.SET({0x20000002, 1, "tcp", universal(1023), ""}), false);
        EXPECT_EQ(client.UNSET({0x20000001, 1, "", "", ""}), false);
        ASSERT_EQ(log.size(), 3u);
        EXPECT_NE(log[0].find("only a privileged process may register this program"), log[0].npos);
        EXPECT_NE(log[1].find("a privileged process has registered this program"), log[1].npos);
        EXPECT_NE(log[2].find("a port below 1024"), log[2].npos);
        std::size_t taken = 0;
        for (std::uint32_t version = 0; version < kMappingsPerOwnerMax + 1; ++version)
            taken += client.SET({0x20000003 + one->peer.client.kind, version, "tcp",
                                 universal(4001), ""}) == true
                         ? 1
                         : 0;
        EXPECT_EQ(taken, kMappingsPerOwnerMax);
    }
    EXPECT_EQ(RPCBVERS4::Client{other}.SET({0x20000009, 1, "tcp", universal(4001), ""}), true);
    EXPECT_EQ(RPCBVERS4::Client{root}.SET({100003, 4, "tcp", universal(2049), ""}), true);
    // Over loopback callers have no name: a reserved port proves privilege.
    auto reserved = channel(loopback_peer(Transport::tcp));
    EXPECT_EQ(RPCBVERS4::Client{reserved}.SET({0x20000020, 1, "tcp", universal(4001), ""}), true);
    EXPECT_EQ(RPCBVERS4::Client{loopback}.UNSET({0x20000020, 1, "", "", ""}), false);
    EXPECT_EQ(RPCBVERS4::Client{reserved}.UNSET({0x20000020, 1, "", "", ""}), true);
}

TEST_F(Services, OrdinaryUsersTogetherHaveHalf) {
    Registry& registry = portmapper.registry();
    std::size_t taken = 0;
    for (std::uint32_t uid = 1000; uid < 1100; ++uid)
        for (std::uint32_t version = 0; version < kMappingsPerOwnerMax; ++version)
            taken +=
                registry.set({0x20000000 + uid, version, "tcp", "0.0.0.0.15.160", owner_name(uid)},
                             Standing::ordinary)
                    ? 1
                    : 0;
    EXPECT_EQ(taken, kOrdinaryMappingsMax);
    EXPECT_TRUE(registry.set({100003, 3, "tcp", "0.0.0.0.8.1", std::string{kSuperuser}}));
}

TEST_F(Services, Version2SpeaksOfPortsOverIPv4) {
    auto root = channel(unix_peer(0));
    PMAP_VERS::Client v2{root};
    RPCBVERS4::Client v4{root};
    EXPECT_EQ(v2.SET({7, 1, rpcb::IPPROTO_UDP, 4000}), true);
    EXPECT_EQ(v2.SET({7, 1, rpcb::IPPROTO_UDP, 4001}), false);
    EXPECT_EQ(v2.SET({7, 2, rpcb::IPPROTO_UDP, 65536 + 4000}), false);
    EXPECT_EQ(v2.SET({7, 2, rpcb::IPPROTO_UDP, 0}), false);
    EXPECT_EQ(v2.SET({7, 2, 1, 4000}), false);
    EXPECT_EQ(v2.SET({7, 2, 0, 4000}), false);
    EXPECT_EQ(v4.SET({7, 1, "tcp6", "::.15.160", ""}), true);
    EXPECT_EQ(v4.SET({7, 1, "local", "/run/seven", ""}), true);
    const auto list = v2.DUMP();
    ASSERT_TRUE(list.has_value() && *list != nullptr);
    EXPECT_EQ((*list)->map, (rpcb::mapping{7, 1, 17, 4000}));
    EXPECT_EQ((*list)->next, nullptr);
    EXPECT_EQ(v2.GETPORT({7, 1, 17, 9}), 4000u);
    EXPECT_EQ(v2.GETPORT({7, 9, 17, 0}), 4000u) << "any version";
    EXPECT_EQ(v2.GETPORT({7, 1, 6, 0}), 0u);
    EXPECT_EQ(v2.GETPORT({7, 1, 99, 0}), 0u);
    EXPECT_EQ(v2.UNSET({7, 1, 0, 0}), true);
    EXPECT_EQ(portmapper.registry().all().size(), 2u) << "what version 2 cannot see stays";
}

TEST_F(Services, AddressesAreMadeReachable) {
    Registry& registry = portmapper.registry();
    ASSERT_TRUE(registry.set({7, 1, "tcp", "0.0.0.0.8.1", ""}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "udp", "198.51.100.9.8.2", ""}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "tcp6", "::.8.3", ""}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "local", "/run/seven", ""}).has_value());
    auto tcp = channel(remote_peer(Transport::tcp)), udp = channel(remote_peer(Transport::udp));
    auto unix = channel(unix_peer(5)), loop = channel(loopback_peer(Transport::tcp));
    struct Row {
        SessionChannel& from;
        std::string_view netid;
        std::string_view answer;
    };
    for (const Row& row : {
             Row{tcp, "", "192.0.2.1.8.1"},  // the transport it came over, the address it spoke to
             Row{udp, "", "198.51.100.9.8.2"},
             Row{udp, "tcp", "192.0.2.1.8.1"},
             Row{loop, "tcp", "127.0.0.1.8.1"},
             Row{tcp, "tcp6", "::.8.3"},  // it did not speak to any IPv6 address
             Row{loop, "tcp6", "::1.8.3"},
             Row{unix, "", "/run/seven"},
             Row{unix, "tcp", "127.0.0.1.8.1"},
             Row{tcp, "udp6", ""},
             Row{tcp, "rdma", ""},
             Row{tcp, "nonsense", ""},
         }) {
        EXPECT_EQ(*RPCBVERS::Client{row.from}.GETADDR({7, 1, row.netid, "", ""}), row.answer);
        EXPECT_EQ(*RPCBVERS4::Client{row.from}.GETADDR({7, 1, row.netid, "", ""}), row.answer);
        EXPECT_EQ(*RPCBVERS4::Client{row.from}.GETVERSADDR({7, 1, row.netid, "", ""}), row.answer);
    }
    rpc::Peer six = remote_peer(Transport::tcp);
    six.client.bytes = six.here = {std::byte{0x20}, std::byte{0x01}};
    auto over6 = channel(six);
    EXPECT_EQ(*RPCBVERS::Client{over6}.GETADDR({7, 1, "", "", ""}), "2001::.8.3");
    EXPECT_EQ(*RPCBVERS4::Client{tcp}.GETADDR({7, 9, "", "", ""}), "192.0.2.1.8.1");
    EXPECT_EQ(*RPCBVERS4::Client{tcp}.GETVERSADDR({7, 9, "", "", ""}), "");
    EXPECT_EQ(*RPCBVERS::Client{tcp}.GETADDR({7, 9, "", "", ""}), "");
}

TEST_F(Services, DumpAndAddressListTellAll) {
    Registry& registry = portmapper.registry();
    ASSERT_TRUE(registry.set({7, 1, "tcp", "0.0.0.0.8.1", "33"}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "udp6", "::.8.3", "superuser"}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "local", "/run/seven", "unknown"}).has_value());
    ASSERT_TRUE(registry.set({7, 2, "tcp", "0.0.0.0.8.1", "33"}).has_value());
    auto tcp = channel(remote_peer(Transport::tcp));
    const auto check = [&](auto client) {
        std::vector<Mapping> seen;
        const auto list = client.DUMP();
        ASSERT_TRUE(list.has_value());
        for (const auto* one = *list; one != nullptr; one = one->rpcb_next)
            seen.push_back({one->rpcb_map.r_prog, one->rpcb_map.r_vers,
                            std::string{one->rpcb_map.r_netid}, std::string{one->rpcb_map.r_addr},
                            std::string{one->rpcb_map.r_owner}});
        EXPECT_EQ(seen, registry.all());
    };
    check(RPCBVERS::Client{tcp});
    check(RPCBVERS4::Client{tcp});

    const auto list = RPCBVERS4::Client{tcp}.GETADDRLIST({7, 1, "", "", ""});
    ASSERT_TRUE(list.has_value() && *list != nullptr && (*list)->rpcb_entry_next != nullptr);
    EXPECT_EQ((*list)->rpcb_entry_map,
              (rpcb::rpcb_entry{"192.0.2.1.8.1", "tcp", 3, "inet", "tcp"}));
    EXPECT_EQ((*list)->rpcb_entry_next->rpcb_entry_map,
              (rpcb::rpcb_entry{"::.8.3", "udp6", 1, "inet6", "udp"}));
    EXPECT_EQ((*list)->rpcb_entry_next->rpcb_entry_next, nullptr) << "a path is of no use there";
    auto user = channel(unix_peer(5));
    const auto with_local = RPCBVERS4::Client{user}.GETADDRLIST({7, 1, "", "", ""});
    ASSERT_TRUE(with_local.has_value());
    EXPECT_EQ((*with_local)->rpcb_entry_next->rpcb_entry_next->rpcb_entry_map,
              (rpcb::rpcb_entry{"/run/seven", "local", 3, "loopback", "-"}));
}

// DUMP over UDP would amplify traffic with a forged sender: not for strangers.
TEST_F(Services, NoAmplifierOverUdp) {
    auto stranger = channel(remote_peer(Transport::udp));
    auto local = channel(loopback_peer(Transport::udp));
    for (std::uint32_t version = 0; version < 30; ++version) {
        ASSERT_TRUE(portmapper.registry().set({7, version, "tcp", "0.0.0.0.8.1", ""}).has_value());
        const auto reply = PMAP_VERS::Client{stranger}.DUMP();
        constexpr std::size_t kCall = 40, kHeader = 24, kEntry = 20;
        const std::size_t size = kHeader + (version + 1) * kEntry + 4;
        if (size <= kUdpAmplificationMax * kCall)
            EXPECT_EQ(stranger.reply.size(), size);
        else
            EXPECT_TRUE(stranger.reply.empty()) << version;
        EXPECT_EQ(reply.has_value(), size <= kUdpAmplificationMax * kCall);
        EXPECT_TRUE(PMAP_VERS::Client{local}.DUMP().has_value());
    }
    const auto silent = [](const auto& result) {
        return !result && result.error().outcome == Outcome::silent;
    };
    EXPECT_TRUE(silent(RPCBVERS::Client{stranger}.DUMP()));
    EXPECT_TRUE(silent(RPCBVERS4::Client{stranger}.DUMP()));
    EXPECT_TRUE(silent(RPCBVERS4::Client{stranger}.GETSTAT()));
    EXPECT_TRUE(RPCBVERS4::Client{local}.GETSTAT().has_value());
    for (const char* netid : {"udp", "rdma", "sctp"})
        ASSERT_TRUE(portmapper.registry().set({7, 1, netid, "0.0.0.0.8.1", ""}).has_value());
    EXPECT_TRUE(silent(RPCBVERS4::Client{stranger}.GETADDRLIST({7, 1, "", "", ""})));
    EXPECT_TRUE(RPCBVERS4::Client{local}.GETADDRLIST({7, 1, "", "", ""}).has_value());
    auto connected = channel(remote_peer(Transport::tcp));
    EXPECT_TRUE(PMAP_VERS::Client{connected}.DUMP().has_value());
    EXPECT_TRUE(RPCBVERS4::Client{connected}.DUMP().has_value());
    EXPECT_TRUE(RPCBVERS4::Client{connected}.GETSTAT().has_value());
}

TEST_F(Services, NobodyIsCalledOnBehalfOfOthers) {
    const std::vector<std::byte> huge(60'000);
    for (const auto& peer : {remote_peer(Transport::udp), loopback_peer(Transport::udp),
                             remote_peer(Transport::tcp), unix_peer(0)}) {
        auto caller = channel(peer);
        const auto quiet =
            peer.transport == Transport::udp ? Outcome::silent : Outcome::procedure_unavailable;
        for (const std::uint32_t program : {100000u, 100003u, 100005u, 0u, 0xffffffffu})
            for (const ByteView arguments : {ByteView{}, ByteView{huge}}) {
                EXPECT_EQ(
                    PMAP_VERS::Client{caller}.CALLIT({program, 2, 0, arguments}).error().outcome,
                    quiet);
                EXPECT_EQ(
                    RPCBVERS::Client{caller}.CALLIT({program, 2, 0, arguments}).error().outcome,
                    quiet);
                EXPECT_EQ(
                    RPCBVERS4::Client{caller}.BCAST({program, 2, 0, arguments}).error().outcome,
                    quiet);
                EXPECT_EQ(
                    RPCBVERS4::Client{caller}.INDIRECT({program, 2, 0, arguments}).error().outcome,
                    Outcome::procedure_unavailable);
            }
    }
}

TEST_F(Services, LongNamesAndMalformedAddressesAreRefused) {
    auto root = channel(unix_peer(0));
    const std::string megabyte(1 << 20, '1');
    const auto check = [&](auto client) {
        EXPECT_EQ(client.SET({7, 1, "tcp", megabyte, ""}), false);
        EXPECT_EQ(client.SET({7, 1, megabyte, "0.0.0.0.8.1", ""}), false);
        EXPECT_EQ(client.SET({7, 1, "tcp", "0.0.0.0.8.1%n%n", ""}), false);
        EXPECT_EQ(client.SET({7, 1, "tcp", "0.0.0.0.256.1", ""}), false);
        EXPECT_EQ(client.SET({7, 1, "tcp", "", ""}), false);
        EXPECT_EQ(client.UNSET({7, 1, megabyte, megabyte, megabyte}), false);
        EXPECT_EQ(*client.GETADDR({7, 1, megabyte, megabyte, megabyte}), "");
        EXPECT_EQ(client.UADDR2TADDR(megabyte)->buf.size(), 0u);
        EXPECT_EQ(*client.TADDR2UADDR({0, as_bytes(megabyte)}), "");
        EXPECT_EQ(client.SET({7, 1, "tcp", "0.0.0.0.8.1", megabyte}), true) << "owners are ours";
        EXPECT_EQ(portmapper.registry().all().front().owner, "superuser");
        EXPECT_EQ(client.UNSET({7, 1, "", "", ""}), true);
    };
    check(RPCBVERS::Client{root});
    check(RPCBVERS4::Client{root});
    EXPECT_TRUE(portmapper.registry().all().empty());
    for (const std::string& line : log) EXPECT_EQ(line.find('%'), std::string::npos) << line;
}

TEST_F(Services, TransportBytesAndBack) {
    auto caller = channel(remote_peer(Transport::tcp));
    RPCBVERS4::Client v4{caller};
    for (const std::string_view address : {"192.0.2.1.8.1", "2001:db8::1.8.1", "/run/x.sock"}) {
        const auto bytes = v4.UADDR2TADDR(address);
        ASSERT_TRUE(bytes.has_value());
        const std::vector<std::byte> copy{bytes->buf.begin(), bytes->buf.end()};
        EXPECT_EQ(bytes->maxlen, copy.size());
        EXPECT_EQ(*v4.TADDR2UADDR({0, copy}), address);
        for (std::size_t cut = 0; cut < std::min<std::size_t>(copy.size(), 3); ++cut)
            EXPECT_EQ(*v4.TADDR2UADDR({0, ByteView{copy}.first(cut)}), "");
    }
    sockaddr_in v4_address{};
    v4_address.sin_family = AF_INET;
    v4_address.sin_port = htons(2049);
    inet_pton(AF_INET, "192.0.2.1", &v4_address.sin_addr);
    const auto bytes = v4.UADDR2TADDR("192.0.2.1.8.1");
    ASSERT_EQ(bytes->buf.size(), sizeof v4_address);
    EXPECT_EQ(std::memcmp(bytes->buf.data(), &v4_address, sizeof v4_address), 0);
    EXPECT_EQ(v4.UADDR2TADDR("nonsense")->buf.size(), 0u);
}

TEST_F(Services, TimeIsNow) {
    auto caller = channel(remote_peer(Transport::udp));
    const auto before = static_cast<std::uint32_t>(std::time(nullptr));
    const auto told = RPCBVERS::Client{caller}.GETTIME();
    ASSERT_TRUE(told.has_value());
    EXPECT_GE(*told, before);
    EXPECT_LE(*told, before + 5);
}

TEST_F(Services, StatisticsCount) {
    auto root = channel(unix_peer(0));
    PMAP_VERS::Client v2{root};
    RPCBVERS::Client v3{root};
    RPCBVERS4::Client v4{root};
    (void)v2.SET({7, 1, 6, 4000});
    (void)v2.SET({7, 1, 6, 4001});
    (void)v2.GETPORT({7, 1, 6, 0});
    (void)v2.GETPORT({7, 1, 6, 0});
    (void)v2.GETPORT({8, 1, 6, 0});
    (void)v3.CALLIT({9, 8, 7, {}});
    (void)v4.INDIRECT({9, 8, 7, {}});
    (void)v4.UNSET({7, 1, "", "", ""});
    const auto told = v4.GETSTAT();
    ASSERT_TRUE(told.has_value());
    const auto& [two, three, four] = *told;
    EXPECT_EQ(two.info[PMAP_VERS::SET], 2);
    EXPECT_EQ(two.setinfo, 1);
    EXPECT_EQ(two.info[PMAP_VERS::GETPORT], 3);
    ASSERT_NE(two.addrinfo, nullptr);
    ASSERT_NE(two.addrinfo->next, nullptr);
    EXPECT_EQ(*two.addrinfo->next, (rpcb::rpcbs_addrlist{7, 1, 2, 0, "tcp", nullptr}));
    EXPECT_EQ(two.addrinfo->prog, 8u);
    EXPECT_EQ(two.addrinfo->failure, 1);
    ASSERT_NE(three.rmtinfo, nullptr);
    EXPECT_EQ(*three.rmtinfo, (rpcb::rpcbs_rmtcalllist{9, 8, 7, 0, 1, 0, "local", nullptr}));
    ASSERT_NE(four.rmtinfo, nullptr);
    EXPECT_EQ(four.rmtinfo->indirect, 1);
    EXPECT_EQ(four.unsetinfo, 1);
    EXPECT_EQ(four.info[RPCBVERS4::GETSTAT], 1);
}

TEST_F(Services, StatisticsAreBounded) {
    auto root = channel(unix_peer(0));
    for (std::uint32_t program = 0; program < 2 * kProgramsCountedMax; ++program) {
        (void)PMAP_VERS::Client{root}.GETPORT({program, 1, 6, 0});
        (void)PMAP_VERS::Client{root}.CALLIT({program, 1, 6, {}});
    }
    const auto told = RPCBVERS4::Client{root}.GETSTAT();
    ASSERT_TRUE(told.has_value());
    std::size_t lookups = 0, relays = 0;
    for (const auto* one = (*told)[0].addrinfo; one != nullptr; one = one->next) ++lookups;
    for (const auto* one = (*told)[0].rmtinfo; one != nullptr; one = one->next) ++relays;
    EXPECT_EQ(lookups, kProgramsCountedMax);
    EXPECT_EQ(relays, kProgramsCountedMax);
}

// A full table still fits in a reply over a connection; over UDP the call fails.
TEST_F(Services, AFullTableCanBeDumped) {
    for (std::uint32_t i = 0; i < kMappingsMax; ++i)
        ASSERT_TRUE(portmapper.registry()
                        .set({i, 1, "local", "/" + std::string(kUniversalAddressMax - 1, 'x'), ""})
                        .has_value());
    auto root = channel(unix_peer(0));
    const auto list = RPCBVERS4::Client{root}.DUMP();
    ASSERT_TRUE(list.has_value());
    std::size_t count = 0;
    for (const auto* one = *list; one != nullptr; one = one->rpcb_next) ++count;
    EXPECT_EQ(count, kMappingsMax);
    auto udp = channel(loopback_peer(Transport::udp));
    EXPECT_EQ(RPCBVERS4::Client{udp}.DUMP().error().outcome, Outcome::system_error);
}

}  // namespace
}  // namespace helio::portmap::services_test
