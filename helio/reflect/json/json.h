// JSON ↔ bytes, for any type of a schema. docs/json-mapping.md is the mapping; it is decided by the
// type alone, never by the value, so each JSON has one meaning and each value one form:
//
//     encode(type, to_json(decode(bytes, type))) == bytes       for all bytes a strict decode
//     accepts
//
// Neither direction throws on bad input or allocates by what a schema or a number says.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/result.h"
#include "helio/base/text/json_writer.h"
#include "helio/idl/schema.h"
#include "helio/reflect/tree.h"

namespace helio::reflect {

// Longer texts are refused: the parsed form takes up to 12 bytes for each of theirs.
inline constexpr std::size_t kJsonSizeMax = 512u << 20;

// A template for a type of huge fixed arrays, or of structs twice in each other forty times.
inline constexpr std::size_t kTemplateSizeMax = 64u << 20;

struct JsonOptions {
    bool base64 = false;  // opaque data as {"base64": "…"} instead of hexadecimal digits
    int indent = 2;       // spaces for each level; 0: all on one line
    bool spaces = true;   // behind ':', and behind ',' within a line

    JsonLayout layout() const { return {indent, spaces}; }
};

// The tree must be ok(). Plain ASCII where that is enough; what would act on a terminal is escaped.
std::string to_json(const Tree& tree, const JsonOptions& options = {});

// The same at the end of `out`, for one message after the other. The tree may have an error: then
// it is what came before it, with the members that were not reached left out. Its nodes must not be
// empty.
void append_json(std::string& out, const Tree& tree, const JsonOptions& options = {});

// A string as the mapping has it: "…", or {"hex": "…"} where it is no UTF-8.
void append_json_text(std::string& out, std::string_view text);

struct JsonError {
    std::string place;    // "$.entries[3].name", or "line 2, column 7" where it is no JSON at all
    std::string problem;  // "72 bytes, the limit is 64"
};
std::string to_string(const JsonError& error);

// Always what a strict decode accepts.
Result<std::vector<std::byte>, JsonError> encode(const idl::Type& type, std::string_view json);

// A value of that type to fill in: zeros, the first enumerator, the first arm, one element of each
// array and list; where a type would contain itself, null or no element. It encodes as it stands.
Result<std::string, JsonError> template_json(const idl::Type& type,
                                             const JsonOptions& options = {});

}  // namespace helio::reflect
