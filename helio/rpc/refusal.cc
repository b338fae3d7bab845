#include <fmt/format.h>

#include "helio/base/assert.h"
#include "helio/rpc/refusal_internal.h"
#include "schema/rpc.h"

namespace helio::rpc {

using Kind = Refusal::Kind;

Refusal refusal_of(xdr::Outcome outcome) {
    switch (outcome) {
        case xdr::Outcome::procedure_unavailable:
            return {Kind::procedure_unavailable};
        case xdr::Outcome::garbage_arguments:
            return {Kind::garbage_arguments};
        case xdr::Outcome::refused:
            return {Kind::auth_error, AUTH_TOOWEAK};
        case xdr::Outcome::silent:
            return {Kind::ignore};
        default:
            return {Kind::system_error};
    }
}

std::string describe(const Refusal& refusal) {
    switch (refusal.kind) {
        case Kind::ignore:
        case Kind::reply:
            return "it is no call";
        case Kind::rpc_mismatch:
            return "it is not RPC version 2";
        case Kind::auth_error:
            return fmt::format("the {} is not accepted",
                               refusal.low == AUTH_BADVERF ? "verifier" : "credential");
        case Kind::program_unavailable:
            return "it is not served here";
        case Kind::version_mismatch:
            return fmt::format("it is served in versions {} to {}", refusal.low, refusal.high);
        case Kind::garbage_arguments:
            return "the header is cut short";
        default:
            return "failed";
    }
}

bool header_was_read(const Refusal& refusal) {
    return refusal.kind != Kind::ignore && refusal.kind != Kind::reply &&
           refusal.kind != Kind::rpc_mismatch && refusal.kind != Kind::garbage_arguments;
}

CallOutcome outcome_of(Kind kind) {
    switch (kind) {
        case Kind::none:
            return CallOutcome::success;
        case Kind::ignore:
        case Kind::reply:
            return CallOutcome::dropped;
        case Kind::rpc_mismatch:
            return CallOutcome::rpc_mismatch;
        case Kind::auth_error:
            return CallOutcome::auth_error;
        case Kind::program_unavailable:
            return CallOutcome::program_unavailable;
        case Kind::version_mismatch:
            return CallOutcome::program_mismatch;
        case Kind::procedure_unavailable:
            return CallOutcome::procedure_unavailable;
        case Kind::garbage_arguments:
            return CallOutcome::garbage_arguments;
        case Kind::system_error:
            return CallOutcome::system_error;
        case Kind::said:  // as far as RPC goes it ran, like a call that ends with NFS3ERR_NOENT
            return CallOutcome::success;
    }
    HELIO_ASSERT(false);
    return CallOutcome::system_error;
}

}  // namespace helio::rpc
