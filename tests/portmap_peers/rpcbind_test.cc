// With Debian's rpcbind and rpcinfo: they ask our portmapper, and our servers register with
// rpcbind. Everything is on port 111 of a network that only this process has.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "helio/portmap/client.h"
#include "helio/portmap/registration.h"
#include "helio/portmap/universal_address.h"
#include "mount_server.h"
#include "own_network.h"
#include "testing/patience.h"

namespace helio::portmap::rpcbind_test {
namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

// Words in this order on one line, whatever is between them.
AssertionResult has_line(const std::string& text, const std::vector<std::string>& words) {
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = " " + text.substr(begin, end - begin) + " ";
        std::size_t at = 0;
        for (const std::string& word : words) {
            at = line.find(" " + word + " ", at);
            if (at == std::string::npos) break;
            at += word.size() + 1;
        }
        if (at != std::string::npos) return AssertionSuccess();
        begin = end + 1;
    }
    AssertionResult out = AssertionFailure() << "no line with";
    for (const std::string& word : words) out << " " << word;
    return out << " in:\n" << text;
}

class Peers : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        if (run("rpcinfo --help").output.find("Usage") == std::string::npos)
            why_not = "rpcinfo is not installed (apt install rpcbind)";
        else
            why_not = enter_own_network();
    }
    void SetUp() override {
        if (!why_not.empty()) GTEST_SKIP() << why_not;
    }
    static inline std::string why_not;
};

class OurPortmapper : public Peers {
 protected:
    void SetUp() override {
        Peers::SetUp();
        if (IsSkipped()) return;
        server = std::make_unique<MountServer>();
        port = std::to_string(server->transport.listen("", 0));
        const auto well_known = listen_on_111(server->transport);
        ASSERT_TRUE(well_known.has_value()) << well_known.error();
        server->start();
    }
    std::unique_ptr<MountServer> server;
    std::string port;
};

TEST_F(OurPortmapper, RpcinfoListsPorts) {
    const Finished list = run("rpcinfo -p 127.0.0.1");
    EXPECT_EQ(list.status, 0);
    for (const char* version : {"2", "3", "4"})
        for (const char* protocol : {"tcp", "udp"})
            EXPECT_TRUE(has_line(list.output, {"100000", version, protocol, "111", "portmapper"}));
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "tcp", port, "mountd"}));
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "udp", port, "mountd"}));
}

TEST_F(OurPortmapper, RpcinfoListsInShort) {
    const Finished list = run("rpcinfo -s 127.0.0.1");
    EXPECT_EQ(list.status, 0);
    EXPECT_TRUE(has_line(list.output, {"100000", "2,3,4", "portmapper", "superuser"}));
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "mountd", "superuser"}));
    for (const char* netid : {"tcp6", "udp6", "local"})
        EXPECT_NE(list.output.find(netid), std::string::npos) << list.output;
}

TEST_F(OurPortmapper, RpcinfoListsAddresses) {
    const Finished list = run("rpcinfo 127.0.0.1");
    EXPECT_EQ(list.status, 0);
    EXPECT_TRUE(has_line(list.output, {"100000", "4", "tcp", "0.0.0.0.0.111", "superuser"}));
    EXPECT_TRUE(has_line(list.output, {"100000", "4", "udp6", "::.0.111", "superuser"}));
    EXPECT_TRUE(has_line(list.output, {"100000", "4", "local", "/run/rpcbind.sock"}));
}

// Over the socket, which rpcinfo prefers for its own machine.
TEST_F(OurPortmapper, RpcinfoAsksOverTheSocket) {
    const Finished list = run("rpcinfo");
    EXPECT_EQ(list.status, 0);
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "tcp", "mountd", "superuser"}));
    struct stat status {};
    ASSERT_EQ(stat(kRpcbindSocket, &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666u) << "anybody may ask";
}

TEST_F(OurPortmapper, RpcinfoPingsByNetid) {
    for (const char* netid : {"tcp", "udp", "tcp6", "udp6"}) {
        const std::string host = std::string{netid}.back() == '6' ? " ::1 " : " 127.0.0.1 ";
        const Finished exact = run("rpcinfo -T " + std::string{netid} + host + "100005 3");
        EXPECT_EQ(exact.status, 0) << netid;
        EXPECT_TRUE(has_line(exact.output, {"100005", "version", "3", "ready"})) << netid;
        // Without a version it asks for an impossible one and uses the program's answer.
        const Finished any = run("rpcinfo -T " + std::string{netid} + host + "100000");
        for (const char* version : {"2", "3", "4"})
            EXPECT_TRUE(has_line(any.output, {"100000", "version", version, "ready"})) << netid;
    }
}

TEST_F(OurPortmapper, RpcinfoPingsOverUdpAndTcp) {
    for (const char* flag : {"-u", "-t"}) {
        const Finished exact = run("rpcinfo " + std::string{flag} + " 127.0.0.1 100005 3");
        EXPECT_EQ(exact.status, 0) << exact.output;
        EXPECT_TRUE(has_line(exact.output, {"100005", "version", "3", "ready"}));
        const Finished any = run("rpcinfo " + std::string{flag} + " 127.0.0.1 100005");
        EXPECT_TRUE(has_line(any.output, {"100005", "version", "3", "ready"}));
        const Finished none = run("rpcinfo " + std::string{flag} + " 127.0.0.1 100017 1");
        EXPECT_NE(none.status, 0) << none.output;
    }
}

TEST_F(OurPortmapper, RpcinfoListsOneProgramAndStatistics) {
    const Finished list = run("rpcinfo -l 127.0.0.1 100005 3");
    EXPECT_EQ(list.status, 0) << list.output;
    const auto number = static_cast<unsigned>(std::stoul(port));
    const std::string end = "." + std::to_string(number >> 8) + "." + std::to_string(number & 255);
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "inet/tcp/cots_ord", "127.0.0.1" + end}));
    EXPECT_TRUE(has_line(list.output, {"100005", "3", "inet/udp/clts", "127.0.0.1" + end}));
    const Finished statistics = run("rpcinfo -m 127.0.0.1");
    EXPECT_EQ(statistics.status, 0) << statistics.output;
    EXPECT_NE(statistics.output.find("RPCBIND (version 4) statistics"), std::string::npos)
        << statistics.output;
}

TEST_F(OurPortmapper, RpcinfoUnregisters) {
    ASSERT_TRUE(server->portmapper.registry().set({7, 1, "tcp", "0.0.0.0.8.1", "33"}).has_value());
    const Finished done = run("rpcinfo -d 7 1");  // over the socket, as the superuser
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_FALSE(server->portmapper.registry().find(7, 1, "tcp", Match::exact));
}

TEST_F(OurPortmapper, RegistrationsComeOverTheSocket) {
    MountServer other{false};
    ASSERT_TRUE(server->portmapper.registry().unset(kMount, 3, {}, kSuperuser).has_value());
    const std::uint16_t other_port = other.transport.listen("127.0.0.1", 0);
    {
        const Registration registration{other.programs, other.transport};
        EXPECT_EQ(registration.problems(), std::vector<std::string>{});
        const auto found = server->portmapper.registry().find(kMount, 3, "udp", Match::exact);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->owner, kSuperuser);
        const auto where = lookup("127.0.0.1", kMount, 3, rpc::Transport::udp);
        ASSERT_TRUE(where.has_value()) << where.error();
        EXPECT_EQ(where->port(), other_port);
    }
    EXPECT_FALSE(server->portmapper.registry().find(kMount, 3, "udp", Match::any_version));
}

TEST_F(OurPortmapper, ASecondOneSaysWhyNot) {
    MountServer second;
    const auto well_known = listen_on_111(second.transport);
    ASSERT_FALSE(well_known.has_value());
    EXPECT_NE(well_known.error().find("Address already in use"), std::string::npos)
        << well_known.error();
    EXPECT_NE(well_known.error().find("/run/rpcbind.sock already exists"), std::string::npos)
        << well_known.error();
}

// ---- Debian's rpcbind ----

class Rpcbind : public Peers {
 protected:
    void SetUp() override {
        Peers::SetUp();
        if (IsSkipped()) return;
        rpcbind.emplace(std::vector<std::string>{"rpcbind", "-f"});
        const auto end = std::chrono::steady_clock::now() + kTestPatience;
        while (!dump("127.0.0.1")) {
            ASSERT_LT(std::chrono::steady_clock::now(), end) << "rpcbind does not come up";
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        tcp_port = server.transport.listen("", 0);
        server.transport.start();
    }
    std::optional<Background> rpcbind;
    MountServer server{false};
    std::uint16_t tcp_port = 0;
};

TEST_F(Rpcbind, HasOurProgramsWhileWeLive) {
    {
        const Registration registration{server.programs, server.transport};
        EXPECT_EQ(registration.problems(), std::vector<std::string>{});
        EXPECT_EQ(registration.registered().size(), 4u);
        const std::string port = std::to_string(tcp_port);
        const Finished list = run("rpcinfo -p 127.0.0.1");
        EXPECT_TRUE(has_line(list.output, {"100005", "3", "tcp", port, "mountd"}));
        EXPECT_TRUE(has_line(list.output, {"100005", "3", "udp", port, "mountd"}));
        const Finished in_short = run("rpcinfo -s 127.0.0.1");
        EXPECT_TRUE(has_line(in_short.output, {"100005", "3", "mountd", "superuser"}));
        for (const char* netid : {"tcp6", "udp6"})
            EXPECT_NE(in_short.output.find(netid, in_short.output.find("100005")),
                      std::string::npos)
                << in_short.output;
        EXPECT_EQ(run("rpcinfo -T udp 127.0.0.1 100005 3").status, 0);
        EXPECT_EQ(run("rpcinfo -T tcp6 ::1 100005 3").status, 0);
    }
    const Finished list = run("rpcinfo -p 127.0.0.1");
    EXPECT_EQ(list.status, 0);
    EXPECT_EQ(list.output.find("100005"), std::string::npos) << list.output;
}

TEST_F(Rpcbind, IsAskedByOurClient) {
    const Registration registration{server.programs, server.transport};
    for (const char* host : {"127.0.0.1", "::1", "localhost"})
        for (const auto transport : {rpc::Transport::tcp, rpc::Transport::udp}) {
            const auto where = lookup(host, kMount, 3, transport);
            ASSERT_TRUE(where.has_value()) << where.error();
            EXPECT_EQ(where->port(), tcp_port);
        }
    const auto missing = lookup("127.0.0.1", 100017, 1, rpc::Transport::tcp);
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error(), "127.0.0.1: program 100017 version 1 is not registered for tcp");
    for (const char* where : {"127.0.0.1", "[::1]:111", "unix:/run/rpcbind.sock"}) {
        const auto list = dump(where);
        ASSERT_TRUE(list.has_value()) << list.error();
        const Mapping ours{
            kMount, 3, "udp",
            "0.0.0.0." + std::to_string(tcp_port >> 8) + "." + std::to_string(tcp_port & 255),
            "superuser"};
        EXPECT_NE(std::find(list->begin(), list->end(), ours), list->end()) << where;
    }
}

// One program on UDP alone: a query over TCP must not get an answer for TCP.
TEST_F(Rpcbind, TellsTransportsApart) {
    MountServer only_udp{false};
    const auto port = only_udp.transport.listen_udp("127.0.0.1", 0).front().port();
    const Registration registration{only_udp.programs, only_udp.transport};
    ASSERT_EQ(registration.problems(), std::vector<std::string>{});
    const auto udp = lookup("127.0.0.1", kMount, 3, rpc::Transport::udp);
    ASSERT_TRUE(udp.has_value()) << udp.error();
    EXPECT_EQ(udp->port(), port);
    EXPECT_FALSE(lookup("127.0.0.1", kMount, 3, rpc::Transport::tcp).has_value());
    EXPECT_FALSE(lookup("::1", kMount, 3, rpc::Transport::udp).has_value());
    MountServer six{false};
    const auto port6 = six.transport.listen_udp("::1", 0).front().port();
    const Registration registration6{six.programs, six.transport};
    const auto udp6 = lookup("::1", kMount, 3, rpc::Transport::udp);
    ASSERT_TRUE(udp6.has_value()) << udp6.error();
    EXPECT_EQ(udp6->port(), port6);
    EXPECT_FALSE(lookup("::1", kMount, 3, rpc::Transport::tcp).has_value());
}

TEST_F(Rpcbind, KeepsALivingServersMappings) {
    const Registration first{server.programs, server.transport};
    MountServer second{false};
    second.transport.listen("127.0.0.1", 0);
    {
        const Registration late{second.programs, second.transport};
        EXPECT_TRUE(late.registered().empty());
        ASSERT_EQ(late.problems().size(), 2u);
        EXPECT_NE(late.problems().front().find("another server is registered at 0.0.0.0."),
                  std::string::npos)
            << late.problems().front();
    }
    EXPECT_EQ(lookup("127.0.0.1", kMount, 3, rpc::Transport::tcp)->port(), tcp_port);
}

TEST_F(Rpcbind, ForgetsADeadServersMappings) {
    std::optional<MountServer> dead{false};
    dead->transport.listen("127.0.0.1", 0);
    dead->transport.start();
    const Registration left_behind{dead->programs, dead->transport};
    ASSERT_EQ(left_behind.registered().size(), 2u);
    dead.reset();
    const Registration registration{server.programs, server.transport};
    EXPECT_EQ(registration.problems(), std::vector<std::string>{});
    EXPECT_EQ(lookup("127.0.0.1", kMount, 3, rpc::Transport::tcp)->port(), tcp_port);
    EXPECT_EQ(lookup("127.0.0.1", kMount, 3, rpc::Transport::udp)->port(), tcp_port);
}

TEST_F(Peers, WithoutAnyRpcbindTheReasonIsTold) {
    MountServer server{false};
    server.transport.listen("127.0.0.1", 0);
    const Registration registration{server.programs, server.transport};
    ASSERT_EQ(registration.problems().size(), 1u);
    EXPECT_NE(registration.problems().front().find("rpcbind is not running on this machine"),
              std::string::npos);
    EXPECT_NE(registration.problems().front().find("unix:/run/rpcbind.sock"), std::string::npos)
        << registration.problems().front();
}

}  // namespace
}  // namespace helio::portmap::rpcbind_test
