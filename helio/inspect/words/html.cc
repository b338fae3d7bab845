#include <algorithm>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/view/html/html_page.h"
#include "helio/inspect/words/words.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kUnfoldedMax = 64u << 10;  // bytes of one body that a page contains
constexpr std::size_t kHexLine = 32;

constexpr std::string_view kColumns =
    R"(<col class="b"><col class="f"><col class="v"><col class="m">)";

class HtmlRows final : public RowSink {
 public:
    HtmlRows(std::string& out, const RunNotes& notes) : out_(out), notes_(notes) {}

    void part(const Part& part) override {
        out_ += "<h3>";
        append_html(out_, part.title);
        out_ += "</h3>\n";
        paragraph("why", part.note);
        out_ += fmt::format("<div class=\"scroll\"><table><col class=\"{}\">{}\n",
                            notes_.addressed() ? "a" : "o", kColumns);
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
            out_ += fmt::format("and {} more bytes that are not shown\n",
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
        : options_(options), meanings_(catalogue), page_(title) {}

    void add(const Explanation& explanation, const Dump::Run* run) {
        page_.begin_section(explanation.what);
        section(explanation, run);
    }

    void add(const Message& message, const Explanation& explanation) {
        heading_.clear();
        headings_.append(heading_, message, explanation.what, {}, explanation.shape,
                         explanation.head);
        page_.begin_section(heading_);
        section(explanation, nullptr);
    }

    void add_lines(std::string_view lines) { page_.add_lines(lines); }
    std::string finish() { return page_.finish(); }

 private:
    void section(const Explanation& explanation, const Dump::Run* run) {
        const RunNotes notes{run, explanation};
        HtmlRows rows{page_.body(), notes};
        if (run != nullptr && !run->label.empty()) rows.paragraph("why", escaped(run->label));
        rows.paragraph("why", explanation.why);
        RowWalker{meanings_, options_.body_words_max}.walk(explanation, rows);
        page_.end_section();
    }

    const WordsOptions options_;
    Meanings meanings_;
    HtmlPage page_;
    Headings headings_;
    std::string heading_;
};

WordsPage::WordsPage(const Catalogue& catalogue, const WordsOptions& options,
                     std::string_view title)
    : impl_(std::make_unique<Impl>(catalogue, options, title)) {}
WordsPage::~WordsPage() = default;
void WordsPage::add(const Explanation& explanation, const Dump::Run* run) {
    impl_->add(explanation, run);
}
void WordsPage::add(const Message& message, const Explanation& explanation) {
    impl_->add(message, explanation);
}
void WordsPage::add_lines(std::string_view lines) { impl_->add_lines(lines); }
std::string WordsPage::finish() { return impl_->finish(); }

}  // namespace helio::inspect
