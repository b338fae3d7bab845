#include "helio/xdr/program.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "helio/xdr/plain.h"

namespace helio::xdr {
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

// A coroutine that waits for the test, and tells whether it lives.
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
    ASSERT_EQ(go_on<kEncodePlain<int>>(call, answer(gate, held)), Outcome::suspended);
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
        ASSERT_EQ(go_on<kEncodePlain<int>>(call, answer(gate, held)), Outcome::suspended);
        call.later().start([](void*) {}, nullptr);
        EXPECT_EQ(held.use_count(), 2);
    }
    EXPECT_EQ(held.use_count(), 1);
    Restartable call{arena};
    ASSERT_EQ(go_on<kEncodePlain<int>>(call, answer(gate, held)),
              Outcome::suspended);  // never started
    call.restart(arena);
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_FALSE(call.later());
}

TEST(Later, NoCoroutineIsUnavailableUnlessDecided) {
    Arena arena;
    CallContext call{arena};
    EXPECT_EQ(go_on<kEncodePlain<int>>(call, Task<int>{}), Outcome::procedure_unavailable);
    EXPECT_EQ(go_on<nullptr>(call, Task<void>{}), Outcome::procedure_unavailable);
    call.set_outcome(Outcome::refused);
    EXPECT_EQ(go_on<kEncodePlain<int>>(call, Task<int>{}), Outcome::refused);
    EXPECT_FALSE(call.later());
}

}  // namespace
}  // namespace helio::xdr
