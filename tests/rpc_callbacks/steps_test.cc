// A procedure of forty steps: it waits in the middle any number of times, is answered by its own
// client and by another server, and each step happens once.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/rpc_callbacks/steps_service.h"

namespace rpc_callbacks::steps_test {
namespace {

struct Plan {
    std::vector<step> steps;
    std::vector<std::int32_t> sums;
};

Plan forty_steps(std::int32_t start, std::uint16_t other) {
    Plan out;
    std::int32_t sum = start;
    for (int i = 0; i < 40; ++i) {
        switch (i % 5) {
            case 0:
                out.steps.push_back(step::of_number(STEP_ADD, i));
                sum += i;
                break;
            case 1:
                out.steps.push_back(step::of_number(STEP_CALL_BACK, i));
                sum += 2 * i;
                break;
            case 2:
                out.steps.push_back(step::of_number(STEP_BLOCK, i));
                sum += i;
                break;
            case 3:
                out.steps.push_back(step::of_port(other));
                sum += 1;
                break;
            default:
                out.steps.push_back(step::of_number(STEP_SLEEP, 1));
                break;
        }
        out.sums.push_back(sum);
    }
    return out;
}

Task<bool> run_plan(transport::ClientConnection& connection, std::int32_t start, Plan plan) {
    STEPS_V1::AsyncClient client{connection};
    const auto reply = co_await client.RUN({start, plan.steps});
    co_return reply && !(*reply)->failed &&
        std::vector<std::int32_t>((*reply)->sums.begin(), (*reply)->sums.end()) == plan.sums;
}

TEST(Steps, FortyOfThemWaitInTheMiddle) {
    StepsServer server, other;
    HelpfulClient client{server.port};
    EXPECT_TRUE(transport::run_until_done(
        client.loop, run_plan(*client.connection, 100, forty_steps(100, other.port))));
    EXPECT_EQ(server.service.batches, 1);
    EXPECT_EQ(server.service.steps_done, 40);
    EXPECT_EQ(client.helper.doubled, 8);
    EXPECT_EQ(other.service.batches, 8);
}

Task<int> run_many(transport::ClientConnection& connection, int count, std::uint16_t other) {
    STEPS_V1::AsyncClient client{connection};
    std::vector<Plan> plans;
    for (int i = 0; i < count; ++i) plans.push_back(forty_steps(i, other));
    std::vector<xdr::Call<outcome>> calls;
    for (int i = 0; i < count; ++i) calls.push_back(client.RUN({i, plans[i].steps}));
    int good = 0;
    for (int i = 0; i < count; ++i) {
        const auto reply = co_await std::move(calls[i]);
        if (reply && !(*reply)->failed &&
            std::ranges::equal((*reply)->sums, plans[static_cast<std::size_t>(i)].sums))
            ++good;
    }
    co_return good;
}

TEST(Steps, ManyBatchesOfManyClientsAtOnce) {
    StepsServer server, other;
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            HelpfulClient client{server.port};
            good +=
                transport::run_until_done(client.loop, run_many(*client.connection, 8, other.port));
            EXPECT_EQ(client.helper.doubled, 8 * 8);
        });
    for (std::thread& one : threads) one.join();
    EXPECT_EQ(good, 32);
    EXPECT_EQ(server.service.steps_done, 32 * 40);
}

Task<outcome> run_steps(transport::ClientConnection& connection, std::vector<step> steps,
                        std::vector<std::int32_t>& sums) {
    STEPS_V1::AsyncClient client{connection};
    const auto reply = co_await client.RUN({0, steps});
    if (!reply) co_return outcome{{}, true};
    sums.assign((*reply)->sums.begin(), (*reply)->sums.end());
    co_return outcome{{}, (*reply)->failed};
}

// The reply reports the steps before the failed one.
struct FailureRow {
    const char* what;
    step fails;
    bool serves;
};
class StepFailure : public testing::TestWithParam<FailureRow> {};
TEST_P(StepFailure, EndsTheBatchThere) {
    StepsServer server;
    server.service.callback_timeout = std::chrono::milliseconds(100);
    HelpfulClient client{server.port, GetParam().serves};
    const std::vector<step> steps{step::of_number(STEP_ADD, 1), step::of_number(STEP_BLOCK, 2),
                                  GetParam().fails, step::of_number(STEP_ADD, 3)};
    std::vector<std::int32_t> sums;
    const outcome ended =
        transport::run_until_done(client.loop, run_steps(*client.connection, steps, sums));
    EXPECT_TRUE(ended.failed);
    EXPECT_EQ(sums, (std::vector<std::int32_t>{1, 3}));
    // The connection is as good as before.
    const outcome again = transport::run_until_done(
        client.loop, run_steps(*client.connection, {step::of_number(STEP_ADD, 7)}, sums));
    EXPECT_FALSE(again.failed);
}
INSTANTIATE_TEST_SUITE_P(All, StepFailure,
                         testing::Values(FailureRow{"it_says_so", step::of(STEP_FAIL), true},
                                         FailureRow{"nobody_answers_the_callback",
                                                    step::of_number(STEP_CALL_BACK, 1), false},
                                         FailureRow{"nobody_is_at_the_other_server",
                                                    step::of_port(1), true}),
                         [](const auto& row) { return row.param.what; });

TEST(Steps, DatagramsHaveNoWayBack) {
    StepsServer server;
    transport::ClientOptions options;
    options.udp = true;
    auto client = transport::Client::connect("127.0.0.1:" + std::to_string(server.port), options);
    const step back = step::of_number(STEP_CALL_BACK, 1);
    const auto reply = STEPS_V1::Client{client}.RUN({0, std::span{&back, 1}});
    ASSERT_TRUE(reply);
    EXPECT_TRUE(reply->failed);
}

// A server that ends while batches wait takes them with it, wherever they are.
TEST(Steps, TheServerEndsInTheMiddle) {
    for (const auto& waits :
         {step::of_number(STEP_SLEEP, 60'000), step::of_number(STEP_CALL_BACK, 1)}) {
        auto server = std::make_unique<StepsServer>();
        server->service.callback_timeout = std::chrono::minutes(1);
        HelpfulClient client{server->port, false};
        STEPS_V1::AsyncClient steps{*client.connection};
        const auto under_way = steps.RUN({0, std::span{&waits, 1}});
        while (server->service.batches == 0) client.loop.turn(std::chrono::milliseconds(1));
        server->service.forget_channel();
        server->server.stop(std::chrono::milliseconds(10));
        server.reset();
    }
}

}  // namespace
}  // namespace rpc_callbacks::steps_test
