#include "helio/load/nfs/target.h"

#include <gtest/gtest.h>

namespace helio::load::nfs::target_test {
namespace {

struct Case {
    const char* text;
    const char* host;
    std::uint16_t port;
    const char* path;
};

TEST(ExportNames, EveryWayToWriteOne) {
    const Case cases[] = {
        {"server:/export", "server", 0, "/export"},
        {"server:2049:/a/b", "server", 2049, "/a/b"},
        {"10.0.0.7:/", "10.0.0.7", 0, "/"},
        {"[::1]:2049:/x", "::1", 2049, "/x"},
        {":/x", "localhost", 0, "/x"},
        {"nfs://server/export", "server", 0, "/export"},
        {"nfs://server:20490/", "server", 20490, "/"},
        {"nfs://[::1]:2049/x:/y", "::1", 2049, "/x:/y"},
    };
    for (const Case& one : cases) {
        const auto name = parse_export(one.text);
        ASSERT_TRUE(name) << one.text << ": " << name.error();
        EXPECT_EQ(name->host, one.host) << one.text;
        EXPECT_EQ(name->port, one.port) << one.text;
        EXPECT_EQ(name->path, one.path) << one.text;
    }
}

TEST(ExportNames, WhatIsNoneIsSaid) {
    for (const char* text :
         {"", "server", "server:2049", "nfs://server", "server:99999:/x", "server:x:/y"})
        EXPECT_FALSE(parse_export(text)) << text;
}

}  // namespace
}  // namespace helio::load::nfs::target_test
