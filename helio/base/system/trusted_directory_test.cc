#include "helio/base/system/trusted_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace helio::trusted_directory_test {
namespace {

constexpr uid_t kSomebodyElse = 12'345;

struct TrustedDirectoryTest : testing::Test {
    TrustedDirectoryTest() {
        char name[] = "/tmp/helio-trusted-XXXXXX";
        root = mkdtemp(name);
    }
    ~TrustedDirectoryTest() override { std::filesystem::remove_all(root); }

    TrustError why_not(const std::string& name, int flags = O_RDWR | O_CREAT) const {
        const auto directory = TrustedDirectory::open(root);
        if (!directory) return directory.error();
        const auto file = directory->open_file(name, flags);
        return file ? TrustError{-1, "opened"} : file.error();
    }

    std::string root;
};

TEST_F(TrustedDirectoryTest, OpensWhatItMade) {
    const auto directory = TrustedDirectory::open(root);
    ASSERT_TRUE(directory) << directory.error().text;
    EXPECT_TRUE(directory->open_file("a", O_RDWR | O_CREAT));
    EXPECT_TRUE(directory->open_file("a", O_RDONLY));
    struct stat about {};
    ASSERT_EQ(stat((root + "/a").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 07777, 0600u);
    EXPECT_EQ(why_not("b", O_RDONLY).error, ENOENT);
    EXPECT_EQ(TrustedDirectory::open(root + "/b").error().error, ENOENT);
    EXPECT_EQ(TrustedDirectory::open(root + "/a").error().error, ENOTDIR);
}

TEST_F(TrustedDirectoryTest, FollowsNoLink) {
    std::ofstream{root + "/victim"} << "precious";
    ASSERT_EQ(symlink((root + "/victim").c_str(), (root + "/index").c_str()), 0);
    ASSERT_EQ(symlink((root + "/new").c_str(), (root + "/dangling").c_str()), 0);
    EXPECT_EQ(why_not("index").text,
              root + "/index is a symbolic link, expected a regular file; refused");
    EXPECT_TRUE(why_not("dangling").refused());
    EXPECT_FALSE(std::filesystem::exists(root + "/new"));
    const auto directory = TrustedDirectory::open(root);
    EXPECT_TRUE(directory->replace_file("index", O_RDWR));
    EXPECT_EQ(std::filesystem::file_size(root + "/victim"), 8u);
    EXPECT_FALSE(std::filesystem::is_symlink(root + "/index"));
}

TEST_F(TrustedDirectoryTest, WaitsForNoFifo) {
    ASSERT_EQ(mkfifo((root + "/fifo").c_str(), 0600), 0);
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT})
        EXPECT_EQ(why_not("fifo", flags).text,
                  root + "/fifo is a FIFO, expected a regular file; refused");
    EXPECT_TRUE(why_not(".", O_RDONLY).refused());
}

TEST_F(TrustedDirectoryTest, NobodyElseMayWrite) {
    std::ofstream{root + "/a"} << "x";
    chmod((root + "/a").c_str(), 0644);
    EXPECT_EQ(why_not("a").text, "opened");
    for (const mode_t mode : {0620u, 0602u}) {
        chmod((root + "/a").c_str(), mode);
        EXPECT_TRUE(why_not("a").refused());
    }
    EXPECT_EQ(why_not("a").text, root +
                                     "/a can be written by others (mode 0602), expected an owner "
                                     "alone who writes (chmod go-w " +
                                     root + "/a); refused");
    chmod((root + "/a").c_str(), 0600);
    chmod(root.c_str(), 0755);
    EXPECT_EQ(why_not("a").text, "opened");
    for (const mode_t mode : {0770u, 01777u}) {
        chmod(root.c_str(), mode);
        EXPECT_TRUE(why_not("a").refused());
    }
}

TEST_F(TrustedDirectoryTest, NobodyElseMayOwn) {
    if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    std::ofstream{root + "/a"} << "x";
    ASSERT_EQ(chown((root + "/a").c_str(), kSomebodyElse, 0), 0);
    EXPECT_EQ(why_not("a").text, root + "/a belongs to uid 12345, expected root; refused");
    ASSERT_EQ(chown((root + "/a").c_str(), 0, 0), 0);
    EXPECT_EQ(why_not("a").text, "opened");
    ASSERT_EQ(chown(root.c_str(), kSomebodyElse, 0), 0);
    EXPECT_TRUE(why_not("a").refused());
}

}  // namespace
}  // namespace helio::trusted_directory_test
