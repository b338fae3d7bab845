// Pasted text: every message in it, word by word.
#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "cli/common.h"
#include "cli/explain.h"
#include "helio/inspect/text/dump.h"
#include "helio/inspect/text/explain_text.h"
#include "helio/inspect/words/words.h"

namespace helio::cli {
namespace {

bool same(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

// "nfs3.READ", or "READ" where only one program has it.
const inspect::Procedure& procedure_called(const inspect::Catalogue& catalogue,
                                           const std::string& name) {
    const inspect::Procedure* found = nullptr;
    for (const inspect::Procedure& one : catalogue.procedures()) {
        if (same(one.name, name)) return one;
        if (!same(one.procedure->short_name, name)) continue;
        if (found != nullptr)
            throw std::runtime_error(fmt::format("--as {}: {} and {} are called that", shown(name),
                                                 found->name, one.name));
        found = &one;
    }
    if (found == nullptr)
        throw std::runtime_error(fmt::format(
            "--as {}: no schema has it; a program's procedures: helio describe nfs3", shown(name)));
    return *found;
}

}  // namespace

int explain_text(const ExplainFlags& flags, const inspect::Catalogue& catalogue, std::string text) {
    if (flags.view == ExplainView::stats || flags.view == ExplainView::calls ||
        !flags.filter.empty() || !flags.follow.empty() || !flags.test.empty())
        throw std::runtime_error(
            "text is explained word by word; --calls, --stats, --filter, "
            "--follow and --test are for captures");
    const inspect::Procedure* const reply_of =
        flags.reply_of.empty() ? nullptr : &procedure_called(catalogue, flags.reply_of);
    const inspect::Dump dump = inspect::read_dump(text);
    if (dump.runs.empty()) {
        fmt::print(stderr, "helio: {}\n",
                   dump.problem.empty() ? "no bytes in this text" : dump.problem);
        return kNo;
    }
    ExplainOutput output;
    const inspect::WordsOptions options{.color = flags.colored()};
    const inspect::Explainer explainer{catalogue};
    inspect::ExplainText all{explainer, dump, reply_of};
    inspect::Meanings meanings{catalogue};
    inspect::WordsPage page{catalogue, options, "helio explain"};
    {
        inspect::WordsWriter writer{catalogue, options, [&output](std::string_view more) {
                                        output.text() += more;
                                        output.added();
                                    }};
        if (!flags.json && !flags.html) {
            writer.line(fmt::format("read as {}{}{}", name(dump.kind), dump.how.empty() ? "" : ": ",
                                    dump.how));
            if (!dump.problem.empty()) writer.line(dump.problem);
        }
        std::vector<inspect::Explanation> messages;
        while (all.next(messages)) {
            for (const inspect::Explanation& one : messages) {
                if (flags.html) {
                    page.add(one, &all.run());
                } else if (flags.json) {
                    inspect::append_words_json(output.text(), one, &all.run(), meanings);
                    output.text() += '\n';
                    output.added();
                } else {
                    writer.write(one, &all.run());
                }
            }
        }
    }
    if (flags.html) output.text() += page.finish();
    output.flush();
    if (all.messages() == 0)
        fmt::print(stderr, "helio: no message was recognised in these bytes\n");
    return all.messages() == 0 || all.wrong() != 0 ? kNo : kDone;
}

}  // namespace helio::cli
