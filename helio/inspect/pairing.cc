#include "helio/inspect/pairing.h"

#include <algorithm>

namespace helio::inspect {
namespace {

// Direct-mapped: the last exchange of each place is remembered.
constexpr std::size_t kAnsweredMax = 4096;
// How much older than its call a reply may be: two interfaces, two clocks. More, and it answers an
// earlier call, of which this one is a repetition.
constexpr std::int64_t kDisorderMaxNs = 1'000'000;
constexpr std::size_t kSlotsFirst = 1024;

std::uint64_t spread(std::uint64_t value) {
    value *= 0x9e3779b97f4a7c15;
    return value ^ (value >> 29);
}

// What a repeated call has in common with the first.
std::uint64_t what_of(const Message& message, const Head& head) {
    return spread(std::uint64_t{head.program} << 32 | head.version << 16 | head.procedure) +
           message.size;
}

// Over datagrams and RDMA a client repeats a call; over TCP the kernel does it for it.
bool may_repeat(const Message& message) { return message.carrier == Carrier::udp; }

}  // namespace

struct Pairing::Waiting {
    std::uint64_t key = 0;
    bool is_call = true;
    bool dropped = false;  // its arguments are not kept
    std::uint32_t retransmissions = 0;
    std::uint32_t index = 0;  // own place in pool_
    std::uint32_t older = 0;
    std::uint32_t newer = 0;
    Message message;
    Head head;
    const Procedure* procedure = nullptr;
    std::vector<std::byte> bytes;
    std::vector<std::byte> rdma_header;
    std::vector<TakenOut> taken_out;
};

Pairing::Pairing(ExchangeSink& sink, const Catalogue& catalogue, Options options)
    : sink_(sink),
      catalogue_(catalogue),
      options_(options),
      slots_(kSlotsFirst),
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

// The flow, who asks (both ends of a connection may call each other), and the xid.
std::uint64_t Pairing::key_of(const Message& message, std::uint32_t xid, bool call) const {
    const std::uint64_t flow = message.flow != nullptr ? message.flow->number + 1 : 0;
    const std::uint64_t asker = call ? message.direction : 1 - message.direction;
    const std::uint64_t carrier = message.carrier == Carrier::roce ? 1 : 0;  // counts its own flows
    const std::uint64_t shape = message.shape == Shape::virnet ? 1 : 0;
    return (flow << 3 | carrier << 2 | shape << 1 | asker) << 32 | xid;
}

void Pairing::call(const Message& message, const Head& head) {
    ++ledger_.calls;
    const std::uint64_t key = key_of(message, head.xid, true);
    Waiting* waiting = find(key);
    if (waiting != nullptr && waiting->is_call) {
        if (what_of(waiting->message, waiting->head) == what_of(message, head)) {
            ++waiting->retransmissions;
            ++ledger_.retransmitted;
            return;
        }
        emit_alone(*waiting);  // its xid is used for another call
        remove(*waiting);
        waiting = nullptr;
    }
    const Procedure* const procedure = procedure_of(message.shape, head);
    if (waiting != nullptr) {  // a reply that came early
        const bool fits = waiting->message.time_ns + kDisorderMaxNs >= message.time_ns;
        if (fits)
            emit(nullptr, &message, &head, &waiting->message, &waiting->head, procedure);
        else
            emit_alone(*waiting);
        remove(*waiting);
        if (fits) return;
    }
    if (may_repeat(message)) {
        const Answered& last = answered(key);
        if (last.key == key && last.what == what_of(message, head)) ++ledger_.retransmitted;
    }
    add(key, message, head, true).procedure = procedure;
}

void Pairing::reply(const Message& message, const Head& head) {
    ++ledger_.replies;
    const std::uint64_t key = key_of(message, head.xid, false);
    Waiting* const waiting = find(key);
    if (waiting == nullptr || !waiting->is_call) return early(message, head, key);
    emit(waiting, &waiting->message, &waiting->head, &message, &head, waiting->procedure);
    if (may_repeat(message)) answered(key) = {key, what_of(waiting->message, waiting->head)};
    remove(*waiting);
}

void Pairing::early(const Message& message, const Head& head, std::uint64_t key) {
    if (may_repeat(message) && answered(key).key == key) {
        ++ledger_.repeated_replies;
        return;
    }
    if (Waiting* const other = find(key)) {
        emit_alone(*other);
        remove(*other);
    }
    add(key, message, head, false);
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
    const Procedure* const procedure = procedure_of(message.shape, head);
    Exchange exchange;
    exchange.xid = head.xid;
    exchange.shape = Shape::virnet;
    exchange.program = head.program;
    exchange.version = head.version;
    exchange.number = head.procedure;
    exchange.procedure = procedure;
    exchange.call = &message;
    exchange.call_head = head;
    exchange.one_way = true;
    exchange.virnet_type = type;
    const ByteView body =
        message.bytes.subspan(std::min<std::size_t>(head.body, message.bytes.size()));
    (head.verdict == Verdict::failed ? exchange.error
     : exchange.of_stream()          ? exchange.stream_bytes
                                     : exchange.arguments) = body;
    exchange.arguments_cut = message.cut();
    sink_.exchange(exchange);
}

void Pairing::emit(const Waiting* waiting, const Message* call, const Head* call_head,
                   const Message* reply, const Head* reply_head, const Procedure* procedure) {
    ++ledger_.paired;
    Exchange exchange;
    exchange.xid = call_head->xid;
    exchange.shape = call->shape;
    exchange.program = call_head->program;
    exchange.version = call_head->version;
    exchange.number = call_head->procedure;
    exchange.procedure = procedure;
    exchange.call = call;
    exchange.reply = reply;
    exchange.call_head = *call_head;
    exchange.reply_head = *reply_head;
    if (call_head->complete && call_head->body <= call->bytes.size())
        exchange.arguments = call->bytes.subspan(call_head->body);
    exchange.arguments_cut = call->cut();
    if (reply_head->complete && reply_head->verdict == Verdict::success)
        exchange.results =
            reply->bytes.subspan(std::min<std::size_t>(reply_head->body, reply->bytes.size()));
    if (reply_head->verdict == Verdict::failed)
        exchange.error =
            reply->bytes.subspan(std::min<std::size_t>(reply_head->body, reply->bytes.size()));
    exchange.results_cut = reply->cut();
    if (waiting != nullptr) {
        exchange.arguments_dropped = waiting->dropped;
        exchange.retransmissions = waiting->retransmissions;
    }
    if (procedure == nullptr)
        ledger_.add_unknown(call->shape, call_head->program, call_head->version);
    sink_.exchange(exchange);
}

void Pairing::emit_alone(const Waiting& waiting) {
    Exchange exchange;
    exchange.xid = waiting.head.xid;
    exchange.shape = waiting.message.shape;
    if (waiting.is_call) {
        ++ledger_.unanswered;
        exchange.program = waiting.head.program;
        exchange.version = waiting.head.version;
        exchange.number = waiting.head.procedure;
        exchange.procedure = waiting.procedure;
        exchange.call = &waiting.message;
        exchange.call_head = waiting.head;
        if (waiting.head.complete && waiting.head.body <= waiting.message.bytes.size())
            exchange.arguments = waiting.message.bytes.subspan(waiting.head.body);
        exchange.arguments_cut = waiting.message.cut();
        exchange.arguments_dropped = waiting.dropped;
        exchange.retransmissions = waiting.retransmissions;
        if (waiting.procedure == nullptr)
            ledger_.add_unknown(exchange.shape, exchange.program, exchange.version);
    } else {
        ++ledger_.orphans;
        exchange.reply = &waiting.message;
        exchange.reply_head = waiting.head;
        exchange.results_cut = waiting.message.cut();
        if (exchange.shape == Shape::virnet) {  // its header says what was called
            exchange.program = waiting.head.program;
            exchange.version = waiting.head.version;
            exchange.number = waiting.head.procedure;
            exchange.procedure = catalogue_.find(exchange.shape, exchange.program, exchange.version,
                                                 exchange.number);
        }
        if (waiting.head.complete && waiting.head.verdict == Verdict::success)
            exchange.results = waiting.message.bytes.subspan(
                std::min<std::size_t>(waiting.head.body, waiting.message.bytes.size()));
    }
    sink_.exchange(exchange);
}

void Pairing::finish() {
    for (const bool calls : {true, false}) {
        while (oldest_[calls] != 0) {
            Waiting& waiting = *pool_[oldest_[calls] - 1];
            emit_alone(waiting);
            remove(waiting);
        }
    }
}

std::size_t Pairing::home_of(std::uint64_t key) const {
    return static_cast<std::size_t>(spread(key)) & (slots_.size() - 1);
}

std::size_t Pairing::slot_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = home_of(key);
    while (slots_[at].index != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
}

void Pairing::grow() {
    std::vector<Slot> before(slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before)
        if (slot.index != 0) slots_[slot_of(slot.key)] = slot;
}

Pairing::Waiting* Pairing::find(std::uint64_t key) {
    const Slot& slot = slots_[slot_of(key)];
    return slot.index == 0 ? nullptr : pool_[slot.index - 1].get();
}

Pairing::Answered& Pairing::answered(std::uint64_t key) {
    return answered_[static_cast<std::size_t>(spread(key) >> 32) & (kAnsweredMax - 1)];
}

Pairing::Waiting& Pairing::add(std::uint64_t key, const Message& message, const Head& head,
                               bool is_call) {
    if (count_[is_call] >= (is_call ? kPendingMax : kEarlyRepliesMax)) {
        Waiting& oldest = *pool_[oldest_[is_call] - 1];
        emit_alone(oldest);
        remove(oldest);
    }
    if (free_.empty()) {
        pool_.push_back(std::make_unique<Waiting>());
        pool_.back()->index = static_cast<std::uint32_t>(pool_.size() - 1);
        free_.push_back(pool_.back()->index);
    }
    Waiting& made = *pool_[free_.back()];
    free_.pop_back();
    made.key = key;
    made.is_call = is_call;
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
    made.older = newest_[is_call];
    made.newer = 0;
    if (made.older != 0)
        pool_[made.older - 1]->newer = self;
    else
        oldest_[is_call] = self;
    newest_[is_call] = self;
    ++count_[is_call];
    if ((count_[0] + count_[1]) * 2 > slots_.size()) grow();
    slots_[slot_of(key)] = {key, self};
    return made;
}

void Pairing::remove(Waiting& waiting) {
    const bool kind = waiting.is_call;
    (waiting.older != 0 ? pool_[waiting.older - 1]->newer : oldest_[kind]) = waiting.newer;
    (waiting.newer != 0 ? pool_[waiting.newer - 1]->older : newest_[kind]) = waiting.older;
    --count_[kind];
    bytes_ -= waiting.bytes.size();
    // A buffer that once held a large call is not kept for the small ones to come.
    if (waiting.bytes.capacity() > 65536) std::vector<std::byte>{}.swap(waiting.bytes);
    free_.push_back(waiting.index);

    // Entries behind the freed place move up, so that no search ends too early.
    const std::size_t mask = slots_.size() - 1;
    std::size_t hole = slot_of(waiting.key);
    for (std::size_t at = (hole + 1) & mask; slots_[at].index != 0; at = (at + 1) & mask) {
        if (((at - home_of(slots_[at].key)) & mask) < ((at - hole) & mask)) continue;
        slots_[hole] = slots_[at];
        hole = at;
    }
    slots_[hole] = {};
}

}  // namespace helio::inspect
