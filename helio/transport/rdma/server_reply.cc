// ServerConnection: replies, from the server core to the send queue.
#include <fmt/format.h>

#include <cstring>

#include "helio/base/assert.h"
#include "helio/transport/rdma/server_connection_internal.h"

namespace helio::transport::rdma {

void ServerConnection::send_replies() {
    if (!session_.has_output()) return;
    session_.take_replies(replies_);
    const rpc::BatchRef batch = session_.take_output();
    // One reply after the other, even if they share segments.
    auto segments = batch->writer->segments();
    std::size_t skip = 0;
    for (const ServerSession::Reply& reply : replies_) {
        message_.clear();
        for (std::size_t left = reply.size; left > 0;) {
            const xdr::Segment& first = segments.front();
            const std::size_t size = std::min(left, first.size() - skip);
            message_.push_back({first.bytes().subspan(skip, size), first.referenced, first.bulk});
            left -= size;
            skip += size;
            if (skip < first.size()) continue;
            skip = 0;
            segments = segments.subspan(1);
        }
        send_reply(reply, batch);
    }
    replies_.clear();
    post_waiting();
}

// The message is in message_.
void ServerConnection::send_reply(const ServerSession::Reply& reply, const rpc::BatchRef& batch) {
    const Exchange* const exchange = find_exchange(reply.exchange);
    if (exchange == nullptr) return;
    const frame::RdmaOffer& offer = exchange->offer;
    if (const auto planned = frame::plan_rdma_reply(offer, message_, inline_max_, reply_plan_);
        !planned) {
        return refuse_reply(
            reply, fmt::format("the reply of {} bytes does not fit what the call offers "
                               "({} inline, {} of write chunks, {} of a reply chunk)",
                               reply.size, inline_max_, offer.write_bytes(), offer.reply_bytes()));
    }
    const auto index = open_send();
    if (!index) return;
    Chain& chain = chains_[*index];
    chain.batch = batch;
    if (!store_bulk(chain) || (reply_plan_.in_reply_chunk && !store_long_reply(chain, offer))) {
        log(
            fmt::format("xid {:x}: no registered memory for a reply of {} bytes; closed the "
                        "connection",
                        offer.xid, reply.size));
        give_back_chain(*index);
        return close();
    }
    if (chain.works.size() >= link_->limits().works) {
        const std::size_t count = chain.works.size();
        give_back_chain(*index);
        return refuse_reply(reply, fmt::format("{} segments to write, the device queues {}", count,
                                               link_->limits().works));
    }
    std::byte* at = chain.send_room.data();
    at += frame::write_rdma_reply_header(offer, reply_plan_, kRdmaCredits, {at, inline_max_});
    if (!reply_plan_.in_reply_chunk) {
        for (const ByteView& piece : reply_plan_.rest) {
            std::memcpy(at, piece.data(), piece.size());
            at += piece.size();
        }
    }
    close_send(*index, static_cast<std::size_t>(at - chain.send_room.data()), &offer);
    drop_exchange(reply.exchange);
}

// The reply cannot be sent in the way the call requires.
void ServerConnection::refuse_reply(const ServerSession::Reply& reply, std::string_view why) {
    const std::uint32_t xid = find_exchange(reply.exchange)->offer.xid;
    log(fmt::format("xid {:x}: {}; answered ERR_CHUNK", xid, why));
    send_error(xid, frame::kRdmaVersion, HeaderError::chunk);
    drop_exchange(reply.exchange);
}

// Bulk data is sent in place, unless the device cannot access it there.
bool ServerConnection::store_bulk(Chain& chain) {
    const auto& memory = link_->memory();
    for (const frame::RdmaStore& one : reply_plan_.bulk) {
        std::byte* from = const_cast<std::byte*>(one.from.data());
        auto key = memory->key_of(one.from);
        if (!key) {
            Block copy = memory->take(one.from.size());
            if (!copy) return false;
            std::memcpy(copy.data(), one.from.data(), one.from.size());
            thread_.shared().rdma_bytes_copied.fetch_add(one.from.size(),
                                                         std::memory_order_relaxed);
            from = copy.data();
            key = copy.local_key();
            chain.copies.push_back(std::move(copy));
        }
        add_work(chain, Verb::write, {from, static_cast<std::uint32_t>(one.from.size()), *key},
                 one.handle, one.offset);
    }
    return true;
}

// For example a listing, made piece by piece in ordinary memory.
bool ServerConnection::store_long_reply(Chain& chain, const frame::RdmaOffer& offer) {
    Block copy = link_->memory()->take(reply_plan_.rest_size);
    if (!copy) return false;
    std::byte* at = copy.data();
    for (const ByteView& piece : reply_plan_.rest) {
        std::memcpy(at, piece.data(), piece.size());
        at += piece.size();
    }
    stores_.clear();
    frame::store_in_reply_chunk(offer, {copy.data(), reply_plan_.rest_size}, stores_);
    for (const frame::RdmaStore& one : stores_)
        add_work(chain, Verb::write,
                 {const_cast<std::byte*>(one.from.data()),
                  static_cast<std::uint32_t>(one.from.size()), copy.local_key()},
                 one.handle, one.offset);
    chain.copies.push_back(std::move(copy));
    return true;
}

void ServerConnection::send_error(std::uint32_t xid, std::uint32_t version, HeaderError error) {
    const auto index = open_send();
    if (!index) return;
    const std::size_t size =
        frame::write_rdma_error(xid, version, kRdmaCredits, error == HeaderError::version,
                                {chains_[*index].send_room.data(), frame::kRdmaErrorSize});
    close_send(*index, size, nullptr);
}

// A chain with memory for the message; without memory the connection ends.
std::optional<std::uint32_t> ServerConnection::open_send() {
    const std::uint32_t index = take_chain();
    Chain& chain = chains_[index];
    if (!chain.send_room) chain.send_room = link_->memory()->take(kRdmaInlineBytes);
    if (chain.send_room) return index;
    log("no registered memory for a reply; closed the connection");
    give_back_chain(index);
    close();
    return std::nullopt;
}

void ServerConnection::close_send(std::uint32_t index, std::size_t size,
                                  const frame::RdmaOffer* offer) {
    Chain& chain = chains_[index];
    add_work(
        chain, Verb::send,
        {chain.send_room.data(), static_cast<std::uint32_t>(size), chain.send_room.local_key()}, 0,
        0);
    if (offer != nullptr && may_invalidate_ && offer->invalidate) {
        chain.works.back().invalidates = true;
        chain.works.back().invalidated_key = *offer->invalidate;
    }
    post_chain(index);
}

std::uint32_t ServerConnection::take_chain() {
    if (free_chains_.empty()) {
        free_chains_.push_back(static_cast<std::uint32_t>(chains_.size()));
        chains_.emplace_back();
    }
    const std::uint32_t index = free_chains_.back();
    free_chains_.pop_back();
    return index;
}

void ServerConnection::give_back_chain(std::uint32_t index) {
    Chain& chain = chains_[index];
    chain.works.clear();
    chain.pieces.clear();
    chain.message.reset();
    chain.batch = {};
    chain.copies.clear();
    free_chains_.push_back(index);
}

void ServerConnection::add_work(Chain& chain, Verb verb, const Piece& piece, std::uint32_t key,
                                std::uint64_t address) {
    chain.pieces.push_back(piece);
    Work& work = chain.works.emplace_back();
    work.verb = verb;
    work.remote_key = key;
    work.remote_address = address;
}

void ServerConnection::post_chain(std::uint32_t index) {
    Chain& chain = chains_[index];
    HELIO_ASSERT(chain.works.size() <= link_->limits().works);
    for (std::size_t i = 0; i < chain.works.size(); ++i) {  // now that the pieces no longer move
        chain.works[i].pieces = std::span{chain.pieces}.subspan(i, 1);
        chain.works[i].signaled = i + 1 == chain.works.size();
        chain.works[i].id = index;
    }
    waiting_.push_back(index);
}

// Posts as many as fit in the send queue, with one doorbell.
void ServerConnection::post_waiting() {
    posting_.clear();
    while (!waiting_.empty()) {
        const Chain& chain = chains_[waiting_.front()];
        const auto count = static_cast<std::uint32_t>(chain.works.size());
        if (works_under_way_ + count > link_->limits().works) break;
        posting_.insert(posting_.end(), chain.works.begin(), chain.works.end());
        works_under_way_ += count;
        waiting_.pop_front();
    }
    if (!posting_.empty() && !link_->post(posting_)) broken_ = true;
}

}  // namespace helio::transport::rdma
