#include "helio/idl/format/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "helio/base/text/escape.h"

namespace helio::idl {
namespace {

constexpr std::size_t kContextLines = 3;  // like diff -u

using Lines = std::vector<std::string_view>;

struct Edit {
    char mark = ' ';  // ' ' both, '-' before only, '+' after only
    std::string_view line;
};

Lines lines_of(std::string_view text) {
    Lines lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;  // including the line end
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// E. Myers, "An O(ND) Difference Algorithm" (1986): furthest[k] is how far into `a` some path with
// d edits gets on diagonal k. One copy of it per d lets us walk back. If more than kDiffEditsMax
// edits are needed, both sides are replaced completely.
std::vector<Edit> shortest_script(const Lines& a, const Lines& b) {
    const auto width = static_cast<std::int64_t>(a.size());
    const auto height = static_cast<std::int64_t>(b.size());
    const auto limit = std::min<std::int64_t>(width + height, kDiffEditsMax);
    std::vector<std::vector<std::int32_t>> history;
    std::vector<std::int32_t> furthest(static_cast<std::size_t>(2 * limit + 3), 0);
    const auto at = [limit](auto& row, std::int64_t k) -> auto& {
        return row[static_cast<std::size_t>(k + limit + 1)];
    };
    const auto came_down = [&](auto& row, std::int64_t k, std::int64_t d) {
        return k == -d || (k != d && at(row, k - 1) < at(row, k + 1));
    };

    bool found = false;
    for (std::int64_t d = 0; d <= limit && !found; ++d) {
        history.push_back(furthest);
        for (std::int64_t k = -d; k <= d && !found; k += 2) {
            auto x = came_down(furthest, k, d) ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
            while (x < width && x - k < height && a[x] == b[x - k]) ++x;
            at(furthest, k) = x;
            found = x >= width && x - k >= height;
        }
    }
    std::vector<Edit> script;
    if (!found) {
        for (const auto line : a) script.push_back({'-', line});
        for (const auto line : b) script.push_back({'+', line});
        return script;
    }
    auto x = width;
    auto y = height;
    for (auto d = static_cast<std::int64_t>(history.size()) - 1; d >= 0; --d) {
        const auto& row = history[static_cast<std::size_t>(d)];
        const auto k = x - y;
        const auto from_k = came_down(row, k, d) ? k + 1 : k - 1;
        const auto from_x = d == 0 ? 0 : at(row, from_k);
        const auto from_y = d == 0 ? 0 : from_x - from_k;
        for (; x > from_x && y > from_y; --y) script.push_back({' ', a[--x]});
        if (d == 0) break;
        if (x == from_x) {
            script.push_back({'+', b[--y]});
        } else {
            script.push_back({'-', a[--x]});
        }
    }
    std::reverse(script.begin(), script.end());
    return script;
}

void append_line(std::string& out, const Edit& edit) {
    out += edit.mark;
    out += edit.line;
    if (!edit.line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// One @@ section: script[begin, end), which starts at the given lines (from 0) of the two texts.
void append_section(std::string& out, const std::vector<Edit>& script, std::size_t begin,
                    std::size_t end, std::size_t line_before, std::size_t line_after) {
    std::size_t count_before = 0;
    std::size_t count_after = 0;
    for (std::size_t i = begin; i < end; ++i) {
        count_before += script[i].mark != '+';
        count_after += script[i].mark != '-';
    }
    // An empty range is placed after the line before it.
    out += fmt::format("@@ -{},{} +{},{} @@\n", line_before + (count_before != 0), count_before,
                       line_after + (count_after != 0), count_after);
    for (std::size_t i = begin; i < end; ++i) append_line(out, script[i]);
}

std::string sections(const std::vector<Edit>& script) {
    std::string out;
    std::size_t line_before = 0;
    std::size_t line_after = 0;
    std::size_t done = 0;  // script[0, done) is counted in line_before and line_after
    const auto count_to = [&](std::size_t i) {
        for (; done < i; ++done) {
            line_before += script[done].mark != '+';
            line_after += script[done].mark != '-';
        }
    };
    const auto next_change = [&](std::size_t i) {
        while (i < script.size() && script[i].mark == ' ') ++i;
        return i;
    };
    for (std::size_t i = next_change(0); i < script.size();) {
        const auto begin = std::max(done, i - std::min(i, kContextLines));
        auto last = i;  // the last change of this section
        for (auto next = i; next < script.size() && next - last <= 2 * kContextLines + 1;
             next = next_change(next + 1))
            last = next;
        const auto end = std::min(script.size(), last + 1 + kContextLines);
        count_to(begin);
        append_section(out, script, begin, end, line_before, line_after);
        count_to(end);
        i = next_change(end);
    }
    return out;
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
    if (before == after) return {};
    auto a = lines_of(before);
    auto b = lines_of(after);
    // The common beginning and end are removed first: that is most of a file, and it costs nothing.
    std::vector<Edit> head;
    std::vector<Edit> tail;
    const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
    for (auto i = 0; i < common; ++i) head.push_back({' ', a[static_cast<std::size_t>(i)]});
    a.erase(a.begin(), a.begin() + common);
    b.erase(b.begin(), b.begin() + common);
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
        tail.push_back({' ', a.back()});
        a.pop_back();
        b.pop_back();
    }
    const auto middle = shortest_script(a, b);
    head.insert(head.end(), middle.begin(), middle.end());
    head.insert(head.end(), tail.rbegin(), tail.rend());
    return fmt::format("--- a/{0}\n+++ b/{0}\n", printable(path)) + sections(head);
}

}  // namespace helio::idl
