#include "helio/inspect/operations.h"

#include <algorithm>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/reflect/rules_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

namespace {

// Operations of NFS 4 have numbers up to 75; ILLEGAL, 10044, is looked up.
constexpr std::uint32_t kIndexedCount = 256;

// Reserved for the list: few calls have more operations.
constexpr std::uint32_t kUsualCount = 8;

// The operations of one message.
class Cursor {
 public:
    Cursor(const Operations::Side& side, ByteView bytes) : side_(side) {
        const auto array = side.array.find(bytes);
        if (!array) return;
        bytes_ = bytes.subspan(array->offset + 4);
        left_ = static_cast<std::uint32_t>(array->number);
    }

    void end() { left_ = 0; }

    // The last value may be cut: it is given out as far as it goes, and ends the side.
    bool next(const Procedure*& procedure, std::uint32_t& number, ByteView& value) {
        if (left_ == 0 || bytes_.size() < 4) return false;
        number = xdr::load_u32(bytes_.data());
        const ByteView rest = bytes_.subspan(4);
        const Operations::Side::Arm arm = side_.arm_of(number);
        procedure = arm.procedure;
        const auto known = arm.skip != nullptr ? arm.skip->size_of(rest) : std::nullopt;
        const std::size_t size = known ? *known : rest.size();
        left_ = known ? left_ - 1 : 0;
        bytes_ = rest.subspan(size);
        value = rest.first(size);
        return true;
    }

 private:
    const Operations::Side& side_;
    ByteView bytes_;
    std::uint32_t left_ = 0;  // elements
};

}  // namespace

Operations::Side::Arm Operations::Side::arm_beyond(std::uint32_t number) const {
    const idl::Arm* const arm =
        element->arm_for(reflect::number_in(idl::resolve(*element->discriminant.type), number));
    if (arm == nullptr) return {};
    const auto place = static_cast<std::size_t>(arm - element->arms.data());
    return {.procedure = by_arm[place], .skip = &skips[place]};
}

void Operations::Side::index() {
    for (const idl::Arm& arm : element->arms)
        skips.push_back(reflect::SkipPlan::over(*arm.field.type));
    std::vector<Arm> made;
    for (std::uint32_t number = 0; number < kIndexedCount; ++number)
        made.push_back(arm_beyond(number));
    by_number = std::move(made);
}

void OperationList::find(const Exchange& exchange) {
    found_ = true;
    list_.clear();
    if (exchange.procedure == nullptr || exchange.procedure->operations == nullptr) return;
    Cursor call{exchange.procedure->operations->call, exchange.arguments};
    Cursor reply{exchange.procedure->operations->reply, exchange.results};
    list_.reserve(kUsualCount);
    while (true) {
        const Procedure* replied = nullptr;
        std::uint32_t number = 0;
        Operation& one = list_.emplace_back();  // filled in place: one copy less
        const bool called = call.next(one.procedure, one.number, one.arguments);
        one.answered = reply.next(replied, number, one.result);
        if (!called && !one.answered) break;
        if (!called) {
            one.procedure = replied;
            one.number = number;
        } else if (one.answered && replied != one.procedure) {
            // OP_ILLEGAL stands for any number that the server does not know; nothing follows it.
            one.answered = false;
            one.result = {};
            reply.end();
        }
        one.status_known = one.answered && one.procedure != nullptr &&
                           one.procedure->status_first && one.result.size() >= 4;
        if (one.status_known) one.status_word = xdr::load_u32(one.result.data());
    }
    list_.pop_back();
}

}  // namespace helio::inspect
