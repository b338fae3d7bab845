// Explanation: one message, word by word. The bytes are cut into parts, each with a schema's type:
// record mark, RPC-over-RDMA header, libvirt's header, RPC header with its credential, arguments or
// results. Every byte belongs to exactly one part, and within it to exactly one leaf of its tree.
//
// An Explainer knows the types of headers and finds out what bytes are; it is made once and then
// only read. An Explanation keeps its memory when it is used again, for captures of millions of
// messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/head.h"
#include "helio/inspect/message.h"
#include "helio/reflect/tree.h"

namespace helio::inspect {

// Messages behind one another in one run of bytes; more are left as bytes.
inline constexpr std::size_t kMessagesInRunMax = 65536;
// Calls remembered so that replies have a type; the oldest are forgotten first.
inline constexpr std::size_t kCallsRememberedMax = 65536;
// Bytes that a chunk of RDMA moved apart, for which room is made so that what is behind them can be
// read. A message of ours is at most as large.
inline constexpr std::size_t kPutBackMax = 4u << 20;
// Words of one part that may be wrong while what is behind them is still read.
inline constexpr std::size_t kWrongWordsMax = 16;

struct Part {
    std::string title;         // "record mark", "RPC call", "arguments of nfs3.READ"
    std::uint32_t offset = 0;  // of its first byte in Explanation::bytes
    reflect::Tree tree;        // over the part's bytes; no nodes: bytes nobody has a type for
    std::string root;          // what paths begin with: "args", "result"; may be empty
    std::string problem;       // sentences, when something is wrong with it
    std::string note;          // a line to read with it: where RDMA's chunks belong
    std::vector<std::uint32_t> wrong;  // offsets in the part of the words that break the schema
};

struct Explanation {
    Explanation() = default;
    Explanation(Explanation&&) = default;  // not copied: `bytes` may borrow `owned`
    Explanation& operator=(Explanation&&) = default;

    std::string what;         // "call of nfs3.READ, xid 0x8f0a71c7"
    std::string why;          // how the kind was found out; empty for captures
    std::vector<Part> parts;  // in order, without gaps, to the end of `bytes`
    const Procedure* procedure = nullptr;
    Head head;  // libvirt: xid is the serial
    Shape shape = Shape::onc;
    bool known = false;  // it is a message of some kind
    bool ok = true;      // every part fits its schema, or is cut where the capture is

    // What the parts are cut from: the message, its header before it.
    ByteView bytes;
    std::uint32_t message_at = 0;     // where the message itself begins, behind what is around it
    std::vector<TakenOut> taken_out;  // offsets from message_at on
    // Where pieces of `bytes` stood in what was given, when they are not just the same.
    struct Origin {
        std::uint32_t offset = 0;  // in bytes
        std::uint32_t size = 0;
        std::uint32_t source = 0;  // in what was given
        bool there = true;         // false: room for what a chunk holds
    };
    std::vector<Origin> origins;
    std::uint32_t source = 0;      // with no origins: where bytes begin in what was given
    std::vector<std::byte> owned;  // holds `bytes` when they had to be put together

    void clear();  // keeps memory
    Part& add_part();

 private:
    std::vector<Part> spare_;
};

// What was called before, so that a reply's results have a type: by xid (libvirt: serial).
using CallOf = std::function<const Procedure*(std::uint32_t xid)>;

// The calls of a text, as they are met.
class CallBook final {
 public:
    void note(Shape shape, std::uint32_t xid, const Procedure* procedure);
    const Procedure* find(Shape shape, std::uint32_t xid) const;
    // Of calls without an xid, in notes: the last one.
    void note_headless(const Procedure* procedure) { headless_ = procedure; }
    const Procedure* headless() const { return headless_; }

 private:
    std::unordered_map<std::uint64_t, const Procedure*> calls_;
    std::vector<std::uint64_t> order_;
    std::size_t oldest_ = 0;
    const Procedure* headless_ = nullptr;
};

struct ExplainOptions {
    const Procedure* reply_of = nullptr;  // replies whose call nobody saw are of this procedure
    bool cut = false;       // the bytes may end before the message does: no fault of its sender
    bool headless = false;  // messages may begin behind their xid, as in people's notes
};

struct ExplainTypes;  // of headers

class Explainer final {
 public:
    explicit Explainer(const Catalogue& catalogue);
    ~Explainer();
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    // Bytes of which nothing is known but that messages are in there: with or without record marks,
    // an RPC-over-RDMA header, libvirt's length word or header, or the headers of an IP packet. One
    // for each message, and together they hold every byte. They borrow `bytes` and the catalogue.
    std::vector<Explanation> explain(ByteView bytes, CallBook& calls,
                                     const ExplainOptions& options = {}) const;

    // A message from a capture. Borrows the message's bytes and its RDMA header (copied together
    // when there is one). `procedure` is that of the call, of a reply too; null: not known.
    void explain_into(Explanation& out, const Message& message, const Procedure* procedure) const;

    const Catalogue& catalogue() const { return catalogue_; }

 private:
    friend class ExplainRun;
    const Catalogue& catalogue_;
    std::unique_ptr<ExplainTypes> types_;
};

// The same for those who need it once.
std::vector<Explanation> explain(ByteView bytes, const Catalogue& catalogue,
                                 const CallOf& call_of = {});

}  // namespace helio::inspect
