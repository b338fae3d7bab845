#include <exception>
#include <string>
#include <utility>

#include "helio/rpc/server/active_call_internal.h"
#include "helio/rpc/server/refusal_internal.h"
#include "helio/rpc/server/server.h"

namespace helio::rpc {

Worker::Worker(Server& server, MemoryBudget* budget)
    : server_(server),
      statistics_(server.statistics().add_thread()),
      buffers_(budget),
      batches_(budget),
      nowhere_(batches_.take()),
      now_(Clock::now()) {}

Worker::~Worker() {
    // Coroutines first: a batch may hold their memory.
    for (const auto& one : calls_) one->call.later() = {};
    for (const auto& one : calls_) {
        server_.duplicates().abandon(one->ticket);  // a retransmission runs it again, elsewhere
        one->memory = {};
        one->message = {};
    }
    nowhere_ = {};
}

inline Worker::ActiveCall* Worker::take() {
    if (free_ == nullptr) [[unlikely]] {
        calls_.push_back(std::make_unique<ActiveCall>(*this, nowhere_->arena));
        return calls_.back().get();
    }
    return std::exchange(free_, free_->next);
}

inline void Worker::recycle(ActiveCall& active) {
    active.ticket = {};
    Call& call = active.call;
    if (!call.held.empty()) [[unlikely]]
        call.held.clear();
    if (call.payloads) [[unlikely]]
        call.payloads.reset();
    if (call.extra) [[unlikely]]
        call.extra.reset();
    if (call.security) [[unlikely]]
        call.security.reset();
    active.next = std::exchange(free_, &active);
}

inline Batch& Worker::batch_of(Session* session) {
    return session != nullptr ? session->outgoing() : *nowhere_;
}

// Room for the frame's head, followed by the message.
inline bool Worker::open_frame(ActiveCall& active, const Session* session, xdr::Writer& out) {
    Frame& frame = active.frame;
    frame.begin = out.mark();
    frame.head_size = session != nullptr ? session->head_size_ : 0;
    if (!out.ready(frame.head_size)) return false;
    frame.head = out.at();
    return out.end(frame.head + frame.head_size);
}

inline bool Worker::begin_reply(ActiveCall& active, Session* session) {
    xdr::Writer& out = *batch_of(session).writer;
    if (!open_frame(active, session, out) || !active.envelope->begin_reply(out, active.call))
        return false;
    if (active.call.security) [[unlikely]]
        active.frame.results = out.mark();
    return true;
}

xdr::Outcome Worker::end_reply(ActiveCall& active, xdr::Writer& out) {
    return active.envelope->end_reply(out, active.frame.results, active.call)
               ? xdr::Outcome::success
               : xdr::Outcome::system_error;
}

namespace {

SessionPolicy::Answer answer_of(CallOutcome outcome, bool answered) {
    if (!answered) return SessionPolicy::Answer::none;
    return outcome == CallOutcome::success ? SessionPolicy::Answer::results
                                           : SessionPolicy::Answer::refusal;
}

}  // namespace

// The reply is written, or there is none.
inline void Worker::complete(ActiveCall& active, Session* session, CallOutcome outcome,
                             bool answered, std::size_t bytes_out) {
    Call& call = active.call;
    now_ = Clock::now();
    active.statistics->record(outcome, call.message.size(), bytes_out, now_ - call.arrived);

    // Complete the reply before notifying anyone: a waiter may write the next one.
    if (answered && session != nullptr) {
        session->close_frame(active.frame.head, bytes_out, call.peer);
        Batch& batch = session->outgoing();
        batch.bytes += active.frame.head_size + bytes_out;
        // Copied results, such as a listing, do not need the memory they were copied from.
        if (!call.held.empty() && batch.writer->references_since(active.frame.begin)) [[unlikely]]
            std::move(call.held.begin(), call.held.end(), std::back_inserter(batch.owners));
    }
    if (!active.ticket.empty() || server_.options().observer != nullptr) [[unlikely]]
        publish(active, session, answered, outcome);
    if (session != nullptr && session->policy_ != nullptr) [[unlikely]]
        session->policy_->on_completed(call, answer_of(outcome, answered));
    if (answered && session == nullptr) nowhere_->writer->rewind(active.frame.begin);
    recycle(active);
}

void Worker::serve(Session& session, ByteView message, const BufferRef& buffer, const Peer& peer) {
    ActiveCall& active = *take();
    Batch& batch = session.outgoing();
    Call& call = active.call;
    active.envelope = session.envelope_.get();
    active.version = nullptr;
    active.procedure = nullptr;
    call.restart(batch.arena);
    call.xid = call.program = call.version = call.procedure = 0;
    call.info = nullptr;
    call.peer = peer;
    call.reply_bytes_max = session.reply_bytes_max_;
    call.origin = &session.owner_;
    call.envelope = active.envelope;
    call.sends_files = session.sends_files_;
    if (session.payloads_) [[unlikely]]
        call.payloads = session.payloads_;
    call.arrived = now_;
    call.message = message;

    ByteView arguments;
    Refusal refusal = active.envelope->open(message, call, arguments);
    if (refusal) [[unlikely]] {
        if (refusal.kind == Refusal::Kind::reply) {
            if (session.owner_.take_reply(buffer, message)) return recycle(active);
            refusal.kind = Refusal::Kind::ignore;
        }
        return refuse(active, session, refusal, statistics_.unknown_program());
    }
    const Server::Entry* entry = last_entry_;  // many calls in a row are of one program
    if (entry == nullptr || entry->info->program != call.program ||
        entry->info->version != call.version || !entry->is_served_over(peer.transport)) {
        entry = server_.find(call.program, call.version, peer.transport, refusal);
        if (entry == nullptr) [[unlikely]]
            return refuse(active, session, refusal, statistics_.unknown_program());
        last_entry_ = entry;
    }
    active.version = entry->info;
    active.procedure = entry->info->procedure(call.procedure);
    active.statistics = active.procedure != nullptr
                            ? &statistics_.slot(entry->index, *active.procedure)
                            : &statistics_.unknown_procedure(entry->index);
    if (call.security && call.security->results() == CallSecurity::Results::own) [[unlikely]]
        return answer_by_flavor(active, session);
    if (active.procedure == nullptr) [[unlikely]] {
        active.frame.begin = batch.writer->mark();
        return end_with_outcome(active, &session, xdr::Outcome::procedure_unavailable);
    }
    call.info = active.procedure;
    if (session.policy_ != nullptr && !session.policy_->admit(call)) [[unlikely]] {
        active.frame.begin = batch.writer->mark();
        return end_with_outcome(active, &session, xdr::Outcome::refused);
    }
    if (is_remembered(*active.procedure) && session.has_retransmissions_ &&
        is_duplicate(active, session, arguments))
        return;

    run(active, session, *entry, arguments, buffer);
    if (!session.ended_.empty()) [[unlikely]]
        resume_ended(session);
}

void Worker::run(ActiveCall& active, Session& session, const Server::Entry& entry,
                 ByteView arguments, const BufferRef& buffer) {
    Batch& batch = session.outgoing();
    xdr::Writer& out = *batch.writer;
    xdr::Reader in{arguments, batch.arena};
    xdr::Outcome outcome = xdr::Outcome::system_error;
    if (begin_reply(active, &session)) [[likely]] {
        session.writing_ = true;
        try {
            outcome = active.procedure->serve(entry.service, active.call, in, out);
        } catch (const std::exception& error) {  // a failing service must not break the connection
            session.writing_ = false;
            return end_with_outcome(active, &session, outcome, error.what());
        } catch (...) {
            session.writing_ = false;
            return end_with_outcome(active, &session, outcome, "an exception");
        }
        session.writing_ = false;
    }
    if (outcome == xdr::Outcome::suspended) {
        out.rewind(active.frame.begin);
        return suspend(active, session, buffer);
    }
    if (outcome == xdr::Outcome::success) [[likely]] {
        batch.keep(buffer);  // the results may point into it
        if (active.call.security) [[unlikely]]
            outcome = end_reply(active, out);
        const std::size_t size = active.frame.message_size(out);
        if (outcome == xdr::Outcome::success && size <= active.call.reply_bytes_max) [[likely]]
            return complete(active, &session, CallOutcome::success, true, size);
    }
    end_with_outcome(active, &session, outcome,
                     outcome == xdr::Outcome::garbage_arguments && logs() ? to_string(in.error())
                                                                          : std::string{});
}

// A message of the flavor's own, such as RPCSEC_GSS's INIT: no procedure runs.
void Worker::answer_by_flavor(ActiveCall& active, Session& session) {
    xdr::Writer& out = *session.outgoing().writer;
    const bool good = begin_reply(active, &session) && active.call.security->put_results({}, out);
    end_with_outcome(active, &session, good ? xdr::Outcome::success : xdr::Outcome::system_error);
}

// ---- Retransmissions ----

// True if the call has been seen before: it has been answered, or will be by the one that runs.
bool Worker::is_duplicate(ActiveCall& active, Session& session, ByteView arguments) {
    Call& call = active.call;
    const bool is_protected = call.security != nullptr;
    const ByteView repeated = is_protected ? arguments : call.message.subspan(4);
    const CallKind kind = kind_of(*active.procedure);
    // The arguments are the end of the message.
    const std::size_t unchecked =
        kind == CallKind::overwrite && arguments.size() > kDuplicateArgumentsMax
            ? arguments.size() - kDuplicateArgumentsMax
            : 0;
    CallKey key{call.peer.client,
                call.xid,
                call.program,
                call.version,
                call.procedure,
                call_checksum(repeated.first(repeated.size() - unchecked)),
                static_cast<std::uint32_t>(repeated.size()),
                kind};
    if (is_protected) key.checksum ^= call.security->caller();
    bool waits = false;
    auto begun = server_.duplicates().begin(key, now_, [&] {
        // The running call's reply will be protected for that call alone: the client has to try
        // again.
        auto waiter = is_protected ? nullptr : session.owner_.make_waiter(call.peer);
        waits = waiter != nullptr;
        return waiter;
    });
    active.ticket = begun.ticket;
    if (begun.verdict == DuplicateCache::Verdict::fresh) return false;
    if (begun.verdict == DuplicateCache::Verdict::done && is_protected) {
        replay(active, session, begun.reply);
        return true;
    }
    if (begun.verdict == DuplicateCache::Verdict::done)
        session.send_cached(begun.reply, call.peer);
    else if (!waits && session.policy_ != nullptr)
        session.policy_->on_completed(call, SessionPolicy::Answer::none);
    active.statistics->record(CallOutcome::dropped, call.message.size(),
                              begun.reply.bytes().size());
    recycle(active);
    return true;
}

// For a protected call the results are remembered, and protected anew for each retransmission.
void Worker::replay(ActiveCall& active, Session& session, const CachedReply& results) {
    xdr::Writer& out = *session.outgoing().writer;
    xdr::Outcome outcome = xdr::Outcome::system_error;
    if (begin_reply(active, &session) && out.append(results.bytes()))
        outcome = end_reply(active, out);
    end_with_outcome(active, &session, outcome);
}

// The duplicate cache and the observer need the bytes of the reply.
void Worker::publish(ActiveCall& active, Session* session, bool answered, CallOutcome outcome) {
    segments_.clear();
    if (answered)
        batch_of(session).writer->for_each_since(
            active.frame.begin, active.frame.head_size,
            [this](const xdr::Segment& one) { segments_.push_back(one); });
    if (!active.ticket.empty()) {
        const bool is_protected = active.call.security != nullptr;
        if (answered && !is_protected)
            server_.duplicates().finish(active.ticket, segments_, now_);
        else if (answered && outcome == CallOutcome::success)
            server_.duplicates().finish(active.ticket, plain_results(active, session), now_);
        else
            server_.duplicates().abandon(active.ticket);
    }
    if (Observer* const observer = server_.options().observer)
        observer->on_call({active.call, segments_, outcome, now_ - active.call.arrived});
}

std::vector<xdr::Segment> Worker::plain_results(const ActiveCall& active, Session* session) {
    const Call& call = active.call;
    if (call.security->results() != CallSecurity::Results::plain)
        return {xdr::Segment{call.plain_results}};
    std::vector<xdr::Segment> out;
    batch_of(session).writer->for_each_since(
        active.frame.results, 0, [&out](const xdr::Segment& one) { out.push_back(one); });
    return out;
}

// ---- Calls that wait ----

void Worker::suspend(ActiveCall& active, Session& session, const BufferRef& buffer) {
    active.session = &session;
    active.kept_envelope = session.envelope_;
    active.memory = MemoryRef{&session.outgoing().memory};
    active.message = buffer;
    active.previous = nullptr;
    active.next = session.waiting_;
    if (active.next != nullptr) active.next->previous = &active;
    session.waiting_ = &active;
    ++session.in_flight_;
    session.waiting_bytes_ += active.waiting_bytes();
    active.call.session_waiting_bytes = &session.waiting_bytes_;
    ++waiting_;
    active.call.later().start(
        [](void* self) {
            auto& done = *static_cast<ActiveCall*>(self);
            done.worker->resume(done);
        },
        &active);
}

// The coroutine of a call has ended, on this thread; now or within suspend().
void Worker::resume(ActiveCall& active) {
    Session* const session = active.session;
    // The procedure that resumed it is itself about to write there: wait until it is done.
    if (session != nullptr && session->writing_) return session->ended_.push_back(&active);
    --waiting_;
    Batch& batch = batch_of(session);
    if (session != nullptr) {
        --session->in_flight_;
        session->waiting_bytes_ -= active.waiting_bytes();
        (active.previous != nullptr ? active.previous->next : session->waiting_) = active.next;
        if (active.next != nullptr) active.next->previous = active.previous;
        if (!session->receiving_) now_ = Clock::now();
    }

    xdr::Outcome outcome = xdr::Outcome::system_error;
    std::string why;
    if (session != nullptr) session->writing_ = true;
    try {
        if (begin_reply(active, session))
            outcome = active.call.later().finish(active.call, *batch.writer);
    } catch (const std::exception& error) {
        why = error.what();
    } catch (...) {
        why = "an exception";
    }
    if (session != nullptr) session->writing_ = false;
    if (outcome == xdr::Outcome::success && active.call.security) [[unlikely]]
        outcome = end_reply(active, *batch.writer);
    // Results may point into the call's memory: it stays until they have been sent.
    batch.keep(active.memory);
    batch.keep(active.message);
    active.call.later() = {};
    active.memory = {};
    active.message = {};
    active.session = nullptr;
    active.call.bytes_promised = 0;
    active.call.session_waiting_bytes = nullptr;
    const std::shared_ptr<Envelope> envelope = std::move(active.kept_envelope);
    end_with_outcome(active, session, outcome, why);
    if (session == nullptr) {
        nowhere_ = {};  // the reply is dropped, with everything it kept
        nowhere_ = batches_.take();
        return;
    }
    if (!session->receiving_) session->owner_.output_ready();
    resume_ended(*session);
}

// Calls that a procedure resumed while it wrote its reply, in order.
void Worker::resume_ended(Session& session) {
    while (!session.ended_.empty()) {
        const auto ended = std::exchange(session.ended_, {});
        for (ActiveCall* const one : ended) resume(*one);
    }
}

// ---- Other ends than results ----

void Worker::refuse(ActiveCall& active, Session& session, const Refusal& refusal,
                    CallStatistics& statistics) {
    active.statistics = &statistics;
    active.frame.begin = session.outgoing().writer->mark();
    if (!header_was_read(refusal)) active.call.credential = {};  // it is from an earlier call
    if (logs()) log_refusal(active, refusal);
    write_refusal(active, &session, refusal);
}

// The reply has been written, unless the outcome requires another one.
void Worker::end_with_outcome(ActiveCall& active, Session* session, xdr::Outcome outcome,
                              std::string_view why) {
    const Call& call = active.call;
    xdr::Writer& out = *batch_of(session).writer;
    Refusal refusal = outcome == xdr::Outcome::success ? Refusal{} : refusal_of(outcome);
    // Procedure 0 answers in every program, even if schema or service lack it (RFC 5531 §12.1):
    // clients use it to check that a server is there.
    const bool answers_zero = call.procedure == 0 &&
                              outcome == xdr::Outcome::procedure_unavailable &&
                              active.envelope->answers_procedure_zero();
    const bool has_error =
        outcome == xdr::Outcome::refused && call.extra != nullptr && call.extra->has_error();
    if (answers_zero || has_error) {
        out.rewind(active.frame.begin);
        refusal = begin_reply(active, session) &&
                          (!call.security || end_reply(active, out) == xdr::Outcome::success)
                      ? Refusal{}
                      : Refusal{Refusal::Kind::system_error};
    }
    const std::size_t size = refusal ? 0 : active.frame.message_size(out);
    if (size > call.reply_bytes_max) [[unlikely]]
        refusal = {Refusal::Kind::system_error};
    if (refusal && logs()) [[unlikely]]
        log_failure(active, refusal, out, why, size);
    write_refusal(active, session, refusal);
}

void Worker::write_refusal(ActiveCall& active, Session* session, const Refusal& refusal) {
    xdr::Writer& out = *batch_of(session).writer;
    bool answered = true;
    if (refusal) {
        out.rewind(active.frame.begin);
        answered = refusal.kind != Refusal::Kind::ignore && open_frame(active, session, out) &&
                   active.envelope->put_refusal(out, active.call, refusal);
        if (!answered) out.rewind(active.frame.begin);
    }
    complete(active, session, outcome_of(refusal.kind), answered,
             answered ? active.frame.message_size(out) : 0);
}

}  // namespace helio::rpc
