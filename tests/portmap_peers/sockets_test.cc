// The portmapper over loopback sockets on a free port: our client and ours alone.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "helio/portmap/client.h"
#include "helio/portmap/registration.h"
#include "helio/portmap/universal_address.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "helio/transport/client/client.h"
#include "mount_server.h"
#include "schema/rpcb_service.h"
#include "testing/xdr/bytes.h"

namespace helio::portmap::sockets_test {
namespace {

using rpc::Transport;
using xdr::Outcome;

class Sockets : public testing::Test {
 protected:
    Sockets() {
        socket = testing::TempDir() + "portmap_" + std::to_string(getpid()) + ".sock";
        port = server.transport.listen("", 0);
        server.transport.listen_unix(socket);
        server.start();
        ask.port = port;
        registration.socket = socket;
        registration.port = port;
    }
    transport::Client client(bool udp = false) {
        transport::ClientOptions options;
        options.udp = udp;
        options.call_timeout = std::chrono::seconds(20);
        return transport::Client::connect("127.0.0.1:" + std::to_string(port), options);
    }
    // Whatever was done to it, it answers.
    void still_answers() {
        for (const bool udp : {false, true}) {
            auto caller = client(udp);
            EXPECT_TRUE(rpcb::PMAP_VERS::Client{caller}.NULL_().has_value());
            EXPECT_TRUE(rpcb::RPCBVERS4::Client{caller}.NULL_().has_value());
        }
    }

    std::string socket;
    MountServer server;
    std::uint16_t port = 0;
    AskOptions ask;
    RegistrationOptions registration;
};

TEST_F(Sockets, LookupFindsEveryTransport) {
    for (const char* host : {"127.0.0.1", "::1", "localhost"})
        for (const auto transport : {Transport::tcp, Transport::udp}) {
            const auto where = lookup(host, kMount, 3, transport, ask);
            ASSERT_TRUE(where.has_value()) << where.error();
            EXPECT_EQ(where->port(), port);
            EXPECT_TRUE(where->is_loopback());
            transport::ClientOptions options;
            options.udp = transport == Transport::udp;
            transport::Client caller{std::vector{*where}, options};
            EXPECT_TRUE(mount::MOUNT_V3::Client{caller}.NULL_().has_value());
        }
}

TEST_F(Sockets, LookupSaysWhatIsMissing) {
    EXPECT_EQ(lookup("127.0.0.1", 7, 1, Transport::udp, ask).error(),
              "127.0.0.1: program 7 version 1 is not registered for udp");
    EXPECT_NE(lookup("no-such-host.invalid", 7, 1, Transport::udp, ask).error().find("cannot find"),
              std::string::npos);
}

TEST_F(Sockets, LookupSaysThatNobodyAnswers) {
    // A port that was free a moment ago.
    const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
    ask.port = transport::local_endpoint(fd).port();
    close(fd);
    ask.timeout = std::chrono::milliseconds(500);
    const auto error = lookup("127.0.0.1", kMount, 3, Transport::tcp, ask).error();
    EXPECT_NE(error.find("no portmapper answered"), std::string::npos) << error;
    EXPECT_NE(error.find("over UDP"), std::string::npos) << error;
    EXPECT_FALSE(dump("127.0.0.1", ask).has_value());
}

TEST_F(Sockets, DumpTellsAll) {
    const std::string number = std::to_string(port);
    for (const std::string& where :
         {"127.0.0.1:" + number, "[::1]:" + number, "localhost:" + number, "unix:" + socket}) {
        const auto list = dump(where);
        ASSERT_TRUE(list.has_value()) << list.error();
        EXPECT_EQ(*list, server.portmapper.registry().all());
        EXPECT_EQ(list->size(), 4u * 5u) << "four programs: tcp, udp, tcp6, udp6, local";
    }
    EXPECT_FALSE(dump("unix:/no/such/socket").has_value());
    EXPECT_FALSE(dump("[::1").has_value());
}

// A portmapper of the old kind.
class PlainV2 final : public rpcb::PMAP_VERS::Service {
 public:
    std::uint32_t GETPORT(xdr::CallContext&, const rpcb::mapping& asked) override {
        return asked.prog == 7 && asked.prot == 17 ? 4000 : asked.prog == 8 ? 70'000 : 0;
    }
    rpcb::pmaplist_ptr DUMP(xdr::CallContext& call) override {
        auto* const one = call.arena().make<rpcb::pmaplist>();
        return new (one) rpcb::pmaplist{{7, 1, 17, 4000}, nullptr};
    }
    void NULL_(xdr::CallContext&) override {}
    bool SET(xdr::CallContext&, const rpcb::mapping& asked) override {
        last = asked;
        return true;
    }
    bool UNSET(xdr::CallContext&, const rpcb::mapping&) override { return ++unset, true; }
    rpcb::mapping last;
    int unset = 0;
};

TEST_F(Sockets, OldPortmappersAreUnderstood) {
    PlainV2 old;
    rpc::Server programs;
    programs.add(old);
    transport::Server transport{programs, two_threads()};
    ask.port = transport.listen("127.0.0.1", 0);
    transport.start();
    EXPECT_EQ(lookup("127.0.0.1", 7, 1, Transport::udp, ask)->port(), 4000);
    EXPECT_FALSE(lookup("127.0.0.1", 7, 1, Transport::tcp, ask).has_value());
    EXPECT_FALSE(lookup("127.0.0.1", 8, 1, Transport::tcp, ask).has_value()) << "not a port";
    const auto list = dump("127.0.0.1", ask);
    ASSERT_TRUE(list.has_value()) << list.error();
    EXPECT_EQ(*list, (std::vector<Mapping>{{7, 1, "udp", "0.0.0.0.15.160", ""}}));

    MountServer other{false};
    const auto other_port = other.transport.listen_tcp("127.0.0.1", 0).front().port();
    {
        const Registration registered{
            other.programs,
            other.transport,
            {.socket = "", .host = "127.0.0.1", .port = ask.port, .timeout = ask.timeout}};
        EXPECT_EQ(registered.problems(), std::vector<std::string>{});
        EXPECT_EQ(old.last, (rpcb::mapping{kMount, 3, 6, other_port}));
    }
    EXPECT_EQ(old.unset, 1);
}

// Over UDP only.
TEST_F(Sockets, UdpWillDo) {
    rpc::Server programs;
    Portmapper portmapper;
    portmapper.add_to(programs);
    transport::Server transport{programs, two_threads()};
    ask.port = transport.listen_udp("127.0.0.1", 0).front().port();
    portmapper.register_programs(programs, transport);
    transport.start();
    EXPECT_EQ(lookup("127.0.0.1", 100000, 2, Transport::udp, ask)->port(), ask.port);
    ASSERT_TRUE(dump("127.0.0.1", ask).has_value());
    EXPECT_EQ(dump("127.0.0.1", ask)->size(), 3u);
}

TEST_F(Sockets, RegistrationComesAndGoes) {
    ASSERT_TRUE(server.portmapper.registry().unset(kMount, 3, {}, kSuperuser).has_value());
    MountServer other{false};
    other.transport.listen("127.0.0.1", 0);
    {
        const Registration registered{other.programs, other.transport, registration};
        EXPECT_EQ(registered.problems(), std::vector<std::string>{});
        const auto found = server.portmapper.registry().find(kMount, 3, "tcp", Match::exact);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->owner, owner_name(geteuid())) << "the socket tells who we are";
    }
    EXPECT_FALSE(server.portmapper.registry().find(kMount, 3, "tcp", Match::exact));
    registration.socket = "/no/such/socket";
    const Registration over_loopback{other.programs, other.transport, registration};
    EXPECT_EQ(over_loopback.problems(), std::vector<std::string>{});
    EXPECT_EQ(server.portmapper.registry().find(kMount, 3, "tcp", Match::exact)->owner, "unknown");
}

// The portmapper itself is on 111 if possible, everything else on its own port.
TEST_F(Sockets, TheWellKnownPortIsTheExtraOne) {
    MountServer both;
    const auto own = both.transport.listen("127.0.0.1", 0);
    WellKnown where{"127.0.0.1", 0, ""};
    ASSERT_TRUE(listen_on_111(both.transport, where).has_value());
    both.start();
    const auto of_mount = both.portmapper.registry().find(kMount, 3, "tcp", Match::exact);
    EXPECT_EQ(parse_universal_address(of_mount->address)->port(), own);
    WellKnown taken{"127.0.0.1", own, ""};
    MountServer third;
    const auto refused = listen_on_111(third.transport, taken);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().find("tcp 127.0.0.1:"), std::string::npos) << refused.error();
    EXPECT_NE(refused.error().find("udp 127.0.0.1:"), std::string::npos) << refused.error();
}

// ---- Bad input ----

TEST_F(Sockets, NothingIsRelayed) {
    const std::vector<std::byte> huge(60'000);
    const std::vector<std::byte> larger_than_udp(200'000);
    auto tcp = client();
    for (const std::uint32_t program : {100000u, 100003u, 100005u})
        for (const ByteView arguments : {ByteView{}, ByteView{huge}, ByteView{larger_than_udp}}) {
            rpcb::RPCBVERS4::Client v4{tcp};
            EXPECT_EQ(
                rpcb::PMAP_VERS::Client{tcp}.CALLIT({program, 3, 0, arguments}).error().outcome,
                Outcome::procedure_unavailable);
            EXPECT_EQ(
                rpcb::RPCBVERS::Client{tcp}.CALLIT({program, 3, 0, arguments}).error().outcome,
                Outcome::procedure_unavailable);
            EXPECT_EQ(v4.BCAST({program, 3, 0, arguments}).error().outcome,
                      Outcome::procedure_unavailable);
            EXPECT_EQ(v4.INDIRECT({program, 3, 0, arguments}).error().outcome,
                      Outcome::procedure_unavailable);
        }
    still_answers();
}

// The next reply proves the silence.
TEST_F(Sockets, CallitOverUdpIsSilent) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(port);
    ASSERT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const timeval patience{20, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string header = "00000000 00000002 000186a0";
    const std::string none = "00000000 00000000 00000000 00000000";
    xdr::Bytes callit = xdr::hex("00000001" + header + "00000002 00000005" + none +
                                 "000186a3 00000003 00000000 0000e000");  // 57,344 bytes follow
    callit.resize(callit.size() + 0xe000);
    const xdr::Bytes lies = xdr::hex("00000002" + header + "00000002 00000005" + none +
                                     "000186a3 00000003 00000000 ffffffff");  // and none do
    const xdr::Bytes null = xdr::hex("00000003" + header + "00000002 00000000" + none);
    ASSERT_EQ(send(fd, callit.data(), callit.size(), 0), static_cast<ssize_t>(callit.size()));
    ASSERT_EQ(send(fd, lies.data(), lies.size(), 0), static_cast<ssize_t>(lies.size()));
    ASSERT_EQ(send(fd, null.data(), null.size(), 0), static_cast<ssize_t>(null.size()));
    // The one that lies about its size gets GARBAGE_ARGS, and never reaches the procedure.
    for (const char* reply : {"000000020000000100000000000000000000000000000004",
                              "000000030000000100000000000000000000000000000000"}) {
        std::array<std::byte, 4096> buffer{};
        const ssize_t size = recv(fd, buffer.data(), buffer.size(), 0);
        ASSERT_GT(size, 0) << std::strerror(errno);
        EXPECT_EQ(xdr::to_hex(ByteView{buffer}.first(static_cast<std::size_t>(size))), reply);
    }
    close(fd);
    still_answers();
}

TEST_F(Sockets, MalformedAddressesAreRefused) {
    for (const bool udp : {false, true}) {
        auto caller = client(udp);
        rpcb::RPCBVERS4::Client v4{caller};
        const std::string long_text(udp ? 30'000 : 1'000'000, '9');
        for (const std::string& address :
             {std::string{}, std::string{"1.2.3.4"}, std::string{"1.2.3.4.5.6.7"},
              std::string{"1.2.3.4.256.1"}, std::string{"%n%n%n%n.1.1"}, std::string(6, '\0'),
              std::string{"::1.1.1"}, long_text}) {
            EXPECT_EQ(v4.SET({7, 1, "tcp", address, ""}), false);
            EXPECT_EQ(v4.SET({7, 1, address, "0.0.0.0.8.1", ""}), false);
        }
        EXPECT_EQ(v4.UADDR2TADDR(long_text)->buf.size(), 0u);
        EXPECT_EQ(*v4.TADDR2UADDR({0xffffffff, as_bytes(long_text)}), "");
        EXPECT_FALSE(server.portmapper.registry().find(7, 1, "tcp", Match::any_version));
    }
    still_answers();
}

// From this machine DUMP is answered over UDP too; strangers are in services_test.
TEST_F(Sockets, DumpOverUdpIsForThisMachine) {
    auto caller = client(true);
    const auto list = rpcb::RPCBVERS4::Client{caller}.DUMP();
    ASSERT_TRUE(list.has_value());
    EXPECT_NE(*list, nullptr);
    auto v2 = client(true);
    EXPECT_TRUE(rpcb::PMAP_VERS::Client{v2}.DUMP().has_value());
}

}  // namespace
}  // namespace helio::portmap::sockets_test
