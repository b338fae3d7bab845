// Rules and errors of domains; texts and numbers are those of libvirt 9.0's test driver.
#include <gtest/gtest.h>

#include "testing/virt/host.h"

namespace helio::virt::host::domains_test {
namespace {

using Told = std::vector<std::string>;

TEST(HostDomains, DefaultHostIsThatOfTheTestDriver) {
    TestHost test;
    test.host.add_default();
    const auto key = test.host.domain_by_name("test");
    ASSERT_TRUE(key);
    EXPECT_EQ(to_text(key->uuid), "6695eb01-f6a4-8304-79aa-97f2502e193f");
    EXPECT_EQ(key->id, 1);
    const auto info = test.host.domain_info(key->uuid);
    EXPECT_EQ(info->state, State::running);
    EXPECT_EQ(info->memory_max_kib, 8388608U);
    EXPECT_EQ(info->memory_kib, 2097152U);
    EXPECT_EQ(info->vcpus, 2U);
    EXPECT_EQ(test.host.networks(0).at(0).name, "default");
    EXPECT_EQ(test.host.pools(0).at(0).name, "default-pool");
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    out.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

// Work that grew with the square of a text would keep these busy for many minutes.
TEST(HostDomains, LargeDefinitionsTakeTimeInProportion) {
    TestHost test;
    constexpr std::size_t kMany = 500'000;
    const auto elements = test.host.define_domain(
        domain_xml_for_test("a", "<devices>" + repeated("<a/>", kMany) + "</devices>"));
    ASSERT_TRUE(elements) << words_of(elements);
    const std::string xml = *test.host.domain_xml(elements->uuid, Definition::current);
    EXPECT_EQ(xml.find(" />"), std::string::npos);
    EXPECT_GT(xml.size(), kMany * std::string_view("    <a/>\n").size());
    const auto sections = test.host.define_domain(domain_xml_for_test(
        "b", "<devices><a/>" + repeated("<![CDATA[ />]]>", kMany / 2) + "<a/></devices>"));
    ASSERT_TRUE(sections) << words_of(sections);
    // As many attributes as elements that could belong to their namespaces.
    std::string prefixed = domain_xml_for_test("c", repeated("<p:q/>", kMany / 2));
    prefixed.insert(prefixed.find(' '), repeated(" p=''", kMany / 2));
    const auto names = test.host.define_domain(prefixed);
    ASSERT_TRUE(names) << words_of(names);
}

TEST(HostDomains, XmlIsLaidOutAsLibvirtDoesIt) {
    TestHost test;
    const auto key = test.host.define_domain(domain_xml_for_test(
        "b",
        "<uuid>77e836f9c37a406a87f71eec7935aefc</uuid><!-- gone --><vcpu current='1'>2</vcpu>"
        "<devices><disk type='file' device='disk'><source file='/a&amp;b'/>"
        "<target dev='vda'/></disk></devices>"));
    ASSERT_TRUE(key) << words_of(key);
    (void)test.host.start_domain(key->uuid);
    EXPECT_EQ(*test.host.domain_xml(key->uuid, Definition::current), R"(<domain type='test' id='1'>
  <name>b</name>
  <uuid>77e836f9-c37a-406a-87f7-1eec7935aefc</uuid>
  <memory unit='KiB'>65536</memory>
  <currentMemory unit='KiB'>65536</currentMemory>
  <vcpu placement='static' current='1'>2</vcpu>
  <os>
    <type arch='x86_64'>hvm</type>
    <boot dev='hd'/>
  </os>
  <clock offset='utc'/>
  <on_poweroff>destroy</on_poweroff>
  <on_reboot>restart</on_reboot>
  <on_crash>destroy</on_crash>
  <devices>
    <disk type='file' device='disk'>
      <source file='/a&amp;b'/>
      <target dev='vda'/>
    </disk>
  </devices>
</domain>
)");
    EXPECT_NE(test.host.domain_xml(key->uuid, Definition::inactive)->find("<domain type='test'>\n"),
              std::string::npos);
}

TEST(HostDomains, WhatIsDumpedCanBeDefined) {
    TestHost test, other;
    test.host.add_default();
    const Uuid uuid = test.host.domain_by_name("test")->uuid;
    const std::string xml = *test.host.domain_xml(uuid, Definition::inactive);
    ASSERT_TRUE(other.host.define_domain(xml));
    EXPECT_EQ(*other.host.domain_xml(uuid, Definition::inactive), xml);
}

TEST(HostDomains, LifeCycleTellsWhatHappens) {
    TestHost test;
    const Uuid uuid = test.host.define_domain(domain_xml_for_test("b"))->uuid;
    EXPECT_EQ(test.take_told(), (Told{"0 b 0/0 id -1"}));
    EXPECT_EQ(test.host.start_domain(uuid)->id, 1);
    EXPECT_EQ(test.host.domain_state(uuid)->reason, 1);
    EXPECT_TRUE(test.host.suspend_domain(uuid));
    EXPECT_EQ(test.host.domain_state(uuid)->state, State::paused);
    EXPECT_TRUE(test.host.resume_domain(uuid));
    EXPECT_EQ(test.host.domain_state(uuid)->reason, 5);
    EXPECT_TRUE(test.host.shutdown_domain(uuid));
    EXPECT_EQ(test.host.domain_state(uuid)->reason, 1);
    EXPECT_EQ(test.host.start_domain(uuid, StartAs::paused)->id, 2);
    EXPECT_TRUE(test.host.destroy_domain(uuid));
    EXPECT_EQ(test.host.domain_state(uuid)->reason, 2);
    EXPECT_TRUE(test.host.undefine_domain(uuid));
    EXPECT_EQ(test.take_told(),
              (Told{"0 b 2/0 id 1", "0 b 3/0 id 1", "0 b 4/0 id 1", "0 b 5/0 id -1", "0 b 2/0 id 2",
                    "0 b 3/0 id 2", "0 b 5/1 id -1", "0 b 1/0 id -1"}));
    EXPECT_EQ(words_of(test.host.domain_by_name("b")), "42/12 Domain not found");
}

TEST(HostDomains, RefusesInTheTestDriversWords) {
    TestHost test;
    test.host.add_default();
    Host& host = test.host;
    const Uuid on = host.domain_by_name("test")->uuid;
    const Uuid off = host.define_domain(domain_xml_for_test("b"))->uuid;
    const std::string not_running = "55/20 Requested operation is not valid: domain is not running";
    EXPECT_EQ(words_of(host.start_domain(on)),
              "1/12 internal error: Domain 'test' is already running");
    EXPECT_EQ(words_of(host.resume_domain(on)), "1/12 internal error: domain 'test' not paused");
    EXPECT_EQ(words_of(host.destroy_domain(off)), not_running);
    EXPECT_EQ(words_of(host.reboot_domain(off)), not_running);
    EXPECT_EQ(words_of(host.managed_save_domain(off)), not_running);
    EXPECT_EQ(words_of(host.set_domain_memory(off, 1000, Impact::live)), not_running);
    EXPECT_EQ(words_of(host.shutdown_domain(off)), "1/12 internal error: domain 'b' not running");
    EXPECT_EQ(words_of(host.suspend_domain(off)), "1/12 internal error: domain 'b' not running");
    EXPECT_EQ(words_of(host.set_domain_memory_max(on, 1000, Impact::current)),
              "55/12 Requested operation is not valid: cannot resize the maximum memory on an "
              "active domain");
    EXPECT_EQ(words_of(host.set_domain_memory(on, 99999999, Impact::live)),
              "8/12 invalid argument: cannot set memory higher than max memory");
    EXPECT_EQ(words_of(host.set_domain_vcpus(on, 5, Impact::live, VcpuCount::current)),
              "8/12 invalid argument: requested cpu amount exceeds maximum (5 > 2)");
    EXPECT_EQ(words_of(host.rename_domain(on, "c")),
              "55/12 Requested operation is not valid: cannot rename active domain");
    EXPECT_EQ(words_of(host.domain_metadata(on, Metadata::title, "", Impact::current)),
              "80/20 metadata not found: Requested metadata element is not present");
    EXPECT_EQ(words_of(host.domain_by_id(99)), "42/12 Domain not found");
    EXPECT_EQ(words_of(host.domain_info(Uuid{})),
              "42/12 Domain not found: no domain with matching uuid "
              "'00000000-0000-0000-0000-000000000000'");
}

TEST(HostDomains, RefusesDefinitions) {
    TestHost test;
    test.host.add_default();
    (void)test.host.define_domain(domain_xml_for_test("b"));
    const auto define = [&](std::string_view xml) {
        return words_of(test.host.define_domain(xml));
    };
    const std::string uuid = to_text(test.host.domain_by_name("b")->uuid);
    EXPECT_EQ(define("<foo/>"), "27/5 XML error: expecting root element of 'domain', not 'foo'");
    EXPECT_EQ(define("<domain type='test'/>"), "21/20 missing name information");
    EXPECT_EQ(define("<domain type='test'><name>q</name></domain>"),
              "27/20 XML error: an os <type> must be specified");
    EXPECT_EQ(define(domain_xml_for_test("q/a")), "27/20 XML error: name q/a cannot contain '/'");
    EXPECT_EQ(define(domain_xml_for_test("q", "<uuid>xx</uuid>")),
              "1/20 internal error: malformed uuid element");
    EXPECT_EQ(define("<domain type='test'><name>q</name><memory>abc</memory></domain>"),
              "27/5 XML error: Invalid value 'abc' for element or attribute './memory[1]'");
    EXPECT_EQ(define(domain_xml_for_test("b")),
              "9/20 operation failed: domain 'b' already exists with uuid " + uuid);
    EXPECT_EQ(
        define(domain_xml_for_test("zz", "<uuid>6695eb01-f6a4-8304-79aa-97f2502e193f</uuid>")),
        "9/20 operation failed: domain 'test' is already defined with uuid "
        "6695eb01-f6a4-8304-79aa-97f2502e193f");
    EXPECT_EQ(define("").substr(0, 49), "35/20 (domain_definition):1: Document is empty\n\n^");
    EXPECT_EQ(define("<a/><b/>").substr(0, 69),
              "35/20 (domain_definition):1: Extra content at the end of the document");
    for (const char* const name : {"a\x04", "a\xff", "a&#4;", "a&#xd800;", "\xc0\xaf", "&#;"})
        EXPECT_EQ(define(domain_xml_for_test(name)).substr(0, 29), "35/20 (domain_definition):1: ")
            << name;
    EXPECT_EQ(define(domain_xml_for_test("\xc3\xa9&#233;&#x1f600;")), "fine");
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "<a>";
    for (int i = 0; i < 100'000; ++i) deep += "</a>";
    EXPECT_EQ(define(deep), "35/20 (domain_definition):1: Excessive depth in document: 256");
}

TEST(HostDomains, ATransientOneIsGoneWhenItStops) {
    TestHost test;
    const Uuid uuid = test.host.create_domain(domain_xml_for_test("t"), StartAs::paused)->uuid;
    EXPECT_EQ(test.host.domain_state(uuid)->state, State::paused);
    EXPECT_FALSE(*test.host.domain_persistent(uuid));
    EXPECT_EQ(
        words_of(test.host.managed_save_domain(uuid)),
        "55/12 Requested operation is not valid: cannot do managed save for transient domain");
    EXPECT_TRUE(test.host.destroy_domain(uuid));
    EXPECT_FALSE(test.host.domain_by_uuid(uuid));
    EXPECT_FALSE(test.host.domain_by_id(1));
    // Undefining a running domain makes it transient.
    const Uuid other = test.host.define_domain(domain_xml_for_test("u"))->uuid;
    (void)test.host.start_domain(other);
    EXPECT_TRUE(test.host.undefine_domain(other));
    EXPECT_TRUE(test.host.domain_by_name("u"));
    EXPECT_TRUE(test.host.shutdown_domain(other));
    EXPECT_FALSE(test.host.domain_by_name("u"));
}

TEST(HostDomains, ManagedSaveIsRestored) {
    TestHost test;
    const Uuid uuid = test.host.define_domain(domain_xml_for_test("s"))->uuid;
    (void)test.host.start_domain(uuid);
    EXPECT_TRUE(test.host.managed_save_domain(uuid));
    EXPECT_TRUE(*test.host.domain_has_managed_save(uuid));
    EXPECT_FALSE(test.host.undefine_domain(uuid));
    (void)test.take_told();
    (void)test.host.start_domain(uuid);
    EXPECT_EQ(test.take_told(), (Told{"0 s 2/2 id 2"}));
    EXPECT_FALSE(*test.host.domain_has_managed_save(uuid));
    EXPECT_EQ(test.host.domain_state(uuid)->reason, 3);
}

TEST(HostDomains, ChangesGoWhereTheyWereMeant) {
    TestHost test;
    const Uuid uuid = test.host.define_domain(domain_xml_for_test("c", "<vcpu>4</vcpu>"))->uuid;
    (void)test.host.start_domain(uuid);
    EXPECT_TRUE(test.host.set_domain_vcpus(uuid, 2, Impact::live, VcpuCount::current));
    EXPECT_TRUE(test.host.set_domain_memory(uuid, 1024, Impact::config));
    EXPECT_EQ(*test.host.domain_vcpus(uuid, Impact::live, VcpuCount::current), 2U);
    EXPECT_EQ(*test.host.domain_vcpus(uuid, Impact::config, VcpuCount::current), 4U);
    EXPECT_EQ(test.host.domain_info(uuid)->memory_kib, 65536U);
    EXPECT_NE(
        test.host.domain_xml(uuid, Definition::inactive)->find("<currentMemory unit='KiB'>1024<"),
        std::string::npos);
    (void)test.host.destroy_domain(uuid);
    EXPECT_EQ(test.host.domain_info(uuid)->memory_kib, 1024U);
    EXPECT_EQ(test.host.domain_info(uuid)->vcpus, 4U);
}

TEST(HostDomains, MetadataBelongsToOthers) {
    TestHost test;
    Host& host = test.host;
    const Uuid uuid = host.define_domain(domain_xml_for_test("m"))->uuid;
    const auto set = [&](std::optional<std::string_view> text) {
        return host.set_domain_metadata(uuid, Metadata::element, text, "k", "http://x",
                                        Impact::current);
    };
    EXPECT_TRUE(set("<a><b>1</b></a>"));
    EXPECT_EQ(*host.domain_metadata(uuid, Metadata::element, "http://x", Impact::current),
              "<a><b>1</b></a>");
    const std::string xml = *host.domain_xml(uuid, Definition::current);
    EXPECT_NE(xml.find("<k:a xmlns:k='http://x'>\n      <k:b>1</k:b>"), std::string::npos) << xml;
    // Its own dump can be defined.
    EXPECT_TRUE(host.define_domain(xml));
    EXPECT_EQ(*host.domain_xml(uuid, Definition::current), xml);
    EXPECT_TRUE(set(std::nullopt));
    EXPECT_FALSE(host.domain_metadata(uuid, Metadata::element, "http://x", Impact::current));
    EXPECT_FALSE(set("<a>"));
    EXPECT_FALSE(
        host.set_domain_metadata(uuid, Metadata::element, "<a/>", "k='", "u", Impact::current));
}

TEST(HostDomains, ARenamedOneLeavesItsNameToOthers) {
    TestHost test;
    const Uuid first = test.host.define_domain(domain_xml_for_test("one"))->uuid;
    EXPECT_TRUE(test.host.rename_domain(first, "two"));
    EXPECT_EQ(test.host.domain_by_name("two")->uuid, first);
    const auto second = test.host.define_domain(domain_xml_for_test("one"));
    ASSERT_TRUE(second);
    EXPECT_NE(second->uuid, first);
    EXPECT_FALSE(test.host.rename_domain(first, "one"));
    EXPECT_FALSE(test.host.rename_domain(first, "a/b"));
}

TEST(HostDomains, ListsByFlags) {
    TestHost test;
    using namespace list_domains;
    for (const char* const name : {"off", "on", "paused"})
        (void)test.host.define_domain(domain_xml_for_test(name));
    (void)test.host.start_domain(test.host.domain_by_name("on")->uuid);
    (void)test.host.start_domain(test.host.domain_by_name("paused")->uuid, StartAs::paused);
    (void)test.host.create_domain(domain_xml_for_test("transient"));
    const auto names = [&](std::uint32_t flags) {
        std::string all;
        for (const DomainKey& key : test.host.domains(flags)) all += key.name + " ";
        EXPECT_EQ(test.host.domain_count(flags), test.host.domains(flags).size());
        return all;
    };
    EXPECT_EQ(names(0), "off on paused transient ");
    EXPECT_EQ(names(kActive), "on paused transient ");
    EXPECT_EQ(names(kInactive), "off ");
    EXPECT_EQ(names(kActive | kPersistent), "on paused ");
    EXPECT_EQ(names(kRunning | kShutOff), "off on transient ");
    EXPECT_EQ(names(kTransient | kPaused), "");
    EXPECT_EQ(names(kAutostart), "");
}

TEST(HostDomains, FiguresGrowWhileItRuns) {
    TestHost test;
    test.host.add_default();
    const Uuid uuid = test.host.domain_by_name("test")->uuid;
    const auto cpu = [&] { return test.host.domain_stats(uuid)->info.cpu_time_ns; };
    EXPECT_EQ(cpu(), 0U);
    test.time += std::chrono::seconds(100);
    const std::uint64_t after = cpu();
    EXPECT_GT(after, 0U);
    EXPECT_EQ(test.host.domain_info(uuid)->cpu_time_ns, after);
    const DomainStats stats = *test.host.domain_stats(uuid);
    ASSERT_EQ(stats.disks.size(), 1U);
    EXPECT_EQ(stats.disks[0].target, "vda");
    EXPECT_GT(stats.disks[0].read_bytes, 0U);
    ASSERT_EQ(stats.interfaces.size(), 1U);
    EXPECT_EQ(stats.interfaces[0].name, "testnet0");
    (void)test.host.suspend_domain(uuid);
    test.time += std::chrono::seconds(100);
    EXPECT_EQ(cpu(), after);
}

TEST(HostDomains, XmlHasALimitAltogether) {
    HostOptions options;
    options.xml_bytes_max = 100'000;
    Host host(options);
    const std::string more = "<x>" + std::string(20'000, 'x') + "</x>";
    const auto first = host.define_domain(domain_xml_for_test("a", more));
    ASSERT_TRUE(host.define_domain(domain_xml_for_test("b", more)));
    EXPECT_EQ(words_of(host.define_domain(domain_xml_for_test("c", more))),
              "9/12 operation failed: the host has no room for more XML");
    EXPECT_FALSE(
        host.set_domain_metadata(first->uuid, Metadata::element, more, "k", "u", Impact::current));
    EXPECT_TRUE(host.undefine_domain(first->uuid));
    EXPECT_TRUE(host.define_domain(domain_xml_for_test("c", more)));
}

TEST(HostDomains, ThousandsAreCheap) {
    TestHost test;
    for (int i = 0; i < 5000; ++i)
        ASSERT_TRUE(test.host.define_domain(domain_xml_for_test(fmt::format("d{}", i))));
    std::size_t seen = 0;
    test.host.visit_domains(0, [&](std::string_view, const Uuid&, int) { ++seen; });
    EXPECT_EQ(seen, 5000U);
    EXPECT_TRUE(test.host.domain_by_name("d4999"));
}

}  // namespace
}  // namespace helio::virt::host::domains_test
