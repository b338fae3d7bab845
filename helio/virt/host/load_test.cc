#include "helio/virt/host/load.h"

#include <gtest/gtest.h>

#include "helio/base/bytes.h"
#include "testing/virt/host.h"

namespace helio::virt::host::load_test {
namespace {

TEST(LoadHost, TomlSaysThousandsInAFewLines) {
    TestHost test;
    const auto done = load_host_toml(test.host, R"(
hostname = "lab"
[node]
cpus = 8
memory_mib = 16384

[[domain]]
name = "web"
count = 3
state = "running"
memory_mib = 512
networks = ["inner"]

[[domain]]
name = "old & slow"
vcpus = 2
autostart = true

[[network]]
name = "inner"
bridge = "br7"
address = "10.0.0.1"
range_start = "10.0.0.10"
range_end = "10.0.0.20"

[[pool]]
name = "images"
path = "/images"
[[pool.volume]]
name = "disk"
count = 2
capacity_mib = 10
[[pool.volume]]
name = "note"
text = "hello"
)",
                                     "host.toml");
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(test.host.hostname(), "lab");
    EXPECT_EQ(test.host.node().cpus, 8U);
    EXPECT_EQ(test.host.domain_count(list_domains::kRunning), 3U);
    EXPECT_TRUE(test.host.domain_by_name("web-3"));
    const auto old = test.host.domain_by_name("old & slow");
    ASSERT_TRUE(old);
    EXPECT_TRUE(*test.host.domain_autostart(old->uuid));
    const auto leases = *test.host.network_leases(test.host.network_by_name("inner")->uuid, "");
    EXPECT_EQ(leases.size(), 3U);
    EXPECT_EQ(test.host.volumes(test.host.pool_by_name("images")->uuid)->size(), 3U);
    EXPECT_EQ(test.host.volume_info("/images/note")->capacity, 5U);
    EXPECT_EQ(test.host.volume_info("/images/disk-2")->capacity, 10U << 20);
}

TEST(LoadHost, TomlMistakesHaveTheirPlace) {
    struct Row {
        std::string_view text, why;
    };
    constexpr Row kRows[] = {
        {"[[domain]]\nname = 'a'\nmemory = 5\n", "h.toml:3:1: [[domain]] has no 'memory'"},
        {"[[domain]]\nname = 7\n", "h.toml:2:8: name is a string"},
        {"[[domain]]\n", "h.toml:1:1: [[domain]] needs a name"},
        {"[[domain]]\nname='a'\nvcpus=0\n", "h.toml:3:7: vcpus must be from 1 to 4096"},
        {"[[domain]]\nname='a'\nstate='odd'\n", "h.toml:1:1: state must be off, running or paused"},
        {"[domain]\nname='a'\n", "h.toml:1:1: domain must be a list of tables: [[domain]]"},
        {"[[domain]]\nname='a/b'\n", "h.toml:1:1: XML error: name a/b cannot contain '/'"},
    };
    for (const Row& row : kRows) {
        TestHost test;
        const auto done = load_host_toml(test.host, row.text, "h.toml");
        ASSERT_FALSE(done) << row.text;
        EXPECT_EQ(done.error(), row.why);
    }
    TestHost test;
    EXPECT_FALSE(load_host_toml(test.host, "a = = b", "h.toml"));
    // All of them, in the order of the file.
    const auto many = load_host_toml(test.host,
                                     "hostnam = 'x'\n"
                                     "[[domain]]\nname = 'a'\nvcpu = 2\nmemory_mib = 'much'\n"
                                     "[[network]]\nadress = '10.0.0.1'\n",
                                     "h.toml");
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error(),
              "h.toml:1:1: a host has no 'hostnam'; did you mean 'hostname'?\n"
              "h.toml:4:1: [[domain]] has no 'vcpu'; did you mean 'vcpus'?\n"
              "h.toml:5:14: memory_mib is a number\n"
              "h.toml:6:1: [[network]] needs a name\n"
              "h.toml:7:1: [[network]] has no 'adress'; did you mean 'address'?");
}

TEST(LoadHost, XmlOfTheTestDriver) {
    TestHost test;
    const auto done = load_host_xml(test.host, R"(<node>
  <cpu><mhz>6000</mhz><model>i986</model><active>50</active><nodes>4</nodes></cpu>
  <memory>8192000</memory>
  <domain type='test'>
    <name>runs</name><memory>1024</memory><os><type>hvm</type></os>
  </domain>
  <domain type='test' xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>
    <name>stopped</name><memory>1024</memory><os><type>hvm</type></os>
    <test:runstate>5</test:runstate>
  </domain>
  <domain type='test' xmlns:test='http://libvirt.org/schemas/domain/test/1.0'>
    <name>passing</name><memory>1024</memory><os><type>hvm</type></os>
    <test:transient/><test:runstate>3</test:runstate>
  </domain>
  <network><name>n</name></network>
  <pool type='dir'><name>p</name><target><path>/p</path></target>
    <volume><name>v</name><capacity>77</capacity></volume>
  </pool>
</node>)",
                                    "node.xml");
    ASSERT_TRUE(done) << done.error();
    EXPECT_EQ(test.host.node().cpus, 50U);
    EXPECT_EQ(test.host.node().memory_kib, 8192000U);
    const auto state = [&](std::string_view name) {
        return test.host.domain_state(test.host.domain_by_name(name)->uuid)->state;
    };
    EXPECT_EQ(state("runs"), State::running);
    EXPECT_EQ(state("stopped"), State::off);
    EXPECT_EQ(state("passing"), State::paused);
    EXPECT_EQ(test.host.domain_xml(test.host.domain_by_name("stopped")->uuid, Definition::current)
                  ->find("test:"),
              std::string::npos);
    EXPECT_TRUE(test.host.network_info(test.host.network_by_name("n")->uuid)->active);
    EXPECT_EQ(test.host.volume_info("/p/v")->capacity, 77U);
}

TEST(LoadHost, XmlMistakesAreNamed) {
    TestHost test;
    EXPECT_EQ(load_host_xml(test.host, "<x/>", "x.xml").error().substr(0, 33),
              "x.xml: the root element is <x>; a");
    EXPECT_FALSE(load_host_xml(test.host, "<node><domain/></node>", "x.xml"));
    EXPECT_FALSE(load_host_file(test.host, "/no/such/file"));
}

}  // namespace
}  // namespace helio::virt::host::load_test
