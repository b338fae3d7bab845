// ServerConnection: calls, from a receive to the server core.
#include <fmt/format.h>

#include <cstring>

#include "helio/transport/rdma/server_connection_internal.h"

namespace helio::transport::rdma {

namespace {

// One more than credits: the next call may come while the last buffer is being processed.
constexpr std::uint32_t kReceiveBuffers = kRdmaCredits + 1;
// Reads and writes of calls in flight. A header has room for about 170 segments, so any single
// chain fits.
constexpr std::uint32_t kWorksMax = 512;

}  // namespace

LinkLimits server_link_limits() { return {kReceiveBuffers, kWorksMax}; }

ServerSession::ServerSession(ServerConnection& connection, ServerThread& thread,
                             std::shared_ptr<MemoryPool> memory, Owner& owner)
    : Session(thread.worker(), owner, thread.worker().server().make_envelope(), 0,
              thread.worker().server().options().records.record_bytes),
      connection_(connection) {
    carry_bulk_apart(std::move(memory));
    set_policy(*this);
}

void ServerSession::receive(const rpc::BufferRef& buffer, ByteView message, const rpc::Peer& peer,
                            std::size_t reply_bytes_max) {
    receiving_ = true;
    worker_.look_at_the_clock();
    set_reply_bytes_max(reply_bytes_max);
    worker_.serve(*this, message, buffer, peer);
    // A cached reply may have any length; whether it fits is checked when it is sent.
    set_reply_bytes_max(worker_.server().options().records.record_bytes);
    receiving_ = false;
    let_go_of_memory();
}

void ServerSession::close_frame(std::byte*, std::size_t message_size, const rpc::Peer& peer) {
    replies_.push_back({peer.exchange, message_size});
}

void ServerSession::on_completed(rpc::Call& call, Answer answer) {
    if (answer == Answer::none) connection_.drop_exchange(call.peer.exchange);
}

ServerConnection::ServerConnection(ServerThread& thread, std::uint64_t id,
                                   std::unique_ptr<Link> link)
    : thread_(thread),
      id_(id),
      link_(std::move(link)),
      peer_(to_peer(link_->remote(), rpc::Transport::rdma)),
      session_(*this, thread, link_->memory(), *this),
      active_(EventLoop::Clock::now()) {
    peer_.here = address_bytes(link_->local());
    peer_.local = peer_.local || peer_.here == peer_.client.bytes;
}

// The link goes first: until then the device may write to the memory of the rest.
ServerConnection::~ServerConnection() { link_.reset(); }

bool ServerConnection::start() {
    link_->attach(thread_.loop(), *this);
    const auto peers = frame::read_rdma_private_data(link_->private_data());
    inline_max_ = std::min(kRdmaInlineBytes, peers.receive_size);
    may_invalidate_ = peers.remote_invalidation;
    shared_receive_buffer_ = link_->memory()->take(kReceiveBuffers * kRdmaInlineBytes);
    if (!shared_receive_buffer_) {
        log("there is no registered memory to receive in (ulimit -l says how much there may be); "
            "refused the connection");
        return false;
    }
    for (std::uint32_t i = 0; i < kReceiveBuffers; ++i)
        if (!post_receive(i)) return true;  // on_lost is on its way
    std::array<std::byte, frame::kRdmaPrivateDataSize> own;
    frame::write_rdma_private_data({.remote_invalidation = false,
                                    .send_size = kRdmaInlineBytes,
                                    .receive_size = kRdmaInlineBytes},
                                   own);
    link_->establish(own);
    return true;
}

bool ServerConnection::post_receive(std::uint32_t index) {
    return link_->post_receive(index, {shared_receive_buffer_.data() + index * kRdmaInlineBytes,
                                       kRdmaInlineBytes, shared_receive_buffer_.local_key()});
}

void ServerConnection::on_completions(std::span<const Completion> completions) {
    active_ = EventLoop::Clock::now();
    for (const Completion& one : completions) {
        if (closed_) return;
        if (!one.ok) {
            broken_ = true;  // on_lost, with the reason, follows when the rest is flushed
            continue;
        }
        if (one.verb == Verb::receive) {
            receive(static_cast<std::uint32_t>(one.id), one.bytes);
            continue;
        }
        const auto index = static_cast<std::uint32_t>(one.id);
        Chain& chain = chains_[index];
        works_under_way_ -= static_cast<std::uint32_t>(chain.works.size());
        if (one.verb == Verb::read) fetched(chain);
        give_back_chain(index);
    }
    if (broken_ || closed_) return;
    send_replies();
    post_waiting();
    check_ended();
}

void ServerConnection::receive(std::uint32_t index, std::size_t size) {
    const ByteView bytes{shared_receive_buffer_.data() + index * kRdmaInlineBytes, size};
    if (const auto read = frame::read_rdma_header(bytes, header_); !read) {
        refuse_header(bytes, read.error());
    } else if (header_.kind == frame::RdmaKind::done || header_.kind == frame::RdmaKind::error) {
        // Nothing here waits for either (RFC 8166 §4.6 no longer uses the former).
        log(fmt::format("a message of type {}; ignored it", static_cast<int>(header_.kind)));
    } else if (header_.kind == frame::RdmaKind::padded) {
        log("RDMA_MSGP, which RFC 8166 has taken away; answered ERR_CHUNK");
        send_error(header_.xid, header_.version, HeaderError::chunk);
    } else if (ending_) {
        // The client will try again.
    } else if (exchanges_in_use_ >= kRdmaCredits) {
        log(fmt::format("more calls than the {} it was granted; closed the connection",
                        kRdmaCredits));
        return close();
    } else {
        take_call(bytes.subspan(header_.size));
    }
    if (!closed_ && !post_receive(index)) broken_ = true;
}

void ServerConnection::refuse_header(ByteView bytes, const frame::RdmaHeaderError& error) {
    const bool is_version = error.fault == frame::RdmaFault::version;
    // Can it be answered? The first words are the same in every version (RFC 8166 §4.1). Never
    // answer an error, however wrong: two such peers would never stop.
    const bool answer = bytes.size() >= 16 && header_.kind != frame::RdmaKind::error;
    log(fmt::format("{}; {}", to_text(error),
                    !answer      ? "ignored it"
                    : is_version ? "answered ERR_VERS"
                                 : "answered ERR_CHUNK"));
    if (answer)
        send_error(header_.xid, header_.version,
                   is_version ? HeaderError::version : HeaderError::chunk);
}

// The header is in header_; the bytes after it are in a receive that is about to be reposted.
void ServerConnection::take_call(ByteView inline_bytes) {
    const auto record_max = thread_.worker().server().options().records.record_bytes;
    const auto planned =
        frame::plan_rdma_call(header_, inline_bytes.size(), record_max, call_plan_);
    if (!planned) {
        log(fmt::format("xid {:x}: {}; answered ERR_CHUNK", header_.xid, to_text(planned.error())));
        return send_error(header_.xid, header_.version, HeaderError::chunk);
    }
    if (call_plan_.fetches.size() > link_->limits().works) {
        log(fmt::format("xid {:x}: {} segments to read, the device queues {}; answered ERR_CHUNK",
                        header_.xid, call_plan_.fetches.size(), link_->limits().works));
        return send_error(header_.xid, header_.version, HeaderError::chunk);
    }
    if (!call_plan_.fetches.empty()) return fetch(inline_bytes);
    // It is short, and the receive is needed again: copying is simplest.
    const SharedReceiveBuffer::Space place = thread_.shared_receive_buffer().place();
    if (!place.buffer) return close();
    std::byte* const message = place.buffer->bytes.get() + place.offset;
    std::memcpy(message, inline_bytes.data(), inline_bytes.size());
    thread_.shared_receive_buffer().use((inline_bytes.size() + 7) & ~std::size_t{7});
    serve(place.buffer, {message, inline_bytes.size()}, open_exchange());
}

// RDMA Reads put chunks directly in their places in the message, which is then contiguous without a
// copy.
void ServerConnection::fetch(ByteView inline_bytes) {
    auto message = std::make_shared<Block>(link_->memory()->take(call_plan_.size));
    if (!*message) {
        log(
            fmt::format("xid {:x}: no registered memory for a call of {} bytes; closed the "
                        "connection",
                        header_.xid, call_plan_.size));
        return close();
    }
    for (const frame::RdmaMove& one : call_plan_.moves)
        std::memcpy(message->data() + one.to, inline_bytes.data() + one.from, one.size);
    for (const frame::RdmaMove& one : call_plan_.zeros)
        std::memset(message->data() + one.to, 0, one.size);
    const std::uint32_t index = take_chain();
    Chain& chain = chains_[index];
    for (const frame::RdmaFetch& one : call_plan_.fetches)
        add_work(chain, Verb::read,
                 {message->data() + one.to, one.from.length, message->local_key()}, one.from.handle,
                 one.from.offset);
    chain.exchange = open_exchange();
    chain.message_size = call_plan_.size;
    chain.message = std::move(message);
    post_chain(index);
}

void ServerConnection::fetched(Chain& chain) {
    const ByteView message{chain.message->data(), chain.message_size};
    const rpc::BufferRef buffer = thread_.worker().buffers().adopt(std::move(chain.message));
    if (!buffer) return close();
    serve(buffer, message, chain.exchange);
}

void ServerConnection::serve(const rpc::BufferRef& buffer, ByteView message,
                             std::uint64_t exchange) {
    const frame::RdmaOffer& offer = find_exchange(exchange)->offer;
    const std::size_t header = offer.header_size_without_reply_chunk();
    const std::uint64_t inline_room = inline_max_ > header ? inline_max_ - header : 0;
    const std::uint64_t room =
        std::max<std::uint64_t>(inline_room, offer.reply_bytes()) + offer.write_bytes();
    const auto record_max = thread_.worker().server().options().records.record_bytes;
    if (session_.full()) send_replies();
    rpc::Peer from = peer_;
    from.exchange = exchange;
    session_.receive(buffer, message, from,
                     static_cast<std::size_t>(std::min<std::uint64_t>(room, record_max)));
}

std::uint64_t ServerConnection::open_exchange() {
    if (free_exchanges_.empty()) {
        free_exchanges_.push_back(static_cast<std::uint32_t>(exchanges_.size()));
        exchanges_.emplace_back();
    }
    const std::uint32_t index = free_exchanges_.back();
    free_exchanges_.pop_back();
    Exchange& one = exchanges_[index];
    one.used = true;
    one.offer.take(header_);
    ++exchanges_in_use_;
    return std::uint64_t{++one.generation} << 32 | index;
}

ServerConnection::Exchange* ServerConnection::find_exchange(std::uint64_t exchange) {
    const auto index = static_cast<std::uint32_t>(exchange);
    if (index >= exchanges_.size()) return nullptr;
    Exchange& one = exchanges_[index];
    return one.used && one.generation == exchange >> 32 ? &one : nullptr;
}

void ServerConnection::drop_exchange(std::uint64_t exchange) {
    Exchange* const one = find_exchange(exchange);
    if (one == nullptr) return;
    one->used = false;
    free_exchanges_.push_back(static_cast<std::uint32_t>(exchange));
    --exchanges_in_use_;
}

void ServerConnection::output_ready() { thread_.loop().defer(*this); }

void ServerConnection::on_turn_end() {
    if (broken_ || closed_) return;
    active_ = EventLoop::Clock::now();
    send_replies();
    check_ended();
}

bool ServerConnection::overdue(EventLoop::Clock::time_point now) const {
    const ServerLimits& limits = thread_.shared().limits;
    if (works_under_way_ > 0) return now - active_ > limits.send_timeout;
    return exchanges_in_use_ == 0 && now - active_ > limits.idle_timeout;
}

std::size_t ServerConnection::bytes_held() const {
    std::size_t bytes = session_.waiting_bytes() + session_.output_bytes();
    for (const Chain& one : chains_) {
        if (one.message) bytes += one.message->size();
        if (one.batch) bytes += one.batch->bytes;
        for (const Block& copy : one.copies) bytes += copy.size();
    }
    return bytes;
}

void ServerConnection::drain() {
    ending_ = true;
    check_ended();
}

void ServerConnection::check_ended() {
    if (ending_ && exchanges_in_use_ == 0 && works_under_way_ == 0 && waiting_.empty()) close();
}

void ServerConnection::send_cached(const rpc::CachedReply& reply, std::uint64_t exchange) {
    if (closed_ || broken_ || find_exchange(exchange) == nullptr) return;
    rpc::Peer to = peer_;
    to.exchange = exchange;
    session_.send_cached(reply, to);
    output_ready();
}

std::shared_ptr<rpc::DuplicateCache::Waiter> ServerConnection::make_waiter(const rpc::Peer& peer) {
    return thread_.make_rdma_waiter(id_, peer.exchange);
}

void ServerConnection::on_lost(int error_number, std::string_view why) {
    if (error_number != 0) log(fmt::format("{}; closed the connection", why));
    close();
}

void ServerConnection::log(std::string_view what) {
    if (!thread_.worker().logs()) return;
    thread_.worker().log(fmt::format("rpc: rdma {} {}", to_text(peer_), what));
}

void ServerConnection::close() {
    if (std::exchange(closed_, true)) return;
    thread_.remove_rdma(*this);  // later: it may still be in use on the stack
}

}  // namespace helio::transport::rdma
