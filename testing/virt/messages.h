// Hand-written messages of libvirt's protocol, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/frame/length_word.h"
#include "helio/virt/wire/envelope.h"
#include "helio/xdr/wire.h"

namespace helio::virt {

using Bytes = std::vector<std::byte>;

inline Bytes words(std::initializer_list<std::uint32_t> values) {
    Bytes out(values.size() * 4);
    std::byte* at = out.data();
    for (const std::uint32_t one : values) {
        xdr::store_u32(at, one);
        at += 4;
    }
    return out;
}

}  // namespace helio::virt
