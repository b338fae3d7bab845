// ExchangeViews: the last stage. It filters exchanges, writes each in the form that the options
// choose (a line, JSON, every word, a test case, or only totals), and learns file names from all of
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "helio/inspect/exchange.h"
#include "helio/inspect/flow/flows.h"
#include "helio/inspect/pairing.h"
#include "helio/inspect/pipeline/buffered_output_internal.h"
#include "helio/inspect/pipeline/options.h"
#include "helio/inspect/pipeline/pipeline.h"
#include "helio/inspect/view/call_lines.h"
#include "helio/inspect/view/filter/filter.h"
#include "helio/inspect/view/html/html_page.h"
#include "helio/inspect/view/json_lines.h"
#include "helio/inspect/view/names.h"
#include "helio/inspect/view/statistics/statistics.h"

namespace helio::inspect {

class ExchangeViews final : public ExchangeSink {
 public:
    // Throws std::runtime_error for a filter that does not parse, or a view that does not have the
    // format.
    ExchangeViews(const PipelineOptions& options, const Catalogue& catalogue,
                  PipelineOutput& output);
    ~ExchangeViews() override;

    // The time from which CallLines count seconds.
    void start(std::int64_t time_ns);
    void exchange(const Exchange& exchange) override;
    bool enough() const { return options_.calls_max != 0 && shown_ >= options_.calls_max; }
    PipelineResult finish(Ledger ledger);
    void flush();

    // How much of each message the earlier stages have to keep.
    Pairing::Options pairing_options() const;
    Flows::Options flow_options() const;

 private:
    struct WordsView;

    bool needs_whole_messages() const {
        return view_ == View::words || view_ == View::test_case || json_ || filter_;
    }
    bool colored() const { return options_.color || page_ != nullptr; }
    void show(const Exchange& exchange);
    void show_words(const Exchange& exchange);
    void show_test_case(const Exchange& exchange);
    void append_totals(const Ledger& ledger);

    const PipelineOptions options_;
    const Catalogue& catalogue_;
    BufferedOutput output_;
    Names names_;
    std::optional<Filter> filter_;
    View view_;
    std::uint64_t shown_ = 0;
    bool schema_broken_ = false;

    // Made for the view in use.
    std::unique_ptr<Statistics> statistics_;
    std::unique_ptr<CallLines> lines_;
    std::unique_ptr<JsonLines> json_;
    std::unique_ptr<WordsView> words_;
    std::unique_ptr<HtmlPage> page_;  // of lines and totals
    std::string page_lines_;
};

}  // namespace helio::inspect
