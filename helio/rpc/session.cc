#include "helio/rpc/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "helio/rpc/server/active_call_internal.h"

namespace helio::rpc {

Session::Session(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope,
                 std::size_t head_size, std::size_t reply_bytes_max)
    : worker_(worker),
      owner_(owner),
      envelope_(std::move(envelope)),
      head_size_(head_size),
      reply_bytes_max_(reply_bytes_max),
      in_flight_max_(worker.server().options().calls_in_flight_max) {}

// Waiting calls continue without the session: their effects happen, only the replies are lost.
Session::~Session() {
    for (Worker::ActiveCall* one = waiting_; one != nullptr; one = one->next) {
        one->session = nullptr;
        one->call.origin = nullptr;
        one->call.session_waiting_bytes = nullptr;
    }
}

void Session::begin_batch() {
    outgoing_ = worker_.batches().take();
    if (payloads_) outgoing_->writer->keep_bulk_apart();
}

bool Session::has_output_room() {
    if (!outgoing_) return true;
    if (outgoing_->bytes >= batch_bytes_max_) return false;
    if (outgoing_->arena.bytes_held() < kBatchMemoryMax) return true;
    if (outgoing_->bytes > 0) return false;
    outgoing_ = {};
    return true;
}

void Session::let_go_of_memory() {
    if (outgoing_ && outgoing_->bytes == 0 && outgoing_->memory.refs == 0) outgoing_ = {};
}

void Session::send_cached(const CachedReply& reply, const Peer& peer) {
    const ByteView bytes = reply.bytes();
    if (bytes.size() > reply_bytes_max_) return;  // the first one came over another transport
    Batch& batch = outgoing();
    xdr::Writer& out = *batch.writer;
    if (!out.ready(head_size_ + bytes.size())) return;
    std::byte* const head = out.at();
    std::memcpy(head + head_size_, bytes.data(), bytes.size());
    out.end(head + head_size_ + bytes.size());
    close_frame(head, bytes.size(), peer);
    batch.bytes += head_size_ + bytes.size();
}

StreamSession::StreamSession(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope,
                             const Peer& peer)
    : ByteSession(worker, owner, std::move(envelope), frame::RecordMark::kMarkSize,
                  worker.server().options().records.record_bytes, peer),
      framer_(worker.server().options().records) {
    send_files();
}

StreamSession::Progress StreamSession::receive(const BufferRef& buffer, ByteView bytes) {
    Progress progress;
    receiving_ = true;
    worker_.look_at_the_clock();
    const Worker::Clock::time_point end = worker_.now() + kTurnMax;
    for (;;) {
        if (progress.consumed < bytes.size() && (!has_room() || worker_.now() >= end)) {
            progress.full = true;
            progress.yields = has_room();
            break;
        }
        const frame::Cut cut = framer_.cut(bytes.subspan(progress.consumed));
        if (cut.kind == frame::CutKind::broken) [[unlikely]] {
            progress.broken = true;
            if (worker_.logs())
                worker_.log(fmt::format("rpc: {} {} {}; closed the connection",
                                        name_of(peer().transport), to_text(peer()), to_text(cut)));
            break;
        }
        progress.consumed += cut.consumed;
        if (cut.kind == frame::CutKind::more) {
            progress.wanted = cut.wanted;
            break;
        }
        ++progress.calls;
        if (!cut.joined) [[likely]] {
            worker_.serve(*this, cut.message, buffer, peer());
            continue;
        }
        // The framer reuses its memory; a waiting call needs bytes that stay.
        const BufferRef copy = worker_.buffers().take(cut.message.size());
        if (!copy) {
            progress.broken = true;
            break;
        }
        std::memcpy(copy->bytes.get(), cut.message.data(), cut.message.size());
        worker_.serve(*this, {copy->bytes.get(), cut.message.size()}, copy, peer());
    }
    receiving_ = false;
    let_go_of_memory();
    return progress;
}

void StreamSession::receive_message(const BufferRef& buffer, ByteView message) {
    receiving_ = true;
    worker_.look_at_the_clock();
    worker_.serve(*this, message, buffer, peer());
    receiving_ = false;
    let_go_of_memory();
}

void StreamSession::close_frame(std::byte* head, std::size_t message_size, const Peer&) {
    frame::RecordMark::store(head, message_size);
}

DatagramSession::DatagramSession(Worker& worker, Owner& owner, std::shared_ptr<Envelope> envelope)
    : Session(worker, owner, std::move(envelope), 0, kDatagramBytesMax) {}

void DatagramSession::receive(const BufferRef& buffer, ByteView datagram, const Peer& peer) {
    receiving_ = true;
    worker_.look_at_the_clock();
    (void)has_room();  // further calls wait in the socket, see full(); received ones are served
    const auto& trusts = worker_.server().options().trusts_datagrams_of;
    if (trusts && !trusts(peer))
        set_reply_bytes_max(
            std::min(kDatagramBytesMax, kDatagramAmplificationMax * datagram.size()));
    worker_.serve(*this, datagram, buffer, peer);
    set_reply_bytes_max(kDatagramBytesMax);
    receiving_ = false;
    let_go_of_memory();
}

bool DatagramSession::full() const {
    return calls_in_flight() >= worker_.server().options().calls_in_flight_max;
}

void DatagramSession::close_frame(std::byte*, std::size_t message_size, const Peer& peer) {
    datagrams_.push_back({peer, message_size});
}

}  // namespace helio::rpc
