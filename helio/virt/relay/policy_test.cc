#include "helio/virt/relay/policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "helio/virt/relay/objects_internal.h"
#include "helio/virt/relay/xml_name_internal.h"
#include "helio/virt/server/rules.h"
#include "helio/virt/wire/programs.h"
#include "schema/remote_service.h"
#include "testing/virt/relay.h"

namespace helio::virt::relay::policy_test {

using namespace helio::virt::relay::testing;

namespace {

using Kind = Judgement::Kind;

std::string problem(std::string_view rule) {
    const auto made = try_policy({rule});
    return made ? "" : made.error();
}

// The daemon's names: UUIDs of 1s are prod-1, of 2s test-2.
Kind judge(const Policy& policy, std::uint32_t procedure, const Bytes& arguments = {}) {
    Answers answers;
    Judgement out = policy.judge(head(procedure, 1), arguments, answers);
    if (out.kind != Kind::ask) return out.kind;
    for (const Question& one : out.questions)
        answers[one] =
            (one.by_number ? one.number == 1 : one.uuid[0] == std::byte{1}) ? "prod-1" : "test-2";
    return policy.judge(head(procedure, 1), arguments, answers).kind;
}

Kind judge(std::initializer_list<std::string_view> rules, std::uint32_t procedure,
           const Bytes& arguments = {}) {
    return judge(**try_policy(rules), procedure, arguments);
}

constexpr Kind kAllowed = Kind::allowed;
constexpr Kind kDenied = Kind::denied;

TEST(RelayGlob, MatchesAsShellsDo) {
    EXPECT_TRUE(glob_matches("", ""));
    EXPECT_TRUE(glob_matches("*", ""));
    EXPECT_TRUE(glob_matches("a*c", "abbbc"));
    EXPECT_TRUE(glob_matches("*b*b", "abcab"));
    EXPECT_TRUE(glob_matches("a?c", "abc"));
    EXPECT_TRUE(glob_matches("a\\*", "a*"));
    EXPECT_FALSE(glob_matches("a\\*", "ab"));
    EXPECT_FALSE(glob_matches("a?c", "ac"));
    EXPECT_FALSE(glob_matches("prod-*", "prod"));
    EXPECT_FALSE(glob_matches("a*b", "abc"));
    EXPECT_TRUE(glob_matches("a\\", "a\\"));
    EXPECT_FALSE(glob_matches("*a*a*a*a*a*a*a*a*b", std::string(20'000, 'a')));
}

TEST(RelayRules, HaveAGrammar) {
    const auto rule = parse_rule(Effect::deny, "qemu.Domain_*:domain=a\\,b,flags!=1");
    ASSERT_TRUE(rule);
    EXPECT_EQ(rule->program, "qemu");
    EXPECT_EQ(rule->procedure, "domain*");
    ASSERT_EQ(rule->conditions.size(), 2u);
    EXPECT_EQ(rule->conditions[0].glob, "a\\,b");
    EXPECT_FALSE(rule->conditions[1].equal);
    EXPECT_EQ(rule->conditions[1].path, "flags");
    EXPECT_EQ(to_text(*rule), "deny qemu.Domain_*:domain=a\\,b,flags!=1");
    for (const char* const wrong : {"", ":", "a:", "a:b", "a:=b", "a:!=b", "a:b=c,", "qemu."})
        EXPECT_FALSE(parse_rule(Effect::allow, wrong)) << wrong;
}

TEST(RelayRules, AreReadFromFiles) {
    const auto rules =
        parse_rules("# why\n\n allow  DomainGet*\r\ndeny\tDomainDestroy:domain=a # b\n", "f");
    ASSERT_TRUE(rules);
    ASSERT_EQ(rules->size(), 2u);
    EXPECT_EQ((*rules)[0].text, "DomainGet*");
    EXPECT_EQ((*rules)[1].conditions[0].glob, "a # b");
    EXPECT_EQ(parse_rules("allow *\npermit *\n", "f").error(),
              "f:2: expected 'allow RULE' or 'deny RULE', not 'permit'");
    EXPECT_TRUE(parse_rules("allow", "f").error().starts_with("f:1: rule ''"));
}

TEST(RelayRules, SayWhatIsWrongWithThem) {
    EXPECT_EQ(problem("deny DomainDestry"),
              "rule 'DomainDestry': no procedure has that name; DomainDestroy?");
    EXPECT_EQ(problem("deny DomainDestroy:dom.nam=x"),
              "rule 'DomainDestroy:dom.nam=x': dom.nam of DomainDestroy: there is no 'nam' (there "
              "is: name, uuid, id)");
    EXPECT_NE(problem("deny NodeGetInfo:domain=x"), "");
    // Fields that daemons ignore cannot decide.
    EXPECT_NE(problem("deny DomainDestroy:dom.id=1"), "");
    EXPECT_NE(problem("deny StorageVolDelete:vol.key=x"), "");
    EXPECT_NE(problem("deny SecretSetValue:secret.usageID=x"), "");
    EXPECT_EQ(problem("deny SecretSetValue:secret.uuid=x"), "");
    EXPECT_NE(problem("deny DomainEventLifecycle"), "");  // an event: never called
    EXPECT_EQ(problem("deny virDomainDestroy"), "");
    EXPECT_EQ(problem("deny qemu.*"), "");
    EXPECT_NE(problem("deny xen.*"), "");
}

TEST(RelayPolicy, DenyWinsAndAllowListsAreClosed) {
    EXPECT_EQ(judge({}, 9999), kAllowed);
    EXPECT_EQ(judge({"deny DomainDestroy"}, kDomainDestroy), kDenied);
    EXPECT_EQ(judge({"deny DomainDestroy"}, kNodeGetInfo), kAllowed);
    EXPECT_EQ(judge({"allow Domain*", "deny DomainDestroy"}, kDomainDestroy), kDenied);
    EXPECT_EQ(judge({"deny DomainDestroy", "allow Domain*"}, kDomainDestroy), kDenied);
    EXPECT_EQ(judge({"allow Domain*"}, kDomainDestroy), kAllowed);
    EXPECT_EQ(judge({"allow Domain*"}, kNodeGetInfo), kDenied);
    // Procedures that every connection needs pass, unless denied by name.
    EXPECT_EQ(judge({"allow Domain*"}, kConnectOpen), kAllowed);
    EXPECT_EQ(judge({"deny *"}, kAuthList), kAllowed);
    EXPECT_EQ(judge({"deny ConnectOpen"}, kConnectOpen), kDenied);
    EXPECT_EQ(judge({"deny *"}, kNodeGetInfo), kDenied);
}

TEST(RelayPolicy, UnknownProceduresMakeClientsFallBack) {
    const auto policy = try_policy({"deny DomainDestroy"});
    const Judgement out = (*policy)->judge(head(9999, 1), {}, {});
    EXPECT_EQ(out.kind, kDenied);
    EXPECT_TRUE(says_unknown_procedure(out.error));
    VirnetHeader other = head(kNodeGetInfo, 1);
    other.version = 2;
    EXPECT_EQ((*policy)->judge(other, {}, {}).kind, kDenied);
    other.program = 1;
    EXPECT_EQ((*policy)->judge(other, {}, {}).kind, kDenied);
}

TEST(RelayPolicy, NamesTheRuleToTheClient) {
    const auto policy = try_policy({"allow *", "deny DomainDestroy"});
    const Judgement out = (*policy)->judge(head(kDomainDestroy, 1), domain("a", 2), {});
    EXPECT_EQ(out.rule, 2u);
    EXPECT_EQ(out.error.code, virt::VIR_ERR_OPERATION_DENIED);
    EXPECT_EQ(out.error.domain, virt::VIR_FROM_RPC);
    EXPECT_NE(out.error.message.find("DomainDestroy: denied by rule 2"), std::string::npos);
}

// A client may send one domain's name with another's UUID; the daemon uses the UUID.
TEST(RelayPolicy, DoesNotBelieveNames) {
    const Bytes honest = domain("prod-1", 1), other = domain("test-2", 2);
    const Bytes lie = domain("test-2", 1), reverse_lie = domain("prod-1", 2);
    for (const char* const what : {"domain", "dom.name", "dom"}) {
        const std::string deny = std::string("deny DomainDestroy:") + what + "=prod-*";
        EXPECT_EQ(judge({deny}, kDomainDestroy, honest), kDenied) << what;
        EXPECT_EQ(judge({deny}, kDomainDestroy, other), kAllowed) << what;
        EXPECT_EQ(judge({deny}, kDomainDestroy, lie), kDenied) << what;
        EXPECT_EQ(judge({deny}, kDomainDestroy, reverse_lie), kDenied) << what;
        const std::string allow = std::string("allow DomainDestroy:") + what + "=test-*";
        EXPECT_EQ(judge({allow}, kDomainDestroy, honest), kDenied) << what;
        EXPECT_EQ(judge({allow}, kDomainDestroy, other), kAllowed) << what;
        EXPECT_EQ(judge({allow}, kDomainDestroy, lie), kDenied) << what;
        EXPECT_EQ(judge({allow}, kDomainDestroy, reverse_lie), kDenied) << what;
        const std::string deny_others = std::string("deny DomainDestroy:") + what + "!=test-*";
        EXPECT_EQ(judge({deny_others}, kDomainDestroy, other), kAllowed) << what;
        EXPECT_EQ(judge({deny_others}, kDomainDestroy, lie), kDenied) << what;
    }
    EXPECT_EQ(judge({"deny DomainDestroy:dom.uuid=01010101-0101-*"}, kDomainDestroy, lie), kDenied);
    EXPECT_EQ(judge({"deny DomainDestroy:dom.uuid=01010101-0101-*"}, kDomainDestroy, other),
              kAllowed);
}

TEST(RelayPolicy, SeesDomainsHoweverTheyAreNamed) {
    constexpr std::string_view kDeny = "deny *:domain=prod-*";
    EXPECT_EQ(judge({kDeny}, kLookupByName, text("prod-1")), kDenied);
    EXPECT_EQ(judge({kDeny}, kLookupByName, text("test-2")), kAllowed);
    EXPECT_EQ(judge({kDeny}, kLookupByUuid, uuid(1)), kDenied);
    EXPECT_EQ(judge({kDeny}, kLookupByUuid, uuid(2)), kAllowed);
    EXPECT_EQ(judge({kDeny}, kLookupById, words({1})), kDenied);
    EXPECT_EQ(judge({kDeny}, kLookupById, words({2})), kAllowed);
    // Within a snapshot, and in an array.
    constexpr std::uint32_t kSnapshotDelete = 193;
    const auto* const snapshot = procedures().find(virt::kRemoteProgram, 1, kSnapshotDelete);
    ASSERT_EQ(snapshot->name, "DomainSnapshotDelete");
    EXPECT_EQ(judge({kDeny}, kSnapshotDelete, text("s") + domain("x", 1) + words({0})), kDenied);
    EXPECT_EQ(judge({kDeny}, kSnapshotDelete, text("s") + domain("x", 2) + words({0})), kAllowed);
    const auto stats = [](const Bytes& doms, std::uint32_t count) {
        return words({count}) + doms + words({0, 0});
    };
    EXPECT_EQ(judge({kDeny}, kGetAllDomainStats, stats(domain("a", 2) + domain("b", 1), 2)),
              kDenied);
    EXPECT_EQ(judge({kDeny}, kGetAllDomainStats, stats(domain("a", 2), 1)), kAllowed);
    EXPECT_EQ(judge({"allow *:domain=test-*"}, kGetAllDomainStats,
                    stats(domain("test-2", 2) + domain("test-1", 1), 2)),
              kDenied);
    // None named means all of them.
    EXPECT_EQ(judge({"allow *:domain=test-*"}, kGetAllDomainStats, stats({}, 0)), kDenied);
    EXPECT_EQ(judge({"deny *:domain!=test-*"}, kGetAllDomainStats, stats({}, 0)), kDenied);
    // Described by unambiguous XML.
    const auto defined = [](std::string_view name) {
        return text("<domain><name>" + std::string(name) + "</name></domain>");
    };
    EXPECT_EQ(judge({kDeny}, kDomainDefineXml, defined("prod-1")), kDenied);
    EXPECT_EQ(judge({kDeny}, kDomainDefineXml, defined("test-2")), kAllowed);
    EXPECT_EQ(judge({kDeny}, kDomainDefineXml, defined("pr&#111;d-1")), kDenied);
    EXPECT_EQ(judge({"allow *:domain=test-*"}, kDomainDefineXml, defined("test-2")), kAllowed);
    EXPECT_EQ(judge({"allow *:domain=*"}, kDomainDefineXml, text("<domain/>")), kDenied);
    // Named by an image: undecidable.
    constexpr std::uint32_t kDomainRestore = 54;
    ASSERT_EQ(procedures().find(virt::kRemoteProgram, 1, kDomainRestore)->name, "DomainRestore");
    EXPECT_EQ(judge({kDeny}, kDomainRestore, text("/image")), kDenied);
    EXPECT_EQ(judge({"allow *:domain=*"}, kDomainRestore, text("/image")), kDenied);
    EXPECT_EQ(judge({kDeny}, kNodeGetInfo), kAllowed);
}

// A rule on names is also about the names that an object will have.
TEST(RelayPolicy, SeesNewNames) {
    constexpr std::string_view kDeny = "deny *:domain=prod-*", kAllow = "allow *:domain=test-*";
    constexpr std::uint32_t kRename = 358, kPerform3 = 216, kPrepare3 = 214, kFinish3 = 217,
                            kBegin3Params = 302, kPrepare3Params = 303, kSaveFlags = 232,
                            kRestoreFlags = 233;
    const auto number_of = [](std::uint32_t number) {
        return procedures().find(virt::kRemoteProgram, 1, number)->name;
    };
    ASSERT_EQ(number_of(kRename), "DomainRename");
    ASSERT_EQ(number_of(kPerform3), "DomainMigratePerform3");
    ASSERT_EQ(number_of(kPrepare3), "DomainMigratePrepare3");
    ASSERT_EQ(number_of(kFinish3), "DomainMigrateFinish3");
    ASSERT_EQ(number_of(kBegin3Params), "DomainMigrateBegin3Params");
    ASSERT_EQ(number_of(kPrepare3Params), "DomainMigratePrepare3Params");
    ASSERT_EQ(number_of(kSaveFlags), "DomainSaveFlags");
    ASSERT_EQ(number_of(kRestoreFlags), "DomainRestoreFlags");
    const Bytes none = words({0});
    const auto some = [](const Bytes& value) { return words({1}) + value; };
    const auto xml = [](std::string_view name) {
        return text("<domain><name>" + std::string(name) + "</name></domain>");
    };
    const auto check = [&](std::uint32_t procedure, const Bytes& arguments, Kind expected) {
        EXPECT_EQ(judge({kDeny}, procedure, arguments), expected) << number_of(procedure);
        EXPECT_EQ(judge({kAllow}, procedure, arguments), expected) << number_of(procedure);
    };
    const auto rename = [&](const Bytes& name) { return domain("test-2", 2) + name + none; };
    check(kRename, rename(some(text("prod-9"))), kDenied);
    check(kRename, rename(some(text("test-9"))), kAllowed);
    check(kRename, rename(none), kAllowed);
    const auto perform = [&](const Bytes& xmlin, const Bytes& name) {
        return domain("test-2", 2) + xmlin + none + none + none + words({0, 0}) + name +
               words({0, 0});
    };
    check(kPerform3, perform(none, some(text("prod-9"))), kDenied);
    check(kPerform3, perform(some(xml("prod-9")), none), kDenied);
    check(kPerform3, perform(some(text("<domain/>")), none), kDenied);
    check(kPerform3, perform(some(xml("test-9")), some(text("test-9"))), kAllowed);
    // The receiving half names no object except the one that it makes.
    const auto prepare = [&](const Bytes& name, const Bytes& described) {
        return none + none + words({0, 0}) + name + words({0, 0}) + described;
    };
    check(kPrepare3, prepare(some(text("prod-9")), xml("test-9")), kDenied);
    check(kPrepare3, prepare(some(text("test-9")), xml("prod-9")), kDenied);
    check(kPrepare3, prepare(none, text("<domain/>")), kDenied);
    check(kPrepare3, prepare(none, xml("test-9")), kAllowed);
    const auto finish = [&](std::string_view name) {
        return text(name) + none + none + none + words({0, 0}) + none;
    };
    check(kFinish3, finish("prod-9"), kDenied);
    check(kFinish3, finish("test-9"), kAllowed);
    // Typed parameters.
    constexpr std::uint32_t kString = 7;
    const auto parameter = [&](std::string_view name, const Bytes& value) {
        return text(name) + words({kString}) + value;
    };
    const auto begin = [&](const Bytes& one) {
        return domain("test-2", 2) + words({1}) + one + none;
    };
    check(kBegin3Params, begin(parameter("destination_name", text("prod-9"))), kDenied);
    check(kBegin3Params,
          begin(parameter(std::string_view("destination_name\0x", 18), text("prod-9"))), kDenied);
    check(kBegin3Params, begin(parameter("destination_xml", xml("prod-9"))), kDenied);
    check(kBegin3Params, begin(parameter("destination_name", text("test-9"))), kAllowed);
    check(kBegin3Params, begin(parameter("migrate_uri", text("prod-9"))), kAllowed);
    check(kPrepare3Params, words({0}) + none + none, kDenied);  // cannot tell
    check(kPrepare3Params, words({1}) + parameter("migrate_uri", text("x")) + none + none, kDenied);
    check(kPrepare3Params, words({1}) + parameter("destination_xml", xml("test-9")) + none + none,
          kAllowed);
    // An image contains another domain than the XML beside it describes.
    check(kSaveFlags, domain("test-2", 2) + text("/image") + some(xml("prod-9")) + none, kDenied);
    check(kSaveFlags, domain("test-2", 2) + text("/image") + some(xml("test-2")) + none, kAllowed);
    check(kRestoreFlags, text("/image") + some(xml("test-9")) + none, kDenied);
}

// Strings that rules on names need not see, by procedure or struct, and field.
constexpr std::string_view kOtherStrings[] = {
    // Of the connection: a driver's URI, a mechanism.
    "connectopen.name",
    "authsaslstart.mech",
    // The host's capabilities, and translations of descriptions. No object is created.
    "connect*.type",
    "connect*.arch",
    "connect*.machine",
    "connect*.virttype",
    "connect*.emulator*",
    "connect*.xml",
    "connect*.xmlCPU*",
    "connectfindstoragepoolsources.*",
    "connectdomainxmltonative.*",
    "connectdomainxmlfromnative.*",
    // Objects that no rule has a name for. Their fields can be named by path.
    "node*device*",
    "remote_nonnull_node_device.*",
    "interface*",
    "remote_nonnull_interface.*",
    "secret*",
    "remote_nonnull_secret.*",
    // Volumes: the pool has a struct, or it is undecidable (by key, by path).
    "storagevol*",
    "storagepoollookupbytargetpath.path",
    // Filters: their name is an attribute in XML, so it is undecidable. Bindings are identified by
    // port.
    "nwfilterdefinexml*.xml",
    "nwfilterbinding*",
    "remote_nonnull_nwfilter_binding.*",
    // Of a network that has a struct: a section, a port, metadata, a lease.
    "networkupdate.xml",
    "networkport*.xml",
    "network?etmetadata.*",
    "networkgetdhcpleases.mac",
    // Of a domain that has a struct: its devices, disks, files on the host, users of the guest,
    // snapshots, metadata, the other host of a migration.
    "domain*device*.xml",
    "domain*.alias",
    "domain*.dev",
    "domain*.device",
    "domain*.dev_name",
    "domain*.disk",
    "domain*.path",
    "domain*.base",
    "domain*.top",
    "domain*.destxml",
    "domain*.to",
    "domain*.group",
    "domain*.mountPoint",
    "domain*.mountpoints",
    "domain*.cpumap",
    "domain*.user",
    "domain*.password",
    "domain*.keys",
    "domain?etmetadata.*",
    "domain*.uri",
    "domain*.uri_in",
    "domain*.dconnuri",
    "domainbackupbegin.*",
    "domainopenchannel.name",
    "domainfdassociate.name",
    "domainsnapshot*",
    "domaincheckpoint*",
    "remote_nonnull_domain_snapshot.name",
    "remote_nonnull_domain_checkpoint.name",
    "domain*command*.cmd",
    "connectdomainmonitoreventregister.event",
    // Of an image, whose contents decide: undecidable.
    "domainrestore*.from",
    "domainsaveimage*.file",
    // Values of typed parameters are known by the parameters' names.
    "remote_typed_param.field",
    "remote_typed_param_value.s",
};

// Calls `see` for each string that arguments of a procedure may hold, outside of objects.
void walk_strings(const idl::Type& type, const std::string& owner,
                  const std::function<void(const std::string&, const idl::Field&)>& see,
                  int depth) {
    ASSERT_LT(depth, 16);
    const auto one = [&](const idl::Field& field) {
        const idl::Type* at = &idl::resolve(*field.type);
        while (at->element != nullptr && at->kind != idl::Kind::string)
            at = &idl::resolve(*at->element);
        if (at->kind == idl::Kind::string) return see(owner, field);
        if (object_kind_of(*at) || is_volume(*at)) return;
        walk_strings(*at, at->name, see, depth + 1);
    };
    for (const auto& field : type.fields) one(field);
    for (const auto& arm : type.arms)
        if (arm.field.type != nullptr) one(arm.field);
}

TEST(RelayPolicy, EveryStringIsSeenOrKnownToBeNoName) {
    constexpr ObjectKind kKinds[] = {ObjectKind::domain, ObjectKind::network, ObjectKind::pool,
                                     ObjectKind::filter};
    std::size_t seen = 0;
    std::set<std::string_view> unused(std::begin(kOtherStrings), std::end(kOtherStrings));
    for (const RelayProcedure& procedure : procedures().all()) {
        if (procedure.event || procedure.schema == "admin") continue;  // the daemon's own program
        const bool looked_up = std::any_of(std::begin(kKinds), std::end(kKinds), [&](auto kind) {
            return lookup_of(procedure, kind) != Lookup::none;
        });
        walk_strings(
            *procedure.arguments, procedure.plain,
            [&](const std::string& owner, const idl::Field& field) {
                ++seen;
                if (looked_up && owner == procedure.plain) return;
                for (const ObjectKind kind : kKinds)
                    if (name_field(field.name, kind) != nullptr) return;
                const std::string name = owner + "." + field.name;
                bool known = false;
                for (const std::string_view glob : kOtherStrings)
                    if (glob_matches(glob, name)) {
                        unused.erase(glob);
                        known = true;
                    }
                EXPECT_TRUE(known)
                    << name << " of " << procedure.name
                    << ": if it names a domain, network, pool or filter, add it to kNameFields";
            },
            0);
    }
    EXPECT_GT(seen, 200u);
    for (const std::string_view glob : unused) ADD_FAILURE() << glob << " matches no string";
}

TEST(RelayXml, ReadsOnlyWhatHasOneMeaning) {
    const auto name = [](std::string_view xml) {
        return name_in_xml(xml, "domain").value_or("(cannot tell)");
    };
    EXPECT_EQ(name("<domain type='kvm'><name>web</name></domain>"), "web");
    EXPECT_EQ(
        name("<?xml version='1.0' encoding='UTF-8'?>\n<!-- a -->\n<domain >\n <os><name>x</name>"
             "<![CDATA[<name>y</name>]]></os> <n a=\"b'c\" d = 'e' /> <name >w w</name >\n"
             "</domain>\n<!-- b -->"),
        "w w");
    EXPECT_EQ(name("<domain><name></name></domain>"), "");
    EXPECT_EQ(name("<domain><name/></domain>"), "");
    for (const std::string_view xml : {
             "",
             "<domain/>",
             "<network><name>a</name></network>",
             "<domain><name>a</name>",
             "<domain><name>a</name><name>b</name></domain>",
             "<domain><name>a<b/></name></domain>",
             "<domain><name>a<!-- b -->c</name></domain>",
             "<domain><name><![CDATA[a]]></name></domain>",
             "<domain><name>&#97;</name></domain>",
             "<domain><name>a\nb</name></domain>",
             "<domain><name>a</nam></domain>",
             "<domain><name>a</name></domain><domain/>",
             "<domain><name>a</name></domain>text",
             "<!DOCTYPE domain [<!ENTITY e 'x'>]><domain><name>a</name></domain>",
             "<?xml version='1.0' encoding='UTF-7'?><domain><name>a</name></domain>",
             "<?php ?><domain><name>a</name></domain>",
             "<domain><!-- a -- b --><name>a</name></domain>",
             "<domain a='<'><name>a</name></domain>",
             "<domain a=b><name>a</name></domain>",
             "<domain><name>a</name></domain",
             "<domain><name",
             "\xef\xbb\xbf<domain><name>a</name></domain>",
         })
        EXPECT_EQ(name(xml), "(cannot tell)") << xml;
    EXPECT_EQ(name(std::string_view("<domain><name>a\0b</name></domain>", 34)), "(cannot tell)");
}

TEST(RelayPolicy, AZeroByteEndsAStringForSome) {
    const Bytes both = text(std::string_view("prod\0x", 6));
    EXPECT_EQ(judge({"deny DomainLookupByName:name=prod"}, kLookupByName, both), kDenied);
    EXPECT_EQ(judge({"deny DomainLookupByName:name=*x"}, kLookupByName, both), kDenied);
    EXPECT_EQ(judge({"allow DomainLookupByName:name=*x"}, kLookupByName, both), kDenied);
}

TEST(RelayPolicy, WhatDoesNotDecodeIsDenied) {
    const Bytes whole = domain("test-2", 2);
    for (std::size_t n = 0; n < whole.size(); ++n) {
        const Bytes cut(whole.begin(), whole.begin() + static_cast<long>(n));
        EXPECT_EQ(judge({"deny DomainDestroy:domain=prod-*"}, kDomainDestroy, cut), kDenied) << n;
        EXPECT_EQ(judge({"allow DomainDestroy:domain=*"}, kDomainDestroy, cut), kDenied) << n;
        EXPECT_EQ(judge({"deny DomainCreate"}, kDomainDestroy, cut), kAllowed) << n;
    }
    const auto policy = try_policy({"deny DomainDestroy:domain=prod-*"});
    EXPECT_NE(
        (*policy)->judge(head(kDomainDestroy, 1), {}, {}).error.message.find("cannot be decoded"),
        std::string::npos);
    // libvirt ignores bytes after the arguments, so they change nothing.
    EXPECT_EQ(judge({"deny DomainDestroy:domain=prod-*"}, kDomainDestroy, whole + words({7})),
              kAllowed);
}

TEST(RelayPolicy, ComparesNumbersAndWhatIsMissing) {
    constexpr std::uint32_t kSetMemory = 31;
    ASSERT_EQ(procedures().find(virt::kRemoteProgram, 1, kSetMemory)->name, "DomainSetMemory");
    const auto memory = [](std::uint32_t low) { return domain("a", 2) + words({0, low}); };
    EXPECT_EQ(judge({"deny DomainSetMemory:memory=4??"}, kSetMemory, memory(400)), kDenied);
    EXPECT_EQ(judge({"deny DomainSetMemory:memory=4??"}, kSetMemory, memory(4000)), kAllowed);
    EXPECT_EQ(judge({"deny DomainSetMemory:memory=400,domain=b"}, kSetMemory, memory(400)),
              kAllowed);
    // CONNECT_OPEN without a name opens the daemon's default.
    constexpr std::string_view kOnlyTest = "deny ConnectOpen:name!=test:*";
    EXPECT_EQ(judge({kOnlyTest}, kConnectOpen, words({1}) + text("test:///default") + words({0})),
              kAllowed);
    EXPECT_EQ(judge({kOnlyTest}, kConnectOpen, words({1}) + text("qemu:///system") + words({0})),
              kDenied);
    EXPECT_EQ(judge({kOnlyTest}, kConnectOpen, words({0, 0})), kDenied);
}

TEST(RelayPolicy, ReadersMayDoWhatTheServerLetsThem) {
    const auto& info = remote::REMOTE_PROTOCOL_VERSION::info();
    using Theirs = virt::server::ProcedureRules::Readers;
    using Ours = RelayProcedure::Readers;
    std::size_t depends = 0;
    for (const xdr::ProcedureInfo& one : info.procedures) {
        const auto theirs = virt::server::rules_of(virt::kRemoteProgram, one);
        const auto* const ours = procedures().find(virt::kRemoteProgram, 1, one.number);
        ASSERT_NE(ours, nullptr);
        if (theirs.is_event) continue;
        EXPECT_EQ(ours->readers == Ours::denied, theirs.readers == Theirs::denied) << ours->name;
        EXPECT_EQ(ours->readers == Ours::allowed, theirs.readers == Theirs::allowed) << ours->name;
        depends += theirs.readers == Theirs::depends ? 1 : 0;
    }
    EXPECT_EQ(depends, 6u);
    EXPECT_EQ(judge({"read-only"}, kDomainDestroy, domain("a", 2)), kDenied);
    EXPECT_EQ(judge({"read-only"}, kNodeGetInfo), kAllowed);
    EXPECT_EQ(judge({"read-only"}, kDomainGetXmlDesc, domain("a", 2) + words({0})), kAllowed);
    EXPECT_EQ(judge({"read-only"}, kDomainGetXmlDesc, domain("a", 2) + words({2})), kAllowed);
    EXPECT_EQ(judge({"read-only"}, kDomainGetXmlDesc, domain("a", 2) + words({3})), kDenied);
    EXPECT_EQ(judge({"read-only"}, kDomainGetXmlDesc, domain("a", 2)), kDenied);
    const auto policy = try_policy({"read-only"});
    EXPECT_NE((*policy)
                  ->judge(head(kDomainDestroy, 1), domain("a", 2), {})
                  .error.message.find("read only access prevents virDomainDestroy"),
              std::string::npos);
}

}  // namespace
}  // namespace helio::virt::relay::policy_test
