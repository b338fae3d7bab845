// A Worker's log lines.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "helio/base/text/escape.h"
#include "helio/rpc/server/active_call_internal.h"
#include "helio/rpc/server/refusal_internal.h"
#include "helio/rpc/server/server.h"

namespace helio::rpc {

namespace {

std::string line_of(const Call& call, std::string_view what) {
    return fmt::format("rpc: {} {} xid {:x} {}", name_of(call.peer.transport), to_text(call.peer),
                       call.xid, what);
}

}  // namespace

void Worker::log_call(const Call& call, std::string_view what) { log(line_of(call, what)); }

bool Worker::is_probe(const Call& call, const Refusal& refusal) const {
    const auto& probed = server_.options().probed_programs;
    return refusal.kind == Refusal::Kind::program_unavailable &&
           std::find(probed.begin(), probed.end(), call.program) != probed.end();
}

void Worker::log_refusal(const ActiveCall& active, const Refusal& refusal) {
    const Call& call = active.call;
    std::string why = describe(refusal);
    why += refusal.kind == Refusal::Kind::ignore
               ? "; ignored"
               : "; answered " + active.envelope->answer_to(call, refusal);
    // The numbers of a header that could not be parsed are unknown.
    if (header_was_read(refusal))
        why = fmt::format("program {} version {} procedure {}: {}", call.program, call.version,
                          call.procedure, why);
    if (is_probe(call, refusal))
        log_within(probe_budget_, server_.options().log_probe, line_of(call, why));
    else
        log_call(call, why);
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
    const std::string procedure = active.procedure != nullptr
                                      ? std::string{active.procedure->short_name}
                                      : fmt::format("procedure {}", call.procedure);
    log_call(call, fmt::format("{} {}: {}; answered {}", active.version->version_name, procedure,
                               reason, active.envelope->answer_to(call, refusal)));
}

void Worker::log(std::string_view line) { log_within(log_budget_, server_.options().log, line); }

void Worker::log_within(LogBudget& budget, const std::function<void(std::string_view)>& sink,
                        std::string_view line) {
    if (!sink) return;
    if (now_ - budget.second >= std::chrono::seconds(1)) {
        if (budget.lines > kLogLinesPerSecondMax)
            sink(fmt::format("rpc: {} more lines like these were left out",
                             budget.lines - kLogLinesPerSecondMax));
        budget = {now_, 0};
    }
    if (++budget.lines > kLogLinesPerSecondMax) return;
    // A service's exception may quote its caller: one line stays one line.
    sink(printable(line));
}

}  // namespace helio::rpc
