// Pasted text: every message in it, word by word.
#include <algorithm>
#include <cctype>
#include <stdexcept>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/pipeline/buffered_output_internal.h"
#include "helio/inspect/pipeline/pipeline.h"
#include "helio/inspect/text/dump.h"
#include "helio/inspect/text/explain_text.h"
#include "helio/inspect/words/words.h"

namespace helio::inspect {
namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) ==
               std::tolower(static_cast<unsigned char>(y));
    });
}

// "nfs3.READ", or "READ" where only one program has it.
const Procedure& procedure_named(const Catalogue& catalogue, const std::string& name) {
    const Procedure* found = nullptr;
    for (const Procedure& one : catalogue.procedures()) {
        if (one.carried_by != nullptr) continue;  // a message holds a whole call
        if (equal_ignoring_case(one.name, name)) return one;
        if (!equal_ignoring_case(one.procedure->short_name, name)) continue;
        if (found != nullptr)
            throw std::runtime_error(fmt::format("--as {} is ambiguous: {} or {}", escaped(name),
                                                 found->name, one.name));
        found = &one;
    }
    if (found == nullptr)
        throw std::runtime_error(fmt::format(
            "--as {}: no schema has this procedure; helio describe nfs3 lists those of nfs3",
            escaped(name)));
    return *found;
}

// Writes explanations of messages in the format of the options.
class TextView final {
 public:
    TextView(const PipelineOptions& options, const Catalogue& catalogue, BufferedOutput& output)
        : format_(options.format),
          output_(output),
          meanings_(catalogue),
          page_(catalogue, {.color = options.color}, "helio explain"),
          writer_(catalogue, {.color = options.color}, [&output](std::string_view more) {
              output.text() += more;
              output.appended();
          }) {}

    void begin(const Dump& dump) {
        if (format_ != Format::text) return;
        writer_.line(
            fmt::format("read as {}{}{}", name(dump.kind), dump.how.empty() ? "" : ": ", dump.how));
        if (!dump.problem.empty()) writer_.line(dump.problem);
    }
    void add(const Explanation& message, const Dump::Run& run) {
        switch (format_) {
            case Format::html:
                page_.add(message, &run);
                break;
            case Format::json:
                append_words_json(output_.text(), message, &run, meanings_);
                output_.text() += '\n';
                output_.appended();
                break;
            case Format::text:
                writer_.write(message, &run);
                break;
        }
    }
    void finish(const ExplainText& all) {
        writer_.flush();
        if (const std::size_t empty = all.empty_packets(); empty != 0) {
            if (format_ == Format::text)
                output_.text() +=
                    fmt::format("\n{} {} in the text; {} {} without payload {} left out\n",
                                all.messages(), all.messages() == 1 ? "message" : "messages", empty,
                                empty == 1 ? "packet" : "packets", empty == 1 ? "is" : "are");
            if (format_ == Format::json)
                output_.text() +=
                    fmt::format("{{\"ledger\":{{\"messages\":{},\"empty_packets\":{}}}}}\n",
                                all.messages(), empty);
        }
        if (format_ == Format::html) output_.text() += page_.finish();
        output_.flush();
    }

 private:
    const Format format_;
    BufferedOutput& output_;
    Meanings meanings_;
    WordsPage page_;
    WordsWriter writer_;
};

}  // namespace

PipelineResult explain_text(const PipelineOptions& options, const Catalogue& catalogue,
                            std::string text, PipelineOutput& output) {
    const bool by_word = options.view == View::automatic || options.view == View::words;
    if (!by_word || !options.filter.empty() || options.xid)
        throw std::runtime_error(
            "--calls, --stats, --filter, --follow and --test work only for captures; text is "
            "explained word by word");
    const Procedure* const reply_of = options.reply_procedure.empty()
                                          ? nullptr
                                          : &procedure_named(catalogue, options.reply_procedure);
    PipelineResult result;
    const Explainer explainer{catalogue};
    const Dump dump = read_messages(text, explainer);
    if (dump.runs.empty()) {
        output.note(dump.problem.empty() ? "the text contains no bytes" : dump.problem);
        return result;
    }
    BufferedOutput buffer{output};
    TextView view{options, catalogue, buffer};
    view.begin(dump);
    ExplainText all{explainer, dump, reply_of};
    std::vector<Explanation> messages;
    while (all.next(messages))
        for (const Explanation& one : messages) view.add(one, all.run());
    view.finish(all);
    if (all.messages() == 0) output.note("no message was recognised");
    result.messages = all.messages();
    result.shown = all.messages();
    result.schema_broken = all.wrong() != 0;
    return result;
}

}  // namespace helio::inspect
