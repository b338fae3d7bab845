// ExplainText: a whole text, explained: every message of every run, replies paired with the calls
// that stand before them. What `helio explain` does with text.
#pragma once

#include <cstddef>
#include <vector>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/text/dump.h"

namespace helio::inspect {

// Goes through the runs of a Dump one after the other, so that only one is in memory explained.
// Borrows all three.
class ExplainText final {
 public:
    // `reply_of`: what replies answer whose call is not in the text; null: nobody said.
    ExplainText(const Explainer& explainer, const Dump& dump, const Procedure* reply_of = nullptr);

    // False: no more runs. `messages` borrow the dump.
    bool next(std::vector<Explanation>& messages);
    const Dump::Run& run() const { return *run_; }  // the one `messages` are of

    // So far. Nothing known in all of the text: the answer is no.
    std::size_t messages() const { return messages_; }
    std::size_t wrong() const { return wrong_; }  // of those, that break their schema

 private:
    const Explainer& explainer_;
    const Dump& dump_;
    ExplainOptions options_;
    CallBook calls_;
    std::size_t next_ = 0;
    const Dump::Run* run_ = nullptr;
    std::size_t messages_ = 0;
    std::size_t wrong_ = 0;
};

}  // namespace helio::inspect
