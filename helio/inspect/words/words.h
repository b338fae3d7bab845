// Words: an Explanation as a table for people, one line per word,
//
//     0xffff88810c1e080c  00 01 86 a3  prog    100003    NFS_PROGRAM
//
// and the same as JSON and as an HTML page. Long bodies are folded and counted. If the text has
// notes, a line under a word points out where they disagree. Control characters are escaped.
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
    std::size_t body_words_max = 16;  // words shown of one body: a handle fits
    // Messages from a capture that resemble an earlier one are written without decoding: the same
    // text, several times faster.
    bool row_cache = true;
};

// Receives text in pieces of a few hundred KiB.
using WriteText = std::function<void(std::string_view)>;

class WordsWriter final {
 public:
    WordsWriter(const Catalogue& catalogue, const WordsOptions& options, WriteText write,
                HandleName handle_name = {});
    ~WordsWriter();
    WordsWriter(const WordsWriter&) = delete;
    WordsWriter& operator=(const WordsWriter&) = delete;

    // For text: what it is and why, columns as wide as needed, addresses and slips from `run`.
    void write(const Explanation& explanation, const Dump::Run* run = nullptr);
    // For a capture: packet, time and endpoints above, columns of fixed width. A call and its reply
    // are two calls of this.
    void write(const Message& message, const Explanation& explanation);
    // The same for a message not explained yet. Always pass the same explainer; see
    // Explainer::explain_into. False: it breaks its schema.
    bool write(const Message& message, const Procedure* procedure, const Explainer& explainer);
    // How many of these had to be explained because the cache had no similar message.
    std::uint64_t explained() const;
    // Writes a line of the caller's.
    void line(std::string_view text);
    void flush();  // also called by the destructor

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// One object: {"what", "why", "ok", "parts": [{"title", "offset", "problem", "note", "words":
// [{"offset", "address", "bytes", "field", "value", "meaning", "wrong", "slips"}]}]}; keys without
// a value are omitted. A folded stretch of a body is {"offset", "folded": bytes}.
void append_words_json(std::string& out, const Explanation& explanation, const Dump::Run* run,
                       Meanings& meanings, const WordsOptions& options = {});

// A self-contained HTML page, light or dark as the reader prefers.
class WordsPage final {
 public:
    WordsPage(const Catalogue& catalogue, const WordsOptions& options, std::string_view title);
    ~WordsPage();
    void add(const Explanation& explanation, const Dump::Run* run = nullptr);
    // Of a capture: with packet, time and endpoints.
    void add(const Message& message, const Explanation& explanation);
    // Text as for a terminal, such as the ledger.
    void add_lines(std::string_view lines);
    std::string finish();

 private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace helio::inspect
