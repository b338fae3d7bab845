// Pairing: matches replies to calls, by flow and xid. Calls wait for their replies as long as there
// is room; those left at the end were never answered. A reply may be captured before its call, if
// the capture mixed the two directions or the call's segment came late; such a reply waits too.
//
// Memory is bounded by kPendingMax calls, kPendingBytesMax bytes of them, and kEarlyRepliesMax
// replies.
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

// Calls that wait for a reply; beyond this the oldest counts as unanswered. A client has at most a
// few hundred in flight.
inline constexpr std::size_t kPendingMax = 32768;
// Bytes of those calls. Beyond this a call is kept without its arguments.
inline constexpr std::size_t kPendingBytesMax = 32u << 20;
// Replies that wait for their call. Captures swap packets that are close together; a call that does
// not come soon was lost.
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
    // Passes on everything that still waits.
    void finish();

    Ledger& ledger() { return ledger_; }

 private:
    enum class Kind : std::uint8_t { call, reply };
    struct Pending;  // a call without its reply, or a reply without its call
    struct Table;    // from a key to its position in pool_
    // A call over datagrams that was answered, to recognise a repetition of it or of its reply.
    struct Answered {
        std::uint64_t key = 0;
        std::uint64_t fingerprint = 0;
    };
    // Pending messages of one kind, in order of age: positions in pool_ plus one, 0 for none.
    struct Queue {
        std::size_t count_max = 0;
        std::size_t count = 0;
        std::uint32_t oldest = 0;
        std::uint32_t newest = 0;
    };

    void call(const Message& message, const Head& head);
    void reply(const Message& message, const Head& head);
    void virnet(const Message& message);
    void early_reply(const Message& message, const Head& head, std::uint64_t key);
    void emit_pair(Exchange& exchange, const Message& reply, const Head& reply_head);
    void emit_alone(const Pending& pending);

    Exchange& new_exchange();
    const Procedure* procedure_of(Shape shape, const Head& head);
    std::uint64_t key_of(const Message& message, std::uint32_t xid, Kind kind) const;
    Queue& queue_of(Kind kind) { return kind == Kind::call ? calls_ : early_replies_; }
    Pending& add(std::uint64_t key, const Message& message, const Head& head, Kind kind);
    void release(Pending& pending);  // the table keeps its entry
    void remove(Pending& pending);
    Answered& answered(std::uint64_t key);

    ExchangeSink& sink_;
    const Catalogue& catalogue_;
    const Options options_;
    Ledger ledger_;

    std::unique_ptr<Table> table_;
    std::vector<std::unique_ptr<Pending>> pool_;
    std::vector<std::uint32_t> free_;
    Queue calls_{.count_max = kPendingMax};
    Queue early_replies_{.count_max = kEarlyRepliesMax};
    std::size_t bytes_ = 0;  // of all that wait
    std::vector<Answered> answered_;
    Exchange exchange_;  // one at a time

    // The version called last, which the next call most likely names again.
    Shape last_shape_ = Shape::onc;
    std::uint32_t last_program_ = 0;
    std::uint32_t last_version_ = 0;
    const Catalogue::ByNumber* last_procedures_ = nullptr;
};

}  // namespace helio::inspect
