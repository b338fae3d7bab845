#include "helio/base/text/time_text.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace helio::time_text_test {
namespace {

using std::chrono::nanoseconds;

TEST(TimeText, IsRfc3339) {
    struct Row {
        std::int64_t ns;
        Decimals decimals;
        const char* text;
    };
    constexpr Row kRows[] = {
        {0, Decimals::milliseconds, "1970-01-01T00:00:00.000Z"},
        {1'763'267'412'123'456'789, Decimals::milliseconds, "2025-11-16T04:30:12.123Z"},
        {1'763'267'412'123'456'789, Decimals::microseconds, "2025-11-16T04:30:12.123456Z"},
        {1'763'267'412'000'000'009, Decimals::nanoseconds, "2025-11-16T04:30:12.000000009Z"},
        {951'782'399'999'999'999, Decimals::milliseconds, "2000-02-28T23:59:59.999Z"},
        {951'782'400'000'000'000, Decimals::milliseconds, "2000-02-29T00:00:00.000Z"},
        {-1, Decimals::nanoseconds, "1969-12-31T23:59:59.999999999Z"},
    };
    for (const Row& row : kRows)
        EXPECT_EQ(
            to_rfc3339(std::chrono::system_clock::time_point{nanoseconds{row.ns}}, row.decimals),
            row.text);
    EXPECT_EQ(rfc3339_seconds(4'294'967'295), "2106-02-07T06:28:15");
    EXPECT_EQ(rfc3339_seconds(INT64_MAX), "");
}

}  // namespace
}  // namespace helio::time_text_test
