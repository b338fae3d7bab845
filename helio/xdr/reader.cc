#include "helio/xdr/reader.h"

namespace helio::xdr {

void Reader::set_fault(Fault fault, const std::byte* at, std::uint32_t got, std::uint32_t limit) {
    if (ok()) error_ = {clamp(static_cast<std::uint64_t>(at - begin_)), fault, got, limit};
    at_ = end_;
}

// The check that failed covers a whole run of words, so the only thing known for certain is where
// the bytes end. That is also the most useful fact about a truncated message.
void Reader::set_truncated(const std::byte* at, std::uint64_t needed) {
    set_fault(Fault::truncated, end_, clamp(needed), clamp(left(at)));
}

// The length is in the message, but the bytes and their padding are not (RFC 8166 §3.4.5.2).
const std::byte* Reader::apart(const std::byte* at, ByteView piece, std::uint32_t max,
                               std::size_t tail, ByteView& out) {
    const std::uint32_t size = load_u32(at);
    if (size > max) return fail(Fault::too_long, at, size, max);
    if (size > piece.size()) return fail(Fault::too_long, at, size, clamp(piece.size()));
    at += 4;
    if (left(at) < tail) return truncated(at, tail);
    out = piece.first(size);
    return at;
}

bool Reader::padding_is_zero(const std::byte* at, std::size_t size) {
    for (std::size_t i = size; i < padded(size); ++i)
        if (at[i] != std::byte{0}) return false;
    return true;
}

}  // namespace helio::xdr
