#include "helio/transport/client/client_rdma_internal.h"

#include <cerrno>

#include "helio/rpc/onc/onc_envelope.h"

namespace helio::transport {

ClientConnection::OverRdma::OverRdma(ClientConnection& owner)
    : owner_(owner),
      link_(owner.loop_, owner.options_.fabric, owner.buffers_, owner.options_.bulk_bytes, *this) {}

void ClientConnection::OverRdma::flush() {
    using Sent = rdma::ClientLink::Sent;
    while (auto* const first = static_cast<ClientCall*>(owner_.queue_.first())) {
        ClientCall& call = *first;
        // A watcher needs complete messages: their data comes in the message, not beside it.
        const rdma::ResultsRoom room =
            owner_.options_.watch ? rdma::ResultsRoom{} : call.results_room_;
        const Sent sent = link_.send({call.number_, call.writer_->segments(), call.size_, room});
        if (sent == Sent::wait) break;
        if (sent != Sent::yes) {
            xdr::CallError error;
            error.error_number = sent == Sent::too_long ? EMSGSIZE : ENOMEM;
            owner_.finish(call, &error);
            continue;
        }
        OutgoingQueue::remove(call);
        call.state_ = ClientCall::State::sent;
        if (owner_.options_.watch) owner_.options_.watch(Direction::sent, call.writer_->joined());
    }
    link_.post_sends();
    owner_.counters_.bulk_bytes_copied = link_.bytes_copied();
}

void ClientConnection::OverRdma::link_connected() { owner_.connected(); }

void ClientConnection::OverRdma::link_has_room() {
    if (!owner_.queue_.empty()) owner_.loop_.defer(owner_);
}

ClientCall* ClientConnection::OverRdma::find(std::uint32_t xid) {
    ClientCall* const call = owner_.find(xid);
    if (call != nullptr && call->state_ == ClientCall::State::sent) return call;
    link_ignored();
    return nullptr;
}

void ClientConnection::OverRdma::link_failed(std::uint32_t xid, const xdr::CallError& error) {
    if (ClientCall* const call = find(xid)) end(*call, &error);
}

// The link has nothing more to do with it.
void ClientConnection::OverRdma::end(ClientCall& call, const xdr::CallError* error) {
    call.state_ = ClientCall::State::finished;
    owner_.finish(call, error);
}

void ClientConnection::OverRdma::link_answered(rdma::ClientLink::Answer& answer) {
    owner_.retry_after_ = std::chrono::milliseconds(0);
    if (owner_.options_.watch) owner_.options_.watch(Direction::received, answer.message);
    ClientCall* const call = find(answer.xid);
    if (call == nullptr) return;
    const auto opened = rpc::open_reply(answer.message, owner_.reply_arena_);
    if (!opened || opened->xid != answer.xid) {
        xdr::CallError error;
        error.outcome = xdr::Outcome::garbage_reply;
        error.detail.fault = opened ? xdr::Fault::out_of_range : xdr::Fault::truncated;
        return end(*call, &error);
    }
    if (opened->error) {
        const xdr::CallError error = *opened->error;
        owner_.reply_arena_.reset();
        return end(*call, &error);
    }
    call->take_results(answer.buffer, opened->results);
    if (!answer.bulk.empty()) {
        call->bulk_memory_ = std::move(answer.bulk_memory);
        call->bulk_ = answer.bulk;
        call->reader_->take_bulk_from({&call->bulk_, 1});
    }
    end(*call, nullptr);
}

std::shared_ptr<rdma::MemoryPool> ClientConnection::payload_memory() const {
    return rdma_ ? rdma_->memory() : nullptr;
}

std::span<const ByteView> ClientConnection::bulk_of(const xdr::AsyncCall& call) {
    const ByteView& bulk = static_cast<const ClientCall&>(call).bulk_;
    return {&bulk, bulk.empty() ? std::size_t{0} : 1};
}

}  // namespace helio::transport
