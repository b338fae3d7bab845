#include "cli/explain_views.h"

#include <charconv>
#include <cstdio>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/common.h"
#include "helio/inspect/view/test_case.h"

namespace helio::cli {
namespace {

using inspect::Exchange;
using inspect::Message;

// As JSON, the lines and `helio explain` itself print it, or decimal.
std::uint32_t parse_xid(const std::string& text) {
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char* const begin = text.data() + (hex ? 2 : 0);
    const char* const end = text.data() + text.size();
    std::uint32_t xid = 0;
    const auto [stop, error] = std::from_chars(begin, end, xid, hex ? 16 : 10);
    if (error != std::errc{} || stop != end)
        throw std::runtime_error(
            fmt::format("'{}' is no xid: 0x8f0a71c7 or decimal, up to 32 bits", shown(text)));
    return xid;
}

// Of what is never shown only the beginning is kept: headers, handles, names, counts.
constexpr std::size_t kKeptForLines = 64u << 10;
constexpr std::size_t kKeptOfCallForLines = 8u << 10;

}  // namespace

struct ExplainViews::WordsParts {
    WordsParts(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
               ExplainOutput& output, inspect::Names& names)
        : explainer(catalogue), meanings(catalogue) {
        const inspect::WordsOptions options{.color = flags.colored()};
        const auto handle_name = [&names](std::string& out, ByteView handle) {
            names.append_path(out, names.id(handle));
        };
        if (flags.html)
            page = std::make_unique<inspect::WordsPage>(catalogue, options, "helio explain");
        else if (!flags.json)
            writer = std::make_unique<inspect::WordsWriter>(
                catalogue, options,
                [&output](std::string_view text) {
                    output.flush();  // what was said before; then without another copy
                    std::fwrite(text.data(), 1, text.size(), stdout);
                    std::fflush(stdout);
                },
                handle_name);
    }

    inspect::Explainer explainer;
    inspect::Explanation explanation;
    inspect::Meanings meanings;
    std::unique_ptr<inspect::WordsWriter> writer;
    std::unique_ptr<inspect::WordsPage> page;
};

ExplainViews::ExplainViews(const ExplainFlags& flags, const inspect::Catalogue& catalogue)
    : flags_(flags), catalogue_(catalogue), names_(catalogue), view_(flags.view) {
    if (!flags.filter.empty()) {
        auto filter = inspect::Filter::parse(flags.filter, catalogue);
        if (!filter) throw std::runtime_error(inspect::to_string(filter.error()));
        filter_ = std::move(*filter);
    }
    if (!flags.test.empty()) {
        xid_ = parse_xid(flags.test);
        view_ = ExplainView::test;
    } else if (!flags.follow.empty()) {
        xid_ = parse_xid(flags.follow);
        if (view_ == ExplainView::by_input) view_ = ExplainView::words;
    }
    if (view_ == ExplainView::by_input)
        view_ = flags.html ? ExplainView::words : ExplainView::calls;
    if (flags.html && view_ != ExplainView::words)
        throw std::runtime_error("--html is of words: --words --html");
    if (view_ == ExplainView::stats) {
        const auto by = [&](std::string_view what) {
            return flags.by.empty() ||
                   std::find(flags.by.begin(), flags.by.end(), what) != flags.by.end();
        };
        statistics_ = std::make_unique<inspect::Statistics>(
            catalogue, names_,
            inspect::Statistics::Wanted{
                .procedures = by("procedure"), .clients = by("client"), .files = by("file")});
    } else if (view_ == ExplainView::words) {
        words_ = std::make_unique<WordsParts>(flags, catalogue, output_, names_);
    } else if (flags.json) {
        json_ = std::make_unique<inspect::JsonLines>(catalogue);
    } else {
        start(0);
    }
}

ExplainViews::~ExplainViews() = default;

void ExplainViews::start(std::int64_t time_ns) {
    if (view_ != ExplainView::calls || flags_.json) return;
    lines_ = std::make_unique<inspect::Lines>(
        catalogue_, inspect::Lines::Options{.color = flags_.colored(), .start_ns = time_ns});
}

inspect::Pairing::Options ExplainViews::pairing_options() const {
    const bool whole =
        view_ == ExplainView::words || view_ == ExplainView::test || json_ || filter_;
    return {.call_keep_max = whole ? inspect::kPendingBytesMax : kKeptOfCallForLines};
}

inspect::Flows::Options ExplainViews::flow_options() const {
    const bool whole =
        view_ == ExplainView::words || view_ == ExplainView::test || json_ || filter_;
    return {.keep_max = whole ? inspect::kRecordSizeMax : kKeptForLines};
}

void ExplainViews::exchange(const Exchange& exchange) {
    const bool wanted = !enough() && (!xid_ || *xid_ == exchange.xid) &&
                        (!filter_ || filter_->matches(exchange, names_));
    if (wanted) {
        ++shown_;
        show(exchange);
    }
    names_.learn(exchange);
}

void ExplainViews::show(const Exchange& exchange) {
    switch (view_) {
        case ExplainView::stats:
            return statistics_->exchange(exchange);
        case ExplainView::words:
            show_words(exchange);
            break;
        case ExplainView::test:
            show_test(exchange);
            break;
        default:
            if (json_)
                wrong_ |= !json_->append(output_.text(), exchange, names_);
            else
                lines_->append(output_.text(), exchange, names_);
            break;
    }
    output_.added();
}

void ExplainViews::show_words(const Exchange& exchange) {
    for (const Message* message : {exchange.call, exchange.reply}) {
        if (message == nullptr) continue;
        if (words_->writer) {
            wrong_ |= !words_->writer->write(*message, exchange.procedure, words_->explainer);
            continue;
        }
        inspect::Explanation& explanation = words_->explanation;
        words_->explainer.explain_into(explanation, *message, exchange.procedure);
        wrong_ |= !explanation.ok;
        if (words_->page) {
            words_->page->add(explanation);
        } else {
            inspect::append_words_json(output_.text(), explanation, nullptr, words_->meanings);
            output_.text() += '\n';
            output_.added();
        }
    }
}

void ExplainViews::show_test(const Exchange& exchange) {
    const auto made = inspect::make_test_case(exchange, catalogue_, flags_.schemas);
    if (made) {
        output_.text() += inspect::to_text(*made);
    } else {
        fmt::print(stderr, "helio: no test of the call with xid 0x{:08x}: {}\n", exchange.xid,
                   made.error());
        wrong_ = true;
    }
}

void ExplainViews::flush() {
    if (words_ && words_->writer) words_->writer->flush();
    output_.flush();
}

int ExplainViews::finish(const inspect::Ledger& ledger) {
    if (words_ && words_->writer) words_->writer->flush();
    std::string& out = output_.text();
    if (view_ == ExplainView::stats) {
        if (flags_.json) {
            out += statistics_->json();  // the ledger becomes its last member
            out.pop_back();
            out += ",\"ledger\":" + inspect::to_json(ledger, catalogue_) + "}\n";
        } else {
            out += statistics_->text(flags_.colored());
            out += '\n' + inspect::to_text(ledger, catalogue_);
        }
    } else if (words_ && words_->page) {
        out += words_->page->finish();
    } else if (flags_.json) {
        out += "{\"ledger\":" + inspect::to_json(ledger, catalogue_) + "}\n";
    } else if (view_ != ExplainView::test) {
        out += '\n' + inspect::to_text(ledger, catalogue_);
    }
    output_.flush();
    const bool nothing = ledger.calls + ledger.replies + ledger.one_way == 0;
    if (nothing) fmt::print(stderr, "helio: no RPC message was found\n");
    if (xid_ && shown_ == 0) {
        fmt::print(stderr, "helio: no call with xid 0x{:08x}\n", *xid_);
        return kNo;
    }
    return nothing || wrong_ ? kNo : kDone;
}

}  // namespace helio::cli
