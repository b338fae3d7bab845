// Finds the IP packet in a link-layer frame.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

struct LinkResult {
    bool is_ip = false;
    std::size_t offset = 0;       // of the IP packet
    Unread why = Unread::not_ip;  // if there is none
};

// `link`: LINKTYPE_ of tcpdump.org's registry.
LinkResult open_link(std::uint32_t link, ByteView frame);

}  // namespace helio::inspect
