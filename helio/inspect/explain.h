// Explanation: one message, word by word. The bytes are cut into parts, each with a schema's type:
// record mark, RPC-over-RDMA header, libvirt's header, RPC header, credential, arguments or
// results. Every byte belongs to exactly one part, and within it to exactly one leaf of its tree.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

struct Part {
    std::string title;         // "record mark", "RPC call", "arguments of nfs3.READ"
    std::uint32_t offset = 0;  // of its first byte in the message
    reflect::Tree tree;        // no nodes: bytes nobody has a type for
    std::string root;          // what paths begin with: "args", "result", "rdma"; may be empty
    std::string problem;       // a sentence, when something is wrong with it
};

struct Explanation {
    std::string what;  // "call of nfs3.READ, xid 0x8f0a71c7, over RPC-over-RDMA"
    std::string why;  // how the kind was found out: "record mark 0x80000094 …, RPC version 2 …"
    std::vector<Part> parts;  // in order, without gaps, to the end of the bytes
    const Procedure* procedure = nullptr;
    Head head;
    bool ok = true;  // every part fits its schema
};

// What was called before, so that a reply's results have a type: by xid (libvirt: serial).
using CallOf = std::function<const Procedure*(std::uint32_t xid)>;

// Bytes of which nothing is known but that they begin a message: with or without a record mark, an
// RPC-over-RDMA header, libvirt's length word or header. Returns one for each message: record marks
// may be followed by more. The views inside borrow `bytes` and the catalogue.
std::vector<Explanation> explain(ByteView bytes, const Catalogue& catalogue,
                                 const CallOf& call_of = {});

// A message from a capture.
Explanation explain(const Message& message, const Catalogue& catalogue,
                    const Procedure* procedure_of_reply);

}  // namespace helio::inspect
