#include "helio/inspect/view/call_lines.h"

#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "helio/base/text/escape.h"
#include "helio/base/text/time_text.h"
#include "helio/frame/virnet_header.h"
#include "helio/inspect/meaning.h"
#include "helio/inspect/view/call_fields_internal.h"
#include "helio/inspect/view/outcome_internal.h"
#include "helio/inspect/view/virnet_error_internal.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

constexpr std::size_t kArgumentsShown = 3;
constexpr std::size_t kEventFieldsShown = 5;  // of libvirt's: callback, subject, event
constexpr std::size_t kResultsShown = 2;
constexpr std::size_t kOperationsShown = 32;  // of a compound; clients send about ten
constexpr std::size_t kStringShown = 40;      // bytes of a string
constexpr std::size_t kErrorShown = 200;      // bytes of a daemon's message
constexpr std::size_t kPathShown = 1024;      // bytes of a path, so that a line stays readable
constexpr std::size_t kEndsWidthMax = 64;     // a pair of IPv6 addresses goes beyond it
constexpr std::size_t kOperationWidthMax = 24;

void append_duration(std::string& out, std::int64_t ns) {
    struct Unit {
        double factor;
        const char* name;
    };
    static constexpr Unit kUnits[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " µs"}};
    for (const Unit& unit : kUnits) {
        const double value = static_cast<double>(ns) / unit.factor;
        if (value < 1) continue;
        fmt::format_to(std::back_inserter(out), "{:.{}f}{}", value,
                       value >= 100  ? 0
                       : value >= 10 ? 1
                                     : 2,
                       unit.name);
        return;
    }
    append_signed(out, ns);
    out += " ns";
}

void append_scalar(std::string& out, const reflect::FieldPlan::Found& found, bool octal) {
    switch (found.type->kind) {
        case idl::Kind::boolean:
            out += found.number != 0 ? "true" : "false";
            return;
        case idl::Kind::string:
            out += '"';
            append_escaped(out, as_text(found.body).substr(0, kStringShown));
            out += found.number > kStringShown ? "\"…" : "\"";
            return;
        case idl::Kind::enumeration:
            if (const auto* known = found.type->enumerator(static_cast<std::int64_t>(found.number)))
                out += known->name;
            else
                append_signed(out, static_cast<std::int64_t>(found.number));
            return;
        case idl::Kind::unsigned_hyper:
            return append_number(out, found.number);
        default:
            if (octal) {
                fmt::format_to(std::back_inserter(out), "{:04o}", found.number);
            } else {
                append_signed(out, static_cast<std::int64_t>(found.number));
            }
    }
}

// "2026-11-16T04:30:12.5Z". A fraction of a second or more has no meaning, and is shown unchanged.
void append_moment(std::string& out, std::uint64_t seconds,
                   const std::optional<reflect::FieldPlan::Found>& fraction, unsigned digits) {
    out += rfc3339_seconds(static_cast<std::time_t>(seconds));
    std::string decimals =
        fraction ? fmt::format("{:0{}}", fraction->number, digits) : std::string{};
    if (decimals.size() == digits)
        while (decimals.ends_with('0')) decimals.pop_back();
    if (!decimals.empty()) out.append(".").append(decimals);
    out += 'Z';
}

// " 42 "Domain not found: …""
std::string error_text(ByteView body) {
    const auto error = open_virnet_error(body);
    if (!error) return "";
    std::string out = fmt::format(" {} \"", error->code);
    append_escaped(out, std::string_view{error->message}.substr(0, kErrorShown));
    return out + (error->message.size() > kErrorShown ? "\"…" : "\"");
}

std::string bytes_text(std::uint64_t size) {
    return fmt::format("{} byte{}", size, size == 1 ? "" : "s");
}

// Describes a message that neither is a reply nor gets one.
std::string one_way_text(const Exchange& exchange) {
    if (exchange.virnet_type == VirnetType::message)
        return exchange.program == frame::kKeepaliveProgram ? "keepalive" : "event";
    if (exchange.virnet_type == VirnetType::stream_hole) {
        const bool whole = exchange.stream_bytes.size() >= 8;
        return "stream, a hole" +
               (whole ? " of " + bytes_text(xdr::load_u64(exchange.stream_bytes.data())) : "");
    }
    switch (exchange.call_head.verdict) {
        case Verdict::success:
            return "stream, done";
        case Verdict::failed:
            return exchange.error.empty() ? "stream, aborted"
                                          : "stream, ERROR" + error_text(exchange.error);
        default:
            break;
    }
    const std::uint64_t size = exchange.call->size - kVirnetHeadSize;
    return size == 0 ? "stream, end of data" : "stream, " + bytes_text(size);
}

// " at LOOKUP": the operation that ended a compound.
std::string failed_operation(const Exchange& exchange) {
    for (const Operation& one : exchange.operations()) {
        if (one.answered && !one.succeeded() && one.procedure != nullptr)
            return " at " + one.procedure->procedure->short_name;
    }
    return "";
}

void append_shown_path(std::string& out, std::string_view path) {
    append_escaped(out, path.substr(0, kPathShown));
    if (path.size() > kPathShown) out += "…";
}

}  // namespace

CallLines::CallLines(const Catalogue& catalogue, Options options)
    : catalogue_(catalogue), options_(options), chosen_(catalogue.procedures().size()) {}

const CallLines::ChosenFields& CallLines::chosen(const Procedure& procedure, const Names& names) {
    ChosenFields& out = chosen_[procedure.number];
    if (out.made) return out;
    const auto add = [](std::vector<LabelledField>& to, const idl::Type& type,
                        const TellingField& field) {
        auto plan = reflect::FieldPlan::to(type, field.path);
        if (plan.type() == nullptr) return;
        LabelledField one{field.label, std::move(plan), field.label == "mode"};
        if (field.fraction_digits > 0) one.fraction = reflect::FieldPlan::to(type, field.fraction);
        one.fraction_digits = field.fraction_digits;
        one.is_choice = field.is_choice;
        to.push_back(std::move(one));
    };
    for (const auto& field : telling_arguments(procedure, names.has_name(procedure)))
        add(out.arguments, *procedure.arguments, field);
    for (const auto& field : telling_results(procedure)) add(out.results, *procedure.result, field);
    out.made = true;
    return out;
}

void CallLines::toned(std::string& out, Tone tone, std::string_view text) const {
    static constexpr std::string_view kTones[] = {"", "\x1b[2m", "\x1b[32m", "\x1b[31m",
                                                  "\x1b[33m"};
    const std::string_view begin = kTones[static_cast<std::size_t>(tone)];
    const bool color = options_.color && !begin.empty();
    if (color) out += begin;
    out += text;
    if (color) out += "\x1b[0m";
}

void CallLines::pad(std::string& out, std::size_t columns, std::size_t& widest, std::size_t most) {
    if (columns > widest) widest = std::min(columns, most);
    out.append(2 + (widest > columns ? widest - columns : 0), ' ');
}

// Connections recorded without packets have no times.
void CallLines::append_time(std::string& out, const Exchange& exchange) {
    if (exchange.any().flow == nullptr) return;
    const std::int64_t time_ns = exchange.time_ns();
    scratch_.clear();
    if (options_.clock) {
        constexpr std::int64_t kDay = 86400;
        const std::int64_t second = time_ns / 1'000'000'000;
        const std::int64_t of_day = (second % kDay + kDay) % kDay;
        fmt::format_to(std::back_inserter(scratch_), "{:02}:{:02}:{:02}.{:06}", of_day / 3600,
                       of_day / 60 % 60, of_day % 60, time_ns / 1000 % 1'000'000);
    } else {
        if (options_.start_ns == 0) options_.start_ns = time_ns;
        fmt::format_to(std::back_inserter(scratch_), "{:12.6f}",
                       static_cast<double>(time_ns - options_.start_ns) / 1e9);
    }
    toned(out, Tone::faint, scratch_);
    out += "  ";
}

void CallLines::append_ends(std::string& out, const Exchange& exchange) {
    if (exchange.any().flow == nullptr) return;
    constexpr std::string_view arrow = " → ";
    const std::size_t before = out.size();
    append_endpoint(out, exchange.client());
    out += arrow;
    append_endpoint(out, exchange.server());
    pad(out, out.size() - before - arrow.size() + 3, ends_widest_, kEndsWidthMax);
}

void CallLines::append_fields(std::string& out, const std::vector<LabelledField>& fields,
                              ByteView bytes, std::size_t most) const {
    const LabelledField* shown = nullptr;
    for (const LabelledField& field : fields) {
        if (most == 0) return;
        if (shown != nullptr && field.is_choice && shown->label == field.label) continue;
        const auto found = field.plan.find(bytes);
        if (!found || (field.is_choice && found->number == 0)) continue;
        --most;
        shown = &field;
        out += ' ';
        if (!field.label.empty()) out.append(field.label).append("=");
        if (field.fraction_digits == 0)
            append_scalar(out, *found, field.octal);
        else
            append_moment(out, found->number, field.fraction.find(bytes), field.fraction_digits);
    }
}

void CallLines::append_operations(std::string& out, const Exchange& exchange, const Names& names) {
    std::size_t shown = 0;
    for (const Operation& operation : exchange.operations()) {
        if (shown++ == kOperationsShown) {
            out += " …";
            return;
        }
        out += ' ';
        if (operation.procedure == nullptr) {
            fmt::format_to(std::back_inserter(out), "operation {}", operation.number);
            continue;
        }
        out += operation.procedure->procedure->short_name;
        const std::size_t before = out.size();
        append_fields(out, chosen(*operation.procedure, names).arguments, operation.arguments,
                      kArgumentsShown);
        if (out.size() == before) continue;
        out[before] = '(';
        out += ')';
    }
}

void CallLines::append_result(std::string& out, const Exchange& exchange) const {
    if (exchange.call == nullptr) return toned(out, Tone::odd, "orphan reply");
    if (exchange.one_way)
        return toned(out, exchange.error.empty() ? Tone::plain : Tone::bad, one_way_text(exchange));
    if (exchange.reply == nullptr) return toned(out, Tone::odd, "unanswered");
    if (exchange.reply_head.verdict != Verdict::success) {
        std::string text = name(exchange.reply_head.verdict);
        const Verdict verdict = exchange.reply_head.verdict;
        if (verdict == Verdict::prog_mismatch || verdict == Verdict::rpc_mismatch)
            text += fmt::format(" ({} to {})", exchange.reply_head.low, exchange.reply_head.high);
        if (verdict == Verdict::failed) text += error_text(exchange.error);
        return toned(out, Tone::bad, text);
    }
    const auto status = status_of(exchange);
    if (!status) return toned(out, Tone::good, "SUCCESS");
    const idl::Enumerator* const known = name_of_status(*status);
    std::string text = known != nullptr
                           ? known->name
                           : fmt::format("status {}", static_cast<std::int64_t>(status->number));
    if (status->number != 0) text += failed_operation(exchange);
    toned(out, status->number == 0 ? Tone::good : Tone::bad, text);
}

void CallLines::append_notes(std::string& out, const Exchange& exchange) const {
    if (exchange.paired() && exchange.any().flow != nullptr) {
        out += "  ";
        append_duration(out, exchange.latency_ns());
    }
    if (exchange.retransmissions != 0)
        toned(out, Tone::odd,
              fmt::format("  {} retransmission{}", exchange.retransmissions,
                          exchange.retransmissions == 1 ? "" : "s"));
    const bool call = exchange.call != nullptr && exchange.call->cut();
    const bool reply = exchange.reply != nullptr && exchange.reply->cut();
    if (call || reply)
        toned(out, Tone::odd,
              call && reply ? "  call and reply cut"
              : call        ? "  call cut"
                            : "  reply cut");
}

void CallLines::append(std::string& out, const Exchange& exchange, Names& names) {
    append_time(out, exchange);
    append_ends(out, exchange);
    const std::size_t before = out.size();
    if (exchange.procedure != nullptr) {
        out += exchange.procedure->name;
    } else if (exchange.call != nullptr) {
        append_escaped(out, catalogue_.name_of(exchange.shape, exchange.program, exchange.version,
                                               exchange.number));
    } else {
        out += "xid ";
        append_hex_number(out, exchange.xid, 8);
    }
    pad(out, out.size() - before, operation_widest_, kOperationWidthMax);

    const std::size_t middle = out.size();
    scratch_.clear();
    if (names.append_path(scratch_, exchange)) append_shown_path(out, scratch_);
    scratch_.clear();
    if (names.append_target(scratch_, exchange)) {
        out += " → ";
        append_shown_path(out, scratch_);
    }
    const ChosenFields* const fields =
        exchange.procedure != nullptr ? &chosen(*exchange.procedure, names) : nullptr;
    const bool compound = fields != nullptr && exchange.procedure->operations != nullptr;
    if (compound)
        append_operations(out, exchange, names);
    else if (fields != nullptr)
        append_fields(out, fields->arguments, exchange.arguments,
                      exchange.one_way ? kEventFieldsShown : kArgumentsShown);
    if (out.size() != middle) {
        if (out[middle] == ' ') out.erase(middle, 1);
        out += "  ";
    }
    append_result(out, exchange);
    if (fields != nullptr && !compound)
        append_fields(out, fields->results, exchange.results, kResultsShown);
    append_notes(out, exchange);
    out += '\n';
}

}  // namespace helio::inspect
