// Converts JSON to bytes and back, for any type of a schema. docs/json-mapping.md describes the
// mapping; it depends on the type alone, never on the value, so each JSON text has one meaning and
// each value one form:
//
//     encode(type, to_json(decode(bytes, type))) == bytes    if a strict decode accepts the bytes
//
// Bad input cannot make either direction throw, or allocate as much as a schema or a number claims.
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

// Longer texts are rejected: the parsed form takes up to 12 bytes per byte.
inline constexpr std::size_t kJsonSizeMax = 512u << 20;

// Limits templates of huge fixed arrays, or of structs nested twice in each other forty times.
inline constexpr std::size_t kTemplateSizeMax = 64u << 20;

struct JsonOptions {
    bool base64 = false;  // opaque data as {"base64": "…"} instead of hexadecimal digits
    int indent = 2;       // spaces for each level; 0: all on one line
    bool spaces = true;   // after ':', and after ',' within a line

    JsonLayout layout() const { return {indent, spaces}; }
};

// The tree must be ok(). ASCII if possible; control characters are escaped.
std::string to_json(const Tree& tree, const JsonOptions& options = {});

// The same, appended to `out`, for many messages. If the tree has an error, the output holds
// everything before it and omits the members not reached. It must have at least one node.
void append_json(std::string& out, const Tree& tree, const JsonOptions& options = {});

// A string as in the mapping: "…", or {"hex": "…"} if it is not UTF-8.
void append_json_text(std::string& out, std::string_view text);

struct JsonError {
    std::string place;    // "$.entries[3].name", or "line 2, column 7" if it is not JSON
    std::string problem;  // "72 bytes, the limit is 64"
};
std::string to_string(const JsonError& error);

// The result is always accepted by a strict decode.
Result<std::vector<std::byte>, JsonError> encode(const idl::Type& type, std::string_view json);

// A value of that type to fill in: zeros, the first enumerator, the first arm, one element of each
// array and list, or the value that the schema suggests with @template; null or no element where a
// type would contain itself. It can be encoded unchanged.
Result<std::string, JsonError> template_json(const idl::Type& type,
                                             const JsonOptions& options = {});

// The same, but with these arms of the union `of`: arrays of it have one element for each, and by
// itself it has the first.
struct TemplateArms {
    const idl::Type* of = nullptr;
    std::vector<const idl::Arm*> arms;
};
Result<std::string, JsonError> template_json(const idl::Type& type, const TemplateArms& arms,
                                             const JsonOptions& options = {});

}  // namespace helio::reflect
