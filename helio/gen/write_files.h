// Generates the files for a .x file on disk. Files whose text has not changed keep their time, so
// that editing a comment does not rebuild everything.
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

// Returns the files that were written, or were already up to date. Throws std::runtime_error with a
// sentence if a file cannot be written, and SchemaError if the schema is wrong.
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
