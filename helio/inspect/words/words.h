// Words: an Explanation as a table for people, one line for each word,
//
//     0xffff88810c1e080c  00 01 86 a3  prog    100003    NFS_PROGRAM
//
// and the same as JSON and as a page of HTML. Long bodies are folded and counted. Where text has
// notes beside its bytes, a line under the word says when the two disagree. No line acts on a
// terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/text/dump.h"

namespace helio::inspect {

struct WordsOptions {
    bool color = false;
    std::size_t body_words_max = 16;  // words of one body that are shown: a handle is no longer
    // Messages of a capture that are like an earlier one are written without decoding: the same
    // text, several times faster.
    bool row_cache = true;
};

// Takes text in pieces of a few hundred KiB.
using WriteText = std::function<void(std::string_view)>;

class WordsWriter final {
 public:
    WordsWriter(const Catalogue& catalogue, const WordsOptions& options, WriteText write,
                HandleName handle_name = {});
    ~WordsWriter();
    WordsWriter(const WordsWriter&) = delete;
    WordsWriter& operator=(const WordsWriter&) = delete;

    // Of text: what it is and why, columns as wide as they have to be, addresses and slips from
    // `run`.
    void write(const Explanation& explanation, const Dump::Run* run = nullptr);
    // Of a capture: packet, time and endpoints above, columns of fixed width. Explanations of a
    // reply and of its call are two of these.
    void write(const Message& message, const Explanation& explanation);
    // The same of a message that nobody has explained yet, by an explainer that is always the same
    // one: see Explainer::explain_into. False: it breaks its schema.
    bool write(const Message& message, const Procedure* procedure, const Explainer& explainer);
    // How many of these had to be explained, because no message before them was alike.
    std::uint64_t explained() const;
    // A line of the caller's, as it is.
    void line(std::string_view text);
    void flush();  // also when destroyed

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// One object: {"what", "why", "ok", "parts": [{"title", "offset", "problem", "note", "words":
// [{"offset", "address", "bytes", "field", "value", "meaning", "wrong", "slips"}]}]}; keys are left
// out where there is nothing to say. A folded stretch of a body is {"offset", "folded": bytes}.
void append_words_json(std::string& out, const Explanation& explanation, const Dump::Run* run,
                       Meanings& meanings, const WordsOptions& options = {});

// A page by itself, without anything from elsewhere; light or dark as the reader has it.
class WordsPage final {
 public:
    WordsPage(const Catalogue& catalogue, const WordsOptions& options, std::string_view title);
    ~WordsPage();
    void add(const Explanation& explanation, const Dump::Run* run = nullptr);
    std::string finish();

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace helio::inspect
