// Moves comments: the first line goes where the layout puts it, and the others follow.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "helio/idl/format/layout_internal.h"

namespace helio::idl {
namespace {

constexpr std::string_view kBlank = " \t\r\f\v";
constexpr std::uint32_t kTabWidth =
    8;  // what every terminal and the authors of old .x files assume

std::string_view trim_end(std::string_view line) {
    const auto last = line.find_last_not_of(kBlank);
    return line.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    for (;;) {
        const auto end = text.find('\n');
        lines.push_back(trim_end(text.substr(0, end)));
        if (end == std::string_view::npos) return lines;
        text.remove_prefix(end + 1);
    }
}

struct CommentLine {
    std::uint32_t column = 0;  // where the text begins
    std::string_view text;     // without the blanks before it
};

CommentLine measure(std::string_view line) {
    const auto first = std::min(line.find_first_not_of(kBlank), line.size());
    return {advance_column(0, line.substr(0, first)), line.substr(first)};
}

}  // namespace

std::uint32_t advance_column(std::uint32_t column, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\t') {
            column += kTabWidth - column % kTabWidth;
        } else if ((byte & 0xC0) != 0x80) {
            ++column;
        }
    }
    return column;
}

std::string move_comment(std::string_view comment, std::uint32_t old_column,
                         std::uint32_t new_column) {
    const auto lines = split_lines(comment);
    std::vector<CommentLine> later;
    for (std::size_t i = 1; i < lines.size(); ++i) later.push_back(measure(lines[i]));
    const bool stars = std::all_of(later.begin(), later.end(), [](const CommentLine& line) {
        return line.text.empty() || line.text.front() == '*';
    });

    std::string moved{lines.front()};
    for (const auto& line : later) {
        moved += '\n';
        if (line.text.empty()) continue;
        const std::int64_t column = stars ? std::int64_t{new_column} + 1
                                          : std::int64_t{line.column} - old_column + new_column;
        moved.append(
            static_cast<std::size_t>(std::clamp<std::int64_t>(column, 0, kCommentColumnMax)), ' ');
        moved += line.text;
    }
    return moved;
}

}  // namespace helio::idl
