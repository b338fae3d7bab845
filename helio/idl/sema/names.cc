#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "helio/idl/parse.h"
#include "helio/idl/sema/names_internal.h"

namespace helio::idl {
namespace {

// A suggestion looks at this many names: enough for any real schema, and a hundred errors in a
// hostile one stay cheap.
constexpr std::size_t kCandidatesMax = 10'000;

// The lexer has complained about the others.
bool is_clean(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit) {
    const std::size_t longer = std::max(from.size(), to.size());
    const std::size_t shorter = std::min(from.size(), to.size());
    if (longer - shorter > limit || longer > kNameSizeMax) return limit + 1;

    // Three rows of the table of Damerau and Levenshtein.
    std::array<std::array<std::size_t, kNameSizeMax + 1>, 3> rows{};
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

bool Names::declare(std::string_view name, const Symbol& symbol) {
    const auto [found, is_new] = symbols_.emplace(name, symbol);
    if (is_new) {
        in_order_.push_back(name);
        return true;
    }
    // Constants are declared before types, whatever their order in the file: point from the later
    // to the earlier one.
    Location first = found->second.where;
    Location second = symbol.where;
    if (first.file == second.file && second.offset < first.offset) std::swap(first, second);
    diagnostics_.error(second, fmt::format("'{}' is defined twice", name),
                       fmt::format("the first is at {}", place(first)));
    return false;
}

const Symbol* Names::find(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
}

void Names::undefined(std::string_view name, Location where, SymbolKind wanted,
                      std::string message) {
    if (!is_clean(name) || !reported_.insert(name).second) return;
    std::string hint = diagnostics_.full() ? std::string() : suggestion(name, wanted);
    diagnostics_.error(where, std::move(message), std::move(hint));
}

std::string Names::place(Location where) const {
    if (where.file >= sources_.files.size()) return "?";
    const auto at = sources_.line_column(where);
    return fmt::format("{}:{}:{}", sources_.files[where.file].name, at.line, at.column);
}

std::string Names::suggestion(std::string_view name, SymbolKind wanted) const {
    std::size_t nearest = std::min<std::size_t>(3, name.size() / 3 + 1) + 1;
    const Symbol* best = nullptr;
    std::string_view best_name;
    const std::size_t count = std::min(in_order_.size(), kCandidatesMax);
    for (const std::string_view candidate : std::span(in_order_).first(count)) {
        const Symbol& symbol = symbols_.at(candidate);
        if (symbol.kind != wanted) continue;
        const std::size_t distance = edit_distance(name, candidate, nearest - 1);
        if (distance >= nearest) continue;
        nearest = distance;
        best = &symbol;
        best_name = candidate;
        if (nearest <= 1) break;
    }
    if (best == nullptr) return {};
    return fmt::format("did you mean '{}' ({})?", best_name, place(best->where));
}

}  // namespace helio::idl
