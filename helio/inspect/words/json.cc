#include <cstdint>

#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/base/text/utf8.h"
#include "helio/inspect/words/words.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {
namespace {

class JsonRows final : public RowSink {
 public:
    JsonRows(std::string& out, JsonWriter& json, const RunNotes& notes)
        : out_(out), json_(json), notes_(notes) {}

    // Labels may hold anything; invalid UTF-8 is escaped.
    void member(std::string_view key, std::string_view value) {
        json_.key(key);
        string(value);
    }
    void member_if(std::string_view key, std::string_view value) {
        if (!value.empty()) member(key, value);
    }

    void part(const Part& part) override {
        json_.element();
        json_.open('{');
        member("title", part.title);
        json_.member("offset", part.offset);
        member_if("problem", part.problem);
        member_if("note", part.note);
        json_.key("words");
        json_.open('[');
    }

    void row(const Row& row) override {
        if (!row.path.empty()) field_ = row.path;
        if (row.kind == Row::Kind::unknown) field_.clear();
        json_.element();
        json_.open('{');
        json_.member("offset", row.offset);
        const std::optional<std::uint32_t> source = notes_.source(row.offset);
        if (notes_.addressed() && source) {
            json_.key("address");
            out_ += '"';
            append_hex_number(out_, notes_.address(*source), 0);
            out_ += '"';
        }
        if (row.kind == Row::Kind::folded) {
            json_.member("folded", row.bytes.size());
        } else if (row.kind == Row::Kind::taken) {
            json_.member("taken_out", row.leaf->size);
        } else {
            json_.key("bytes");
            json_.hex(row.bytes);
        }
        member_if("field", field_);
        if (row.kind != Row::Kind::folded) member_if("value", row.value);
        member_if("meaning", row.meaning);
        if (row.wrong) json_.member("wrong", true);
        notes_.slips(row, slips_);
        if (!slips_.empty()) {
            json_.key("slips");
            json_.open('[');
            for (const std::string& slip : slips_) {
                json_.element();
                string(slip);
            }
            json_.close(']');
        }
        json_.close('}');
    }

    void part_end(const Part&) override {
        json_.close(']');
        json_.close('}');
    }

 private:
    void string(std::string_view text) {
        is_utf8(text) ? json_.string(text) : json_.string(escaped(text));
    }

    std::string& out_;
    JsonWriter& json_;
    const RunNotes& notes_;
    std::string field_;  // also of the leaf's further words
    std::vector<std::string> slips_;
};

}  // namespace

void append_words_json(std::string& out, const Explanation& explanation, const Dump::Run* run,
                       Meanings& meanings, const WordsOptions& options) {
    const RunNotes notes{run, explanation};
    JsonWriter json{out, {.spaces = false}};
    JsonRows rows{out, json, notes};
    json.open('{');
    rows.member("what", explanation.what);
    rows.member_if("why", explanation.why);
    if (explanation.procedure != nullptr) rows.member("operation", explanation.procedure->name);
    json.member("ok", explanation.ok);
    if (run != nullptr) {
        json.member("line", run->line);
        rows.member_if("label", run->label);
    }
    json.key("parts");
    json.open('[');
    RowWalker{meanings, options.body_words_max}.walk(explanation, rows);
    json.close(']');
    json.close('}');
}

}  // namespace helio::inspect
