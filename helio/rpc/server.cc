#include "helio/rpc/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "helio/base/assert.h"
#include "helio/rpc/active_call_internal.h"
#include "schema/rpc.h"

namespace helio::rpc {

Server::Server(ServerOptions options)
    : options_(std::move(options)), duplicates_(options_.duplicates) {}

void Server::add(xdr::ServiceBase& service) {
    const xdr::VersionInfo& info = service.info();
    Refusal refusal;
    HELIO_ASSERT(statistics_ == nullptr && find(info.program, info.version, refusal) == nullptr);
    entries_.push_back({&info, service.service(), entries_.size()});
}

const Server::Entry* Server::find(std::uint32_t program, std::uint32_t version,
                                  Refusal& refusal) const {
    refusal = {Refusal::Kind::program_unavailable};
    for (const Entry& entry : entries_) {
        if (entry.info->program != program) continue;
        const std::uint32_t served = entry.info->version;
        if (served == version) {
            refusal = {};
            return &entry;
        }
        if (refusal.kind == Refusal::Kind::program_unavailable)
            refusal = {Refusal::Kind::version_mismatch, served, served};
        refusal.low = std::min(refusal.low, served);
        refusal.high = std::max(refusal.high, served);
    }
    return nullptr;
}

Statistics& Server::statistics() {
    const std::lock_guard lock{statistics_mutex_};
    if (statistics_ == nullptr) {
        std::vector<const xdr::VersionInfo*> versions;
        for (const Entry& entry : entries_) versions.push_back(entry.info);
        statistics_ = std::make_unique<Statistics>(versions);
    }
    return *statistics_;
}

Worker::Worker(Server& server)
    : server_(server),
      statistics_(server.statistics().add_thread()),
      nowhere_(batches_.take()),
      now_(Clock::now()) {}

Worker::~Worker() {
    // Coroutines go first: what they hold may be in a batch.
    for (const auto& one : calls_) one->call.later() = {};
    for (const auto& one : calls_) {
        server_.duplicates().abandon(one->ticket);  // a retransmission runs it anew, elsewhere
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

inline void Worker::give_back(ActiveCall& active) {
    active.ticket = {};
    Call& call = active.call;
    call.held.clear();
    call.payloads.reset();
    if (call.connection) [[unlikely]] {
        call.connection.reset();
        call.error.reset();
        call.descriptors.clear();
        call.reply_descriptors.clear();
    }
    active.next = std::exchange(free_, &active);
}

void Worker::serve(Session& session, ByteView message, const BufferRef& buffer, const Peer& peer) {
    ActiveCall& active = *take();
    Batch& batch = session.outgoing();
    Call& call = active.call;
    call.restart(batch.arena);
    call.xid = call.program = call.version = call.procedure = 0;
    call.credential = {};
    call.info = nullptr;
    call.peer = peer;
    call.reply_bytes_max = session.reply_bytes_max_;
    call.sends_files = session.sends_files_;
    call.payloads = session.payloads_;
    call.arrived = now_;
    call.message = message;
    active.envelope = &session.envelope_;
    active.version = nullptr;
    active.procedure = nullptr;

    ByteView arguments;
    Refusal refusal = session.envelope_.open(message, call, arguments);
    if (refusal) [[unlikely]]
        return refuse(active, session, refusal, statistics_.unknown_program());
    const Server::Entry* const entry = server_.find(call.program, call.version, refusal);
    if (entry == nullptr) [[unlikely]]
        return refuse(active, session, refusal, statistics_.unknown_program());
    active.version = entry->info;
    active.procedure = entry->info->procedure(call.procedure);
    if (active.procedure == nullptr) [[unlikely]] {
        active.statistics = &statistics_.unknown_procedure(entry->index);
        active.frame.begin = batch.writer->mark();
        return finish(active, &session, xdr::Outcome::procedure_unavailable);
    }
    call.info = active.procedure;
    active.statistics = &statistics_.slot(entry->index, *active.procedure);
    if (session.stateful_) [[unlikely]] {
        if (!session.admit(call)) {
            active.frame.begin = batch.writer->mark();
            return finish(active, &session, xdr::Outcome::refused);
        }
    } else if (!active.procedure->idempotent && is_duplicate(active, session)) {
        return;
    }

    run(active, session, *entry, arguments, buffer);
    go_on_with_ended(session);
}

// What a procedure set free while it wrote its reply, in the order in which it did.
void Worker::go_on_with_ended(Session& session) {
    while (!session.ended_.empty()) {
        const auto ended = std::exchange(session.ended_, {});
        for (ActiveCall* const one : ended) go_on(*one);
    }
}

void Worker::run(ActiveCall& active, Session& session, const Server::Entry& entry,
                 ByteView arguments, const BufferRef& buffer) {
    Batch& batch = session.outgoing();
    xdr::Writer& out = *batch.writer;
    xdr::Reader in{arguments, batch.arena};
    xdr::Outcome outcome = xdr::Outcome::system_error;
    std::string why;
    if (begin_reply(active, &session)) {
        session.writing_ = true;
        try {
            outcome = active.procedure->serve(entry.service, active.call, in, out);
        } catch (const std::exception& error) {  // a service's failure is not the connection's
            why = error.what();
        } catch (...) {
            why = "an exception";
        }
        session.writing_ = false;
    }
    if (outcome == xdr::Outcome::suspended) {
        out.rewind(active.frame.begin);
        return suspend(active, session, buffer);
    }
    if (outcome == xdr::Outcome::success) [[likely]] {
        batch.keep(buffer);  // the results may point into it
        const std::size_t size = active.frame.message_size(out);
        if (size <= active.call.reply_bytes_max) [[likely]]
            return settle(active, &session, CallOutcome::success, true, size);
    }
    if (outcome == xdr::Outcome::garbage_arguments && logs()) why = to_string(in.error());
    finish(active, &session, outcome, why);
}

// The reply is written, or there is none.
inline void Worker::settle(ActiveCall& active, Session* session, CallOutcome outcome, bool answered,
                           std::size_t bytes_out) {
    Call& call = active.call;
    now_ = Clock::now();
    active.statistics->record(outcome, call.message.size(), bytes_out, now_ - call.arrived);

    // The reply is whole before anybody is told: who waited for it may write the next one.
    if (answered && session != nullptr) {
        session->close_frame(active.frame.head, bytes_out, call.peer);
        Batch& batch = session->outgoing();
        batch.bytes += active.frame.head_size + bytes_out;
        if (!call.held.empty()) [[unlikely]]
            std::move(call.held.begin(), call.held.end(), std::back_inserter(batch.owners));
    } else if (session != nullptr) {
        session->no_reply(call.peer);
    }
    if (!active.ticket.empty() || server_.options().observer != nullptr) [[unlikely]]
        tell(active, session, answered, outcome);
    if (session != nullptr && session->stateful_) [[unlikely]]
        session->settled(call,
                         answered && outcome == CallOutcome::success && call.error == nullptr);
    if (answered && session == nullptr) nowhere_->writer->rewind(active.frame.begin);
    give_back(active);
}

// Room for the frame's head, and behind it the message.
bool Worker::open_frame(ActiveCall& active, const Session* session, xdr::Writer& out) {
    Frame& frame = active.frame;
    frame.begin = out.mark();
    frame.head_size = session != nullptr ? session->head_size_ : 0;
    if (!out.ready(frame.head_size)) return false;
    frame.head = out.at();
    return out.end(frame.head + frame.head_size);
}

bool Worker::begin_reply(ActiveCall& active, Session* session) {
    xdr::Writer& out = *batch_of(session).writer;
    return open_frame(active, session, out) && active.envelope->put_success(out, active.call);
}

Batch& Worker::batch_of(Session* session) {
    return session != nullptr ? session->outgoing() : *nowhere_;
}

// True when the call has been seen before: it is answered, or will be by the one that runs.
bool Worker::is_duplicate(ActiveCall& active, Session& session) {
    Call& call = active.call;
    const CallKey key{call.peer.client,
                      call.xid,
                      call.program,
                      call.version,
                      call.procedure,
                      call_checksum(call.message.subspan(4)),
                      static_cast<std::uint32_t>(call.message.size())};
    bool waits = false;
    auto begun = server_.duplicates().begin(key, now_, [&] {
        auto waiter = session.owner_.make_waiter(call.peer);
        waits = waiter != nullptr;
        return waiter;
    });
    active.ticket = begun.ticket;
    if (begun.verdict == DuplicateCache::Verdict::fresh) return false;
    if (begun.verdict == DuplicateCache::Verdict::done)
        session.send_kept(begun.reply, call.peer);
    else if (!waits)
        session.no_reply(call.peer);
    active.statistics->record(CallOutcome::dropped, call.message.size(),
                              begun.reply.bytes().size());
    give_back(active);
    return true;
}

void Worker::suspend(ActiveCall& active, Session& session, const BufferRef& buffer) {
    active.session = &session;
    active.memory = MemoryRef{&session.outgoing().memory};
    active.message = buffer;
    active.previous = nullptr;
    active.next = session.waiting_;
    if (active.next != nullptr) active.next->previous = &active;
    session.waiting_ = &active;
    ++session.in_flight_;
    ++waiting_;
    active.call.later().start(
        [](void* self) {
            auto& done = *static_cast<ActiveCall*>(self);
            done.worker->go_on(done);
        },
        &active);
}

// The coroutine of a call has ended, on this thread; now or within suspend().
void Worker::go_on(ActiveCall& active) {
    Session* const session = active.session;
    // The procedure that made it go on is itself about to write there: after it.
    if (session != nullptr && session->writing_) return session->ended_.push_back(&active);
    --waiting_;
    Batch& batch = batch_of(session);
    if (session != nullptr) {
        --session->in_flight_;
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
    // Results may point into the call's memory: it stays until they have been sent.
    batch.keep(active.memory);
    batch.keep(active.message);
    active.call.later() = {};
    active.memory = {};
    active.message = {};
    active.session = nullptr;
    finish(active, session, outcome, why);
    if (session == nullptr) {
        nowhere_ = {};  // the reply is nobody's, and so is what it kept
        nowhere_ = batches_.take();
        return;
    }
    if (!session->receiving_) session->owner_.output_ready();
    go_on_with_ended(*session);
}

namespace {

Refusal refusal_of(xdr::Outcome outcome) {
    using Kind = Refusal::Kind;
    switch (outcome) {
        case xdr::Outcome::procedure_unavailable:
            return {Kind::procedure_unavailable};
        case xdr::Outcome::garbage_arguments:
            return {Kind::garbage_arguments};
        case xdr::Outcome::refused:
            return {Kind::auth_error, AUTH_TOOWEAK};
        case xdr::Outcome::silent:
            return {Kind::ignore};
        default:
            return {Kind::system_error};
    }
}

std::string describe(const Refusal& refusal) {
    using Kind = Refusal::Kind;
    switch (refusal.kind) {
        case Kind::ignore:
            return "it is no call";
        case Kind::rpc_mismatch:
            return "it is not RPC version 2";
        case Kind::auth_error:
            return fmt::format("the {} is not accepted",
                               refusal.low == AUTH_BADVERF ? "verifier" : "credential");
        case Kind::program_unavailable:
            return "it is not served here";
        case Kind::version_mismatch:
            return fmt::format("it is served in versions {} to {}", refusal.low, refusal.high);
        case Kind::garbage_arguments:
            return "the header is cut short";
        default:
            return "failed";
    }
}

bool header_was_read(const Refusal& refusal) {
    using Kind = Refusal::Kind;
    return refusal.kind != Kind::ignore && refusal.kind != Kind::rpc_mismatch &&
           refusal.kind != Kind::garbage_arguments;
}

CallOutcome outcome_of(Refusal::Kind kind) {
    using Kind = Refusal::Kind;
    switch (kind) {
        case Kind::none:
            return CallOutcome::success;
        case Kind::ignore:
            return CallOutcome::dropped;
        case Kind::rpc_mismatch:
            return CallOutcome::rpc_mismatch;
        case Kind::auth_error:
            return CallOutcome::auth_error;
        case Kind::program_unavailable:
            return CallOutcome::program_unavailable;
        case Kind::version_mismatch:
            return CallOutcome::program_mismatch;
        case Kind::procedure_unavailable:
            return CallOutcome::procedure_unavailable;
        case Kind::garbage_arguments:
            return CallOutcome::garbage_arguments;
        case Kind::system_error:
            return CallOutcome::system_error;
        case Kind::said:  // as far as RPC goes it ran, like a call that ends with NFS3ERR_NOENT
            return CallOutcome::success;
    }
    HELIO_ASSERT(false);
    return CallOutcome::system_error;
}

}  // namespace

void Worker::refuse(ActiveCall& active, Session& session, const Refusal& refusal,
                    CallStatistics& statistics) {
    active.statistics = &statistics;
    active.frame.begin = session.outgoing().writer->mark();
    if (logs()) {
        const Call& call = active.call;
        std::string why = describe(refusal);
        why += refusal.kind == Refusal::Kind::ignore
                   ? "; ignored"
                   : "; answered " + active.envelope->answer_to(call, refusal);
        // Nobody read the numbers of a header that is not understood.
        log_refusal(call, header_was_read(refusal)
                              ? fmt::format("program {} version {} procedure {}: {}", call.program,
                                            call.version, call.procedure, why)
                              : why);
    }
    conclude(active, &session, refusal);
}

// The reply is written, unless the outcome wants another one.
void Worker::finish(ActiveCall& active, Session* session, xdr::Outcome outcome,
                    std::string_view why) {
    const Call& call = active.call;
    xdr::Writer& out = *batch_of(session).writer;
    Refusal refusal = outcome == xdr::Outcome::success ? Refusal{} : refusal_of(outcome);
    if (call.error && outcome == xdr::Outcome::refused) refusal = {Refusal::Kind::said};
    // Procedure 0 answers in every program, whether its schema lists it and its service has it or
    // not (RFC 5531 §12.1): it is how clients ask whether somebody is there.
    if (call.procedure == 0 && outcome == xdr::Outcome::procedure_unavailable &&
        active.envelope->answers_procedure_zero()) {
        out.rewind(active.frame.begin);
        refusal = begin_reply(active, session) ? Refusal{} : Refusal{Refusal::Kind::system_error};
    }
    if (!refusal && active.frame.message_size(out) > call.reply_bytes_max) [[unlikely]] {
        refusal = {Refusal::Kind::system_error};
        if (logs())
            log_failure(active, refusal,
                        fmt::format("the reply has {} bytes, the transport carries {}",
                                    active.frame.message_size(out), call.reply_bytes_max));
    } else if (refusal && refusal.kind != Refusal::Kind::ignore &&
               refusal.kind != Refusal::Kind::said && logs()) [[unlikely]] {
        if (!why.empty())
            log_failure(active, refusal, why);
        else if (refusal.kind == Refusal::Kind::procedure_unavailable)
            log_failure(active, refusal, "there is no such procedure");
        else
            log_failure(active, refusal, out.ok() ? "it said so" : to_string(out.error()));
    }
    conclude(active, session, refusal);
}

void Worker::conclude(ActiveCall& active, Session* session, const Refusal& refusal) {
    xdr::Writer& out = *batch_of(session).writer;
    bool answered = true;
    if (refusal) {
        out.rewind(active.frame.begin);
        answered = refusal.kind != Refusal::Kind::ignore && open_frame(active, session, out) &&
                   active.envelope->put_refusal(out, active.call, refusal);
        if (!answered) out.rewind(active.frame.begin);
    }
    settle(active, session, outcome_of(refusal.kind), answered,
           answered ? active.frame.message_size(out) : 0);
}

// The duplicate cache and the observer want the bytes of the reply.
void Worker::tell(ActiveCall& active, Session* session, bool answered, CallOutcome outcome) {
    segments_.clear();
    if (answered)
        batch_of(session).writer->for_each_since(
            active.frame.begin, active.frame.head_size,
            [this](const xdr::Segment& one) { segments_.push_back(one); });
    if (!active.ticket.empty()) {
        if (answered)
            server_.duplicates().finish(active.ticket, segments_, now_);
        else
            server_.duplicates().abandon(active.ticket);
    }
    if (Observer* const observer = server_.options().observer)
        observer->on_call({active.call, segments_, outcome, now_ - active.call.arrived});
}

}  // namespace helio::rpc
