#include "helio/inspect/pipeline/exchange_views_internal.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/view/test_case.h"
#include "helio/inspect/words/words.h"

namespace helio::inspect {
namespace {

// CallLines and totals read headers, handles, names and counts, which come first; the data after
// them is only counted.
constexpr std::size_t kKeptForLines = 64u << 10;
constexpr std::size_t kKeptOfCallForLines = 8u << 10;

View view_for(const PipelineOptions& options) {
    if (options.view != View::automatic) return options.view;
    return options.format == Format::html ? View::words : View::calls;
}

}  // namespace

struct ExchangeViews::WordsView {
    WordsView(const PipelineOptions& options, const Catalogue& catalogue, BufferedOutput& output,
              Names& names)
        : explainer(catalogue), meanings(catalogue) {
        const WordsOptions words_options{.color = options.color};
        const auto handle_name = [&names](std::string& out, ByteView handle) {
            names.append_path(out, names.id(handle));
        };
        if (options.format == Format::html)
            page = std::make_unique<WordsPage>(catalogue, words_options, "helio explain");
        else if (options.format == Format::text)
            writer = std::make_unique<WordsWriter>(
                catalogue, words_options, [&output](std::string_view text) { output.write(text); },
                handle_name);
    }

    Explainer explainer;
    Explanation explanation;
    Meanings meanings;
    std::unique_ptr<WordsWriter> writer;  // for text
    std::unique_ptr<WordsPage> page;      // for HTML
};

ExchangeViews::ExchangeViews(const PipelineOptions& options, const Catalogue& catalogue,
                             PipelineOutput& output)
    : options_(options),
      catalogue_(catalogue),
      output_(output),
      names_(catalogue),
      view_(view_for(options)) {
    if (!options.filter.empty()) {
        auto filter = Filter::parse(options.filter, catalogue);
        if (!filter) throw std::runtime_error(to_string(filter.error()));
        filter_ = std::move(*filter);
    }
    if (options.format == Format::html && view_ == View::test_case)
        throw std::runtime_error("--test has no HTML page");
    if (options.format == Format::html && view_ != View::words)
        page_ = std::make_unique<HtmlPage>("helio explain");
    if (view_ == View::statistics) {
        const auto wanted = [&](std::string_view what) {
            return options.statistics.empty() ||
                   std::find(options.statistics.begin(), options.statistics.end(), what) !=
                       options.statistics.end();
        };
        statistics_ =
            std::make_unique<Statistics>(catalogue, names_,
                                         Statistics::Wanted{.procedures = wanted("procedure"),
                                                            .clients = wanted("client"),
                                                            .files = wanted("file")});
    } else if (view_ == View::words) {
        words_ = std::make_unique<WordsView>(options, catalogue, output_, names_);
    } else if (options.format == Format::json) {
        json_ = std::make_unique<JsonLines>(catalogue);
    } else {
        start(0);
    }
}

ExchangeViews::~ExchangeViews() = default;

void ExchangeViews::start(std::int64_t time_ns) {
    if (view_ != View::calls || options_.format == Format::json) return;
    lines_ = std::make_unique<CallLines>(
        catalogue_, CallLines::Options{.color = colored(), .start_ns = time_ns});
}

Pairing::Options ExchangeViews::pairing_options() const {
    return {.call_keep_max = needs_whole_messages() ? kPendingBytesMax : kKeptOfCallForLines};
}

Flows::Options ExchangeViews::flow_options() const {
    return {.keep_max = needs_whole_messages() ? kRecordSizeMax : kKeptForLines};
}

void ExchangeViews::exchange(const Exchange& exchange) {
    const bool wanted = !enough() && (!options_.xid || *options_.xid == exchange.xid) &&
                        (!filter_ || filter_->matches(exchange, names_));
    if (wanted) {
        ++shown_;
        show(exchange);
    }
    names_.learn(exchange);
}

void ExchangeViews::show(const Exchange& exchange) {
    switch (view_) {
        case View::statistics:
            return statistics_->exchange(exchange);
        case View::words:
            show_words(exchange);
            break;
        case View::test_case:
            show_test_case(exchange);
            break;
        case View::calls:
        case View::automatic:
            if (json_)
                schema_broken_ |= !json_->append(output_.text(), exchange, names_);
            else
                lines_->append(page_ ? page_lines_ : output_.text(), exchange, names_);
            break;
    }
    output_.appended();
}

void ExchangeViews::show_words(const Exchange& exchange) {
    for (const Message* message : {exchange.call, exchange.reply}) {
        if (message == nullptr) continue;
        if (words_->writer) {
            schema_broken_ |=
                !words_->writer->write(*message, exchange.procedure, words_->explainer);
            continue;
        }
        Explanation& explanation = words_->explanation;
        words_->explainer.explain_into(explanation, *message, exchange.procedure);
        schema_broken_ |= !explanation.ok;
        if (words_->page) {
            words_->page->add(*message, explanation);
        } else {
            append_words_json(output_.text(), explanation, nullptr, words_->meanings);
            output_.text() += '\n';
            output_.appended();
        }
    }
}

void ExchangeViews::show_test_case(const Exchange& exchange) {
    const auto made = make_test_case(exchange, catalogue_, options_.schema_files);
    if (made) {
        output_.text() += to_text(*made);
    } else {
        output_.note(fmt::format("cannot make a test of the call with xid 0x{:08x}: {}",
                                 exchange.xid, made.error()));
        schema_broken_ = true;
    }
}

void ExchangeViews::flush() {
    if (words_ && words_->writer) words_->writer->flush();
    output_.flush();
}

void ExchangeViews::append_totals(const Ledger& ledger) {
    std::string& out = output_.text();
    if (view_ == View::statistics && options_.format == Format::json) {
        out += statistics_->json();
        out.pop_back();  // the closing brace: the ledger becomes the last member
        out += ",\"ledger\":" + to_json(ledger, catalogue_) + "}\n";
    } else if (view_ == View::statistics) {
        std::string& text = page_ ? page_lines_ : out;
        text += statistics_->text(colored());
        text += '\n' + to_text(ledger, catalogue_);
    } else if (page_) {
        page_lines_ += '\n' + to_text(ledger, catalogue_);
    } else if (words_ && words_->page) {
        words_->page->add_lines(to_text(ledger, catalogue_));
        out += words_->page->finish();
    } else if (options_.format == Format::json) {
        out += "{\"ledger\":" + to_json(ledger, catalogue_) + "}\n";
    } else if (view_ != View::test_case) {
        out += '\n' + to_text(ledger, catalogue_);
    }
    if (page_) {
        page_->add_lines(page_lines_);
        out += page_->finish();
    }
}

PipelineResult ExchangeViews::finish(Ledger ledger) {
    if (words_ && words_->writer) words_->writer->flush();
    if (filter_) ledger.matched = shown_;
    append_totals(ledger);
    output_.flush();
    PipelineResult result;
    result.messages = ledger.calls + ledger.replies + ledger.one_way;
    result.shown = shown_;
    result.schema_broken = schema_broken_;
    result.missing_xid = options_.xid && shown_ == 0;
    result.ledger = std::move(ledger);
    if (result.messages == 0) output_.note("no RPC message was found");
    if (result.missing_xid) output_.note(fmt::format("no call with xid 0x{:08x}", *options_.xid));
    return result;
}

}  // namespace helio::inspect
