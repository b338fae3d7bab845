// ClientLink: calls, and the memory that is lent to the server for them.
#include <cstring>

#include "helio/base/assert.h"
#include "helio/transport/rdma/client_link_internal.h"
#include "helio/transport/rdma/client_rooms_internal.h"

namespace helio::transport::rdma {

namespace {

constexpr std::size_t kEmptyCallHeader = 28;  // four words, and three empty lists
constexpr std::size_t kReadChunkSize = 24;
constexpr std::size_t kWriteChunkSize = 24;
constexpr std::size_t kReplyChunkSize = 20;

frame::RdmaSegment segment_of(const Block& block, std::uint32_t size) {
    return {block.remote_key(), size, reinterpret_cast<std::uintptr_t>(block.data())};
}

std::size_t padding_behind(std::size_t size) { return -size % 4; }

// Copies the message without bulk data and its padding.
std::size_t copy_rest(std::span<const xdr::Segment> message, std::byte* to) {
    std::byte* at = to;
    std::size_t padding = 0;  // bytes still to come
    for (const xdr::Segment& one : message) {
        if (one.bulk) {
            padding = padding_behind(one.size());
            continue;
        }
        const std::size_t skipped = std::min(padding, one.size());
        padding -= skipped;
        const ByteView rest = one.bytes().subspan(skipped);
        std::memcpy(at, rest.data(), rest.size());
        at += rest.size();
    }
    return static_cast<std::size_t>(at - to);
}

void copy_all(std::span<const xdr::Segment> message, std::byte* at) {
    for (const xdr::Segment& one : message) {
        std::memcpy(at, one.bytes().data(), one.size());
        at += one.size();
    }
}

}  // namespace

bool ClientLink::has_room() const {
    return connected_ && !broken_ && under_way_ < credits_ && sent_ - done_ < kSendPlaces;
}

// Xids are sequential, so the first slot checked is nearly always the right one.
ClientLink::Exchange* ClientLink::find(std::uint32_t xid) {
    for (std::uint32_t i = 0; i < kRdmaCredits; ++i) {
        Exchange& one = exchanges_[(xid + i) % kRdmaCredits];
        if (one.used && one.xid == xid) return &one;
    }
    return nullptr;
}

ClientLink::Exchange& ClientLink::open_exchange(std::uint32_t xid) {
    for (std::uint32_t i = 0;; ++i) {
        HELIO_ASSERT(i < kRdmaCredits);  // there are as many slots as calls in flight
        Exchange& one = exchanges_[(xid + i) % kRdmaCredits];
        if (one.used) continue;
        one.used = true;
        one.xid = xid;
        ++under_way_;
        return one;
    }
}

void ClientLink::close_exchange(Exchange& exchange) {
    exchange.clear();
    --under_way_;
}

ClientLink::Sent ClientLink::send(const Call& call) {
    if (!has_room()) return Sent::wait;
    Exchange& exchange = open_exchange(call.xid);
    reads_.clear();
    LendResult lent =
        make_results_room(exchange, call.results) ? LendResult::yes : LendResult::no_memory;
    const std::size_t head = kEmptyCallHeader + (exchange.bulk ? kWriteChunkSize : 0) +
                             (exchange.reply ? kReplyChunkSize : 0);
    bool no_message = false;
    if (lent == LendResult::yes && head + call.size > send_max_) {
        std::size_t chunks = 0;
        std::size_t rest = call.size;
        for (const xdr::Segment& one : call.message) {
            if (!one.bulk) continue;
            ++chunks;
            rest -= one.size() + padding_behind(one.size());
        }
        no_message = chunks == 0 || head + chunks * kReadChunkSize + rest > send_max_;
        lent = no_message ? lend_message(exchange, call) : lend_bulk(exchange, call);
    }
    if (lent != LendResult::yes) {
        close_exchange(exchange);
        if (lent == LendResult::too_long) return Sent::too_long;
        return under_way_ > 0 ? Sent::wait : Sent::no_memory;
    }
    put_send(exchange, call, no_message);
    return Sent::yes;
}

void ClientLink::put_send(const Exchange& exchange, const Call& call, bool no_message) {
    const auto place = static_cast<std::uint32_t>(sent_ % kSendPlaces);
    std::byte* const to = room_.data() + (kReceivePlaces + place) * kRdmaInlineBytes;
    const frame::RdmaSegment bulk = segment_of(exchange.bulk, exchange.bulk_room);
    const frame::RdmaSegment reply = segment_of(exchange.reply, exchange.reply_room);
    const frame::RdmaCallHeader header{
        .xid = call.xid,
        .credits = kRdmaCredits,
        .no_message = no_message,
        .reads = reads_,
        .write = {&bulk, exchange.bulk ? std::size_t{1} : 0},
        .reply = {&reply, exchange.reply ? std::size_t{1} : 0},
    };
    std::size_t size = frame::write_rdma_call_header(header, {to, send_max_});
    if (reads_.empty()) {
        copy_all(call.message, to + size);
        size += call.size;
    } else if (!no_message) {
        size += copy_rest(call.message, to + size);
    }
    HELIO_ASSERT(size <= send_max_);
    pieces_[place] = {to, static_cast<std::uint32_t>(size), room_.local_key()};
    Work work;
    work.verb = Verb::send;
    work.id = sent_++;
    work.signaled = sent_ % kSignalEvery == 0;
    work.pieces = {&pieces_[place], 1};
    works_.push_back(work);
}

void ClientLink::post_sends() {
    if (works_.empty()) return;
    if (!broken_ && !link_->post(works_)) broken_ = true;  // on_lost follows
    works_.clear();
}

// Bulk data goes to a write chunk; other results that may be too long need a reply chunk.
bool ClientLink::make_results_room(Exchange& exchange, const ResultsRoom& room) {
    if (room.bulk) {
        exchange.bulk_room = static_cast<std::uint32_t>(bulk_bytes_);
        exchange.bulk = link_->memory()->take(exchange.bulk_room, Purpose::shared);
        if (!exchange.bulk) return false;
    }
    const std::size_t head = kEmptyCallHeader + kWriteChunkSize + kReplyHeadBytes;
    if (room.max <= reply_max_ - head) return true;
    exchange.reply_room = static_cast<std::uint32_t>(
        std::min(bulk_bytes_ + kReplySlack, std::size_t{room.max} + kReplyHeadBytes));
    exchange.reply = link_->memory()->take(exchange.reply_room, Purpose::shared);
    return static_cast<bool>(exchange.reply);
}

// A block that the server may read, as a chunk at `position`.
std::byte* ClientLink::lend(Exchange& exchange, std::size_t size, std::uint32_t position) {
    Block block = link_->memory()->take(size, Purpose::shared);
    if (!block) return nullptr;
    std::byte* const at = block.data();
    reads_.push_back({position, segment_of(block, static_cast<std::uint32_t>(size))});
    exchange.copies.push_back(std::move(block));
    return at;
}

// Data in memory that the server can access is read from there.
ClientLink::LendResult ClientLink::lend_bulk(Exchange& exchange, const Call& call) {
    std::size_t position = 0;
    for (const xdr::Segment& one : call.message) {
        const std::size_t at = position;
        position += one.size();
        if (!one.bulk) continue;
        if (one.size() > kRegisteredBlockMax) return LendResult::too_long;
        if (const auto key = link_->memory()->remote_key_of(one.bytes())) {
            exchange.lends_callers_memory = true;
            reads_.push_back({static_cast<std::uint32_t>(at),
                              {*key, static_cast<std::uint32_t>(one.size()),
                               reinterpret_cast<std::uintptr_t>(one.bytes().data())}});
            continue;
        }
        std::byte* const copy = lend(exchange, one.size(), static_cast<std::uint32_t>(at));
        if (copy == nullptr) return LendResult::no_memory;
        std::memcpy(copy, one.bytes().data(), one.size());
        bytes_copied_ += one.size();
    }
    return LendResult::yes;
}

ClientLink::LendResult ClientLink::lend_message(Exchange& exchange, const Call& call) {
    if (call.size > kRegisteredBlockMax) return LendResult::too_long;
    std::byte* const copy = lend(exchange, call.size, 0);
    if (copy == nullptr) return LendResult::no_memory;
    copy_all(call.message, copy);
    for (const xdr::Segment& one : call.message)
        if (one.bulk) bytes_copied_ += one.size();
    return LendResult::yes;
}

void ClientLink::abandon(std::uint32_t xid) {
    Exchange* const exchange = find(xid);
    if (exchange == nullptr) return;
    exchange->abandoned = true;
    if (!exchange->lends_callers_memory) return;
    // The caller is about to reuse its memory. Without the link the server cannot read it.
    link_.reset();
    connected_ = false;
    works_.clear();
    break_soon(0);
}

}  // namespace helio::transport::rdma
