// The layout itself: one pass over the tokens that decides, for each, whether it begins a line, and
// where. The only input from the author's spacing is which comments are on their own line and where
// blank lines are; everything else follows from the words alone. That is why a second run changes
// nothing.
#include <algorithm>
#include <array>

#include "helio/idl/format/layout_internal.h"
#include "helio/idl/parse.h"
#include "helio/idl/syntax/comments_internal.h"

namespace helio::idl {
namespace {

// A line that belongs to another tool: stays in column 0, and nothing may follow on it.
bool is_foreign_line(const Token& token) {
    return token.kind == TokenKind::directive || token.kind == TokenKind::passthrough;
}

bool is_code(const Token& token) { return !is_comment(token) && !is_foreign_line(token); }

bool is_mark(const Token& token, char mark) {
    return token.kind == TokenKind::punctuation && token.text.size() == 1 && token.text[0] == mark;
}

bool is_word(const Token& token, std::string_view word) {
    return token.kind == TokenKind::identifier && token.text == word;
}

bool is_label(const Token& token) { return is_word(token, "case") || is_word(token, "default"); }

// What the layout needs to know about a token's surroundings. Computed once, so that no decision
// looks ahead: a file of a million comments takes a million steps.
struct Context {
    std::uint32_t newlines = 0;  // in the source between the token before and this one
    std::uint32_t column = 0;    // in the source, on a terminal
    std::size_t next_code = 0;   // the first word at or after this token
    bool attached = false;       // only comments, and no blank line, between here and next_code
    bool opens_block = false;    // the statement that goes on at next_code has a `{` before its `;`
    bool line_goes_on = false;   // a word follows on the same line, behind this and other comments
};

std::vector<Context> survey(std::string_view text, const std::vector<Token>& tokens) {
    std::vector<Context> contexts(tokens.size());
    std::size_t done = 0;
    std::uint32_t column = 0;
    const auto walk_to = [&](std::size_t offset) {
        std::uint32_t newlines = 0;
        for (; done < offset; ++done) {
            if (text[done] == '\n') {
                ++newlines;
                column = 0;
            } else {
                column = advance_column(column, text.substr(done, 1));
            }
        }
        return newlines;
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        contexts[i].newlines = walk_to(tokens[i].where.offset);
        contexts[i].column = column;
        walk_to(tokens[i].where.offset + tokens[i].text.size());
    }
    for (std::size_t i = tokens.size(); i-- > 0;) {
        const bool last = i + 1 == tokens.size();
        if (is_code(tokens[i]) || last) {
            const bool ends = is_mark(tokens[i], ';') || is_mark(tokens[i], '}') || last;
            contexts[i].next_code = i;
            contexts[i].attached = true;
            contexts[i].opens_block =
                is_mark(tokens[i], '{') || (!ends && contexts[i + 1].opens_block);
            continue;
        }
        contexts[i].next_code = contexts[i + 1].next_code;
        contexts[i].attached =
            is_comment(tokens[i]) && contexts[i + 1].newlines < 2 && contexts[i + 1].attached;
        contexts[i].opens_block = contexts[i + 1].opens_block;
        contexts[i].line_goes_on = contexts[i + 1].newlines == 0 &&
                                   (is_code(tokens[i + 1]) || contexts[i + 1].line_goes_on);
    }
    return contexts;
}

// Is there a space between these two words of a statement? A ':' within a statement is half of a
// `::`; that of a label ends its statement.
bool spaced(const Token& before, const Token& token) {
    if (before.kind == TokenKind::punctuation &&
        std::string_view{"([<*-:"}.find(before.text) != std::string_view::npos)
        return false;
    if (is_mark(token, '(')) return is_word(before, "switch") || !is_code(before);
    return token.kind != TokenKind::punctuation ||
           std::string_view{";,:)]>[<"}.find(token.text) == std::string_view::npos;
}

// Padding that aligned the ends of a column of comments is meaningless after code.
std::string without_padding(std::string comment) {
    const auto end = comment.size() - 2;  // of the text, where `*/` begins
    const auto last = comment.find_last_not_of(" \t", end - 1);
    if (last + 1 < end) comment.replace(last + 1, end - last - 1, " ");
    return comment;
}

class Layout {
 public:
    Layout(std::string_view text, const std::vector<Token>& tokens)
        : tokens_{tokens}, contexts_{survey(text, tokens)} {}

    std::string run() {
        for (at_ = 0; at_ < tokens_.size() && token().kind != TokenKind::end; ++at_) {
            if (is_foreign_line(token())) {
                foreign_line();
            } else if (is_comment(token())) {
                comment();
            } else if (is_mark(token(), '}')) {
                close_brace();
            } else {
                word();
            }
        }
        if (!out_.empty()) out_ += '\n';
        return std::move(out_);
    }

 private:
    enum class Scope : std::uint8_t { plain, enumeration, union_, program, namespace_ };
    enum class Item : std::uint8_t { none, line, block, comment, foreign };
    enum class Comment : std::uint8_t { none, behind, before };  // after a word; on its own line

    const Token& token() const { return tokens_[at_]; }
    const Context& context() const { return contexts_[at_]; }
    const Token& next_code() const { return tokens_[context().next_code]; }
    Scope scope() const { return scopes_.empty() ? Scope::namespace_ : scopes_.back(); }

    void foreign_line();
    void comment();
    void comment_on_own_line();
    void word();
    void close_brace();
    void open_scope();
    void end_statement(Item item);

    bool is_name_of_procedure() const;
    bool rest_fits() const;
    void wrap();
    std::uint32_t indent() const;
    std::uint32_t indent_of(const Token& first) const;
    bool blank_before(Item next) const;
    bool blank_after_comment() const;
    enum class Blank : bool { none, before };  // a blank line
    static Blank blank_if(bool condition) { return condition ? Blank::before : Blank::none; }
    void start_line(std::uint32_t indent, Blank blank);
    void write(std::string_view text);
    enum class Position : bool { own, behind_code };
    void write_comment(Position position);

    const std::vector<Token>& tokens_;
    const std::vector<Context> contexts_;
    std::size_t at_ = 0;

    std::string out_;
    std::uint32_t column_ = 0;
    std::vector<Scope> scopes_;
    std::size_t depth_ = 0;          // of scopes_, those that indent
    const Token* before_ = nullptr;  // last token written on this statement; null at its start
    std::string_view keyword_;       // the statement's first word, typedef skipped
    bool in_label_ = false;          // between `case` and its ':'
    bool block_ = false;             // the statement has had a { … }
    bool break_ = false;             // the line is complete: a // comment or a foreign line ends it
    std::uint32_t wraps_ = 0;        // times this statement was too long for its line
    bool fresh_ = true;              // nothing yet in this { … } or file: no blank line here
    Comment comment_ = Comment::none;  // the token before this one was a comment
    bool comment_multiline_ = false;
    std::uint32_t comment_source_column_ = 0;
    std::uint32_t comment_column_ = 0;
    Item item_ = Item::none;  // the line before, for blank lines between definitions
};

void Layout::write(std::string_view text) {
    out_ += text;
    const auto line_end = text.rfind('\n');
    if (line_end != std::string_view::npos) {
        column_ = 0;
        text.remove_prefix(line_end + 1);
    }
    column_ = advance_column(column_, text);
}

void Layout::start_line(std::uint32_t indent, Blank blank) {
    if (!out_.empty()) out_ += blank == Blank::before ? "\n\n" : "\n";
    out_.append(indent, ' ');
    column_ = indent;
    break_ = false;
    fresh_ = false;
}

std::uint32_t Layout::indent() const {
    return static_cast<std::uint32_t>(std::min(depth_, kNestingMax)) * kIndent;
}

// Labels are aligned with the word `union`, and so is a comment at its end.
std::uint32_t Layout::indent_of(const Token& first) const {
    const bool outside = scope() == Scope::union_ && (is_label(first) || is_mark(first, '}'));
    return indent() - (outside ? kIndent : 0);
}

// Within a body the author decides about blank lines. Between definitions there is one, but
// one-line definitions stay grouped as the author grouped them; a comment belongs to what follows
// it.
bool Layout::blank_before(Item next) const {
    if (fresh_) return false;
    if (context().newlines >= 2) return true;
    const bool between_definitions = scope() == Scope::namespace_ || scope() == Scope::program;
    if (!between_definitions || next == Item::foreign) return false;
    if (item_ == Item::block) return true;
    return item_ == Item::line && context().opens_block && context().attached;
}

// Inside a statement: a blank line means that the comment above it is not about the word below.
bool Layout::blank_after_comment() const { return is_comment(*before_) && context().newlines >= 2; }

void Layout::foreign_line() {
    const bool blank = blank_before(Item::foreign) && before_ == nullptr;
    start_line(0, blank_if(blank));
    auto text = token().text;
    while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
    write(text);
    break_ = true;
    comment_ = Comment::none;
    if (before_ == nullptr) item_ = Item::foreign;
}

void Layout::write_comment(Position position) {
    comment_source_column_ = context().column;
    comment_column_ = column_;
    std::string text = move_comment(token().text, context().column, column_);
    comment_multiline_ = text.find('\n') != std::string::npos;
    if (position == Position::behind_code && !comment_multiline_ &&
        token().kind == TokenKind::block_comment) {
        text = without_padding(std::move(text));
    }
    write(text);
    if (token().kind == TokenKind::line_comment) break_ = true;
}

// As in the parser (comments_internal.h): a comment belongs to the word before it, but after `{`
// and `case X:` to what follows if that is on the same line. Formatting must not change the owner,
// so a comment moves between the end of a line and its own line only in that case.
void Layout::comment() {
    const bool same_line = context().newlines == 0 && !out_.empty() && !break_;
    const bool about_next = fresh_ && before_ == nullptr && context().line_goes_on;
    if (!same_line || about_next) return comment_on_own_line();

    if (before_ == nullptr || spaced(*before_, token())) write(" ");
    const bool behind = comment_ != Comment::before;
    write_comment(behind ? Position::behind_code : Position::own);
    comment_ = behind ? Comment::behind : Comment::before;
    if (before_ != nullptr) before_ = &token();
}

void Layout::comment_on_own_line() {
    // The last enumerator has no comma; a comment between it and the `}` is not part of it.
    const bool in_statement = before_ != nullptr && !is_mark(next_code(), '}');
    if (in_statement) {
        start_line(indent_of(next_code()) + kIndent, blank_if(blank_after_comment()));
        write_comment(Position::own);
        before_ = &token();
        break_ = true;
        comment_ = Comment::none;
        return;
    }
    // A comment directly below one after code, in the same column, continues it.
    const bool goes_on = comment_ == Comment::behind && context().newlines == 1 &&
                         context().column == comment_source_column_ &&
                         comment_column_ != indent_of(next_code()) &&
                         comment_column_ <= kCommentColumnMax;
    if (goes_on) {
        start_line(comment_column_, Blank::none);
        write_comment(Position::behind_code);
        return;
    }
    start_line(indent_of(next_code()), blank_if(blank_before(Item::comment)));
    write_comment(Position::own);
    comment_ = Comment::before;
    item_ = Item::comment;
}

void Layout::word() {
    if (before_ == nullptr && is_mark(token(), ';') && !out_.empty() && !break_) {
        return write(";");  // `};;`: harmless, and does not deserve a line
    }
    if (before_ == nullptr) {
        const bool beside_comment = comment_ == Comment::before && context().newlines == 0 &&
                                    !comment_multiline_ && !break_;
        if (beside_comment) {
            write(" ");
        } else {
            start_line(indent_of(token()), blank_if(blank_before(Item::line)));
        }
        keyword_ = token().text;
        in_label_ = scope() == Scope::union_ && is_label(token());
    } else {
        if (is_name_of_procedure() && column_ + token().text.size() + 2 > kLineMax) wrap();
        if (break_) {
            start_line(indent_of(token()) + kIndent * std::max(wraps_, 1u),
                       blank_if(blank_after_comment()));
        } else if (spaced(*before_, token())) {
            write(" ");
        }
    }
    if (keyword_ == "typedef" || keyword_.empty()) keyword_ = token().text;
    write(token().text);
    before_ = &token();
    comment_ = Comment::none;

    if (is_mark(token(), '(') && scope() == Scope::plain && !rest_fits()) {
        wrap();
    } else if (is_mark(token(), '{')) {
        open_scope();
    } else if (is_mark(token(), ';')) {
        end_statement(block_ ? Item::block : Item::line);
    } else if (is_mark(token(), ',') && scope() == Scope::enumeration) {
        end_statement(Item::line);
    } else if (is_mark(token(), ':') && in_label_) {
        end_statement(Item::line);
        fresh_ = true;
    }
}

bool Layout::is_name_of_procedure() const {
    return scope() == Scope::plain && token().kind == TokenKind::identifier &&
           is_mark(tokens_[at_ + 1], '(');
}

// A procedure that is too long for one line is broken before its arguments and, if necessary,
// before its name.
void Layout::wrap() {
    break_ = true;
    ++wraps_;
}

// Does the statement fit on the line from here to its `;`? Comments are neither wrapped nor
// counted.
bool Layout::rest_fits() const {
    std::size_t end = column_;
    for (auto i = at_ + 1; i < tokens_.size() && end <= kLineMax; ++i) {
        if (!is_code(tokens_[i])) return true;
        end += tokens_[i].text.size() + (spaced(tokens_[i - 1], tokens_[i]) ? 1 : 0);
        if (is_mark(tokens_[i], ';')) break;
    }
    return end <= kLineMax;
}

void Layout::open_scope() {
    Scope opened = Scope::plain;
    if (keyword_ == "enum") opened = Scope::enumeration;
    if (keyword_ == "union") opened = Scope::union_;
    if (keyword_ == "program") opened = Scope::program;
    if (keyword_ == "namespace") opened = Scope::namespace_;
    scopes_.push_back(opened);
    // A namespace contains a whole file: it does not indent, and blank lines separate its braces.
    const bool indents = opened != Scope::namespace_;
    depth_ += indents;
    end_statement(indents ? Item::none : Item::block);
    fresh_ = indents;
}

void Layout::close_brace() {
    const bool of_namespace = !scopes_.empty() && scope() == Scope::namespace_;
    if (!scopes_.empty()) {
        depth_ -= !of_namespace;
        scopes_.pop_back();
    }
    start_line(indent(), blank_if(of_namespace));
    write("}");
    before_ = &token();
    comment_ = Comment::none;
    block_ = true;
    keyword_ = {};
    // Unlike other closing braces it needs no `;`.
    const bool ends = of_namespace && !is_mark(tokens_[contexts_[at_ + 1].next_code], ';');
    if (ends) end_statement(Item::block);
}

void Layout::end_statement(Item item) {
    before_ = nullptr;
    keyword_ = {};
    block_ = false;
    in_label_ = false;
    wraps_ = 0;
    item_ = item;
}

}  // namespace

std::string lay_out(std::string_view text, const std::vector<Token>& tokens) {
    return Layout{text, tokens}.run();
}

}  // namespace helio::idl
