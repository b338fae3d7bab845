// A .x file on disk → generated files on disk. Files whose text has not changed keep their time, so
// a touched comment does not rebuild the world.
#pragma once

#include <string>
#include <vector>

#include "helio/gen/generate.h"

namespace helio::gen {

struct FileRequest {
    std::string schema_path;
    std::string output_directory;
    Options options;
};

// What was written (or was there already, the same); throws std::runtime_error with a sentence when
// a file cannot be written, and SchemaError when the schema is wrong.
std::vector<std::string> write_files(const FileRequest& request, std::string& warnings);

// Thrown with the rendered diagnostics.
class SchemaError final : public std::exception {
 public:
    explicit SchemaError(std::string report) : report_(std::move(report)) {}
    const char* what() const noexcept override { return report_.c_str(); }

 private:
    std::string report_;
};

}  // namespace helio::gen
