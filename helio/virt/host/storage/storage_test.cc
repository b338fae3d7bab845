// Networks, pools, volumes; texts and numbers are those of libvirt 9.0's test driver, which lacks
// streams, wipe and resize.
#include <gtest/gtest.h>

#include "helio/base/bytes.h"
#include "testing/virt/host.h"

namespace helio::virt::host::storage_test {
namespace {

constexpr std::string_view kVolume = "<volume><name>v1</name><capacity>1048576</capacity></volume>";

struct Storage : TestHost {
    Uuid pool;
    Storage() {
        host.add_default();
        pool = host.pool_by_name("default-pool")->uuid;
        (void)take_told();
    }
};

TEST(HostNetworks, LifeCycle) {
    TestHost test;
    Host& host = test.host;
    host.add_default();
    (void)test.take_told();
    const Uuid uuid = host.network_by_name("default")->uuid;
    EXPECT_EQ(host.network_info(uuid)->bridge, "virbr0");
    EXPECT_EQ(words_of(host.start_network(uuid)),
              "55/12 Requested operation is not valid: Network 'default' is already running");
    EXPECT_EQ(words_of(host.undefine_network(uuid)),
              "55/12 Requested operation is not valid: Network 'default' is still running");
    EXPECT_TRUE(host.destroy_network(uuid));
    EXPECT_TRUE(host.undefine_network(uuid));
    EXPECT_EQ(words_of(host.network_by_name("default")),
              "43/12 Network not found: no network with matching name 'default'");
    EXPECT_EQ(test.take_told(),
              (std::vector<std::string>{"4 default 3/0 id -1", "4 default 1/0 id -1"}));
    EXPECT_EQ(words_of(host.define_network("<network/>")), "21/19 missing name information");
    const auto made = host.create_network("<network><name>n</name></network>");
    ASSERT_TRUE(made);
    EXPECT_EQ(host.networks(list_networks::kTransient).size(), 1U);
    EXPECT_TRUE(host.destroy_network(made->uuid));
    EXPECT_TRUE(host.networks(0).empty());
}

TEST(HostNetworks, PartsAreChangedOneByOne) {
    TestHost test;
    test.host.add_default();
    const Uuid uuid = test.host.network_by_name("default")->uuid;
    const auto update = [&](std::uint32_t command, std::uint32_t section, std::string_view xml,
                            int index = -1) {
        return words_of(test.host.update_network(uuid, command, section, index, xml));
    };
    constexpr std::uint32_t kModify = 1, kDelete = 2, kAddLast = 3, kHost = 4, kDnsHost = 10;
    EXPECT_EQ(update(kAddLast, kHost, "<host mac='52:54:00:00:00:01' ip='192.168.122.9'/>"),
              "fine");
    const std::string twice =
        update(kAddLast, kHost, "<host mac='52:54:00:00:00:01' ip='192.168.122.8'/>");
    EXPECT_TRUE(
        twice.starts_with("55/19 Requested operation is not valid: there is an existing dhcp host "
                          "entry in network 'default' that matches "))
        << twice;
    EXPECT_EQ(update(kModify, kHost, "<host mac='52:54:00:00:00:01' ip='192.168.122.7'/>"), "fine");
    EXPECT_EQ(update(kAddLast, kDnsHost, "<host ip='192.168.122.7'><hostname>a</hostname></host>"),
              "fine");
    const std::string xml = test.host.network_xml(uuid).value();
    EXPECT_NE(xml.find("<host mac='52:54:00:00:00:01' ip='192.168.122.7'/>"), std::string::npos)
        << xml;
    EXPECT_NE(xml.find("<dns>\n    <host ip='192.168.122.7'>\n"), std::string::npos) << xml;
    EXPECT_EQ(update(kDelete, kHost, "<host mac='52:54:00:00:00:01'/>"), "fine");
    EXPECT_EQ(update(kDelete, kHost, "<host mac='52:54:00:00:00:01'/>"),
              "55/19 Requested operation is not valid: couldn't locate a matching dhcp host entry "
              "in network 'default'");
    EXPECT_NE(update(kAddLast, kHost, "<range/>"), "fine");
    EXPECT_NE(update(kAddLast, kHost, "<host ip='1.2.3.4'/>", 7), "fine");
    EXPECT_NE(update(9, kHost, "<host/>"), "fine");
    EXPECT_NE(update(kAddLast, 1, "<bridge/>"), "fine");
}

TEST(HostNetworks, RunningDomainsHaveLeases) {
    TestHost test;
    test.host.add_default();
    const Uuid uuid = test.host.network_by_name("default")->uuid;
    const auto leases = *test.host.network_leases(uuid, "");
    ASSERT_EQ(leases.size(), 1U);
    EXPECT_EQ(leases[0].mac, "aa:bb:cc:dd:ee:ff");
    EXPECT_EQ(leases[0].address, "192.168.122.2");
    EXPECT_EQ(leases[0].prefix, 24U);
    EXPECT_EQ(leases[0].hostname, "test");
    EXPECT_TRUE(test.host.network_leases(uuid, "00:00:00:00:00:00")->empty());
}

TEST(HostPools, LifeCycle) {
    Storage test;
    Host& host = test.host;
    const Uuid pool = test.pool;
    EXPECT_EQ(words_of(host.start_pool(pool)),
              "55/12 Requested operation is not valid: storage pool 'default-pool' is active");
    EXPECT_EQ(host.pool_info(pool)->capacity, 107374182400U);
    EXPECT_TRUE(host.destroy_pool(pool));
    EXPECT_EQ(words_of(host.volumes(pool)),
              "55/12 Requested operation is not valid: storage pool 'default-pool' is not active");
    EXPECT_EQ(words_of(host.create_volume(pool, kVolume)),
              "55/12 Requested operation is not valid: storage pool 'default-pool' is not active");
    EXPECT_TRUE(host.undefine_pool(pool));
    EXPECT_EQ(words_of(host.pool_by_name("default-pool")),
              "49/12 Storage pool not found: no storage pool with matching name 'default-pool'");
    EXPECT_EQ(test.take_told(),
              (std::vector<std::string>{"5 default-pool 3/0 id -1", "5 default-pool 1/0 id -1"}));
    EXPECT_EQ(words_of(host.define_pool("<pool type='dir'><name>p</name></pool>")),
              "27/18 XML error: missing storage pool target path");
    EXPECT_EQ(words_of(host.define_pool("<pool/>")),
              "27/5 XML error: Missing required attribute 'type' in element 'pool'");
}

TEST(HostVolumes, AreMadeAndGo) {
    Storage test;
    Host& host = test.host;
    const auto made = host.create_volume(test.pool, kVolume);
    ASSERT_TRUE(made) << words_of(made);
    EXPECT_EQ(made->key, "/default-pool/v1");
    EXPECT_EQ(*host.volume_xml(made->key), R"(<volume type='file'>
  <name>v1</name>
  <key>/default-pool/v1</key>
  <capacity unit='bytes'>1048576</capacity>
  <allocation unit='bytes'>1048576</allocation>
  <target>
    <path>/default-pool/v1</path>
    <format type='raw'/>
  </target>
</volume>
)");
    EXPECT_EQ(host.pool_info(test.pool)->allocation, 1048576U);
    EXPECT_EQ(words_of(host.create_volume(test.pool, kVolume)),
              "9/12 operation failed: storage vol already exists");
    EXPECT_EQ(words_of(host.create_volume(
                  test.pool, "<volume><name>v2</name><capacity>1048576000000</capacity></volume>")),
              "1/12 internal error: Not enough free space in pool for volume 'v2'");
    EXPECT_EQ(words_of(host.create_volume(test.pool, "<volume><name>a</name></volume>")),
              "27/18 XML error: missing capacity element");
    EXPECT_TRUE(host.delete_volume(made->key));
    EXPECT_EQ(words_of(host.volume_by_name(test.pool, "v1")),
              "50/12 Storage volume not found: no storage vol with matching name 'v1'");
    EXPECT_EQ(words_of(host.volume_by_key("/x")),
              "50/12 Storage volume not found: no storage vol with matching key '/x'");
    EXPECT_EQ(host.pool_info(test.pool)->allocation, 0U);
}

TEST(HostVolumes, ClonesHaveTheContent) {
    Storage test;
    Host& host = test.host;
    const std::string key = host.create_volume(test.pool, kVolume)->key;
    (*host.volume_content(key))->write(100'000, as_bytes("hello"));
    const auto clone = host.clone_volume(test.pool, "<volume><name>v2</name></volume>", key);
    ASSERT_TRUE(clone) << words_of(clone);
    std::byte into[5];
    const auto content = *host.volume_content(clone->key);
    EXPECT_EQ(content->read(100'000, into), 5U);
    EXPECT_EQ(as_text(into), "hello");
    EXPECT_EQ(content->capacity(), 1048576U);
    EXPECT_TRUE(host.wipe_volume(clone->key));
    EXPECT_EQ(content->allocation(), 0U);
    EXPECT_TRUE(host.resize_volume(clone->key, 100, {.delta = true}));
    EXPECT_EQ(host.volume_info(clone->key)->capacity, 1048676U);
    EXPECT_FALSE(host.resize_volume(clone->key, 10, {}));
    EXPECT_TRUE(host.resize_volume(clone->key, 10, {.shrink = true}));
    EXPECT_FALSE(host.resize_volume(clone->key, 11, {.delta = true, .shrink = true}));
}

TEST(HostSecrets, AreKeptForWhoNamesThem) {
    TestHost test;
    Host& host = test.host;
    const auto key = host.define_secret(
        "<secret><description>d</description><usage type='ceph'><name>a</name></usage></secret>");
    ASSERT_TRUE(key) << words_of(key);
    EXPECT_EQ(host.secret_by_usage(2, "a")->uuid, key->uuid);
    EXPECT_EQ(words_of(host.secret_by_usage(1, "a")),
              "66/30 Secret not found: no secret with matching usage 'a'");
    EXPECT_NE(words_of(host.secret_value(key->uuid)), "fine");
    ASSERT_TRUE(host.set_secret_value(key->uuid, {std::byte{7}}));
    EXPECT_EQ(host.secret_value(key->uuid)->size(), 1U);
    const std::string said = host.secret_xml(key->uuid).value();
    EXPECT_TRUE(host.define_secret(said));
    EXPECT_EQ(host.secret_value(key->uuid)->size(), 1U) << "a new definition keeps the value";
    EXPECT_EQ(host.secrets().size(), 1U);
    EXPECT_NE(words_of(host.define_secret("<secret><usage type='ceph'/></secret>")), "fine");
    EXPECT_NE(words_of(host.define_secret("<secret><usage type='what'/></secret>")), "fine");
    EXPECT_NE(words_of(host.define_secret("<secret><uuid>77e836f9c37a406a87f71eec7935aefc</uuid>"
                                          "<usage type='ceph'><name>a</name></usage></secret>")),
              "fine")
        << "one for each use";
    ASSERT_TRUE(host.undefine_secret(key->uuid));
    EXPECT_NE(words_of(host.secret_by_uuid(key->uuid)), "fine");
}

}  // namespace
}  // namespace helio::virt::host::storage_test
