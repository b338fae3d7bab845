#include "helio/inspect/flow/rdma/rdma.h"

#include <algorithm>

#include "helio/reflect/decode.h"
#include "helio/xdr/wire.h"

namespace helio::inspect {

using frame::RdmaKind;
using frame::RdmaReadSegment;
using frame::RdmaSegment;

namespace {

// A @bulk field comes early in a result; replies with more fields than this have none.
constexpr std::uint32_t kResultNodesMax = 64u << 10;

// How many Sends and transfers of its ends a reply waits for its call's data. Captures reorder
// packets by a few places only.
constexpr std::uint64_t kReplyPatience = 16;

std::uint64_t call_key(std::uint32_t caller, std::uint32_t xid) {
    return std::uint64_t{caller} << 32 | xid;
}

}  // namespace

void RdmaShared::remember(std::uint32_t caller, std::uint32_t xid, const Procedure& procedure) {
    const std::uint64_t key = call_key(caller, xid);
    if (calls_.insert_or_assign(key, &procedure).second) order_.push_back(key);
    if (order_.size() <= kRdmaCallsMax) return;
    calls_.erase(order_.front());
    order_.pop_front();
}

const Procedure* RdmaShared::called(std::uint32_t caller, std::uint32_t xid) const {
    const auto found = calls_.find(call_key(caller, xid));
    return found == calls_.end() ? nullptr : found->second;
}

RdmaAssembler::RdmaAssembler(MessageSink& sink, const Catalogue& catalogue, RdmaShared& shared,
                             const FlowEnds& ends, Carrier carrier)
    : sink_(sink),
      catalogue_(catalogue),
      shared_(shared),
      ends_(ends),
      carrier_(carrier),
      pair_(shared.new_pair()) {}

Unread RdmaAssembler::why_refused(ByteView bytes, std::uint64_t size) const {
    if (bytes.size() < size) return Unread::not_captured;
    return seen_rpc_ ? Unread::record_damaged : Unread::not_rpc;
}

void RdmaAssembler::send(std::uint8_t direction, ByteView bytes, std::uint64_t size, When when) {
    shared_.seen += bytes.size();
    tick();
    take(direction, bytes, size, when);
}

void RdmaAssembler::take(std::uint8_t direction, ByteView bytes, std::uint64_t size, When when) {
    if (!frame::read_rdma_header(bytes, header_)) return refuse(why_refused(bytes, size), size);
    Sent sent{.direction = direction,
              .when = when,
              .header = &header_,
              .header_bytes = bytes.first(header_.size),
              .inlined = bytes.subspan(header_.size),
              .inlined_size = size - header_.size};
    switch (header_.kind) {
        case RdmaKind::message: {
            Head head;
            if (!read_head(sent.inlined, head) || head.xid != header_.xid)
                return refuse(why_refused(bytes, size), size);
            return head.call ? call(sent, bytes, size) : reply(sent, bytes, size);
        }
        case RdmaKind::no_message:
            // RFC 8166 §3.5.4: a long call is in the read list, a long reply in the reply chunk. A
            // call may have a reply chunk as well, for its reply.
            if (header_.message_in_reads()) return call(sent, bytes, size);
            if (frame::bytes_of(header_.reply) > 0) return reply(sent, bytes, size);
            return refuse(why_refused(bytes, size), size);
        case RdmaKind::padded:
        case RdmaKind::done:
            return refuse(Unread::record_damaged, size);
        case RdmaKind::error:
            return refuse(Unread::not_rpc, size);  // an RDMA error: there is no RPC reply
    }
}

void RdmaAssembler::moved(std::uint8_t owner, std::uint32_t handle, std::uint64_t offset,
                          ByteView bytes, When when) {
    shared_.seen += bytes.size();
    const std::size_t gone = shared_.memory.put({end_number(owner), handle}, offset, bytes);
    if (gone > 0) refuse(Unread::too_much_held, gone);
    for (auto call = waiting_.begin(); call != waiting_.end();) {
        const auto next = std::next(call);
        if (call->direction == owner && call->header.reads[call->segment].target.handle == handle &&
            complete(*call)) {
            call->when = when;
            release(call);
        }
        call = next;
    }
    tick();
}

// Releases calls whose reply has waited long enough for their data.
void RdmaAssembler::tick() {
    ++events_;
    for (auto call = waiting_.begin(); answered_ > 0 && call != waiting_.end();) {
        const auto next = std::next(call);
        if (call->answered && events_ - call->answered_at > kReplyPatience) release(call);
        call = next;
    }
}

void RdmaAssembler::finish() {
    while (!waiting_.empty()) release(waiting_.begin());
}

void RdmaAssembler::call(const Sent& sent, ByteView bytes, std::uint64_t size) {
    if (header_.reads.empty()) return emit_call(sent);
    waiting_.push_back({.direction = sent.direction,
                        .when = sent.when,
                        .bytes = {bytes.begin(), bytes.end()},
                        .size = size,
                        .header = header_});
    shared_.waiting_bytes += bytes.size();
    const auto added = std::prev(waiting_.end());
    if (complete(*added)) return release(added);
    while (waiting_.size() > kRdmaWaitingMax ||
           (shared_.waiting_bytes > kRdmaWaitingBytesMax && !waiting_.empty()))
        release(waiting_.begin());
}

// Is everything in the read list known by now? Continues where it last stopped.
bool RdmaAssembler::complete(PendingCall& call) {
    for (; call.segment < call.header.reads.size(); ++call.segment, call.known = 0) {
        const RdmaSegment& target = call.header.reads[call.segment].target;
        call.known += shared_.memory.known(registration(call.direction, target),
                                           target.offset + call.known, target.length - call.known);
        if (call.known < target.length) return false;
    }
    return true;
}

void RdmaAssembler::release(std::list<PendingCall>::iterator call) {
    std::list<PendingCall> taken;  // removed first: its reply must not find it
    taken.splice(taken.end(), waiting_, call);
    const PendingCall& waited = taken.front();
    shared_.waiting_bytes -= waited.bytes.size() + waited.reply.size();
    const ByteView bytes = waited.bytes;
    emit_call({.direction = waited.direction,
               .when = waited.when,
               .header = &waited.header,
               .header_bytes = bytes.first(waited.header.size),
               .inlined = bytes.subspan(waited.header.size),
               .inlined_size = waited.size - waited.header.size});
    if (!waited.answered) return;
    --answered_;
    take(static_cast<std::uint8_t>(1 - waited.direction), waited.reply, waited.reply_size,
         waited.reply_when);
}

void RdmaAssembler::emit_call(const Sent& sent) {
    const frame::RdmaHeader& header = *sent.header;
    if (header.message_in_reads()) {
        segments_.clear();
        for (const RdmaReadSegment& read : header.reads)
            if (read.position == 0) segments_.push_back(read.target);
        begin_in_chunk(sent.direction, segments_, TakenOut::Chunk::read);
    } else {
        begin(sent.inlined, sent.inlined_size);
    }
    put_reads_back(sent);
    emit(sent);
}

void RdmaAssembler::reply(const Sent& sent, ByteView bytes, std::uint64_t size) {
    const auto caller = static_cast<std::uint8_t>(1 - sent.direction);
    const auto call = std::find_if(waiting_.begin(), waiting_.end(), [&](const PendingCall& one) {
        return one.direction == caller && one.header.xid == sent.header->xid;
    });
    if (call != waiting_.end() && !call->answered) {
        call->answered = true;
        call->answered_at = events_;
        call->reply_when = sent.when;
        call->reply.assign(bytes.begin(), bytes.end());
        call->reply_size = size;
        shared_.waiting_bytes += bytes.size();
        ++answered_;
        return;
    }
    if (sent.header->kind == RdmaKind::no_message)
        begin_in_chunk(caller, sent.header->reply, TakenOut::Chunk::reply);
    else
        begin(sent.inlined, sent.inlined_size);
    put_writes_back(sent);
    emit(sent);
}

void RdmaAssembler::begin(ByteView inlined, std::uint64_t size) {
    whole_.assign(inlined.begin(), inlined.end());
    whole_size_ = size;
    taken_.clear();
}

// The message itself is in a chunk: takes it up to the first hole.
void RdmaAssembler::begin_in_chunk(std::uint8_t owner, std::span<const RdmaSegment> segments,
                                   TakenOut::Chunk chunk) {
    whole_size_ = frame::bytes_of(segments);
    whole_.clear();
    for (const RdmaSegment& segment : segments) {
        const std::uint64_t known =
            shared_.memory.known(registration(owner, segment), segment.offset, segment.length);
        const std::size_t at = whole_.size();
        whole_.resize(at + known);
        shared_.memory.take(registration(owner, segment), segment.offset,
                            std::span{whole_}.subspan(at));
        if (known < segment.length) break;
    }
    for (const RdmaSegment& segment : segments)
        shared_.memory.drop(registration(owner, segment), segment.offset, segment.length);
    taken_.assign(1, {.size = static_cast<std::uint32_t>(whole_size_),
                      .chunk = chunk,
                      .captured = whole_.size() == whole_size_});
}

void RdmaAssembler::put_reads_back(const Sent& sent) {
    const std::vector<RdmaReadSegment>& reads = sent.header->reads;
    std::uint16_t chunk = 0;
    for (std::size_t i = 0; i < reads.size(); ++chunk) {
        const std::uint32_t position = reads[i].position;
        segments_.clear();
        for (; i < reads.size() && reads[i].position == position; ++i)
            segments_.push_back(reads[i].target);
        if (position == 0) continue;
        const TakenOut taken{.chunk = TakenOut::Chunk::read, .chunk_index = chunk};
        if (position > whole_.size()) {
            leave_out(sent.direction, segments_, taken);
            continue;
        }
        // The chunk may include padding (RFC 8166 §3.4.5.2 leaves it to the sender); the length
        // word before the data has the exact size.
        std::uint64_t size = frame::bytes_of(segments_);
        const std::uint32_t length = xdr::load_u32(whole_.data() + position - 4);
        if (length <= size && padded(length) == padded(size)) size = length;
        insert(sent.direction, segments_, position, static_cast<std::uint32_t>(size), taken);
    }
}

void RdmaAssembler::put_writes_back(const Sent& sent) {
    const frame::RdmaHeader& header = *sent.header;
    const auto caller = static_cast<std::uint8_t>(1 - sent.direction);
    for (std::size_t i = 0; i < header.write_count(); ++i) {
        const std::span<const RdmaSegment> segments = header.write(i);
        const std::uint64_t size = frame::bytes_of(segments);
        if (size == 0) continue;  // offered, not used
        const TakenOut taken{.chunk = TakenOut::Chunk::write,
                             .chunk_index = static_cast<std::uint16_t>(i)};
        const std::optional<Bulk> bulk = bulk_in_reply(sent, i, size);
        if (bulk && bulk->size <= size)
            insert(caller, segments, bulk->at, bulk->size, taken);
        else
            leave_out(caller, segments, taken);
    }
}

void RdmaAssembler::insert(std::uint8_t owner, std::span<const RdmaSegment> segments,
                           std::size_t at, std::uint32_t size, TakenOut taken) {
    std::uint64_t known = 0;
    for (const RdmaSegment& segment : segments)
        known += shared_.memory.known(registration(owner, segment), segment.offset, segment.length);
    const std::uint64_t zeros = size - std::min<std::uint64_t>(known, size);
    if (zeros > 0 && shared_.zeros + zeros > kRdmaZerosMax + kRdmaZerosFactor * shared_.seen) {
        whole_.resize(at);
        return leave_out(owner, segments, taken);
    }
    const auto where = static_cast<std::ptrdiff_t>(at);
    whole_.insert(whole_.begin() + where, padded(size), std::byte{0});
    whole_size_ += padded(size);
    std::span<std::byte> room = std::span{whole_}.subspan(at, size);
    std::size_t found = 0;
    for (const RdmaSegment& segment : segments) {
        const std::span<std::byte> part =
            room.first(std::min<std::size_t>(room.size(), segment.length));
        found += shared_.memory.take(registration(owner, segment), segment.offset, part);
        shared_.memory.drop(registration(owner, segment), segment.offset, segment.length);
        room = room.subspan(part.size());
    }
    shared_.zeros += size - found;
    taken.offset = static_cast<std::uint32_t>(at);
    taken.size = size;
    taken.captured = found == size;
    taken_.push_back(taken);
}

// Its place is unknown or not captured: the message is cut.
void RdmaAssembler::leave_out(std::uint8_t owner, std::span<const RdmaSegment> segments,
                              TakenOut taken) {
    const std::uint64_t size = frame::bytes_of(segments);
    for (const RdmaSegment& segment : segments)
        shared_.memory.drop(registration(owner, segment), segment.offset, segment.length);
    taken.offset = static_cast<std::uint32_t>(whole_.size());
    taken.size = static_cast<std::uint32_t>(size);
    taken_.push_back(taken);
    whole_size_ += padded(size);
}

void RdmaAssembler::emit(const Sent& sent) {
    Head head;
    if (!read_head(whole_, head) || head.xid != sent.header->xid) {
        return refuse(whole_.size() < whole_size_ ? Unread::lost : Unread::record_damaged,
                      sent.header_bytes.size() + whole_size_);
    }
    seen_rpc_ = true;
    if (head.call) {
        const Procedure* const procedure =
            catalogue_.find(Shape::onc, head.program, head.version, head.procedure);
        if (procedure != nullptr)
            shared_.remember(end_number(sent.direction), head.xid, *procedure);
    }
    Message message;
    message.time_ns = sent.when.time_ns;
    message.packet = sent.when.packet;
    message.flow = &ends_;
    message.direction = sent.direction;
    message.carrier = carrier_;
    message.bytes = whole_;
    message.size = std::max<std::uint64_t>(whole_size_, whole_.size());
    message.rdma_header = sent.header_bytes;
    message.taken_out = taken_;
    sink_.message(message);
}

std::optional<RdmaAssembler::Bulk> RdmaAssembler::bulk_in_reply(const Sent& sent, std::size_t chunk,
                                                                std::uint64_t size) {
    Head head;
    if (!read_head(whole_, head) || head.call || !head.complete || head.verdict != Verdict::success)
        return std::nullopt;
    const auto caller = static_cast<std::uint8_t>(1 - sent.direction);
    const Procedure* const procedure = shared_.called(end_number(caller), sent.header->xid);
    if (procedure != nullptr) return bulk_by_type(*procedure->result, head.body, chunk);
    return bulk_by_length(head.body, size);
}

// RFC 8267 §3: chunk i of the write list holds the i-th field that is eligible for one.
std::optional<RdmaAssembler::Bulk> RdmaAssembler::bulk_by_type(const idl::Type& result,
                                                               std::size_t body,
                                                               std::size_t chunk) {
    // No data follows the length word of a field that was moved, so decoding usually ends with a
    // fault there; the tree holds everything before it.
    reflect::decode_into(tree_, ByteView{whole_}.subspan(body), result,
                         {.strict = false, .nodes_max = kResultNodesMax});
    std::size_t seen = 0;
    for (reflect::NodeIndex i = 0; i < tree_.nodes.size(); ++i) {
        const reflect::Node& node = tree_.nodes[i];
        if (node.role != reflect::Role::bytes || node.field == nullptr || !node.field->has("bulk"))
            continue;
        if (seen++ < chunk) continue;
        const reflect::NodeIndex length = i + 1;
        if (length >= tree_.nodes.size() || tree_.nodes[length].role != reflect::Role::length)
            return std::nullopt;
        return Bulk{body + tree_.nodes[length].offset + 4,
                    static_cast<std::uint32_t>(reflect::as_u64(tree_, length))};
    }
    return std::nullopt;
}

// Without a schema: the length word before the data stays in the message and tells how much was
// moved. Works only if no other word has that value.
std::optional<RdmaAssembler::Bulk> RdmaAssembler::bulk_by_length(std::size_t body,
                                                                 std::uint64_t size) const {
    std::optional<Bulk> found;
    for (std::size_t at = body; at + 4 <= whole_.size(); at += 4) {
        const std::uint32_t word = xdr::load_u32(whole_.data() + at);
        if (word == 0 || word > size || padded(word) != padded(size)) continue;
        if (found) return std::nullopt;
        found = Bulk{at + 4, word};
    }
    return found;
}

}  // namespace helio::inspect
