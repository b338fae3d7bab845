// How a call ends without results, for the envelope, the log and the counters.
#pragma once

#include <string>

#include "helio/rpc/envelope.h"
#include "helio/rpc/server/statistics.h"
#include "helio/xdr/program.h"

namespace helio::rpc {

Refusal refusal_of(xdr::Outcome outcome);
CallOutcome outcome_of(Refusal::Kind kind);
// Why a message was not dispatched, as the second half of a sentence.
std::string describe(const Refusal& refusal);
// True if program, version and procedure were read.
bool header_was_read(const Refusal& refusal);

}  // namespace helio::rpc
