#include "helio/inspect/view/json_lines.h"

#include <fmt/format.h>

#include "helio/base/text/time_text.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/view/outcome_internal.h"
#include "helio/inspect/view/virnet_error_internal.h"
#include "helio/reflect/decode.h"
#include "helio/reflect/json/json.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr reflect::JsonOptions kTight{.base64 = false, .indent = 0, .spaces = false};

std::string& append_pair(std::string& out, std::string_view key, std::uint64_t number) {
    out += key;
    append_number(out, number);
    return out;
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
    out += key;
    reflect::append_json_text(out, text);
}

// For libvirt's streams: the size of a packet, or that it is the last.
void append_stream(std::string& out, const Exchange& exchange) {
    if (!exchange.of_stream()) return;
    if (exchange.call_head.verdict == Verdict::failed) {
        out += R"(,"stream":"aborted")";
    } else if (exchange.virnet_type == VirnetType::stream_hole) {
        if (exchange.stream_bytes.size() >= 8)
            append_pair(out, R"(,"hole_bytes":)", xdr::load_u64(exchange.stream_bytes.data()));
    } else if (exchange.call_head.verdict == Verdict::success) {
        out += R"(,"stream":"done")";
    } else {
        append_pair(out, R"(,"stream_bytes":)", exchange.call->size - kVirnetHeadSize);
    }
}

// The libvirt daemon's error.
void append_error(std::string& out, ByteView body) {
    const auto error = body.empty() ? std::nullopt : open_virnet_error(body);
    if (!error) return;
    out += fmt::format(R"(,"error":{{"code":{},"domain":{},"level":{},"message":)", error->code,
                       error->domain, error->level);
    reflect::append_json_text(out, error->message);
    out += '}';
}

// False: zeros replace RDMA data that the capture lacks.
bool all_captured(const Message& message) {
    for (const TakenOut& one : message.taken_out)
        if (!one.captured) return false;
    return true;
}

}  // namespace

void JsonLines::append_time(std::string& out, std::int64_t time_ns) {
    std::int64_t second = time_ns / kSecond;
    std::int64_t rest = time_ns % kSecond;
    if (rest < 0) {
        rest += kSecond;
        --second;
    }
    if (second != second_ || second_text_.empty()) {
        second_text_ = rfc3339_seconds(second) + '.';
        second_ = second;
    }
    out += second_text_;
    char digits[9];
    for (std::size_t i = 9; i-- > 0; rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
    out.append(digits, sizeof digits);
}

void JsonLines::append_head(std::string& out, const Exchange& exchange) {
    out += '{';
    // Connections recorded without packets have no times.
    if (exchange.any().flow != nullptr) {
        out += R"("time":")";
        append_time(out, exchange.time_ns());
        out += R"(Z",)";
    }
    if (exchange.call != nullptr && exchange.call->packet != 0)
        append_pair(out, R"("packet":)", exchange.call->packet).append(",");
    if (exchange.reply != nullptr && exchange.reply->packet != 0)
        append_pair(out, R"("reply_packet":)", exchange.reply->packet).append(",");
    if (exchange.any().flow != nullptr) {
        out += R"("client":")";
        append_endpoint(out, exchange.client());
        out += R"(","server":")";
        append_endpoint(out, exchange.server());
        out += R"(",)";
    }
    out += R"("carrier":")";
    out += name(exchange.any().carrier);
    out += R"(","xid":")";
    append_hex_number(out, exchange.xid, 8);
    out += '"';
    if (exchange.procedure != nullptr) {
        append_text(out, R"(,"operation":)", exchange.procedure->name);
    } else if (exchange.call != nullptr) {
        append_text(out, R"(,"operation":)",
                    catalogue_.name_of(exchange.shape, exchange.program, exchange.version,
                                       exchange.number));
    }
    if (exchange.call != nullptr) {
        append_pair(out, R"(,"program":)", exchange.program);
        append_pair(out, R"(,"version":)", exchange.version);
        append_pair(out, R"(,"procedure":)", exchange.number);
    }
}

void JsonLines::append_outcome(std::string& out, const Exchange& exchange) const {
    if (exchange.reply != nullptr && exchange.reply_head.verdict != Verdict::none)
        out.append(R"(,"verdict":")").append(name(exchange.reply_head.verdict)).append("\"");
    if (const auto status = status_of(exchange)) {
        if (const idl::Enumerator* const known = name_of_status(*status)) {
            out.append(R"(,"status":")").append(known->name).append("\"");
        } else {
            out += R"(,"status":)";
            append_signed(out, static_cast<std::int64_t>(status->number));
        }
    }
    if (exchange.paired() && exchange.any().flow != nullptr) {
        out += R"(,"latency_ns":)";
        append_signed(out, exchange.latency_ns());
    }
    if (exchange.retransmissions != 0)
        append_pair(out, R"(,"retransmissions":)", exchange.retransmissions);
    if (exchange.one_way) {
        out += R"(,"one_way":)";
        out += exchange.virnet_type == VirnetType::stream        ? R"("stream")"
               : exchange.virnet_type == VirnetType::stream_hole ? R"("hole")"
                                                                 : R"("message")";
        append_stream(out, exchange);
    } else if (!exchange.paired()) {
        out += exchange.call == nullptr ? R"(,"missing":"call")" : R"(,"missing":"reply")";
    }
    append_error(out, exchange.error);
    const bool call_cut = exchange.call != nullptr && exchange.call->cut();
    const bool reply_cut = exchange.reply != nullptr && exchange.reply->cut();
    if (call_cut || reply_cut)
        out.append(R"(,"cut":)")
            .append(call_cut && reply_cut ? R"("both")"
                    : call_cut            ? R"("call")"
                                          : R"("reply")");
}

// `key` is "args" or "result".
bool JsonLines::append_value(std::string& out, const char* key, const Message& message,
                             bool complete, ByteView bytes, const idl::Type& type) {
    const auto error = [&](std::string_view text) {
        out.append(",\"").append(key).append("_error\":");
        reflect::append_json_text(out, text);
    };
    if (!complete) {
        error(message.cut() ? "cut off within the header" : "the header ends too early");
        return message.cut();
    }
    reflect::decode_into(tree_, bytes, type);
    std::string fault;
    if (!tree_.ok()) {
        fault = fault_of(tree_);
        // Nonzero padding does not prevent decoding.
        if (tree_.error.fault == xdr::Fault::bad_padding && !message.cut())
            reflect::decode_into(tree_, bytes, type, {.strict = false});
    }
    if (!tree_.nodes.empty()) {
        out.append(",\"").append(key).append("\":");
        reflect::append_json(out, tree_, kTight);
    }
    if (!fault.empty()) {
        error(message.cut() ? fmt::format("cut off: {} of {} bytes are there; {}",
                                          message.bytes.size(), message.size, fault)
                            : fault);
    } else if (!all_captured(message)) {
        error("bytes that RDMA carried apart are not in the capture; zeros stand in for them");
    }
    return fault.empty() || message.cut();
}

bool JsonLines::append(std::string& out, const Exchange& exchange, Names& names) {
    append_head(out, exchange);
    path_.clear();
    if (names.append_path(path_, exchange)) append_text(out, R"(,"path":)", path_);
    append_outcome(out, exchange);
    bool fits = true;
    const Procedure* const procedure = exchange.procedure;
    if (exchange.arguments_dropped) {
        out += R"(,"args_error":"the call was too large to be kept until its reply came")";
    } else if (procedure != nullptr && exchange.call != nullptr && !exchange.of_stream()) {
        fits = append_value(out, "args", *exchange.call, exchange.call_head.complete,
                            exchange.arguments, *procedure->arguments);
    }
    const bool answered =
        exchange.reply != nullptr &&
        (!exchange.reply_head.complete || exchange.reply_head.verdict == Verdict::success);
    if (procedure != nullptr && answered) {
        fits = append_value(out, "result", *exchange.reply, exchange.reply_head.complete,
                            exchange.results, *procedure->result) &&
               fits;
    }
    out += "}\n";
    return fits;
}

void JsonLines::append(std::string& out, const Ledger& ledger) const {
    out += R"({"ledger":)";
    out += to_json(ledger, catalogue_);
    out += "}\n";
}

}  // namespace helio::inspect
