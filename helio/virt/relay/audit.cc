#include "helio/virt/relay/audit.h"

#include <ctime>

#include <fmt/format.h>

#include "helio/reflect/escape.h"
#include "helio/reflect/json/json.h"

namespace helio::virt::relay {

namespace {

std::string time_text(std::chrono::system_clock::time_point when) {
    const auto since = when.time_since_epoch();
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
    const std::time_t seconds = micros / 1'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       micros % 1'000'000);
}

std::string_view beginning(std::string_view text) { return text.substr(0, kRelayShownErrorMax); }

// Always a string, whatever the bytes.
void add_string(std::string& out, std::string_view name, std::string_view value) {
    out += fmt::format(", \"{}\": ", name);
    reflect::append_json_string(out, reflect::escaped(value));
}

void begin_json(std::string& out, const RelayClient& client,
                std::chrono::system_clock::time_point when) {
    out += fmt::format("{{\"time\": \"{}\", \"connection\": {}", time_text(when), client.number);
    add_string(out, "client", client.name);
}

}  // namespace

std::string name_of(const CallRecord& call) {
    if (call.procedure != nullptr) return call.procedure->name;
    return fmt::format("program {:#x} version {} procedure {}", call.header.program,
                       call.header.version, call.header.procedure);
}

void append_audit_text(std::string& out, const RelayClient& client, const CallRecord& call) {
    out += fmt::format("{} #{} {} {}", time_text(call.began), client.number,
                       reflect::escaped(client.name), name_of(call));
    if (!call.arguments.empty()) out += " " + call.arguments + (call.arguments_cut ? "…" : "");
    if (!call.note.empty()) out += " " + reflect::escaped(call.note);
    out += call.allowed ? " allowed" : " denied";
    if (call.rule != 0) out += fmt::format(" by rule {}", call.rule);
    if (!call.reason.empty()) out += fmt::format(" ({})", reflect::escaped(call.reason));
    switch (call.end) {
        case CallRecord::End::good:
            out += " ok";
            break;
        case CallRecord::End::error:
            out += fmt::format(" error {}/{} \"{}\"", call.error.code, call.error.domain,
                               reflect::escaped(beginning(call.error.message)));
            break;
        case CallRecord::End::none:
            out += " no reply";
            break;
    }
    out += fmt::format(" {} us\n", call.took.count());
}

void append_audit_json(std::string& out, const RelayClient& client, const CallRecord& call) {
    begin_json(out, client, call.began);
    add_string(out, "procedure", name_of(call));
    out += fmt::format(", \"program\": {}, \"number\": {}, \"serial\": {}", call.header.program,
                       call.header.procedure, call.header.serial);
    if (call.arguments_cut)
        add_string(out, "arguments_begin", call.arguments);
    else if (!call.arguments.empty())
        out += ", \"arguments\": " + call.arguments;
    if (!call.note.empty()) add_string(out, "note", call.note);
    add_string(out, "verdict", call.allowed ? "allowed" : "denied");
    if (call.rule != 0) out += fmt::format(", \"rule\": {}", call.rule);
    if (!call.reason.empty()) add_string(out, "reason", call.reason);
    constexpr std::string_view kEnds[] = {"ok", "error", "none"};
    add_string(out, "status", kEnds[static_cast<std::size_t>(call.end)]);
    if (call.end == CallRecord::End::error) {
        out += fmt::format(", \"code\": {}, \"domain\": {}", call.error.code, call.error.domain);
        add_string(out, "message", beginning(call.error.message));
    }
    out += fmt::format(", \"us\": {}}}\n", call.took.count());
}

void append_audit_text(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why) {
    out += fmt::format("{} #{} {} {}{}{}\n", time_text(std::chrono::system_clock::now()),
                       client.number, reflect::escaped(client.name), event, why.empty() ? "" : ": ",
                       reflect::escaped(why));
}

void append_audit_json(std::string& out, const RelayClient& client, std::string_view event,
                       std::string_view why) {
    begin_json(out, client, std::chrono::system_clock::now());
    add_string(out, "event", event);
    if (!why.empty()) add_string(out, "why", why);
    out += "}\n";
}

}  // namespace helio::virt::relay
