// Which requests are done after which completion; the rest of the queues needs a device.
#include "helio/transport/rdma/verbs/queues_internal.h"

#include <gtest/gtest.h>

namespace helio::transport::rdma::queues_test {
namespace {

std::vector<std::uint64_t> rest_of(InFlightWork& queue) {
    std::vector<std::uint64_t> ids;
    while (const auto request = queue.pop()) ids.push_back(request->id);
    return ids;
}

TEST(InFlightWork, RequestsAreDoneInAnyOrder) {
    InFlightWork queue{4};
    const auto read = queue.push({10, Verb::read, true});
    const auto write = queue.push({11, Verb::write, true});
    EXPECT_TRUE(queue.is_read(read));
    EXPECT_FALSE(queue.is_read(write));
    EXPECT_EQ(queue.done(write)->id, 11u);
    EXPECT_EQ(queue.done(write), std::nullopt) << "only once";
    EXPECT_EQ(queue.done(read)->id, 10u);
    EXPECT_EQ(queue.done(77), std::nullopt) << "no such number";
}

TEST(InFlightWork, RequestsWithoutASignalAreDoneWithALaterOne) {
    InFlightWork queue{4};
    for (std::uint64_t round = 0; round < 9; ++round) {
        queue.push({1, Verb::write, false});
        queue.push({2, Verb::write, false});
        const auto send = queue.push({3, Verb::send, true});
        const auto later = queue.push({4, Verb::write, false});  // as many as fit
        EXPECT_EQ(queue.done(send)->id, 3u);
        EXPECT_EQ(queue.done(later)->id, 4u) << "has a completion when it fails";
    }
    EXPECT_TRUE(rest_of(queue).empty());
}

TEST(InFlightWork, WhatIsLeftComesInOrder) {
    InFlightWork queue{5};
    const auto first = queue.push({1, Verb::send, true});
    queue.push({2, Verb::read, true});
    queue.push({3, Verb::write, false});
    EXPECT_EQ(queue.done(first)->id, 1u);
    queue.push({4, Verb::send, true});  // in the slot of the first one
    const auto refused = queue.push({5, Verb::write, false});
    queue.take_back(refused);
    EXPECT_EQ(rest_of(queue), (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST(UnderWayDeathTest, MoreThanThereIsRoomForIsAMistake) {
    InFlightWork queue{1};
    queue.push({1, Verb::send, true});
    EXPECT_DEATH(queue.push({2, Verb::send, true}), "free_");
}

}  // namespace
}  // namespace helio::transport::rdma::queues_test
