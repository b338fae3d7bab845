// Times as RFC 3339 text, in UTC. UTC needs no time zone files, which a confined process could not
// read.
#pragma once

#include <chrono>
#include <ctime>
#include <string>

namespace helio {

enum class Decimals { milliseconds = 3, microseconds = 6, nanoseconds = 9 };

// "2026-11-16T04:30:12.123Z".
std::string to_rfc3339(std::chrono::system_clock::time_point when,
                       Decimals decimals = Decimals::milliseconds);

// "2026-11-16T04:30:12", to which the caller adds decimals and "Z". Empty for years that do not
// fit an int.
std::string rfc3339_seconds(std::time_t seconds);

}  // namespace helio
