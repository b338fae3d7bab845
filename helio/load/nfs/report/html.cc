// The report of `helio load nfs` as one page: a table for each operation.
#include <iterator>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/load/nfs/report/report_internal.h"
#include "helio/load/report_internal.h"

namespace helio::load::nfs {

namespace {

template <class Cell>
void add_row(std::string& out, std::string_view name, std::string_view tag, Cell cell) {
    fmt::format_to(std::back_inserter(out), "<tr><{0}>{1}</{0}>", tag, html_escaped(name));
    for (const Column& column : columns())
        fmt::format_to(std::back_inserter(out), "<{0} class=\"number\">{1}</{0}>", tag,
                       html_escaped(cell(column)));
    out += "</tr>\n";
}

void add_table(std::string& out, const JobResult& result, const Orders& orders) {
    fmt::format_to(std::back_inserter(out), "<h2>{}</h2>\n<table>\n",
                   html_escaped(job_name(result.job)));
    add_row(out, "", "th", [](const Column& column) { return std::string(column.title); });
    for (std::size_t i = 0; i < result.turns.size(); ++i)
        add_row(out, orders.servers[i].target.name, "td", [&](const Column& column) {
            return number(median(result.turns[i], column.figure), column.format);
        });
    if (result.turns.size() == 2)
        add_row(out, "second / first", "td", [&](const Column& column) {
            return number(ratio(result, column.figure), "{:.2f}");
        });
    out += "</table>\n";
}

void add_counts(std::string& out, const JobResult& result, const Orders& orders) {
    for (std::size_t i = 0; i < result.turns.size(); ++i) {
        const std::string name = html_escaped(orders.servers[i].target.name);
        const std::string counts = statuses(result.turns[i]);
        if (!counts.empty())
            fmt::format_to(std::back_inserter(out), "<p>{}: {}</p>\n", name, html_escaped(counts));
        for (const Turn& turn : result.turns[i])
            for (const std::string& one : problems(turn))
                fmt::format_to(std::back_inserter(out), "<p class=\"warning\">{}: {}</p>\n", name,
                               html_escaped(one));
    }
}

}  // namespace

std::string to_html(const std::vector<JobResult>& results, const Orders& orders) {
    std::string title = "NFS load on ";
    for (const Server& server : orders.servers)
        title += (&server == orders.servers.data() ? "" : " and ") + server.target.name;
    std::string out = html_begin(title, shape(orders), orders.when, orders.version, orders.command);
    for (const JobResult& result : results) {
        add_table(out, result, orders);
        add_counts(out, result, orders);
    }
    return out + "</body>\n</html>\n";
}

}  // namespace helio::load::nfs
