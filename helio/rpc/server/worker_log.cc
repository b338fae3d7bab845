// A Worker's log lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "helio/base/text/escape.h"
#include "helio/rpc/server/active_call_internal.h"
#include "helio/rpc/server/refusal_internal.h"
#include "helio/rpc/server/server.h"

namespace helio::rpc {

namespace {

// The text of a line about a call, and its fields.
class CallLine final {
 public:
    explicit CallLine(const Call& call)
        : call_(call), client_(to_text(call.peer)), xid_(fmt::format("{:#010x}", call.xid)) {
        add("transport", name_of(call.peer.transport));
        add("client", client_);
        add("xid", xid_);
    }
    CallLine(const CallLine&) = delete;
    CallLine& operator=(const CallLine&) = delete;

    void add(std::string_view name, LogField::Value value) { fields_[count_++] = {name, value}; }
    void add_numbers() {
        add("program", std::uint64_t{call_.program});
        add("version", std::uint64_t{call_.version});
        add("procedure_number", std::uint64_t{call_.procedure});
    }
    // A service's exception may quote its caller, so it is escaped to stay on one line.
    LogEvent event(std::string_view what) {
        text_ = printable(fmt::format("rpc: {} {} xid {:x} {}", name_of(call_.peer.transport),
                                      client_, call_.xid, what));
        return {text_, std::span{fields_}.first(count_)};
    }

 private:
    const Call& call_;
    const std::string client_;
    const std::string xid_;
    std::string text_;
    std::array<LogField, 9> fields_;
    std::size_t count_ = 0;
};

}  // namespace

bool Worker::is_probe(const Call& call, const Refusal& refusal) const {
    const auto& probed = server_.options().probed_programs;
    return refusal.kind == Refusal::Kind::program_unavailable &&
           std::find(probed.begin(), probed.end(), call.program) != probed.end();
}

void Worker::log_refusal(const ActiveCall& active, const Refusal& refusal) {
    const Call& call = active.call;
    const std::string reason = describe(refusal);
    const std::string status = refusal.kind == Refusal::Kind::ignore
                                   ? std::string{}
                                   : active.envelope->answer_to(call, refusal);
    std::string what = reason + (status.empty() ? "; ignored" : "; answered " + status);
    CallLine line{call};
    // The numbers of a header that could not be parsed are unknown.
    if (header_was_read(refusal)) {
        line.add_numbers();
        what = fmt::format("program {} version {} procedure {}: {}", call.program, call.version,
                           call.procedure, what);
    }
    line.add("reason", reason);
    if (!status.empty()) line.add("status", status);
    if (is_probe(call, refusal))
        log_within(probe_budget_, server_.options().log_probe, line.event(what));
    else
        log_within(log_budget_, server_.options().log, line.event(what));
}

// "rpc: tcp 10.0.0.7:801 xid 5e1f NFS_V3 READ: too long at byte 40: 72, the limit is 64; answered
// GARBAGE_ARGS"
void Worker::log_failure(const ActiveCall& active, const Refusal& refusal, const xdr::Writer& out,
                         std::string_view why, std::size_t reply_size) {
    if (refusal.kind == Refusal::Kind::ignore) return;
    const Call& call = active.call;
    std::string reason{why};
    if (reply_size > call.reply_bytes_max)
        reason = fmt::format("the reply has {} bytes, the transport carries {}", reply_size,
                             call.reply_bytes_max);
    else if (reason.empty() && refusal.kind == Refusal::Kind::procedure_unavailable)
        reason = "there is no such procedure";
    else if (reason.empty())
        reason = out.ok() ? "it said so" : to_string(out.error());
    const std::string procedure =
        fmt::format("{} {}", active.version->version_name,
                    active.procedure != nullptr ? std::string{active.procedure->short_name}
                                                : fmt::format("procedure {}", call.procedure));
    const std::string status = active.envelope->answer_to(call, refusal);
    CallLine line{call};
    line.add_numbers();
    line.add("procedure", procedure);
    line.add("reason", reason);
    line.add("status", status);
    log_within(log_budget_, server_.options().log,
               line.event(fmt::format("{}: {}; answered {}", procedure, reason, status)));
}

void Worker::log(std::string_view line) {
    const std::string text = printable(line);
    log_within(log_budget_, server_.options().log, LogEvent{text});
}

void Worker::log_within(LogBudget& budget, const std::function<void(const LogEvent&)>& sink,
                        const LogEvent& event) {
    if (!sink) return;
    if (now_ - budget.second >= std::chrono::seconds(1)) {
        if (budget.lines > kLogLinesPerSecondMax) {
            const std::uint64_t left_out = budget.lines - kLogLinesPerSecondMax;
            const LogField field{"left_out", left_out};
            sink({fmt::format("rpc: {} more lines like these were left out", left_out),
                  {&field, 1}});
        }
        budget = {now_, 0};
    }
    if (++budget.lines <= kLogLinesPerSecondMax) sink(event);
}

}  // namespace helio::rpc
