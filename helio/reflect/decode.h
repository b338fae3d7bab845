// Decodes bytes by a schema's type into a Tree, for types known only at run time. It is meant to
// accept and reject the same input as the generated decoders (RFC 4506, the same depth limit). If
// bytes have two faults, the one reported may differ: generated code first checks the length of a
// run of words, this goes word by word. The memory limits differ too: an arena there, nodes here.
//
// No input can throw, recurse on the C++ stack, or allocate more than in proportion to the bytes
// present: a count is first compared with its bound and with the bytes left, and idl rejects arrays
// whose elements take no bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "helio/base/bytes.h"
#include "helio/idl/schema.h"
#include "helio/reflect/tree.h"
#include "helio/xdr/reader.h"

namespace helio::reflect {

// Nesting of values of any type, recursive or not; real schemas stay under 20. Walking a tree, or
// JSON made from it, may recurse: this bounds the stack.
inline constexpr std::uint32_t kNestingMax = 1024;

// 40 bytes each: 1.25 GiB, and half as much again while the vector last grows. A READDIR reply of
// 1,000,000 entries makes 8,000,000 nodes.
inline constexpr std::uint32_t kNodesMax = 32u << 20;

struct DecodeOptions {
    bool strict = true;  // padding must be zero and nothing may follow; otherwise both are ignored
    std::uint32_t depth_max = xdr::kDepthMax;  // levels of recursive types; a list is one level
    std::uint32_t nodes_max = kNodesMax;       // beyond it: Fault::out_of_memory
};

// Inputs of 4 GiB and more are rejected as too long: no RPC message comes close.
Tree decode(ByteView bytes, const idl::Type& type, const DecodeOptions& options = {});

// The same into a Tree that is reused: keeps its memory.
void decode_into(Tree& tree, ByteView bytes, const idl::Type& type,
                 const DecodeOptions& options = {});

}  // namespace helio::reflect
