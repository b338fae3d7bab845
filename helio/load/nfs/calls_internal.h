// What the clients and calls of both versions share. Failures of blocking calls name the call.
#pragma once

#include <string>

#include <fmt/format.h>

#include "helio/load/nfs/files.h"
#include "helio/rpc/onc/onc_envelope.h"

namespace helio::load::nfs {

// Of what a run creates.
inline constexpr std::uint32_t kDirectoryMode = 0755;
inline constexpr std::uint32_t kFileMode = 0644;

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

// A status that may have no name.
inline std::string status_text(std::string_view name, std::int32_t number) {
    return name.empty() ? fmt::format("status {}", number) : std::string(name);
}

}  // namespace helio::load::nfs
