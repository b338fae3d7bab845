// Rows: the common source of the table, the JSON and the page.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/explain/explain.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/text/dump.h"

namespace helio::inspect {

struct Row {
    enum class Kind : std::uint8_t {
        word,     // the first word of a leaf
        more,     // a further word of it
        folded,   // words of a body that are not shown individually
        taken,    // a body that RDMA moved separately
        unknown,  // a word without a type
    };
    Kind kind = Kind::word;
    bool wrong = false;        // it breaks the schema
    std::uint32_t offset = 0;  // in Explanation::bytes
    ByteView bytes;
    // Valid until the next row. Safe for a terminal.
    std::string_view path;
    std::string_view value;
    std::string_view meaning;
    const Meanings::Style* style = nullptr;  // of words
    const reflect::Node* leaf = nullptr;
};

class RowSink {
 public:
    virtual ~RowSink() = default;
    virtual void part(const Part& part) = 0;
    virtual void row(const Row& row) = 0;
    virtual void part_end(const Part& part) = 0;
};

// Captures have fixed columns, so that no row waits for another.
inline constexpr std::size_t kCapturePathWidth = 40;
inline constexpr std::size_t kCaptureValueWidth = 24;

// The paths of a tree's nodes, in order: "args.file.data", "who.gids[3]".
class PathOf {
 public:
    PathOf();
    void begin(std::string_view root);
    // The path of the next node, valid until the next call.
    std::string_view enter(const reflect::Node& node);

 private:
    std::string path_;
    std::vector<std::uint32_t> lengths_;  // of the path, by depth
};

// Walks the parts of an explanation. Strings are reused from row to row.
class RowWalker {
 public:
    RowWalker(Meanings& meanings, std::size_t body_words_max);
    void walk(const Explanation& explanation, RowSink& sink);
    // One leaf, with its padding.
    void walk_leaf(const Part& part, reflect::NodeIndex node, std::string_view path,
                   const Procedure* procedure, RowSink& sink);

 private:
    void typed(const Explanation& explanation, const Part& part, RowSink& sink);
    void untyped(const Part& part, RowSink& sink);
    std::uint32_t leaf(const Explanation& explanation, const Part& part, reflect::NodeIndex node,
                       RowSink& sink);
    void body_rows(const Part& part, const reflect::Node& node, std::uint32_t padding, Row& row,
                   RowSink& sink);
    bool taken(const Explanation& explanation, const Part& part, const reflect::Node& node,
               RowSink& sink);

    Meanings& meanings_;
    const std::size_t body_words_max_;
    MeaningContext context_;
    PathOf paths_;
    std::string_view path_;  // of the leaf
    std::string value_;
    std::string meaning_;
};

// The line above a message from a capture: packet, time, endpoints, kind. Formatted seconds and
// endpoints are cached.
class Headings {
 public:
    // Without a newline. `what` is "call of " and so on, `procedure` "nfs3.READ".
    void append(std::string& out, const Message& message, std::string_view what,
                std::string_view procedure, Shape shape, const Head& head);

 private:
    static constexpr std::size_t kEndsMax = 64;  // conversations
    struct Ends {
        const FlowEnds* flow = nullptr;
        std::uint32_t number = 0;
        std::string text;
    };
    std::int64_t second_ = INT64_MIN;
    std::string second_text_;
    std::array<std::array<Ends, 2>, kEndsMax> ends_;
};

// Where a byte of the explanation was in the text, if it was there.
std::optional<std::uint32_t> source_of(const Explanation& explanation, std::uint32_t offset);

// A text's remarks beside its bytes: addresses, and what is wrong with notes and addresses.
class RunNotes {
 public:
    RunNotes(const Dump::Run* run, const Explanation& explanation);

    bool addressed() const { return addressed_; }
    std::optional<std::uint32_t> source(std::uint32_t offset) const {
        return source_of(explanation_, offset);
    }
    std::uint64_t address(std::uint32_t source) const;
    // The note that begins at that byte, or empty.
    std::string_view note(std::uint32_t source) const;
    // Slips to point out under a row. Rows come in order.
    void slips(const Row& row, std::vector<std::string>& out) const;

 private:
    const Dump::Run* run_;
    const Explanation& explanation_;
    bool addressed_ = false;
};

// "8f 0a 71 c7"
void append_bytes(std::string& out, ByteView bytes);

}  // namespace helio::inspect
