// Operations inside a call. NFS 4 packs several operations into one COMPOUND, each with arguments,
// a result and a status of its own. A procedure whose schema comment says `@compound ARGUMENTS
// RESULTS` (the two arrays) is such a call: the Catalogue has a Procedure for it and one for each
// operation, so that names, filters and statistics treat nfs4.READ as they treat nfs3.READ.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/field_plan.h"

namespace helio::inspect {

struct Exchange;
struct Procedure;

// How a compound procedure carries its operations: two arrays of unions.
struct Operations {
    struct Side {
        reflect::FieldPlan array;
        const idl::Type* element = nullptr;    // the union
        std::vector<const Procedure*> by_arm;  // null for an arm that the other side lacks
    };
    Side call;
    Side reply;
};

struct Operation {
    const Procedure* procedure = nullptr;  // null: the schema has no operation of this number
    std::uint32_t number = 0;
    ByteView arguments;     // without the number; as much as the capture has
    ByteView result;        // the same
    bool answered = false;  // the reply has a result for it

    std::optional<std::uint64_t> status() const;
    bool succeeded() const { return status() == std::uint64_t{0}; }
};

// for (OperationIterator each{exchange}; each.next();) use(each.operation());
//
// Pairs operations with results in order. Ends at the first operation whose size cannot be told:
// bytes are missing, or the number is unknown. If the call is cut and the reply is not, operations
// after the cut come from the reply.
class OperationIterator final {
 public:
    explicit OperationIterator(const Exchange& exchange);

    bool next();
    const Operation& operation() const { return operation_; }

 private:
    struct Cursor {
        const Operations::Side* side = nullptr;
        ByteView bytes;
        std::uint32_t left = 0;  // elements

        bool next(const Procedure*& procedure, std::uint32_t& number, ByteView& value);
    };
    static Cursor begin(const Operations::Side& side, ByteView bytes);

    Cursor call_;
    Cursor reply_;
    Operation operation_;
};

}  // namespace helio::inspect
