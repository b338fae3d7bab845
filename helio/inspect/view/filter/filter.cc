#include "helio/inspect/view/filter/filter.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/inspect/view/filter/filter_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

using idl::Kind;

// Only the first bytes of longer texts are compared, to bound a filter's cost.
constexpr std::size_t kTextSizeMax = 4096;

template <class Number>
bool compared(Compare how, Number a, Number b) {
    switch (how) {
        case Compare::exists:
            return a != Number{};
        case Compare::equal:
            return a == b;
        case Compare::unequal:
            return a != b;
        case Compare::less:
            return a < b;
        case Compare::at_most:
            return a <= b;
        case Compare::more:
            return a > b;
        case Compare::at_least:
            return a >= b;
        case Compare::like:
        case Compare::unlike:
            return false;
    }
    return false;
}

bool compared(Compare how, std::uint64_t a, const FilterNumber& b) {
    if (!b.negative || b.magnitude == 0) return compared(how, a, b.magnitude);
    return how == Compare::unequal || how == Compare::more || how == Compare::at_least ||
           (how == Compare::exists && a != 0);
}

bool compared_signed(Compare how, std::int64_t a, const FilterNumber& b) {
    if (a >= 0) return compared(how, static_cast<std::uint64_t>(a), b);
    if (!b.negative)
        return how == Compare::unequal || how == Compare::less || how == Compare::at_most ||
               how == Compare::exists;
    return compared(how, b.magnitude, 0 - static_cast<std::uint64_t>(a));  // both negated
}

bool compared_text(const Test& test, std::string_view text) {
    switch (test.compare) {
        case Compare::exists:
            return !text.empty();
        case Compare::equal:
            return text == test.text;
        case Compare::unequal:
            return text != test.text;
        case Compare::like:
            return test.pattern->found_in(text.substr(0, kTextSizeMax));
        case Compare::unlike:
            return !test.pattern->found_in(text.substr(0, kTextSizeMax));
        default:
            return false;
    }
}

bool within(const Endpoint& endpoint, const Network& network) {
    if (endpoint.v6 != network.address.v6) return false;
    if (network.with_port && endpoint.port != network.address.port) return false;
    for (unsigned bit = 0; bit < network.bits; bit += 8) {
        const unsigned left = std::min(8u, network.bits - bit);
        const auto mask = std::byte{static_cast<unsigned char>(0xff << (8 - left))};
        const auto differ = endpoint.address[bit / 8] ^ network.address.address[bit / 8];
        if ((differ & mask) != std::byte{0}) return false;
    }
    return true;
}

bool address_holds(const Test& test, const Endpoint& endpoint) {
    return within(endpoint, test.network) == (test.compare == Compare::equal);
}

std::uint64_t size_of(const Exchange& exchange) {
    return (exchange.call != nullptr ? exchange.call->size : 0) +
           (exchange.reply != nullptr ? exchange.reply->size : 0);
}

// 1: the call, 2: the reply, 3: both.
std::uint64_t cut_of(const Exchange& exchange) {
    const auto cut = [](const Message* message) { return message != nullptr && message->cut(); };
    return (cut(exchange.call) ? 1u : 0u) | (cut(exchange.reply) ? 2u : 0u);
}

std::string_view text_of(const reflect::FieldPlan::Found& found, std::string& scratch) {
    if (found.type->kind == Kind::string) return as_text(found.body);
    if (found.type->kind == Kind::enumeration) {
        const auto* const known = found.type->enumerator(static_cast<std::int64_t>(found.number));
        return known != nullptr ? std::string_view{known->name} : std::string_view{};
    }
    scratch.clear();
    for (const std::byte b : found.body.first(std::min(found.body.size(), kTextSizeMax / 2)))
        fmt::format_to(std::back_inserter(scratch), "{:02x}", std::to_integer<unsigned>(b));
    return scratch;
}

// The number of a float is its bits.
bool real_holds(const Test& test, const FilterNumber& number, double got) {
    const double wanted = static_cast<double>(number.magnitude) * (number.negative ? -1 : 1);
    return compared(test.compare, got, wanted);
}

bool number_holds(const Test& test, const FilterNumber& number,
                  const reflect::FieldPlan::Found& found) {
    switch (found.type->kind) {
        case Kind::float_:
            return real_holds(test, number,
                              std::bit_cast<float>(static_cast<std::uint32_t>(found.number)));
        case Kind::double_:
            return real_holds(test, number, std::bit_cast<double>(found.number));
        case Kind::unsigned_hyper:
            return compared(test.compare, found.number, number);
        default:
            return compared_signed(test.compare, static_cast<std::int64_t>(found.number), number);
    }
}

}  // namespace

Filter::Filter(std::unique_ptr<Program> program) : program_(std::move(program)) {}
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;
Filter::~Filter() = default;

bool Filter::matches(const Exchange& exchange, Names& names) const {
    return program_->matches(program_->root, exchange, names);
}

// Recursive: nesting is limited by kFilterDepthMax, chains of && and || by the filter's length.
bool Filter::Program::matches(std::uint32_t at, const Exchange& exchange, Names& names) {
    const Node& node = nodes[at];
    switch (node.op) {
        case Op::both:
            return matches(node.first, exchange, names) && matches(node.second, exchange, names);
        case Op::either:
            return matches(node.first, exchange, names) || matches(node.second, exchange, names);
        case Op::negation:
            return !matches(node.first, exchange, names);
        case Op::operation:
            return is_operation(operations[node.first], exchange);
        case Op::test:
            return holds(tests[node.first], exchange, names);
    }
    return false;
}

bool Filter::Program::holds(const Test& test, const Exchange& exchange, Names& names) {
    const auto number = [&](std::uint64_t value) {
        return compared(test.compare, value, test.number);
    };
    const auto one_of = [&](std::uint64_t value) { return value != 0 && number(value); };
    const bool called = exchange.call != nullptr;
    switch (test.operand) {
        case Operand::operation_name:
            return named(test, exchange);
        case Operand::path:
            scratch.clear();
            return names.append_path(scratch, exchange) && compared_text(test, scratch);
        case Operand::client:
            return address_holds(test, exchange.client());
        case Operand::server:
            return address_holds(test, exchange.server());
        case Operand::port:
            // Matches either end. "port != 2049" means that neither end has it.
            return test.compare == Compare::unequal
                       ? number(exchange.client().port) && number(exchange.server().port)
                       : number(exchange.client().port) || number(exchange.server().port);
        case Operand::carrier:
            return number(static_cast<std::uint64_t>(exchange.any().carrier) + 1);
        case Operand::xid:
            return number(exchange.xid);
        case Operand::program:
            return called && number(exchange.program);
        case Operand::version:
            return called && number(exchange.version);
        case Operand::procedure:
            return called && number(exchange.number);
        case Operand::latency:
            return exchange.paired() &&
                   compared_signed(test.compare, exchange.latency_ns(), test.number);
        case Operand::size:
            return number(size_of(exchange));
        case Operand::retransmissions:
            return number(exchange.retransmissions);
        case Operand::verdict:
            return one_of(static_cast<std::uint64_t>(exchange.reply_head.verdict));
        case Operand::missing:
            return one_of(!called ? 1 : exchange.reply == nullptr && !exchange.one_way ? 2 : 0);
        case Operand::cut:
            return one_of(cut_of(exchange));
        case Operand::status:
        case Operand::arguments:
        case Operand::result:
            return field_holds(test, exchange);
    }
    return false;
}

// A compound is each of its operations, too.
bool Filter::Program::is_operation(const std::vector<bool>& wanted,
                                   const Exchange& exchange) const {
    if (exchange.procedure == nullptr) return false;
    if (wanted[exchange.procedure->number]) return true;
    return std::ranges::any_of(exchange.operations(), [&](const Operation& one) {
        return one.procedure != nullptr && wanted[one.procedure->number];
    });
}

// With "!=" and "!~", no name may be the unwanted one.
bool Filter::Program::named(const Test& test, const Exchange& exchange) const {
    if (exchange.procedure == nullptr) return false;
    const bool all = test.compare == Compare::unequal || test.compare == Compare::unlike;
    bool holds = compared_text(test, exchange.procedure->name);
    for (const Operation& one : exchange.operations()) {
        if (holds != all) break;
        if (one.procedure != nullptr) holds = compared_text(test, one.procedure->name);
    }
    return holds;
}

// A field of the call, or of any of its operations.
bool Filter::Program::field_holds(const Test& test, const Exchange& exchange) {
    if (exchange.procedure == nullptr) return false;
    if (field_holds(test, *exchange.procedure, exchange.arguments, exchange.results)) return true;
    for (const Operation& one : exchange.operations()) {
        if (one.procedure != nullptr &&
            field_holds(test, *one.procedure, one.arguments, one.result))
            return true;
    }
    return false;
}

bool Filter::Program::field_holds(const Test& test, const Procedure& procedure, ByteView arguments,
                                  ByteView results) {
    const std::uint32_t place = test.field_of[procedure.number];
    if (place == 0) return false;
    const Test::FieldOf& field = test.fields[place - 1];
    const auto found = field.plan.find(test.operand == Operand::arguments ? arguments : results);
    if (!found) return false;
    if (found->type->kind == Kind::structure) return true;  // used alone, and it is there
    if (!test.is_text) return number_holds(test, field.number, *found);
    // Cut bytes could be anything: only a pattern may still match the rest.
    const bool cut = found->type->kind != Kind::enumeration && found->body.size() < found->number;
    if (cut && test.compare != Compare::like) return false;
    return compared_text(test, text_of(*found, scratch));
}

std::string to_string(const FilterError& error) {
    // An escaped byte may be longer; the caret follows the escaped text.
    const std::string_view text{error.text};
    const std::size_t at = std::min(error.position, text.size());
    const std::string before = printable(text.substr(0, at));
    std::size_t columns = 0;
    for (const char c : before) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    return fmt::format("{}\n  {}{}\n  {:>{}}", error.problem, before, printable(text.substr(at)),
                       '^', columns + 1);
}

}  // namespace helio::inspect
