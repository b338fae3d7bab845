// The types of a schema as a graph: who contains whom. All walks are loops with a stack of their
// own, because a schema may be hostile and deep.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::idl {

// Every type, each after those it contains by value; `on_cycle` gets each ring found, in order of
// containment, and the edge from its last to its first is then ignored.
using OnCycle = std::function<void(const std::vector<Type*>&)>;
std::vector<Type*> walk_contained(Schema& schema, const OnCycle& on_cycle);
inline std::vector<Type*> contained_first(Schema& schema) {
    return walk_contained(schema, [](const std::vector<Type*>&) {});
}

// Types that lead to each other through any kind of part, optionals and arrays included.
struct Component {
    std::vector<Type*> types;
    bool circular = false;  // more than one type, or one that leads to itself
    std::size_t depth = 0;  // of types on the longest way down, itself included
};

// Each after those it leads to.
std::vector<Component> components_of(Schema& schema);

}  // namespace helio::idl
