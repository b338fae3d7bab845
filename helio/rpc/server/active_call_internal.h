// Worker::ActiveCall: the state of a call between its first byte and its reply, shared by the
// worker and the session it belongs to.
#pragma once

#include "helio/rpc/server/server.h"
#include "helio/rpc/session.h"

namespace helio::rpc {

// A reply being written: where its frame begins, and how many bytes of it precede the message.
struct Worker::Frame {
    xdr::Writer::Mark begin{};
    xdr::Writer::Mark results{};  // for a call with a CallSecurity
    std::byte* head = nullptr;
    std::size_t head_size = 0;

    std::size_t message_size(const xdr::Writer& out) const {
        return out.size_since(begin) - head_size;
    }
};

// The worker keeps and reuses these objects, so their addresses stay valid for a coroutine that
// holds one.
struct Worker::ActiveCall {
    explicit ActiveCall(Worker& owner, xdr::Arena& arena) : worker(&owner), call(arena) {}

    Worker* worker;
    Call call;
    const xdr::VersionInfo* version = nullptr;  // nullptr: not served
    const xdr::ProcedureInfo* procedure = nullptr;
    CallStatistics* statistics = nullptr;
    Envelope* envelope = nullptr;
    DuplicateCache::Ticket ticket;
    Frame frame;  // of its reply

    std::size_t waiting_bytes() const { return call.message.size() + call.bytes_promised; }

    // While it waits:
    Session* session = nullptr;  // nullptr when it has gone
    std::shared_ptr<Envelope> kept_envelope;
    MemoryRef memory;  // of arguments, results
    BufferRef message;
    ActiveCall* next = nullptr;  // of the session's
    ActiveCall* previous = nullptr;
};

}  // namespace helio::rpc
