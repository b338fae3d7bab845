// A Worker's log lines.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "helio/base/text/escape.h"
#include "helio/rpc/server/active_call_internal.h"
#include "helio/rpc/server/refusal_internal.h"
#include "helio/rpc/server/server.h"

namespace helio::rpc {

void Worker::log_call(const Call& call, std::string_view what) {
    log(fmt::format("rpc: {} {} xid {:x} {}", name_of(call.peer.transport), to_text(call.peer),
                    call.xid, what));
}

void Worker::log_refusal(const ActiveCall& active, const Refusal& refusal) {
    const Call& call = active.call;
    std::string why = describe(refusal);
    why += refusal.kind == Refusal::Kind::ignore
               ? "; ignored"
               : "; answered " + active.envelope->answer_to(call, refusal);
    // The numbers of a header that could not be parsed are unknown.
    log_call(call, header_was_read(refusal)
                       ? fmt::format("program {} version {} procedure {}: {}", call.program,
                                     call.version, call.procedure, why)
                       : why);
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

void Worker::log(std::string_view line) {
    if (!logs()) return;
    if (now_ - log_second_ >= std::chrono::seconds(1)) {
        if (log_lines_ > kLogLinesPerSecondMax)
            server_.options().log(fmt::format("rpc: {} more lines like these were left out",
                                              log_lines_ - kLogLinesPerSecondMax));
        log_second_ = now_;
        log_lines_ = 0;
    }
    if (++log_lines_ > kLogLinesPerSecondMax) return;
    // A service's exception may quote its caller: one line stays one line.
    server_.options().log(printable(line));
}

}  // namespace helio::rpc
