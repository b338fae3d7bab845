#include "helio/base/text/byte_text.h"

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

}  // namespace
}  // namespace helio::byte_text_test
