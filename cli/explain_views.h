// ExplainViews: what is shown of each exchange, as the flags say: a line, JSON, every word, or only
// what they add up to. Filters first, then learns the names of files.
#pragma once

#include <memory>
#include <optional>

#include "cli/explain.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/explain/explain.h"
#include "helio/inspect/flow/flows.h"
#include "helio/inspect/pairing.h"
#include "helio/inspect/view/filter/filter.h"
#include "helio/inspect/view/json_lines.h"
#include "helio/inspect/view/lines.h"
#include "helio/inspect/view/names.h"
#include "helio/inspect/view/statistics.h"
#include "helio/inspect/words/words.h"

namespace helio::cli {

class ExplainViews final : public inspect::ExchangeSink {
 public:
    // Throws std::runtime_error for a filter or a number that is none.
    ExplainViews(const ExplainFlags& flags, const inspect::Catalogue& catalogue);
    ~ExplainViews() override;

    // When the capture begins: what lines count seconds from.
    void start(std::int64_t time_ns);
    void exchange(const inspect::Exchange& exchange) override;
    bool enough() const { return flags_.limit != 0 && shown_ >= flags_.limit; }
    // What is left to say; the verb's exit code.
    int finish(const inspect::Ledger& ledger);
    void flush();

    // How much of messages has to be kept for what is shown.
    inspect::Pairing::Options pairing_options() const;
    inspect::Flows::Options flow_options() const;

 private:
    void show(const inspect::Exchange& exchange);
    void show_words(const inspect::Exchange& exchange);
    void show_test(const inspect::Exchange& exchange);

    const ExplainFlags flags_;
    const inspect::Catalogue& catalogue_;
    ExplainOutput output_;
    inspect::Names names_;
    std::optional<inspect::Filter> filter_;
    std::optional<std::uint32_t> xid_;
    ExplainView view_;
    std::uint64_t shown_ = 0;
    bool wrong_ = false;  // a message breaks its schema

    struct WordsParts;
    std::unique_ptr<inspect::Statistics> statistics_;
    std::unique_ptr<inspect::Lines> lines_;
    std::unique_ptr<inspect::JsonLines> json_;
    std::unique_ptr<WordsParts> words_;
};

// Runs the chain on packets from anywhere; a packet without bytes only means that time has passed.
int explain_from(const ExplainFlags& flags, const inspect::Catalogue& catalogue,
                 const std::function<bool(inspect::Packet&)>& next);

}  // namespace helio::cli
