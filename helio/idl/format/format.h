// Formats .x files in one layout. Formatting changes whitespace and nothing else: every word,
// comment, `%` line and preprocessor line of the input is in the output, in the same order, and
// format() checks that before it returns. So the meaning cannot change, and format(format(x)) ==
// format(x).
//
// docs/fmt-lint-breaking.md describes the layout completely.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "helio/idl/diagnostics.h"
#include "helio/idl/parse.h"
#include "helio/idl/source.h"

namespace helio::idl {

struct Formatted {
    std::optional<std::string> text;  // none if the file has errors: it is then left unchanged
    Diagnostics diagnostics;          // why; the compiler's warnings are not repeated here
    SourceSet sources;                // the text that the diagnostics refer to

    std::string report() const;  // rendered diagnostics, empty when there are none
};

// `path` is the name to show; `loader` finds imports, as for parse().
Formatted format(std::string path, std::string text, const Loader& loader = {});

// Reads from disk; imports are looked for beside the importing file.
Formatted format_file(const std::string& path);

// A file's name, safe to show on a terminal: control characters are escaped.
std::string shown_path(std::string_view path);

}  // namespace helio::idl
