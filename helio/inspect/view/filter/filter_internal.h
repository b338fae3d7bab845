// A parsed Filter: a tree of tests with resolved operands.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "helio/inspect/view/filter/filter.h"
#include "helio/inspect/view/filter/pattern.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

enum class Compare : std::uint8_t {
    exists,
    equal,
    unequal,
    less,
    at_most,
    more,
    at_least,
    like,
    unlike
};

// A struct, a union or an array of fixed length has no number and no text.
inline bool is_comparable(const idl::Type& type) {
    return type.kind != idl::Kind::structure && type.kind != idl::Kind::union_ &&
           type.kind != idl::Kind::array_fixed;
}

// The left side of a comparison, in the order of kOperands in parse.cc.
enum class Operand : std::uint8_t {
    operation_name,
    path,
    client,
    server,
    port,
    carrier,
    xid,
    program,
    version,
    procedure,
    latency,
    size,
    retransmissions,
    verdict,
    missing,
    cut,
    status,  // schema fields from here on
    arguments,
    result,
};

struct Network {
    Endpoint address;
    unsigned bits = 0;  // significant bits, from the first
    bool with_port = false;
};

// Holds negative numbers and unsigned ones of 64 bits.
struct FilterNumber {
    std::uint64_t magnitude = 0;
    bool negative = false;
};

struct Test {
    Operand operand = Operand::operation_name;
    Compare compare = Compare::exists;
    FilterNumber number;
    bool is_text = false;  // compared with `text` or `pattern`, not with `number`
    std::string text;
    std::optional<Pattern> pattern;
    Network network;

    // For fields, by procedure: the index in `fields` plus 1, or 0.
    struct FieldOf {
        reflect::FieldPlan plan;
        FilterNumber number;  // the value of a name in its schema
    };
    std::vector<std::uint32_t> field_of;
    std::vector<FieldOf> fields;
};

struct Filter::Program {
    enum class Op : std::uint8_t { both, either, negation, operation, test };
    struct Node {
        Op op = Op::test;
        std::uint32_t first = 0;  // a node; for an operation, a set; for a test, a test
        std::uint32_t second = 0;
    };
    std::vector<Node> nodes;
    std::uint32_t root = 0;
    std::vector<std::vector<bool>> operations;  // by procedure
    std::vector<Test> tests;
    std::string scratch;

    bool matches(std::uint32_t node, const Exchange& exchange, Names& names);
    bool holds(const Test& test, const Exchange& exchange, Names& names);
    bool is_operation(const std::vector<bool>& wanted, const Exchange& exchange) const;
    bool named(const Test& test, const Exchange& exchange) const;
    bool field_holds(const Test& test, const Exchange& exchange);
    bool field_holds(const Test& test, const Procedure& procedure, ByteView arguments,
                     ByteView results);
};

}  // namespace helio::inspect
