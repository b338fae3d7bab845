#include "helio/idl/lint/json_internal.h"

#include <fmt/format.h>

#include "helio/idl/lint/lint.h"
#include "helio/idl/printable_internal.h"

namespace helio::idl {
namespace {

std::string_view severity_word(Severity severity) {
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

}  // namespace

// printable() leaves well-formed UTF-8 without control characters, so only two bytes need care.
std::string json_quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return quoted + '"';
}

std::string json_place(Location where, const SourceSet& sources) {
    const auto place = sources.line_column(where);
    return fmt::format("\"file\": {}, \"line\": {}, \"column\": {}",
                       json_quoted(sources.files[where.file].name), place.line, place.column);
}

std::string to_json(const Diagnostic& diagnostic, const SourceSet& sources) {
    return fmt::format("{{{}, \"severity\": \"{}\", \"rule\": {}, \"message\": {}, \"hint\": {}}}",
                       json_place(diagnostic.where, sources), severity_word(diagnostic.severity),
                       json_quoted(diagnostic.rule), json_quoted(diagnostic.message),
                       json_quoted(diagnostic.hint));
}

}  // namespace helio::idl
