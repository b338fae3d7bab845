#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/rpc/server/refusal_internal.h"
#include "schema/rpc.h"

namespace helio::rpc {

Refusal refusal_of(xdr::Outcome outcome) {
    switch (outcome) {
        case xdr::Outcome::procedure_unavailable:
            return {Refusal::Kind::procedure_unavailable};
        case xdr::Outcome::garbage_arguments:
            return {Refusal::Kind::garbage_arguments};
        case xdr::Outcome::refused:
            return {Refusal::Kind::auth_error, AUTH_TOOWEAK};
        case xdr::Outcome::silent:
            return {Refusal::Kind::ignore};
        default:
            return {Refusal::Kind::system_error};
    }
}

std::string describe(const Refusal& refusal) {
    switch (refusal.kind) {
        case Refusal::Kind::ignore:
        case Refusal::Kind::reply:
            return "it is no call";
        case Refusal::Kind::rpc_mismatch:
            return "it is not RPC version 2";
        case Refusal::Kind::auth_error:
            return fmt::format("the {} is not accepted",
                               refusal.low == AUTH_BADVERF ? "verifier" : "credential");
        case Refusal::Kind::program_unavailable:
            return "it is not served here";
        case Refusal::Kind::version_mismatch:
            return fmt::format("it is served in versions {} to {}", refusal.low, refusal.high);
        case Refusal::Kind::garbage_arguments:
            return "the header is cut short";
        default:
            return "failed";
    }
}

bool header_was_read(const Refusal& refusal) {
    return refusal.kind != Refusal::Kind::ignore && refusal.kind != Refusal::Kind::reply &&
           refusal.kind != Refusal::Kind::rpc_mismatch &&
           refusal.kind != Refusal::Kind::garbage_arguments;
}

CallOutcome outcome_of(Refusal::Kind kind) {
    switch (kind) {
        case Refusal::Kind::none:
            return CallOutcome::success;
        case Refusal::Kind::ignore:
        case Refusal::Kind::reply:
            return CallOutcome::dropped;
        case Refusal::Kind::rpc_mismatch:
            return CallOutcome::rpc_mismatch;
        case Refusal::Kind::auth_error:
            return CallOutcome::auth_error;
        case Refusal::Kind::program_unavailable:
            return CallOutcome::program_unavailable;
        case Refusal::Kind::version_mismatch:
            return CallOutcome::program_mismatch;
        case Refusal::Kind::procedure_unavailable:
            return CallOutcome::procedure_unavailable;
        case Refusal::Kind::garbage_arguments:
            return CallOutcome::garbage_arguments;
        case Refusal::Kind::system_error:
            return CallOutcome::system_error;
    }
    HELIO_ASSERT(false);
    return CallOutcome::system_error;
}

}  // namespace helio::rpc
