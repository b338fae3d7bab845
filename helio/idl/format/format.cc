#include "helio/idl/format/format.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "helio/base/text/escape.h"
#include "helio/idl/format/layout_internal.h"
#include "helio/idl/syntax/token.h"

namespace helio::idl {
namespace {

std::string without_blanks(std::string_view text) {
    std::string kept;
    std::copy_if(text.begin(), text.end(), std::back_inserter(kept), [](char c) {
        return std::string_view{" \t\r\n\f\v"}.find(c) == std::string_view::npos;
    });
    return kept;
}

// Comments may be re-indented; everything else must be identical (except the line end of a foreign
// line).
bool same_token(const Token& a, const Token& b) {
    if (a.kind != b.kind) return false;
    return a.text == b.text || without_blanks(a.text) == without_blanks(b.text);
}

// A formatter that loses a word of a protocol is worse than none, so the result is read again and
// compared. Returns the first token that differs, or nullopt.
std::optional<Token> first_difference(const std::vector<Token>& before,
                                      const std::vector<Token>& after) {
    const auto [at, other] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end(), same_token);
    if (at == before.end() && other == after.end()) return std::nullopt;
    return at == before.end() ? before.back() : *at;
}

Formatted format_parsed(Parsed parsed) {
    Formatted result;
    if (!parsed.schema) {
        result.diagnostics = std::move(parsed.diagnostics);
        result.sources = std::move(parsed.sources);
        return result;
    }
    result.sources = parsed.schema->sources;
    const auto& source = result.sources.files.front();
    const auto tokens = tokenize(result.sources, 0, result.diagnostics);
    std::string text = lay_out(source.text, tokens);

    SourceSet again;
    again.add(source.name, text);
    Diagnostics unused;
    if (const auto lost = first_difference(tokens, tokenize(again, 0, unused))) {
        result.diagnostics.error(
            lost->where,
            "formatting would change the meaning of this word; the file was not changed",
            "this is a bug in helio fmt; please report it with the file");
        return result;
    }
    result.text = std::move(text);
    return result;
}

}  // namespace

std::string Formatted::report() const { return render(diagnostics, sources); }

Formatted format(std::string path, std::string text, const Loader& loader) {
    return format_parsed(parse(std::move(path), std::move(text), loader));
}

std::string shown_path(std::string_view path) { return printable(path); }

Formatted format_file(const std::string& path) { return format_parsed(parse_file(path)); }

}  // namespace helio::idl
