// The types of a schema as a graph of containment. All walks are loops with an explicit stack,
// because a schema may be hostile and deep.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::idl {

// Every type, each after those it contains by value. `on_cycle` is called with each cycle found, in
// order of containment; the edge from its last to its first type is then ignored.
using OnCycle = std::function<void(const std::vector<Type*>&)>;
std::vector<Type*> walk_contained(Schema& schema, const OnCycle& on_cycle);
inline std::vector<Type*> contained_first(Schema& schema) {
    return walk_contained(schema, [](const std::vector<Type*>&) {});
}

// Types that lead to each other through any kind of member, including optionals and arrays.
struct Component {
    std::vector<Type*> types;
    bool circular = false;  // more than one type, or one that leads to itself
    std::size_t depth = 0;  // types on the longest path down, including itself
};

// Each comes after those it leads to.
std::vector<Component> components_of(Schema& schema);

}  // namespace helio::idl
