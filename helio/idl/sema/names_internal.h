// Names: the common name space of types, constants and enumerators, with suggestions for unknown
// names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "helio/idl/diagnostics.h"
#include "helio/idl/source.h"

namespace helio::idl {

enum class SymbolKind : std::uint8_t { type, constant, text };

struct Symbol {
    SymbolKind kind;
    Location where;
    std::size_t index;  // among the types, or the nodes of Constants
};

class Names final {
 public:
    Names(const SourceSet& sources, Diagnostics& diagnostics)
        : sources_(sources), diagnostics_(diagnostics) {}

    // Returns false and reports an error that points to the first definition if the name is taken.
    // `name` must outlive this.
    bool declare(std::string_view name, const Symbol& symbol);
    const Symbol* find(std::string_view name) const;

    // Reports "… is not defined", once for each name however often it is used.
    void undefined(std::string_view name, Location where, SymbolKind wanted, std::string message);

    // "nfs3.x:31:7"
    std::string place(Location where) const;

 private:
    std::string suggestion(std::string_view name, SymbolKind wanted) const;

    const SourceSet& sources_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string_view, Symbol> symbols_;
    std::vector<std::string_view> in_order_;
    std::unordered_set<std::string_view> reported_;
};

}  // namespace helio::idl
