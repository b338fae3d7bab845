#include "helio/serve/state/state.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace helio::serve::state_test {
namespace {

class StateTest : public testing::Test {
 protected:
    StateTest() {
        char name[] = "/tmp/helio-state-XXXXXX";
        root = mkdtemp(name);
    }
    ~StateTest() override { std::filesystem::remove_all(root); }
    std::string root;
};

TEST_F(StateTest, TheKeyStays) {
    const std::string directory = root + "/a/b";
    const State first = State::open(directory);
    EXPECT_TRUE(first.persistent()) << first.problem();
    const State second = State::open(directory);
    EXPECT_EQ(first.key().first, second.key().first);
    EXPECT_EQ(first.key().second, second.key().second);
    struct stat about {};
    ASSERT_EQ(stat((directory + "/handle-key").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0600u);
    EXPECT_EQ(about.st_size, 16);
    ASSERT_EQ(stat(directory.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0700u);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1)
        << "no draft left";
    const State other = State::open(root + "/other");
    EXPECT_FALSE(first.key().first == other.key().first &&
                 first.key().second == other.key().second);
}

TEST_F(StateTest, IndexesAreToldApart) {
    const State state = State::open(root + "/s");
    EXPECT_NE(state.file_of("index", "/srv/a"), state.file_of("index", "/srv/b"));
    EXPECT_EQ(state.file_of("index", "/srv/a"), state.file_of("index", "/srv/a"));
    EXPECT_TRUE(state.file_of("index", "/srv/a").starts_with(root + "/s/index-"));
}

TEST_F(StateTest, AKeyThatIsOfNoUseIsNotReplaced) {
    const std::string directory = root + "/s";
    State::open(directory);
    std::ofstream{directory + "/handle-key"} << "short";
    EXPECT_THROW(State::open(directory), std::runtime_error);
    std::ofstream{directory + "/handle-key"} << std::string(16, 'k');
    EXPECT_NO_THROW(State::open(directory));
    chmod((directory + "/handle-key").c_str(), 0644);
    EXPECT_THROW(State::open(directory), std::runtime_error);
}

std::string why_not(const std::string& directory) {
    try {
        State::open(directory);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "opened";
}

// Anyone who can write there could replace the key, or make us overwrite one of our files.
TEST_F(StateTest, ADirectoryOfOthersIsRefused) {
    const std::string directory = root + "/s";
    State::open(directory);
    chmod(directory.c_str(), 0777);
    EXPECT_NE(why_not(directory).find("s can be written by others (mode 0777)"), std::string::npos);
    chmod(directory.c_str(), 0755);
    EXPECT_EQ(why_not(directory), "opened");
    if (geteuid() != 0) return;
    ASSERT_EQ(chown(directory.c_str(), 12'345, 0), 0);
    EXPECT_EQ(why_not(directory),
              "state: " + directory + " belongs to uid 12345, expected root; refused");
    ASSERT_EQ(chown(directory.c_str(), 0, 0), 0);
    ASSERT_EQ(chown((directory + "/handle-key").c_str(), 12'345, 0), 0);
    EXPECT_NE(why_not(directory).find("handle-key belongs to uid 12345"), std::string::npos);
}

TEST_F(StateTest, AKeyIsARegularFile) {
    const std::string directory = root + "/s", key = directory + "/handle-key";
    State::open(directory);
    std::filesystem::remove(key);
    ASSERT_EQ(mkfifo(key.c_str(), 0600), 0);
    EXPECT_EQ(why_not(directory), "state: " + key + " is a FIFO, expected a regular file; refused");
    std::filesystem::remove(key);
    std::ofstream{root + "/elsewhere"} << std::string(16, 'k');
    chmod((root + "/elsewhere").c_str(), 0600);
    ASSERT_EQ(symlink((root + "/elsewhere").c_str(), key.c_str()), 0);
    EXPECT_EQ(why_not(directory),
              "state: " + key + " is a symbolic link, expected a regular file; refused");
}

TEST_F(StateTest, ALockIsARegularFile) {
    const State state = State::open(root + "/s/");
    EXPECT_TRUE(state.open_lock_of("index", "/srv"));
    const std::string lock = state.file_of("index", "/srv") + ".lock";
    EXPECT_EQ(lock.find("//"), std::string::npos);
    std::filesystem::remove(lock);
    ASSERT_EQ(symlink((root + "/new").c_str(), lock.c_str()), 0);
    EXPECT_FALSE(state.open_lock_of("index", "/srv"));
    EXPECT_FALSE(std::filesystem::exists(root + "/new"));
}

TEST_F(StateTest, InspectingCreatesNothing) {
    EXPECT_TRUE(State::inspect(root + "/a/b").persistent());
    EXPECT_FALSE(std::filesystem::exists(root + "/a"));
    std::ofstream{root + "/file"} << "x";
    EXPECT_EQ(State::inspect(root + "/file/state").problem(),
              "cannot create " + root + "/file/state: Not a directory");
    std::filesystem::create_directory(root + "/others");
    chmod((root + "/others").c_str(), 0777);
    EXPECT_THROW(State::inspect(root + "/others"), std::runtime_error);
}

TEST_F(StateTest, WithoutAPlaceItLivesInMemory) {
    const State nowhere = State::open("");
    EXPECT_FALSE(nowhere.persistent());
    EXPECT_EQ(nowhere.file_of("index", "/srv"), "");
    std::ofstream{root + "/file"} << "x";
    const State below_a_file = State::open(root + "/file/state");
    EXPECT_FALSE(below_a_file.persistent());
    EXPECT_NE(below_a_file.problem(), "");
}

}  // namespace
}  // namespace helio::serve::state_test
