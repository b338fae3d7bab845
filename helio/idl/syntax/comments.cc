#include "helio/idl/syntax/comments_internal.h"

#include <algorithm>

namespace helio::idl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// "*****", "-----": ornamental lines without words.
bool is_ornament(std::string_view line) {
    return line.size() > 2 && line.find_first_not_of("*-=#/_ \t") == std::string_view::npos;
}

bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word_part(char c) { return is_word_start(c) || (c >= '0' && c <= '9') || c == '-'; }

// Length of the word of an annotation at the '@' of line[at]; 0 if it is not one, as in an address
// (me@example.org) or SCCS's "@(#)".
std::size_t annotation_word(std::string_view line, std::size_t at) {
    if (at > 0 && kBlanks.find(line[at - 1]) == std::string_view::npos) return 0;
    std::size_t end = at + 1;
    if (end == line.size() || !is_word_start(line[end])) return 0;
    while (end < line.size() && is_word_part(line[end])) ++end;
    const bool ends_well =
        end == line.size() || line[end] == ':' || kBlanks.find(line[end]) != std::string_view::npos;
    return ends_well ? end - at - 1 : 0;
}

std::size_t find_annotation(std::string_view line, std::size_t from) {
    for (std::size_t at = line.find('@', from); at != std::string_view::npos;
         at = line.find('@', at + 1)) {
        if (annotation_word(line, at) > 0) return at;
    }
    return std::string_view::npos;
}

// Removes the annotations from the line and returns what was before them.
std::string_view take_annotations(std::string_view line, Documented& owner) {
    std::size_t at = find_annotation(line, 0);
    const std::string_view words = line.substr(0, at);
    while (at != std::string_view::npos) {
        const std::size_t size = annotation_word(line, at);
        const std::size_t next = find_annotation(line, at + 1);
        std::string_view argument = line.substr(at + 1 + size, next - at - 1 - size);
        if (argument.starts_with(':'))
            argument.remove_prefix(1);  // libvirt writes "@priority: high"
        owner.annotations.push_back(
            {std::string(line.substr(at + 1, size)), std::string(trimmed(argument))});
        at = next;
    }
    return words;
}

std::string_view without_markers(std::string_view comment) {
    if (comment.starts_with("//")) {
        comment.remove_prefix(std::min(comment.find_first_not_of("/!<"), comment.size()));
        return comment;
    }
    comment.remove_prefix(2);
    if (comment.ends_with("*/")) comment.remove_suffix(2);
    // "/** text", "/*! text", "/**< text": documentation tools' markers.
    const std::size_t marker_end = comment.find_first_not_of("*!<");
    comment.remove_prefix(std::min(marker_end, comment.size()));
    return comment;
}

std::string_view without_star(std::string_view line) {
    const std::string_view inner = trimmed(line);
    if (!inner.starts_with('*')) return inner;
    line = inner.substr(1);
    if (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    return line;
}

}  // namespace

bool is_comment(const Token& token) {
    return token.kind == TokenKind::block_comment || token.kind == TokenKind::line_comment;
}

void add_comment(std::string_view comment, Documented& owner) {
    std::string doc;
    std::string_view rest = without_markers(comment);
    for (bool more = true; more;) {
        const std::size_t line_end = rest.find('\n');
        more = line_end != std::string_view::npos;
        std::string_view line = without_star(rest.substr(0, line_end));
        if (more) rest.remove_prefix(line_end + 1);
        if (is_ornament(line)) continue;
        const bool had_annotation = find_annotation(line, 0) != std::string_view::npos;
        line = take_annotations(line, owner);
        while (!line.empty() && kBlanks.find(line.back()) != std::string_view::npos) {
            line.remove_suffix(1);
        }
        if (line.empty() && (had_annotation || doc.empty())) continue;
        doc.append(line).push_back('\n');
    }
    while (doc.ends_with('\n')) doc.pop_back();
    if (doc.empty()) return;
    if (!owner.doc.empty()) owner.doc += '\n';
    owner.doc += doc;
}

// Line ends between a token and the previous one.
std::size_t Comments::newlines_before(std::size_t index) const {
    const Location& before = tokens_[index - 1].where;
    const std::size_t begin = before.offset + before.length;
    const std::string_view gap = text_.substr(begin, tokens_[index].where.offset - begin);
    return static_cast<std::size_t>(std::count(gap.begin(), gap.end(), '\n'));
}

// The first token after tokens[index] that is not a comment on its line.
std::size_t Comments::end_of_those_behind(std::size_t index) const {
    std::size_t end = index + 1;
    while (end < tokens_.size() && is_comment(tokens_[end]) && newlines_before(end) == 0) ++end;
    // After `{` and `:` a comment is about the whole only if its line ends there; otherwise it is
    // about what follows: `struct a { /* first */ int x; };`.
    const std::string_view text = tokens_[index].text;
    const bool opens = text == "{" || text == ":" || text == "(";
    if (opens && end < tokens_.size() && newlines_before(end) == 0) return index + 1;
    return end;
}

void Comments::add_before(std::size_t first, Documented& owner) const {
    std::size_t run = first;
    while (run > 0 && is_comment(tokens_[run - 1])) --run;
    if (run > 0) run = end_of_those_behind(run - 1);
    std::size_t begin = first;
    while (begin > run && newlines_before(begin) <= 1) --begin;
    for (std::size_t i = begin; i < first; ++i) add_comment(tokens_[i].text, owner);
}

void Comments::add_behind(std::size_t last, Documented& owner) const {
    const std::size_t end = end_of_those_behind(last);
    for (std::size_t i = last + 1; i < end; ++i) add_comment(tokens_[i].text, owner);
}

std::string Comments::opening() const {
    if (!is_comment(tokens_.front())) return {};
    std::size_t end = 1;
    while (is_comment(tokens_[end]) && newlines_before(end) <= 1) ++end;
    const bool apart = tokens_[end].kind == TokenKind::end || newlines_before(end) > 1;
    if (!apart) return {};
    Documented file;
    for (std::size_t i = 0; i < end; ++i) add_comment(tokens_[i].text, file);
    return file.doc;
}

}  // namespace helio::idl
