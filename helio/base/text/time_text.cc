#include "helio/base/text/time_text.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace helio {

std::string rfc3339_seconds(std::time_t seconds) {
    std::tm parts{};
    if (gmtime_r(&seconds, &parts) == nullptr) return {};
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", std::int64_t{parts.tm_year} + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string to_rfc3339(std::chrono::system_clock::time_point when, Decimals decimals) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
    auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(when - seconds).count();
    const int digits = static_cast<int>(decimals);
    for (int i = digits; i < 9; ++i) rest /= 10;
    std::string out = rfc3339_seconds(std::chrono::system_clock::to_time_t(seconds));
    fmt::format_to(std::back_inserter(out), ".{:0{}}Z", rest, digits);
    return out;
}

}  // namespace helio
