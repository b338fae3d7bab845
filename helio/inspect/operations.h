// Operations inside a call. NFS 4 packs several operations into one COMPOUND, each with arguments,
// a result and a status of its own. A procedure whose schema comment says `@compound ARGUMENTS
// RESULTS` (the two arrays) is such a call: the Catalogue has a Procedure for it and one for each
// operation, so that names, filters and statistics treat nfs4.READ as they treat nfs3.READ.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/field_plan.h"
#include "helio/reflect/skip/skip_plan.h"

namespace helio::inspect {

struct Exchange;
struct Procedure;

// How a compound procedure carries its operations: two arrays of unions.
struct Operations {
    struct Side {
        reflect::FieldPlan array;
        const idl::Type* element = nullptr;    // the union
        std::vector<const Procedure*> by_arm;  // null for an arm that the other side lacks
        struct Arm {
            const Procedure* procedure = nullptr;
            const reflect::SkipPlan* skip = nullptr;  // null: no such arm
        };
        // By the number of the operation.
        Arm arm_of(std::uint32_t number) const {
            return number < by_number.size() ? by_number[number] : arm_beyond(number);
        }
        void index();  // after by_arm is complete

     private:
        Arm arm_beyond(std::uint32_t number) const;

        std::vector<reflect::SkipPlan> skips;  // by arm
        std::vector<Arm> by_number;            // so that it is found at once
    };
    Side call;
    Side reply;
};

struct Operation {
    const Procedure* procedure = nullptr;  // null: the schema has no operation of this number
    std::uint32_t number = 0;
    bool answered = false;  // the reply has a result for it
    bool status_known = false;
    std::uint32_t status_word = 0;
    ByteView arguments;  // without the number; as much as the capture has
    ByteView result;     // the same

    std::optional<std::uint64_t> status() const {
        if (!status_known) return std::nullopt;
        return status_word;
    }
    bool succeeded() const { return status_known && status_word == 0; }
};

// The operations of an exchange, found when they are first asked for: names, filters and views all
// need them. A copy finds its own, in memory of its own.
class OperationList final {
 public:
    OperationList() = default;
    OperationList(const OperationList&) {}
    OperationList& operator=(const OperationList&) {
        found_ = false;
        return *this;
    }

    // Pairs operations with results in order. Ends at the first operation whose size cannot be
    // told: bytes are missing, or the number is unknown. If the call is cut and the reply is not,
    // operations after the cut come from the reply. Empty for procedures that carry none.
    std::span<const Operation> of(const Exchange& exchange) {
        if (!found_) find(exchange);
        return list_;
    }

 private:
    void find(const Exchange& exchange);

    std::vector<Operation> list_;
    bool found_ = false;
};

}  // namespace helio::inspect
