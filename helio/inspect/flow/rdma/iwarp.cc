#include "helio/inspect/flow/rdma/iwarp.h"

#include <algorithm>

#include "helio/xdr/wire.h"

namespace helio::inspect {
namespace {

// RFC 5044 §7.1: 16 bytes of text, flags, revision, length of private data.
constexpr std::string_view kRequestKey = "MPA ID Req Frame";
constexpr std::string_view kReplyKey = "MPA ID Rep Frame";
constexpr std::size_t kOpeningSize = 20;
constexpr std::byte kMarkersFlag{0x80};

constexpr std::size_t kLengthSize = 2;
constexpr std::size_t kCrcSize = 4;
constexpr std::size_t kControlsSize = kLengthSize + 2;
constexpr std::size_t kTaggedSize = kLengthSize + 14;  // up to the payload
constexpr std::size_t kUntaggedSize = kLengthSize + 18;
constexpr std::size_t kReadRequestSize = 28;

// RFC 5040 §4.1, table 4.
enum Operation : std::uint8_t {
    kWrite = 0,
    kReadRequest = 1,
    kReadResponse = 2,
    kSend = 3,
    kSendLast = 6,  // with Invalidate, with Solicited Event, with both
    kTerminate = 7,
};

// Reads of one end whose responses are pending; ends allow at most this many at once.
constexpr std::size_t kReadsUnderWayMax = 256;

std::uint8_t byte_at(ByteView bytes, std::size_t at) {
    return std::to_integer<std::uint8_t>(bytes[at]);
}
std::size_t length_of(ByteView frame) {
    return std::size_t{byte_at(frame, 0)} << 8 | byte_at(frame, 1);
}
std::size_t opening_size(ByteView opening) { return kOpeningSize + length_of(opening.subspan(18)); }
std::size_t frame_size(ByteView frame) { return padded(kLengthSize + length_of(frame)) + kCrcSize; }
std::uint8_t operation_of(ByteView frame) { return byte_at(frame, 3) & 0xf; }
bool is_tagged(std::uint8_t operation) { return operation == kWrite || operation == kReadResponse; }

// Can a frame begin like this? Checks as much of a header as is available, at least the length.
bool may_be_frame(ByteView bytes) {
    const std::size_t length = length_of(bytes);
    if (length < kTaggedSize - kLengthSize) return false;
    if (bytes.size() < kControlsSize) return true;
    // RFC 5041 §4.1: tagged, last, reserved, version 1. RFC 5040 §4.1: version 1, reserved, opcode.
    const std::uint8_t ddp = byte_at(bytes, 2);
    const std::uint8_t operation = operation_of(bytes);
    if ((ddp & 0x3f) != 1 || (byte_at(bytes, 3) & 0xf0) != 0x40 || operation > kTerminate)
        return false;
    if (((ddp & 0x80) != 0) != is_tagged(operation)) return false;
    if (is_tagged(operation)) return true;
    if (length < kUntaggedSize - kLengthSize) return false;
    if (operation == kReadRequest && length != kUntaggedSize - kLengthSize + kReadRequestSize)
        return false;
    if (bytes.size() < kUntaggedSize) return true;
    // Each operation has its own queue.
    const std::uint32_t queue = operation == kReadRequest ? 1 : operation == kTerminate ? 2 : 0;
    return xdr::load_u32(bytes.data() + 8) == queue;
}

// After a loss: a header of an unmistakable kind, or one followed by another.
bool begins_frame(ByteView bytes, bool at_segment) {
    if (bytes.size() < kUntaggedSize || !may_be_frame(bytes)) return false;
    const std::size_t size = frame_size(bytes);
    if (bytes.size() >= size + kControlsSize) return may_be_frame(bytes.subspan(size));
    return at_segment || !is_tagged(operation_of(bytes));
}

bool begins_with(ByteView bytes, std::string_view key) {
    return bytes.size() >= key.size() && as_text(bytes.first(key.size())) == key;
}

}  // namespace

Iwarp::Iwarp(MessageSink& sink, const Catalogue& catalogue, const FlowEnds& ends,
             RdmaShared* shared)
    : sink_(sink),
      own_(shared == nullptr ? std::make_unique<RdmaShared>() : nullptr),
      assembler_(sink, catalogue, shared == nullptr ? *own_ : *shared, ends, Carrier::iwarp) {}

bool Iwarp::looks_like(ByteView begin) {
    if (begins_with(begin, kRequestKey) || begins_with(begin, kReplyKey)) return true;
    if (begin.size() < kUntaggedSize || !may_be_frame(begin)) return false;
    const std::uint8_t operation = operation_of(begin);
    if (operation < kSend || operation > kSendLast) return false;
    if (xdr::load_u32(begin.data() + 16) != 0) return false;  // not the start of a Send
    const std::size_t size = std::min(begin.size(), kLengthSize + length_of(begin));
    frame::RdmaHeader header;
    return frame::read_rdma_header(begin.first(size).subspan(kUntaggedSize), header).has_value();
}

void Iwarp::data(std::uint8_t direction, ByteView bytes, std::int64_t time_ns,
                 std::uint64_t packet) {
    Side& side = sides_[direction];
    side.when = {time_ns, packet};
    while (!bytes.empty()) {
        if (side.state == State::closed) return sink_.unread(Unread::not_rpc, bytes.size(), 0);
        if (side.skip > 0) {
            const std::size_t skipped = std::min<std::uint64_t>(side.skip, bytes.size());
            sink_.unread(Unread::skipped_to_resync, skipped, 0);
            side.skip -= skipped;
            bytes = bytes.subspan(skipped);
            continue;
        }
        if (side.begun.empty()) {
            const std::size_t used = next(direction, bytes);
            if (used == 0) side.begun.assign(bytes.begin(), bytes.end());
            bytes = used == 0 ? ByteView{} : bytes.subspan(used);
            continue;
        }
        bytes = bytes.subspan(continue_frame(direction, bytes));
    }
}

// Adds to a frame that has begun, only as many bytes as the next decision needs. Returns the count.
std::size_t Iwarp::continue_frame(std::uint8_t direction, ByteView bytes) {
    Side& side = sides_[direction];
    const std::size_t have = side.begun.size();
    std::size_t wanted = side.state == State::opening ? kOpeningSize : kUntaggedSize;
    if (have >= wanted)
        wanted = side.state == State::opening ? opening_size(side.begun) : frame_size(side.begun);
    const std::size_t more = std::min(wanted > have ? wanted - have : 1, bytes.size());
    side.begun.insert(side.begun.end(), bytes.begin(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(more));
    std::vector<std::byte> begun;
    begun.swap(side.begun);
    const std::size_t used = next(direction, begun);
    begun.erase(begun.begin(), begun.begin() + static_cast<std::ptrdiff_t>(used));
    if (side.state == State::searching) {
        if (!begun.empty()) sink_.unread(Unread::skipped_to_resync, begun.size(), 0);
        begun.clear();
    }
    side.begun.swap(begun);
    return more;
}

// Consumes one unit from the front of `bytes`. Returns its size, or 0 if it needs more bytes.
std::size_t Iwarp::next(std::uint8_t direction, ByteView bytes) {
    Side& side = sides_[direction];
    if (side.state == State::opening) return opening(direction, bytes);
    if (side.state == State::searching) return search(direction, bytes);
    if (bytes.size() < kLengthSize) return 0;
    if (!may_be_frame(bytes)) {
        sink_.unread(Unread::record_damaged, 1, 0);
        side.state = State::searching;
        return 1;
    }
    const std::size_t size = frame_size(bytes);
    if (bytes.size() < size) return 0;
    frame(direction, bytes.first(size));
    return size;
}

std::size_t Iwarp::opening(std::uint8_t direction, ByteView bytes) {
    const std::size_t compared = std::min(bytes.size(), kRequestKey.size());
    const std::string_view text = as_text(bytes.first(compared));
    if (text != kRequestKey.substr(0, compared) && text != kReplyKey.substr(0, compared)) {
        sides_[direction].state = State::frames;  // joined in the middle
        return next(direction, bytes);
    }
    if (bytes.size() < kOpeningSize) return 0;
    const std::size_t size = opening_size(bytes);
    if (bytes.size() < size) return 0;
    sides_[direction].state = State::frames;
    if ((bytes[16] & kMarkersFlag) != std::byte{0}) {
        // This end requested markers. We do not read such frames.
        sink_.unread(Unread::not_rpc, size, 0);
        sides_[1 - direction].state = State::closed;
    }
    return size;
}

std::size_t Iwarp::search(std::uint8_t direction, ByteView bytes) {
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        if (!begins_frame(bytes.subspan(at), at == 0)) continue;
        if (at > 0) sink_.unread(Unread::skipped_to_resync, at, 0);
        sides_[direction].state = State::frames;
        return at == 0 ? next(direction, bytes) : at;
    }
    sink_.unread(Unread::skipped_to_resync, bytes.size(), 0);
    return bytes.size();
}

void Iwarp::gap(std::uint8_t direction, std::uint64_t bytes) {
    Side& side = sides_[direction];
    if (side.state == State::closed) return;
    if (side.skip > 0) {
        if (bytes > side.skip) side.state = State::searching;
        side.skip -= std::min(side.skip, bytes);
        return;
    }
    std::vector<std::byte> begun;
    begun.swap(side.begun);
    const bool in_frame = side.state == State::frames && begun.size() >= kLengthSize;
    if (in_frame && begun.size() >= kUntaggedSize)
        frame(direction, begun);
    else if (!begun.empty())
        sink_.unread(Unread::lost, begun.size(), 0);
    const std::size_t left = in_frame ? frame_size(begun) - begun.size() : 0;
    if (bytes <= left)
        side.skip = left - bytes;
    else
        side.state = State::searching;
}

void Iwarp::finish() {
    for (std::uint8_t direction = 0; direction < 2; ++direction) {
        Side& side = sides_[direction];
        if (!side.begun.empty()) gap(direction, 1);
        if (side.sending) end_cut_send(direction);
    }
    assembler_.finish();
    if (own_ && own_->memory.bytes() > 0) sink_.unread(Unread::lost, own_->memory.bytes(), 0);
}

// A frame, or the captured part of it, with its header complete.
void Iwarp::frame(std::uint8_t direction, ByteView bytes) {
    const std::size_t size = kLengthSize + length_of(bytes);
    const ByteView there = bytes.first(std::min(bytes.size(), size));
    const std::uint8_t operation = operation_of(bytes);
    if (is_tagged(operation)) return tagged(direction, operation, there);
    const bool last = (byte_at(bytes, 2) & 0x40) != 0;
    untagged(direction, operation, last, there, size - kUntaggedSize);
}

void Iwarp::tagged(std::uint8_t direction, std::uint8_t operation, ByteView bytes) {
    const std::uint32_t tag = xdr::load_u32(bytes.data() + 4);
    const std::uint64_t offset = xdr::load_u64(bytes.data() + 8);
    const ByteView payload = bytes.subspan(kTaggedSize);
    const When when = sides_[direction].when;
    const auto receiver = static_cast<std::uint8_t>(1 - direction);
    if (operation == kWrite) return assembler_.moved(receiver, tag, offset, payload, when);
    // A response names its destination; only the request names the source.
    const std::deque<Read>& reads = sides_[receiver].reads;
    for (auto read = reads.rbegin(); read != reads.rend(); ++read) {
        const std::uint64_t at = offset - read->sink_offset;
        if (read->sink_tag != tag || at > read->size || payload.size() > read->size - at) continue;
        return assembler_.moved(direction, read->source_tag, read->source_offset + at, payload,
                                when);
    }
    sink_.unread(Unread::lost, payload.size(), 0);
}

void Iwarp::untagged(std::uint8_t direction, std::uint8_t operation, bool last, ByteView bytes,
                     std::size_t size) {
    if (operation == kTerminate) return sink_.unread(Unread::not_rpc, size, 0);
    if (operation != kReadRequest) return send(direction, last, bytes, size);
    const ByteView payload = bytes.subspan(kUntaggedSize);
    if (payload.size() < kReadRequestSize) return sink_.unread(Unread::not_captured, size, 0);
    std::deque<Read>& reads = sides_[direction].reads;
    if (reads.size() >= kReadsUnderWayMax) reads.pop_front();
    reads.push_back({.sink_tag = xdr::load_u32(payload.data()),
                     .source_tag = xdr::load_u32(payload.data() + 16),
                     .size = xdr::load_u32(payload.data() + 12),
                     .sink_offset = xdr::load_u64(payload.data() + 4),
                     .source_offset = xdr::load_u64(payload.data() + 20)});
}

void Iwarp::send(std::uint8_t direction, bool last, ByteView bytes, std::size_t size) {
    Side& side = sides_[direction];
    const std::uint32_t number = xdr::load_u32(bytes.data() + 12);
    const std::uint32_t offset = xdr::load_u32(bytes.data() + 16);
    const ByteView payload = bytes.subspan(kUntaggedSize);
    if (side.sending && number != side.send_number) end_cut_send(direction);
    if (offset == 0 && last && payload.size() == size)
        return assembler_.send(direction, payload, size, side.when);
    if (!side.sending) {
        if (offset != 0) return sink_.unread(Unread::lost, size, 0);
        side.sending = side.send_whole = true;
        side.send_number = number;
        side.send.clear();
    }
    if (offset != side.send.size() || side.send.size() + payload.size() > kRdmaSendBytesMax)
        side.send_whole = false;
    if (side.send_whole) side.send.insert(side.send.end(), payload.begin(), payload.end());
    if (payload.size() < size) side.send_whole = false;
    if (last) end_send(direction, std::uint64_t{offset} + size);
}

void Iwarp::end_send(std::uint8_t direction, std::uint64_t size) {
    Side& side = sides_[direction];
    side.sending = false;
    assembler_.send(direction, side.send, std::max<std::uint64_t>(size, side.send.size()),
                    side.when);
}

// Its last frames are missing, so its size is unknown; a message counts as cut if it is larger than
// the bytes we have.
void Iwarp::end_cut_send(std::uint8_t direction) {
    end_send(direction, sides_[direction].send.size() + 1);
}

}  // namespace helio::inspect
