#include "helio/idl/syntax/token.h"

#include <fmt/format.h>

#include <algorithm>

#include "helio/idl/parse.h"

namespace helio::idl {
namespace {

// ASCII only: <cctype> depends on the locale, and a name must not depend on where the compiler
// runs.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool is_punctuation(char c) {
    return c != '\0' && std::string_view("{}[]<>()*=,;:-").find(c) != std::string_view::npos;
}
// Bytes that can neither begin nor continue a token.
bool is_stray(char c) {
    return !is_letter(c) && !is_digit(c) && !is_blank(c) && !is_punctuation(c) && c != '"' &&
           c != '/';
}

class Lexer {
 public:
    Lexer(const SourceSet& sources, std::uint32_t file, Diagnostics& diagnostics)
        : text_(sources.files[file].text), file_(file), diagnostics_(diagnostics) {}

    std::vector<Token> run() {
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
        while (skip_blanks()) {
            if (tokens_.size() == kTokensMax) {
                diagnostics_.error(here(1), fmt::format("more than {} tokens", kTokensMax));
                break;
            }
            next();
            at_line_start_ = false;
        }
        at_ = text_.size();
        push(TokenKind::end, at_);
        return std::move(tokens_);
    }

 private:
    Location here(std::size_t length) const {
        return {file_, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(length)};
    }

    // True if there is something left to read.
    bool skip_blanks() {
        for (; at_ < text_.size() && is_blank(text_[at_]); ++at_) {
            if (text_[at_] == '\n') at_line_start_ = true;
        }
        return at_ < text_.size();
    }

    void push(TokenKind kind, std::size_t end) {
        tokens_.push_back({kind, text_.substr(at_, end - at_), here(end - at_)});
        at_ = end;
    }

    template <class Predicate>
    std::size_t end_of_run(std::size_t from, Predicate belongs) const {
        while (from < text_.size() && belongs(text_[from])) ++from;
        return from;
    }

    void next() {
        const char c = text_[at_];
        const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
        if (c == '/' && after == '*') return block_comment();
        if (c == '/' && after == '/') {
            return push(TokenKind::line_comment, end_of_line(at_));
        }
        if (c == '#' && at_line_start_) return push(TokenKind::directive, end_of_directive());
        if (c == '%' && at_line_start_) return push(TokenKind::passthrough, end_of_passthrough());
        // Letters of other alphabets too: they were meant as a name.
        if (is_letter(c) || static_cast<unsigned char>(c) >= 0x80) return identifier();
        if (is_digit(c)) {
            // Including letters and dots: "12abc" is one mistake, not a number and a name.
            return push(TokenKind::number, end_of_run(at_, [](char d) {
                            return is_letter(d) || is_digit(d) || d == '.';
                        }));
        }
        if (is_punctuation(c)) return push(TokenKind::punctuation, at_ + 1);
        if (c == '"') return quoted_text();
        stray_bytes();
    }

    std::size_t end_of_line(std::size_t from) const {
        std::size_t end = std::min(text_.find('\n', from), text_.size());
        while (end > from && text_[end - 1] == '\r') --end;
        return end;
    }

    // npos if it has none. That is remembered: a file of "#x /*" lines would otherwise be searched
    // to its end once for each.
    std::size_t end_of_comment(std::size_t open) {
        if (no_more_closings_) return std::string_view::npos;
        const std::size_t close = text_.find("*/", open + 2);
        no_more_closings_ = close == std::string_view::npos;
        return no_more_closings_ ? close : close + 2;
    }

    void block_comment() {
        const std::size_t close = end_of_comment(at_);
        if (close != std::string_view::npos) return push(TokenKind::block_comment, close);
        diagnostics_.error(here(2), "unterminated comment", "close it with */");
        push(TokenKind::block_comment, text_.size());
    }

    bool continues(std::size_t line_end) const {  // a backslash joins the next line
        return line_end > at_ && line_end < text_.size() && text_[line_end - 1] == '\\';
    }

    // rpcgen passes the file to the C preprocessor, which joins continued lines before rpcgen sees
    // the '%'; nis.x relies on it.
    std::size_t end_of_passthrough() const {
        std::size_t end = end_of_line(at_);
        while (continues(end)) end = end_of_line(std::min(text_.find('\n', end) + 1, text_.size()));
        return end;
    }

    // As for the C preprocessor, a block comment in a directive may run over several lines.
    std::size_t end_of_directive() {
        std::size_t i = at_;
        while (i < text_.size()) {
            if (text_.compare(i, 2, "//") == 0) return end_of_line(i);
            if (text_.compare(i, 2, "/*") == 0) {
                const std::size_t close = end_of_comment(i);
                if (close == std::string_view::npos) return end_of_line(i);
                i = close;
            } else if (text_[i] == '\n') {
                std::size_t end = i;
                while (end > at_ && text_[end - 1] == '\r') --end;
                if (!continues(end)) return end;
                ++i;
            } else {
                ++i;
            }
        }
        return text_.size();
    }

    // A stray byte inside a name is reported and kept in it, so that the name stays one word and
    // the parser reports nothing more. The schema is rejected anyway.
    void identifier() {
        const auto in_name = [](char c) { return is_letter(c) || is_digit(c); };
        const std::size_t clean_end = end_of_run(at_, in_name);
        const std::size_t end =
            end_of_run(clean_end, [&](char c) { return in_name(c) || is_stray(c); });
        if (end != clean_end) {
            diagnostics_.error(
                here(end - at_),
                fmt::format("'{}' is not a name", shortened(text_.substr(at_, end - at_))),
                "names consist of letters, digits and '_'");
        } else if (end - at_ > kNameSizeMax) {
            diagnostics_.error(here(end - at_), fmt::format("a name of {} bytes; the limit is {}",
                                                            end - at_, kNameSizeMax));
        }
        push(TokenKind::identifier, end);
    }

    void quoted_text() {
        const std::size_t line_end = end_of_line(at_);
        const std::size_t close = text_.find('"', at_ + 1);
        if (close < line_end) return push(TokenKind::text, close + 1);
        diagnostics_.error(here(1), "string without closing quote");
        push(TokenKind::text, line_end);
    }

    void stray_bytes() {
        std::size_t end = end_of_run(at_, is_stray);
        if (end == at_) ++end;  // a lone '/'
        diagnostics_.error(here(end - at_),
                           fmt::format("unexpected '{}'", shortened(text_.substr(at_, end - at_))));
        at_ = end;
    }

    static std::string_view shortened(std::string_view text) { return text.substr(0, 40); }

    std::string_view text_;
    std::uint32_t file_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0;
    bool at_line_start_ = true;
    bool no_more_closings_ = false;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const SourceSet& sources, std::uint32_t file,
                            Diagnostics& diagnostics) {
    return Lexer(sources, file, diagnostics).run();
}

}  // namespace helio::idl
