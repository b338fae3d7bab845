#include "helio/gen/write_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "helio/idl/parse.h"

namespace helio::gen {

namespace {

namespace fs = std::filesystem;

bool has_text(const fs::path& path, const std::string& text) {
    std::ifstream in{path, std::ios::binary};
    if (!in) return false;
    const std::string there{std::istreambuf_iterator<char>{in}, {}};
    return there == text;
}

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
}

}  // namespace

std::vector<std::string> write_files(const FileRequest& request, std::string& warnings) {
    const auto parsed = idl::parse_file(request.schema_path);
    if (parsed.schema == nullptr) throw SchemaError(parsed.report());
    warnings = parsed.report();
    const fs::path directory{request.output_directory};
    std::error_code failed;
    fs::create_directories(directory, failed);
    if (failed)
        throw std::runtime_error(
            fmt::format("cannot make {}: {}", directory.string(), failed.message()));
    std::vector<std::string> written;
    for (const auto& file : generate(*parsed.schema, request.options)) {
        const fs::path path = directory / file.name;
        if (!has_text(path, file.text)) write_text(path, file.text);
        written.push_back(path.string());
    }
    return written;
}

}  // namespace helio::gen
