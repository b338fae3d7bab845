#include "helio/idl/syntax/preprocess_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "helio/idl/parse.h"
#include "helio/idl/syntax/comments_internal.h"
#include "helio/idl/syntax/number_internal.h"

namespace helio::idl {
namespace {

bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }

// Reads the words of a line from left to right. Line continuations and block comments are blanks.
class LineReader {
 public:
    LineReader(std::string_view line, Location where) : line_(line), where_(where) {}

    void skip_blanks() {
        while (at_ < line_.size()) {
            if (std::string_view(" \t\r\n\f\v\\").find(line_[at_]) != std::string_view::npos) {
                ++at_;
            } else if (line_.substr(at_).starts_with("/*")) {
                const std::size_t close = line_.find("*/", at_ + 2);
                at_ = close == std::string_view::npos ? line_.size() : close + 2;
            } else if (line_.substr(at_).starts_with("//")) {
                at_ = line_.size();
            } else {
                return;
            }
        }
    }

    std::string_view word() {
        skip_blanks();
        const std::size_t begin = at_;
        while (at_ < line_.size() && is_name_part(line_[at_])) ++at_;
        return line_.substr(begin, at_ - begin);
    }

    // The text between quotes or angle brackets; empty if there is none.
    std::string_view quoted(char open, char close) {
        skip_blanks();
        if (at_ == line_.size() || line_[at_] != open) return {};
        const std::size_t end = line_.find(close, at_ + 1);
        if (end == std::string_view::npos) return {};
        return line_.substr(at_ + 1, end - at_ - 1);
    }

    char next() const { return at_ < line_.size() ? line_[at_] : '\0'; }

    // The rest, without comments.
    std::string rest() {
        std::string out;
        for (skip_blanks(); at_ < line_.size(); skip_blanks()) {
            if (!out.empty()) out += ' ';
            while (at_ < line_.size() && !at_blank()) out += line_[at_++];
        }
        return out;
    }

    Location place(std::string_view part) const {
        const auto offset = static_cast<std::uint32_t>(part.data() - line_.data());
        return {where_.file, where_.offset + offset, static_cast<std::uint32_t>(part.size())};
    }

 private:
    bool at_blank() const {
        const std::string_view here = line_.substr(at_);
        return std::string_view(" \t\r\n\f\v\\").find(here[0]) != std::string_view::npos ||
               here.starts_with("/*") || here.starts_with("//");
    }

    std::string_view line_;
    Location where_;
    std::size_t at_ = 0;
};

class Preprocessor {
 public:
    Preprocessor(std::vector<Token> tokens, std::string_view text, Macros& macros,
                 const ImportFile& import, Diagnostics& diagnostics)
        : raw_(std::move(tokens)),
          comments_(raw_, text),
          macros_(macros),
          import_(import),
          diagnostics_(diagnostics) {}

    Preprocessed run() {
        out_.tokens.reserve(raw_.size());
        for (std::size_t i = 0; i < raw_.size(); ++i) {
            const Token& token = raw_[i];
            if (token.kind == TokenKind::directive) {
                directive(i);
            } else if (token.kind == TokenKind::passthrough && active()) {
                passthrough(token);
            }
            if (active() || token.kind == TokenKind::end) out_.tokens.push_back(token);
        }
        for (const Branch& branch : branches_) {
            diagnostics_.error(branch.where, "#if without #endif");
        }
        return std::move(out_);
    }

 private:
    struct Branch {
        Location where;
        bool outer_active;
        bool active;
        bool taken;         // this branch or an earlier one
        bool last = false;  // #else was seen
    };

    bool active() const { return branches_.empty() || branches_.back().active; }

    void directive(std::size_t index) {
        const Token& token = raw_[index];
        LineReader line(token.text.substr(1), {token.where.file, token.where.offset + 1, 0});
        const std::string_view word = line.word();
        if (condition(word, line, token)) return;
        if (!active()) return;
        if (word == "define") return define(index, line);
        if (word == "undef") return static_cast<void>(macros_.erase(line.word()));
        if (word == "include") return include(line, token);
        if (word == "error") return diagnostics_.error(token.where, "#error " + line.rest());
        if (word == "warning") return diagnostics_.warning(token.where, "#warning " + line.rest());
        const bool line_marker = !word.empty() && !is_name_start(word[0]);
        if (word.empty() || line_marker || word == "line" || word == "pragma" || word == "ident" ||
            word == "sccs") {
            return;
        }
        diagnostics_.warning(line.place(word),
                             fmt::format("unknown directive '#{}'; ignored", word));
    }

    // True if the line was #if or a related directive.
    bool condition(std::string_view word, LineReader& line, const Token& token) {
        if (word == "if" || word == "ifdef" || word == "ifndef") {
            const bool holds = active() && test(word, line, token);
            branches_.push_back({token.where, active(), holds, holds});
        } else if (word == "elif" || word == "else") {
            if (branches_.empty() || branches_.back().last) {
                diagnostics_.error(token.where, fmt::format("#{} without #if", word));
                return true;
            }
            Branch& branch = branches_.back();
            const bool may = branch.outer_active && !branch.taken;
            branch.active = may && (word == "else" || test("if", line, token));
            branch.taken = branch.taken || branch.active;
            branch.last = word == "else";
        } else if (word == "endif") {
            if (branches_.empty()) {
                diagnostics_.error(token.where, "#endif without #if");
            } else {
                branches_.pop_back();
            }
        } else {
            return false;
        }
        return true;
    }

    bool test(std::string_view word, LineReader& line, const Token& token) {
        if (word != "if") {
            const std::string_view name = line.word();
            if (name.empty())
                diagnostics_.error(token.where, fmt::format("#{} needs a name", word));
            return macros_.contains(name) == (word == "ifdef");
        }
        const std::string expression = line.rest();
        const auto value = evaluate_condition(expression, macros_);
        if (!value)
            diagnostics_.error(token.where, fmt::format("cannot evaluate '#if {}'", expression));
        return value.value_or(0) != 0;
    }

    void define(std::size_t index, LineReader& line) {
        ast::Constant constant;
        if (!defined_constant(raw_[index], line, macros_, constant, diagnostics_)) return;
        comments_.add_before(index, constant);
        comment_within(raw_[index], constant);
        // The key is the text itself: `constant.name` is a copy that moves.
        const std::string_view name = raw_[index].text.substr(
            constant.where.offset - raw_[index].where.offset, constant.where.length);
        header_macros_[name] = macros_[name];
        out_.defines.push_back(std::move(constant));
    }

    // `line` is after the word "define". False if the name has no value that a schema can use.
    static bool defined_constant(const Token& directive, LineReader& line, Macros& macros,
                                 ast::Constant& constant, Diagnostics& diagnostics) {
        const std::string_view name = line.word();
        if (name.empty() || !is_name_start(name[0])) {
            diagnostics.error(directive.where, "#define needs a name");
            return false;
        }
        if (name.size() > kNameSizeMax) {
            diagnostics.error(line.place(name), fmt::format("a name of {} bytes; the limit is {}",
                                                            name.size(), kNameSizeMax));
            return false;
        }
        macros[name] = std::nullopt;
        if (line.next() == '(') return false;  // a function-like macro, which is for C only
        constant.name = name;
        constant.where = line.place(name);
        constant.from_define = true;
        line.skip_blanks();
        return defined_value(name, line, macros, constant.value, diagnostics);
    }

    static bool defined_value(std::string_view name, LineReader line, Macros& macros,
                              ast::Value& value, Diagnostics& diagnostics) {
        using Form = ast::Value::Form;
        LineReader words = line;
        const std::string_view word = words.word();
        value.where = line.place(word);
        words.skip_blanks();
        if (const std::string_view text = line.quoted('"', '"'); text.data() != nullptr) {
            value = {Form::text, false, 0, text, line.place(text)};
            return true;
        }
        if (!word.empty() && is_name_start(word[0]) && words.next() == '\0') {
            const auto known = macros.find(word);
            if (known != macros.end()) macros[name] = std::optional(known->second);
            value.form = Form::name;
            value.name = word;
            return true;
        }
        return numeric_value(name, line.rest(), macros, value, diagnostics);
    }

    static bool numeric_value(std::string_view name, const std::string& expression, Macros& macros,
                              ast::Value& value, Diagnostics& diagnostics) {
        const Number plain = read_number(expression);
        if (plain.fault == NumberFault::too_large) {
            diagnostics.error(value.where, fmt::format("{} does not fit in 64 bits", expression));
            return false;
        }
        const auto number = evaluate_condition(expression, macros, UnknownName::fault);
        if (!number) return false;
        macros[name] = number;
        value.form = ast::Value::Form::number;
        // A plain number may use all 64 bits; the value of an expression is signed.
        value.negative = *number < 0 && plain.fault != NumberFault::none;
        const auto bits = static_cast<std::uint64_t>(*number);
        value.magnitude = value.negative ? 0 - bits : bits;
        return true;
    }

    static void comment_within(const Token& directive, Documented& owner) {
        const std::size_t open = std::min(directive.text.find("/*"), directive.text.find("//"));
        if (open != std::string_view::npos) add_comment(directive.text.substr(open), owner);
    }

    void include(LineReader& line, const Token& token) {
        const std::string_view name = line.quoted('"', '"');
        if (!name.empty()) return import_({name, line.place(name)});
        if (!line.quoted('<', '>').empty()) return;  // a system header
        diagnostics_.error(token.where, "#include needs \"file\"");
    }

    // The line is for the C compiler. If it defines something that the schema leaves undefined, we
    // use it too.
    void passthrough(const Token& token) {
        const std::string_view line = token.text.substr(1);
        out_.passthrough.emplace_back(line);
        const std::size_t hash = line.find_first_not_of(" \t");
        if (hash == std::string_view::npos || line[hash] != '#') return;
        const auto offset = static_cast<std::uint32_t>(hash + 2);
        LineReader words(line.substr(hash + 1), {token.where.file, token.where.offset + offset, 0});
        const std::string_view word = words.word();
        if (word == "include") {
            std::string_view name = words.quoted('"', '"');
            if (name.empty()) name = words.quoted('<', '>');
            if (!name.empty()) out_.headers.push_back({name, words.place(name)});
        } else if (word == "define") {
            ast::Constant constant;
            Diagnostics unheard;  // dropped: errors here are for the C compiler to report
            if (!defined_constant(token, words, header_macros_, constant, unheard)) return;
            comment_within(token, constant);
            out_.header_defines.push_back(std::move(constant));
        }
    }

    std::vector<Token> raw_;
    Comments comments_;
    Macros& macros_;
    Macros header_macros_;  // what C knows after the `%` lines so far
    const ImportFile& import_;
    Diagnostics& diagnostics_;
    std::vector<Branch> branches_;
    Preprocessed out_;
};

}  // namespace

Macros initial_macros() { return {{"RPC_HDR", 1}}; }

Preprocessed preprocess(std::vector<Token> tokens, std::string_view text, Macros& macros,
                        const ImportFile& import, Diagnostics& diagnostics) {
    return Preprocessor(std::move(tokens), text, macros, import, diagnostics).run();
}

}  // namespace helio::idl
