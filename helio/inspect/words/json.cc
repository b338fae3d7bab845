#include <cstdint>

#include "helio/base/text/byte_text.h"
#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/base/text/utf8.h"
#include "helio/inspect/words/words.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {
namespace {

// Labels may hold anything; invalid UTF-8 is replaced.
void append_string(std::string& out, std::string_view text) {
    is_utf8(text) ? append_json_string(out, text) : append_json_string(out, escaped(text));
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
    append_string(out, key);
    out += ':';
    append_string(out, value);
}

class JsonRows final : public RowSink {
 public:
    JsonRows(std::string& out, const RunNotes& notes) : out_(out), notes_(notes) {}

    void part(const Part& part) override {
        if (!first_part_) out_ += ',';
        first_part_ = false;
        first_row_ = true;
        out_ += '{';
        append_member(out_, "title", part.title);
        out_ += ",\"offset\":";
        append_number(out_, part.offset);
        if (!part.problem.empty()) {
            out_ += ',';
            append_member(out_, "problem", part.problem);
        }
        if (!part.note.empty()) {
            out_ += ',';
            append_member(out_, "note", part.note);
        }
        out_ += ",\"words\":[";
    }

    void row(const Row& row) override {
        if (!first_row_) out_ += ',';
        first_row_ = false;
        if (!row.path.empty()) field_ = row.path;
        if (row.kind == Row::Kind::unknown) field_.clear();
        out_ += "{\"offset\":";
        append_number(out_, row.offset);
        const std::optional<std::uint32_t> source = notes_.source(row.offset);
        if (notes_.addressed() && source) {
            out_ += ",\"address\":\"";
            append_hex_number(out_, notes_.address(*source), 0);
            out_ += '"';
        }
        if (row.kind == Row::Kind::folded || row.kind == Row::Kind::taken) {
            out_ += row.kind == Row::Kind::folded ? ",\"folded\":" : ",\"taken_out\":";
            append_number(out_, row.kind == Row::Kind::folded ? row.bytes.size() : row.leaf->size);
        } else {
            out_ += ",\"bytes\":\"";
            append_hex(out_, row.bytes);
            out_ += '"';
        }
        member("field", field_);
        if (row.kind != Row::Kind::folded) member("value", row.value);
        member("meaning", row.meaning);
        if (row.wrong) out_ += ",\"wrong\":true";
        notes_.slips(row, slips_);
        if (!slips_.empty()) {
            out_ += ",\"slips\":[";
            for (std::size_t i = 0; i < slips_.size(); ++i) {
                if (i != 0) out_ += ',';
                append_string(out_, slips_[i]);
            }
            out_ += ']';
        }
        out_ += '}';
    }

    void part_end(const Part&) override { out_ += "]}"; }

 private:
    void member(std::string_view key, std::string_view value) {
        if (value.empty()) return;
        out_ += ',';
        append_member(out_, key, value);
    }

    std::string& out_;
    const RunNotes& notes_;
    std::string field_;  // also of the leaf's further words
    std::vector<std::string> slips_;
    bool first_part_ = true;
    bool first_row_ = true;
};

}  // namespace

void append_words_json(std::string& out, const Explanation& explanation, const Dump::Run* run,
                       Meanings& meanings, const WordsOptions& options) {
    out += '{';
    append_member(out, "what", explanation.what);
    if (!explanation.why.empty()) {
        out += ',';
        append_member(out, "why", explanation.why);
    }
    if (explanation.procedure != nullptr) {
        out += ',';
        append_member(out, "operation", explanation.procedure->name);
    }
    out += explanation.ok ? ",\"ok\":true" : ",\"ok\":false";
    if (run != nullptr) {
        out += ",\"line\":";
        append_number(out, run->line);
        if (!run->label.empty()) {
            out += ',';
            append_member(out, "label", run->label);
        }
    }
    out += ",\"parts\":[";
    const RunNotes notes{run, explanation};
    JsonRows rows{out, notes};
    RowWalker{meanings, options.body_words_max}.walk(explanation, rows);
    out += "]}";
}

}  // namespace helio::inspect
