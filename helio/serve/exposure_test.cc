#include "helio/serve/exposure.h"

#include <gtest/gtest.h>

#include <string>

namespace helio::serve::exposure_test {
namespace {

using Sentences = std::vector<std::string>;

transport::Endpoint at(const char* host, std::uint16_t port) {
    return transport::resolve(host, port)->front();
}

const std::vector<transport::InterfaceAddress>& machine() {
    static const std::vector<transport::InterfaceAddress> faces{
        {"lo", at("127.0.0.1", 0), 8},    {"lo", at("::1", 0), 128},
        {"eth0", at("192.0.2.7", 0), 24}, {"eth0", at("fe80::7", 0), 64},
        {"eth1", at("10.9.8.7", 0), 8},   {"eth1", at("2001:db8::7", 0), 64},
    };
    return faces;
}

PlannedExport plain(const char* allow = nullptr) {
    PlannedExport one;
    one.path = "/";
    one.source.source = "/srv";
    one.rules.squash = nfs::Squash::all;
    one.rules.anonymous_uid = 1001;
    if (allow != nullptr) one.rules.allowed = {*nfs::Network::parse(allow)};
    return one;
}

TEST(Exposure, StrangersWhoCanWriteAreNamed) {
    const Exposure everywhere{{at("0.0.0.0", 2049)}, machine()};
    EXPECT_EQ(
        everywhere.warnings({plain()}),
        (Sentences{"anyone on 192.0.2.0/24, 10.0.0.0/8 can change the files in / as uid 1001. "
                   "Restrict clients with --allow NETWORK, or export read-only with --ro."}));
    const Exposure here{{at("192.0.2.7", 2049)}, machine()};
    EXPECT_EQ(here.warnings({plain()}).at(0).find("anyone on 192.0.2.0/24 can change"), 0u);
    EXPECT_EQ(here.warnings({plain("192.0.2.0/24")}), Sentences{});
    PlannedExport one = plain();
    one.rules.read_only = true;
    EXPECT_EQ(here.warnings({one}), Sentences{});
    one = plain();
    one.source.acts_as_callers = true;
    one.rules.squash = nfs::Squash::none;
    EXPECT_NE(here.warnings({one}).at(0).find("as any user, including root"), std::string::npos);
    const Exposure loopback{{at("127.0.0.1", 2049), at("::1", 2049)}, machine()};
    EXPECT_EQ(loopback.warnings({plain()}), Sentences{});
}

TEST(Exposure, TheWholeMachineIsNamedOnLoopbackToo) {
    const Exposure loopback{{at("127.0.0.1", 2049)}, machine()};
    PlannedExport one = plain();
    one.source.source = "/";
    EXPECT_EQ(loopback.warnings({one}), Sentences{}) << "an ordinary user's server";
    one.source.acts_as_callers = true;
    one.rules.squash = nfs::Squash::root;
    const Sentences said = loopback.warnings({one});
    ASSERT_EQ(said.size(), 1u);
    EXPECT_NE(said[0].find("the whole file system of this machine"), std::string::npos);
    EXPECT_NE(said[0].find("can change it as any user except root"), std::string::npos);
}

TEST(Exposure, ExportsThatNobodyCanMount) {
    const Exposure loopback{{at("127.0.0.1", 2049)}, machine()};
    EXPECT_EQ(loopback.mount_address(plain("192.0.2.10")), std::nullopt);
    EXPECT_EQ(
        loopback.warnings({plain("192.0.2.10")}),
        (Sentences{"no client can mount /: only 192.0.2.10 may use it, but the server listens on "
                   "127.0.0.1:2049, which they cannot reach. Use --listen 192.0.2.7, or change "
                   "--allow."}));
    EXPECT_TRUE(loopback.mount_address(plain("127.0.0.1")));
    EXPECT_TRUE(loopback.mount_address(plain("0.0.0.0/0")));
    const Exposure outside{{at("192.0.2.7", 2049)}, machine()};
    EXPECT_EQ(outside.mount_address(plain("127.0.0.0/8")), std::nullopt);
    EXPECT_EQ(outside.warnings({plain("127.0.0.0/8")}).size(), 1u);
}

TEST(Exposure, TheAddressToMountFrom) {
    const Exposure everywhere{{at("::", 2050)}, machine()};
    const auto shown = [](const Exposure& exposure, const PlannedExport& one) {
        const auto found = exposure.mount_address(one);
        return found ? transport::to_text(*found) : "nowhere";
    };
    EXPECT_EQ(shown(everywhere, plain()), "192.0.2.7:2050");
    EXPECT_EQ(shown(everywhere, plain("10.0.0.0/8")), "10.9.8.7:2050") << "the nearest";
    EXPECT_EQ(shown(everywhere, plain("2001:db8::/32")), "[2001:db8::7]:2050");
    EXPECT_EQ(shown(everywhere, plain("127.0.0.0/8")), "127.0.0.1:2050");
    EXPECT_EQ(shown(everywhere, plain("203.0.113.0/24")), "192.0.2.7:2050") << "behind a router";
    // A machine without a network.
    const Exposure alone{{at("::", 2050)}, {machine()[0], machine()[1]}};
    EXPECT_EQ(shown(alone, plain()), "127.0.0.1:2050");
    EXPECT_EQ(shown({{at("::", 2050)}, {}}, plain()), "[::1]:2050");
    EXPECT_EQ(shown({{at("127.0.0.1", 1), at("192.0.2.7", 2)}, machine()}, plain("192.0.2.0/24")),
              "192.0.2.7:2");
}

}  // namespace
}  // namespace helio::serve::exposure_test
