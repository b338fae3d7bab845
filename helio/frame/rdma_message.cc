#include "helio/frame/rdma_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "helio/base/assert.h"
#include "helio/xdr/wire.h"

namespace helio::frame {
namespace {

constexpr std::size_t kWord = 4;
constexpr std::size_t kSegmentSize = 4 * kWord;
constexpr std::uint32_t kErrorVersion = 1;
constexpr std::uint32_t kErrorChunk = 2;

constexpr std::uint32_t kPrivateDataMagic = 0xf6ab0e18;
constexpr std::byte kPrivateDataVersion{1};
constexpr std::byte kRemoteInvalidationFlag{1};
constexpr std::size_t kPrivateDataUnit = 1024;

// The bytes that chunks are inserted into, and the message assembled so far. Sizes are summed in 64
// bits: a list of kRdmaSegmentsMax segments, or of a million, stays below 2^52.
class CallPlanner final {
 public:
    CallPlanner(const RdmaHeader& header, RdmaCallPlan& plan) : reads_(header.reads), plan_(plan) {}

    // The stream follows the header.
    void begin_inline(std::uint64_t size) { left_ = size; }
    // The stream is the chunk at position zero.
    void begin_in_chunk() {
        in_chunk_ = true;
        std::size_t end = 0;
        for (; end < reads_.size() && reads_[end].position == 0; ++end)
            left_ += reads_[end].target.length;
        stream_ = reads_.first(end);
        reads_ = reads_.subspan(end);
    }
    std::uint64_t stream_size() const { return left_; }

    // Bytes of the message, padding included.
    std::uint64_t total() const {
        std::uint64_t sum = in_chunk_ ? round_up(left_) : left_;
        for (std::span<const RdmaReadSegment> rest = reads_; !rest.empty();)
            sum += round_up(bytes_of_first_chunk(rest));
        return sum;
    }

    Result<void, RdmaPlanError> put_together() {
        while (!reads_.empty()) {
            const std::uint64_t position = reads_.front().position;
            if (position < at_)
                return fail(RdmaPlanError{RdmaPlanFault::position_overlap, position, at_});
            if (position - at_ > left_)
                return fail(RdmaPlanError{RdmaPlanFault::position_beyond, position, at_ + left_});
            stream_until(position);
            insert_chunk();
        }
        const std::uint64_t end = at_ + left_;
        stream_until(end);
        if (in_chunk_) pad();
        HELIO_ASSERT(at_ == plan_.size);
        return {};
    }

 private:
    static std::uint64_t round_up(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

    // Removes the first chunk from the front of `rest`.
    static std::uint64_t bytes_of_first_chunk(std::span<const RdmaReadSegment>& rest) {
        const std::uint32_t position = rest.front().position;
        std::uint64_t sum = 0;
        for (; !rest.empty() && rest.front().position == position; rest = rest.subspan(1))
            sum += rest.front().target.length;
        return sum;
    }

    void stream_until(std::uint64_t position) {
        const std::uint64_t size = position - at_;
        if (size == 0) return;
        left_ -= size;
        if (in_chunk_) return fetch_stream(size);
        plan_.moves.push_back(
            {from_, static_cast<std::size_t>(at_), static_cast<std::size_t>(size)});
        from_ += static_cast<std::size_t>(size);
        at_ = position;
    }

    // Fetches the next `size` bytes of the chunk at position zero; `from_` bytes of its first
    // segment are done.
    void fetch_stream(std::uint64_t size) {
        while (size != 0) {
            const RdmaSegment& segment = stream_.front().target;
            const std::uint64_t take = std::min<std::uint64_t>(size, segment.length - from_);
            fetch({segment.handle, static_cast<std::uint32_t>(take), segment.offset + from_});
            size -= take;
            from_ += static_cast<std::size_t>(take);
            if (from_ != segment.length) continue;
            from_ = 0;
            stream_ = stream_.subspan(1);
        }
    }

    void insert_chunk() {
        const std::uint32_t position = reads_.front().position;
        for (; !reads_.empty() && reads_.front().position == position; reads_ = reads_.subspan(1))
            fetch(reads_.front().target);
        pad();
    }

    void fetch(const RdmaSegment& segment) {
        if (segment.length == 0) return;
        plan_.fetches.push_back({segment, static_cast<std::size_t>(at_)});
        at_ += segment.length;
    }

    // Chunks begin at multiples of four, so the bytes missing to the next one are a chunk's
    // padding.
    void pad() {
        const std::uint64_t end = round_up(at_);
        if (end == at_) return;
        plan_.zeros.push_back(
            {0, static_cast<std::size_t>(at_), static_cast<std::size_t>(end - at_)});
        at_ = end;
    }

    std::span<const RdmaReadSegment> reads_;   // chunks not inserted yet
    std::span<const RdmaReadSegment> stream_;  // segments of the stream not used up, if in_chunk_
    RdmaCallPlan& plan_;
    bool in_chunk_ = false;
    std::uint64_t left_ = 0;  // of the stream
    std::uint64_t at_ = 0;    // in the message
    std::size_t from_ = 0;    // in what followed the header, or in the first segment of stream_
};

// Spreads `data` over the segments in order; `used` counts the bytes for each. The data fits.
void spread(ByteView data, std::span<const RdmaSegment> segments, std::uint32_t* used,
            std::vector<RdmaStore>& out) {
    for (const RdmaSegment& segment : segments) {
        const std::size_t size = std::min<std::size_t>(segment.length, data.size());
        if (used) *used++ = static_cast<std::uint32_t>(size);
        if (size == 0) continue;
        out.push_back({data.first(size), segment.handle, segment.offset});
        data = data.subspan(size);
    }
    HELIO_ASSERT(data.empty());
}

// Separates bulk data, which goes to the write chunks, from the rest.
Result<void, RdmaReplyFault> part_bulk(const RdmaOffer& offer,
                                       std::span<const xdr::Segment> message, RdmaReplyPlan& plan) {
    std::size_t chunk = 0;
    std::size_t padding = 0;  // of the preceding bulk data, still to be left out
    for (const xdr::Segment& segment : message) {
        ByteView bytes = segment.bytes();
        if (segment.bulk && chunk < offer.write_ends.size()) {
            HELIO_ASSERT(padding == 0);
            const std::span<const RdmaSegment> to = offer.write(chunk);
            const std::uint64_t room = bytes_of(to);
            const std::size_t first = offer.write_ends[chunk++] - to.size();
            if (room != 0) {
                if (bytes.size() > room) return fail(RdmaReplyFault::bulk_too_long);
                spread(bytes, to, plan.write_used.data() + first, plan.bulk);
                padding = padded(bytes.size()) - bytes.size();
                continue;
            }
        }
        const std::size_t skip = std::min(padding, bytes.size());
        padding -= skip;
        bytes = bytes.subspan(skip);
        if (bytes.empty()) continue;
        plan.rest.push_back(bytes);
        plan.rest_size += bytes.size();
    }
    return {};
}

// Writes consecutive words; there is enough room.
class WordsOut final {
 public:
    explicit WordsOut(std::span<std::byte> to) : at_(to.data()) {}

    void word(std::uint32_t value) {
        xdr::store_u32(at_, value);
        at_ += kWord;
    }
    void start(std::uint32_t xid, std::uint32_t version, std::uint32_t credits, RdmaKind kind) {
        word(xid);
        word(version);
        word(credits);
        word(static_cast<std::uint32_t>(kind));
    }
    void segment(std::uint32_t handle, std::uint32_t length, std::uint64_t offset) {
        word(handle);
        word(length);
        xdr::store_u64(at_, offset);
        at_ += 2 * kWord;
    }
    // Writes a chunk: `used` bytes of each segment, or all of it.
    void chunk(std::span<const RdmaSegment> segments, const std::uint32_t* used) {
        word(1);
        word(static_cast<std::uint32_t>(segments.size()));
        for (const RdmaSegment& one : segments)
            segment(one.handle, used ? *used++ : one.length, one.offset);
    }

 private:
    std::byte* at_;
};

// A presence word, a count and the segments.
std::size_t chunk_size(std::size_t segments) { return 2 * kWord + segments * kSegmentSize; }

// Four words at the start, and three that end the lists.
constexpr std::size_t kEmptyHeaderSize = 7 * kWord;

void store_private_size(std::byte& to, std::size_t units) {
    to = static_cast<std::byte>(
        std::clamp<std::size_t>(units, 1, kRdmaInlineMax / kPrivateDataUnit) - 1);
}

}  // namespace

Result<void, RdmaPlanError> plan_rdma_call(const RdmaHeader& header, std::size_t inline_size,
                                           std::size_t message_bytes_max, RdmaCallPlan& plan) {
    plan.size = 0;
    plan.fetches.clear();
    plan.moves.clear();
    plan.zeros.clear();
    CallPlanner planner{header, plan};
    if (header.kind == RdmaKind::message) {
        planner.begin_inline(inline_size);
    } else {
        if (header.kind != RdmaKind::no_message || !header.message_in_reads())
            return fail(RdmaPlanError{RdmaPlanFault::no_message});
        planner.begin_in_chunk();
        if (planner.stream_size() == 0) return fail(RdmaPlanError{RdmaPlanFault::empty_chunk});
    }
    const std::uint64_t total = planner.total();
    if (total > message_bytes_max)
        return fail(RdmaPlanError{RdmaPlanFault::too_long, total, message_bytes_max});
    plan.size = static_cast<std::size_t>(total);
    return planner.put_together();
}

std::string to_text(const RdmaPlanError& error) {
    switch (error.fault) {
        case RdmaPlanFault::no_message:
            return "there is no message, neither behind the header nor in a chunk at position 0";
        case RdmaPlanFault::position_beyond:
            return fmt::format("a chunk at position {} of a message that ends at {}", error.got,
                               error.limit);
        case RdmaPlanFault::position_overlap:
            return fmt::format("a chunk at position {}, inside the one before it, which ends at {}",
                               error.got, error.limit);
        case RdmaPlanFault::empty_chunk:
            return "the chunk at position 0, which is the message, has no bytes";
        case RdmaPlanFault::too_long:
            return fmt::format("a message of {} bytes, more than {}", error.got, error.limit);
    }
    return {};
}

void RdmaOffer::take(const RdmaHeader& header) {
    xid = header.xid;
    write_segments = header.write_segments;
    write_ends = header.write_ends;
    has_reply = header.has_reply;
    reply = header.reply;

    invalidate.reset();
    bool same = true;
    const auto look = [&](const RdmaSegment& segment) {
        if (!invalidate) invalidate = segment.handle;
        same = same && *invalidate == segment.handle;
    };
    for (const RdmaReadSegment& read : header.reads) look(read.target);
    for (const RdmaSegment& segment : write_segments) look(segment);
    for (const RdmaSegment& segment : reply) look(segment);
    if (!same) invalidate.reset();
}

std::uint64_t RdmaOffer::write_bytes() const { return bytes_of(write_segments); }

std::uint64_t RdmaOffer::reply_bytes() const { return bytes_of(reply); }

std::size_t RdmaOffer::header_size_without_reply_chunk() const {
    return kEmptyHeaderSize + write_ends.size() * chunk_size(0) +
           write_segments.size() * kSegmentSize;
}

std::size_t RdmaOffer::header_size_with_reply_chunk() const {
    // The presence word of a reply chunk is always there.
    return header_size_without_reply_chunk() + (has_reply ? chunk_size(reply.size()) - kWord : 0);
}

Result<void, RdmaReplyFault> plan_rdma_reply(const RdmaOffer& offer,
                                             std::span<const xdr::Segment> message,
                                             std::size_t inline_max, RdmaReplyPlan& plan) {
    plan.bulk.clear();
    plan.rest.clear();
    plan.rest_size = 0;
    plan.in_reply_chunk = false;
    plan.write_used.assign(offer.write_segments.size(), 0);
    plan.reply_used.assign(offer.reply.size(), 0);
    if (const auto parted = part_bulk(offer, message, plan); !parted) return parted;

    const std::size_t inline_header = offer.header_size_without_reply_chunk();
    if (inline_header <= inline_max && plan.rest_size <= inline_max - inline_header) return {};
    // The header that announces the chunk must fit inline, too.
    if (!offer.has_reply || offer.reply_bytes() < plan.rest_size ||
        offer.header_size_with_reply_chunk() > inline_max)
        return fail(RdmaReplyFault::reply_too_long);
    plan.in_reply_chunk = true;
    std::size_t left = plan.rest_size;
    for (std::size_t i = 0; i < offer.reply.size(); ++i) {
        const std::size_t used = std::min<std::size_t>(left, offer.reply[i].length);
        plan.reply_used[i] = static_cast<std::uint32_t>(used);
        left -= used;
    }
    return {};
}

void store_in_reply_chunk(const RdmaOffer& offer, ByteView message, std::vector<RdmaStore>& out) {
    spread(message, offer.reply, nullptr, out);
}

std::size_t write_rdma_reply_header(const RdmaOffer& offer, const RdmaReplyPlan& plan,
                                    std::uint32_t credits, std::span<std::byte> to) {
    const std::size_t size = plan.in_reply_chunk ? offer.header_size_with_reply_chunk()
                                                 : offer.header_size_without_reply_chunk();
    if (size > to.size()) return size;
    HELIO_ASSERT(plan.write_used.size() == offer.write_segments.size());
    HELIO_ASSERT(plan.reply_used.size() == offer.reply.size());
    WordsOut out{to};
    out.start(offer.xid, kRdmaVersion, credits,
              plan.in_reply_chunk ? RdmaKind::no_message : RdmaKind::message);
    out.word(0);  // a reply has no read list
    const std::uint32_t* used = plan.write_used.data();
    for (std::size_t i = 0; i < offer.write_ends.size(); ++i) {
        const std::span<const RdmaSegment> chunk = offer.write(i);
        out.chunk(chunk, used);
        used += chunk.size();
    }
    out.word(0);
    if (plan.in_reply_chunk)
        out.chunk(offer.reply, plan.reply_used.data());
    else
        out.word(0);
    return size;
}

std::size_t write_rdma_call_header(const RdmaCallHeader& header, std::span<std::byte> to) {
    std::size_t size = kEmptyHeaderSize + header.reads.size() * (2 * kWord + kSegmentSize);
    if (!header.write.empty()) size += chunk_size(header.write.size());
    if (!header.reply.empty()) size += chunk_size(header.reply.size()) - kWord;
    if (size > to.size()) return size;
    WordsOut out{to};
    out.start(header.xid, kRdmaVersion, header.credits,
              header.no_message ? RdmaKind::no_message : RdmaKind::message);
    for (const RdmaReadSegment& read : header.reads) {
        out.word(1);
        out.word(read.position);
        out.segment(read.target.handle, read.target.length, read.target.offset);
    }
    out.word(0);
    if (!header.write.empty()) out.chunk(header.write, nullptr);
    out.word(0);
    if (!header.reply.empty())
        out.chunk(header.reply, nullptr);
    else
        out.word(0);
    return size;
}

std::size_t write_rdma_error(std::uint32_t xid, std::uint32_t version, std::uint32_t credits,
                             bool is_version, std::span<std::byte> to) {
    const std::size_t size = is_version ? kRdmaErrorSize : kRdmaErrorSize - 2 * kWord;
    if (size > to.size()) return size;
    WordsOut out{to};
    out.start(xid, version, credits, RdmaKind::error);
    out.word(is_version ? kErrorVersion : kErrorChunk);
    if (!is_version) return size;
    out.word(kRdmaVersion);
    out.word(kRdmaVersion);
    return size;
}

void write_rdma_private_data(const RdmaPrivateData& data,
                             std::span<std::byte, kRdmaPrivateDataSize> to) {
    xdr::store_u32(to.data(), kPrivateDataMagic);
    to[4] = kPrivateDataVersion;
    to[5] = data.remote_invalidation ? kRemoteInvalidationFlag : std::byte{0};
    store_private_size(to[6], data.send_size / kPrivateDataUnit +
                                  (data.send_size % kPrivateDataUnit != 0 ? 1 : 0));
    store_private_size(to[7], data.receive_size / kPrivateDataUnit);
}

RdmaPrivateData read_rdma_private_data(ByteView bytes) {
    RdmaPrivateData data;
    if (bytes.size() < kRdmaPrivateDataSize || xdr::load_u32(bytes.data()) != kPrivateDataMagic ||
        bytes[4] != kPrivateDataVersion)
        return data;
    const auto size = [](std::byte code) {
        return (std::to_integer<std::size_t>(code) + 1) * kPrivateDataUnit;
    };
    data.remote_invalidation = (bytes[5] & kRemoteInvalidationFlag) != std::byte{0};
    data.send_size = size(bytes[6]);
    data.receive_size = size(bytes[7]);
    return data;
}

}  // namespace helio::frame
