#include "helio/inspect/view/ledger.h"

#include <string_view>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/json_writer.h"

namespace helio::inspect {
namespace {

// What a reader can do about it, or why nothing can be done.
std::string_view reason(Unread why) {
    switch (why) {
        case Unread::link_unknown:
            return "packets with a link layer other than Ethernet, SLL, raw IP and loopback";
        case Unread::not_ip:
            return "ARP and others, which carry no RPC";
        case Unread::not_tcp_udp:
            return "other protocols over IP";
        case Unread::packet_damaged:
            return "headers that are inconsistent";
        case Unread::fragments_missing:
            return "the datagram cannot be reassembled";
        case Unread::not_rpc:
            return "no RPC message starts in them";
        case Unread::before_first_record:
            return "the capture starts in the middle of a connection";
        case Unread::lost:
            return "sent, but not in the capture";
        case Unread::not_captured:
            return "capture them with a larger snap length (tcpdump -s 0)";
        case Unread::skipped_to_resync:
            return "from a gap to the next certain start of a record";
        case Unread::record_damaged:
            return "record marks or RPC headers that are not valid";
        case Unread::too_much_held:
            return "too much data was waiting for a missing part";
    }
    return "";
}

std::string digits(std::uint64_t number) {
    std::string out = fmt::to_string(number);
    for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
    return out;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return digits(count) + ' ' + std::string{count == 1 ? one : many};
}
std::string counted(std::uint64_t count, std::string_view one) {
    return counted(count, one, std::string{one} + 's');
}

void append_messages(std::string& out, const Ledger& ledger) {
    out +=
        fmt::format("{}, {} in {}\n", counted(ledger.calls, "call"),
                    counted(ledger.replies, "reply", "replies"), counted(ledger.packets, "packet"));
    out += fmt::format("  {} paired\n",
                       counted(ledger.paired, "call and its reply", "calls and their replies"));
    const auto line = [&out](std::uint64_t count, std::string_view one, std::string_view many) {
        if (count != 0) out += "  " + counted(count, one, many) + '\n';
    };
    line(ledger.unanswered, "call without a reply", "calls without a reply");
    line(ledger.orphans, "reply whose call is not in the capture",
         "replies whose calls are not in the capture");
    line(ledger.retransmitted, "call sent again", "calls sent again");
    line(ledger.repeated_replies, "reply to a call already answered",
         "replies to calls already answered");
    line(ledger.one_way, "message that expects no reply", "messages that expect no reply");
}

}  // namespace

void Ledger::add_unknown(Shape shape, std::uint32_t program, std::uint32_t version) {
    const std::tuple key{shape, program, version};
    if (const auto found = unknown.find(key); found != unknown.end()) {
        ++found->second;
    } else if (unknown.size() < kUnknownProgramsMax) {
        unknown.emplace(key, 1);
    } else {
        ++unknown_others;
    }
}

std::string to_text(const Ledger& ledger, const Catalogue& catalogue) {
    std::string out;
    append_messages(out, ledger);
    if (ledger.matched)
        out += fmt::format("  {} {} the filter\n", digits(*ledger.matched),
                           *ledger.matched == 1 ? "matches" : "match");
    for (std::size_t i = 0; i < kUnreadKinds; ++i) {
        const Ledger::UnreadCount& missed = ledger.unread[i];
        if (missed.bytes == 0 && missed.packets == 0) continue;
        out += fmt::format("  not understood: {}", counted(missed.bytes, "byte"));
        if (missed.packets != 0) out += " in " + counted(missed.packets, "packet");
        out += fmt::format(", {} ({})\n", name(static_cast<Unread>(i)),
                           reason(static_cast<Unread>(i)));
    }
    for (const auto& [key, calls] : ledger.unknown) {
        const auto& [shape, program, version] = key;
        out += fmt::format("  no schema for {}{}: {}; add one with --schema FILE.x\n",
                           escaped(catalogue.name_of(shape, program, version)),
                           shape == Shape::virnet ? " of libvirt" : "", counted(calls, "call"));
    }
    if (ledger.unknown_others != 0)
        out += fmt::format("  no schema for other programs: {}\n",
                           counted(ledger.unknown_others, "call"));
    return out;
}

std::string to_json(const Ledger& ledger, const Catalogue& catalogue) {
    std::string out;
    JsonWriter json{out, {.indent = 0, .spaces = false}};
    json.open('{');
    json.member("calls", ledger.calls);
    json.member("replies", ledger.replies);
    json.member("paired", ledger.paired);
    json.member("unanswered", ledger.unanswered);
    json.member("orphans", ledger.orphans);
    json.member("retransmitted", ledger.retransmitted);
    json.member("repeated_replies", ledger.repeated_replies);
    json.member("one_way", ledger.one_way);
    json.member("packets", ledger.packets);
    if (ledger.matched) json.member("matched", *ledger.matched);
    json.key("unread");
    json.open('{');
    for (std::size_t i = 0; i < kUnreadKinds; ++i) {
        const Ledger::UnreadCount& missed = ledger.unread[i];
        if (missed.bytes == 0 && missed.packets == 0) continue;
        json.key(name(static_cast<Unread>(i)));
        json.open('{');
        json.member("bytes", missed.bytes);
        json.member("packets", missed.packets);
        json.close('}');
    }
    json.close('}');
    json.key("without_schema");
    json.open('[');
    for (const auto& [key, calls] : ledger.unknown) {
        const auto& [shape, program, version] = key;
        json.element();
        json.open('{');
        json.member("program", program);
        json.member("version", version);
        json.member("name", catalogue.name_of(shape, program, version));
        json.member("calls", calls);
        json.close('}');
    }
    if (ledger.unknown_others != 0) {
        json.element();
        json.open('{');
        json.member("name", "others");
        json.member("calls", ledger.unknown_others);
        json.close('}');
    }
    json.close(']');
    json.close('}');
    return out;
}

}  // namespace helio::inspect
