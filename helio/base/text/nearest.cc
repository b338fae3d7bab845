#include "helio/base/text/nearest.h"

#include <algorithm>
#include <array>

namespace helio {
namespace {

constexpr std::size_t kWordSizeMax = 256;

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit) {
    const std::size_t longer = std::max(from.size(), to.size());
    const std::size_t shorter = std::min(from.size(), to.size());
    if (longer - shorter > limit || longer > kWordSizeMax) return limit + 1;

    std::array<std::array<std::size_t, kWordSizeMax + 1>, 3> rows{};
    for (std::size_t j = 0; j <= to.size(); ++j) rows[0][j] = j;
    for (std::size_t i = 1; i <= from.size(); ++i) {
        auto& row = rows[i % 3];
        const auto& above = rows[(i + 2) % 3];
        const auto& two_above = rows[(i + 1) % 3];
        row[0] = i;
        std::size_t best = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
            const bool swapped =
                i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
            best = std::min(best, row[j]);
        }
        if (best > limit) return limit + 1;
    }
    return std::min(rows[from.size() % 3][to.size()], limit + 1);
}

Nearest::Nearest(std::string_view wanted)
    : wanted_(wanted), limit_(std::min<std::size_t>(3, wanted.size() / 3 + 1) + 1) {}

bool Nearest::offer(std::string_view candidate) {
    if (limit_ == 0) return false;
    const std::size_t distance = edit_distance(wanted_, candidate, limit_ - 1);
    if (distance >= limit_) return false;
    limit_ = distance;
    found_ = candidate;
    return true;
}

}  // namespace helio
