// ClientLink: the connection, and answers. Calls are in client_link_send.cc.
#include "helio/transport/rdma/client_link_internal.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "helio/base/assert.h"
#include "helio/transport/rdma/client_rooms_internal.h"

namespace helio::transport::rdma {

namespace {

// Short answers are copied here.
constexpr std::size_t kKeptBytes = 64u << 10;

xdr::CallError wrong_answer(xdr::Fault fault, std::uint64_t got, std::uint64_t limit) {
    const auto clamped = [](std::uint64_t value) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
    };
    xdr::CallError error;
    error.outcome = xdr::Outcome::garbage_reply;
    error.detail = {0, fault, clamped(got), clamped(limit)};
    return error;
}

// RFC 8166 §4.5: the server could not parse the call, so it did not run.
xdr::CallError refusal(const frame::RdmaHeader& header) {
    constexpr std::uint32_t kErrVers = 1;
    xdr::CallError error;
    error.outcome = xdr::Outcome::unreachable;
    error.error_number = header.error_code == kErrVers ? EPROTONOSUPPORT : EREMOTEIO;
    return error;
}

// Bytes used of the one segment that was lent; nothing if it is another one, or longer.
std::optional<std::uint32_t> used_of(std::span<const frame::RdmaSegment> returned,
                                     const Block& block, std::uint32_t room) {
    if (returned.empty()) return 0;
    const frame::RdmaSegment& segment = returned.front();
    if (returned.size() > 1 || !block || segment.handle != block.remote_key() ||
        segment.offset != reinterpret_cast<std::uintptr_t>(block.data()) || segment.length > room)
        return std::nullopt;
    return segment.length;
}

}  // namespace

void ClientLink::Exchange::clear() {
    used = abandoned = lends_callers_memory = false;
    bulk_room = reply_room = 0;
    if (bulk) bulk = {};
    if (reply) reply = {};
    copies.clear();
}

ClientLink::ClientLink(EventLoop& loop, std::shared_ptr<Fabric> fabric, rpc::BufferPool& buffers,
                       std::size_t bulk_bytes, User& user)
    : loop_(loop),
      fabric_(std::move(fabric)),
      buffers_(buffers),
      bulk_bytes_(bulk_bytes),
      user_(user),
      pieces_(kSendPlaces) {
    HELIO_ASSERT(bulk_bytes_ + kReplySlack <= kRegisteredBlockMax);
}

ClientLink::~ClientLink() { close(); }

// ---- The connection ----

void ClientLink::connect(const Endpoint& where) {
    close();
    link_ =
        fabric_->connect(where, {.receives = kReceivePlaces, .works = kSendPlaces}, loop_, *this);
}

void ClientLink::close() {
    link_.reset();  // from here on the peer cannot access our memory
    connected_ = broken_ = false;
    failure_.reset();
    credits_ = 1;
    sent_ = done_ = 0;
    works_.clear();
    if (under_way_ > 0)
        for (Exchange& one : exchanges_) one.clear();
    under_way_ = 0;
    room_ = {};
}

std::shared_ptr<MemoryPool> ClientLink::memory() const {
    return connected_ && link_ ? link_->memory() : nullptr;
}

// Deferred: the link must not be destroyed in its own callback, nor our user notified from within a
// call to us.
void ClientLink::break_soon(int error_number) {
    if (!failure_) failure_ = error_number;
    broken_ = true;
    loop_.defer(*this);
}

void ClientLink::on_turn_end() {
    if (failure_) user_.link_lost(*failure_);
}

void ClientLink::on_ready() {
    room_ = link_->memory()->take((kReceivePlaces + kSendPlaces) * kRdmaInlineBytes);
    if (!room_) return break_soon(ENOMEM);
    for (std::uint32_t i = 0; i < kReceivePlaces; ++i)
        if (!post_receive(i)) return;
    std::array<std::byte, frame::kRdmaPrivateDataSize> said;
    // Keys belong to slabs, which stay registered, so the server must not invalidate any.
    frame::write_rdma_private_data({.remote_invalidation = false,
                                    .send_size = kRdmaInlineBytes,
                                    .receive_size = kRdmaInlineBytes},
                                   said);
    link_->establish(said);
}

void ClientLink::on_connected() {
    const frame::RdmaPrivateData peer = frame::read_rdma_private_data(link_->private_data());
    send_max_ = std::min(kRdmaInlineBytes, peer.receive_size);
    reply_max_ = std::min(kRdmaInlineBytes, peer.send_size);
    connected_ = true;
    user_.link_connected();
}

void ClientLink::on_lost(int error_number, std::string_view) {
    broken_ = true;
    user_.link_lost(failure_.value_or(error_number));
}

void ClientLink::on_completions(std::span<const Completion> completions) {
    for (const Completion& one : completions) {
        if (broken_) return;  // and perhaps the link and the list are gone
        if (!one.ok) {
            broken_ = true;  // on_lost follows
        } else if (one.verb == Verb::receive) {
            receive(static_cast<std::uint32_t>(one.id), one.bytes);
        } else {
            done_ = one.id + 1;
        }
    }
    if (!broken_) user_.link_has_room();
}

bool ClientLink::post_receive(std::uint32_t index) {
    const bool posted = link_->post_receive(
        index, {room_.data() + index * kRdmaInlineBytes,
                static_cast<std::uint32_t>(kRdmaInlineBytes), room_.local_key()});
    if (!posted) broken_ = true;  // on_lost follows
    return posted;
}

// ---- Answers ----

void ClientLink::receive(std::uint32_t index, std::size_t size) {
    const ByteView bytes{room_.data() + index * kRdmaInlineBytes, size};
    // Without a valid header nothing can be trusted: idempotent calls are sent again on another
    // link.
    if (!frame::read_rdma_header(bytes, header_)) {
        user_.link_ignored();
        return break_soon(EBADMSG);
    }
    // No more than there are receives for, and at least one: the call that could bring more needs
    // one.
    credits_ = std::clamp(header_.credits, 1u, kRdmaCredits);
    Exchange* const exchange = find(header_.xid);
    if (exchange == nullptr || header_.kind == frame::RdmaKind::done) {
        user_.link_ignored();
        post_receive(index);
        return;
    }
    if (header_.kind == frame::RdmaKind::error) {
        if (!post_receive(index)) return;
        return fail_exchange(*exchange, refusal(header_));
    }
    if (exchange->abandoned) {
        user_.link_ignored();
        close_exchange(*exchange);
        post_receive(index);
        return;
    }
    Answer answer;
    answer.xid = exchange->xid;
    const std::optional<xdr::CallError> error =
        take_answer(*exchange, bytes.subspan(header_.size), answer);
    if (!post_receive(index)) return;
    if (error) return fail_exchange(*exchange, *error);
    close_exchange(*exchange);
    user_.link_answered(answer);
}

// The message is copied: its buffer is needed for the next, and the server must not change it while
// it is decoded.
std::optional<xdr::CallError> ClientLink::take_answer(Exchange& exchange, ByteView inline_bytes,
                                                      Answer& answer) {
    const bool is_message = header_.kind == frame::RdmaKind::message;
    if (is_message && header_.is_plain()) [[likely]] {
        if (keep(inline_bytes, answer)) return std::nullopt;
        return wrong_answer(xdr::Fault::out_of_memory, 0, 0);
    }
    if (!is_message && header_.kind != frame::RdmaKind::no_message)
        return wrong_answer(xdr::Fault::bad_enum, static_cast<std::uint32_t>(header_.kind), 1);
    if (!header_.reads.empty())  // replies have none (RFC 8166 §3.4.5.3)
        return wrong_answer(xdr::Fault::too_long, header_.reads.size(), 0);
    if (header_.write_count() > (exchange.bulk ? 1 : 0))
        return wrong_answer(xdr::Fault::too_long, header_.write_count(), exchange.bulk ? 1 : 0);

    std::optional<std::uint32_t> bulk = 0;
    if (header_.write_count() == 1)
        bulk = used_of(header_.write(0), exchange.bulk, exchange.bulk_room);
    const auto reply = used_of(header_.reply, exchange.reply, exchange.reply_room);
    if (!bulk || !reply) {
        const frame::RdmaSegment& segment =
            !bulk ? header_.write_segments.front() : header_.reply.front();
        return wrong_answer(xdr::Fault::out_of_range, segment.length,
                            !bulk ? exchange.bulk_room : exchange.reply_room);
    }
    if (!is_message && *reply == 0) return wrong_answer(xdr::Fault::truncated, 0, 0);

    const ByteView message = is_message ? inline_bytes : ByteView{exchange.reply.data(), *reply};
    if (!keep(message, answer)) return wrong_answer(xdr::Fault::out_of_memory, 0, 0);
    if (*bulk > 0) {
        answer.bulk_memory = std::move(exchange.bulk);
        answer.bulk = {answer.bulk_memory.data(), *bulk};
    }
    return std::nullopt;
}

bool ClientLink::keep(ByteView message, Answer& answer) {
    if (message.size() > kRdmaInlineBytes) {
        answer.buffer = buffers_.take(message.size());
        if (!answer.buffer) return false;
        std::memcpy(answer.buffer->bytes.get(), message.data(), message.size());
        answer.message = {answer.buffer->bytes.get(), message.size()};
        return true;
    }
    if (kept_ && kept_->refs == 1) kept_size_ = 0;  // its contents are not needed any more
    if (!kept_ || kept_->capacity - kept_size_ < message.size()) {
        kept_ = buffers_.take(kKeptBytes);
        kept_size_ = 0;
        if (!kept_) return false;
    }
    std::byte* const to = kept_->bytes.get() + kept_size_;
    if (!message.empty()) std::memcpy(to, message.data(), message.size());
    kept_size_ += message.size();
    answer.buffer = kept_;
    answer.message = {to, message.size()};
    return true;
}

void ClientLink::fail_exchange(Exchange& exchange, const xdr::CallError& error) {
    const std::uint32_t xid = exchange.xid;
    const bool awaited = !exchange.abandoned;
    close_exchange(exchange);
    if (awaited)
        user_.link_failed(xid, error);
    else
        user_.link_ignored();
}

}  // namespace helio::transport::rdma
