#include "helio/virt/daemon/faults.h"

#include <gtest/gtest.h>

namespace helio::virt::daemon::faults_test {
namespace {

TEST(ParseFault, ReadsWhatIsToHappen) {
    const auto plain = parse_fault("DomainCreate:error=no space, none at all");
    ASSERT_TRUE(plain) << plain.error();
    EXPECT_EQ(plain->procedure, "domaincreate");
    EXPECT_EQ(plain->kind, Fault::Kind::error);
    EXPECT_EQ(plain->error.code, VIR_ERR_OPERATION_FAILED);
    EXPECT_EQ(plain->error.message, "no space, none at all");

    const auto coded =
        parse_fault("DOMAIN_CREATE:delay=2s,times=3,skip=1,error=38/18 disk is gone");
    ASSERT_TRUE(coded) << coded.error();
    EXPECT_EQ(coded->delay, std::chrono::seconds(2));
    EXPECT_EQ(coded->times, 3U);
    EXPECT_EQ(coded->skip, 1U);
    EXPECT_EQ(coded->error.code, 38);
    EXPECT_EQ(coded->error.domain, 18);
    EXPECT_EQ(coded->error.message, "disk is gone");

    const auto all = parse_fault("*:delay=20ms");
    ASSERT_TRUE(all) << all.error();
    EXPECT_EQ(all->procedure, "");
    EXPECT_EQ(all->kind, Fault::Kind::none);
    EXPECT_EQ(parse_fault("NodeGetInfo:disconnect")->kind, Fault::Kind::disconnect);
    EXPECT_EQ(parse_fault("NodeGetInfo:hang")->kind, Fault::Kind::hang);
}

TEST(ParseFault, SaysWhatIsWrong) {
    for (const char* const text :
         {"", "x", ":error=a", "A:", "A:delay=5", "A:delay=2h", "A:delay=9999999s", "A:times=x",
          "A:explode", "A:delay=-1s", "A:delay=99999999999999999999s"}) {
        const auto fault = parse_fault(text);
        EXPECT_FALSE(fault) << text;
        EXPECT_EQ(fault ? "" : fault.error().substr(0, 7), "fault '");
    }
}

}  // namespace
}  // namespace helio::virt::daemon::faults_test
