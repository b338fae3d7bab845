// ExchangeMaker: makes exchanges from JSON, with the header of RFC 5531 around it.
//
//     ExchangeMaker made{"nfs3.READ", R"({"file": {"data": "01"}, "offset": 0, "count": 5})"};
//     made.reply(R"({"status": "NFS3ERR_STALE", "resfail": {"file_attributes": null}})");
//     use(made.exchange());
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "helio/inspect/exchange.h"
#include "helio/reflect/json/json.h"
#include "testing/inspect/catalogue.h"
#include "testing/xdr/bytes.h"

namespace helio::inspect {

class ExchangeMaker final {
 public:
    explicit ExchangeMaker(std::string_view procedure, std::string_view arguments = "null")
        : ExchangeMaker(procedure_named(procedure), arguments) {}
    ExchangeMaker(const Procedure& procedure, std::string_view arguments) : procedure_(procedure) {
        call_bytes_ = xdr::hex(
            "8f0a71c7"    // xid
            "00000000"    // CALL
            "00000002");  // rpcvers
        xdr::append_u32(call_bytes_, procedure.program->number);
        xdr::append_u32(call_bytes_, procedure.version->number);
        xdr::append_u32(call_bytes_, procedure.procedure->number);
        xdr::append(call_bytes_, xdr::hex("00000000 00000000"     // AUTH_NONE
                                          "00000000 00000000"));  // AUTH_NONE
        xdr::append(call_bytes_, encoded(*procedure.arguments, arguments));
        flow_.ends[0] = {address(10, 0, 0, 1), 854, false};
        flow_.ends[1] = {address(10, 0, 0, 2), 2049, false};
        call_.time_ns = kTime;
        call_.packet = 12;
        call_.direction = 0;
        reply_.time_ns = kTime + 1234567;
        reply_.packet = 13;
        reply_.direction = 1;
        for (Message* const one : {&call_, &reply_}) {
            one->flow = &flow_;
            one->carrier = Carrier::tcp;
        }
    }
    ExchangeMaker(const ExchangeMaker&) = delete;
    ExchangeMaker& operator=(const ExchangeMaker&) = delete;

    // 2026-11-16T07:00:00.123456789Z
    static constexpr std::int64_t kTime = 1794812400'123456789;

    ExchangeMaker& reply(std::string_view result) {
        reply_bytes_ = xdr::hex(
            "8f0a71c7"           // xid
            "00000001"           // REPLY
            "00000000"           // MSG_ACCEPTED
            "00000000 00000000"  // AUTH_NONE
            "00000000");         // SUCCESS
        xdr::append(reply_bytes_, encoded(*procedure_.result, result));
        return *this;
    }
    ExchangeMaker& reply_bytes(xdr::Bytes bytes) {
        reply_bytes_ = std::move(bytes);
        return *this;
    }
    ExchangeMaker& cut_call(std::size_t bytes) { return call_cut_ = bytes, *this; }
    ExchangeMaker& cut_reply(std::size_t bytes) { return reply_cut_ = bytes, *this; }
    ExchangeMaker& without_call() { return called_ = false, *this; }

    Message& call_message() { return call_; }
    Message& reply_message() { return reply_; }
    FlowEnds& flow() { return flow_; }

    // As made by Pairing. Borrows from this.
    Exchange exchange() {
        Exchange out;
        out.xid = 0x8f0a71c7;
        out.procedure = &procedure_;
        if (called_) {
            out.program = procedure_.program->number;
            out.version = procedure_.version->number;
            out.number = procedure_.procedure->number;
            show(call_, call_bytes_, call_cut_);
            out.call = &call_;
            if (!read_head(call_.bytes, out.call_head)) throw std::runtime_error("no call");
            if (out.call_head.complete) out.arguments = call_.bytes.subspan(out.call_head.body);
            out.arguments_cut = call_.cut();
        }
        if (!reply_bytes_.empty()) {
            show(reply_, reply_bytes_, reply_cut_);
            out.reply = &reply_;
            if (!read_head(reply_.bytes, out.reply_head)) throw std::runtime_error("no reply");
            if (out.reply_head.complete && out.reply_head.verdict == Verdict::success)
                out.results = reply_.bytes.subspan(out.reply_head.body);
            out.results_cut = reply_.cut();
        }
        return out;
    }

 private:
    static std::array<std::byte, 16> address(int a, int b, int c, int d) {
        return {std::byte(a), std::byte(b), std::byte(c), std::byte(d)};
    }
    static xdr::Bytes encoded(const idl::Type& type, std::string_view json) {
        auto bytes = reflect::encode(type, json);
        if (!bytes) throw std::runtime_error(to_string(bytes.error()));
        return *bytes;
    }
    static void show(Message& message, const xdr::Bytes& bytes, std::size_t cut) {
        message.size = bytes.size();
        message.bytes = ByteView{bytes}.first(std::min(cut, bytes.size()));
    }

    const Procedure& procedure_;
    xdr::Bytes call_bytes_, reply_bytes_;
    std::size_t call_cut_ = SIZE_MAX;
    std::size_t reply_cut_ = SIZE_MAX;
    bool called_ = true;
    FlowEnds flow_;
    Message call_, reply_;
};

}  // namespace helio::inspect
