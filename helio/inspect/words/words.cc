#include "helio/inspect/words/words.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/words/row_cache_internal.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kBlockSize = 256u << 10;  // written at once
constexpr std::size_t kPathWidthMax = 44;       // longer ones push the next columns to the right
constexpr std::size_t kValueWidthMax = 36;
constexpr std::size_t kOffsetWidth = 8;
constexpr std::size_t kCachedBytesMax = 99'999'999;  // longer offsets do not fit in their column
constexpr std::size_t kCachedBodyWordsMax = 256;     // the rows of a body fit a block
constexpr std::uint32_t kAuthSys = 1;                // RFC 5531 §8.2
constexpr std::size_t kBytesWidth = 11;              // "8f 0a 71 c7"

// Our own escape sequences; those in the data are escaped.
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kCyan = "\x1b[36m";
constexpr std::string_view kYellow = "\x1b[33m";

// "00" to "ff", two characters for each byte.
constexpr std::array<char, 512> hex_pairs() {
    std::array<char, 512> out{};
    for (std::size_t i = 0; i < 256; ++i) {
        out[2 * i] = "0123456789abcdef"[i >> 4];
        out[2 * i + 1] = "0123456789abcdef"[i & 15];
    }
    return out;
}
constexpr std::array<char, 512> kHexPairs = hex_pairs();

std::size_t write_bytes(char* out, ByteView bytes) {
    std::size_t at = 0;
    for (const std::byte b : bytes) {
        if (at != 0) out[at++] = ' ';
        std::memcpy(out + at, kHexPairs.data() + 2 * std::to_integer<std::size_t>(b), 2);
        at += 2;
    }
    return at;
}

std::size_t write_number(char* end, std::uint64_t number) {
    char* at = end;
    do *--at = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return static_cast<std::size_t>(end - at);
}

// Approximate width on a terminal: UTF-8 continuation bytes take no column.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

void copy(char* to, std::string_view text) { text.copy(to, text.size()); }

}  // namespace

class WordsWriter::Impl final : public RowSink {
 public:
    Impl(const Catalogue& catalogue, const WordsOptions& options, WriteText write,
         HandleName handle_name)
        : options_(options),
          write_(std::move(write)),
          meanings_(catalogue, std::move(handle_name)),
          walker_(meanings_, options.body_words_max),
          block_(kBlockSize, write_),
          row_cache_(catalogue, options, meanings_, walker_, *this, out_) {
        out_.reserve(kBlockSize + 4096);
    }

    void text(const Explanation& explanation, const Dump::Run* run) {
        colored(kBold, explanation.what);
        out_ += '\n';
        if (!explanation.why.empty()) {
            colored(kDim, "  " + explanation.why);
            out_ += '\n';
        }
        const RunNotes notes{run, explanation};
        notes_ = &notes;
        pending_.clear();
        pending_text_.clear();
        path_width_ = value_width_ = 0;
        walker_.walk(explanation, *this);
        show_pending(explanation);
        notes_ = nullptr;
        out_ += '\n';
        flush_full();
    }

    void capture(const Message& message, const Explanation& explanation) {
        heading(message, explanation.what, {}, explanation.shape, explanation.head);
        walker_.walk(explanation, *this);
        out_ += '\n';
        block_.begin_message();
        if (block_.append(out_))
            out_.clear();
        else
            flush();
    }

    bool capture(const Message& message, const Procedure* procedure, const Explainer& explainer) {
        if (!out_.empty()) flush();  // text outside the message
        Head head;
        bool usual = options_.row_cache && !options_.color && message.shape == Shape::onc &&
                     message.rdma_header.empty() && message.taken_out.empty() && !message.cut() &&
                     message.bytes.size() <= kCachedBytesMax && read_head(message.bytes, head) &&
                     head.complete && options_.body_words_max <= kCachedBodyWordsMax;
        if (usual && head.call && !is_called(procedure, head))
            procedure =
                explainer.catalogue().find(Shape::onc, head.program, head.version, head.procedure);
        usual = usual && procedure != nullptr;
        if (usual && write_cached(message, head, *procedure)) return true;
        ++explained_;
        explainer.explain_into(explanation_, message, procedure);
        capture(message, explanation_);
        if (usual && explanation_.ok) learn(explanation_, header_of(head));
        return explanation_.ok;
    }

    std::uint64_t explained() const { return explained_; }

    void line(std::string_view text) {
        block_.flush();
        out_ += text;
        out_ += '\n';
        flush_full();
    }

    void flush() {
        block_.flush();
        if (!out_.empty()) write_(out_);
        out_.clear();
    }

    void part(const Part& part) override {
        if (notes_ != nullptr) {
            keep_part(PendingRow::Kind::part, part);
            return;
        }
        colored(kCyan, part.title);
        out_ += '\n';
    }

    void part_end(const Part& part) override {
        if (notes_ != nullptr) {
            keep_part(PendingRow::Kind::part_end, part);
            return;
        }
        problem(part);
    }

    void row(const Row& row) override {
        if (notes_ != nullptr)
            keep(row);
        else if (options_.color)
            colored_row(row, {}, kOffsetWidth, kCapturePathWidth, kCaptureValueWidth);
        else
            fast_row(row);
    }

 private:
    static bool is_called(const Procedure* procedure, const Head& head) {
        return procedure != nullptr && procedure->shape == Shape::onc &&
               procedure->procedure->number == head.procedure &&
               procedure->version->number == head.version &&
               procedure->program->number == head.program;
    }

    static RowCache::Header header_of(const Head& head) {
        if (!head.call) return RowCache::Header::reply;
        return head.flavor == kAuthSys ? RowCache::Header::sys_call : RowCache::Header::call;
    }

    static RowCache::Body body_of(const Head& head) {
        return head.call ? RowCache::Body::arguments : RowCache::Body::results;
    }

    // False: nothing was written.
    bool write_cached(const Message& message, const Head& head, const Procedure& procedure) {
        block_.begin_message();
        heading(message, head.call ? "call of " : "reply to ", procedure.name, Shape::onc, head);
        bool good = block_.append(out_);
        out_.clear();
        const ByteView bytes = message.bytes;
        std::uint32_t at = head.body;
        good = good && row_cache_.write_header(header_of(head), bytes, at, procedure, block_);
        const bool carries = head.call || head.verdict == Verdict::success;
        if (good && carries && !is_void(body_of(head), procedure))
            good = row_cache_.write_body(body_of(head), bytes, at, procedure, block_);
        good = good && at == bytes.size() && block_.append("\n");
        if (!good) block_.discard_message();
        return good;
    }

    static bool is_void(RowCache::Body body, const Procedure& procedure) {
        const idl::Type& type =
            body == RowCache::Body::arguments ? *procedure.arguments : *procedure.result;
        return idl::resolve(type).kind == idl::Kind::void_;
    }

    void learn(const Explanation& explanation, RowCache::Header header) {
        const bool body = explanation.parts.size() == 2;
        if (explanation.parts.empty() || explanation.parts.size() > 2) return;
        for (const Part& part : explanation.parts)
            if (!part.problem.empty() || !part.wrong.empty() || !part.note.empty() ||
                !part.tree.ok() || part.tree.nodes.empty())
                return;
        row_cache_.learn_header(header, explanation.parts[0]);
        if (body)
            row_cache_.learn_body(body_of(explanation.head), explanation.parts[1],
                                  *explanation.procedure);
    }

    // A row, or a line about a part, that waits until the column widths are known.
    struct PendingRow {
        enum class Kind : std::uint8_t { part, row, part_end } kind = Kind::row;
        Row::Kind row = Row::Kind::word;
        bool wrong = false;
        std::uint32_t offset = 0;
        ByteView bytes;
        const Part* part = nullptr;
        std::size_t begin = 0;  // in pending_text_: path, value, meaning
        std::uint32_t path = 0;
        std::uint32_t value = 0;
        std::uint32_t meaning = 0;
        std::vector<std::string> slips;
    };

    void keep_part(PendingRow::Kind kind, const Part& part) {
        PendingRow& pending = pending_.emplace_back();
        pending.kind = kind;
        pending.part = &part;
    }

    // Reserves the whole row at once, including blanks, and then fills it in.
    void fast_row(const Row& row) {
        const std::size_t path = std::max(row.path.size(), kCapturePathWidth);
        const std::size_t value = std::max(row.value.size(), kCaptureValueWidth);
        constexpr std::size_t before = kOffsetWidth + 2 + kBytesWidth + 2;
        std::size_t size = before + row.path.size();
        if (!row.value.empty()) size = before + path + 2 + row.value.size();
        if (!row.meaning.empty()) size = before + path + 2 + value + 2 + row.meaning.size();
        if (size == before && row.bytes.size() <= 4)
            size = kOffsetWidth + 1 + 3 * row.bytes.size();  // nothing after the bytes
        const std::size_t mark = row.wrong ? 14 : 0;
        const std::size_t begin = out_.size();
        out_.append(size + mark + 1, ' ');
        char* const to = out_.data() + begin;
        if (row.offset <= 99'999'999) write_number(to + kOffsetWidth, row.offset);
        if (row.kind == Row::Kind::folded)
            copy(to + kOffsetWidth + 2, "..");
        else
            write_bytes(to + kOffsetWidth + 2, row.bytes);
        copy(to + before, row.path);
        if (!row.value.empty()) copy(to + before + path + 2, row.value);
        if (!row.meaning.empty()) copy(to + before + path + 2 + value + 2, row.meaning);
        if (row.wrong) copy(to + size + 3, "<-- wrong");
        out_.back() = '\n';
        if (out_.size() >= kBlockSize) flush();
    }

    void keep(const Row& row) {
        PendingRow pending;
        pending.row = row.kind;
        pending.wrong = row.wrong;
        pending.offset = row.offset;
        pending.bytes = row.bytes;
        pending.begin = pending_text_.size();
        std::string_view meaning = row.meaning;
        std::string note;
        if (row.kind == Row::Kind::unknown) {
            const std::optional<std::uint32_t> source = notes_->source(row.offset);
            if (source) note = escaped(notes_->note(*source));
            meaning = note;
        }
        pending_text_ += row.path;
        pending_text_ += row.value;
        pending_text_ += meaning;
        pending.path = static_cast<std::uint32_t>(row.path.size());
        pending.value = static_cast<std::uint32_t>(row.value.size());
        pending.meaning = static_cast<std::uint32_t>(meaning.size());
        notes_->slips(row, pending.slips);
        if (const std::size_t width = columns(row.path); width <= kPathWidthMax)
            path_width_ = std::max(path_width_, width);
        if (const std::size_t width = columns(row.value); width <= kValueWidthMax)
            value_width_ = std::max(value_width_, width);
        pending_.push_back(std::move(pending));
    }

    void show_pending(const Explanation& explanation) {
        std::size_t place_width = kOffsetWidth;
        if (notes_->addressed()) {
            std::string widest;
            append_hex_number(widest, notes_->address(explanation.source), 0);
            place_width = std::max(place_width, widest.size());
        }
        std::string place;
        for (const PendingRow& pending : pending_) {
            if (pending.kind == PendingRow::Kind::part) {
                colored(kCyan, pending.part->title);
                out_ += '\n';
                if (!pending.part->note.empty()) {
                    colored(kDim, "  " + pending.part->note);
                    out_ += '\n';
                }
                continue;
            }
            if (pending.kind == PendingRow::Kind::part_end) {
                problem(*pending.part);
                continue;
            }
            Row row;
            row.kind = pending.row;
            row.wrong = pending.wrong;
            row.offset = pending.offset;
            row.bytes = pending.bytes;
            const std::string_view all = std::string_view{pending_text_}.substr(pending.begin);
            row.path = all.substr(0, pending.path);
            row.value = all.substr(pending.path, pending.value);
            row.meaning = all.substr(pending.path + pending.value, pending.meaning);
            place.clear();
            const std::optional<std::uint32_t> source = notes_->source(row.offset);
            if (notes_->addressed()) {
                if (source)
                    append_hex_number(place, notes_->address(*source), 0);
                else
                    place = "-";
            }
            colored_row(row, place, place_width, path_width_, value_width_);
            for (const std::string& slip : pending.slips) {
                out_.append(place_width + 2, ' ');
                colored(kYellow, "!! " + slip);
                out_ += '\n';
            }
            flush_full();
        }
    }

    // Slower than fast_row, but handles everything.
    void colored_row(const Row& row, std::string_view place, std::size_t place_width,
                     std::size_t path_width, std::size_t value_width) {
        char digits[20];
        if (place.empty()) {
            const std::size_t count = write_number(digits + sizeof digits, row.offset);
            place = {digits + sizeof digits - count, count};
        }
        if (place.size() < place_width) out_.append(place_width - place.size(), ' ');
        colored(kDim, place);
        out_ += "  ";
        char bytes[16];
        std::size_t size = row.kind == Row::Kind::folded ? 2 : write_bytes(bytes, row.bytes);
        if (row.kind == Row::Kind::folded) copy(bytes, "..");
        if (row.wrong)
            colored(kRed, {bytes, size});
        else
            out_.append(bytes, size);
        std::size_t pending = kBytesWidth - size + 2;
        const auto column = [&](std::string_view text, std::size_t width, std::string_view color) {
            if (!text.empty()) {
                out_.append(pending, ' ');
                pending = 0;
                colored(color, text);
            }
            const std::size_t used = columns(text);
            pending += std::max(width, used) - used + 2;
        };
        column(row.path, path_width, {});
        column(row.value, value_width, row.wrong ? kRed : kBold);
        column(row.meaning, 0, kGreen);
        if (row.wrong) colored(kRed, "  <-- wrong");
        out_ += '\n';
        if (out_.size() >= kBlockSize) flush();
    }

    void problem(const Part& part) {
        if (part.problem.empty()) return;
        out_.append(2, ' ');
        colored(kYellow, "!! " + part.problem);
        out_ += '\n';
    }

    void heading(const Message& message, std::string_view what, std::string_view procedure,
                 Shape shape, const Head& head) {
        if (options_.color) out_ += kBold;
        headings_.append(out_, message, what, procedure, shape, head);
        if (options_.color) out_ += kPlain;
        out_ += '\n';
    }

    void colored(std::string_view color, std::string_view text) {
        if (!options_.color || color.empty() || text.empty()) {
            out_ += text;
            return;
        }
        out_ += color;
        out_ += text;
        out_ += kPlain;
    }

    void flush_full() {
        if (out_.size() >= kBlockSize) flush();
    }

    const WordsOptions options_;
    WriteText write_;
    Meanings meanings_;
    RowWalker walker_;
    std::string out_;  // follows block_
    TextBlock block_;  // for captures
    RowCache row_cache_;
    Explanation explanation_;
    std::uint64_t explained_ = 0;
    const RunNotes* notes_ = nullptr;  // while text is shown
    std::vector<PendingRow> pending_;
    std::string pending_text_;
    std::size_t path_width_ = 0;
    std::size_t value_width_ = 0;
    Headings headings_;
};

WordsWriter::WordsWriter(const Catalogue& catalogue, const WordsOptions& options, WriteText write,
                         HandleName handle_name)
    : impl_(std::make_unique<Impl>(catalogue, options, std::move(write), std::move(handle_name))) {}

WordsWriter::~WordsWriter() { impl_->flush(); }

void WordsWriter::write(const Explanation& explanation, const Dump::Run* run) {
    impl_->text(explanation, run);
}
void WordsWriter::write(const Message& message, const Explanation& explanation) {
    impl_->capture(message, explanation);
}
bool WordsWriter::write(const Message& message, const Procedure* procedure,
                        const Explainer& explainer) {
    return impl_->capture(message, procedure, explainer);
}
std::uint64_t WordsWriter::explained() const { return impl_->explained(); }
void WordsWriter::line(std::string_view text) { impl_->line(text); }
void WordsWriter::flush() { impl_->flush(); }

}  // namespace helio::inspect
