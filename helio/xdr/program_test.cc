#include "helio/xdr/program.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "helio/xdr/plain.h"

namespace helio::xdr::program_test {
namespace {

TEST(VersionInfo, FindsProceduresByNumber) {
    struct Row {
        const char* name;
        std::vector<std::uint32_t> numbers;
    };
    const Row rows[] = {
        {"dense, as NFS", {0, 1, 2, 3, 4}},
        {"a gap, as NLM", {0, 1, 2, 20, 21, 22, 23}},
        {"late start, as rquota", {1, 2}},
        {"far apart", {7, 4000, 0xffffffff}},
        {"one", {5}},
        {"none", {}},
    };
    for (const Row& row : rows) {
        std::vector<ProcedureInfo> procedures;
        for (const std::uint32_t number : row.numbers) procedures.emplace_back().number = number;
        VersionInfo version;
        version.procedures = procedures;
        for (const std::uint32_t number : row.numbers) {
            const ProcedureInfo* const found = version.procedure(number);
            ASSERT_NE(found, nullptr) << row.name << ' ' << number;
            EXPECT_EQ(found->number, number) << row.name;
        }
        for (const std::uint32_t absent : {6u, 19u, 24u, 3999u, 0x80000000u, 0xfffffffeu})
            EXPECT_EQ(version.procedure(absent), nullptr) << row.name << ' ' << absent;
    }
}

TEST(ProcedureInfo, FindsNotesByWord) {
    const ProcedureNote notes[] = {{"idempotent", ""}, {"priority", "high"}};
    ProcedureInfo procedure;
    procedure.notes = notes;
    ASSERT_NE(procedure.note("priority"), nullptr);
    EXPECT_EQ(procedure.note("priority")->argument, "high");
    EXPECT_EQ(procedure.note("high"), nullptr);
}

TEST(CallContext, AnUnimplementedProcedureSaysSo) {
    Arena arena;
    CallContext call{arena};
    EXPECT_EQ(call.outcome(), Outcome::success);
    EXPECT_EQ(call.unavailable<int>(), 0);
    EXPECT_EQ(call.outcome(), Outcome::procedure_unavailable);
}

TEST(CallContext, WaitingIsAskedOnce) {
    Arena arena;
    CallContext call{arena};
    EXPECT_FALSE(call.waits());
    EXPECT_EQ(call.wait<int>(), 0);
    EXPECT_EQ(call.outcome(), Outcome::suspended);
    EXPECT_EQ(call.final_outcome(), Outcome::system_error);
    EXPECT_TRUE(call.waits());
    EXPECT_EQ(call.outcome(), Outcome::success);
    EXPECT_FALSE(call.waits());
    EXPECT_EQ(call.end_with<int>(Outcome::refused), 0);
    EXPECT_FALSE(call.waits());
    EXPECT_EQ(call.outcome(), Outcome::refused);
}

TEST(CallContext, KeepsArgumentsInTheArena) {
    Arena arena;
    CallContext call{arena};
    std::array<int, 3> value{1, 2, 3};
    const auto* const kept = call.keep(value);
    ASSERT_NE(kept, nullptr);
    value = {};
    EXPECT_EQ((*kept)[2], 3);
    Arena none{0};
    CallContext poor{none};
    EXPECT_EQ(poor.keep(value), nullptr);
}

// A coroutine that waits for the test, and records whether it is alive.
struct Gate {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) { waiter = coroutine; }
    void await_resume() const {}
    std::coroutine_handle<> waiter;
};
Task<int> answer(Gate& gate, std::shared_ptr<int> held) {
    co_await gate;
    co_return *held;
}

class Restartable final : public CallContext {
 public:
    using CallContext::CallContext;
    using CallContext::restart;
};

TEST(Later, FinishesWithTheResult) {
    Arena arena;
    CallContext call{arena};
    Gate gate;
    const auto held = std::make_shared<int>(5);
    ASSERT_EQ(continue_as<kEncodePlain<int>>(call, answer(gate, held)), Outcome::suspended);
    Later later = std::move(call.later());
    EXPECT_FALSE(call.later());
    bool ended = false;
    later.start([](void* flag) { *static_cast<bool*>(flag) = true; }, &ended);
    EXPECT_FALSE(ended);
    gate.waiter.resume();
    ASSERT_TRUE(ended);
    Writer out{arena};
    EXPECT_EQ(later.finish(call, out), Outcome::success);
    const std::vector<std::byte> expected{{}, {}, {}, std::byte{5}};
    EXPECT_EQ(out.joined(), expected);
}

TEST(Later, GoesWithItsCall) {
    Arena arena;
    Gate gate;
    const auto held = std::make_shared<int>(5);
    {
        CallContext call{arena};
        ASSERT_EQ(continue_as<kEncodePlain<int>>(call, answer(gate, held)), Outcome::suspended);
        call.later().start([](void*) {}, nullptr);
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    Restartable call{arena};
    ASSERT_EQ(continue_as<kEncodePlain<int>>(call, answer(gate, held)),
              Outcome::suspended);  // never started
    call.restart(arena);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(call.later());
}

// A service as in generated code, whose plain function is a coroutine.
struct Waiting {
    virtual ~Waiting() = default;
    int PROC(CallContext& call) { return call.run(body(call)); }
    virtual Task<int> PROC_async(CallContext&) { return {}; }
    Task<int> body(CallContext& call) {
        ++begun;
        for (int i = 0; i < waits; ++i) co_await gate;
        if (throws) throw std::runtime_error("no");
        if (refuses) call.set_outcome(Outcome::refused);
        co_return begun * 100 + waits;
    }
    Outcome serve(CallContext& call, Writer& out) {
        const int result = PROC(call);
        if (call.outcome() != Outcome::success)
            return !call.waits()
                       ? call.outcome()
                       : continue_later<kEncodePlain<int>>(*this, &Waiting::PROC_async, call);
        return encode_plain(out, result) ? Outcome::success : Outcome::system_error;
    }
    Gate gate;
    int waits = 0;
    int begun = 0;
    bool throws = false;
    bool refuses = false;
};

TEST(CallContext, ACoroutineThatDoesNotWaitIsAFunction) {
    Arena arena;
    CallContext call{arena};
    Writer out{arena};
    Waiting service;
    EXPECT_EQ(service.serve(call, out), Outcome::success);
    EXPECT_EQ(load_u32(out.joined().data()), 100u);
    EXPECT_FALSE(call.later());
    service.refuses = true;
    EXPECT_EQ(service.serve(call, out), Outcome::refused);
    call.set_outcome(Outcome::success);
    service.throws = true;
    EXPECT_THROW(service.serve(call, out), std::runtime_error);
}

TEST(CallContext, ACoroutineThatWaitsGoesOnWhereItWas) {
    for (const bool refuses : {false, true}) {
        Arena arena;
        CallContext call{arena};
        Writer out{arena};
        Waiting service;
        service.waits = 3;
        service.refuses = refuses;
        ASSERT_EQ(service.serve(call, out), Outcome::suspended);
        EXPECT_EQ(call.outcome(), Outcome::success);
        int ended = 0;
        call.later().start([](void* count) { ++*static_cast<int*>(count); }, &ended);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(ended, 0);
            service.gate.waiter.resume();
        }
        EXPECT_EQ(ended, 1);
        EXPECT_EQ(call.later().finish(call, out), refuses ? Outcome::refused : Outcome::success);
        EXPECT_EQ(service.begun, 1);
        if (!refuses) {
            EXPECT_EQ(load_u32(out.joined().data()), 103u);
        }
    }
}

TEST(CallContext, ACoroutineThatThrowsLaterTellsAtItsEnd) {
    Arena arena;
    Restartable call{arena};
    Writer out{arena};
    Waiting service;
    service.waits = 1;
    service.throws = true;
    ASSERT_EQ(service.serve(call, out), Outcome::suspended);
    call.later().start(nullptr, nullptr);
    service.gate.waiter.resume();
    EXPECT_THROW(call.later().finish(call, out), std::runtime_error);
    // Destroyed in the middle: nothing more happens.
    ASSERT_EQ(service.serve(call, out), Outcome::suspended);
    call.restart(arena);
    EXPECT_FALSE(call.later());
}

TEST(Later, NoCoroutineIsUnavailableUnlessDecided) {
    Arena arena;
    CallContext call{arena};
    EXPECT_EQ(continue_as<kEncodePlain<int>>(call, Task<int>{}), Outcome::procedure_unavailable);
    EXPECT_EQ(continue_as<nullptr>(call, Task<void>{}), Outcome::procedure_unavailable);
    call.set_outcome(Outcome::refused);
    EXPECT_EQ(continue_as<kEncodePlain<int>>(call, Task<int>{}), Outcome::refused);
    EXPECT_FALSE(call.later());
}

}  // namespace
}  // namespace helio::xdr::program_test
