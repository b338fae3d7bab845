// A schema's text, and the locations in it that diagnostics and documentation refer to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace helio::idl {

// A run of bytes in one source file. `file` indexes SourceSet::files.
struct Location {
    std::uint32_t file = 0;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};

struct SourceFile {
    std::string name;  // as shown in diagnostics: the path the user gave
    std::string text;
    std::vector<std::uint32_t> line_starts;  // byte offsets; line_starts[0] == 0
};

// The file that the user named (file 0) and everything it imported, in order of first mention.
struct SourceSet {
    std::vector<SourceFile> files;

    std::uint32_t add(std::string name, std::string text);

    struct LineColumn {
        std::uint32_t line;    // from 1
        std::uint32_t column;  // from 1, in bytes
    };
    LineColumn line_column(Location where) const;
    std::string_view line_text(Location where) const;  // without the line end
    std::string_view text(Location where) const;
};

}  // namespace helio::idl
