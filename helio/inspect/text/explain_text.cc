#include "helio/inspect/text/explain_text.h"

namespace helio::inspect {

ExplainText::ExplainText(const Explainer& explainer, const Dump& dump, const Procedure* reply_of)
    : explainer_(explainer), dump_(dump) {
    options_.reply_of = reply_of;
    options_.headless = dump.kind == DumpKind::notes;
}

bool ExplainText::next(std::vector<Explanation>& messages) {
    if (next_ >= dump_.runs.size()) return false;
    run_ = &dump_.runs[next_++];
    // Notes rarely include every byte.
    options_.cut = run_->cut || dump_.kind == DumpKind::notes;
    messages = explainer_.explain(run_->bytes, calls_, options_);
    for (const Explanation& one : messages) {
        if (!one.known) continue;
        ++messages_;
        if (!one.ok) ++wrong_;
    }
    return true;
}

}  // namespace helio::inspect
