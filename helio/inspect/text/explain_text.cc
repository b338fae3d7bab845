#include "helio/inspect/text/explain_text.h"

#include "helio/inspect/explain/explain_internal.h"

namespace helio::inspect {

ExplainText::ExplainText(const Explainer& explainer, const Dump& dump, const Procedure* reply_of)
    : explainer_(explainer), dump_(dump) {
    options_.reply_of = reply_of;
    options_.headless = dump.kind == DumpKind::notes;
}

bool ExplainText::next(std::vector<Explanation>& messages) {
    const auto empty = [this] { return is_empty_packet(dump_.runs[next_].bytes); };
    for (; next_ < dump_.runs.size() && empty(); ++next_) ++empty_packets_;
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

Dump read_messages(std::string_view text, const Explainer& explainer) {
    const auto has_message = [&explainer](const Dump& dump) {
        ExplainText all{explainer, dump};
        std::vector<Explanation> messages;
        while (all.messages() == 0 && all.next(messages)) {
        }
        return all.messages() != 0;
    };
    Dump usual = read_dump(text);
    if (has_message(usual)) return usual;
    for (const DumpReading reading : kSecondReadings)
        if (Dump other = read_dump(text, reading); has_message(other)) return other;
    return usual;
}

}  // namespace helio::inspect
