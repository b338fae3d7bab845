#include "helio/portmap/registry.h"

#include <gtest/gtest.h>

#include <thread>

namespace helio::portmap::registry_test {
namespace {

const Mapping kNfs{100003, 3, "tcp", "0.0.0.0.8.1", "1000"};

TEST(Registry, SetsOnceAndFinds) {
    Registry registry;
    EXPECT_TRUE(registry.set(kNfs).has_value());
    EXPECT_TRUE(registry.set(kNfs).has_value()) << "the same again is no error";
    EXPECT_EQ(registry.all(), std::vector{kNfs});
    EXPECT_EQ(registry.find(100003, 3, "tcp", Match::exact), kNfs);
    EXPECT_FALSE(registry.find(100003, 3, "udp", Match::any_version));
    EXPECT_FALSE(registry.find(100003, 4, "tcp", Match::exact));
    EXPECT_EQ(registry.find(100003, 4, "tcp", Match::any_version), kNfs);
    EXPECT_FALSE(registry.find(100004, 3, "tcp", Match::any_version));
}

TEST(Registry, AnotherAddressIsRefused) {
    Registry registry;
    ASSERT_TRUE(registry.set(kNfs).has_value());
    Mapping other = kNfs;
    other.address = "0.0.0.0.8.2";
    other.owner = "superuser";
    EXPECT_EQ(registry.set(other).error(), "it is registered at another address");
    EXPECT_EQ(registry.all(), std::vector{kNfs});
}

TEST(Registry, AddressesHaveOneSpelling) {
    Registry registry;
    ASSERT_TRUE(registry.set({1, 1, "tcp6", "2001:DB8:0:0::1.8.1", ""}).has_value());
    EXPECT_EQ(registry.all().front().address, "2001:db8::1.8.1");
    EXPECT_TRUE(registry.set({1, 1, "tcp6", "2001:db8::1.8.1", ""}).has_value());
}

TEST(Registry, MalformedOnesAreRefused) {
    Registry registry;
    for (const auto& [netid, address] : std::initializer_list<std::pair<std::string, std::string>>{
             {"", "0.0.0.0.8.1"},
             {"smoke", "0.0.0.0.8.1"},
             {"tcp", ""},
             {"tcp", "::.8.1"},
             {"tcp6", "0.0.0.0.8.1"},
             {"tcp", "0.0.0.0.0.0"},
             {"udp6", "::.0.0"},
             {"local", "0.0.0.0.8.1"},
             {"tcp", std::string(70'000, '1')},
             {std::string(70'000, 't'), "0.0.0.0.8.1"}})
        EXPECT_FALSE(registry.set({1, 1, netid, address, "superuser"}).has_value())
            << netid.substr(0, 20) << " " << address.substr(0, 20);
    EXPECT_TRUE(registry.all().empty());
}

TEST(Registry, IsBounded) {
    Registry registry;
    for (std::uint32_t i = 0; i < kMappingsMax; ++i)
        ASSERT_TRUE(registry.set({i, 1, "tcp", "0.0.0.0.8.1", "7"}).has_value());
    EXPECT_EQ(registry.set({kMappingsMax, 1, "tcp", "0.0.0.0.8.1", "7"}).error(),
              "the table is full");
    EXPECT_TRUE(registry.set({0, 1, "tcp", "0.0.0.0.8.1", "7"}).has_value()) << "is there already";
    EXPECT_TRUE(registry.unset(0, 1, {}, "7").has_value());
    EXPECT_TRUE(registry.set({kMappingsMax, 1, "tcp", "0.0.0.0.8.1", "7"}).has_value());
}

TEST(Registry, OnlyTheOwnerAndTheSuperuserUnset) {
    Registry registry;
    ASSERT_TRUE(registry.set(kNfs).has_value());
    for (const std::string_view owner : {"1001", "unknown", "", "100", "10000"})
        EXPECT_EQ(registry.unset(100003, 3, {}, owner).error(), "another user registered it");
    EXPECT_TRUE(registry.unset(100003, 3, {}, "1000").has_value());
    EXPECT_EQ(registry.unset(100003, 3, {}, "1000").error(), "it is not registered");
    ASSERT_TRUE(registry.set(kNfs).has_value());
    EXPECT_TRUE(registry.unset(100003, 3, {}, kSuperuser).has_value());
    EXPECT_TRUE(registry.all().empty());
}

TEST(Registry, UnsetsOneNetidOrAll) {
    Registry registry;
    const auto fill = [&] {
        for (const char* netid : {"tcp", "udp"})
            ASSERT_TRUE(registry.set({7, 1, netid, "0.0.0.0.8.1", "5"}).has_value());
        for (const char* netid : {"tcp6", "udp6"})
            ASSERT_TRUE(registry.set({7, 1, netid, "::.8.1", "5"}).has_value());
    };
    fill();
    EXPECT_TRUE(registry.unset(7, 1, {"udp6"}, "5").has_value());
    EXPECT_EQ(registry.all().size(), 3u);
    EXPECT_FALSE(registry.unset(7, 1, {"udp6"}, "5").has_value());
    EXPECT_TRUE(registry.unset(7, 1, {"tcp", "udp"}, "5").has_value());
    ASSERT_EQ(registry.all().size(), 1u);
    EXPECT_EQ(registry.all().front().netid, "tcp6");
    fill();
    EXPECT_FALSE(registry.unset(7, 2, {}, "5").has_value());
    EXPECT_TRUE(registry.unset(7, 1, {}, "5").has_value());
    EXPECT_TRUE(registry.all().empty());
}

TEST(Registry, OneForeignMappingKeepsAll) {
    Registry registry;
    ASSERT_TRUE(registry.set({7, 1, "tcp", "0.0.0.0.8.1", "5"}).has_value());
    ASSERT_TRUE(registry.set({7, 1, "udp", "0.0.0.0.8.1", "6"}).has_value());
    EXPECT_FALSE(registry.unset(7, 1, {}, "5").has_value());
    EXPECT_EQ(registry.all().size(), 2u);
    EXPECT_TRUE(registry.unset(7, 1, {"tcp"}, "5").has_value());
}

TEST(Registry, ManyThreads) {
    Registry registry;
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint32_t i = 0; i < 200; ++i) {
                EXPECT_TRUE(registry.set({t, i, "tcp", "0.0.0.0.8.1", "5"}).has_value());
                EXPECT_TRUE(registry.find(t, i, "tcp", Match::exact).has_value());
                EXPECT_EQ(registry.unset(t, i, {}, i % 2 ? "5" : "6").has_value(), i % 2 == 1);
            }
        });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(registry.all().size(), 400u);
}

}  // namespace
}  // namespace helio::portmap::registry_test
