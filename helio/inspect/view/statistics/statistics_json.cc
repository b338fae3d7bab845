// Statistics for programs: one JSON object.
#include "helio/base/text/json_writer.h"
#include "helio/inspect/view/statistics/statistics.h"
#include "helio/reflect/json/json.h"

namespace helio::inspect {

class StatisticsJson final {
 public:
    explicit StatisticsJson(const Statistics& of) : of_(of) {}

    std::string write() {
        json_.open('{');
        json_.member("seconds", static_cast<double>(of_.last_ns_ - of_.first_ns_) / 1e9, 9);
        json_.key("all");
        json_.open('{');
        const auto all = of_.total();
        members(*all);
        json_.key("latency_histogram");
        json_.open('[');
        all->latency.for_each_bucket([&](std::uint64_t bound, std::uint64_t count) {
            json_.element();
            json_.open('{');
            json_.member("up_to_ns", bound);
            json_.member("count", count);
            json_.close('}');
        });
        json_.close(']');
        json_.close('}');
        if (of_.wanted_.procedures) rows("operations", of_.procedures());
        if (of_.wanted_.clients) rows("clients", of_.clients());
        if (of_.wanted_.files) rows("files", of_.files());
        json_.close('}');
        return std::move(out_);
    }

 private:
    template <class Named>
    void rows(std::string_view key, const std::vector<Named>& all) {
        json_.key(key);
        json_.open('[');
        for (const Named& one : all) {
            json_.element();
            json_.open('{');
            json_.key("name");
            reflect::append_json_text(out_, one.name);
            part_of(one);
            members(*one.row);
            json_.close('}');
        }
        json_.close(']');
    }

    // An operation counts in the call that carried it, too.
    void part_of(const Statistics::NamedFull& one) {
        if (one.carried_by != nullptr) json_.member("part_of", one.carried_by->name);
    }
    void part_of(const Statistics::NamedSmall&) {}

    template <class Row>
    void members(const Row& row) {
        json_.member("calls", row.calls);
        json_.member("errors", row.errors);
        json_.member("unanswered", row.unanswered);
        json_.member("retransmissions", row.retransmissions);
        json_.member("bytes_read", row.bytes_read);
        json_.member("bytes_written", row.bytes_written);
        if (row.calls <= row.unanswered) return;
        json_.member("p50_ns", row.latency.percentile(0.5));
        json_.member("p90_ns", row.latency.percentile(0.9));
        json_.member("p99_ns", row.latency.percentile(0.99));
        json_.member("max_ns", row.latency.max());
    }

    const Statistics& of_;
    std::string out_;
    JsonWriter json_{out_, {.indent = 0, .spaces = false}};
};

std::string Statistics::json() const { return StatisticsJson{*this}.write(); }

}  // namespace helio::inspect
