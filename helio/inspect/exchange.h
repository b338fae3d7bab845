// Exchange: a call and its reply, brought together by flow and xid. What every view of a capture is
// made from.
#pragma once

#include <cstdint>
#include <string_view>

#include "helio/inspect/catalogue.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

struct Exchange {
    // Numbers, known whenever the call was seen.
    std::uint32_t xid = 0;  // libvirt: the serial
    Shape shape = Shape::onc;
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::uint32_t number = 0;              // of the procedure
    const Procedure* procedure = nullptr;  // null: no schema has it

    const Message* call = nullptr;   // null: an orphan, only the reply is in the capture
    const Message* reply = nullptr;  // null: unanswered
    Head call_head;
    Head reply_head;

    // Without header, whole or cut; empty where there is none.
    ByteView arguments;
    ByteView results;  // only of replies that say SUCCESS (libvirt: OK)
    bool arguments_cut = false;
    bool results_cut = false;
    bool arguments_dropped = false;  // the call was too large to be kept until its reply came

    std::uint32_t retransmissions = 0;  // of the call, before the reply
    // libvirt's events, keepalive and stream packets: `call` is all there is. Their arguments are
    // those of the procedure, except of stream packets, which have bytes instead.
    bool one_way = false;
    VirnetType virnet_type = VirnetType::call;
    ByteView stream_bytes;  // of a hole: how long it is
    ByteView error;         // virNetMessageError, of a reply or a stream that says ERROR

    bool of_stream() const {
        return virnet_type == VirnetType::stream || virnet_type == VirnetType::stream_hole;
    }

    bool paired() const { return call != nullptr && reply != nullptr; }
    std::int64_t time_ns() const { return call != nullptr ? call->time_ns : reply->time_ns; }
    // 0 where the reply seems to be older: captures of two interfaces have two clocks.
    std::int64_t latency_ns() const {
        if (!paired()) return -1;
        return reply->time_ns > call->time_ns ? reply->time_ns - call->time_ns : 0;
    }
    const Message& any() const { return call != nullptr ? *call : *reply; }
    // Who asked, who answered. Of text: default ones.
    Endpoint client() const;
    Endpoint server() const;
};

// Takes exchanges: when the reply is seen, when an orphan is, and at the end what was never
// answered.
class ExchangeSink {
 public:
    virtual ~ExchangeSink() = default;
    virtual void exchange(const Exchange& exchange) = 0;
};

}  // namespace helio::inspect
