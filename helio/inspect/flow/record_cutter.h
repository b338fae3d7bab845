// RecordCutter: splits one direction of a byte stream into messages, by the marks of RFC 5531 §11
// or libvirt's length words, whichever the content shows. Unlike the server's (helio/frame) it
// copes with captures: streams joined in the middle, missing bytes, and streams that are not RPC.
//
// A gap inside a record's body costs only the rest of that record, because its mark tells where the
// next one begins. After a gap that swallows a mark, and in a stream joined in the middle, it
// searches for the next plausible record. A contiguous record is passed on without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "helio/base/bytes.h"
#include "helio/inspect/catalogue.h"
#include "helio/inspect/message.h"

namespace helio::inspect {

// A longer record means a false mark. libvirt's messages go up to 32 MiB.
inline constexpr std::uint32_t kRecordSizeMax = 64u << 20;
// A stream joined in the middle that has no record in this many bytes is not RPC.
inline constexpr std::uint64_t kSearchBytesMax = 1u << 20;
// Bytes that wait for the rest of their record or for an earlier segment, in all streams.
inline constexpr std::size_t kFlowBytesMax = 64u << 20;

// Memory for records in pieces, shared by all streams of a capture.
class RecordBuffers final {
 public:
    using Buffer = std::vector<std::byte>;

    explicit RecordBuffers(std::size_t keep_max) : keep_max_(keep_max) {}
    // Bytes kept of a message; the rest is only counted.
    std::size_t keep_max() const { return keep_max_; }

    std::unique_ptr<Buffer> take();
    void give_back(std::unique_ptr<Buffer> buffer);
    // Reserves memory. If it returns true, the caller must release it.
    bool hold(std::size_t size) {
        if (held_ + size > kFlowBytesMax) return false;
        held_ += size;
        return true;
    }
    void release(std::size_t size) { held_ -= size; }

 private:
    const std::size_t keep_max_;
    std::size_t held_ = 0;
    std::vector<std::unique_ptr<Buffer>> free_;
};

class RecordCutter final {
 public:
    struct Origin {  // position in the capture
        std::int64_t time_ns = 0;
        std::uint64_t packet = 0;
        const FlowEnds* flow = nullptr;
        std::uint8_t direction = 0;
        Carrier carrier = Carrier::tcp;
    };

    RecordCutter(MessageSink& sink, const Catalogue& catalogue, RecordBuffers& buffers)
        : sink_(&sink), catalogue_(&catalogue), buffers_(&buffers) {}
    ~RecordCutter();
    RecordCutter(RecordCutter&&) = delete;

    // A new stream. If its start is seen, its first byte begins a message or it is not RPC.
    enum class Start : std::uint8_t { seen, missed };
    void begin(Start start, const Origin& origin);
    // The stream's next bytes.
    void data(ByteView bytes, const Origin& origin);
    // The next `size` bytes of the stream are missing.
    void gap(std::uint64_t size, Unread why, const Origin& origin);
    // No more will come.
    void finish(const Origin& origin);

 private:
    enum class State : std::uint8_t {
        search,   // for the first record, or the next one after a loss
        mark,     // at a mark, perhaps with some of its bytes
        body,     // within a fragment
        foreign,  // not RPC: only the beginnings of segments are checked
    };

    std::size_t in_sync(ByteView bytes, const Origin& origin);
    std::size_t pass_descriptors(ByteView bytes);
    std::size_t whole_records(ByteView bytes, const Origin& origin);
    std::size_t take_mark(ByteView bytes, const Origin& origin);
    std::size_t take_body(ByteView bytes, const Origin& origin);
    void search(ByteView bytes, const Origin& origin);
    std::size_t find_record(ByteView bytes, std::size_t starts) const;
    bool record_at(ByteView bytes, Shape& shape) const;
    bool onc_at(ByteView bytes) const;
    bool virnet_at(ByteView bytes) const;
    void found(Shape shape);
    void lose_sync() { state_ = State::search; }
    bool begin_fragment(std::uint32_t mark);
    void collect(ByteView bytes);
    void complete(const Origin& origin);
    // Why `bytes` is shorter than the record.
    enum class Loss : std::uint8_t { none, not_captured, not_kept };
    void emit(ByteView bytes, std::uint64_t size, Loss loss, const Origin& origin);
    void emit_cut(const Origin& origin);
    void drop_record();
    void count_skipped(std::uint64_t bytes);

    MessageSink* sink_;
    const Catalogue* catalogue_;
    RecordBuffers* buffers_;

    State state_ = State::search;
    Shape shape_ = Shape::onc;
    bool shape_found_ = false;
    bool began_ = false;  // the next byte is the stream's first
    bool last_ = false;   // the fragment ends its record
    bool holed_ = false;  // bytes of the record are missing: keep no more
    std::uint8_t mark_size_ = 0;
    std::byte mark_[4] = {};
    std::uint32_t left_ = 0;         // of the fragment
    std::uint32_t descriptors_ = 0;  // libvirt's: each has a byte before the next mark
    std::uint64_t size_ = 0;         // of the record so far, without marks
    std::uint64_t searched_ = 0;
    std::int64_t time_ns_ = 0;  // of the latest bytes of the record
    std::uint64_t packet_ = 0;
    std::unique_ptr<RecordBuffers::Buffer> kept_;
    std::vector<std::byte> carry_;  // while searching: the end of a segment, too short to judge
};

}  // namespace helio::inspect
