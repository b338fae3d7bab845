// Exchange: a call and its reply, matched by flow and xid. Every view of a capture is made from
// exchanges.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/inspect/operations.h"

namespace helio::inspect {

struct Exchange {
    // Known whenever the call was seen.
    std::uint32_t xid = 0;  // libvirt: the serial
    Shape shape = Shape::onc;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t number = 0;              // of the procedure
    const Procedure* procedure = nullptr;  // null: not in any schema

    const Message* call = nullptr;   // null: an orphan, only the reply is in the capture
    const Message* reply = nullptr;  // null: unanswered
    Head call_head;
    Head reply_head;

    // Without header, possibly cut; empty if absent.
    ByteView arguments;
    ByteView results;  // only of replies with SUCCESS (libvirt: OK)
    bool arguments_cut = false;
    bool results_cut = false;
    bool arguments_dropped = false;  // the call was too large to keep until its reply

    std::uint32_t retransmissions = 0;  // of the call, before the reply
    // libvirt's events, keepalive and stream packets: there is only `call`. It carries the
    // procedure's arguments, or for stream packets raw bytes.
    bool one_way = false;
    VirnetType virnet_type = VirnetType::call;
    ByteView stream_bytes;  // for a hole: its length
    ByteView error;         // virNetMessageError, from a reply or stream with status ERROR

    bool of_stream() const {
        return virnet_type == VirnetType::stream || virnet_type == VirnetType::stream_hole;
    }

    bool paired() const { return call != nullptr && reply != nullptr; }
    std::int64_t time_ns() const { return call != nullptr ? call->time_ns : reply->time_ns; }
    // 0 if the reply seems older than the call: captures of two interfaces have two clocks.
    std::int64_t latency_ns() const {
        if (!paired()) return -1;
        return reply->time_ns > call->time_ns ? reply->time_ns - call->time_ns : 0;
    }
    const Message& any() const { return call != nullptr ? *call : *reply; }
    // Caller and server. Defaults for text.
    Endpoint client() const;
    Endpoint server() const;
    // Of a compound, in order. Found at the first call: procedure, arguments and results must not
    // change after it. Borrowed from the exchange.
    std::span<const Operation> operations() const { return operation_list_.of(*this); }

 private:
    mutable OperationList operation_list_;
};

// Receives each exchange when its reply is seen (orphans too), and unanswered ones at the end.
class ExchangeSink {
 public:
    virtual ~ExchangeSink() = default;
    virtual void exchange(const Exchange& exchange) = 0;
};

}  // namespace helio::inspect
