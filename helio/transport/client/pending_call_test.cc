#include "helio/transport/client/pending_call.h"

#include <gtest/gtest.h>

namespace helio::transport::pending_call_test {
namespace {

using namespace std::chrono_literals;
using Numbers = std::vector<std::uint32_t>;

struct Caller {
    explicit Caller(std::uint32_t first) : calls(loop, first) {}
    EventLoop loop;
    PendingCalls calls;
    Numbers told;  // numbers that timed out
};

class TestCall final : public PendingCall {
 public:
    explicit TestCall(Caller& caller) : PendingCall(caller.loop), caller_(caller) {}
    std::uint32_t number() const { return number_; }
    void begin() { start(caller_.calls.next_number()); }
    void send_for(EventLoop::Clock::duration time) {
        due_ = EventLoop::Clock::now() + time;
        send();
    }
    void send() override { caller_.calls.add(*this); }
    void release() override {
        forget_waiter();
        caller_.calls.remove(*this);
        caller_.calls.give_back(*this);
    }
    TestCall* lets_go_of = nullptr;

 private:
    void on_due(Clock::time_point) override {
        caller_.calls.remove(*this);
        caller_.told.push_back(number_);
        if (lets_go_of != nullptr) lets_go_of->release();
        end(nullptr);
        notify();
    }
    Caller& caller_;
};

TestCall& begun(Caller& caller) {
    auto& out = caller.calls.take<TestCall>(caller);
    out.begin();
    return out;
}
TestCall& sent(Caller& caller, EventLoop::Clock::duration time = 1h) {
    TestCall& out = begun(caller);
    out.send_for(time);
    return out;
}

TEST(PendingCalls, OldestFirstAlsoPastTheLastNumber) {
    Caller caller{0xffff'fffe};
    for (int i = 0; i < 4; ++i) sent(caller);
    EXPECT_EQ(caller.calls.numbers(), (Numbers{0xffff'fffe, 0xffff'ffff, 0, 1}));
    EXPECT_EQ(caller.calls.find(2), nullptr);
    ASSERT_NE(caller.calls.find(0), nullptr);
    EXPECT_FALSE(caller.calls.all_are_free());
}

TEST(PendingCalls, ManyAreBegunBeforeAnyIsSent) {
    Caller caller{7};
    std::vector<TestCall*> all;
    for (int i = 0; i < 1000; ++i) all.push_back(&begun(caller));
    for (TestCall* const one : all) one->send_for(1h);
    EXPECT_EQ(caller.calls.under_way(), 1000u);
    for (TestCall* const one : all) {
        EXPECT_EQ(caller.calls.find(one->number()), one);
        one->release();
    }
    EXPECT_EQ(caller.calls.under_way(), 0u);
    EXPECT_TRUE(caller.calls.all_are_free());
}

// An unanswered call keeps its slot, and the others skip it.
TEST(PendingCalls, NumbersWhosePlaceIsTakenAreLeftOut) {
    Caller caller{0};
    const TestCall& waiting = sent(caller);
    for (int i = 0; i < 200; ++i) {
        TestCall& one = sent(caller);
        EXPECT_EQ(caller.calls.find(one.number()), &one);
        one.release();
    }
    EXPECT_EQ(caller.calls.find(0), &waiting);
    EXPECT_FALSE(caller.calls.remove(begun(caller)));
}

TEST(PendingCalls, WhoseTimeIsOverIsTold) {
    Caller caller{1};
    sent(caller);
    TestCall& second = sent(caller, -1ms);
    TestCall& third = sent(caller, -1ms);
    sent(caller, 5ms);
    second.lets_go_of = &third;  // which is due as well, and must not be notified
    while (caller.told.size() < 2) caller.loop.turn(100ms);
    EXPECT_EQ(caller.told, (Numbers{2, 4}));
    EXPECT_EQ(caller.calls.numbers(), Numbers{1});
}

TEST(PendingCalls, StoppedTheyLeaveTheLoopAlone) {
    Caller caller{1};
    sent(caller).release();
    EXPECT_TRUE(caller.loop.next_timer());  // an answer does not touch the timer
    caller.calls.stop_timer();
    EXPECT_FALSE(caller.loop.next_timer());
}

TEST(PendingCalls, OneThatFailsBeforeItIsSentIsToldFromTheLoop) {
    Caller caller{1};
    TestCall& call = begun(caller);
    bool told = false;
    call.set_done([](void* flag, xdr::AsyncCall&) { *static_cast<bool*>(flag) = true; }, &told);
    xdr::CallError error;
    error.error_number = 5;
    call.fail_with(error);
    EXPECT_TRUE(call.finished());
    EXPECT_FALSE(told);
    while (!told) caller.loop.turn(100ms);
    EXPECT_EQ(call.why().error_number, 5);
}

}  // namespace
}  // namespace helio::transport::pending_call_test
