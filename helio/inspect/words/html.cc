#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/words/words.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kUnfoldedMax = 64u << 10;  // bytes of one body that a page contains
constexpr std::size_t kHexLine = 32;

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --dim: #667; --line: #8883; --name: #046; --good: #063; --bad: #b00; --note: #850; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; --name: #8cf; --good: #8d8; --bad: #f77; --note: #fb5; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 76rem; padding: 0 1rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; color: var(--name); }
p { margin: .2rem 0; } .why { color: var(--dim); } .bad { color: var(--bad); } .slip { color: var(--note); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
td { padding: .1rem .9rem .1rem 0; vertical-align: top; border-top: 1px solid var(--line); }
td.o, td.b, td.f, pre { font-family: ui-monospace, monospace; font-size: 13px; white-space: pre; }
td.o { text-align: right; color: var(--dim); } td.v { font-weight: 600; overflow-wrap: anywhere; }
td.m { color: var(--good); overflow-wrap: anywhere; } tr.wrong td.b, tr.wrong td.v { color: var(--bad); }
summary { cursor: pointer; color: var(--dim); } pre { margin: .3rem 0; }
</style>
)";

class HtmlRows final : public RowSink {
 public:
    HtmlRows(std::string& out, const RunNotes& notes) : out_(out), notes_(notes) {}

    void part(const Part& part) override {
        out_ += "<h3>";
        append_html(out_, part.title);
        out_ += "</h3>\n";
        paragraph("why", part.note);
        out_ += "<div class=\"scroll\"><table>\n";
    }

    void row(const Row& row) override {
        out_ += row.wrong ? "<tr class=\"wrong\">" : "<tr>";
        const std::optional<std::uint32_t> source = notes_.source(row.offset);
        std::string place;
        if (notes_.addressed() && source)
            append_hex_number(place, notes_.address(*source), 0);
        else
            append_number(place, row.offset);
        cell("o", place);
        if (row.kind == Row::Kind::folded) {
            folded(row);
        } else {
            std::string bytes;
            append_bytes(bytes, row.bytes);
            cell("b", bytes);
            cell("f", row.path);
            cell("v", row.value);
            cell("m", row.meaning);
        }
        out_ += "</tr>\n";
        notes_.slips(row, slips_);
        for (const std::string& slip : slips_) {
            out_ += "<tr><td></td><td colspan=\"4\" class=\"slip\">";
            append_html(out_, slip);
            out_ += "</td></tr>\n";
        }
    }

    void part_end(const Part& part) override {
        out_ += "</table></div>\n";
        paragraph("bad", part.problem);
    }

    void paragraph(std::string_view style, std::string_view text) {
        if (text.empty()) return;
        out_ += fmt::format("<p class=\"{}\">", style);
        append_html(out_, text);
        out_ += "</p>\n";
    }

 private:
    void cell(std::string_view style, std::string_view text) {
        out_ += fmt::format("<td class=\"{}\">", style);
        append_html(out_, text);
        out_ += "</td>";
    }

    void folded(const Row& row) {
        out_ += "<td colspan=\"4\"><details><summary>";
        append_html(out_, row.value);
        out_ += "</summary><pre>";
        const ByteView shown = row.bytes.first(std::min(row.bytes.size(), kUnfoldedMax));
        for (std::size_t at = 0; at < shown.size(); at += kHexLine) {
            append_bytes(out_, shown.subspan(at, std::min(kHexLine, shown.size() - at)));
            out_ += '\n';
        }
        if (shown.size() < row.bytes.size())
            out_ += fmt::format("and {} bytes that are not on this page\n",
                                row.bytes.size() - shown.size());
        out_ += "</pre></details></td>";
    }

    std::string& out_;
    const RunNotes& notes_;
    std::vector<std::string> slips_;
};

}  // namespace

class WordsPage::Impl {
 public:
    Impl(const Catalogue& catalogue, const WordsOptions& options, std::string_view title)
        : options_(options), meanings_(catalogue) {
        out_ = kHead;
        out_ += "<title>";
        append_html(out_, escaped(title));
        out_ += "</title></head><body>\n<h1>";
        append_html(out_, escaped(title));
        out_ += "</h1>\n";
    }

    void add(const Explanation& explanation, const Dump::Run* run) {
        out_ += "<h2>";
        append_html(out_, explanation.what);
        out_ += "</h2>\n";
        const RunNotes notes{run, explanation};
        HtmlRows rows{out_, notes};
        if (run != nullptr && !run->label.empty()) rows.paragraph("why", escaped(run->label));
        rows.paragraph("why", explanation.why);
        RowWalker{meanings_, options_.body_words_max}.walk(explanation, rows);
    }

    std::string finish() {
        out_ += "</body></html>\n";
        return std::move(out_);
    }

 private:
    const WordsOptions options_;
    Meanings meanings_;
    std::string out_;
};

WordsPage::WordsPage(const Catalogue& catalogue, const WordsOptions& options,
                     std::string_view title)
    : impl_(std::make_unique<Impl>(catalogue, options, title)) {}
WordsPage::~WordsPage() = default;
void WordsPage::add(const Explanation& explanation, const Dump::Run* run) {
    impl_->add(explanation, run);
}
std::string WordsPage::finish() { return impl_->finish(); }

}  // namespace helio::inspect
