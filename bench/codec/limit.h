// The limit: what one would write by hand for exactly these four messages if nothing else mattered.
// Raw pointers and byte swaps, one bounds check for each run of fixed fields, no abstraction. It
// could still be used on a network: every length is checked against its schema limit and against
// the bytes left, bools and enums are checked, failure arms are handled, and nothing is read or
// written past an end.
#pragma once

#include <cstddef>
#include <span>

#include "bench/codec/plain.h"

namespace bench::limit {

// Where decoded arrays and list nodes go: a cursor in memory the caller owns and reuses.
struct Arena {
    std::byte* cursor;
    std::byte* end;
};

// Returns the bytes written; 0 if they do not fit or a value exceeds its limit. READ's data is not
// included: it stays where it is, to be sent after the header and followed by its padding.
std::size_t encode(const GetattrCall& call, std::span<std::byte> out);
std::size_t encode(const GetattrRes& results, std::span<std::byte> out);
std::size_t encode(const ReadRes& results, std::span<std::byte> out);
std::size_t encode(const Reply<GetattrRes>& reply, std::span<std::byte> out);
std::size_t encode(const Reply<ReadRes>& reply, std::span<std::byte> out);
std::size_t encode(const Reply<ReaddirplusRes>& reply, std::span<std::byte> out);

// False if the bytes are not exactly one such message. Decoded views point into `in`.
bool decode(ByteView in, Arena& arena, GetattrCall& call);
bool decode(ByteView in, Arena& arena, GetattrRes& results);
bool decode(ByteView in, Arena& arena, ReadRes& results);
bool decode(ByteView in, Arena& arena, Reply<GetattrRes>& reply);
bool decode(ByteView in, Arena& arena, Reply<ReadRes>& reply);
bool decode(ByteView in, Arena& arena, Reply<ReaddirplusRes>& reply);

}  // namespace bench::limit
