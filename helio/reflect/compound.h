// Procedures that carry operations (@compound, docs/schema-language.md): NFS 4's COMPOUND has an
// array of unions, each with the number of an operation and its arguments. The reply has one with
// their results.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "helio/idl/schema.h"

namespace helio::reflect {

struct CompoundOperation {
    std::string_view name;  // "OPEN" of OP_OPEN
    const idl::Arm* call = nullptr;
    const idl::Arm* reply = nullptr;
};

struct Compound {
    const idl::Type* call = nullptr;  // the union that is an operation with its arguments
    const idl::Type* reply = nullptr;
    std::vector<CompoundOperation> operations;
};

// nullopt: the procedure carries no operations. Borrows the schema.
std::optional<Compound> compound_of(const idl::Procedure& procedure);

// The size of "OP_" of OP_READ, OP_WRITE …: what all names of the union's cases begin with, up to
// a '_'.
std::size_t operation_prefix(const idl::Type& operations);

}  // namespace helio::reflect
