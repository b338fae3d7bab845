#include "helio/transport/stream/send_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "helio/transport/socket/descriptors.h"

namespace helio::transport {

namespace {

constexpr int kSendFlags = MSG_NOSIGNAL | MSG_DONTWAIT;
// Pieces of one sendmsg; the kernel takes 1,024.
constexpr std::size_t kPiecesMax = 256;
// Copied bytes up to this size share memory.
constexpr std::size_t kChunkSize = 16u << 10;
// Encoded at once, and so roughly what is held for the socket: four TLS records.
constexpr std::size_t kEncodeBytesMax = 64u << 10;

// Pieces of memory for one sendmsg. Small ones are copied together: the kernel takes longer to
// handle a piece than to copy it.
class SendGather final {
 public:
    bool is_full() const { return count_ == kPiecesMax; }
    void add(ByteView bytes) {
        const std::byte* at = bytes.data();
        if (bytes.size() <= kCopiedMax && bytes.size() <= copies_.size() - copied_) {
            std::byte* const copy = copies_.data() + copied_;
            std::memcpy(copy, bytes.data(), bytes.size());
            copied_ += bytes.size();
            if (end_ == copy) {
                pieces_[count_ - 1].iov_len += bytes.size();
                end_ += bytes.size();
                return;
            }
            at = copy;
        }
        pieces_[count_++] = {const_cast<std::byte*>(at), bytes.size()};
        end_ = at + bytes.size();
    }
    ssize_t send(Network& network, int socket, int more) {
        msghdr message{};
        message.msg_iov = pieces_.data();
        message.msg_iovlen = count_;
        return network.sendmsg(socket, &message, kSendFlags | more);
    }

 private:
    static constexpr std::size_t kCopiedMax = 512;
    std::array<iovec, kPiecesMax> pieces_;
    std::size_t count_ = 0;
    const std::byte* end_ = nullptr;  // of the last piece
    std::array<std::byte, 16u << 10> copies_;
    std::size_t copied_ = 0;
};

}  // namespace

// Bytes that the queue owns.
class SendQueue::Chunk final : public Outgoing {
 public:
    Chunk(SendQueue& owner, rpc::BufferRef memory) : queue(owner), buffer(std::move(memory)) {}
    void on_sent() override { queue.recycle(*this); }

    SendQueue& queue;
    rpc::BufferRef buffer;
    std::size_t used = 0;
    xdr::Segment segment;
    std::vector<rpc::Batch::Descriptor> descriptors;
};

SendQueue::SendQueue(rpc::BufferPool& pool) : pool_(pool) {}

SendQueue::~SendQueue() { clear(); }

void SendQueue::check(Outgoing& entry) const {
    HELIO_ASSERT(!encoded_ || entry.descriptors_.empty());
    advance(entry, 0);  // skip empty segments
}

bool SendQueue::take_back(Outgoing& entry) {
    HELIO_ASSERT(entry.is_queued() && !advancing_);
    if (entry.has_begun()) return false;
    OutgoingQueue::remove(entry);
    bytes_ -= entry.unsent();
    return true;
}

void SendQueue::clear() {
    HELIO_ASSERT(!advancing_);
    queue_.clear();
    chunks_.clear();
    tail_ = nullptr;
    encoded_.reset();
    bytes_ = 0;
}

void SendQueue::set_layer(Layer& layer) {
    HELIO_ASSERT(empty());
    encoded_ = std::make_unique<Encoded>(Encoded{layer, {}, {}});
}

// ---- Bytes that are copied ----

// Returns the last entry if that is a chunk with room, otherwise a new one.
SendQueue::Chunk* SendQueue::chunk_for(std::size_t size) {
    if (tail_ != nullptr && tail_->used < tail_->buffer->capacity) return tail_;
    rpc::BufferRef buffer = pool_.take(std::max(size, kChunkSize));
    if (!buffer) return nullptr;
    chunks_.push_back(std::make_unique<Chunk>(*this, std::move(buffer)));
    return chunks_.back().get();
}

void SendQueue::add(Chunk& chunk, ByteView bytes) {
    std::byte* const begin = chunk.buffer->bytes.get();
    std::memcpy(begin + chunk.used, bytes.data(), bytes.size());
    chunk.used += bytes.size();
    chunk.segment.data = ByteView{begin, chunk.used};
    chunk.size_ += bytes.size();
    bytes_ += bytes.size();
    if (chunk.is_queued()) return;
    chunk.segments_ = {&chunk.segment, 1};
    chunk.is_simple_ = chunk.descriptors.empty();
    queue_.push_back(chunk);
    tail_ = &chunk;
}

bool SendQueue::write(ByteView bytes) {
    while (!bytes.empty()) {
        Chunk* const chunk = chunk_for(bytes.size());
        if (chunk == nullptr) return false;
        const std::size_t size = std::min(bytes.size(), chunk->buffer->capacity - chunk->used);
        add(*chunk, bytes.first(size));
        bytes = bytes.subspan(size);
    }
    return true;
}

bool SendQueue::write(Fd descriptor) {
    HELIO_ASSERT(!encoded_);
    Chunk* const chunk = chunk_for(1);
    if (chunk == nullptr) return false;
    auto& all = chunk->descriptors;
    const std::size_t sent = all.size() - chunk->descriptors_.size();
    all.push_back({chunk->used, std::move(descriptor)});
    chunk->descriptors_ = std::span{all}.subspan(sent);
    chunk->is_simple_ = false;
    constexpr std::byte kZero{0};
    add(*chunk, {&kZero, 1});
    return true;
}

bool SendQueue::copy_rest(Outgoing& entry) {
    HELIO_ASSERT(entry.is_queued() && !advancing_);
    rpc::BufferRef buffer = pool_.take(entry.unsent());
    if (!buffer) return false;
    std::byte* at = buffer->bytes.get();
    std::size_t skip = entry.skip_;
    for (const xdr::Segment& one : entry.segments_) {
        if (!one.data.copy_to(at, skip, one.size() - skip)) return false;
        at += one.size() - std::exchange(skip, 0);
    }
    auto chunk = std::make_unique<Chunk>(*this, std::move(buffer));
    chunk->used = chunk->size_ = entry.unsent();
    chunk->segment.data = ByteView{chunk->buffer->bytes.get(), chunk->used};
    chunk->segments_ = {&chunk->segment, 1};
    for (rpc::Batch::Descriptor& one : entry.descriptors_)
        chunk->descriptors.push_back({one.offset - entry.sent_, std::move(one.fd)});
    chunk->descriptors_ = chunk->descriptors;
    chunk->is_simple_ = chunk->descriptors.empty();
    OutgoingQueue::replace(entry, *chunk);
    chunks_.push_back(std::move(chunk));
    return true;
}

void SendQueue::recycle(Chunk& chunk) {
    if (tail_ == &chunk) tail_ = nullptr;
    const auto place = std::find_if(chunks_.begin(), chunks_.end(),
                                    [&](const auto& one) { return one.get() == &chunk; });
    chunks_.erase(place);
}

// ---- Sending ----

ssize_t SendQueue::send(Network& network, int socket) {
    HELIO_ASSERT(!empty());
    if (encoded_) [[unlikely]]
        return send_encoded(network, socket);
    // The usual case: the replies of a turn in one piece, and nothing after them.
    const Outgoing& first = *queue_.first();
    const bool is_alone = first.is_simple_ && first.unsent() == bytes_;
    const ssize_t sent = is_alone ? network.send(socket, first.rest().data(), bytes_, kSendFlags)
                                  : send_next(network, socket);
    if (sent > 0) [[likely]]
        advance(static_cast<std::size_t>(sent));
    return sent;
}

ssize_t SendQueue::send_next(Network& network, int socket) {
    const Outgoing& first = *queue_.first();
    if (first.is_simple_) return send_gathered(network, socket);
    if (first.segments_.front().data.is_file()) return send_file(network, socket, first);
    if (!first.descriptors_.empty() && first.descriptors_.front().offset == first.sent_)
        return send_descriptor(network, socket, first.descriptors_.front().fd.get());
    return send_gathered(network, socket);
}

// Bytes in memory, up to the next descriptor or piece of a file.
ssize_t SendQueue::send_gathered(Network& network, int socket) {
    SendGather gather;
    for (const Outgoing* one = queue_.first(); one != nullptr; one = queue_.after(*one)) {
        if (gather.is_full()) break;
        if (one->is_simple_) [[likely]] {
            gather.add(one->rest());
            continue;
        }
        std::size_t room = SIZE_MAX;
        if (!one->descriptors_.empty()) room = one->descriptors_.front().offset - one->sent_;
        std::size_t skip = one->skip_;
        for (const xdr::Segment& segment : one->segments_) {
            if (segment.data.is_file()) [[unlikely]]
                return gather.send(network, socket, MSG_MORE);  // a header goes with its data
            if (gather.is_full() || room == 0) return gather.send(network, socket, 0);
            ByteView bytes = segment.bytes().subspan(std::exchange(skip, 0));
            bytes = bytes.first(std::min(bytes.size(), room));
            if (!bytes.empty()) gather.add(bytes);
            room -= bytes.size();
        }
        if (!one->descriptors_.empty()) break;
    }
    return gather.send(network, socket, 0);
}

ssize_t SendQueue::send_file(Network& network, int socket, const Outgoing& entry) {
    const xdr::Segment& segment = entry.segments_.front();
    const std::size_t size = segment.size() - entry.skip_;
    const FilePiece& file = segment.data.file();
    auto offset = static_cast<off_t>(file.offset + entry.skip_);
    const ssize_t sent = network.sendfile(socket, file.descriptor, &offset, size);
    // A disk error closes the connection: the client asks again and gets the error.
    if (sent != 0) return sent;
    // The file has become shorter since its size was announced, so the rest is sent as zeros. A
    // reader of a file that shrinks and grows meanwhile would find zeros too.
    static constexpr std::array<std::byte, 16384> kZeros{};
    return network.send(socket, kZeros.data(), std::min(size, kZeros.size()), kSendFlags);
}

// Skips bytes that have been sent, and empty segments.
void SendQueue::advance(Outgoing& entry, std::size_t bytes) {
    entry.sent_ += bytes;
    entry.skip_ += bytes;
    while (!entry.segments_.empty() && entry.skip_ >= entry.segments_.front().size()) {
        entry.skip_ -= entry.segments_.front().size();
        entry.segments_ = entry.segments_.subspan(1);
    }
    while (!entry.descriptors_.empty() && entry.descriptors_.front().offset < entry.sent_)
        entry.descriptors_ = entry.descriptors_.subspan(1);
}

void SendQueue::advance(std::size_t bytes) {
    bytes_ -= bytes;
    advancing_ = true;
    while (bytes > 0) {
        Outgoing& first = *queue_.first();
        const std::size_t rest = first.unsent();
        if (bytes < rest) {
            advance(first, bytes);
            break;
        }
        bytes -= rest;
        OutgoingQueue::remove(first);
        first.sent_ = first.size_;
        first.on_sent();
    }
    advancing_ = false;
}

// ---- Through a layer ----

ssize_t SendQueue::send_encoded(Network& network, int socket) {
    Encoded& encoded = *encoded_;
    if (encoded.wire.empty() && !encode_some()) return -1;
    if (encoded.wire.empty()) return 0;  // the layer waits for more
    const ByteView rest = ByteView{encoded.wire}.subspan(encoded.sent);
    const ssize_t sent = network.send(socket, rest.data(), rest.size(), kSendFlags);
    if (sent <= 0) return sent;
    bytes_ -= static_cast<std::size_t>(sent);
    encoded.sent += static_cast<std::size_t>(sent);
    if (encoded.sent < encoded.wire.size()) return sent;
    encoded.wire.clear();
    encoded.sent = 0;
    return sent;
}

bool SendQueue::encode_some() {
    Encoded& encoded = *encoded_;
    encoded.plain.resize(std::min(bytes_, kEncodeBytesMax));
    std::size_t have = 0;
    while (have < encoded.plain.size()) {
        const Outgoing& first = *queue_.first();
        const xdr::Segment& segment = first.segments_.front();
        const std::size_t size =
            std::min(segment.size() - first.skip_, encoded.plain.size() - have);
        if (!segment.data.copy_to(encoded.plain.data() + have, first.skip_, size)) return false;
        have += size;
        advance(size);
    }
    if (!encoded.layer.encode(encoded.plain, encoded.wire)) {
        errno = EBADMSG;
        return false;
    }
    bytes_ += encoded.wire.size();
    return true;
}

void SendQueue::check_invariants() {
    std::size_t sum = encoded_ ? encoded_->wire.size() - encoded_->sent : 0;
    const Outgoing* const first = queue_.first();
    for (const Outgoing* one = first; one != nullptr; one = queue_.after(*one)) {
        HELIO_ASSERT(one->unsent() > 0 && (one == first || !one->has_begun()));
        HELIO_ASSERT(!encoded_ || one->descriptors_.empty());
        std::size_t left = 0;
        for (const xdr::Segment& segment : one->segments_) left += segment.size();
        HELIO_ASSERT(left - one->skip_ == one->unsent());
        sum += one->unsent();
    }
    HELIO_ASSERT(sum == bytes_);
    HELIO_ASSERT(tail_ == nullptr || tail_ == queue_.last());
}

}  // namespace helio::transport
