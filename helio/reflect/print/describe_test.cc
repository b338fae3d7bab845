#include "helio/reflect/print/describe.h"

#include <gtest/gtest.h>

#include "testing/reflect/schema.h"

namespace helio::reflect::describe_test {
namespace {

TEST(Describe, Struct) {
    EXPECT_EQ(describe(rich("read_args")),
              "struct read_args: 16 to 80 bytes\n"
              "  RFC 1813's READ3args.\n"
              "    file    handle = opaque<HANDLE_MAX = 64>  4 to 68 bytes  what to read\n"
              "    offset  cookie = unsigned hyper           8 bytes        where\n"
              "    count   unsigned int                      4 bytes        how much\n");
}

TEST(Describe, SizesBeyondAllNumbers) {
    const auto schema = schema_of(
        "typedef hyper a[2147483647]; typedef a b[2147483647]; struct c { b one; opaque two<>; };");
    EXPECT_NE(describe(*schema->type("a")).find("a: 17179869176 bytes\n"), std::string::npos);
    EXPECT_NE(describe(*schema->type("b")).find("b: 2^64 bytes or more\n"), std::string::npos);
    EXPECT_TRUE(describe(*schema->type("c")).starts_with("struct c: 2^64 bytes or more\n"));
    EXPECT_EQ(describe(*schema->type("c")).find("18446744073709551615"), std::string::npos);
}

TEST(Describe, UnionEnumAndAlias) {
    EXPECT_EQ(describe(rich("read_result")),
              "union read_result: 4 to 84 bytes\n"
              "    status state selects\n"
              "        OK:         done    read_args  16 to 80 bytes\n"
              "        NOT_FOUND:          void       0 bytes\n"
              "        default:    reason  color      4 bytes\n");
    EXPECT_EQ(describe(rich("status")),
              "enum status: 4 bytes\n"
              "  Status words grow with each revision of a protocol.\n"
              "    OK         0\n"
              "    NOT_FOUND  2\n"
              "    STALE      70\n"
              "    and any other value\n");
    EXPECT_EQ(describe(rich("cookie_alias")),
              "typedef cookie_alias: 8 bytes\n    is cookie = unsigned hyper\n");
}

TEST(Describe, Program) {
    EXPECT_EQ(describe(rich().programs.front()),
              "program RICH = 536870978\n"
              "  version RICH_V1 = 1\n"
              "      0  RICH_NULL  (void) → void\n"
              "      1  RICH_READ  (read_args) → read_result\n"
              "      2  RICH_ADD   (int, hyper, name) → int\n");
    EXPECT_NE(describe(rich()).find("struct everything"), std::string::npos);
}

}  // namespace
}  // namespace helio::reflect::describe_test
