// For tests: a Schema as text, one definition per line, and comparison with a file.
#pragma once

#include <filesystem>
#include <string>

#include "helio/idl/parse.h"

namespace helio::idl::testing {

// struct entry { unsigned int fileid; string<255> name; entry? next }  // 12..unlimited list
std::string dump(const Schema& schema);

// "int", "opaque[8]", "entry<10>", "entry?"
std::string dump_type(const Type& type);

// Compares with the file; SNAP_UPDATE=1 in the environment writes it instead.
void expect_snapshot(const std::filesystem::path& expected, const std::string& actual);

// Reads a file of the source tree. Diagnostics show the bare file name, and imports are searched
// beside it.
Parsed parse_testdata(const std::filesystem::path& path);

std::string read_text(const std::filesystem::path& path);

}  // namespace helio::idl::testing
