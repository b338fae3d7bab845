#include "helio/inspect/operations.h"

#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

std::optional<std::uint64_t> Operation::status() const {
    if (!answered || procedure == nullptr) return std::nullopt;
    const auto found = procedure->status.find(result);
    if (!found) return std::nullopt;
    return found->number;
}

OperationIterator::Cursor OperationIterator::begin(const Operations::Side& side, ByteView bytes) {
    const auto array = side.array.find(bytes);
    if (!array) return {};
    return {.side = &side,
            .bytes = bytes.subspan(array->offset + 4),
            .left = static_cast<std::uint32_t>(array->number)};
}

OperationIterator::OperationIterator(const Exchange& exchange) {
    if (exchange.procedure == nullptr || exchange.procedure->operations == nullptr) return;
    call_ = begin(exchange.procedure->operations->call, exchange.arguments);
    reply_ = begin(exchange.procedure->operations->reply, exchange.results);
}

// The last value may be cut: it is given out as far as it goes, and ends the side.
bool OperationIterator::Cursor::next(const Procedure*& procedure, std::uint32_t& number,
                                     ByteView& value) {
    if (left == 0 || bytes.size() < 4) return false;
    number = xdr::load_u32(bytes.data());
    bytes = bytes.subspan(4);
    const idl::Type& element = *side->element;
    const idl::Arm* const arm =
        element.arm_for(reflect::number_in(idl::resolve(*element.discriminant.type), number));
    procedure = arm != nullptr ? side->by_arm[static_cast<std::size_t>(arm - element.arms.data())]
                               : nullptr;
    const auto size =
        arm != nullptr ? reflect::size_of_value(*arm->field.type, bytes) : std::nullopt;
    value = bytes.first(size.value_or(bytes.size()));
    bytes = bytes.subspan(value.size());
    left = size ? left - 1 : 0;
    return true;
}

bool OperationIterator::next() {
    operation_ = {};
    const Procedure* replied = nullptr;
    std::uint32_t number = 0;
    const bool called = call_.next(operation_.procedure, operation_.number, operation_.arguments);
    operation_.answered = reply_.next(replied, number, operation_.result);
    if (called && operation_.answered && replied != operation_.procedure) {
        // OP_ILLEGAL stands for any number that the server does not know; nothing follows it.
        operation_.answered = false;
        operation_.result = {};
        reply_ = {};
    } else if (!called && operation_.answered) {
        operation_.procedure = replied;
        operation_.number = number;
    }
    return called || operation_.answered;
}

}  // namespace helio::inspect
