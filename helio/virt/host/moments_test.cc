// Snapshots, saved domains and devices; texts are libvirt 9.0's.
#include <gtest/gtest.h>

#include "testing/virt/host.h"

namespace helio::virt::host::moments_test {
namespace {

struct MomentsTest : testing::Test {
    TestHost test;
    Host& host = test.host;
    Uuid uuid;

    void SetUp() override {
        const auto key = host.define_domain(domain_xml_for_test(
            "d",
            "<devices><disk type='file' device='disk'><source file='/a'/><target dev='vda'/></disk>"
            "<interface type='network'><source network='default'/></interface></devices>"));
        ASSERT_TRUE(key) << words_of(key);
        uuid = key->uuid;
    }
    std::string take(const std::string& name, const SnapshotWanted& wanted = {}) {
        return words_of(host.create_snapshot(
            uuid, "<domainsnapshot><name>" + name + "</name></domainsnapshot>", wanted));
    }
    std::vector<std::string> names(std::uint32_t flags = 0,
                                   std::optional<std::string_view> of = {}) {
        return host.snapshots(uuid, flags, of).value();
    }
};
using Names = std::vector<std::string>;

TEST_F(MomentsTest, SnapshotsAreATree) {
    for (const char* const name : {"z", "b", "c"}) ASSERT_EQ(take(name), "fine");
    EXPECT_EQ(names(), (Names{"z", "b", "c"}));
    EXPECT_EQ(names(list_snapshots::kRoots), Names{"z"});
    EXPECT_EQ(names(0, "z"), Names{"b"});
    EXPECT_EQ(names(list_snapshots::kDescendants, "z"), (Names{"b", "c"}));
    EXPECT_EQ(names(list_snapshots::kLeaves), Names{"c"});
    EXPECT_TRUE(names(list_snapshots::kActive).empty());
    EXPECT_EQ(*host.snapshot_parent(uuid, "c"), "b");
    EXPECT_EQ(*host.current_snapshot(uuid), "c");
    EXPECT_EQ(take("b"), "9/12 operation failed: domain moment b already exists");
    EXPECT_EQ(words_of(host.snapshot_parent(uuid, "x")),
              "72/12 Domain snapshot not found: no domain snapshot with matching name 'x'");

    // Children of a deleted snapshot move to its parent, or are deleted too on request.
    ASSERT_TRUE(host.delete_snapshot(uuid, "b", DeleteWhat::one));
    EXPECT_EQ(*host.snapshot_parent(uuid, "c"), "z");
    ASSERT_TRUE(host.delete_snapshot(uuid, "z", DeleteWhat::children_only));
    EXPECT_EQ(names(), Names{"z"});
    EXPECT_EQ(*host.current_snapshot(uuid), "z");
    EXPECT_EQ(words_of(host.rename_domain(uuid, "e")),
              "55/12 Requested operation is not valid: cannot rename domain with snapshots");
    EXPECT_EQ(
        words_of(host.undefine_domain(uuid)),
        "55/12 Requested operation is not valid: cannot delete inactive domain with 1 snapshots");
    EXPECT_EQ(host.domain_count(list_domains::kHasSnapshot), 1U);
    EXPECT_TRUE(host.undefine_domain(uuid, {.snapshots = true}));
    EXPECT_EQ(host.domain_count(0), 0U);
}

TEST_F(MomentsTest, ADomainGoesBackToWhatItWas) {
    ASSERT_EQ(take("off"), "fine");
    ASSERT_TRUE(host.start_domain(uuid));
    ASSERT_EQ(take("on"), "fine");
    ASSERT_TRUE(host.set_domain_memory(uuid, 1000, Impact::live));
    ASSERT_TRUE(host.revert_to_snapshot(uuid, "on", RevertTo::paused));
    EXPECT_EQ(host.domain_info(uuid)->memory_kib, 65536U);
    EXPECT_EQ(host.domain_state(uuid)->state, State::paused);
    ASSERT_TRUE(host.revert_to_snapshot(uuid, "off", RevertTo::as_it_was));
    EXPECT_EQ(host.domain_state(uuid)->state, State::off);
    EXPECT_EQ(*host.current_snapshot(uuid), "off");
    ASSERT_TRUE(host.revert_to_snapshot(uuid, "off", RevertTo::running));
    EXPECT_EQ(host.domain_state(uuid)->state, State::running);
    const std::string xml = host.snapshot_xml(uuid, "on").value();
    EXPECT_NE(xml.find("  <state>running</state>\n  <parent>\n    <name>off</name>\n"),
              std::string::npos)
        << xml;
    EXPECT_NE(xml.find("\n  <domain type='test'>\n    <name>d</name>\n"), std::string::npos) << xml;
    ASSERT_EQ(take("last", {.halt = true}), "fine");
    EXPECT_EQ(host.domain_state(uuid)->state, State::off);
}

TEST_F(MomentsTest, SnapshotsHaveALimit) {
    for (std::size_t i = 0; i < kDomainSnapshotsMax; ++i)
        ASSERT_EQ(take("s" + std::to_string(i)), "fine");
    EXPECT_NE(take("more"), "fine");
    EXPECT_EQ(names(list_snapshots::kDescendants, "s0").size(), kDomainSnapshotsMax - 1);
}

TEST_F(MomentsTest, SavedDomainsComeBack) {
    EXPECT_EQ(words_of(host.save_domain(uuid, "/f", {}, StartAs::running)),
              "55/20 Requested operation is not valid: domain is not running");
    ASSERT_TRUE(host.start_domain(uuid));
    ASSERT_TRUE(host.save_domain(uuid, "/f", {}, StartAs::paused));
    EXPECT_EQ(host.domain_state(uuid)->state, State::off);
    EXPECT_NE(host.saved_domain_xml("/f")->find("<name>d</name>"), std::string::npos);
    EXPECT_EQ(words_of(host.restore_domain("/g", {}, {})),
              "38/12 cannot read domain image '/g': No such file or directory");
    EXPECT_NE(words_of(host.restore_domain("/f", domain_xml_for_test("other", ""), {})), "fine");
    ASSERT_TRUE(host.restore_domain("/f", {}, {}));
    EXPECT_EQ(host.domain_state(uuid)->state, State::paused);
    EXPECT_TRUE(*host.domain_persistent(uuid));
    EXPECT_NE(words_of(host.restore_domain("/f", {}, {})), "fine") << "it runs";
}

TEST_F(MomentsTest, DevicesComeAndGo) {
    const auto change = [&](std::string_view xml, DeviceChange what, Impact impact) {
        return words_of(host.change_device(uuid, xml, what, impact));
    };
    constexpr std::string_view kDisk =
        "<disk type='file' device='disk'><source file='/b'/><target dev='vdb'/></disk>";
    constexpr std::string_view kCard =
        "<interface type='network'><mac address='52:54:00:00:00:01'/></interface>";
    EXPECT_EQ(change(kDisk, DeviceChange::attach, Impact::live),
              "55/20 Requested operation is not valid: domain is not running");
    ASSERT_TRUE(host.start_domain(uuid));
    EXPECT_EQ(change(kDisk, DeviceChange::attach, Impact::both), "fine");
    EXPECT_EQ(change(kDisk, DeviceChange::attach, Impact::live),
              "9/20 operation failed: target vdb already exists");
    EXPECT_EQ(host.domain_stats(uuid)->disks.size(), 2U);
    EXPECT_NE(host.domain_xml(uuid, Definition::inactive)->find("<target dev='vdb'/>"),
              std::string::npos);
    EXPECT_EQ(change(kCard, DeviceChange::attach, Impact::current), "fine");
    const auto stats = host.domain_stats(uuid);
    ASSERT_EQ(stats->interfaces.size(), 2U);
    EXPECT_EQ(stats->interfaces[1].name, "vnet1");
    EXPECT_EQ(change("<disk type='file'><source file='/c'/><target dev='vdb'/></disk>",
                     DeviceChange::update, Impact::live),
              "fine");
    EXPECT_EQ(host.domain_stats(uuid)->disks[1].source, "/c");
    EXPECT_EQ(change(kDisk, DeviceChange::detach, Impact::live), "fine");
    EXPECT_EQ(change(kDisk, DeviceChange::detach, Impact::live),
              "99/20 device not found: disk vdb not found");
    EXPECT_EQ(change("<disk/>", DeviceChange::attach, Impact::live),
              "27/20 XML error: missing target information for disk");
    EXPECT_NE(change("<disk", DeviceChange::attach, Impact::live), "fine");
    EXPECT_EQ(change("<rng><alias name='ua-1'/></rng>", DeviceChange::attach, Impact::live),
              "fine");
    EXPECT_TRUE(host.detach_device_alias(uuid, "ua-1", Impact::live));
    EXPECT_EQ(words_of(host.detach_device_alias(uuid, "ua-1", Impact::live)),
              "99/20 device not found: no device found with alias ua-1");
    ASSERT_TRUE(host.destroy_domain(uuid));
    EXPECT_EQ(host.domain_stats(uuid)->disks.size(), 2U) << "as it is defined";
}

TEST_F(MomentsTest, RatesAreKept) {
    const auto set = [&](Tuning kind, std::string_view device, TuningParam param) {
        return words_of(host.set_tuning(uuid, kind, device, {std::move(param)}, Impact::config));
    };
    EXPECT_EQ(set(Tuning::disk, "vda", {"read_iops_sec", std::uint64_t{7}}), "fine");
    EXPECT_EQ(
        std::get<std::uint64_t>(host.tuning(uuid, Tuning::disk, "/a", Impact::config)->at(4).value),
        7U);
    EXPECT_EQ(set(Tuning::disk, "vdz", {"read_iops_sec", std::uint64_t{7}}),
              "8/12 invalid argument: invalid path: vdz");
    EXPECT_EQ(set(Tuning::memory, "", {"hard_limit", std::uint32_t{7}}),
              "8/12 invalid argument: parameter 'hard_limit' is of another type");
    EXPECT_EQ(set(Tuning::memory, "", {"soft", std::uint64_t{7}}),
              "8/12 invalid argument: parameter 'soft' not supported");
    EXPECT_NE(set(Tuning::numa, "", {"numa_nodeset", std::string(5000, '0')}), "fine");
    EXPECT_EQ(words_of(host.tuning(uuid, Tuning::memory, "", Impact::live)),
              "55/20 Requested operation is not valid: domain is not running");
}

TEST_F(MomentsTest, ProcessorsArePinned) {
    ASSERT_TRUE(host.pin_vcpu(uuid, 0, {std::byte{6}}, Impact::config));
    const auto pins = host.vcpu_pins(uuid);
    EXPECT_EQ(pins->at(0), (std::vector<std::byte>{std::byte{6}, std::byte{0}}));
    EXPECT_NE(words_of(host.pin_vcpu(uuid, 9, {std::byte{1}}, Impact::config)), "fine");
    EXPECT_NE(words_of(host.pin_vcpu(uuid, 0, {}, Impact::config)), "fine");
}

}  // namespace
}  // namespace helio::virt::host::moments_test
