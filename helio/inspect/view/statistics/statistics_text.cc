// Statistics for people: tables, and a chart of latencies.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/view/statistics/statistics.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kNameWidthMax = 48;
constexpr std::size_t kBarWidth = 50;

std::string grouped(std::uint64_t number) {
    std::string digits = fmt::to_string(number);
    for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
    return digits;
}

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes == 0) return "-";
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string time_text(std::uint64_t ns) {
    const auto value = static_cast<double>(ns);
    if (ns < 1000) return fmt::format("{} ns", ns);
    if (ns < 1'000'000) return fmt::format("{:.3g} µs", value / 1e3);
    if (ns < 1'000'000'000) return fmt::format("{:.3g} ms", value / 1e6);
    return fmt::format("{:.4g} s", value / 1e9);
}

// fmt counts the bytes of µ, not its columns.
std::string right(const std::string& text, std::size_t width) {
    const auto columns =
        static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        }));
    return std::string(columns < width ? width - columns : 0, ' ') + text;
}

}  // namespace

class StatisticsText final {
 public:
    StatisticsText(const Statistics& of, bool color) : of_(of), color_(color), total_(of.total()) {}

    std::string write() {
        if (of_.wanted_.procedures) table("operation", of_.procedures(), SIZE_MAX);
        if (of_.wanted_.clients) table("client", of_.clients(), of_.wanted_.rows_max);
        if (of_.wanted_.files) table("file", of_.files(), of_.wanted_.rows_max);
        total();
        picture();
        return std::move(out_);
    }

 private:
    template <class Named>
    void table(std::string_view title, const std::vector<Named>& rows, std::size_t rows_max) {
        if (rows.empty()) return;
        std::vector<std::string> names;
        for (const Named& row : rows) {
            if (names.size() == rows_max) break;
            names.push_back(indent(row) + shown(row.name));
        }
        width_ = title.size();
        for (const std::string& name : names)
            width_ = std::max(width_, std::min(name.size(), kNameWidthMax));
        bold(fmt::format("{:<{}}", title, width_) + right("calls", 13) + right("errors", 10) +
             right("unanswered", 12) + right("read", 11) + right("written", 11) + right("p50", 9) +
             right("p90", 9) + right("p99", 9) + right("max", 9));
        for (std::size_t i = 0; i < names.size(); ++i) row(names[i], *rows[i].row);
        if (rows.size() > names.size())
            out_ += fmt::format("  and {} more\n", grouped(rows.size() - names.size()));
        out_ += '\n';
    }

    // Operations stand below the procedure that carries them.
    static std::string indent(const Statistics::NamedFull& row) {
        return row.carried_by != nullptr ? "  " : "";
    }
    static std::string indent(const Statistics::NamedSmall&) { return ""; }

    // Long names keep their end, which is more informative.
    static std::string shown(const std::string& name) {
        std::string text = escaped(name);
        if (text.size() > kNameWidthMax)
            text = "..." + text.substr(text.size() - kNameWidthMax + 3);
        return text;
    }

    template <class Row>
    void row(const std::string& name, const Row& row) {
        out_ += fmt::format("{:<{}}", name, width_);
        out_ += right(grouped(row.calls), 13);
        colored(right(row.errors == 0 ? "-" : grouped(row.errors), 10), row.errors != 0);
        colored(right(row.unanswered == 0 ? "-" : grouped(row.unanswered), 12),
                row.unanswered != 0);
        out_ += right(size_text(row.bytes_read), 11) + right(size_text(row.bytes_written), 11);
        const bool answered = row.calls > row.unanswered;
        for (const double fraction : {0.5, 0.9, 0.99})
            out_ += right(answered ? time_text(row.latency.percentile(fraction)) : "-", 9);
        out_ += right(answered ? time_text(row.latency.max()) : "-", 9) + '\n';
    }

    void total() {
        const auto& all = *total_;
        const double seconds = static_cast<double>(of_.last_ns_ - of_.first_ns_) / 1e9;
        out_ += fmt::format("{} calls in {:.3f} s", grouped(all.calls), seconds);
        if (seconds > 0)
            out_ += fmt::format(
                ": {} calls/s, {}/s read, {}/s written",
                grouped(static_cast<std::uint64_t>(static_cast<double>(all.calls) / seconds)),
                size_text(
                    static_cast<std::uint64_t>(static_cast<double>(all.bytes_read) / seconds)),
                size_text(
                    static_cast<std::uint64_t>(static_cast<double>(all.bytes_written) / seconds)));
        out_ += '\n';
    }

    // One bar for each power of two.
    void picture() {
        std::array<std::uint64_t, 64> powers{};
        total_->latency.for_each_bucket([&](std::uint64_t bound, std::uint64_t count) {
            powers[static_cast<std::size_t>(std::bit_width(bound)) - (bound != 0)] += count;
        });
        const auto used = [](std::uint64_t count) { return count != 0; };
        const auto first = std::find_if(powers.begin(), powers.end(), used);
        if (first == powers.end()) return;
        const auto last = std::find_if(powers.rbegin(), powers.rend(), used).base();
        const std::uint64_t most = *std::max_element(powers.begin(), powers.end());
        out_ += '\n';
        bold("latency of all calls");
        for (auto power = first; power != last; ++power) {
            const auto exponent = static_cast<std::size_t>(power - powers.begin());
            const auto bar = static_cast<std::size_t>((*power * kBarWidth + most - 1) / most);
            out_ += right(time_text(std::uint64_t{1} << exponent), 9) + " |" +
                    std::string(bar, '#') + std::string(kBarWidth - bar + 1, ' ') +
                    right(grouped(*power), 11) + '\n';
        }
    }

    void bold(const std::string& text) {
        out_ += color_ ? "\x1b[1m" + text + "\x1b[0m\n" : text + '\n';
    }
    void colored(const std::string& text, bool alarming) {
        out_ += color_ && alarming ? "\x1b[31m" + text + "\x1b[0m" : text;
    }

    const Statistics& of_;
    const bool color_;
    const std::unique_ptr<Statistics::Full> total_;
    std::string out_;
    std::size_t width_ = 0;
};

std::string Statistics::text(bool color) const { return StatisticsText{*this, color}.write(); }

}  // namespace helio::inspect
