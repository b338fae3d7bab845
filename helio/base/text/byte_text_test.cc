#include "helio/base/text/byte_text.h"

#include <array>

#include <gtest/gtest.h>

namespace helio::byte_text_test {
namespace {

TEST(ByteText, HexAndBase64) {
    struct Row {
        std::string_view bytes;
        const char *hex, *base64;
    };
    constexpr Row kRows[] = {
        // RFC 4648 §10
        {"", "", ""},
        {"f", "66", "Zg=="},
        {"fo", "666f", "Zm8="},
        {"foo", "666f6f", "Zm9v"},
        {"foob", "666f6f62", "Zm9vYg=="},
        {{"\0\xff\xfb\xef\xbe", 5}, "00fffbefbe", "AP/7774="},
    };
    for (const Row& row : kRows) {
        std::string hex = ">", base64 = ">";
        append_hex(hex, as_bytes(row.bytes));
        append_base64(base64, as_bytes(row.bytes));
        EXPECT_EQ(hex, std::string{">"} + row.hex);
        EXPECT_EQ(base64, std::string{">"} + row.base64);
    }
}

TEST(ByteText, Uuids) {
    constexpr std::string_view kText = "6695eb01-f6a4-8304-79aa-97f2502e193f";
    std::array<std::byte, 16> uuid;
    ASSERT_TRUE(parse_uuid(kText, uuid));
    std::string text;
    append_uuid(text, uuid);
    EXPECT_EQ(text, kText);
    std::array<std::byte, 16> same;
    ASSERT_TRUE(parse_uuid("6695EB01f6a4830479aa97f2502e193F", same));
    EXPECT_EQ(same, uuid);
    for (const char* wrong :
         {"", "6695eb01-f6a4-8304-79aa-97f2502e193", "6695eb01-f6a4-8304-79aa-97f2502e193f0",
          "6695eb01-f6a4-8304-79aa-97f2502e193g"})
        EXPECT_FALSE(parse_uuid(wrong, same)) << wrong;
}

}  // namespace
}  // namespace helio::byte_text_test
