#include "helio/inspect/view/filter/filter.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "helio/inspect/view/filter/pattern.h"
#include "testing/inspect/exchange.h"

namespace helio::inspect::filter_test {
namespace {

constexpr const char* kWrite =
    R"({"file": {"data": "0102"}, "offset": 18446744073709551615, "count": 65537, "stable": "FILE_SYNC", "data": "abcd"})";
constexpr const char* kWritten =
    R"({"status": "NFS3_OK", "resok": {"file_wcc": {"before": null, "after": null}, "count": 65537, "committed": "FILE_SYNC", "verf": "0000000000000000"}})";

bool holds(std::string_view text, const Exchange& exchange, Names& names) {
    const auto filter = Filter::parse(text, builtin_catalogue());
    if (!filter) throw std::runtime_error(to_string(filter.error()));
    return filter->matches(exchange, names);
}

class FilterOfWrite : public testing::Test {
 protected:
    FilterOfWrite() : made_("nfs3.WRITE", kWrite) { made_.reply(kWritten); }
    bool holds(std::string_view text) { return filter_test::holds(text, made_.exchange(), names_); }

    ExchangeMaker made_;
    Names names_{builtin_catalogue()};
};

TEST_F(FilterOfWrite, Operations) {
    for (const char* yes :
         {"nfs3.WRITE", "WRITE", "write", "nfs3", "nfs", "NFS_V3", "NFSPROC3_WRITE",
          "READ || WRITE", "nfs3 && !READ", "!(READ||nfs2)", "nfs.WRITE"})
        EXPECT_TRUE(holds(yes)) << yes;
    for (const char* no : {"nfs3.READ", "nfs2", "mount", "mount.3", "!WRITE", "!(nfs3 && WRITE)",
                           "nfs3 && READ || mount"})
        EXPECT_FALSE(holds(no)) << no;
}

TEST_F(FilterOfWrite, Fields) {
    for (const char* yes : {"args.count > 65536",
                            "args.count > 64K",
                            "args.count == 0x10001",
                            "args.count != 5",
                            "args.offset == 18446744073709551615",
                            "args.offset >= 1G",
                            "args.offset > -1",
                            "args.stable == FILE_SYNC",
                            "args.stable == 2",
                            "args.stable ~ \"SYNC$\"",
                            "args.stable == \"FILE_SYNC\"",
                            "args.file == \"0102\"",
                            "args.file.data ~ \"^01\"",
                            "args.data == 2",
                            "args.count",
                            "result.resok.count == 65537",
                            "result.status == NFS3_OK",
                            "status == NFS3_OK",
                            "status == 0",
                            "!status",
                            "status != NFS3ERR_IO",
                            "nfs3.WRITE && args.count > 65536 && status == NFS3_OK"})
        EXPECT_TRUE(holds(yes)) << yes;
    for (const char* no :
         {"args.count > 65537", "args.count < -1", "args.stable == UNSTABLE", "args.name == \"x\"",
          "args.what.name != \"x\"", "result.resfail.file_wcc.before.attributes.size == 0",
          "args.stable !~ \"SYNC\"", "status", "status == MNT3_OK"})
        EXPECT_FALSE(holds(no)) << no;
}

// The first word of a struct may be zero.
TEST_F(FilterOfWrite, StructsAloneOnlyHaveToBeThere) {
    for (const char* yes : {"result.resok", "result.resok.file_wcc", "args"})
        EXPECT_TRUE(holds(yes)) << yes;
    for (const char* no : {"result.resfail", "result.resok.file_wcc.after", "args.stateid"})
        EXPECT_FALSE(holds(no)) << no;
}

TEST_F(FilterOfWrite, WhatIsAroundTheCall) {
    for (const char* yes : {"client == 10.0.0.1",
                            "client == 10.0.0.0/8",
                            "client == 0.0.0.0/0",
                            "client != 10.0.0.2",
                            "client == 10.0.0.1:854",
                            "client == \"10.0.0.0/31\"",
                            "server == 10.0.0.2/32",
                            "port == 2049",
                            "port == 854",
                            "port != 111",
                            "xid == 0x8f0a71c7",
                            "latency > 1ms",
                            "latency < 1.5ms",
                            "latency == 1234567ns",
                            "latency >= 0",
                            "verdict == SUCCESS",
                            "verdict",
                            "program == 100003",
                            "version == 3",
                            "procedure == 7",
                            "size > 100",
                            "size < 1K",
                            "retransmissions == 0",
                            "!retransmissions",
                            "!cut",
                            "!missing",
                            "carrier == tcp",
                            "operation ~ \"WRITE\"",
                            "operation == \"nfs3.WRITE\"",
                            "path ~ \"^fh:\"",
                            "path"})
        EXPECT_TRUE(holds(yes)) << yes;
    for (const char* no :
         {"client == 10.0.0.2", "client == 11.0.0.0/8", "client == ::1", "client != 10.0.0.0/8",
          "client == 10.0.0.1:855", "port != 2049", "latency > 2s", "verdict == AUTH_ERROR", "cut",
          "missing", "missing == reply", "carrier == udp", "path == \"/\"", "retransmissions > 0"})
        EXPECT_FALSE(holds(no)) << no;
}

TEST(Filter, WhatIsNotThereDoesNotMatch) {
    Names names{builtin_catalogue()};
    ExchangeMaker alone{"nfs3.WRITE", kWrite};
    for (const char* yes : {"missing == reply", "missing", "args.count > 5"})
        EXPECT_TRUE(holds(yes, alone.exchange(), names)) << yes;
    for (const char* no : {"latency >= 0", "latency < 1s", "verdict != SUCCESS",
                           "status != NFS3_OK", "missing == call", "result.resok.count != 1"})
        EXPECT_FALSE(holds(no, alone.exchange(), names)) << no;

    ExchangeMaker orphan{"nfs3.WRITE", kWrite};
    orphan.reply(kWritten).without_call();
    Exchange exchange = orphan.exchange();
    exchange.procedure = nullptr;
    EXPECT_TRUE(holds("missing == call", exchange, names));
    EXPECT_FALSE(holds("nfs3 || WRITE || program != 5 || path", exchange, names));

    ExchangeMaker cut{"nfs3.WRITE", kWrite};
    cut.cut_call(44);
    EXPECT_TRUE(holds("cut == call && nfs3.WRITE", cut.exchange(), names));
    EXPECT_FALSE(holds("args.count", cut.exchange(), names));
}

TEST(Filter, Addresses6) {
    Names names{builtin_catalogue()};
    ExchangeMaker made{"nfs3.NULL"};
    Endpoint& client = made.flow().ends[0];
    client = {{std::byte{0x20}, std::byte{0x01}, std::byte{0x0d}, std::byte{0xb8}}, 700, true};
    for (const char* yes :
         {"client == 2001:db8::", "client == 2001:db8::/33", "client == [2001:db8::]:700"})
        EXPECT_TRUE(holds(yes, made.exchange(), names)) << yes;
    EXPECT_FALSE(holds("client == 2001:db9::/32", made.exchange(), names));
}

TEST(Filter, ErrorsPointAtThePlaceAndSayWhatThereIs) {
    struct Row {
        const char* text;
        std::size_t position;
        const char* says;
    };
    const Row rows[] = {
        {"", 0, "ends where"},
        {"nfs3.WRITE && args.cuont > 5", 14, "did you mean args.count?"},
        {"nfs3.WRIT", 0, "did you mean nfs3.WRITE?"},
        {"eof", 0, "did you mean result.resok.eof?"},
        {"statsu == 5", 0, "did you mean status?"},
        {"status == NFS3ERR_NOENTT", 10, "did you mean NFS3ERR_NOENT?"},
        {"args.count == \"x\"", 14, "is a number"},
        {"args.what.name == x", 18, "in quotes"},
        {"path == /db/", 8, "in quotes"},
        {"path ~ \"a[\"", 9, "missing ]"},
        {"path ~ \"a", 7, "no closing quote"},
        {"path < \"a\"", 5, "no order"},
        {"latency > 5", 10, "unit"},
        {"latency > 5min", 11, "ns, us, ms or s"},
        {"args.count > 5X", 14, "K, M or G"},
        {"args.count > 99999999999999999999", 13, "too large"},
        {"client == banana", 10, "expected an address"},
        {"client == 10.0.0.0/33", 10, "expected an address"},
        {"client", 6, "10.0.0.0/8"},
        {"missing == both", 11, "one of call, reply"},
        {"nfs3.WRITE > 5", 11, "cannot be compared"},
        {"(READ || WRITE", 0, "'(' without ')'"},
        {"READ WRITE", 5, "&& or ||"},
        {"READ &&", 7, "ends where"},
        {"READ & WRITE", 5, "&& or ||"},
        {"args.quite_another_thing", 0, "helio describe"},
        {"xid ~ \"5\"", 4, "~ works only for text"},
        {"nfs4.READ && args.stateid == 1", 13,
         "args.stateid is a struct stateid4 and cannot be compared; did you mean "
         "args.stateid.seqid or args.stateid.other?"},
        {"args.stateid ~ \"0\"", 0, "args.stateid.other?"},
        {"args.stateid == NFS4_OK", 0, "args.stateid.other?"},
        {"args.where == \"x\"", 0,
         "args.where is a struct diropargs and cannot be compared; did you mean args.where.dir or "
         "args.where.name?"},
        {"args.openhow != 0", 0,
         "args.openhow is a union openflag4 and cannot be compared; did you mean "
         "args.openhow.opentype, args.openhow.how.mode or args.openhow.how.createverf?"},
        {"result.resok.reply > 5", 0, "did you mean result.resok.reply.entries or "},
    };
    for (const Row& row : rows) {
        const auto filter = Filter::parse(row.text, builtin_catalogue());
        ASSERT_FALSE(filter) << row.text;
        EXPECT_EQ(filter.error().position, row.position) << to_string(filter.error());
        EXPECT_NE(filter.error().problem.find(row.says), std::string::npos)
            << row.text << ": " << filter.error().problem;
    }
    EXPECT_EQ(
        to_string(Filter::parse("path == \"\x1b\" x", builtin_catalogue()).error()),
        "expected && or ||, or the end of the filter\n  path == \"\\x1b\" x\n                 ^");
}

TEST(Filter, HasLimits) {
    const auto& catalogue = builtin_catalogue();
    EXPECT_TRUE(Filter::parse(std::string(kFilterDepthMax - 1, '!') + "READ", catalogue));
    EXPECT_FALSE(Filter::parse(std::string(kFilterDepthMax, '!') + "READ", catalogue));
    EXPECT_TRUE(Filter::parse("READ" + std::string(kFilterSizeMax - 4, ' '), catalogue));
    EXPECT_FALSE(Filter::parse("READ" + std::string(kFilterSizeMax - 3, ' '), catalogue));
    std::string chain = "READ";
    while (chain.size() + 8 <= kFilterSizeMax) chain += "||READ";
    Names names{catalogue};
    ExchangeMaker made{"nfs3.NULL"};
    EXPECT_FALSE(holds(chain, made.exchange(), names));
}

TEST(Pattern, FindsWhatRegularExpressionsFind) {
    struct Row {
        const char* pattern;
        const char* found;
        const char* not_found;
    };
    const Row rows[] = {
        {"", "", nullptr},
        {"db", "/db/x", "/d/b"},
        {"^/db", "/db", "x/db"},
        {"\\.log$", "a.log", "a.log.1"},
        {"a.c", "xabcx", "ac"},
        {"^a*$", "aaaa", "aab"},
        {"^ab+c$", "abbbc", "ac"},
        {"^ab?c$", "ac", "abbc"},
        {"^(ab|cd)*$", "abcdab", "abc"},
        {"^(a|b|)c$", "c", "abc"},
        {"^[a-c]+$", "abcba", "abd"},
        {"^[^/]+$", "abc", "a/c"},
        {"^[]a]$", "]", "b"},
        {"[a-]", "-", "b"},
        {"(x+x+)+y", "xxxxxy", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
        {"^(a*)*$", "aaa", "b"},
        {"a|b", "xb", "c"},
        {"^$", "", "a"},
        {"\\[", "[", "]"},
        {"^a{2,3}$", "aaa", "aaaa"},
        {"^\\d+$", "0815", "08a"},
        {"]", "]", "["},
        {"^.\xff.$", "\n\xff\xfe", "a\xc3\xbf"},
    };
    for (const Row& row : rows) {
        const auto pattern = Pattern::make(row.pattern);
        ASSERT_TRUE(pattern) << row.pattern << ": " << pattern.error().problem;
        EXPECT_TRUE(pattern->found_in(row.found)) << row.pattern << " in " << row.found;
        if (row.not_found != nullptr) {
            EXPECT_FALSE(pattern->found_in(row.not_found))
                << row.pattern << " in " << row.not_found;
        }
    }
    struct Bad {
        const char* pattern;
        std::size_t position;
    };
    const Bad bad[] = {{"ab(c", 0},
                       {"ab)c", 0},
                       {"ab[c", 2},
                       {"*a", 0},
                       {"ab\\", 3},
                       {"a[d-b]c", 2},
                       {"a\\qb", 1},
                       {"x(*)", 2},
                       {"a**", 1},
                       {"a{1001}", 1},
                       {"((a{99}){99}){99}", 13}};
    for (const Bad& row : bad) {
        const auto made = Pattern::make(row.pattern);
        ASSERT_FALSE(made) << row.pattern;
        EXPECT_EQ(made.error().position, row.position)
            << row.pattern << ": " << made.error().problem;
    }
    EXPECT_TRUE(Pattern::make(std::string(kPatternSizeMax, '.')));
    EXPECT_FALSE(Pattern::make(std::string(kPatternSizeMax + 1, '.')));
}

// RE2's message quotes the pattern, which may contain control characters.
TEST(Pattern, ErrorsActOnNoTerminal) {
    const auto made = Pattern::make("a(\x05");
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().problem, "missing ): a(\\x05");
}

// Exponential in a backtracking matcher.
TEST(Pattern, NoTextMakesItSlow) {
    std::string pattern;
    for (int i = 0; i < 60; ++i) pattern += "(a*)*";
    const auto made = Pattern::make(pattern + "b");
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->found_in(std::string(4096, 'a')));
}

}  // namespace
}  // namespace helio::inspect::filter_test
