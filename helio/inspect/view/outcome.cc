#include <charconv>

#include "helio/inspect/meaning.h"
#include "helio/inspect/view/outcome_internal.h"

namespace helio::inspect {

void append_endpoint(std::string& out, const Endpoint& endpoint) {
    if (endpoint.v6) {
        out += to_string(endpoint);
        return;
    }
    char text[sizeof "255.255.255.255:65535"];
    char* at = text;
    for (std::size_t i = 0; i < 4; ++i) {
        at = std::to_chars(at, std::end(text), std::to_integer<unsigned>(endpoint.address[i])).ptr;
        *at++ = i < 3 ? '.' : ':';
    }
    at = std::to_chars(at, std::end(text), endpoint.port).ptr;
    out.append(text, static_cast<std::size_t>(at - text));
}

std::optional<reflect::FieldPlan::Found> status_of(const Exchange& exchange) {
    if (exchange.procedure == nullptr || exchange.results.empty()) return std::nullopt;
    return exchange.procedure->status.find(exchange.results);
}

const idl::Enumerator* name_of_status(const reflect::FieldPlan::Found& status) {
    if (status.type->kind != idl::Kind::enumeration) return nullptr;
    return status.type->enumerator(static_cast<std::int64_t>(status.number));
}

std::string fault_of(const reflect::Tree& tree) {
    reflect::NodeIndex last = reflect::kNoNode;
    for (reflect::NodeIndex i = 0; i < tree.nodes.size(); ++i)
        if (is_leaf(tree.nodes[i].role) && tree.nodes[i].offset <= tree.error.offset) last = i;
    std::string out;
    if (last != reflect::kNoNode) {
        const reflect::Node& leaf = tree.nodes[last];
        const std::string path = reflect::path(tree, last);
        if (!path.empty())
            out = (leaf.offset + leaf.size <= tree.error.offset ? "after " : "") + path + ": ";
    }
    return out + to_string(tree.error);
}

}  // namespace helio::inspect
