#include "helio/transport/loop/pool_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <string>

namespace helio::transport::pool_queue_test {
namespace {

using namespace std::chrono_literals;

const int clients[3] = {}, groups[3] = {};

struct Named : PoolJob {
    std::string name;
};

class PoolQueueTest : public testing::Test {
 protected:
    // "a0": client a, group 0; "A0": a long job.
    void push(const std::string& names) {
        for (std::size_t i = 0; i + 1 < names.size(); i += 3) {
            const char c = names[i];
            Named& job = jobs_.emplace_back();
            job.name = names.substr(i, 2);
            job.order = {&clients[(c | 0x20) - 'a'], &groups[names[i + 1] - '0'], c < 'a'};
            queue_.push(job);
        }
    }
    std::string pop(int count) {
        std::string out;
        for (; count > 0; --count) {
            auto* const job = static_cast<Named*>(queue_.pop());
            out += (out.empty() ? "" : " ") + (job != nullptr ? job->name : "--");
            if (job != nullptr) running_.push_back(job);
        }
        return out;
    }
    void end(const std::string& name, std::chrono::milliseconds took = {}) {
        for (std::size_t i = 0; i < running_.size(); ++i) {
            if (running_[i]->name != name) continue;
            queue_.ended(running_[i]->order, took);
            running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
            return;
        }
        FAIL() << name;
    }

    PoolQueue queue_{4};
    std::deque<Named> jobs_;
    std::vector<Named*> running_;
};

TEST_F(PoolQueueTest, ClientsTakeTurns) {
    push("a0 a0 a0 a0 b0 c0");
    EXPECT_EQ(pop(3), "a0 b0 c0");
    end("a0");
    EXPECT_EQ(pop(1), "a0");
    EXPECT_EQ(queue_.size(), 2u);
    EXPECT_EQ(queue_.size_of(&groups[0]), 5u);
}

TEST_F(PoolQueueTest, AClientWaitsAsLongAsItsJobsTook) {
    push("a0 a0 a0 b0 b0 b0 b0");
    EXPECT_EQ(pop(2), "a0 b0");
    end("a0", 10ms);
    end("b0", 3ms);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(pop(1), "b0") << "6, 9 and 12 ms in all";
        end("b0", 3ms);
    }
    push("b0");
    EXPECT_EQ(pop(1), "a0");
    end("a0", 10ms);
    EXPECT_EQ(pop(2), "b0 a0");
}

// However many others have jobs, and however long those take.
TEST_F(PoolQueueTest, AClientThatSeldomComesIsNext) {
    push("A0 A0 A0 B0 B0 B0");
    for (const char* one : {"A0", "B0", "A0"}) {
        EXPECT_EQ(pop(1), one);
        end(one, 10ms);
    }
    push("C0");
    EXPECT_EQ(pop(1), "B0") << "it had 10 ms less than a";
    end("B0", 10ms);
    EXPECT_EQ(pop(1), "C0") << "not behind the rest of a and b";
    end("C0", 1ms);
    EXPECT_EQ(pop(1), "A0");
    end("A0", 10ms);
}

// A client gains nothing by sending a job only when the last one has ended.
TEST_F(PoolQueueTest, ALeavingClientIsNotForgotten) {
    push("a0 b0 b0");
    EXPECT_EQ(pop(2), "a0 b0");
    end("a0", 10ms);
    end("b0", 1ms);
    push("a0");
    EXPECT_EQ(pop(1), "b0");
    end("b0", 1ms);
    EXPECT_EQ(pop(1), "a0");
    end("a0", 1ms);
    EXPECT_EQ(queue_.size_of(&groups[0]), 0u);
}

TEST_F(PoolQueueTest, AGroupThatHangsLeavesThreadsToOthers) {
    push("a0 a0 a0 a0 a0 b1 b1");
    EXPECT_EQ(pop(5), "a0 b1 a0 b1 a0");
    EXPECT_EQ(pop(1), "--") << "three of four threads, whoever else is idle";
    push("b1");
    EXPECT_EQ(pop(1), "b1");
    end("a0");
    EXPECT_EQ(pop(2), "a0 --");
}

// Usage is remembered only while clients compete: connections come and go.
TEST_F(PoolQueueTest, AfterAPauseAllAreEqual) {
    push("a0");
    EXPECT_EQ(pop(1), "a0");
    end("a0", 10ms);
    push("a0 b0");
    EXPECT_EQ(pop(2), "a0 b0");
}

TEST_F(PoolQueueTest, LongJobsLeaveThreadsToShortOnes) {
    push("A0 A0 A0 b0 b0 b0");
    EXPECT_EQ(pop(3), "A0 b0 b0") << "one long one of the three that a group may run";
    end("b0");
    EXPECT_EQ(pop(2), "b0 --");
    push("C1");
    EXPECT_EQ(pop(2), "C1 --") << "other groups have long ones of their own";
    end("A0");
    EXPECT_EQ(pop(1), "A0");
}

TEST_F(PoolQueueTest, AGroupStarvesWhoseJobsWaitAndNeverRun) {
    EXPECT_FALSE(queue_.has_starving_group());
    push("a0 a0 b1");
    EXPECT_TRUE(queue_.has_starving_group());
    EXPECT_EQ(pop(1), "a0");
    EXPECT_TRUE(queue_.has_starving_group()) << "group 1";
    EXPECT_EQ(pop(1), "b1");
    EXPECT_FALSE(queue_.has_starving_group()) << "one of group 0 waits, and one runs";
}

TEST_F(PoolQueueTest, JobsCanBeTakenBack) {
    push("a0 a0 b1");
    EXPECT_TRUE(queue_.remove(jobs_[0]));
    EXPECT_FALSE(queue_.remove(jobs_[0]));
    EXPECT_TRUE(queue_.remove(jobs_[2]));
    ASSERT_EQ(queue_.waiting(), std::vector<PoolJob*>{&jobs_[1]});
    EXPECT_EQ(pop(2), "a0 --");
    EXPECT_FALSE(queue_.remove(jobs_[1])) << "it runs";
    end("a0");
    EXPECT_EQ(queue_.size_of(&groups[0]), 0u);
}

TEST_F(PoolQueueTest, WaitingJobsAreInOrderOfArrival) {
    push("b1 A0 a0 b0 b1");
    const std::vector<PoolJob*> all = queue_.waiting();
    ASSERT_EQ(all.size(), jobs_.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], &jobs_[i]);
}

}  // namespace
}  // namespace helio::transport::pool_queue_test
