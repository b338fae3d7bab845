#include "helio/serve/config/settings.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "helio/serve/config/backends.h"

namespace helio::serve::settings_test {
namespace {

TEST(Settings, Versions) {
    EXPECT_EQ(parse_versions("4.2,4.1,3,2").value(), (Versions{true, true, true}));
    EXPECT_EQ(Versions{}, parse_versions("4.2,4.1,3,2").value()) << "the default";
    EXPECT_EQ(parse_versions("3").value(), (Versions{false, true, false}));
    EXPECT_EQ(parse_versions("4").value(), (Versions{true, false, false}));
    for (const char* const bad : {"", ",", "5", "4.0", "3 2", "three", "3,,2"})
        EXPECT_FALSE(parse_versions(bad)) << bad;
    EXPECT_EQ(to_text(Versions{true, true, true}), "4.2, 4.1, 3 and 2");
    EXPECT_EQ(to_text(Versions{.four = false}), "3 and 2");
    EXPECT_EQ(to_text(Versions{false, true, false}), "3");
}

TEST(Settings, ExportsAsTheyAreWritten) {
    struct Row {
        const char* text;
        const char* name;
        const char* source;
    };
    for (const Row& row :
         {Row{"/srv/data", "", "/srv/data"}, Row{"data=/srv/data", "data", "/srv/data"},
          Row{"memory:", "", "memory:"}, Row{"m=memory:", "m", "memory:"}, Row{".", "", "."},
          Row{"/srv/a=b", "", "/srv/a=b"}, Row{"./memory:x", "", "./memory:x"}}) {
        const auto parsed = parse_export(row.text, linked_backends());
        ASSERT_TRUE(parsed) << row.text << ": " << parsed.error();
        EXPECT_EQ(parsed->name, row.name);
        EXPECT_EQ(parsed->source, row.source);
    }
    for (const char* const wrong : {"", "=/srv", "a b=/srv", "..=/srv", "data=", "memory:64M"})
        EXPECT_FALSE(parse_export(wrong, linked_backends())) << wrong;
}

TEST(Settings, Memory) {
    const struct {
        const char* text;
        std::uint64_t bytes;  // 0: wrong
    } rows[] = {
        {"64M", 64u << 20},
        {"2G", std::uint64_t{2} << 30},
        {"1T", std::uint64_t{1} << 40},
        {"67108864", 64u << 20},
        {"65536K", 64u << 20},
        {"63M", 0},
        {"", 0},
        {"M", 0},
        {"2GB", 0},
        {"2g", 0},
        {"-1G", 0},
        {"1.5G", 0},
        {"99999999999T", 0},
    };
    for (const auto& row : rows)
        EXPECT_EQ(parse_memory(row.text).value_or(0), row.bytes) << row.text;
}

TEST(Settings, WhereToListen) {
    struct Row {
        const char* text;
        const char* host;
        int port;
    };
    for (const Row& row :
         {Row{"127.0.0.1", "127.0.0.1", 2049}, Row{"127.0.0.1:0", "127.0.0.1", 0},
          Row{"10.0.0.1:12049", "10.0.0.1", 12049}, Row{"*", "", 2049}, Row{"*:0", "", 0},
          Row{":2050", "", 2050}, Row{"[::1]:2050", "::1", 2050}, Row{"[::1]:0", "::1", 0},
          Row{"::1", "::1", 2049}, Row{"[::1]", "::1", 2049}, Row{"localhost:1", "localhost", 1},
          // A port alone: the usual address.
          Row{"3000", "127.0.0.1", 3000}, Row{"0", "127.0.0.1", 0}}) {
        const auto parsed = parse_listen(row.text, kListenDefault);
        ASSERT_TRUE(parsed) << row.text << ": " << parsed.error();
        EXPECT_EQ(parsed->host, row.host) << row.text;
        EXPECT_EQ(parsed->port, row.port) << row.text;
    }
    for (const char* const wrong : {"127.0.0.1:70000", "127.0.0.1:x", "[::1", "host:-1", "",
                                    "70000", "127.0.0.1:2049:3", "nfs://127.0.0.1"})
        EXPECT_FALSE(parse_listen(wrong, kListenDefault)) << wrong;
    EXPECT_EQ(parse_listen("20050", kRdmaDefault)->host, "");
}

TEST(Settings, UsersAndGroupsByNameOrNumber) {
    EXPECT_EQ(parse_user("1000").value_or(1), 1000u);
    EXPECT_EQ(parse_user("root").value_or(1), 0u);
    EXPECT_EQ(parse_group("root").value_or(1), 0u);
    EXPECT_EQ(parse_user("4294967295").value_or(1), UINT32_MAX);
    EXPECT_EQ(parse_user("nosuchuser-7").error(),
              "this machine has no user 'nosuchuser-7'; a uid is a number from 0 to 4294967295");
    EXPECT_EQ(parse_group("4294967296").error(),
              "this machine has no group '4294967296'; a gid is a number from 0 to 4294967295");
}

ExportSettings named(const char* name, const char* source) {
    ExportSettings one;
    one.name = name;
    one.source = source;
    return one;
}

TEST(Settings, WhereExportsAreMounted) {
    using Paths = std::vector<std::string>;
    const auto mounted = [](const std::vector<ExportSettings>& exports) {
        return mount_paths(exports, linked_backends());
    };
    EXPECT_EQ(*mounted({named("", "/srv/data")}), (Paths{"/"}));
    EXPECT_EQ(*mounted({named("data", "/srv/data")}), (Paths{"/data"}));
    EXPECT_EQ(*mounted({named("lab/data", "/srv/data")}), (Paths{"/lab/data"}));
    for (const char* const wrong : {"/", "/a", "a/", "a//b", "a/../b", "./a", "a b"})
        EXPECT_FALSE(mounted({named(wrong, "/srv/a"), named("b", "/srv/b")})) << wrong;
    EXPECT_EQ(*mounted({named("", "/srv/a/"), named("b", "/srv/x"), named("", "memory:")}),
              (Paths{"/a", "/b", "/memory"}));
    EXPECT_FALSE(mounted({}));
    EXPECT_FALSE(mounted({named("", "/srv/a"), named("", "/home/a")}));
    EXPECT_FALSE(mounted({named("", "/"), named("", "/srv")})) << "the root has no name";
    EXPECT_FALSE(mounted(std::vector<ExportSettings>(kExportsMax + 1, named("a", "memory:"))));
}

TEST(Settings, FlagsGoBeforeTheFile) {
    Settings file;
    file.exports = {named("a", "/a")};
    file.listen = {Listen{"10.0.0.1", 2049}};
    file.rules.read_only = true;
    file.rules.squash = nfs::Squash::all;
    file.metrics = Listen{"127.0.0.1", 1};
    Settings flags;
    flags.exports = {named("b", "/b")};
    flags.listen = {Listen{"127.0.0.1", 0}};
    flags.rules.read_only = false;
    flags.metrics_off = true;
    const Settings both = file.overlaid_with(flags);
    EXPECT_EQ(both.exports.size(), 2u);
    EXPECT_EQ(both.listen, flags.listen);
    EXPECT_EQ(both.rules.read_only, false);
    EXPECT_EQ(both.rules.squash, nfs::Squash::all);
    EXPECT_EQ(both.metrics_off, true);
    EXPECT_FALSE(both.metrics);
}

TEST(Settings, StateIsWhereTheSystemKeepsIt) {
    setenv("STATE_DIRECTORY", "/var/lib/x:/var/lib/y", 1);
    EXPECT_EQ(default_state_directory(), "/var/lib/x");
    unsetenv("STATE_DIRECTORY");
    setenv("XDG_STATE_HOME", "/home/u/.state", 1);
    EXPECT_EQ(default_state_directory(), "/home/u/.state/heliograph");
    unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace helio::serve::settings_test
