// The interfaces of generated programs. A service is a table of procedures and one virtual class; a
// client is a stub that calls through a Channel, which blocks, or an AsyncChannel, which is
// awaited. None of them knows sockets, credentials or message headers: those belong to the owners
// of the CallContext and the channel.
#pragma once

#include <coroutine>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "helio/base/result.h"
#include "helio/base/task.h"
#include "helio/xdr/error.h"
#include "helio/xdr/reader.h"
#include "helio/xdr/writer.h"

namespace helio::xdr {

// How a call ended. First the outcomes that the procedure and its codec decide; the envelope
// translates them to accept_stat (RFC 5531 §9) or another protocol's codes. Outcomes that only a
// client sees follow.
enum class Outcome : std::uint8_t {
    success,
    procedure_unavailable,  // no such procedure, or the service does not implement it
    garbage_arguments,      // the argument bytes do not fit the schema
    system_error,           // the result does not fit the schema, or there is no memory
    refused,                // the caller is not allowed: AUTH_ERROR with AUTH_TOOWEAK
    silent,                 // deliberately not answered: the client will try again
    suspended,              // servers only: the answer comes later

    program_unavailable,
    version_mismatch,  // CallError::VersionRange
    rpc_mismatch,      // the peer supports other versions of RPC itself: CallError::VersionRange
    auth_error,        // CallError::AuthStatus
    garbage_reply,     // the answer does not decode
    timed_out,
    unreachable,  // no connection, or it broke and the call may have run; see
                  // CallError::error_number
    cancelled,
};

class CallContext;

// A procedure that continues as a coroutine. The server starts it, unless it has begun already, and
// has it write its result when it is done. Owns the coroutine.
class Later final {
 public:
    using Finish = Outcome (*)(void* frame, CallContext& call, Writer& out);
    enum class State : std::uint8_t { not_begun, begun };
    Later() = default;
    // Takes ownership of `frame`; `promise` is the promise in it.
    Later(std::coroutine_handle<> frame, task_detail::PromiseBase& promise, State state)
        : frame_(frame), promise_(&promise), state_(state) {}
    Later(Later&& other) noexcept { *this = std::move(other); }
    Later& operator=(Later&& other) noexcept {
        std::swap(frame_, other.frame_);
        std::swap(promise_, other.promise_);
        std::swap(finish_, other.finish_);
        std::swap(state_, other.state_);
        return *this;
    }
    ~Later() {
        if (frame_) frame_.destroy();
    }

    explicit operator bool() const { return static_cast<bool>(frame_); }
    // Sets the function that writes the result once the coroutine has ended.
    void set_finish(Finish write_result) { finish_ = write_result; }
    // Runs it until it waits or ends. At its end `done(argument)` is called, which may destroy it.
    void start(void (*done)(void*), void* argument) {
        promise_->done = done;
        promise_->done_argument = argument;
        if (state_ == State::not_begun) frame_.resume();
    }
    // Call it after the end: writes the result to `out`. Throws what the coroutine threw.
    Outcome finish(CallContext& call, Writer& out) { return finish_(frame_.address(), call, out); }

 private:
    std::coroutine_handle<> frame_;
    task_detail::PromiseBase* promise_ = nullptr;  // in the frame
    Finish finish_ = nullptr;
    State state_ = State::not_begun;
};

// One call, as a procedure sees it. Servers derive from it to add who is calling.
class CallContext {
 public:
    explicit CallContext(Arena& arena) : arena_(&arena) {}
    virtual ~CallContext() = default;

    // Memory that lives until the reply has been sent: results may point into it.
    Arena& arena() { return *arena_; }

    Outcome outcome() const { return outcome_; }
    void set_outcome(Outcome outcome) { outcome_ = outcome; }

    // The return value of a procedure that ends without a result.
    template <class T>
    T unavailable() {
        return end_with<T>(Outcome::procedure_unavailable);
    }
    template <class T>
    T end_with(Outcome outcome) {
        outcome_ = outcome;
        return T();
    }
    // The return value of a procedure that cannot answer without waiting: its async function is
    // called next.
    template <class T>
    T wait() {
        return end_with<T>(Outcome::suspended);
    }
    // The return value of a procedure that is itself a coroutine. If it ends without waiting, it
    // costs no more than a function call. If it waits, it continues from there, and its final value
    // is the result.
    template <class T>
    T run(Task<T> task) {
        task.start(nullptr, nullptr);
        if (task.finished()) [[likely]]
            return task.take();
        const auto frame = task.release();
        set_later({frame, frame.promise(), Later::State::begun});
        return wait<T>();
    }

    // ---- For generated code and servers ----

    // Whether the plain function asked to wait. If so, the async function decides the outcome.
    bool waits() {
        if (outcome_ != Outcome::suspended) return false;
        outcome_ = Outcome::success;
        return true;
    }
    // A copy that lives as long as the call, for an argument of a coroutine; nullptr if there is no
    // memory.
    template <class T>
    const T* keep(const T& argument) {
        static_assert(std::is_trivially_copyable_v<T>);
        return static_cast<const T*>(keep_bytes(&argument, sizeof(T)));
    }
    // The outcome after a coroutine has ended: it can no longer ask to wait.
    Outcome final_outcome() const {
        return outcome_ == Outcome::suspended ? Outcome::system_error : outcome_;
    }
    void set_later(Later later) noexcept;
    Later& later() { return later_; }

 protected:
    // Reuses the memory of a finished call for the next one. Call it before the arena is reset,
    // because it destroys what is left of the coroutine.
    void restart(Arena& arena) {
        if (later_) [[unlikely]]
            later_ = Later();
        arena_ = &arena;
        outcome_ = Outcome::success;
    }

 private:
    const void* keep_bytes(const void* bytes, std::size_t size);

    Arena* arena_;
    Outcome outcome_ = Outcome::success;
    Later later_;
};

// For generated code, which has hundreds of these: writes a procedure's result with `Encode` once
// its coroutine has ended.
template <auto Encode, class T>
Outcome finish_frame(void* frame, CallContext& call, Writer& out) {
    auto& promise = Task<T>::Frame::from_address(frame).promise();
    if constexpr (std::is_void_v<T>) {
        promise.take();
        return call.final_outcome();
    } else {
        const T& result = promise.result();
        const Outcome outcome = call.final_outcome();
        if (outcome != Outcome::success) return outcome;
        return Encode(out, result) ? Outcome::success : Outcome::system_error;
    }
}

// For generated code: the call continues as `task`; `Encode` writes its result.
template <auto Encode, class T>
Outcome continue_as(CallContext& call, Task<T> task) {
    if (!task)  // not overridden, or finished without a coroutine
        return call.outcome() == Outcome::success ? Outcome::procedure_unavailable : call.outcome();
    const auto frame = task.release();
    call.set_later({frame, frame.promise(), Later::State::not_begun});
    call.later().set_finish(finish_frame<Encode, T>);
    return Outcome::suspended;
}

// For generated code: continues the coroutine that the plain function has begun, or else calls the
// async function with arguments that live as long as the call.
template <auto Encode, class Service, class T, class... Arguments>
Outcome continue_later(Service& service,
                       Task<T> (Service::*async)(CallContext&, const Arguments&...),
                       CallContext& call, const Arguments*... kept) {
    if (call.later()) {
        call.later().set_finish(finish_frame<Encode, T>);
        return Outcome::suspended;
    }
    const bool no_memory = (... || (kept == nullptr));
    if (no_memory) return Outcome::system_error;
    return continue_as<Encode>(call, (service.*async)(call, *kept...));
}

// `@word argument` from the schema's comments.
struct ProcedureNote {
    std::string_view word;
    std::string_view argument;
};

struct ProcedureInfo {
    std::uint32_t number = 0;
    std::string_view name;        // NFSPROC3_READ
    std::string_view short_name;  // READ
    bool idempotent = false;      // @idempotent: running it twice is as good as once
    std::span<const ProcedureNote> notes;
    // Decodes the arguments from `in`, makes the call and encodes the results to `out`. `service`
    // is the version's own Service. Outcome::suspended: the call continues as call.later().
    Outcome (*serve)(void* service, CallContext& call, Reader& in, Writer& out) = nullptr;
    // For transports that must make room for results in advance (RDMA): whether the results have a
    // field marked @bulk, and the most bytes of everything else.
    bool bulk_results = false;
    std::uint32_t results_max = kUnbounded;

    const ProcedureNote* note(std::string_view word) const {
        for (const ProcedureNote& one : notes)
            if (one.word == word) return &one;
        return nullptr;
    }
};

struct VersionInfo {
    std::uint32_t program = 0;
    std::uint32_t version = 0;
    std::string_view program_name;
    std::string_view version_name;
    std::span<const ProcedureInfo> procedures;  // by number, without gaps

    const ProcedureInfo* procedure(std::uint32_t number) const {
        // Numbers are nearly always dense: the index is the number, or a little less.
        std::size_t at = number < procedures.size() ? number : procedures.size();
        if (at < procedures.size() && procedures[at].number == number) return &procedures[at];
        while (at > 0)
            if (procedures[--at].number == number) return &procedures[at];
        return nullptr;
    }
};

// One version of one program, as an entry in a server's table.
class ServiceBase {
 public:
    virtual ~ServiceBase() = default;
    virtual const VersionInfo& info() const = 0;
    // The `service` argument of ProcedureInfo::serve: the generated Service, whatever else a
    // server's class derives from.
    virtual void* service() = 0;

    Outcome serve(std::uint32_t procedure, CallContext& call, Reader& in, Writer& out) {
        const ProcedureInfo* const entry = info().procedure(procedure);
        if (entry == nullptr) return Outcome::procedure_unavailable;
        return entry->serve(service(), call, in, out);
    }
};

// Why a call through a stub gave no result.
struct CallError {
    // version_mismatch, rpc_mismatch: what the peer serves.
    struct VersionRange {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        friend bool operator==(const VersionRange&, const VersionRange&) = default;
    };
    // auth_error
    struct AuthStatus {
        std::uint32_t number = 0;  // auth_stat, RFC 5531 §9
        friend bool operator==(const AuthStatus&, const AuthStatus&) = default;
    };
    // garbage_reply: an accept_stat that is not in RFC 5531.
    struct UnknownStatus {
        std::uint32_t number = 0;
        friend bool operator==(const UnknownStatus&, const UnknownStatus&) = default;
    };
    // refused, by a protocol whose replies carry their own errors. The connection finds the text by
    // the call's serial number.
    struct ProtocolError {
        std::uint32_t code = 0;
        std::uint32_t serial = 0;
        friend bool operator==(const ProtocolError&, const ProtocolError&) = default;
    };

    Outcome outcome = Outcome::unreachable;
    DecodeError detail;  // when arguments or results did not fit
    std::variant<std::monostate, VersionRange, AuthStatus, UnknownStatus, ProtocolError> reason{};
    int error_number = 0;  // for unreachable: errno; 0 if the peer closed the connection
};

// Carries the calls of a client stub. Arguments are written to the buffer they are sent from, and
// results are read from the buffer they arrived in; both are valid until the next begin().
class Channel {
 public:
    virtual ~Channel() = default;
    virtual Writer& begin(const VersionInfo& version, const ProcedureInfo& procedure) = 0;
    // Sends what was written and waits. nullptr if there is no result; why() gives the reason.
    virtual Reader* exchange() = 0;
    virtual CallError why() const = 0;
};

// One call through an AsyncChannel, with its own memory: arguments out, results in. Destroying it
// while the call is in flight cancels the call: the reply will be ignored.
class AsyncCall {
 public:
    struct Release {
        void operator()(AsyncCall* call) const { call->release(); }
    };
    using Owner = std::unique_ptr<AsyncCall, Release>;

    virtual Writer& arguments() = 0;
    virtual void send() = 0;
    virtual bool finished() const = 0;
    virtual void resume_when_finished(std::coroutine_handle<> waiter) = 0;
    // Once finished: the results, or nullptr if there are none; why() gives the reason.
    virtual Reader* results() = 0;
    virtual CallError why() const = 0;
    virtual void fail_with(const CallError& error) = 0;  // instead of send()

 protected:
    ~AsyncCall() = default;

 private:
    virtual void release() = 0;
};

// For generated code: sends what was written, unless the arguments did not fit the schema.
inline void send_or_fail(AsyncCall& call, bool written) {
    if (written)
        call.send();
    else
        call.fail_with({Outcome::garbage_arguments, call.arguments().error()});
}

class AsyncChannel {
 public:
    virtual ~AsyncChannel() = default;
    // Never nullptr: a call that cannot be sent finishes with an error.
    virtual AsyncCall::Owner begin(const VersionInfo& version, const ProcedureInfo& procedure) = 0;
};

// A result and the memory that it points into.
template <class T>
class Reply final {
 public:
    Reply(AsyncCall::Owner memory, T value)
        : memory_(std::move(memory)), value_(std::move(value)) {}
    const T& operator*() const { return value_; }
    const T* operator->() const { return &value_; }

 private:
    AsyncCall::Owner memory_;
    T value_;
};
template <>
class Reply<void> final {
 public:
    explicit Reply(AsyncCall::Owner memory) : memory_(std::move(memory)) {}

 private:
    AsyncCall::Owner memory_;
};

// A call in flight: `co_await` returns its Result. It was sent before the stub returned, so many
// calls can be in flight before the first is awaited.
template <class T>
class [[nodiscard]] Call final {
 public:
    using Decode = bool (*)(Reader& in, T& out);
    Call(AsyncCall::Owner call, Decode decode) : call_(std::move(call)), decode_(decode) {}

    bool await_ready() const { return call_->finished(); }
    void await_suspend(std::coroutine_handle<> waiter) { call_->resume_when_finished(waiter); }
    Result<Reply<T>, CallError> await_resume() {
        Reader* const in = call_->results();
        if (in == nullptr) return fail(call_->why());
        T value{};
        if (!decode_(*in, value) || !in->finish())
            return fail(CallError{Outcome::garbage_reply, in->error()});
        return Reply<T>(std::move(call_), std::move(value));
    }

 private:
    AsyncCall::Owner call_;
    Decode decode_;
};
template <>
class [[nodiscard]] Call<void> final {
 public:
    explicit Call(AsyncCall::Owner call) : call_(std::move(call)) {}

    bool await_ready() const { return call_->finished(); }
    void await_suspend(std::coroutine_handle<> waiter) { call_->resume_when_finished(waiter); }
    Result<Reply<void>, CallError> await_resume() {
        Reader* const in = call_->results();
        if (in == nullptr) return fail(call_->why());
        if (!in->finish()) return fail(CallError{Outcome::garbage_reply, in->error()});
        return Reply<void>(std::move(call_));
    }

 private:
    AsyncCall::Owner call_;
};

}  // namespace helio::xdr
