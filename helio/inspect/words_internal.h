// Rows: what the table, the JSON and the page are made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/explain.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/text/dump.h"

namespace helio::inspect {

struct Row {
    enum class Kind : std::uint8_t {
        word,     // the first word of a leaf
        more,     // a further word of it
        folded,   // words of a body that are not shown one by one
        taken,    // a body that is not in the message: RDMA has moved it apart
        unknown,  // a word without a type
    };
    Kind kind = Kind::word;
    bool wrong = false;        // it breaks the schema
    std::uint32_t offset = 0;  // in Explanation::bytes
    ByteView bytes;
    // Until the next row. Safe for a terminal.
    std::string_view path;
    std::string_view value;
    std::string_view meaning;
    const Meanings::Style* style = nullptr;  // of words
    const reflect::Node* leaf = nullptr;
};

// All that the row of a leaf of one word depends on, but for its offset.
struct WordKey {
    const idl::Type* type = nullptr;
    const idl::Field* field = nullptr;
    const Procedure* procedure = nullptr;
    std::uint32_t word = 0;  // as it lies in memory
    reflect::Role role = reflect::Role::value;
    std::string_view path;
};

class RowSink {
 public:
    virtual ~RowSink() = default;
    // Has it written this word before, and now again? Most words of a capture repeat, and what they
    // mean is then not worked out anew.
    virtual bool repeated(const WordKey&, std::uint32_t /*offset*/) { return false; }
    virtual void part(const Part& part) = 0;
    virtual void row(const Row& row) = 0;
    virtual void part_end(const Part& part) = 0;
};

// Walks the parts of an explanation. The strings are used again from row to row.
class RowWalker {
 public:
    RowWalker(Meanings& meanings, std::size_t body_words_max);
    void walk(const Explanation& explanation, RowSink& sink);

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
    std::string path_;
    std::vector<std::uint32_t> lengths_;  // of the path, by depth
    std::string value_;
    std::string meaning_;
};

// Where a byte of the explanation stood in the text; nothing: it was not there.
std::optional<std::uint32_t> source_of(const Explanation& explanation, std::uint32_t offset);

// What a text says beside its bytes: addresses, and what is wrong with notes and addresses.
class RunNotes {
 public:
    RunNotes(const Dump::Run* run, const Explanation& explanation);

    bool addressed() const { return addressed_; }
    std::optional<std::uint32_t> source(std::uint32_t offset) const {
        return source_of(explanation_, offset);
    }
    std::uint64_t address(std::uint32_t source) const;
    // The note that begins at that byte; empty: none.
    std::string_view note(std::uint32_t source) const;
    // What is to be pointed at under a row. Rows come in order.
    void slips(const Row& row, std::vector<std::string>& out) const;

 private:
    const Dump::Run* run_;
    const Explanation& explanation_;
    bool addressed_ = false;
};

// "8f 0a 71 c7"
void append_bytes(std::string& out, ByteView bytes);

}  // namespace helio::inspect
