// ExplainText: explains a whole text: every message of every run, with replies matched to the calls
// before them. `helio explain` uses it for text.
#pragma once

#include <cstddef>
#include <vector>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/text/dump.h"

namespace helio::inspect {

// Explains the runs of a Dump one at a time, so that only one is in memory. Borrows all its
// arguments.
class ExplainText final {
 public:
    // `reply_of`: procedure of replies whose call is not in the text; null: unknown.
    ExplainText(const Explainer& explainer, const Dump& dump, const Procedure* reply_of = nullptr);

    // False: no more runs. `messages` borrow the dump.
    bool next(std::vector<Explanation>& messages);
    const Dump::Run& run() const { return *run_; }  // the run of `messages`
    // TCP and UDP packets without payload, which are passed over: they are no messages.
    std::size_t empty_packets() const { return empty_packets_; }

    // Recognised so far. If it ends at 0, the text has no message.
    std::size_t messages() const { return messages_; }
    std::size_t wrong() const { return wrong_; }  // of those, the ones that break their schema

 private:
    const Explainer& explainer_;
    const Dump& dump_;
    ExplainOptions options_;
    CallBook calls_;
    std::size_t next_ = 0;
    const Dump::Run* run_ = nullptr;
    std::size_t messages_ = 0;
    std::size_t wrong_ = 0;
    std::size_t empty_packets_ = 0;
};

// read_dump() in the first reading that shows a message. If none does, the usual one.
Dump read_messages(std::string_view text, const Explainer& explainer);

}  // namespace helio::inspect
