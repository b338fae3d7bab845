// Formatting shared by the forms of a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helio/base/text/json_writer.h"
#include "helio/load/report.h"

namespace helio::load {

std::string grouped(double number);   // 1,234,567
std::string duration(double us);      // "12 µs", "3.40 ms"
std::string byte_rate(double bytes);  // per second
std::string headline(const Report& report);
std::string shape(const Report& report);
std::string generator_line(const Report& report);
void put_json(JsonWriter& json, const Report& report);
// `statuses`, and SUCCESS (of the RPC reply) for answers whose results have none.
std::vector<Counted> answer_statuses(const Report& report);
// Adds the date, the version and the command, each if it is known.
void put_origin(JsonWriter& json, const std::string& when, const std::string& version,
                const std::string& command);
// The page up to and including its headline and how to repeat the run. All texts are escaped here.
std::string html_begin(std::string_view title, std::string_view subtitle, std::string_view when,
                       std::string_view version, std::string_view command);

struct Percentile {
    const char* name;
    double us;
};
std::vector<Percentile> percentiles(const rpc::Histogram& histogram);
// "–" if nothing was measured.
std::string duration_of(const rpc::Histogram& histogram, const Percentile& one);

}  // namespace helio::load
