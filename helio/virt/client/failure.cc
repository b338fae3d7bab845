#include "helio/virt/client/failure.h"

#include <fmt/format.h>

#include "helio/rpc/onc/onc_envelope.h"

namespace helio::virt {

bool Failure::is_unsupported() const {
    if (call.outcome != xdr::Outcome::refused) return false;
    return error.code == VIR_ERR_NO_SUPPORT || says_unknown_procedure(error);
}

std::string to_text(const Failure& failure) {
    // libvirtd says "authentication failed: authentication failed".
    const std::string_view meaning = meaning_of(failure.error.code);
    if (!meaning.empty() && failure.error.message == fmt::format("{0}: {0}", meaning))
        return std::string{meaning};
    if (!failure.error.message.empty()) return failure.error.message;
    return rpc::to_text(failure.call);
}

}  // namespace helio::virt
