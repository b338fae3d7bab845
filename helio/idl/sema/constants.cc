#include <fmt/format.h>

#include "helio/idl/sema/constants_internal.h"

namespace helio::idl {
namespace {

// RFC 4506 §4.4: bool is an enum of these two. A schema may define them itself.
const ast::Value* boolean_value(std::string_view name) {
    using Form = ast::Value::Form;
    static const ast::Value kFalse{Form::number, false, 0, {}, {}};
    static const ast::Value kTrue{Form::number, false, 1, {}, {}};
    return name == "TRUE" ? &kTrue : name == "FALSE" ? &kFalse : nullptr;
}

}  // namespace

std::size_t Constants::add(const Documented& named, const ast::Value& value, std::size_t previous) {
    nodes_.push_back({&named, &value, previous, State::fresh, {}});
    return nodes_.size() - 1;
}

void Constants::add_program_name(const Documented& named, const ast::Value& value) {
    const std::size_t node = add(named, value);
    const auto [found, is_new] = program_names_.emplace(named.name, ProgramName{node});
    if (is_new) return;
    const ast::Value& first = *nodes_[found->second.node].value;
    const bool same =
        first.form == value.form && first.magnitude == value.magnitude && first.name == value.name;
    if (!same) found->second.ambiguous = true;
}

std::optional<std::size_t> Constants::program_name(const ast::Value& value) {
    const auto found = program_names_.find(value.name);
    if (found == program_names_.end()) return std::nullopt;
    if (found->second.ambiguous) {
        diagnostics_.error(value.where, fmt::format("'{}' has several values", value.name),
                           "write the number instead");
        return kNone;
    }
    return found->second.node;
}

// The node for a name; kNone if it is known to have none (already reported).
std::optional<std::size_t> Constants::node_of(const ast::Value& value, std::string_view what) {
    const Symbol* symbol = names_.find(value.name);
    if (symbol != nullptr && symbol->kind == SymbolKind::constant) return symbol->index;
    if (symbol != nullptr) {
        const bool is_type = symbol->kind == SymbolKind::type;
        diagnostics_.error(value.where,
                           fmt::format("{} '{}' is a {}, not a number", what, value.name,
                                       is_type ? "type" : "text"),
                           fmt::format("it is defined at {}", names_.place(symbol->where)));
        return kNone;
    }
    if (const auto node = program_name(value)) return node;
    if (boolean_value(value.name) != nullptr) return std::nullopt;
    names_.undefined(value.name, value.where, SymbolKind::constant,
                     fmt::format("{} '{}' is not a constant", what, value.name));
    return kNone;
}

// The node that this one waits for, or kNone. Evaluates it if it waits for none.
std::size_t Constants::dependency(Node& node) {
    using Form = ast::Value::Form;
    node.state = State::entered;
    switch (node.value->form) {
        case Form::absent:
            if (node.previous != kNone) return node.previous;
            node.result = {};
            node.state = State::known;
            return kNone;
        case Form::number:
            node.result = {node.value->negative && node.value->magnitude != 0,
                           node.value->magnitude};
            node.state = State::known;
            return kNone;
        case Form::name: {
            const auto target = node_of(*node.value, "value");
            if (target && *target != kNone) return *target;
            node.state = target ? State::failed : State::known;
            if (!target) node.result = {false, boolean_value(node.value->name)->magnitude};
            return kNone;
        }
        case Form::text:
            diagnostics_.error(node.value->where, "expected a number, not a string");
            [[fallthrough]];
        case Form::broken:
            node.state = State::failed;
            return kNone;
    }
    return kNone;
}

void Constants::settle(Node& node, std::size_t depends_on) {
    const Node& target = nodes_[depends_on];
    node.state = State::failed;
    if (target.state != State::known) return;
    if (node.value->form == ast::Value::Form::name) {
        node.result = target.result;
        node.state = State::known;
    } else if (const auto next = target.result.plus_one()) {
        node.result = *next;
        node.state = State::known;
    } else {
        diagnostics_.error(node.named->where,
                           fmt::format("'{}' does not fit in 64 bits", node.named->name));
    }
}

void Constants::report_circle(std::size_t node) {
    const Node& first = nodes_[node];
    diagnostics_.error(first.value->where,
                       fmt::format("the value of '{}' depends on itself", first.named->name));
}

// Each node waits for at most one other, so they form a chain: walk it to its end, then evaluate
// backwards. No recursion, since the chain may have a million steps.
std::optional<Integer> Constants::evaluate(std::size_t node) {
    if (node == kNone) return std::nullopt;
    std::vector<std::size_t> line;
    std::size_t at = node;
    while (at != kNone && nodes_[at].state == State::fresh) {
        line.push_back(at);
        at = dependency(nodes_[at]);
    }
    if (at != kNone && nodes_[at].state == State::entered) {
        report_circle(at);
        nodes_[at].state = State::failed;
    }
    for (std::size_t i = line.size(); i-- > 0;) {
        Node& each = nodes_[line[i]];
        if (each.state == State::entered) settle(each, i + 1 < line.size() ? line[i + 1] : at);
    }
    return nodes_[node].state == State::known ? std::optional(nodes_[node].result) : std::nullopt;
}

std::optional<Integer> Constants::evaluate(const ast::Value& value, std::string_view what) {
    using Form = ast::Value::Form;
    switch (value.form) {
        case Form::number:
            return Integer::make(value.negative, value.magnitude);
        case Form::name: {
            const auto node = node_of(value, what);
            if (!node) return Integer{false, boolean_value(value.name)->magnitude};
            return evaluate(*node);
        }
        case Form::text:
            diagnostics_.error(value.where, fmt::format("{} cannot be a string", what));
            return std::nullopt;
        case Form::absent:
        case Form::broken:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace helio::idl
