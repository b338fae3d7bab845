#include "helio/virt/relay/audit.h"

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"
#include "helio/base/text/time_text.h"

namespace helio::virt::relay {

namespace {

std::string time_text(std::chrono::system_clock::time_point when) {
    return to_rfc3339(when, Decimals::microseconds);
}

std::string_view beginning(std::string_view text) { return text.substr(0, kRelayShownErrorMax); }

void begin_json(JsonWriter& json, const RelayClient& client,
                std::chrono::system_clock::time_point when) {
    json.open('{');
    json.member("time", time_text(when));
    json.member("connection", client.number);
    json.member("client", client.name);
}

}  // namespace

std::string name_of(const CallRecord& call) {
    if (call.procedure != nullptr) return call.procedure->name;
    return fmt::format("program {:#x} version {} procedure {}", call.header.program,
                       call.header.version, call.header.procedure);
}

void append_audit_text(std::string& out, const RelayClient& client, const CallRecord& call) {
    out += fmt::format("{} #{} {} {}", time_text(call.began), client.number, escaped(client.name),
                       name_of(call));
    if (!call.arguments.empty()) out += " " + call.arguments + (call.arguments_cut ? "…" : "");
    if (!call.note.empty()) out += " " + escaped(call.note);
    out += call.allowed ? " allowed" : " denied";
    if (call.rule != 0) out += fmt::format(" by rule {}", call.rule);
    if (!call.reason.empty()) out += fmt::format(" ({})", escaped(call.reason));
    switch (call.end) {
        case CallRecord::End::good:
            out += " ok";
            break;
        case CallRecord::End::error:
            out += fmt::format(" error {}/{} \"{}\"", call.error.code, call.error.domain,
                               escaped(beginning(call.error.message)));
            break;
        case CallRecord::End::none:
            out += " no reply";
            break;
    }
    out += fmt::format(" {} us\n", call.took.count());
}

void append_audit_json(std::string& out, const RelayClient& client, const CallRecord& call) {
    JsonWriter json{out};
    begin_json(json, client, call.began);
    json.member("procedure", name_of(call));
    json.member("program", call.header.program);
    json.member("number", call.header.procedure);
    json.member("serial", call.header.serial);
    if (call.arguments_cut) {
        json.member("arguments_begin", call.arguments);
    } else if (!call.arguments.empty()) {
        json.key("arguments");
        json.raw(call.arguments);
    }
    if (!call.note.empty()) json.member("note", call.note);
    json.member("verdict", call.allowed ? "allowed" : "denied");
    if (call.rule != 0) json.member("rule", call.rule);
    if (!call.reason.empty()) json.member("reason", call.reason);
    constexpr std::string_view kEnds[] = {"ok", "error", "none"};
    json.member("status", kEnds[static_cast<std::size_t>(call.end)]);
    if (call.end == CallRecord::End::error) {
        json.member("code", call.error.code);
        json.member("domain", call.error.domain);
        json.member("message", beginning(call.error.message));
    }
    json.member("us", call.took.count());
    json.close('}');
    out += '\n';
}

void append_audit_text(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why) {
    out += fmt::format("{} #{} {} {}{}{}\n", time_text(std::chrono::system_clock::now()),
                       client.number, escaped(client.name), event, why.empty() ? "" : ": ",
                       escaped(why));
}

void append_audit_json(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why) {
    JsonWriter json{out};
    begin_json(json, client, std::chrono::system_clock::now());
    json.member("event", event);
    if (!why.empty()) json.member("why", why);
    json.close('}');
    out += '\n';
}

}  // namespace helio::virt::relay
