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

// A name of ours or of a schema: nothing in it needs an escape.
void put_name(JsonWriter& json, std::string_view key, std::string_view name) {
    json.key(key);
    json.plain(name);
}

// For libvirt's streams: the size of a packet, or that it is the last.
void put_stream(JsonWriter& json, const Exchange& exchange) {
    if (!exchange.of_stream()) return;
    if (exchange.call_head.verdict == Verdict::failed) {
        json.member("stream", "aborted");
    } else if (exchange.virnet_type == VirnetType::stream_hole) {
        if (exchange.stream_bytes.size() >= 8)
            json.member("hole_bytes", xdr::load_u64(exchange.stream_bytes.data()));
    } else if (exchange.call_head.verdict == Verdict::success) {
        json.member("stream", "done");
    } else {
        json.member("stream_bytes", exchange.call->size - kVirnetHeadSize);
    }
}

// The names of a compound's operations.
void put_operations(JsonWriter& json, const Exchange& exchange) {
    if (exchange.procedure == nullptr || exchange.procedure->operations == nullptr) return;
    json.key("operations");
    json.open('[');
    for (const Operation& one : exchange.operations()) {
        json.element();
        if (one.procedure != nullptr)
            json.plain(one.procedure->procedure->short_name);
        else
            json.value(one.number);
    }
    json.close(']');
}

// The libvirt daemon's error.
void put_error(std::string& out, JsonWriter& json, ByteView body) {
    const auto error = body.empty() ? std::nullopt : open_virnet_error(body);
    if (!error) return;
    json.key("error");
    json.open('{');
    json.member("code", error->code);
    json.member("domain", error->domain);
    json.member("level", error->level);
    json.key("message");
    reflect::append_json_text(out, error->message);
    json.close('}');
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

void JsonLines::put_head(std::string& out, JsonWriter& json, const Exchange& exchange) {
    // Connections recorded without packets have no times.
    const bool has_packets = exchange.any().flow != nullptr;
    if (has_packets) {
        json.key("time");
        out += '"';
        append_time(out, exchange.time_ns());
        out += R"(Z")";
    }
    if (exchange.call != nullptr && exchange.call->packet != 0)
        json.member("packet", exchange.call->packet);
    if (exchange.reply != nullptr && exchange.reply->packet != 0)
        json.member("reply_packet", exchange.reply->packet);
    if (has_packets) {
        json.key("client");
        out += '"';
        append_endpoint(out, exchange.client());
        out += '"';
        json.key("server");
        out += '"';
        append_endpoint(out, exchange.server());
        out += '"';
    }
    put_name(json, "carrier", name(exchange.any().carrier));
    json.key("xid");
    out += '"';
    append_hex_number(out, exchange.xid, 8);
    out += '"';
    if (exchange.procedure != nullptr) {
        put_name(json, "operation", exchange.procedure->name);
    } else if (exchange.call != nullptr) {
        put_name(json, "operation",
                 catalogue_.name_of(exchange.shape, exchange.program, exchange.version,
                                    exchange.number));
    }
    put_operations(json, exchange);
    if (exchange.call != nullptr) {
        json.member("program", exchange.program);
        json.member("version", exchange.version);
        json.member("procedure", exchange.number);
    }
}

void JsonLines::put_outcome(std::string& out, JsonWriter& json, const Exchange& exchange) const {
    if (exchange.reply != nullptr && exchange.reply_head.verdict != Verdict::none)
        put_name(json, "verdict", name(exchange.reply_head.verdict));
    if (const auto status = status_of(exchange)) {
        if (const idl::Enumerator* const known = name_of_status(*status))
            put_name(json, "status", known->name);
        else
            json.member("status", static_cast<std::int64_t>(status->number));
    }
    if (exchange.paired() && exchange.any().flow != nullptr)
        json.member("latency_ns", exchange.latency_ns());
    if (exchange.retransmissions != 0) json.member("retransmissions", exchange.retransmissions);
    if (exchange.one_way) {
        put_name(json, "one_way",
                 exchange.virnet_type == VirnetType::stream        ? "stream"
                 : exchange.virnet_type == VirnetType::stream_hole ? "hole"
                                                                   : "message");
        put_stream(json, exchange);
    } else if (!exchange.paired()) {
        put_name(json, "missing", exchange.call == nullptr ? "call" : "reply");
    }
    put_error(out, json, exchange.error);
    const bool call_cut = exchange.call != nullptr && exchange.call->cut();
    const bool reply_cut = exchange.reply != nullptr && exchange.reply->cut();
    if (call_cut || reply_cut)
        put_name(json, "cut", !reply_cut ? "call" : !call_cut ? "reply" : "both");
}

// `key` is "args" or "result".
bool JsonLines::put_value(std::string& out, JsonWriter& json, std::string_view key,
                          const Message& message, bool complete, ByteView bytes,
                          const idl::Type& type) {
    const auto error = [&](std::string_view text) {
        json.key(key == "args" ? "args_error" : "result_error");
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
        json.key(key);
        reflect::append_json(out, tree_, kTight);
    }
    if (!fault.empty()) {
        error(message.cut() ? fmt::format("cut off: {} of {} bytes were captured; {}",
                                          message.bytes.size(), message.size, fault)
                            : fault);
    } else if (!all_captured(message)) {
        error("data that RDMA transferred separately is not in the capture; zeros replace it");
    }
    return fault.empty() || message.cut();
}

bool JsonLines::append(std::string& out, const Exchange& exchange, Names& names) {
    JsonWriter json{out, {.spaces = false}};
    json.open('{');
    put_head(out, json, exchange);
    path_.clear();
    if (names.append_path(path_, exchange)) {
        json.key("path");
        reflect::append_json_text(out, path_);
    }
    put_outcome(out, json, exchange);
    bool fits = true;
    const Procedure* const procedure = exchange.procedure;
    if (exchange.arguments_dropped) {
        put_name(json, "args_error", "the call was too large to be kept until its reply arrived");
    } else if (procedure != nullptr && exchange.call != nullptr && !exchange.of_stream()) {
        fits = put_value(out, json, "args", *exchange.call, exchange.call_head.complete,
                         exchange.arguments, *procedure->arguments);
    }
    const bool answered =
        exchange.reply != nullptr &&
        (!exchange.reply_head.complete || exchange.reply_head.verdict == Verdict::success);
    if (procedure != nullptr && answered) {
        fits = put_value(out, json, "result", *exchange.reply, exchange.reply_head.complete,
                         exchange.results, *procedure->result) &&
               fits;
    }
    json.close('}');
    out += '\n';
    return fits;
}

void JsonLines::append(std::string& out, const Ledger& ledger) const {
    out += R"({"ledger":)";
    out += to_json(ledger, catalogue_);
    out += "}\n";
}

}  // namespace helio::inspect
