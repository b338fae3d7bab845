// Explanation: one message, word by word. The bytes are cut into parts, each with a schema's type:
// record mark, RPC-over-RDMA header, libvirt's header, RPC header with its credential, arguments or
// results. Every byte belongs to exactly one part, and within it to exactly one leaf of its tree.
//
// An Explainer holds the types of headers and recognises what bytes are; it is built once, then
// read-only. A reused Explanation keeps its memory, for captures of millions of messages.
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

// Messages in one run of bytes; the rest is shown as bytes.
inline constexpr std::size_t kMessagesInRunMax = 65536;
// Calls remembered so that replies have a type; the oldest are forgotten first.
inline constexpr std::size_t kCallsRememberedMax = 65536;
// Room made for bytes that RDMA moved in chunks, so that the fields after them can be decoded. Our
// own messages are at most this large.
inline constexpr std::size_t kPutBackMax = 4u << 20;
// Wrong words in one part after which decoding still continues.
inline constexpr std::size_t kWrongWordsMax = 16;

struct Part {
    std::string title;                 // "record mark", "RPC call", "arguments of nfs3.READ"
    std::uint32_t offset = 0;          // of its first byte in Explanation::bytes
    reflect::Tree tree;                // over the part's bytes; no nodes: no known type
    std::string root;                  // first component of paths: "args", "result"; may be empty
    std::string problem;               // sentences about what is wrong, or empty
    std::string note;                  // a line shown with it: where RDMA's chunks belong
    std::vector<std::uint32_t> wrong;  // offsets in the part of the words that break the schema
};

struct Explanation {
    Explanation() = default;
    Explanation(Explanation&&) = default;  // not copied: `bytes` may borrow `owned`
    Explanation& operator=(Explanation&&) = default;

    std::string what;         // "call of nfs3.READ, xid 0x8f0a71c7"
    std::string why;          // how it was recognised; empty for captures
    std::vector<Part> parts;  // in order, without gaps, covering `bytes`
    const Procedure* procedure = nullptr;
    Head head;  // libvirt: xid is the serial
    Shape shape = Shape::onc;
    bool known = false;  // recognised as a message
    bool ok = true;      // every part fits its schema, or is cut by the capture

    // The message, preceded by its transport headers.
    ByteView bytes;
    std::uint32_t message_at = 0;     // where the RPC message itself begins
    std::vector<TakenOut> taken_out;  // offsets from message_at on
    // Where pieces of `bytes` were in the input, unless they are contiguous there.
    struct Origin {
        std::uint32_t offset = 0;  // in bytes
        std::uint32_t size = 0;
        std::uint32_t source = 0;  // in the input
        bool there = true;         // false: room for a chunk's data
    };
    std::vector<Origin> origins;
    std::uint32_t source = 0;      // if there are no origins: offset of bytes in the input
    std::vector<std::byte> owned;  // holds `bytes` if they had to be assembled

    void clear();  // keeps memory
    Part& add_part();

 private:
    std::vector<Part> spare_;
};

// Looks up earlier calls by xid (libvirt: serial), to find the type of a reply's results.
using CallOf = std::function<const Procedure*(std::uint32_t xid)>;

// The calls met so far in a text.
class CallBook final {
 public:
    void note(Shape shape, std::uint32_t xid, const Procedure* procedure);
    const Procedure* find(Shape shape, std::uint32_t xid) const;
    // Calls without an xid, as in notes: only the last is kept.
    void note_headless(const Procedure* procedure) { headless_ = procedure; }
    const Procedure* headless() const { return headless_; }

 private:
    std::unordered_map<std::uint64_t, const Procedure*> calls_;
    std::vector<std::uint64_t> order_;
    std::size_t oldest_ = 0;
    const Procedure* headless_ = nullptr;
};

struct ExplainOptions {
    const Procedure* reply_of = nullptr;  // procedure of replies whose call was not seen
    bool cut = false;                     // the bytes may end early, through no fault of the sender
    bool headless = false;                // messages may lack their xid, as in people's notes
};

struct ExplainTypes;  // of headers

class Explainer final {
 public:
    explicit Explainer(const Catalogue& catalogue);
    ~Explainer();
    Explainer(const Explainer&) = delete;
    Explainer& operator=(const Explainer&) = delete;

    // Explains bytes that contain messages in an unknown format: with or without record marks, an
    // RPC-over-RDMA header, libvirt's length word or header, or IP headers. Returns one explanation
    // per message; together they cover every byte. They borrow `bytes` and the catalogue.
    std::vector<Explanation> explain(ByteView bytes, CallBook& calls,
                                     const ExplainOptions& options = {}) const;

    // Explains a message from a capture. Borrows its bytes (with an RDMA header, they are copied).
    // `procedure` is the one called, for replies too; null: unknown.
    void explain_into(Explanation& out, const Message& message, const Procedure* procedure) const;

    const Catalogue& catalogue() const { return catalogue_; }

 private:
    friend class ExplainRun;
    const Catalogue& catalogue_;
    std::unique_ptr<ExplainTypes> types_;
};

// The same for a single use.
std::vector<Explanation> explain(ByteView bytes, const Catalogue& catalogue,
                                 const CallOf& call_of = {});

}  // namespace helio::inspect
