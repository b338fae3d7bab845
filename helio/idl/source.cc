#include "helio/idl/source.h"

#include <algorithm>
#include <utility>

namespace helio::idl {

std::uint32_t SourceSet::add(std::string name, std::string text) {
    // Tokens are views into `text` and must survive the vector's growth. A moved std::string keeps
    // its bytes in place only if they are on the heap, which short texts are not by default.
    constexpr std::size_t kBeyondSmallString = 64;
    text.reserve(std::max(text.size(), kBeyondSmallString));

    SourceFile file{std::move(name), std::move(text), {0}};
    for (std::size_t at = file.text.find('\n'); at != std::string::npos;
         at = file.text.find('\n', at + 1)) {
        file.line_starts.push_back(static_cast<std::uint32_t>(at + 1));
    }
    files.push_back(std::move(file));
    return static_cast<std::uint32_t>(files.size() - 1);
}

SourceSet::LineColumn SourceSet::line_column(Location where) const {
    if (where.file >= files.size()) return {1, 1};
    const auto& starts = files[where.file].line_starts;
    const auto next = std::upper_bound(starts.begin(), starts.end(), where.offset);
    const auto line = static_cast<std::uint32_t>(next - starts.begin());
    return {line, where.offset - starts[line - 1] + 1};
}

std::string_view SourceSet::line_text(Location where) const {
    if (where.file >= files.size()) return {};
    const SourceFile& file = files[where.file];
    const std::uint32_t line = line_column(where).line;
    const std::size_t begin = file.line_starts[line - 1];
    const std::size_t end =
        line < file.line_starts.size() ? file.line_starts[line] - 1 : file.text.size();
    std::string_view text = std::string_view(file.text).substr(begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

std::string_view SourceSet::text(Location where) const {
    if (where.file >= files.size()) return {};
    const std::string_view all = files[where.file].text;
    return where.offset > all.size() ? std::string_view{} : all.substr(where.offset, where.length);
}

}  // namespace helio::idl
