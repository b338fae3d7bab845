#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "helio/base/text/nearest.h"
#include "helio/idl/parse.h"
#include "helio/idl/sema/names_internal.h"

namespace helio::idl {
namespace {

// A suggestion considers this many names: enough for any real schema, and cheap even for a hundred
// errors in a hostile one.
constexpr std::size_t kCandidatesMax = 10'000;

// The lexer has reported the others.
bool is_clean(std::string_view name) {
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

}  // namespace

bool Names::declare(std::string_view name, const Symbol& symbol) {
    const auto [found, is_new] = symbols_.emplace(name, symbol);
    if (is_new) {
        in_order_.push_back(name);
        return true;
    }
    // Constants are declared before types, whatever their order in the file: let the message point
    // from the later to the earlier one.
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
    Nearest nearest{name};
    const Symbol* best = nullptr;
    const std::size_t count = std::min(in_order_.size(), kCandidatesMax);
    for (const std::string_view candidate : std::span(in_order_).first(count)) {
        const Symbol& symbol = symbols_.at(candidate);
        if (symbol.kind == wanted && nearest.offer(candidate)) best = &symbol;
    }
    if (best == nullptr) return {};
    return fmt::format("did you mean '{}' ({})?", nearest.found(), place(best->where));
}

}  // namespace helio::idl
