#include "helio/serve/config/config_file.h"

#include <gtest/gtest.h>

#include "helio/serve/config/backends.h"

namespace helio::serve::config_file_test {
namespace {

Result<Settings, std::vector<ConfigProblem>> parse(std::string_view text) {
    return parse_config(text, linked_backends());
}

TEST(ConfigFile, EveryKeyThereIs) {
    const auto read = parse(R"(
listen = ["0.0.0.0:2049", "[::1]:2050"]
threads = 3
memory = "2G"
state = "/var/lib/x"
lease = 30
sync-metadata = true
log = "json"
log-level = "warning"
metrics = "127.0.0.1:9100"
sandbox = false
portmap = true
rdma = "10.0.2.2"
read-only = true
squash = "all"
anon-uid = 1000
anon-gid = 4294967294
allow = "10.0.0.0/8"
udp = true

[[export]]
name = "data"
path = "/srv/data"
read-only = false
squash = "none"
anon-uid = 1
anon-gid = 2
allow = ["192.168.0.0/16", "fe80::/64"]

[[export]]
path = "memory:"
)");
    ASSERT_TRUE(read) << to_text("x", read.error().front());
    EXPECT_EQ(read->listen, (std::vector<Listen>{{"0.0.0.0", 2049}, {"::1", 2050}}));
    EXPECT_EQ(read->threads, 3u);
    EXPECT_EQ(read->memory_bytes_max, std::uint64_t{2} << 30);
    EXPECT_EQ(read->state, "/var/lib/x");
    EXPECT_EQ(read->lease_seconds, 30u);
    EXPECT_EQ(read->sync_metadata, true);
    EXPECT_EQ(read->log_format, LogFormat::json);
    EXPECT_EQ(read->log_level, LogLevel::warning);
    EXPECT_EQ(read->metrics, (Listen{"127.0.0.1", 9100}));
    EXPECT_EQ(read->sandbox, false);
    EXPECT_EQ(read->portmap, true);
    EXPECT_EQ(read->rdma, (Listen{"10.0.2.2", 20049}));
    EXPECT_EQ(read->rules.read_only, true);
    EXPECT_EQ(read->rules.squash, nfs::Squash::all);
    EXPECT_EQ(read->rules.anonymous_gid, 4294967294u);
    EXPECT_EQ(read->rules.udp, true);
    ASSERT_EQ(read->exports.size(), 2u);
    EXPECT_EQ(read->exports[0].name, "data");
    EXPECT_EQ(read->exports[0].rules.read_only, false);
    EXPECT_EQ(read->exports[0].rules.allowed->size(), 2u);
    EXPECT_EQ(read->exports[1].source, "memory:");
    EXPECT_FALSE(read->exports[1].rules.read_only);
    EXPECT_EQ(parse("metrics = \"off\"")->metrics_off, true);
}

TEST(ConfigFile, WhatIsWrongIsToldWithItsPlace) {
    struct Row {
        const char* text;
        const char* said;
    };
    for (const Row& row : {
             Row{"squish = \"all\"",
                 "f:1:1: unknown key 'squish' in this file; did you mean 'squash'?"},
             Row{"\n\n  colour = 3", "f:3:3: unknown key 'colour' in this file"},
             Row{"read-only = \"yes\"", "f:1:13: 'read-only' must be true or false, not a string"},
             Row{"threads = 0", "f:1:11: 'threads' is 0; it must be from 1 to 1024"},
             Row{"lease = 9", "f:1:9: 'lease' is 9; it must be from 10 to 3600"},
             Row{"lease = \"60\"", "f:1:9: 'lease' must be a number, not a string"},
             Row{"threads = 1.5", "f:1:11: 'threads' must be a number, not a fraction"},
             Row{"anon-uid = -1", "f:1:12: 'anon-uid' is -1; it must be from 0 to 4294967295"},
             Row{"anon-uid = 4294967296", "f:1:12: 'anon-uid' is 4294967296"},
             Row{"squash = \"most\"", "f:1:10: 'squash': 'most' is not root, all or none"},
             Row{"log = \"xml\"", "f:1:7: 'log': 'xml' is not text or json"},
             Row{"listen = [\"1.2.3.4:99999\"]", "f:1:11: 'listen': "},
             Row{"listen = [2049]", "f:1:11: 'listen' must be a string, not a number"},
             Row{"allow = [\"10.0.0.0/33\"]", "f:1:10: 'allow': "},
             Row{"allow = []", "f:1:9: 'allow' is empty"},
             Row{"state = \"here\"", "f:1:9: 'state' must be an absolute path"},
             Row{"[export]\npath = \"/\"", "f:1:1: write exports as [[export]]"},
             Row{"[[export]]\nname = \"a\"", "f:1:1: this export has no 'path'"},
             Row{"[[export]]\npath = \"data\"", "f:2:8: 'path' is neither an absolute path nor"},
             Row{"[[export]]\npath = \"/a\"\nname = \"/a/b\"",
                 "f:3:8: 'name': the name of an export"},
             Row{"[[export]]\npath = \"/a\"\npth = \"/b\"",
                 "f:3:1: unknown key 'pth' in an export; did you"},
             Row{"threads = ", "f:1:"},
             Row{"a = 1\na = 2", "f:2:"},
         }) {
        const auto read = parse(row.text);
        ASSERT_FALSE(read) << row.text;
        const std::string said = to_text("f", read.error().front());
        EXPECT_TRUE(said.starts_with(row.said)) << row.text << "\n  " << said;
    }
}

TEST(ConfigFile, AllProblemsInTheOrderOfTheFile) {
    const auto read = parse("zzz = 1\nthreads = 0\naaa = 2\n");
    ASSERT_FALSE(read);
    ASSERT_EQ(read.error().size(), 3u);
    EXPECT_EQ(read.error()[0].line, 1u);
    EXPECT_EQ(read.error()[1].line, 2u);
    EXPECT_EQ(read.error()[2].line, 3u);
}

// toml++ 3.3 does not handle these where TOML allows none.
TEST(ConfigFile, LettersBeyondAsciiAreForStringsAndComments) {
    for (const std::string_view wrong :
         {"\xef\xbb\xaf", "threads \u00e9 = 3", "state = \"a\\\u00e9\"",
          "state = \"\"\"a\\\n  \u00e9\"\"\"", "\u3042 = 1"}) {
        const auto read = parse(wrong);
        ASSERT_FALSE(read) << wrong;
        EXPECT_NE(to_text("f", read.error().front()).find("beyond ASCII"), std::string::npos)
            << to_text("f", read.error().front());
    }
    const auto read = parse(
        "\xef\xbb\xbf# \u00e9\nstate = \"/srv/\u00e9\\\" \" # \u3042\n[[export]]\npath = "
        "'/\u00e9'\n");
    ASSERT_TRUE(read) << to_text("f", read.error().front());
    EXPECT_EQ(read->exports.size(), 1u);
}

TEST(ConfigFile, IsRefusedWhereItsReaderIsAtALoss) {
    EXPECT_FALSE(parse("[\x01\n"));
    EXPECT_FALSE(parse("[=\n"));
}

TEST(ConfigFile, HasALimit) {
    EXPECT_TRUE(parse(std::string(kConfigSizeMax, '\n')));
    EXPECT_FALSE(parse(std::string(kConfigSizeMax + 1, '\n')));
    EXPECT_FALSE(read_config("/nonexistent/x.toml", linked_backends()));
    EXPECT_FALSE(read_config("/", linked_backends()));
}

}  // namespace
}  // namespace helio::serve::config_file_test
