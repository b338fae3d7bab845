#include "helio/inspect/view/virnet_error_internal.h"
#include "helio/xdr/arena.h"
#include "helio/xdr/reader.h"
#include "schema/virnet.h"

namespace helio::inspect {

std::optional<VirnetError> open_virnet_error(ByteView body) {
    xdr::Arena arena;
    xdr::Reader in{body, arena};
    virnet::virNetMessageError error;
    if (!virnet::decode_virNetMessageError(in, error) || !in.finish()) return std::nullopt;
    VirnetError out{error.code, error.domain, error.level, {}};
    if (error.message != nullptr) out.message = *error.message;
    return out;
}

}  // namespace helio::inspect
