// RowCache: writes the words of a message from its bytes alone when a message like it was written
// before, without decoding it into a tree.
//
// Which field follows which in a message depends on few of its words: discriminants, presence
// words and lengths of arrays. The cache keeps what the decoder found out as a chain of steps, one
// per field, with the text of its path. A step of kind `branch` has one edge for each value met so
// far, which leads to the step that followed it. write_*() walks the chain along the bytes and
// prints a row for each step; the text after the path ("tail": value and meaning) is cached by
// field and value. learn_*() adds what a decoded message did.
//
// The cache is exact or refuses: for a message that does anything new (a discriminant not seen
// before, a word that breaks the schema, an end too early or too late) write_*() returns false and
// the caller decodes it. Memory is bounded by kStepsMax, kEdgesMax and kTailBits; when the steps
// are used up, all of them are forgotten. docs/decisions/0007-words-from-a-cache.md has the
// figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/words/words.h"
#include "helio/inspect/words/words_internal.h"

namespace helio::inspect {

// Collects text into blocks. The message that is being written can be discarded.
class TextBlock {
 public:
    TextBlock(std::size_t size, const WriteText& write);

    void begin_message() { message_begin_ = used_; }
    void discard_message() { used_ = message_begin_; }
    std::string_view message() const {
        return {data_.get() + message_begin_, used_ - message_begin_};
    }
    // Space for `size` bytes; null: the message is longer than a block.
    char* room(std::size_t size) {
        return size <= size_ - used_ ? data_.get() + used_ : make_room(size);
    }
    void add(std::size_t size) { used_ += size; }  // bytes written to room()
    bool append(std::string_view text) {
        char* const to = room(text.size());
        if (to == nullptr) return false;
        std::memcpy(to, text.data(), text.size());
        used_ += text.size();
        return true;
    }
    void flush();

 private:
    char* make_room(std::size_t size);

    const WriteText& write_;
    const std::size_t size_;
    std::unique_ptr<char[]> data_;
    std::size_t used_ = 0;
    std::size_t message_begin_ = 0;
};

class RowCache {
 public:
    enum class Header : std::uint8_t { sys_call, call, reply };  // sys_call: with AUTH_SYS
    enum class Body : std::uint8_t { arguments, results };

    // `sink` appends its rows to `rows`.
    RowCache(const Catalogue& catalogue, const WordsOptions& options, Meanings& meanings,
             RowWalker& walker, RowSink& sink, std::string& rows);

    // Writes the header up to `end`, or the body from `at` on and moves `at` past it. False: not in
    // the cache; the caller discards what was added to the block.
    bool write_header(Header header, ByteView message, std::uint32_t end,
                      const Procedure& procedure, TextBlock& out);
    bool write_body(Body body, ByteView message, std::uint32_t& at, const Procedure& procedure,
                    TextBlock& out);

    // Only for parts that decoded completely and without a fault.
    void learn_header(Header header, const Part& part);
    void learn_body(Body body, const Part& part, const Procedure& procedure);

 private:
    // A field, in any position.
    struct Leaf {
        Meanings::Style style;
        reflect::Node node;
        reflect::Role parent = reflect::Role::structure;
    };
    struct Step {
        enum class Kind : std::uint8_t {
            nothing,  // not learned yet
            end,
            word,
            wide,    // two words
            branch,  // a word that decides what follows
            bytes,   // length (where it is variable), body, padding
        };
        Kind kind = Kind::nothing;
        bool after_credential = false;  // begins where the credential ends by its length
        std::uint16_t path_size = 0;
        std::uint16_t path_room = 0;  // with the spaces after it
        std::uint32_t path = 0;       // in paths_
        std::uint32_t leaf = 0;       // the word's, or the length's
        std::uint32_t body = 0;       // bytes: 0 until a nonempty body was met
        std::uint32_t next = 0;       // branch: its first edge
    };
    struct Edge {
        std::uint32_t word = 0;
        std::uint32_t step = 0;
        std::uint32_t next = 0;
    };
    struct Root {
        std::string title;
        std::uint32_t step = 0;
    };
    // The row after the path: value, meaning, newline.
    static constexpr std::size_t kTailMax = 176;
    struct alignas(64) CachedTail {  // 192 bytes: three cache lines
        std::uint64_t value = 0;
        std::uint32_t leaf = 0;  // 0: empty
        std::uint32_t size = 0;
        char tail[kTailMax];
    };

    struct CachedHeader {
        std::vector<std::byte> bytes;  // after the xid; empty: an empty entry
        std::string rows;
    };

    bool write(const Root& root, ByteView message, std::uint32_t& at, const Procedure& procedure,
               TextBlock& out);
    bool write_row(const Step& step, ByteView message, std::uint32_t at, const Procedure& procedure,
                   std::uint32_t value_size, TextBlock& out);
    bool write_bytes(const Step& step, ByteView message, std::uint32_t& at,
                     const Procedure& procedure, TextBlock& out);
    bool put_row(const Step& step, ByteView message, std::uint32_t at, std::size_t words,
                 std::string_view tail, TextBlock& out);
    void make_tail(const Leaf& leaf, ByteView message, std::uint32_t at, std::uint32_t size,
                   const Procedure& procedure);

    enum class Credential : std::uint8_t { none, auth_sys };
    void learn(Root& root, const Part& part, Credential credential);
    Root& body_root(Body body, const Procedure& procedure) {
        return roots_[kHeaders + 2 * procedure.number + static_cast<std::size_t>(body)];
    }
    bool fits(const Step& step, const reflect::Tree& tree, reflect::NodeIndex node) const;
    std::uint32_t new_step(const reflect::Tree& tree, reflect::NodeIndex node,
                           std::string_view path);
    std::uint32_t leaf_of(const reflect::Tree& tree, reflect::NodeIndex node);
    std::uint32_t* edge_of(Step& step, std::uint32_t word);
    void forget();

    static constexpr std::size_t kHeaders = 3;  // enumerators of Header
    const std::size_t plain_bytes_max_;         // longer bodies are folded
    Meanings& meanings_;
    RowWalker& walker_;
    RowSink& sink_;
    std::string& rows_;
    std::vector<Root> roots_;   // of headers, then two for each procedure
    std::vector<Step> steps_;   // [0] is unused; never reallocated
    std::vector<Edge> edges_;   // [0] is unused; never reallocated
    std::vector<Leaf> leaves_;  // [0] is unused
    std::string paths_;
    std::vector<CachedTail> tails_;
    std::vector<CachedHeader> headers_;
    // Scratch memory.
    PathOf path_;
    std::string tail_, value_, meaning_;
    Part part_;
};

}  // namespace helio::inspect
