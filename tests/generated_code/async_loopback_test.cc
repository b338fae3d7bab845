// The async functions: generated AsyncClient and Service through a channel that is only memory. The
// test opens gates where a server would wait for a disk.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "constructs.h"
#include "constructs_service.h"

namespace test::constructs::async_loopback_test {
namespace {

using helio::Task;

struct Gate {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) { waiters.push_back(coroutine); }
    void await_resume() const {}
    void open(std::size_t which) {
        ASSERT_LT(which, waiters.size());
        std::exchange(waiters[which], std::noop_coroutine()).resume();
    }
    std::vector<std::coroutine_handle<>> waiters;
};

// The channel's calls, and what the server's side saw.
struct Trace {
    int sent = 0;
    int living = 0;  // calls that have not been released
    int thrown = 0;
    bool cut_replies = false;
};

// One call with both of its ends.
class MemoryCall final : public xdr::AsyncCall {
 public:
    MemoryCall(xdr::ServiceBase& service, std::uint32_t procedure, Trace& trace)
        : service_(service), procedure_(procedure), trace_(trace) {
        ++trace_.living;
    }

    xdr::Writer& arguments() override { return arguments_; }
    void send() override {
        ++trace_.sent;
        sent_ = arguments_.joined();
        if (serve()) tell();
    }
    bool finished() const override { return finished_; }
    void resume_when_finished(std::coroutine_handle<> waiter) override { waiter_ = waiter; }
    xdr::Reader* results() override { return results_ ? &*results_ : nullptr; }
    xdr::CallError why() const override { return error_; }
    void fail_with(const xdr::CallError& error) override {
        error_ = error;
        finished_ = true;
    }

 private:
    ~MemoryCall() { --trace_.living; }
    void release() override { delete this; }

    // True if it was answered at once; otherwise it continues as a coroutine, which ends in
    // ended().
    bool serve() {
        {
            xdr::Reader in{sent_, server_arena_, xdr::Mode::strict};
            xdr::Writer out{server_arena_};
            answer(service_.serve(procedure_, call_, in, out), out);
        }
        if (error_.outcome != xdr::Outcome::suspended) return true;
        call_.later().start([](void* self) { static_cast<MemoryCall*>(self)->ended(); }, this);
        return false;
    }
    // As in a server: the frame is destroyed while the coroutine reports its end.
    void ended() {
        {
            xdr::Writer out{server_arena_};
            try {
                answer(call_.later().finish(call_, out), out);
            } catch (const std::runtime_error&) {
                ++trace_.thrown;
                answer(xdr::Outcome::system_error, out);
            }
        }
        call_.later() = {};
        tell();
    }
    void answer(xdr::Outcome outcome, xdr::Writer& out) {
        error_.outcome = outcome;
        if (outcome != xdr::Outcome::success) return;
        received_ = out.joined();
        if (trace_.cut_replies) received_.resize(received_.size() - 4);
        results_.emplace(received_, client_arena_, xdr::Mode::strict);
    }
    void tell() {
        server_arena_.reset();  // poisons memory that the client must not read
        finished_ = true;
        if (waiter_) waiter_.resume();  // which may release this call
    }

    xdr::ServiceBase& service_;
    std::uint32_t procedure_;
    Trace& trace_;
    xdr::Arena client_arena_, server_arena_;
    xdr::Writer arguments_{client_arena_};
    xdr::CallContext call_{server_arena_};
    std::vector<std::byte> sent_, received_;
    std::optional<xdr::Reader> results_;
    xdr::CallError error_;
    bool finished_ = false;
    std::coroutine_handle<> waiter_;
};

class AsyncLoopback final : public xdr::AsyncChannel {
 public:
    explicit AsyncLoopback(xdr::ServiceBase& service) : service_(service) {}
    xdr::AsyncCall::Owner begin(const xdr::VersionInfo& version,
                                const xdr::ProcedureInfo& procedure) override {
        EXPECT_EQ(version.version, service_.info().version);
        return xdr::AsyncCall::Owner{new MemoryCall(service_, procedure.number, trace)};
    }
    Trace trace;

 private:
    xdr::ServiceBase& service_;
};

std::string_view repeated(xdr::CallContext& call, std::string_view text, std::int32_t times) {
    const std::size_t size = text.size() * static_cast<std::size_t>(times);
    auto* const out = call.arena().make<char>(size);
    for (std::int32_t i = 0; i < times; ++i) text.copy(out + i * text.size(), text.size());
    return {out, size};
}

class Plain final : public CONSTRUCTS_V1::Service {
    std::string_view ECHO(xdr::CallContext& call, const std::string_view& text,
                          const std::int32_t& times) override {
        return repeated(call, text, times);
    }
};

struct Guard {
    explicit Guard(int& living) : count(living) { ++count; }
    ~Guard() { --count; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    int& count;
};

class Async : public CONSTRUCTS_V1::Service {
 public:
    Task<void> NULL_async(xdr::CallContext& call) override {
        co_await gate;
        call.set_outcome(null_outcome);
    }
    Task<std::string_view> ECHO_async(xdr::CallContext& call, const std::string_view& text,
                                      const std::int32_t& times) override {
        const Guard guard{living};
        co_await gate;
        if (text == "throw") throw std::runtime_error("as asked");
        if (text == "refuse") co_return call.end_with<std::string_view>(xdr::Outcome::refused);
        if (text == "again") co_return call.wait<std::string_view>();
        co_return repeated(call, text, times);
    }
    Gate gate;
    int living = 0;
    xdr::Outcome null_outcome = xdr::Outcome::success;
};

class Both final : public Async {
    std::string_view ECHO(xdr::CallContext& call, const std::string_view& text,
                          const std::int32_t& times) override {
        if (times > 1) return call.wait<std::string_view>();
        return text == "no" ? call.end_with<std::string_view>(xdr::Outcome::silent) : text;
    }
};

// Decides without a coroutine.
class Decided final : public CONSTRUCTS_V1::Service {
    Task<void> NULL_async(xdr::CallContext& call) override {
        return call.end_with<Task<void>>(xdr::Outcome::refused);
    }
};

// A client's result: the text, or the outcome.
struct Seen {
    std::string text = "nothing yet";
    xdr::CallError error;
};

Task<void> ask(CONSTRUCTS_V1::AsyncClient client, std::string text, std::int32_t times,
               Seen& seen) {
    const auto reply = co_await client.ECHO(text, times);
    seen.text = reply ? std::string(**reply) : "error";
    if (!reply) seen.error = reply.error();
}
Task<void> ask_null(CONSTRUCTS_V1::AsyncClient client, Seen& seen) {
    const auto reply = co_await client.NULL_();
    seen.text = reply ? "void" : "error";
    if (!reply) seen.error = reply.error();
}
void run(Task<void>& task) {
    task.start([](void*) {}, nullptr);
}

// The stack of the original call is gone.
[[gnu::noinline]] void overwrite_stack() {
    std::array<char, 16384> trash;
    std::memset(trash.data(), 0x5a, trash.size());
    asm volatile("" : : "r"(trash.data()) : "memory");
}

TEST(AsyncLoopback, PlainFaceAnswersAtOnce) {
    Plain service;
    AsyncLoopback channel{service};
    Seen seen;
    Task<void> task = ask(CONSTRUCTS_V1::AsyncClient{channel}, "ab", 3, seen);
    run(task);
    EXPECT_TRUE(task.finished());
    EXPECT_EQ(seen.text, "ababab");
    EXPECT_EQ(channel.trace.living, 0);
}

TEST(AsyncLoopback, NeitherFaceIsUnavailable) {
    Plain service;
    AsyncLoopback channel{service};
    Seen seen;
    Task<void> task = ask_null(CONSTRUCTS_V1::AsyncClient{channel}, seen);
    run(task);
    EXPECT_EQ(seen.error.outcome, xdr::Outcome::procedure_unavailable);
}

TEST(AsyncLoopback, CoroutinesAnswerInAnyOrderWithTheirArguments) {
    Async service;
    AsyncLoopback channel{service};
    Seen first, second;
    Task<void> one = ask(CONSTRUCTS_V1::AsyncClient{channel}, "one", 2, first);
    Task<void> two = ask(CONSTRUCTS_V1::AsyncClient{channel}, "two", 3, second);
    run(one);
    run(two);
    overwrite_stack();
    EXPECT_EQ(channel.trace.sent, 2);
    EXPECT_EQ(service.living, 2);
    service.gate.open(1);
    EXPECT_EQ(second.text, "twotwotwo");
    EXPECT_EQ(first.text, "nothing yet");
    service.gate.open(0);
    EXPECT_EQ(first.text, "oneone");
    EXPECT_EQ(service.living, 0);
    EXPECT_EQ(channel.trace.living, 0);
}

TEST(AsyncLoopback, CallsAreSentWhenMadeAndAwaitedLater) {
    Async service;
    AsyncLoopback channel{service};
    CONSTRUCTS_V1::AsyncClient client{channel};
    {
        const auto one = client.ECHO("one", 1);
        const auto two = client.ECHO("two", 1);
        EXPECT_EQ(channel.trace.sent, 2);
        EXPECT_FALSE(one.await_ready());
        service.gate.open(0);
        EXPECT_TRUE(one.await_ready());
        EXPECT_FALSE(two.await_ready());
    }
    EXPECT_EQ(channel.trace.living, 0);
    EXPECT_EQ(service.living, 0);  // `two` was dropped while its procedure waited
}

TEST(AsyncLoopback, PlainFaceHandsOverWhenItMustWait) {
    Both service;
    AsyncLoopback channel{service};
    Seen quick, slow, silent;
    Task<void> one = ask(CONSTRUCTS_V1::AsyncClient{channel}, "x", 1, quick);
    Task<void> two = ask(CONSTRUCTS_V1::AsyncClient{channel}, "x", 2, slow);
    Task<void> three = ask(CONSTRUCTS_V1::AsyncClient{channel}, "no", 1, silent);
    run(one);
    run(two);
    run(three);
    EXPECT_EQ(quick.text, "x");
    EXPECT_EQ(slow.text, "nothing yet");
    EXPECT_EQ(silent.error.outcome, xdr::Outcome::silent);
    ASSERT_EQ(service.gate.waiters.size(), 1u);
    service.gate.open(0);
    EXPECT_EQ(slow.text, "xx");
}

// A row of a table that waits keeps its arguments, and can throw.
Task<std::string_view> echo_later(Gate& gate, xdr::CallContext& call, std::string_view text,
                                  std::int32_t times) {
    co_await gate;
    if (text == "throw") throw std::runtime_error("as asked");
    co_return repeated(call, text, times);
}

TEST(AsyncLoopback, RowsOfATableMayWait) {
    Gate gate;
    CONSTRUCTS_V1::TableService<Gate> service{gate, {.ECHO = echo_later}};
    AsyncLoopback channel{service};
    Seen first, second, unavailable;
    Task<void> one = ask(CONSTRUCTS_V1::AsyncClient{channel}, "one", 2, first);
    Task<void> two = ask(CONSTRUCTS_V1::AsyncClient{channel}, "throw", 3, second);
    Task<void> three = ask_null(CONSTRUCTS_V1::AsyncClient{channel}, unavailable);
    run(one);
    run(two);
    run(three);
    overwrite_stack();
    EXPECT_EQ(unavailable.error.outcome, xdr::Outcome::procedure_unavailable);
    EXPECT_EQ(first.text, "nothing yet");
    gate.open(1);
    EXPECT_EQ(second.error.outcome, xdr::Outcome::system_error);
    EXPECT_EQ(channel.trace.thrown, 1);
    gate.open(0);
    EXPECT_EQ(first.text, "oneone");
    EXPECT_EQ(channel.trace.living, 0);
}

TEST(AsyncLoopback, CoroutinesEndOtherwiseToo) {
    struct Row {
        const char* text;
        xdr::Outcome outcome;
        int thrown;
    };
    const Row rows[] = {
        {"refuse", xdr::Outcome::refused, 0},
        {"again", xdr::Outcome::system_error, 0},  // it has waited already
        {"throw", xdr::Outcome::system_error, 1},  // finish() throws it; the server decides
    };
    for (const Row& row : rows) {
        Async service;
        AsyncLoopback channel{service};
        Seen seen;
        Task<void> task = ask(CONSTRUCTS_V1::AsyncClient{channel}, row.text, 1, seen);
        run(task);
        service.gate.open(0);
        EXPECT_EQ(seen.text, "error") << row.text;
        EXPECT_EQ(seen.error.outcome, row.outcome) << row.text;
        EXPECT_EQ(channel.trace.thrown, row.thrown) << row.text;
        EXPECT_EQ(service.living, 0) << row.text;
    }
}

TEST(AsyncLoopback, VoidResults) {
    for (const auto outcome : {xdr::Outcome::success, xdr::Outcome::refused}) {
        Async service;
        service.null_outcome = outcome;
        AsyncLoopback channel{service};
        Seen seen;
        Task<void> task = ask_null(CONSTRUCTS_V1::AsyncClient{channel}, seen);
        run(task);
        service.gate.open(0);
        EXPECT_EQ(seen.text, outcome == xdr::Outcome::success ? "void" : "error");
    }
    Decided service;
    AsyncLoopback channel{service};
    Seen seen;
    Task<void> task = ask_null(CONSTRUCTS_V1::AsyncClient{channel}, seen);
    run(task);
    EXPECT_EQ(seen.error.outcome, xdr::Outcome::refused);
}

TEST(AsyncLoopback, DestroyedWhileSuspendedLeavesNothing) {
    Async service;
    AsyncLoopback channel{service};
    Seen seen;
    {
        Task<void> task = ask(CONSTRUCTS_V1::AsyncClient{channel}, "x", 1, seen);
        run(task);
        EXPECT_EQ(service.living, 1);
    }
    EXPECT_EQ(service.living, 0);
    EXPECT_EQ(channel.trace.living, 0);
    EXPECT_EQ(seen.text, "nothing yet");
}

Task<void> try_whole(CONSTRUCTS_V1::AsyncClient client, xdr::CallError& error) {
    const auto reply = co_await client.TRY(views{.page = helio::ByteView{}});
    if (!reply) error = reply.error();
}

TEST(AsyncLoopback, ArgumentsThatBreakTheSchemaNeverLeave) {
    Plain service;
    AsyncLoopback channel{service};
    xdr::CallError error;
    Task<void> task = try_whole(CONSTRUCTS_V1::AsyncClient{channel}, error);
    run(task);
    EXPECT_EQ(error.outcome, xdr::Outcome::garbage_arguments);
    EXPECT_EQ(error.detail.fault, xdr::Fault::too_long);
    EXPECT_EQ(channel.trace.sent, 0);
}

TEST(AsyncLoopback, RepliesThatDoNotDecodeAreGarbage) {
    Plain service;
    AsyncLoopback channel{service};
    channel.trace.cut_replies = true;
    Seen seen;
    Task<void> task = ask(CONSTRUCTS_V1::AsyncClient{channel}, "abcd", 1, seen);
    run(task);
    EXPECT_EQ(seen.error.outcome, xdr::Outcome::garbage_reply);
    EXPECT_EQ(seen.error.detail.fault, xdr::Fault::truncated);
}

TEST(AsyncFaces, NoMemoryForArgumentsIsASystemError) {
    Async service;
    xdr::Arena none{0};
    xdr::Arena arena;
    const std::byte arguments[8] = {};  // "" and 0
    xdr::Reader in{arguments, none};
    xdr::CallContext call{none};
    xdr::Writer out{arena};
    EXPECT_EQ(service.serve(CONSTRUCTS_V1::ECHO, call, in, out), xdr::Outcome::system_error);
    EXPECT_FALSE(call.later());
}

}  // namespace
}  // namespace test::constructs::async_loopback_test
