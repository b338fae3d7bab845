// Results of blocking calls; throws a Failure that names the call.
#pragma once

#include <string>

#include <fmt/format.h>

#include "helio/load/nfs/test_tree.h"
#include "helio/rpc/onc/onc_envelope.h"
#include "schema/nfs3.h"

namespace helio::load::nfs {

[[noreturn]] inline void throw_call_error(const ExportTarget& target, const std::string& what,
                                          const xdr::CallError& error) {
    const bool away =
        error.outcome == xdr::Outcome::unreachable || error.outcome == xdr::Outcome::timed_out;
    const bool wrong = error.outcome == xdr::Outcome::garbage_reply;
    throw Failure(away    ? Failure::Kind::unreachable
                  : wrong ? Failure::Kind::wrong
                          : Failure::Kind::refused,
                  fmt::format("{}: {}: {}", target.name, what, rpc::to_text(error)));
}

inline std::string status_text(nfs3::nfsstat3 status) {
    const auto name = nfs3::to_string(status);
    return name.empty() ? fmt::format("status {}", static_cast<std::int32_t>(status))
                        : std::string(name);
}

// The successful arm of a result. Views in it are valid until the next call.
template <class Outcome>
auto insist(const ExportTarget& target, const std::string& what, const Outcome& outcome) {
    if (!outcome) throw_call_error(target, what, outcome.error());
    if (!outcome->has_resok())
        throw Failure(Failure::Kind::refused,
                      fmt::format("{}: {}: {}", target.name, what, status_text(outcome->status())));
    return outcome->resok();
}

}  // namespace helio::load::nfs
