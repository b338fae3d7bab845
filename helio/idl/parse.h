// Parses .x text into a Schema. The text may be hostile: size, nesting, and the number of
// definitions and diagnostics are limited (see below), nothing throws, and no error stops the
// search for the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "helio/idl/diagnostics.h"
#include "helio/idl/schema.h"

namespace helio::idl {

inline constexpr std::size_t kSourceSizeMax = 16u << 20;  // the largest known .x is under 400 KiB
inline constexpr std::size_t kNestingMax = 64;            // braces inside braces; real files: 3
inline constexpr std::size_t kImportsMax = 64;            // files that one schema may import
inline constexpr std::size_t kDefinitionsMax = 200'000;
inline constexpr std::size_t kErrorsMax = 100;        // then "too many errors"
inline constexpr std::size_t kTokensMax = 4'000'000;  // 40 bytes each while parsing
inline constexpr std::size_t kNameSizeMax = 255;  // bytes; also the joined name of a nested type
// Steps from a type down to its last builtin. Every walk over a schema may recurse this deep, so
// the stack must hold this many levels. A cycle of types counts with its length. Real schemas:
// under 40.
inline constexpr std::size_t kTypeDepthMax = 1000;
// Bits of a @sparse struct are numbered below this: a bitmap of them has 512 bytes at most. NFS
// version 4, which keeps adding attributes, has 87.
inline constexpr std::uint32_t kSparseBitsMax = 4096;
// Names of one @flags: 32 bits, and as many names for combinations of them. NFS version 4's longest
// list has 20.
inline constexpr std::size_t kFlagNamesMax = 64;
// Different @flags in a schema, with all its imports. NFS version 4 has 12.
inline constexpr std::size_t kFlagSetsMax = 4096;

// The text of the file that `importing_file` refers to as `name`, with the path to show for it;
// nullopt if there is none. parse() itself touches no disk.
struct LoadedText {
    std::string path;
    std::string text;
};
using Loader = std::function<std::optional<LoadedText>(std::string_view name,
                                                       std::string_view importing_file)>;

struct Parsed {
    std::unique_ptr<const Schema> schema;  // null when there was an error
    Diagnostics diagnostics;               // warnings too
    SourceSet sources;                     // for rendering when schema is null

    std::string report() const;  // rendered diagnostics, empty when there are none
};

Parsed parse(std::string path, std::string text, const Loader& loader = {});

// Reads from disk; imports are searched beside the importing file. A file that cannot be read is
// reported like any other error.
Parsed parse_file(const std::string& path);

}  // namespace helio::idl
