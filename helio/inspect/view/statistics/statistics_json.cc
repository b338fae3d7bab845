// Statistics for programs: one JSON object.
#include <fmt/format.h>

#include "helio/inspect/view/statistics/statistics.h"
#include "helio/reflect/json/json.h"

namespace helio::inspect {

class StatisticsJson final {
 public:
    explicit StatisticsJson(const Statistics& of) : of_(of) {}

    std::string write() {
        out_ = "{";
        out_ += fmt::format("\"seconds\":{:.9f},",
                            static_cast<double>(of_.last_ns_ - of_.first_ns_) / 1e9);
        out_ += "\"all\":{";
        const auto all = of_.total();
        members(*all);
        out_ += ",\"latency_histogram\":[";
        bool first = true;
        all->latency.for_each_bucket([&](std::uint64_t bound, std::uint64_t count) {
            out_ +=
                fmt::format("{}{{\"up_to_ns\":{},\"count\":{}}}", first ? "" : ",", bound, count);
            first = false;
        });
        out_ += "]}";
        if (of_.wanted_.procedures) rows("operations", of_.procedures());
        if (of_.wanted_.clients) rows("clients", of_.clients());
        if (of_.wanted_.files) rows("files", of_.files());
        return out_ + "}";
    }

 private:
    template <class Named>
    void rows(std::string_view key, const std::vector<Named>& all) {
        out_ += fmt::format(",\"{}\":[", key);
        bool first = true;
        for (const Named& one : all) {
            out_ += first ? "{\"name\":" : ",{\"name\":";
            first = false;
            reflect::append_json_string(out_, one.name);
            out_ += ',';
            members(*one.row);
            out_ += '}';
        }
        out_ += ']';
    }

    template <class Row>
    void members(const Row& row) {
        fmt::format_to(std::back_inserter(out_),
                       "\"calls\":{},\"errors\":{},\"unanswered\":{},\"retransmissions\":{},"
                       "\"bytes_read\":{},\"bytes_written\":{}",
                       row.calls, row.errors, row.unanswered, row.retransmissions, row.bytes_read,
                       row.bytes_written);
        if (row.calls <= row.unanswered) return;
        fmt::format_to(std::back_inserter(out_),
                       ",\"p50_ns\":{},\"p90_ns\":{},\"p99_ns\":{},\"max_ns\":{}",
                       row.latency.percentile(0.5), row.latency.percentile(0.9),
                       row.latency.percentile(0.99), row.latency.max());
    }

    const Statistics& of_;
    std::string out_;
};

std::string Statistics::json() const { return StatisticsJson{*this}.write(); }

}  // namespace helio::inspect
