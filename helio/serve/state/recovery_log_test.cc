#include "helio/serve/state/recovery_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace helio::serve::recovery_log_test {
namespace {

template <class Owners>
std::vector<std::string> sorted(const Owners& owners) {
    std::vector<std::string> out{owners.begin(), owners.end()};
    std::sort(out.begin(), out.end());
    return out;
}

TEST(RecoveryLog, TheLastLineOfAnOwnerCounts) {
    EXPECT_TRUE(owners_in("").empty());
    EXPECT_EQ(sorted(owners_in("+61\n")), std::vector<std::string>{"a"});
    EXPECT_TRUE(owners_in("+61\n-61\n").empty());
    EXPECT_EQ(sorted(owners_in("+61\n-61\n+61\n")), std::vector<std::string>{"a"});
    EXPECT_EQ(sorted(owners_in("+61\n+62\n-63\n")), (std::vector<std::string>{"a", "b"}));
}

// A crash may cut the last line; nothing else is lost by it.
TEST(RecoveryLog, EveryCutLeavesTheLinesBeforeIt) {
    const std::string text = "+6161\n+6262\n-6161\n";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const auto owners = sorted(owners_in(text.substr(0, size)));
        if (size < 6)
            EXPECT_TRUE(owners.empty()) << size;
        else if (size < 12)
            EXPECT_EQ(owners, std::vector<std::string>{"aa"}) << size;
        else if (size < 18)
            EXPECT_EQ(owners, (std::vector<std::string>{"aa", "bb"})) << size;
        else
            EXPECT_EQ(owners, std::vector<std::string>{"bb"}) << size;
    }
}

TEST(RecoveryLog, LinesThatAreNotUnderstoodAreSkipped) {
    EXPECT_EQ(sorted(owners_in("\n+\n+6\n+zz\n?61\n+61\n")), std::vector<std::string>{"a"});
}

class RecoveryLogTest : public testing::Test {
 protected:
    RecoveryLogTest() {
        char name[] = "/tmp/helio-recovery-XXXXXX";
        root = mkdtemp(name);
    }
    ~RecoveryLogTest() override { std::filesystem::remove_all(root); }

    std::unique_ptr<nfs::state::Recovery> open() {
        std::string problem;
        auto out = RecoveryLog::open(State::open(root), problem);
        EXPECT_EQ(problem, "");
        return out;
    }
    std::filesystem::path file() const {
        for (const auto& one : std::filesystem::directory_iterator(root)) {
            const std::string name = one.path().filename();
            if (name.starts_with("clients-") && one.path().extension() != ".lock")
                return one.path();
        }
        return {};
    }

    std::string root;
};

TEST_F(RecoveryLogTest, TheNextStartKnowsWhoHeldState) {
    {
        const auto log = open();
        EXPECT_TRUE(log->recorded().empty());
        EXPECT_TRUE(log->add("a") && log->add("b") && log->add("c"));
        log->remove("b");
    }
    EXPECT_EQ(sorted(open()->recorded()), (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(sorted(open()->recorded()), (std::vector<std::string>{"a", "c"}));
}

// Clients that come and go, as often as they like.
TEST_F(RecoveryLogTest, TheFileDoesNotGrowForEver) {
    const std::string guest(1000, 'g');
    std::uintmax_t largest = 0;
    {
        const auto log = open();
        EXPECT_TRUE(log->add("stays"));
        for (std::size_t written = 0; written < 4 * kRecoveryBytesKept;
             written += 4 * guest.size()) {
            ASSERT_TRUE(log->add(guest));
            log->remove(guest);
            largest = std::max(largest, std::filesystem::file_size(file()));
        }
    }
    EXPECT_GT(largest, kRecoveryBytesKept / 2);
    EXPECT_LT(largest, 2 * kRecoveryBytesKept);
    EXPECT_EQ(sorted(open()->recorded()), std::vector<std::string>{"stays"});
}

// A line of which only the beginning could be written does not spoil the next one.
TEST_F(RecoveryLogTest, AFullDiskSpoilsNothing) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    {
        const auto log = open();
        EXPECT_TRUE(log->add("a"));
        const rlimit full{std::filesystem::file_size(file()) + 10, before.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
        EXPECT_FALSE(log->add(std::string(100, 'x')));
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_TRUE(log->add("b"));
    }
    std::signal(SIGXFSZ, ignored);
    EXPECT_EQ(sorted(open()->recorded()), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace helio::serve::recovery_log_test
