#include "helio/backend/posix/listing/read_ahead_internal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace helio::backend::read_ahead_test {
namespace {

namespace fs = std::filesystem;

class ReadAheadTest : public testing::Test {
 protected:
    ReadAheadTest() {
        std::string name = (fs::temp_directory_path() / "helio-ahead-XXXXXX").string();
        top = mkdtemp(name.data());
        for (int i = 0; i < 300; ++i) std::ofstream(top / ("file" + std::to_string(i)));
        path = Fd{open(top.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    }
    ~ReadAheadTest() override { fs::remove_all(top); }

    std::shared_ptr<ReadAhead::Run> start(ReadAhead& ahead) {
        return ahead.start({}, path.get(), 0);
    }

    fs::path top;
    Fd path;
    std::atomic<int> threads = 0;
};

TEST_F(ReadAheadTest, ReadsToTheEndOfTheDirectory) {
    ReadAhead ahead([this] { ++threads; });
    EXPECT_EQ(threads, 0) << "threads start when needed";
    const auto run = start(ahead);
    ASSERT_TRUE(run);
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!run->has_ended() && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(run->has_ended());
    EXPECT_EQ(run->entries_read(), 302u);
    EXPECT_LE(threads, static_cast<int>(kReadAheadThreadsMax));
    ahead.advance(*run, 302);
}

TEST_F(ReadAheadTest, RunsAreLimited) {
    ReadAhead ahead([] {});
    std::vector<std::shared_ptr<ReadAhead::Run>> runs;
    for (std::size_t i = 0; i < kReadAheadRunsMax; ++i) {
        runs.push_back(start(ahead));
        EXPECT_TRUE(runs.back()) << i;
    }
    EXPECT_FALSE(start(ahead));
    runs.pop_back();
    EXPECT_TRUE(start(ahead)) << "a released run makes room";
}

TEST_F(ReadAheadTest, CanBeDestroyedWhileItReads) {
    for (int round = 0; round < 50; ++round) {
        ReadAhead ahead([] {});
        const auto first = start(ahead);
        start(ahead);  // released at once
        fs::remove(top / ("file" + std::to_string(round)));
    }
}

}  // namespace
}  // namespace helio::backend::read_ahead_test
