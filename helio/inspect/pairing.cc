#include "helio/inspect/pairing.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

#include "helio/base/hash.h"

namespace helio::inspect {
namespace {

// Direct-mapped: each entry remembers its last exchange.
constexpr std::size_t kAnsweredMax = 4096;
// How much earlier than its call a reply may be captured: two interfaces have two clocks. An older
// reply answers an earlier call with the same xid.
constexpr std::int64_t kDisorderMaxNs = 1'000'000;

const Exchange kNoExchange;

struct KeyHash {
    using is_avalanching = void;
    std::size_t operator()(std::uint64_t key) const { return folded_product(key); }
};

// The same for a call and its repetitions.
std::uint64_t fingerprint(const Message& message, const Head& head) {
    return folded_product(std::uint64_t{head.program} << 32 | head.version << 16 | head.procedure) +
           message.size;
}

// Over UDP the client itself repeats a call; over TCP its kernel retransmits.
bool may_repeat(const Message& message) { return message.carrier == Carrier::udp; }

ByteView body_of(const Message& message, const Head& head) {
    return message.bytes.subspan(std::min<std::size_t>(head.body, message.bytes.size()));
}

void set_numbers(Exchange& exchange, const Head& head, const Procedure* procedure) {
    exchange.program = head.program;
    exchange.version = head.version;
    exchange.number = head.procedure;
    exchange.procedure = procedure;
}

void set_call(Exchange& exchange, const Message& call, const Head& head,
              const Procedure* procedure) {
    exchange.xid = head.xid;
    exchange.shape = call.shape;
    set_numbers(exchange, head, procedure);
    exchange.call = &call;
    exchange.call_head = head;
    if (head.complete) exchange.arguments = body_of(call, head);
    exchange.arguments_cut = call.cut();
}

void set_reply(Exchange& exchange, const Message& reply, const Head& head) {
    exchange.reply = &reply;
    exchange.reply_head = head;
    if (head.complete && head.verdict == Verdict::success) exchange.results = body_of(reply, head);
    if (head.verdict == Verdict::failed) exchange.error = body_of(reply, head);
    exchange.results_cut = reply.cut();
}

}  // namespace

struct Pairing::Pending {
    std::uint64_t key = 0;
    Kind kind = Kind::call;
    bool dropped = false;  // its arguments were too large to keep
    std::uint32_t retransmissions = 0;
    std::uint32_t index = 0;  // in pool_
    std::uint32_t older = 0;
    std::uint32_t newer = 0;
    Message message;
    Head head;
    const Procedure* procedure = nullptr;
    std::vector<std::byte> bytes;
    std::vector<std::byte> rdma_header;
    std::vector<TakenOut> taken_out;
};

struct Pairing::Table {
    boost::unordered_flat_map<std::uint64_t, std::uint32_t, KeyHash> entries;
};

Pairing::Pairing(ExchangeSink& sink, const Catalogue& catalogue, Options options)
    : sink_(sink),
      catalogue_(catalogue),
      options_(options),
      table_(std::make_unique<Table>()),
      answered_(kAnsweredMax) {}

Pairing::~Pairing() = default;

void Pairing::unread(Unread why, std::uint64_t bytes, std::uint64_t packets) {
    ledger_.add(why, bytes, packets);
}

void Pairing::message(const Message& message) {
    if (message.shape == Shape::virnet) return virnet(message);
    Head head;
    if (!read_head(message.bytes, head)) {
        ledger_.add(Unread::record_damaged, message.size, 0);
        return;
    }
    if (head.call)
        call(message, head);
    else
        reply(message, head);
}

const Procedure* Pairing::procedure_of(Shape shape, const Head& head) {
    if (head.program != last_program_ || head.version != last_version_ || shape != last_shape_) {
        last_shape_ = shape;
        last_program_ = head.program;
        last_version_ = head.version;
        last_procedures_ = catalogue_.procedures_of(shape, head.program, head.version);
    }
    return last_procedures_ != nullptr && head.procedure < last_procedures_->size()
               ? (*last_procedures_)[head.procedure]
               : nullptr;
}

// The flow, the calling end (both ends of a connection may call each other), and the xid.
std::uint64_t Pairing::key_of(const Message& message, std::uint32_t xid, Kind kind) const {
    const std::uint64_t flow = message.flow != nullptr ? message.flow->number + 1 : 0;
    const std::uint64_t asker = kind == Kind::call ? message.direction : 1 - message.direction;
    const std::uint64_t carrier = message.carrier == Carrier::roce ? 1 : 0;  // counts its own flows
    const std::uint64_t shape = message.shape == Shape::virnet ? 1 : 0;
    return (flow << 3 | carrier << 2 | shape << 1 | asker) << 32 | xid;
}

void Pairing::call(const Message& message, const Head& head) {
    ++ledger_.calls;
    const std::uint64_t key = key_of(message, head.xid, Kind::call);
    // One lookup finds or makes the entry. Erasing others does not move it.
    const auto [entry, is_new] = table_->entries.try_emplace(key, 0);
    Pending* pending = is_new ? nullptr : pool_[entry->second].get();
    if (pending != nullptr && pending->kind == Kind::call) {
        if (fingerprint(pending->message, pending->head) == fingerprint(message, head)) {
            ++pending->retransmissions;
            ++ledger_.retransmitted;
            return;
        }
        emit_alone(*pending);  // its xid is reused by another call
        release(*pending);
        pending = nullptr;
    }
    const Procedure* const procedure = procedure_of(message.shape, head);
    if (pending != nullptr) {  // a reply that came early
        const bool fits = pending->message.time_ns + kDisorderMaxNs >= message.time_ns;
        if (fits) {
            Exchange& exchange = new_exchange();
            set_call(exchange, message, head, procedure);
            emit_pair(exchange, pending->message, pending->head);
        } else {
            emit_alone(*pending);
        }
        release(*pending);
        if (fits) {
            table_->entries.erase(entry);
            return;
        }
    }
    if (may_repeat(message)) {
        const Answered& last = answered(key);
        if (last.key == key && last.fingerprint == fingerprint(message, head))
            ++ledger_.retransmitted;
    }
    Pending& made = add(key, message, head, Kind::call);
    made.procedure = procedure;
    entry->second = made.index;
}

void Pairing::reply(const Message& message, const Head& head) {
    ++ledger_.replies;
    const std::uint64_t key = key_of(message, head.xid, Kind::reply);
    const auto entry = table_->entries.find(key);
    Pending* const pending = entry != table_->entries.end() ? pool_[entry->second].get() : nullptr;
    if (pending == nullptr || pending->kind != Kind::call) return early_reply(message, head, key);
    Exchange& exchange = new_exchange();
    set_call(exchange, pending->message, pending->head, pending->procedure);
    exchange.arguments_dropped = pending->dropped;
    exchange.retransmissions = pending->retransmissions;
    emit_pair(exchange, message, head);
    if (may_repeat(message)) answered(key) = {key, fingerprint(pending->message, pending->head)};
    table_->entries.erase(entry);
    release(*pending);
}

void Pairing::early_reply(const Message& message, const Head& head, std::uint64_t key) {
    if (may_repeat(message) && answered(key).key == key) {
        ++ledger_.repeated_replies;
        return;
    }
    const auto [entry, is_new] = table_->entries.try_emplace(key, 0);
    if (!is_new) {
        Pending& other = *pool_[entry->second];
        emit_alone(other);
        release(other);
    }
    entry->second = add(key, message, head, Kind::reply).index;
}

void Pairing::virnet(const Message& message) {
    Head head;
    VirnetType type = VirnetType::call;
    if (!read_virnet_head(message.bytes, head, type)) {
        ledger_.add(Unread::record_damaged, message.size, 0);
        return;
    }
    if (head.call) return call(message, head);
    if (type == VirnetType::reply || type == VirnetType::reply_with_fds)
        return reply(message, head);
    ++ledger_.one_way;
    Exchange& exchange = new_exchange();
    set_call(exchange, message, head, procedure_of(message.shape, head));
    exchange.one_way = true;
    exchange.virnet_type = type;
    exchange.arguments = {};
    (head.verdict == Verdict::failed ? exchange.error
     : exchange.of_stream()          ? exchange.stream_bytes
                                     : exchange.arguments) = body_of(message, head);
    sink_.exchange(exchange);
}

// Empty, with the memory of the one before for its operations.
Exchange& Pairing::new_exchange() {
    exchange_ = kNoExchange;
    return exchange_;
}

// `exchange` already has its call.
void Pairing::emit_pair(Exchange& exchange, const Message& reply, const Head& reply_head) {
    ++ledger_.paired;
    set_reply(exchange, reply, reply_head);
    if (exchange.procedure == nullptr)
        ledger_.add_unknown(exchange.shape, exchange.program, exchange.version);
    sink_.exchange(exchange);
}

void Pairing::emit_alone(const Pending& pending) {
    Exchange& exchange = new_exchange();
    if (pending.kind == Kind::call) {
        ++ledger_.unanswered;
        set_call(exchange, pending.message, pending.head, pending.procedure);
        exchange.arguments_dropped = pending.dropped;
        exchange.retransmissions = pending.retransmissions;
        if (pending.procedure == nullptr)
            ledger_.add_unknown(exchange.shape, exchange.program, exchange.version);
    } else {
        ++ledger_.orphans;
        // The header of a libvirt reply names the procedure.
        if (pending.message.shape == Shape::virnet)
            set_numbers(exchange, pending.head,
                        catalogue_.find(Shape::virnet, pending.head.program, pending.head.version,
                                        pending.head.procedure));
        exchange.xid = pending.head.xid;
        exchange.shape = pending.message.shape;
        set_reply(exchange, pending.message, pending.head);
    }
    sink_.exchange(exchange);
}

void Pairing::finish() {
    for (const Queue* const queue : {&calls_, &early_replies_}) {
        while (queue->oldest != 0) {
            Pending& pending = *pool_[queue->oldest - 1];
            emit_alone(pending);
            remove(pending);
        }
    }
}

Pairing::Answered& Pairing::answered(std::uint64_t key) {
    return answered_[static_cast<std::size_t>(folded_product(key) >> 32) & (kAnsweredMax - 1)];
}

Pairing::Pending& Pairing::add(std::uint64_t key, const Message& message, const Head& head,
                               Kind kind) {
    Queue& queue = queue_of(kind);
    if (queue.count >= queue.count_max) {
        Pending& oldest = *pool_[queue.oldest - 1];
        emit_alone(oldest);
        remove(oldest);
    }
    if (free_.empty()) {
        pool_.push_back(std::make_unique<Pending>());
        pool_.back()->index = static_cast<std::uint32_t>(pool_.size() - 1);
        free_.push_back(pool_.back()->index);
    }
    Pending& made = *pool_[free_.back()];
    free_.pop_back();
    made.key = key;
    made.kind = kind;
    made.retransmissions = 0;
    made.procedure = nullptr;
    made.head = head;
    made.message = message;
    const std::size_t wanted = std::min(message.bytes.size(), options_.call_keep_max);
    const std::size_t kept =
        bytes_ + wanted <= kPendingBytesMax ? wanted : std::min<std::size_t>(wanted, head.body);
    made.dropped = kept < wanted;
    made.bytes.assign(message.bytes.begin(),
                      message.bytes.begin() + static_cast<std::ptrdiff_t>(kept));
    made.message.bytes = made.bytes;
    made.message.shortened |= kept < message.bytes.size() && !message.cut();
    made.rdma_header.assign(message.rdma_header.begin(), message.rdma_header.end());
    made.message.rdma_header = made.rdma_header;
    made.taken_out.assign(message.taken_out.begin(), message.taken_out.end());
    made.message.taken_out = made.taken_out;
    bytes_ += kept;

    const std::uint32_t self = made.index + 1;
    made.older = queue.newest;
    made.newer = 0;
    if (made.older != 0)
        pool_[made.older - 1]->newer = self;
    else
        queue.oldest = self;
    queue.newest = self;
    ++queue.count;
    return made;
}

void Pairing::release(Pending& pending) {
    Queue& queue = queue_of(pending.kind);
    (pending.older != 0 ? pool_[pending.older - 1]->newer : queue.oldest) = pending.newer;
    (pending.newer != 0 ? pool_[pending.newer - 1]->older : queue.newest) = pending.older;
    --queue.count;
    bytes_ -= pending.bytes.size();
    // Do not keep the buffer of a large call for small ones.
    if (pending.bytes.capacity() > 65536) std::vector<std::byte>{}.swap(pending.bytes);
    free_.push_back(pending.index);
}

void Pairing::remove(Pending& pending) {
    table_->entries.erase(pending.key);
    release(pending);
}

}  // namespace helio::inspect
