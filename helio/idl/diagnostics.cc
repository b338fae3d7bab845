#include "helio/idl/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "helio/base/text/escape.h"
#include "helio/base/text/utf8.h"
#include "helio/idl/parse.h"

namespace helio::idl {
namespace {

// A longer source line is shown as a window around the location.
constexpr std::size_t kShownLineBytesMax = 160;
constexpr std::size_t kShownBeforeBytes = 60;

// The bytes of a line that are shown, and the position of the marked run in them.
struct Excerpt {
    std::string_view before, marked, after;
    bool cut_left = false;
    bool cut_right = false;
};

// Never begin or end inside a UTF-8 sequence: half of one would be shown as escaped bytes.
bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

Excerpt excerpt(std::string_view line, std::size_t column, std::size_t length) {
    column = std::min(column, line.size());
    length = std::min(length, line.size() - column);
    Excerpt out{line.substr(0, column), line.substr(column, length), line.substr(column + length)};
    if (line.size() <= kShownLineBytesMax) return out;

    if (out.before.size() > kShownBeforeBytes) {
        out.before.remove_prefix(out.before.size() - kShownBeforeBytes);
        while (!out.before.empty() && is_continuation(out.before.front())) {
            out.before.remove_prefix(1);
        }
        out.cut_left = true;
    }
    const auto keep = [&out](std::string_view& part, std::size_t limit) {
        if (part.size() <= limit) return;
        while (limit > 0 && is_continuation(part[limit])) --limit;
        part = part.substr(0, limit);
        out.cut_right = true;
    };
    keep(out.marked, kShownLineBytesMax - out.before.size());
    keep(out.after, kShownLineBytesMax - out.before.size() - out.marked.size());
    return out;
}

// One character as shown: printable(), but a tab stays a tab.
struct Glyph {
    std::string text;
    std::size_t columns = 1;
};

std::vector<Glyph> glyphs(std::string_view text) {
    std::vector<Glyph> out;
    while (!text.empty()) {
        const Character c = first_character(text);
        const std::string_view bytes = text.substr(0, c.size == 0 ? 1 : c.size);
        const bool as_is = c.size != 0 && (!is_hidden(c.code) || c.code == U'\t');
        std::string shown = as_is ? std::string{bytes} : printable(bytes);
        const std::size_t columns = as_is ? 1 : shown.size();
        out.push_back({std::move(shown), columns});
        text.remove_prefix(bytes.size());
    }
    return out;
}

void append_source_line(std::string& out, const Location& where, const SourceSet& sources) {
    const auto place = sources.line_column(where);
    const Excerpt shown = excerpt(sources.line_text(where), place.column - 1, where.length);

    std::string text = shown.cut_left ? "..." : "";
    std::string marks = shown.cut_left ? "   " : "";
    for (const Glyph& glyph : glyphs(shown.before)) {
        text += glyph.text;
        // A tab below a tab, so that the mark is aligned whatever the terminal's tab width.
        marks += glyph.text == "\t" ? "\t" : std::string(glyph.columns, ' ');
    }
    std::size_t marked_columns = 0;
    for (const Glyph& glyph : glyphs(shown.marked)) {
        text += glyph.text;
        marked_columns += glyph.columns;
    }
    marks += '^' + std::string(marked_columns > 1 ? marked_columns - 1 : 0, '~');
    for (const Glyph& glyph : glyphs(shown.after)) text += glyph.text;
    if (shown.cut_right) text += "...";

    out += fmt::format("    {}\n    {}\n", text, marks);
}

}  // namespace

std::string_view word(Severity severity) {
    switch (severity) {
        case Severity::error:
            return "error";
        case Severity::warning:
            return "warning";
        case Severity::note:
            return "note";
    }
    return "error";
}

void Diagnostics::error(Location where, std::string message, std::string hint) {
    ++error_count;
    if (error_count <= kErrorsMax) {
        items.push_back({Severity::error, where, std::move(message), std::move(hint), {}});
    } else if (error_count == kErrorsMax + 1) {
        items.push_back({Severity::note, where, "too many errors; the rest are not shown", {}, {}});
    }
}

void Diagnostics::warning(Location where, std::string message, std::string hint) {
    if (warning_count++ >= kErrorsMax) return;
    items.push_back({Severity::warning, where, std::move(message), std::move(hint), {}});
}

bool Diagnostics::full() const { return error_count > kErrorsMax; }

std::string render(const Diagnostic& diagnostic, const SourceSet& sources) {
    std::string out;
    const Location& where = diagnostic.where;
    if (where.file < sources.files.size()) {
        const auto place = sources.line_column(where);
        out += fmt::format("{}:{}:{}: ", printable(sources.files[where.file].name), place.line,
                           place.column);
    }
    out += fmt::format("{}: {}", word(diagnostic.severity), printable(diagnostic.message));
    if (!diagnostic.hint.empty()) out += fmt::format("; {}", printable(diagnostic.hint));
    if (!diagnostic.rule.empty()) out += fmt::format(" [{}]", printable(diagnostic.rule));
    out += '\n';
    if (where.file < sources.files.size() && !sources.files[where.file].text.empty()) {
        append_source_line(out, where, sources);
    }
    return out;
}

std::string render(const Diagnostics& diagnostics, const SourceSet& sources) {
    std::string out;
    for (const Diagnostic& item : diagnostics.items) out += render(item, sources);
    return out;
}

}  // namespace helio::idl
