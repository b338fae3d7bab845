// Moves over the tokens, reports errors, and resumes after a mistake.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "helio/idl/syntax/parser_internal.h"

namespace helio::idl {
namespace {

bool is_code(const Token& token) {
    switch (token.kind) {
        case TokenKind::block_comment:
        case TokenKind::line_comment:
        case TokenKind::directive:
        case TokenKind::passthrough:
            return false;
        default:
            return true;
    }
}

bool is_closed(std::string_view quoted) { return quoted.size() > 1 && quoted.ends_with('"'); }

std::string described(const Token& token) {
    if (token.kind == TokenKind::end) return "the end of the file";
    constexpr std::size_t kShownMax = 40;
    const std::string_view text = token.text;
    return fmt::format("'{}{}'", text.substr(0, kShownMax), text.size() > kShownMax ? "..." : "");
}

}  // namespace

Parser::Parser(const std::vector<Token>& tokens, std::string_view text, Diagnostics& diagnostics)
    : tokens_(tokens), text_(text), comments_(tokens, text), diagnostics_(diagnostics) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (is_code(tokens[i])) code_.push_back(static_cast<std::uint32_t>(i));
    }
}

std::size_t Parser::index(std::size_t ahead) const {
    return code_[std::min(at_ + ahead, code_.size() - 1)];
}

const Token& Parser::peek(std::size_t ahead) const { return tokens_[index(ahead)]; }

const Token& Parser::previous() const { return tokens_[code_[at_ == 0 ? 0 : at_ - 1]]; }

bool Parser::at(std::string_view text, std::size_t ahead) const {
    const Token& token = peek(ahead);
    const bool word = token.kind == TokenKind::identifier || token.kind == TokenKind::punctuation;
    return word && token.text == text;
}

bool Parser::at_name(std::size_t ahead) const { return peek(ahead).kind == TokenKind::identifier; }

bool Parser::accept(std::string_view text) {
    if (!at(text)) return false;
    ++at_;
    return true;
}

bool Parser::expect(std::string_view text, std::string_view after_what) {
    if (accept(text)) return true;
    error(peek(), fmt::format("'{}' expected {}, not {}", text, after_what, described(peek())));
    return false;
}

// A missing `;` at the end of a line is reported where it should be, and parsing continues as if it
// were there: the next line is not wrong.
bool Parser::expect_semicolon(std::string_view after_what) {
    if (accept(";")) return true;
    const bool line_ended = on_new_line() || at("}");
    if (!line_ended || at_ == 0) return expect(";", fmt::format("after {}", after_what));
    Token end_of_line = previous();
    end_of_line.where.offset += end_of_line.where.length;
    end_of_line.where.length = 0;
    error(end_of_line, fmt::format("';' expected after {}", after_what));
    return true;
}

bool Parser::expect_name(Documented& named, std::string_view what) {
    if (!at_name()) return fail_expected(what);
    named.name = peek().text;
    named.where = peek().where;
    ++at_;
    return true;
}

bool Parser::fail_expected(std::string_view what) {
    error(peek(), fmt::format("{} expected, not {}", what, described(peek())));
    return false;
}

void Parser::error(const Token& token, std::string message, std::string hint) {
    if (gave_up_ || last_error_ == at_) return;
    last_error_ = at_;
    const bool unclosed_text = token.kind == TokenKind::text && !is_closed(token.text);
    if (unclosed_text) return;  // the lexer has reported it
    diagnostics_.error(token.where, std::move(message), std::move(hint));
    if (token.kind == TokenKind::end)
        gave_up_ = true;  // otherwise everything still open would be reported again
}

void Parser::give_up() {
    gave_up_ = true;
    at_ = code_.size() - 1;
}

bool Parser::on_new_line(std::size_t ahead) const {
    if (at_ + ahead == 0) return true;
    const Location& before = tokens_[code_[std::min(at_ + ahead, code_.size() - 1) - 1]].where;
    const std::size_t begin = before.offset + before.length;
    return text_.substr(begin, peek(ahead).where.offset - begin).find('\n') !=
           std::string_view::npos;
}

// A word at the left margin that only a definition can begin with: somewhere above a `}` is
// missing.
bool Parser::at_new_definition() const {
    const Location& where = peek().where;
    const bool at_margin = where.offset == 0 || text_[where.offset - 1] == '\n';
    if (at("typedef") || at("const") || at("program")) return at_margin && at_name(1);
    const bool tagged = at("struct") || at("union") || at("enum");
    return at_margin && tagged && at_name(1) && (at("{", 2) || at("switch", 2));
}

// Skips past the next `;` of this level, or up to the `}` that ends it.
void Parser::skip_statement() {
    if (at_new_definition()) return;
    while (!at_end() && !at("}")) {
        if (accept(";")) return;
        if (at("{")) {
            skip_braces();
        } else {
            ++at_;
        }
        if (at_new_definition()) return;
    }
    if (at_end()) gave_up_ = true;  // the missing rest follows from the mistake before
}

void Parser::skip_braces() {
    std::size_t open = 0;
    do {
        if (at("{")) ++open;
        if (at("}")) --open;
        ++at_;
    } while (open > 0 && !at_end() && !at_new_definition());
}

// Called after an item's last token was consumed: adds the comments after it.
void Parser::finish_item(Documented& item) { comments_.add_behind(code_[at_ - 1], item); }

}  // namespace helio::idl
