// Courses: how the words of a capture are written quickly. Which leaf follows which in a message
// depends on few of its words (discriminants, presence, lengths of arrays), and most messages take
// a course that one before them took. So what the decoder finds out of a message is kept as a chain
// of steps with their paths in place; the next message of the same course is written from its bytes
// alone, without a tree. What a value means is kept by field and value.
//
// Exact or not at all: a message that does anything new (a discriminant not met before, a word that
// breaks the schema, an end too early or too late) is refused, and goes the long way. Memory is
// bounded by kStepsMax, kEdgesMax and kKeptBits; when the steps are used up all are forgotten.
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

// Text that is gathered until there is a block of it. The message that is being written can be
// taken back.
class TextBlock {
 public:
    TextBlock(std::size_t size, const WriteText& write);

    void begin() { begun_ = used_; }  // a message
    void take_back() { used_ = begun_; }
    std::string_view message() const { return {data_.get() + begun_, used_ - begun_}; }
    // Room for so many bytes; null: the message is longer than a block.
    char* room(std::size_t size) {
        return size <= size_ - used_ ? data_.get() + used_ : make_room(size);
    }
    void add(std::size_t size) { used_ += size; }  // bytes that were put there
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
    std::size_t begun_ = 0;
};

class Courses {
 public:
    // What a part is: its type follows from it.
    enum class Header : std::uint8_t { sys_call, call, reply };

    // `rows` is where the sink writes its rows.
    Courses(const Catalogue& catalogue, const WordsOptions& options, Meanings& meanings,
            RowWalker& walker, RowSink& sink, std::string& rows);

    // The header up to `end`; a body from `at` on, which is then where it ends. False: not to be
    // had here; what was added to the block is to be taken back.
    bool write_header(Header header, ByteView message, std::uint32_t end,
                      const Procedure& procedure, TextBlock& out);
    bool write_body(bool arguments, ByteView message, std::uint32_t& at, const Procedure& procedure,
                    TextBlock& out);

    // Parts in which nothing is wrong, decoded to their end.
    void learn_header(Header header, const Part& part);
    void learn_body(bool arguments, const Part& part, const Procedure& procedure);

 private:
    // A leaf but for its place.
    struct Leaf {
        Meanings::Style style;
        reflect::Node node;
        reflect::Role parent = reflect::Role::structure;
    };
    struct Step {
        enum class Kind : std::uint8_t {
            nothing,  // not met yet
            end,
            word,
            wide,    // two words
            branch,  // a word that decides what follows
            bytes,   // length (where it is variable), body, padding
        };
        Kind kind = Kind::nothing;
        bool behind_credential = false;  // it begins where the credential's length says
        std::uint16_t path_size = 0;
        std::uint16_t path_room = 0;  // with the blanks behind it
        std::uint32_t path = 0;       // in paths_
        std::uint32_t leaf = 0;       // the word's, or the length's
        std::uint32_t body = 0;       // bytes: 0 until one was met that is not empty
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
    // What stands behind the path for one value.
    static constexpr std::size_t kTailMax = 176;
    struct alignas(64) Kept {  // three lines of a core's cache
        std::uint64_t value = 0;
        std::uint32_t leaf = 0;  // 0: nothing here
        std::uint32_t size = 0;
        char tail[kTailMax];  // with the end of the line
    };

    struct KeptHeader {
        std::vector<std::byte> bytes;  // behind the xid; none: nothing here
        std::string rows;
    };

    bool write(const Root& root, ByteView message, std::uint32_t& at, const Procedure& procedure,
               TextBlock& out);
    bool write_row(const Step& step, ByteView message, std::uint32_t at, const Procedure& procedure,
                   bool wide, TextBlock& out);
    bool write_bytes(const Step& step, ByteView message, std::uint32_t& at,
                     const Procedure& procedure, TextBlock& out);
    bool put_row(const Step& step, ByteView message, std::uint32_t at, std::size_t words,
                 std::string_view tail, TextBlock& out);
    void make_tail(const Leaf& leaf, ByteView message, std::uint32_t at, std::uint32_t size,
                   const Procedure& procedure);

    void learn(Root& root, const Part& part, bool credential);
    bool fits(const Step& step, const reflect::Tree& tree, reflect::NodeIndex node) const;
    std::uint32_t new_step(const reflect::Tree& tree, reflect::NodeIndex node,
                           std::string_view path);
    std::uint32_t leaf_of(const reflect::Tree& tree, reflect::NodeIndex node);
    std::uint32_t* edge_of(Step& step, std::uint32_t word);
    void forget();

    const std::size_t plain_bytes_max_;  // bodies of which nothing is folded
    Meanings& meanings_;
    RowWalker& walker_;
    RowSink& sink_;
    std::string& rows_;
    std::vector<Root> roots_;   // of headers; then two for each procedure
    std::vector<Step> steps_;   // [0] is nothing; never moves
    std::vector<Edge> edges_;   // [0] is none; never moves
    std::vector<Leaf> leaves_;  // [0] is none
    std::string paths_;
    std::vector<Kept> kept_;
    std::vector<KeptHeader> headers_;
    // Used again and again.
    PathOf path_;
    std::string tail_, value_, meaning_;
    Part part_;
};

}  // namespace helio::inspect
