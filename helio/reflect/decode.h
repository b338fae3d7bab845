// Bytes + a schema's type → Tree, for a type first seen at run time. Meant to accept
// and refuse what the generated decoders do (RFC 4506, the same depth limit). The fault named may
// differ where bytes have two: those check a whole run of words for its length first, this goes
// word by word. Their memory limits differ too: an arena there, nodes here.
//
// No input can throw, recurse on the C++ stack, or make it allocate more than in proportion to the
// bytes that are really there: a count is compared with its bound and with the bytes left first,
// and idl refuses arrays whose elements take no bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/tree.h"
#include "helio/xdr/reader.h"

namespace helio::reflect {

// Values inside values of any type, recursive or not; real schemas stay under 20. Whoever walks a
// tree or the JSON made of it may recurse: this bounds that stack.
inline constexpr std::uint32_t kNestingMax = 1024;

// 40 bytes each: 1.25 GiB, and half as much again for the moment in which the vector last grows. A
// READDIR reply of 1,000,000 entries makes 8,000,000 nodes.
inline constexpr std::uint32_t kNodesMax = 32u << 20;

struct DecodeOptions {
    bool strict = true;  // padding must be zero, nothing may follow; else both are let pass
    std::uint32_t depth_max = xdr::kDepthMax;  // levels of recursive types; a list is one level
    std::uint32_t nodes_max = kNodesMax;       // past it: Fault::out_of_memory
};

// Inputs of 4 GiB and more are refused as too long: no RPC message is near that.
Tree decode(ByteView bytes, const idl::Type& type, const DecodeOptions& options = {});

// The same into a Tree that is used again and again: keeps its memory.
void decode_into(Tree& tree, ByteView bytes, const idl::Type& type,
                 const DecodeOptions& options = {});

}  // namespace helio::reflect
