// The error in a libvirt reply or stream packet (virNetMessageError), as far as views show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "helio/base/bytes.h"

namespace helio::inspect {

struct VirnetError {
    std::int32_t code = 0;
    std::int32_t domain = 0;
    std::int32_t level = 0;
    std::string message;
};

// Nothing if the bytes are not a virNetMessageError.
std::optional<VirnetError> open_virnet_error(ByteView body);

}  // namespace helio::inspect
