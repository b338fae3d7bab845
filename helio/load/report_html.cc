// One file without scripts: the plots are SVG, drawn here.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/load/report_internal.h"

namespace helio::load {

namespace {

constexpr double kWidth = 860, kHeight = 240;
constexpr double kLeft = 76, kRight = 34, kTop = 14, kBottom = 34;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c2330; --soft: #66708a; --line: #dde2ec; --paper: #fbfcfe;
        --one: #1a6fb5; --two: #d1570c; --bad: #b3203a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8f0; --soft: #97a1b8; --line: #2e3646; --paper: #141924;
          --one: #5aaef0; --two: #f2924d; --bad: #ff7088; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1rem; margin: 2rem 0 .3rem; }
p { margin: .2rem 0; color: var(--soft); } p.warning { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1.2rem 0; }
.figures div { border: 1px solid var(--line); border-radius: 8px; padding: .5rem .9rem; min-width: 6rem; }
.figures b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.figures span { color: var(--soft); font-size: .85rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--line); } .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.one { stroke: var(--one); } .two { stroke: var(--two); } .bad { stroke: var(--bad); }
.key.one { fill: var(--one); stroke: none; } .key.two { fill: var(--two); stroke: none; }
.key.bad { fill: var(--bad); stroke: none; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem 1.2rem .15rem 0; }
th { font-weight: normal; color: var(--soft); }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
)";

struct Curve {
    const char* name;
    const char* color;  // a class of the style
    std::vector<std::pair<double, double>> points;
};

// Distance between the marks of an axis: 1, 2 or 5 times a power of ten.
double step_for(double span, int marks) {
    const double rough = std::max(span, 1e-9) / marks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

class Plot final {
 public:
    using Label = std::function<std::string(double)>;
    Plot(double x_end, double y_end, bool logarithmic, double y_begin = 0)
        : x_end_(x_end > 0 ? x_end : 1), logarithmic_(logarithmic) {
        if (logarithmic) {
            low_ = std::floor(std::log10(std::max(y_begin, 0.1)));
            high_ = std::max(std::ceil(std::log10(std::max(y_end, 0.2))), low_ + 1);
        } else {
            y_step_ = step_for(y_end, 4);
            high_ = std::max(std::ceil(y_end / y_step_), 1.0) * y_step_;
        }
        out_ = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n", kWidth, kHeight);
    }

    void y_marks(const Label& label) {
        const int count =
            static_cast<int>(std::lround(logarithmic_ ? high_ - low_ : high_ / y_step_));
        for (int i = 0; i <= count; ++i) {
            const double value = logarithmic_ ? std::pow(10, low_ + i) : i * y_step_;
            line(kLeft, y(value), kWidth - kRight, y(value));
            text(kLeft - 8, y(value) + 4, "end", label(value));
        }
    }
    void x_mark(double value, const std::string& label) {
        line(x(value), kTop, x(value), kHeight - kBottom);
        text(x(value), kHeight - kBottom + 18, "middle", label);
    }
    void x_seconds() {
        const double step = step_for(x_end_, 10);
        for (double value = 0; value <= x_end_ * 1.0001; value += step)
            x_mark(value, fmt::format("{:g} s", value));
    }
    void curve(const Curve& curve) {
        std::string path;
        for (const auto& [px, py] : curve.points)
            fmt::format_to(std::back_inserter(path), "{}{:.1f},{:.1f}", path.empty() ? "" : " ",
                           x(px), y(py));
        out_ += fmt::format("<polyline class=\"curve {}\" points=\"{}\"/>\n", curve.color, path);
        const double at = kLeft + 10 + 110 * keys_++;
        out_ +=
            fmt::format("<rect class=\"key {}\" x=\"{}\" y=\"{}\" width=\"12\" height=\"4\"/>\n",
                        curve.color, at, kTop + 2);
        text(at + 18, kTop + 8, "start", curve.name);
    }
    std::string svg() const { return out_ + "</svg>\n"; }

 private:
    double x(double value) const { return kLeft + value / x_end_ * (kWidth - kLeft - kRight); }
    double y(double value) const {
        const double share =
            logarithmic_ ? (std::log10(std::max(value, std::pow(10, low_))) - low_) / (high_ - low_)
                         : value / high_;
        return kHeight - kBottom - share * (kHeight - kTop - kBottom);
    }
    void line(double x1, double y1, double x2, double y2) {
        fmt::format_to(std::back_inserter(out_),
                       "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" "
                       "y2=\"{:.1f}\"/>\n",
                       x1, y1, x2, y2);
    }
    void text(double at_x, double at_y, const char* anchor, std::string_view words) {
        fmt::format_to(std::back_inserter(out_),
                       "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", at_x, at_y,
                       anchor, html_escaped(words));
    }

    double x_end_;
    bool logarithmic_;
    double low_ = 0, high_ = 1, y_step_ = 1;
    int keys_ = 0;
    std::string out_;
};

std::string compact(double number) {
    if (number >= 1e6) return fmt::format("{:g} M", number / 1e6);
    if (number >= 1e3) return fmt::format("{:g} k", number / 1e3);
    return fmt::format("{:g}", number);
}

std::string axis_time(double us) {
    if (us >= 1e6) return fmt::format("{:g} s", us / 1e6);
    if (us >= 1e3) return fmt::format("{:g} ms", us / 1e3);
    return fmt::format("{:g} µs", us);
}

std::string rate_plot(const Report& report) {
    Curve rate{"answers", "one", {}}, failed{"failed", "bad", {}};
    double most = 1;
    bool any_failed = false;
    for (const Point& one : report.series) {
        const double middle = one.at_s + report.interval_s / 2;
        const double failures = static_cast<double>(one.failed) / report.interval_s;
        rate.points.emplace_back(middle, one.rate);
        failed.points.emplace_back(middle, failures);
        most = std::max({most, one.rate, failures});
        any_failed = any_failed || one.failed > 0;
    }
    Plot plot{report.seconds, most, false};
    plot.y_marks(compact);
    plot.x_seconds();
    plot.curve(rate);
    if (any_failed) plot.curve(failed);
    return plot.svg();
}

std::string latency_plot(const Report& report) {
    Curve p50{"p50", "one", {}}, p99{"p99", "two", {}};
    double most = 1, least = 1e12;
    for (const Point& one : report.series) {
        if (one.p50_us <= 0) continue;
        const double middle = one.at_s + report.interval_s / 2;
        p50.points.emplace_back(middle, one.p50_us);
        p99.points.emplace_back(middle, one.p99_us);
        most = std::max(most, one.p99_us);
        least = std::min(least, one.p50_us);
    }
    Plot plot{report.seconds, most, true, std::min(least, most)};
    plot.y_marks(axis_time);
    plot.x_seconds();
    plot.curve(p50);
    plot.curve(p99);
    return plot.svg();
}

// The x axis gives each further nine the same width: 90 %, 99 %, 99.9 % …
std::string percentile_plot(const Report& report) {
    constexpr double kNinesMax = 5;
    const auto total = static_cast<double>(report.latency.count());
    Curve curve{"latency", "one", {}};
    double least = 1e12, seen = 0;
    report.latency.for_each_bucket([&](std::uint64_t ns, std::uint64_t count) {
        const double us = static_cast<double>(std::min(ns, report.latency.max())) / 1e3;
        least = std::min(least, us);
        if (curve.points.empty()) curve.points.emplace_back(0, us);
        seen += static_cast<double>(count);
        const double above = 1 - seen / total;
        const double nines = above > 0 ? -std::log10(above) : kNinesMax;
        curve.points.emplace_back(std::min(nines, kNinesMax), us);
    });
    const double most = static_cast<double>(report.latency.max()) / 1e3;
    Plot plot{kNinesMax, most, true, std::min(least, most)};
    plot.y_marks(axis_time);
    const char* const labels[] = {"0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"};
    for (int i = 0; i <= static_cast<int>(kNinesMax); ++i) plot.x_mark(i, labels[i]);
    plot.x_mark(-std::log10(0.5), "50 %");
    plot.curve(curve);
    return plot.svg();
}

std::string table(const char* title, const std::vector<Counted>& rows) {
    if (rows.empty()) return {};
    std::string out = fmt::format("<h2>{}</h2>\n<table>\n", title);
    for (const Counted& row : rows)
        out += fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>\n",
                           grouped(static_cast<double>(row.count)), html_escaped(row.name));
    return out + "</table>\n";
}

}  // namespace

std::string html_begin(std::string_view title, std::string_view subtitle, std::string_view when,
                       std::string_view version, std::string_view command) {
    const std::string name = html_escaped(title);
    std::string out = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n"
        "<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<p>{}</p>\n",
        name, kStyle, name, html_escaped(subtitle));
    if (!when.empty())
        out += fmt::format("<p>{}, helio {}</p>\n", html_escaped(when), html_escaped(version));
    if (!command.empty()) out += fmt::format("<p><code>{}</code></p>\n", html_escaped(command));
    return out;
}

std::string to_html(const Report& report) {
    std::string out =
        html_begin(headline(report), shape(report), report.when, report.version, report.command);
    if (!report.ended_early.empty())
        out += fmt::format("<p class=\"warning\">Ended early: {}</p>\n",
                           html_escaped(report.ended_early));
    for (const std::string& one : report.warnings())
        out += fmt::format("<p class=\"warning\">{}.</p>\n", html_escaped(one));
    out += "<div class=\"figures\">\n";
    const auto figure = [&out](std::string_view name, const std::string& value) {
        fmt::format_to(std::back_inserter(out), "<div><b>{}</b><span>{}</span></div>\n", value,
                       name);
    };
    figure("answers per second", grouped(report.rate));
    figure("answers", grouped(static_cast<double>(report.answered)));
    for (const Percentile& one : percentiles(report.latency))
        figure(one.name, duration_of(report.latency, one));
    figure("failed", grouped(static_cast<double>(report.failed)));
    out += "</div>\n";
    out += "<h2>Answers per second</h2>\n" + rate_plot(report);
    out += "<h2>Latency over time</h2>\n" + latency_plot(report);
    if (report.latency.count() > 0)
        out += "<h2>Latency percentiles</h2>\n" + percentile_plot(report);
    out += table("Statuses of the answers", answer_statuses(report));
    out += table("Failed calls", report.errors);
    out += fmt::format("<h2>Generator</h2>\n<p>{}", html_escaped(generator_line(report)));
    if (report.rate_wanted > 0) {
        out += "; late by";
        for (const Percentile& one : percentiles(report.lag))
            out += fmt::format(" {} {}", one.name, duration_of(report.lag, one));
    }
    return out + ".</p>\n</body>\n</html>\n";
}

}  // namespace helio::load
