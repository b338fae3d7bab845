#include "helio/xdr/program.h"

#include <cstring>

namespace helio::xdr {

void CallContext::set_later(Later later) noexcept { later_ = std::move(later); }

const void* CallContext::keep_bytes(const void* bytes, std::size_t size) {
    void* const place = arena_->allocate(size);
    return place == nullptr ? nullptr : std::memcpy(place, bytes, size);
}

}  // namespace helio::xdr
