#include "helio/base/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace helio::utf8_test {
namespace {

TEST(Utf8, TakesWhatRfc3629Allows) {
    struct Row {
        const char* what;
        std::string_view text;
        char32_t code;
        std::uint32_t size;  // 0: refused
    };
    constexpr Row kRows[] = {
        {"a letter", "ab", U'a', 1},
        {"a zero byte", {"\0", 1}, 0, 1},
        {"the first of two bytes", "\xc2\x80", 0x80, 2},
        {"the last of two bytes", "\xdf\xbf", 0x7ff, 2},
        {"the first of three bytes", "\xe0\xa0\x80", 0x800, 3},
        {"the last before the surrogates", "\xed\x9f\xbf", 0xd7ff, 3},
        {"the first behind them", "\xee\x80\x80", 0xe000, 3},
        {"the first of four bytes", "\xf0\x90\x80\x80", 0x10000, 4},
        {"the last of all", "\xf4\x8f\xbf\xbf", 0x10ffff, 4},
        {"a continuation alone", "\x80", 0, 0},
        {"two bytes for a slash", "\xc0\xaf", 0, 0},
        {"three bytes for a slash", "\xe0\x80\xaf", 0, 0},
        {"four bytes for a slash", "\xf0\x80\x80\xaf", 0, 0},
        {"a surrogate", "\xed\xa0\x80", 0, 0},
        {"one above U+10FFFF", "\xf4\x90\x80\x80", 0, 0},
        {"five bytes", "\xf8\x88\x80\x80\x80", 0, 0},
        {"a letter instead of a continuation", "\xe2\x82z", 0, 0},
        {"a lead byte alone", "\xc3", 0, 0},
    };
    for (const Row& row : kRows) {
        const Character got = first_character(row.text);
        EXPECT_EQ(got.code, row.code) << row.what;
        EXPECT_EQ(got.size, row.size) << row.what;
        const std::string around = "é" + std::string{row.text} + "!";
        EXPECT_EQ(is_utf8(around), row.size != 0) << row.what;
    }
}

TEST(Utf8, EveryTruncationIsRefused) {
    for (const std::string_view whole : {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
        for (std::size_t size = 1; size < whole.size(); ++size)
            EXPECT_FALSE(is_utf8(whole.substr(0, size))) << whole << " cut to " << size;
}

TEST(Utf8, HiddenCharacters) {
    for (const char32_t code :
         {0x00u, 0x1bu, 0x1fu, 0x7fu, 0x80u, 0x9bu, 0x9fu, 0x061cu, 0x200bu, 0x200fu, 0x2028u,
          0x2029u, 0x202au, 0x202eu, 0x2060u, 0x2066u, 0x2069u, 0xfeffu})
        EXPECT_TRUE(is_hidden(code)) << std::uint32_t{code};
    for (const char32_t code : {0x20u, 0x7eu, 0xa0u, 0xe9u, 0x061bu, 0x200au, 0x2010u, 0x2027u,
                                0x202fu, 0x205fu, 0x206au, 0xfefeu, 0x1f600u})
        EXPECT_FALSE(is_hidden(code)) << std::uint32_t{code};
}

}  // namespace
}  // namespace helio::utf8_test
