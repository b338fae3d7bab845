#include "helio/transport/socket/socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace helio::transport::socket_test {
namespace {

Endpoint v4(const char* address, std::uint16_t port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_port = htons(port);
    EXPECT_EQ(inet_pton(AF_INET, address, &out.sin_addr), 1);
    return {reinterpret_cast<const sockaddr*>(&out), sizeof out};
}

Endpoint v6(const char* address, std::uint16_t port, std::uint32_t scope = 0) {
    sockaddr_in6 out{};
    out.sin6_family = AF_INET6;
    out.sin6_port = htons(port);
    out.sin6_scope_id = scope;
    EXPECT_EQ(inet_pton(AF_INET6, address, &out.sin6_addr), 1);
    return {reinterpret_cast<const sockaddr*>(&out), sizeof out};
}

TEST(HostPort, IsReadInEveryForm) {
    struct Row {
        const char* text;
        const char* host;
        int port;
    };
    for (const Row& row : {
             Row{"host", "host", 0},
             Row{"host:2049", "host", 2049},
             Row{"10.0.0.7:1", "10.0.0.7", 1},
             Row{"::1", "::1", 0},
             Row{"fe80::1%eth0", "fe80::1%eth0", 0},
             Row{"[::1]", "::1", 0},
             Row{"[::1]:2049", "::1", 2049},
             Row{":111", "", 111},
             Row{"", "", 0},
             Row{"host:0", "host", 0},
             Row{"host:65535", "host", 65535},
         }) {
        const auto got = parse_host_port(row.text);
        ASSERT_TRUE(got) << row.text;
        EXPECT_EQ(got->host, row.host) << row.text;
        EXPECT_EQ(got->port, row.port) << row.text;
    }
    for (const Row& row :
         {Row{"host", "host", 111}, Row{"host:0", "host", 0}, Row{"::1", "::1", 111},
          Row{"fe80::1%lo", "fe80::1%lo", 111}, Row{"[::1]:0", "::1", 0}})
        EXPECT_EQ(parse_host_port(row.text, 111)->port, row.port) << row.text;
}

TEST(HostPort, SaysWhatIsWrong) {
    struct Row {
        const char* text;
        const char* why;
    };
    for (const Row& row : {
             Row{"host:", "'' is not a port; 0 to 65535 are"},
             Row{"host:65536", "'65536' is not a port; 0 to 65535 are"},
             Row{"host:-1", "'-1' is not a port; 0 to 65535 are"},
             Row{"host:+1", "'+1' is not a port; 0 to 65535 are"},
             Row{"host:12x", "'12x' is not a port; 0 to 65535 are"},
             Row{"host: 1", "' 1' is not a port; 0 to 65535 are"},
             Row{"[::1", "'[::1' has no ']' behind its address"},
             Row{"[::1]2049", "'[::1]2049': expected ':PORT' behind ']'"},
             Row{"[::1]:", "'' is not a port; 0 to 65535 are"},
             Row{"127.0.0.1:2049:3",
                 "'127.0.0.1:2049:3' is neither HOST:PORT nor an IPv6 address; with a port, that "
                 "is "
                 "[IPV6]:PORT"},
             Row{"nfs://host:2049", "'nfs://host:2049' is a URL; say HOST or HOST:PORT"},
         }) {
        const auto got = parse_host_port(row.text);
        ASSERT_FALSE(got) << row.text;
        EXPECT_EQ(got.error(), row.why);
    }
}

TEST(Endpoints, AreWrittenAsTheyAreRead) {
    EXPECT_EQ(to_text(v4("127.0.0.1", 2049)), "127.0.0.1:2049");
    EXPECT_EQ(to_text(v6("::1", 2049)), "[::1]:2049");
    EXPECT_EQ(to_text(Endpoint::unix_path("/run/x.sock")), "unix:/run/x.sock");
    EXPECT_EQ(to_text(Endpoint{}), "nowhere");
    Endpoint moved = v6("::1", 1);
    moved.set_port(700);
    EXPECT_EQ(moved.port(), 700);
}

TEST(Endpoints, KnowLoopback) {
    EXPECT_TRUE(v4("127.0.0.1", 1).is_loopback());
    EXPECT_TRUE(v4("127.9.9.9", 1).is_loopback());
    EXPECT_FALSE(v4("128.0.0.1", 1).is_loopback());
    EXPECT_TRUE(v6("::1", 1).is_loopback());
    EXPECT_TRUE(v6("::ffff:127.0.0.1", 1).is_loopback());
    EXPECT_FALSE(v6("::ffff:10.0.0.1", 1).is_loopback());
    EXPECT_FALSE(v6("fe80::1", 1).is_loopback());
    EXPECT_TRUE(Endpoint::unix_path("x").is_loopback());
}

TEST(Endpoints, AListenerOnEveryAddressIsReachedByLoopback) {
    EXPECT_EQ(to_text(to_loopback(v4("0.0.0.0", 7))), "127.0.0.1:7");
    EXPECT_EQ(to_text(to_loopback(v6("::", 7))), "[::1]:7");
    EXPECT_EQ(to_text(to_loopback(v4("10.0.0.1", 7))), "10.0.0.1:7");
    EXPECT_EQ(to_text(to_loopback(Endpoint::unix_path("/x"))), "unix:/x");
}

TEST(Endpoints, KnowLinkLocal) {
    EXPECT_TRUE(v6("fe80::1", 1).is_link_local());
    EXPECT_TRUE(v6("febf::1", 1).is_link_local());
    EXPECT_FALSE(v6("fec0::1", 1).is_link_local());
    EXPECT_FALSE(v4("169.254.0.1", 1).is_link_local());
}

TEST(Endpoints, AreReadFromSockaddrOfAnySize) {
    for (const Endpoint& one : {v4("10.0.0.7", 801), v6("fe80::1", 801, 7)}) {
        const ByteView bytes = one.sockaddr_bytes();
        for (std::size_t size = 0; size < bytes.size(); ++size)
            EXPECT_FALSE(Endpoint::from_sockaddr(bytes.first(size))) << size;
        EXPECT_EQ(Endpoint::from_sockaddr(bytes), one);
    }
    const Endpoint path = Endpoint::unix_path("/run/x");
    const ByteView bytes = path.sockaddr_bytes();
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
        const auto got = Endpoint::from_sockaddr(bytes.first(size));
        ASSERT_EQ(got.has_value(), size >= 3) << size;
        if (!got) continue;
        EXPECT_EQ(got->path(), std::string("/run/x").substr(0, size - 2));
    }
    EXPECT_FALSE(Endpoint::from_sockaddr(std::array<std::byte, 28>{}));  // AF_UNSPEC
    EXPECT_FALSE(Endpoint::from_sockaddr(std::array<std::byte, 111>{}));
}

TEST(Endpoints, OfInterfacesHaveNoPort) {
    for (const auto& [interface, address, bits] : interface_addresses()) {
        EXPECT_FALSE(interface.empty());
        EXPECT_TRUE(address.is_ipv4() || address.is_ipv6());
        EXPECT_EQ(address.port(), 0);
        EXPECT_LE(bits, address.is_ipv4() ? 32u : 128u);
        if (interface == "lo" && address.is_loopback()) {
            EXPECT_EQ(bits, address.is_ipv4() ? 8u : 128u);
        }
    }
}

TEST(Datagrams, GoToAPathOrAnAbstractName) {
    const std::string name = "@helio-datagram-test-" + std::to_string(getpid());
    const std::string path = "/tmp/" + name.substr(1);
    for (const std::string& where : {path, name}) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        where.copy(address.sun_path, where.size());
        if (where[0] == '@') address.sun_path[0] = '\0';
        const Fd receiver{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
        ASSERT_EQ(bind(receiver.get(), reinterpret_cast<const sockaddr*>(&address),
                       static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + where.size())),
                  0);
        const Fd sender = datagram_socket_to(where);
        ASSERT_TRUE(sender) << where;
        EXPECT_EQ(write(sender.get(), "READY=1", 7), 7);
        char got[16];
        EXPECT_EQ(recv(receiver.get(), got, sizeof got, MSG_DONTWAIT), 7);
    }
    unlink(path.c_str());
    EXPECT_FALSE(datagram_socket_to(path));
    EXPECT_FALSE(datagram_socket_to(""));
    EXPECT_FALSE(datagram_socket_to("/" + std::string(107, 'p')));
}

TEST(Endpoints, UnixPathsHaveALimit) {
    EXPECT_EQ(to_text(Endpoint::unix_path(std::string(107, 'p'))), "unix:" + std::string(107, 'p'));
    EXPECT_THROW(Endpoint::unix_path(std::string(108, 'p')), std::runtime_error);
    EXPECT_THROW(Endpoint::unix_path(""), std::runtime_error);
}

// An IPv4 client is the same one whether it came by an IPv4 socket or by one for both families.
TEST(Peers, IPv4IsItsMappedAddress) {
    const rpc::Peer plain = to_peer(v4("10.0.0.7", 801), rpc::Transport::tcp);
    const rpc::Peer mapped = to_peer(v6("::ffff:10.0.0.7", 801), rpc::Transport::tcp);
    EXPECT_EQ(plain.client, mapped.client);
    EXPECT_EQ(rpc::to_text(plain), "10.0.0.7:801");
    EXPECT_FALSE(plain.local);
    EXPECT_EQ(to_text(to_endpoint(mapped, AF_INET)), "10.0.0.7:801");
    EXPECT_EQ(to_text(to_endpoint(plain, AF_INET6)), "[::ffff:10.0.0.7]:801");
}

TEST(Peers, KeepTheScopeOfALinkLocalAddress) {
    const rpc::Peer peer = to_peer(v6("fe80::1", 801, 7), rpc::Transport::udp);
    const Endpoint back = to_endpoint(peer, AF_INET6);
    EXPECT_EQ(reinterpret_cast<const sockaddr_in6*>(back.address())->sin6_scope_id, 7u);
    EXPECT_EQ(back.port(), 801);
}

TEST(Resolve, FindsNumbersAndSaysWhatItCannotFind) {
    const auto found = resolve("127.0.0.1", 2049);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1u);
    EXPECT_EQ(to_text(found->front()), "127.0.0.1:2049");
    const auto every = resolve("", 1);
    ASSERT_TRUE(every);
    for (const Endpoint& one : *every) EXPECT_EQ(one.port(), 1);
    const auto none = resolve("no such host", 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().rfind("cannot find 'no such host': ", 0), 0u) << none.error();
}

TEST(ReservedPort, IsBelow1024AndNotTheSameTwice) {
    if (geteuid() != 0) GTEST_SKIP() << "ports below 1024 need root";
    const Fd one{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const Fd other{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    ASSERT_TRUE(bind_reserved_port(one.get(), AF_INET));
    ASSERT_TRUE(bind_reserved_port(other.get(), AF_INET));
    for (const Fd* const fd : {&one, &other}) {
        EXPECT_GE(local_endpoint(fd->get()).port(), 512);
        EXPECT_LT(local_endpoint(fd->get()).port(), 1024);
    }
    EXPECT_NE(local_endpoint(one.get()).port(), local_endpoint(other.get()).port());
}

}  // namespace
}  // namespace helio::transport::socket_test
