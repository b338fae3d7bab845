// Pairing: messages → exchanges, by flow and xid. A reply may be seen before its call, when the
// capture mixed two directions or the call's segment came late: it waits a while. Calls wait for
// their replies as long as there is room; what is left at the end was never answered.
//
// Memory is bounded: kPendingMax calls, and their bytes by kPendingBytesMax.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/exchange.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/inspect/view/ledger.h"

namespace helio::inspect {

// Calls that wait for a reply; beyond it the oldest counts as unanswered. A client has a few
// hundred under way at most.
inline constexpr std::size_t kPendingMax = 32768;
// Bytes of those calls. Beyond it a call is kept without its arguments.
inline constexpr std::size_t kPendingBytesMax = 32u << 20;
// Replies that wait for a call seen late. Packets change places by a few; what is lost never comes.
inline constexpr std::size_t kEarlyRepliesMax = 512;

class Pairing final : public MessageSink {
 public:
    struct Options {
        std::size_t call_keep_max = kPendingBytesMax;  // bytes of one call
    };

    Pairing(ExchangeSink& sink, const Catalogue& catalogue, Options options);
    Pairing(ExchangeSink& sink, const Catalogue& catalogue) : Pairing(sink, catalogue, Options{}) {}
    ~Pairing() override;

    void message(const Message& message) override;
    void unread(Unread why, std::uint64_t bytes, std::uint64_t packets) override;
    // Everything that still waits is handed on.
    void finish();

    Ledger& ledger() { return ledger_; }

 private:
    struct Waiting;  // a call without reply, or the other way round
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t index = 0;  // in pool_, plus one; 0: free
    };
    struct Answered {  // of datagrams, so that a repeated call or reply is known as such
        std::uint64_t key = 0;
        std::uint64_t what = 0;
    };

    void call(const Message& message, const Head& head);
    void reply(const Message& message, const Head& head);
    void virnet(const Message& message);
    void early(const Message& message, const Head& head, std::uint64_t key);
    void emit(const Waiting* waiting, const Message* call, const Head* call_head,
              const Message* reply, const Head* reply_head, const Procedure* procedure);
    void emit_alone(const Waiting& waiting);

    const Procedure* procedure_of(Shape shape, const Head& head);
    std::uint64_t key_of(const Message& message, std::uint32_t xid, bool call) const;
    std::size_t home_of(std::uint64_t key) const;
    std::size_t slot_of(std::uint64_t key) const;
    void grow();
    Waiting* find(std::uint64_t key);
    Waiting& add(std::uint64_t key, const Message& message, const Head& head, bool is_call);
    void remove(Waiting& waiting);
    Answered& answered(std::uint64_t key);

    ExchangeSink& sink_;
    const Catalogue& catalogue_;
    const Options options_;
    Ledger ledger_;

    // Open addressing; a power of two, and no larger than it takes: it is looked into for each
    // message, and so has to stay in the processor's cache.
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<Waiting>> pool_;
    std::vector<std::uint32_t> free_;
    std::uint32_t oldest_[2] = {0, 0};  // [0]: replies, [1]: calls; plus one; 0: none
    std::uint32_t newest_[2] = {0, 0};
    std::size_t count_[2] = {0, 0};
    std::size_t bytes_ = 0;
    std::vector<Answered> answered_;

    // The version called last: the next call is most likely of the same.
    Shape last_shape_ = Shape::onc;
    std::uint32_t last_program_ = 0;
    std::uint32_t last_version_ = 0;
    const Catalogue::ByNumber* last_procedures_ = nullptr;
};

}  // namespace helio::inspect
