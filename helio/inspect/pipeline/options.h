// Options: what to show of a capture or a text, and where to write it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helio::inspect {

enum class View : std::uint8_t {
    automatic,   // calls for captures, words for text and for bytes without packets
    calls,       // one line per call
    words,       // every 4-byte word of every message
    statistics,  // totals by procedure, client and file
    test_case,   // each call as a `helio call` command and a test vector
};

enum class Format : std::uint8_t { text, json, html };

struct PipelineOptions {
    View view = View::automatic;
    Format format = Format::text;           // html: not for View::test_case
    bool color = false;                     // escape sequences for terminals
    std::string filter = {};                // empty: every call; the language is in docs/explain.md
    std::optional<std::uint32_t> xid = {};  // only calls with this xid
    std::uint64_t calls_max = 0;            // stop after this many; 0: no limit
    std::vector<std::string> statistics = {};  // "procedure", "client", "file"; empty: all three
    std::string reply_procedure =
        {};  // for text: the call that a reply without its call answers, "nfs3.READ"
    std::vector<std::string> schema_files = {};  // named in the command lines of test cases
};

// Receives the pipeline's output.
class PipelineOutput {
 public:
    virtual ~PipelineOutput() = default;
    // The next piece of the explanation; lines may be split between pieces.
    virtual void write(std::string_view text) = 0;
    // A problem or remark that is not part of the explanation: one sentence, without a newline.
    virtual void note(std::string_view sentence) = 0;
    // Called from time to time while a file is read. `size` is 0 if unknown.
    virtual void progress(std::uint64_t bytes_read, std::uint64_t size) {
        static_cast<void>(bytes_read);
        static_cast<void>(size);
    }
};

}  // namespace helio::inspect
