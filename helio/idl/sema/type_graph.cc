#include "helio/idl/sema/type_graph_internal.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "helio/idl/parse.h"

namespace helio::idl {
namespace {

enum class Parts : std::uint8_t { by_value, all };

// The members of a type are numbered 0, 1, …; null past the last. Constant time for each, so that a
// walk over a struct with many fields is not quadratic.
const Type* part(const Type& type, std::size_t number, Parts parts, bool& exists) {
    exists = true;
    switch (type.kind) {
        case Kind::structure:
            if (number < type.fields.size()) return type.fields[number].type;
            break;
        case Kind::union_:
            if (number < type.arms.size()) return type.arms[number].field.type;
            if (number == type.arms.size()) return type.discriminant.type;
            break;
        case Kind::alias:
            if (number == 0) return type.element;
            break;
        case Kind::array_fixed:
            if (number == 0 && (type.bound > 0 || parts == Parts::all)) return type.element;
            break;
        case Kind::array_variable:
        case Kind::optional:
            if (number == 0 && parts == Parts::all) return type.element;
            break;
        default:
            break;
    }
    exists = false;
    return nullptr;
}

// Numbers the types, so that a walk can keep its state in a vector.
class Numbering {
 public:
    explicit Numbering(const std::vector<Type*>& types) {
        for (std::size_t i = 0; i < types.size(); ++i) number_.emplace(types[i], i);
    }
    static constexpr std::size_t kBuiltin = static_cast<std::size_t>(-1);
    std::size_t operator()(const Type* type) const {
        const auto found = number_.find(type);
        return found == number_.end() ? kBuiltin : found->second;
    }

 private:
    std::unordered_map<const Type*, std::size_t> number_;
};

struct Step {
    std::size_t type;
    std::size_t next_part = 0;
};

class ContainmentWalk {
 public:
    ContainmentWalk(std::vector<Type*> types, const OnCycle& on_cycle)
        : types_(std::move(types)), number_(types_), states_(types_.size()), on_cycle_(on_cycle) {}

    std::vector<Type*> run() {
        for (std::size_t i = 0; i < types_.size(); ++i) {
            if (states_[i] == State::fresh) from(i);
        }
        return std::move(order_);
    }

 private:
    enum class State : std::uint8_t { fresh, open, done };

    void from(std::size_t root) {
        enter(root);
        while (!path_.empty()) {
            Step& step = path_.back();
            bool exists = false;
            const Type* inner = part(*types_[step.type], step.next_part, Parts::by_value, exists);
            if (!exists) {
                states_[step.type] = State::done;
                order_.push_back(types_[step.type]);
                path_.pop_back();
                continue;
            }
            ++step.next_part;
            const std::size_t number = number_(inner);
            if (number == Numbering::kBuiltin) continue;
            if (states_[number] == State::open) report(number);
            if (states_[number] == State::fresh) enter(number);
        }
    }

    void enter(std::size_t type) {
        states_[type] = State::open;
        path_.push_back({type});
    }

    void report(std::size_t first) {
        std::vector<Type*> cycle;
        // After as many cycles as are shown, report only where the cycle closes: writing down a
        // hundred thousand cycles of a hundred thousand types would take all day.
        if (++cycle_count_ > kErrorsMax) return on_cycle_({types_[path_.back().type]});
        auto step = std::find_if(path_.begin(), path_.end(),
                                 [first](const Step& s) { return s.type == first; });
        for (; step != path_.end(); ++step) cycle.push_back(types_[step->type]);
        on_cycle_(cycle);
    }

    std::vector<Type*> types_;
    Numbering number_;
    std::vector<State> states_;
    const OnCycle& on_cycle_;
    std::size_t cycle_count_ = 0;
    std::vector<Step> path_;
    std::vector<Type*> order_;
};

// Tarjan's strongly connected components, without recursion.
class ComponentWalk {
 public:
    explicit ComponentWalk(std::vector<Type*> types)
        : types_(std::move(types)), number_(types_), nodes_(types_.size()) {}

    std::vector<Component> run() {
        for (std::size_t i = 0; i < types_.size(); ++i) {
            if (nodes_[i].order == 0) from(i);
        }
        return std::move(components_);
    }

 private:
    struct Node {
        std::size_t order = 0;  // of first visit, from 1
        std::size_t low = 0;    // the smallest order it can get back to
        bool on_stack = false;
        bool leads_to_itself = false;
        std::size_t depth_below = 0;
        std::size_t component = 0;
    };

    void from(std::size_t root) {
        enter(root);
        while (!path_.empty()) {
            Step& step = path_.back();
            bool exists = false;
            const Type* inner = part(*types_[step.type], step.next_part, Parts::all, exists);
            if (!exists) {
                leave();
                continue;
            }
            ++step.next_part;
            const std::size_t number = number_(inner);
            if (number == Numbering::kBuiltin) continue;
            if (nodes_[number].order == 0) {
                enter(number);
            } else {
                join(step.type, number);
            }
        }
    }

    void enter(std::size_t type) {
        nodes_[type].order = nodes_[type].low = ++visits_;
        nodes_[type].on_stack = true;
        stack_.push_back(type);
        path_.push_back({type});
    }

    // `to` was seen before `from` reached it.
    void join(std::size_t from, std::size_t to) {
        if (nodes_[to].on_stack) {
            nodes_[from].low = std::min(nodes_[from].low, nodes_[to].low);
            if (from == to) nodes_[from].leads_to_itself = true;
        } else {
            const std::size_t depth = components_[nodes_[to].component].depth;
            nodes_[from].depth_below = std::max(nodes_[from].depth_below, depth);
        }
    }

    void leave() {
        const std::size_t type = path_.back().type;
        path_.pop_back();
        if (nodes_[type].low == nodes_[type].order) close(type);
        if (!path_.empty()) join(path_.back().type, type);
    }

    void close(std::size_t first) {
        Component component;
        std::size_t depth_below = 0;
        for (std::size_t type = first + 1; type != first;) {
            type = stack_.back();
            stack_.pop_back();
            nodes_[type].on_stack = false;
            nodes_[type].component = components_.size();
            depth_below = std::max(depth_below, nodes_[type].depth_below);
            component.circular = component.circular || nodes_[type].leads_to_itself;
            component.types.push_back(types_[type]);
        }
        component.circular = component.circular || component.types.size() > 1;
        component.depth = depth_below + component.types.size();
        components_.push_back(std::move(component));
    }

    std::vector<Type*> types_;
    Numbering number_;
    std::vector<Node> nodes_;
    std::size_t visits_ = 0;
    std::vector<std::size_t> stack_;
    std::vector<Step> path_;
    std::vector<Component> components_;
};

}  // namespace

std::vector<Type*> walk_contained(Schema& schema, const OnCycle& on_cycle) {
    return ContainmentWalk(schema.all_types(), on_cycle).run();
}

std::vector<Component> components_of(Schema& schema) {
    return ComponentWalk(schema.all_types()).run();
}

}  // namespace helio::idl
