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

struct Percentile {
    const char* name;
    double us;
};
std::vector<Percentile> percentiles(const rpc::Histogram& histogram);
// "–" if nothing was measured.
std::string duration_of(const rpc::Histogram& histogram, const Percentile& one);

}  // namespace helio::load
